"""Who is shown as what: the risk value by value, rightly and wrongly.

An average over all labels hides what people want to know: whether those who have the disease are shown to have it, and
whether others are wrongly taken to have it. Both are harms, and they are counted apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import InitVar, asdict, dataclass, field
from typing import Any, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.belief import Belief
from epsilens.homogeneity.blockwise import (
    FEW_LABELS,
    BlockValues,
    BlockwiseValues,
    FewLabelsValues,
    SharedValues,
    Summed,
    hidden_zeros,
)
from epsilens.homogeneity.local import match_weights, other_weights
from epsilens.homogeneity.measures import check_options, exact_counterpart
from epsilens.homogeneity.models.by_label import (
    LabelRisks,
    expected_labels,
    generic_labels,
    marginal_labels,
    shrinkage_labels,
)
from epsilens.homogeneity.models.dirichlet_fits import resolved_alpha
from epsilens.homogeneity.models.fits import resolved_sizes
from epsilens.homogeneity.models.sizes import SizeModel
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.homogeneity.thresholding import Part, guesses_of
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief, one_line
from epsilens.table.count_vectors import Block, CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table

RightAndWrong: TypeAlias = Callable[[AnyNoise], tuple[FloatArray, FloatArray]]
"""From a noise to two arrays (signatures, labels)."""


@dataclass(frozen=True)
class ShownValue:
    """One value of a sensitive attribute under one noise, in shares of people."""

    value: str
    weight: float
    """How much it harms to be shown with it; 0: not at all."""
    shown_right: float
    """Share of people who have the value and whose cell shows it alone, or makes the attacker guess it."""
    shown_wrong: float
    """Share of people who do not have it and whose cell does the same."""

    def __repr__(self) -> str:
        return one_line(
            self, f"harm {self.weight:g}", f"rightly {self.shown_right:.4g}", f"wrongly {self.shown_wrong:.4g}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def shown_values(
    values: Sequence[str], weights: FloatArray, counts: IntArray, alone: FloatArray
) -> tuple[ShownValue, ...]:
    """Who is shown as what, where cell i shows value k alone with probability ``alone[i, k]``; in shares of people.

    right_k = sum_i n_ik a_ik / N, wrong_k = sum_i (n_i - n_ik) a_ik / N. Symbols: n_ik is ``counts``, people by cell
    and value, n_i everybody of cell i, N everybody; a_ik is ``alone``.
    """
    people = int(counts.sum())
    right = (counts * alone).sum(axis=0) / people
    wrong = ((counts.sum(axis=1, keepdims=True) - counts) * alone).sum(axis=0) / people
    return tuple(
        ShownValue(value, float(weight), float(theirs), float(not_theirs))
        for value, weight, theirs, not_theirs in zip(values, weights, right, wrong, strict=True)
    )


@dataclass(frozen=True)
class HarmShown:
    """What all harmful values come to under one noise, in shares of people."""

    right: float
    """Share of people who are shown with a harmful value that they have."""
    wrong: float
    """Share of people who are shown with a harmful value that they do not have."""
    weighted_right: float
    """``right``, where each value counts as often as it weighs."""
    weighted_wrong: float
    weights_differ: bool
    """Whether harmful values weigh anything else than 1."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; weighted ones only where they are others."""
        plain = {"harmful_right": self.right, "harmful_wrong": self.wrong}
        if self.weights_differ:
            plain |= {"weighted_harm_right": self.weighted_right, "weighted_harm_wrong": self.weighted_wrong}
        return plain


def harm_shown(values: Iterable[ShownValue]) -> HarmShown:
    """The harmful ones of these values together."""
    harmful = [value for value in values if value.weight > 0]
    return HarmShown(
        right=math.fsum(value.shown_right for value in harmful),
        wrong=math.fsum(value.shown_wrong for value in harmful),
        weighted_right=math.fsum(value.weight * value.shown_right for value in harmful),
        weighted_wrong=math.fsum(value.weight * value.shown_wrong for value in harmful),
        weights_differ=any(value.weight != 1 for value in harmful),
    )


def belief_from(table: FrequencyTable, values: Iterable[ShownValue]) -> Belief:
    """:func:`epsilens.homogeneity.belief`, where it is known who of the table is shown as what under the noise."""
    shown = harm_shown(values)
    return Belief(shown.right, shown.wrong, float(table.label_totals.max() / table.n_records))


@dataclass(frozen=True, eq=False)
class PreparedValues:
    """What cells show, value by value, ready for any noise."""

    labels: tuple[str, ...]
    weights: FloatArray
    """How much each label harms."""
    signatures: InitVar[CountVectors | IntArray]
    """The signatures, labels in the order of the table."""
    multiplicities: IntArray
    right_and_wrong: RightAndWrong
    """P(the cell shows label k alone and a random member of it has k), and the same for one who has not; for measures
    that guess, P(label k is guessed and ...)."""
    counts: CountVectors = field(init=False)
    """The signatures in sparse form."""

    __repr__ = brief

    def __post_init__(self, signatures: CountVectors | IntArray) -> None:
        object.__setattr__(self, "counts", CountVectors.of(signatures))

    @property
    def vectors(self) -> IntArray:
        """The signatures as a full matrix, refused where it would not fit."""
        return self.counts.dense()

    @property
    def cell_sizes(self) -> IntArray:
        """How many people a cell of each signature has."""
        return self.counts.sizes

    def right(self, noise: AnyNoise) -> FloatArray:
        """P(k is shown alone, and a random member of the cell has it), signatures x labels."""
        return self.right_and_wrong(noise)[0]

    def wrong(self, noise: AnyNoise) -> FloatArray:
        """P(k is shown alone, and a random member of the cell has it not), signatures x labels."""
        return self.right_and_wrong(noise)[1]

    def harmfully_wrong(self, noise: AnyNoise) -> FloatArray:
        """P(a harmful label is shown alone, and a random member of the cell has it not), one per signature."""
        harmful = as_floats(self.weights > 0)
        if isinstance(self.right_and_wrong, Summed):
            return self.right_and_wrong.wrong_of_labels(noise, harmful)
        return as_floats(self.wrong(noise) @ harmful)

    def shares(self, noise: AnyNoise, weighted: bool = True) -> tuple[ShownValue, ...]:
        """One entry per value, averaged over people (``weighted``) or over non-empty cells."""
        cells = cell_weights(self.counts, self.multiplicities, weighted)
        if isinstance(self.right_and_wrong, Summed):
            right, wrong = self.right_and_wrong.sums(noise, cells)
        else:
            right, wrong = (cells @ part for part in self.right_and_wrong(noise))
        return tuple(
            ShownValue(value, float(weight), float(theirs), float(not_theirs))
            for value, weight, theirs, not_theirs in zip(self.labels, self.weights, right, wrong, strict=True)
        )


def shown_by_value(
    table: FrequencyTable, noise: AnyNoise, measure: str = "local", weighted: bool = True, **options: Any
) -> tuple[ShownValue, ...]:
    """Who is shown as what under one noise: :func:`prepare_by_value`, averaged over people or over non-empty cells."""
    checked_table(table)
    checked_noise(noise)
    return prepare_by_value(table, measure, **options).shares(noise, weighted)


def prepare_by_value(table: FrequencyTable, measure: str = "local", **options: Any) -> PreparedValues:
    """Who is shown as what under any exact measure; ``options`` are those of the measure.

    For a random member of a cell with counts n_k (local) or N_k under a model (``expected`` and the like):
    right_k = E[(N_k / n) 1[only k is shown]], wrong_k = E[(1 - N_k / n) 1[only k is shown]]; for ``hard`` and ``soft``
    with "k is guessed" in place of "only k is shown". Summed over k with the weights of the labels, right is the
    measure itself with ``match="share"``. There is no ``match="any"`` of who is shown rightly: ``match`` changes
    nothing here. An empty cell has nobody to be shown as anything. ``marginal-shrinkage`` has one row, the generic
    cell, with the totals of the table as its counts.

    Source: P0 Definitions 6 to 10, label by label; P0 section 6.
    """
    checked_table(table)
    check_options(measure, options)
    if measure not in BY_VALUE:
        raise ParameterError(
            f"{measure!r} is a formula as printed, which counts labels and does not tell them apart",
            parameter="measure",
            remedy=f"take `measure={exact_counterpart(measure)}`",
        )
    return BY_VALUE[measure](table, **{name: value for name, value in options.items() if name != "match"})


def local_by_label(table: FrequencyTable, noise: AnyNoise, match: str = "any") -> FloatArray:
    """The part of the average :func:`epsilens.homogeneity.local` risk over people that comes from each label.

    A_k = sum over cells of (n / N) w_k m_k P(only k is shown); they add up to the risk. All labels come from one pass
    over the signatures.
    """
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    values = BlockwiseValues(vectors, lambda block: _alone(block, match))
    return as_floats(table.label_weights * values.sums(noise, cell_weights(vectors, multiplicities, True))[0])


def wrong_of_harmful(table: FrequencyTable) -> tuple[CountVectors, IntArray, Callable[[AnyNoise], FloatArray]]:
    """P(a harmful label is shown alone, and a random member of the cell has it not), made ready for any noise.

    With the signatures, one risk for each, and how many cells have them. Which of the labels that harm alike is which
    makes no difference, so that these signatures are sorted among them, and fewer than those of every value.
    """
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    values, harmful = BlockwiseValues(vectors, _alone), as_floats(weights > 0)
    return vectors, multiplicities, lambda noise: values.wrong_of_labels(noise, harmful)


def _local(table: FrequencyTable) -> PreparedValues:
    if table.n_labels <= FEW_LABELS:
        vectors, multiplicities = table.sparse_signatures(ordered=True)
        return PreparedValues(table.labels, table.label_weights, vectors, multiplicities, FewLabelsValues(vectors))
    return _blockwise(table, _alone)


def _alone(block: Block, match: str = "share") -> BlockValues:
    """Who is shown rightly and wrongly by the counts of a block as they are."""
    share, others = match_weights(block.vectors, match), other_weights(block.vectors)

    def values(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        alone = shown_alone(*shown_and_hidden(block.vectors, noise)) * hidden_zeros(block.zeros, noise)[:, None]
        return as_floats(share * alone), as_floats(others * alone)

    return values


def _expected(table: FrequencyTable) -> PreparedValues:
    if table.n_labels <= FEW_LABELS:
        vectors, multiplicities = table.signatures(ordered=True)
        return _of_labels(table, vectors, multiplicities, expected_labels(vectors, "share"))
    return _blockwise(table, lambda block: _beside_zeros(block, expected_labels(block.vectors, "share")))


def _shrinkage(table: FrequencyTable, alpha: npt.ArrayLike | str | None = None) -> PreparedValues:
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    kinds, kind_of = vectors.sizes_and_patterns()
    labels = shrinkage_labels(kinds.dense(), resolved_alpha(table, alpha), "share")
    shared = SharedValues(kind_of, lambda noise: (labels(noise), labels(noise, wrong=True)))
    return PreparedValues(table.labels, table.label_weights, vectors, multiplicities, shared)


def _marginal(table: FrequencyTable, size_model: SizeModel | str = "poisson", size_fit: str = "ml") -> PreparedValues:
    law = resolved_sizes(table, size_model, size_fit).model
    if table.n_labels <= FEW_LABELS:
        vectors, multiplicities = table.signatures(ordered=True)
        return _of_labels(table, vectors, multiplicities, marginal_labels(vectors, law, "share"))
    return _blockwise(table, lambda block: _beside_zeros(block, marginal_labels(block.vectors, law, "share")))


def _marginal_shrinkage(
    table: FrequencyTable,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    size_fit: str = "ml",
) -> PreparedValues:
    parameters, law = resolved_alpha(table, alpha), resolved_sizes(table, size_model, size_fit).model
    generic = generic_labels(*table.signatures(ordered=True), parameters, law, "share")
    return _of_labels(table, table.label_totals[None, :], np.ones(1, dtype=np.int64), generic)


def _guesses(rule: str) -> Callable[..., PreparedValues]:
    def prepared(table: FrequencyTable, part: Part = "all") -> PreparedValues:
        one_of("part", part, get_args(Part))

        def of_block(block: Block) -> BlockValues:
            share, others = match_weights(block.vectors, "share"), other_weights(block.vectors)

            def values(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
                guesses = guesses_of(block.vectors, noise, rule, part, block.zeros)
                return as_floats(share * guesses), as_floats(others * guesses)

            return values

        return _blockwise(table, of_block)

    return prepared


BY_VALUE: dict[str, Callable[..., PreparedValues]] = {
    "local": _local,
    "expected": _expected,
    "shrinkage": _shrinkage,
    "marginal": _marginal,
    "marginal-shrinkage": _marginal_shrinkage,
    "hard": _guesses("hard"),
    "soft": _guesses("soft"),
}
"""The exact measures, by name: each from a table and its options."""


def _blockwise(table: FrequencyTable, prepare: Callable[[Block], BlockValues]) -> PreparedValues:
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    values = BlockwiseValues(vectors, prepare)
    return PreparedValues(table.labels, table.label_weights, vectors, multiplicities, values)


def _beside_zeros(block: Block, labels: LabelRisks) -> BlockValues:
    """Labels of a block beside further ones that nobody has, of which none may be shown."""

    def values(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        hidden = hidden_zeros(block.zeros, noise)[:, None]
        return as_floats(labels(noise) * hidden), as_floats(labels(noise, wrong=True) * hidden)

    return values


def _of_labels(
    table: FrequencyTable, vectors: IntArray, multiplicities: IntArray, labels: LabelRisks
) -> PreparedValues:
    return PreparedValues(
        table.labels,
        table.label_weights,
        vectors,
        multiplicities,
        lambda noise: (labels(noise), labels(noise, wrong=True)),
    )
