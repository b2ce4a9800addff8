"""The risk of somebody of the population, who may be in the sample or not.

Take a random member of the population whose quasi-identifiers are those of cell i. They are in the sample with
probability n_i / N_i, and then the sample's own shares n_ik / n_i are those of their label; otherwise the law of the
rest is (``rest.py``), q_ik = (alpha_k + n_ik) / (alpha_0 + n_i). The noise is independent of whoever was not asked. So
with s_ik = P(label k is what the attacker reads off cell i), over the noise, and w_k the harm of label k,

    risk_i = (n_i / N_i) sum_k w_k (n_ik / n_i) s_ik  +  (1 - n_i / N_i) sum_k w_k q_ik s_ik.

Averaged over the population, cell i counting N_i times, this is linear in N_i: the risk of those in the sample, n
times, and the risk of the rest, N - n times. What is not known of the N_i beyond their expectation changes nothing.

Models of the counts (``expected``, ``marginal``) draw a table anew with the cell's own shares, and given these what is
shown has nothing to do with the rest: the same formula, with s_ik averaged over counts. Under Dirichlet shares
(``shrinkage``, ``marginal-shrinkage``) both depend on the shares: the rest has label k, and the counts are N_1, ...,
with probability P(N_1, ...) (alpha_k + N_k) / (alpha_0 + n). For a given size n that is affine in N_k / n, so with
right_k = E[N_k / n; only k is shown] the rest's risk is sum_k w_k (n right_k + alpha_k s_k) / (alpha_0 + n). It also is
(alpha_k / alpha_0) P'(N_1, ...), where P' is the same law with alpha_k larger by 1: so the rest's risk is
sum_k w_k (alpha_k / alpha_0) P'_k(only k is shown), whatever the law of sizes is.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import PreparedValues
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.measures import MEASURES
from epsilens.homogeneity.models.dirichlet_fits import resolved_alpha
from epsilens.homogeneity.samples.population import Population, population_of, rows_of
from epsilens.homogeneity.samples.rest import nobody_has, predictive_shares
from epsilens.homogeneity.samples.values import AS_COUNTED, check_measure, prepare_values, read_off
from epsilens.homogeneity.shown import shown_alone
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief, internal_facts_html
from epsilens.table.declared_cells import declared_levels_of
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table

HALF = 0.5


@dataclass(frozen=True)
class PopulationRisk:
    """The risk of somebody of the population under one noise. Computed from true data: internal."""

    population: float
    """Of a random member of the population, in the sample or not."""
    sample: float
    """Of a random person of the sample."""
    rest: float | None
    """Of somebody who is not in the sample; None where everybody is."""
    right: float
    """Share of the population of whom a label that harms is read off their cell, and it is theirs."""
    wrong: float
    """Share of whom one is read off that is not theirs."""
    guessing: float
    """How often guessing the commonest label that harms is right, without the table."""
    worst: float
    """Of the worst-off: somebody of the cell where the risk is highest."""
    above_half: float
    """Share of the population whose risk is above 50 %."""
    somebody: float | None = None
    """As ``population``, but where the label counts if anybody of the population's cell has it (``match="any"``)."""
    with_unseen: float | None = None
    """As ``population``, those in cells with nobody of the sample counted as such."""
    without_model: float | None = None
    """As ``rest``, by leaving out one sampled person after the other, without a law of the rest."""

    __repr__ = brief
    _repr_html_ = internal_facts_html

    @property
    def precision(self) -> float:
        """How often the attacker's conclusion about somebody, where there is one, is right."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong > 0 else 0.0

    @property
    def teaches(self) -> bool:
        """Whether believing the table is right more often than guessing without it."""
        return self.precision > self.guessing

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; what was not asked for or has no answer is left out."""
        plain = {name: value for name, value in asdict(self).items() if value is not None}
        return plain | {"precision": self.precision, "teaches": self.teaches}


@dataclass(frozen=True, eq=False)
class PreparedPopulation:
    """A measure of a population, ready for any noise."""

    measure: str
    values: PreparedValues
    population: Population
    alpha: FloatArray
    """Dirichlet parameters of the label shares."""
    rows: IntArray
    """The signature of every kind of cell of the population."""
    outside: FloatArray
    """People of the population who are not in the sample, by signature."""
    predictive: FloatArray
    """q_ik, by signature and label."""
    somebody: FloatArray | None
    """By signature and label: people of the population in whose cell anybody has it; None: not asked for."""
    published_empty: bool | None
    """Whether cells without sampled people are published too; None where it is not known what is possible there."""
    guessing: float
    """How often guessing the commonest label that harms is right."""
    tilted: tuple[PreparedValues, ...] = ()
    """Of a generic cell with Dirichlet shares: for every label the values where its parameter is larger by 1."""

    __repr__ = brief

    def risk(self, noise: AnyNoise | None = None) -> PopulationRisk:
        """The risk under ``noise``; None: as it is today, for measures of the table as it is."""
        if noise is None and self.measure not in AS_COUNTED:
            raise ParameterError(f"measure {self.measure!r} draws tables anew, so there is none as it is today")
        right, shown = self._right_and_shown(noise)
        outside_right = self._rest(right, shown, noise)
        harm, harmful = self.values.weights, self.values.weights > 0
        sampled = self.values.multiplicities * np.maximum(self.values.vectors, 0).sum(axis=1)
        n, outside = float(sampled.sum()), float(self.outside.sum())
        inside_by_label, rest_by_label = sampled @ right, self.outside @ outside_right
        everything = (sampled + self.outside) @ shown
        people = n + outside
        theirs = inside_by_label + rest_by_label
        rest = float(rest_by_label @ harm) / outside if outside > 0 else None
        worst, above_half = self._worst_off(right @ harm, outside_right @ harm)
        return PopulationRisk(
            population=float(theirs @ harm) / people,
            sample=float(inside_by_label @ harm) / n,
            rest=rest,
            right=float(theirs[harmful].sum()) / people,
            wrong=max(float((everything - theirs)[harmful].sum()) / people, 0.0),
            guessing=self.guessing,
            worst=worst,
            above_half=above_half,
            somebody=None if self.somebody is None else float((self.somebody * shown).sum(axis=0) @ harm) / people,
            with_unseen=self._with_unseen(float(inside_by_label @ harm), rest, noise),
            without_model=self._without_model(noise),
        )

    def _worst_off(self, inside: FloatArray, outside: FloatArray) -> tuple[float, float]:
        """The highest risk of somebody of a cell, and the share of the population whose risk is above 50 %."""
        kinds = self.population
        sizes = np.where(kinds.sizes > 0, kinds.sizes, 1.0)
        risks = (kinds.sampled * inside[self.rows] + kinds.rest * outside[self.rows]) / sizes
        people = kinds.cells * kinds.sizes
        return float(risks[people > 0].max()), float(people[risks.round(12) > HALF].sum() / people.sum())

    def _right_and_shown(self, noise: AnyNoise | None) -> tuple[FloatArray, FloatArray]:
        if noise is None:
            shown = _shown_today(self.measure, self.values.vectors)
            return match_weights(self.values.vectors, "share") * shown, shown
        right, wrong = self.values.right_and_wrong(noise)
        return right, right + wrong

    def _rest(self, right: FloatArray, shown: FloatArray, noise: AnyNoise | None) -> FloatArray:
        """P(label k is read off the cell and somebody of its rest has it), by signature and label."""
        if self.measure == "shrinkage":
            sizes = np.maximum(self.values.vectors, 0).sum(axis=1, keepdims=True)
            prior = np.where(self.values.vectors == STRUCTURAL_ZERO, 0.0, self.alpha)
            total = sizes + prior.sum(axis=1, keepdims=True)
            return as_floats((sizes * right + prior * shown) / np.where(total > 0, total, 1.0))
        if not self.tilted:
            return self.predictive * shown
        assert noise is not None  # models have no risk without noise
        prior = predictive_shares(np.minimum(self.values.vectors, 0), self.alpha)
        read = np.empty(shown.shape)
        for k, values in enumerate(self.tilted):
            theirs, others = values.right_and_wrong(noise)
            read[:, k] = theirs[:, k] + others[:, k]
        return as_floats(prior * read)

    def _with_unseen(self, inside: float, rest: float | None, noise: AnyNoise | None) -> float | None:
        """The population's risk where those in unseen cells have the risk of an empty cell, instead of the rest's."""
        if rest is None or self.published_empty is None:
            return None
        unseen, outside = self.population.unseen, float(self.outside.sum())
        empty = 0.0
        if self.published_empty and noise is not None:
            nobody = np.zeros((1, len(self.alpha)), dtype=np.int64)
            shown = read_off(self.measure if self.measure in AS_COUNTED else "local", nobody, noise)[0]
            empty = float(shown @ (self.values.weights * self.alpha / self.alpha.sum()))
        total = inside + (outside - unseen) * rest + unseen * empty
        return total / self.population.people

    def _without_model(self, noise: AnyNoise | None) -> float | None:
        """The rest's risk by leaving out one sampled person after the other.

        Let everybody j be sampled independently with chance 1 / w_j, and let j's risk be g(counts of the others who are
        sampled, j's label). Summed over those who are not sampled it has the expectation of the sum over sampled people
        of (w_j - 1) g(the counts without j, j's label): j is sampled with chance 1 / w_j, and w_j (1 - 1 / w_j) =
        w_j - 1. So the ratio of that sum to the sum of the (w_j - 1) estimates the rest's risk without a law of labels
        or of sizes; within a cell weights are taken as equal. Cells that become empty show what empty cells show.
        """
        if self.measure not in AS_COUNTED or self.published_empty is None or not self.outside.sum() > 0:
            return None
        vectors, total = self.values.vectors, 0.0
        sizes = np.maximum(vectors, 0).sum(axis=1)
        for k in np.flatnonzero(self.values.weights > 0):
            rows = np.flatnonzero(vectors[:, k] > 0)
            fewer = vectors[rows].copy()
            fewer[:, k] -= 1
            shown = (_shown_today(self.measure, fewer) if noise is None else read_off(self.measure, fewer, noise))[:, k]
            if not self.published_empty:
                shown = np.where(sizes[rows] > 1, shown, 0.0)
            people = self.outside[rows] * vectors[rows, k] / sizes[rows]
            total += float(self.values.weights[k]) * float(people @ shown)
        return total / float(self.outside.sum())


def prepare_population(
    table: FrequencyTable,
    measure: str = "local",
    sampling_fraction: float | None = None,
    alpha: npt.ArrayLike | str | None = None,
    match: str | None = None,
    **options: Any,
) -> PreparedPopulation:
    """The measure of the population behind ``table``, ready for any noise; see :func:`population_risk`."""
    checked_table(table)
    check_measure(measure, match)
    population = population_of(table, sampling_fraction)
    parameters = resolved_alpha(table, alpha)
    values, tilted = _prepared(measure, table, parameters, options)
    if MEASURES[measure].one_risk:
        _refuse_patterns(population, measure)
        rows = np.zeros(len(population.vectors), dtype=np.int64)
    else:
        rows = rows_of(values.vectors, population.vectors)
    outside = as_floats(np.bincount(rows, population.cells * population.rest, len(values.vectors)))
    somebody = None
    if match == "any":
        nobody = nobody_has(population.vectors, parameters, population.rest)
        anybody = np.where(population.vectors > 0, 1.0, 1.0 - nobody)
        somebody = np.zeros(values.vectors.shape)
        np.add.at(somebody, rows, (population.cells * population.sizes)[:, None] * anybody)
    return PreparedPopulation(
        measure,
        values,
        population,
        parameters,
        rows,
        outside,
        predictive_shares(values.vectors, parameters),
        somebody,
        _published_empty(table),
        float(label_shares(population, parameters)[values.weights > 0].max(initial=0.0)),
        tilted,
    )


def population_risk(
    table: FrequencyTable,
    noise: AnyNoise,
    measure: str = "local",
    sampling_fraction: float | None = None,
    alpha: npt.ArrayLike | str | None = None,
    match: str | None = None,
    **options: Any,
) -> PopulationRisk:
    """The risk of somebody of the population that ``table`` is a sample of, averaged over the population.

    ``sampling_fraction``: the share of the population that is in the sample; left out where the table was read with
    survey weights. ``alpha``: Dirichlet parameters of the label shares of cells, fitted by default. ``match="any"``
    adds the risk that the label is anybody's in the population's cell. ``options`` are those of the measure.

    risk = sum_i [n_i sum_k w_k (n_ik / n_i) s_ik + (N_i - n_i) sum_k w_k q_ik s_ik] / sum_i N_i, with s_ik = P(label k
    is what the attacker reads off cell i), q_ik = (alpha_k + n_ik) / (alpha_0 + n_i) and w_k = ``table.label_weights``.

    Source: P0 Eq. (7) for a member of the cell, with the posterior predictive share of those who were not sampled.
    Assumes that within a cell who is sampled has nothing to do with the label, and Dirichlet shares of labels.
    """
    checked_table(table)
    checked_noise(noise)
    return prepare_population(table, measure, sampling_fraction, alpha, match, **options).risk(noise)


def _prepared(
    measure: str, table: FrequencyTable, alpha: FloatArray, options: dict[str, Any]
) -> tuple[PreparedValues, tuple[PreparedValues, ...]]:
    """The values that the measure shows and, of a generic cell, those with each Dirichlet parameter larger by 1."""
    if "alpha" not in MEASURES[measure].options:
        return prepare_values(measure, table, **options), ()
    if not MEASURES[measure].one_risk:
        return prepare_values(measure, table, alpha=alpha, **options), ()
    larger = (alpha + step for step in np.eye(len(alpha)))
    tilted = tuple(prepare_values(measure, table, alpha=given, **options) for given in larger)
    return prepare_values(measure, table, alpha=alpha, **options), tilted


def _refuse_patterns(population: Population, measure: str) -> None:
    """One generic cell stands for all where the same labels are possible in all of them."""
    impossible = (population.vectors == STRUCTURAL_ZERO)[population.vectors.max(axis=1) > 0]
    if (impossible != impossible[:1]).any():
        raise ParameterError(
            f"measure {measure!r} has one cell for all, and labels that are possible in some cells only",
            remedy="take `measure=shrinkage`",
        )


def label_shares(population: Population, alpha: FloatArray) -> FloatArray:
    """The share of the population that has each label, by the counts of the sample and the law of the rest."""
    rest = population.rest[:, None] * predictive_shares(population.vectors, alpha)
    totals = population.cells @ (np.maximum(population.vectors, 0) + rest)
    return as_floats(totals / totals.sum())


def _published_empty(table: FrequencyTable) -> bool | None:
    """Whether a release has cells with nobody in them: those of a declared universe, and none without one."""
    whole = table.joint or table
    if whole.schema is not None and any(set(rule) & set(whole.sensitive) for rule in whole.schema.impossible):
        return None
    return bool(declared_levels_of(whole)) or bool((table.signatures()[0].max(axis=1) <= 0).any())


def _shown_today(measure: str, vectors: IntArray) -> FloatArray:
    """What the attacker reads off cells that are published as they are."""
    if measure in ("hard", "soft"):
        weights = np.maximum(vectors, 0) if measure == "soft" else (vectors == vectors.max(axis=1, keepdims=True))
        weights = np.where(vectors > 0, weights, 0)
        return as_floats(weights / np.maximum(weights.sum(axis=1, keepdims=True), 1))
    shown = (vectors > 0).astype(np.float64)
    return shown_alone(shown, 1.0 - shown)
