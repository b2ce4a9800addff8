"""Who is shown as what: the risk value by value, rightly and wrongly.

An average over all labels hides what people want to know: whether those who have the disease are shown to have it, and
whether others are wrongly taken to have it. Both are harms, and they are counted apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, TypeAlias

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
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
    """Share of people who have the value and whose cell shows it alone."""
    shown_wrong: float
    """Share of people who do not have it and whose cell shows it alone."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


@dataclass(frozen=True, eq=False)
class PreparedValues:
    """What cells show, value by value, ready for any noise."""

    labels: tuple[str, ...]
    weights: FloatArray
    """How much each label harms."""
    vectors: IntArray
    """The signatures, labels in the order of the table."""
    multiplicities: IntArray
    right_and_wrong: RightAndWrong
    """P(the cell shows label k alone and a random member of it has k), and the same for one who has not."""

    __repr__ = brief

    def right(self, noise: AnyNoise) -> FloatArray:
        """P(k is shown alone, and a random member of the cell has it), signatures x labels."""
        return self.right_and_wrong(noise)[0]

    def wrong(self, noise: AnyNoise) -> FloatArray:
        """P(k is shown alone, and a random member of the cell has it not), signatures x labels."""
        return self.right_and_wrong(noise)[1]

    def shares(self, noise: AnyNoise, weighted: bool = True) -> tuple[ShownValue, ...]:
        """One entry per value, averaged over people (``weighted``) or over non-empty cells."""
        cells = cell_weights(self.vectors, self.multiplicities, weighted)
        right, wrong = (cells @ part for part in self.right_and_wrong(noise))
        return tuple(
            ShownValue(value, float(weight), float(theirs), float(not_theirs))
            for value, weight, theirs, not_theirs in zip(self.labels, self.weights, right, wrong, strict=True)
        )


def prepare_by_value(table: FrequencyTable) -> PreparedValues:
    """Who is shown as what by cells that show a single label.

    right_k = (n_k / n) P(only k is shown), wrong_k = (1 - n_k / n) P(only k is shown): summed over k these are the
    two sides of ``belief``.

    Source: P0 Eq. (7), label by label.
    """
    vectors, multiplicities = checked_table(table).signatures(ordered=True)
    share = match_weights(vectors, "share")

    def right_and_wrong(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        alone = shown_alone(*shown_and_hidden(vectors, noise))
        return as_floats(share * alone), as_floats((1.0 - share) * alone)

    return PreparedValues(table.labels, table.label_weights, vectors, multiplicities, right_and_wrong)
