"""What a concrete published table shows of the people behind it: exact arithmetic on two tables, no model of noise.

The attack is the one that the measures of this room average over all noise: whoever finds a single label in their
target's cell believes it. Here the published table is given, whoever made it, and so is the truth; so every number is a
count of people, and nothing is expected or simulated.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.errors import DataError
from epsilens.homogeneity.by_value import ShownValue, shown_values
from epsilens.notebook import brief


@dataclass(frozen=True)
class Guesses:
    """Shares of people about whom a way to guess is right, wrong, or says nothing because their cell shows nobody."""

    right: float
    wrong: float
    none: float
    harmful: float
    """Share of people whose label is guessed, and harms."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {"right": self.right, "wrong": self.wrong, "no_guess": self.none, "harmful_right": self.harmful}


@dataclass(frozen=True, eq=False)
class Observed:
    """A published table against the truth, cell by cell. Computed from true data: internal."""

    truth: IntArray
    """True counts, cells x labels."""
    shown: IntArray
    """Published counts as an attacker reads them: whole numbers, 0 or more."""
    withheld: BoolArray
    """Counts that were not published: what they would have shown is unknown."""
    weights: FloatArray
    """How much it harms to be shown with each label; 0: not at all."""

    __repr__ = brief

    def __post_init__(self) -> None:
        shapes = {self.truth.shape, self.shown.shape, self.withheld.shape}
        if len(shapes) != 1 or self.truth.ndim != 2 or self.weights.shape != self.truth.shape[1:]:
            raise DataError("published and true counts must have the same cells and labels")
        if not self.truth.sum():
            raise DataError("the true table is empty; there is nobody to protect")

    @cached_property
    def sizes(self) -> IntArray:
        """People in every cell."""
        return np.asarray(self.truth.sum(axis=1), dtype=np.int64)

    @property
    def people(self) -> int:
        """People in all."""
        return int(self.sizes.sum())

    @cached_property
    def alone(self) -> IntArray:
        """The only label that each cell shows; -1 where it shows none, several, or something is withheld."""
        positive = self.shown > 0
        single = (positive.sum(axis=1) == 1) & ~self.withheld.any(axis=1)
        return np.where(single, positive.argmax(axis=1), -1).astype(np.int64)

    @cached_property
    def right(self) -> IntArray:
        """People of every cell who have the only label that it shows, whatever harm that does."""
        rows = np.arange(len(self.truth))
        return np.where(self.alone >= 0, self.truth[rows, self.alone], 0).astype(np.int64)

    @cached_property
    def wrong(self) -> IntArray:
        """People of every cell who have another label than the only one that it shows."""
        return np.where(self.alone >= 0, self.sizes - self.right, 0).astype(np.int64)

    @cached_property
    def harms(self) -> BoolArray:
        """Cells whose only shown label harms."""
        return np.asarray((self.alone >= 0) & (self.weights[self.alone] > 0))

    @property
    def people_right(self) -> int:
        """People whose cell shows a single label that harms, and it is theirs."""
        return int(self.right[self.harms].sum())

    @property
    def people_wrong(self) -> int:
        """People whose cell shows a single label that harms, and it is not theirs."""
        return int(self.wrong[self.harms].sum())

    @property
    def shown_right(self) -> float:
        """The share of :attr:`people_right`."""
        return self.people_right / self.people

    @property
    def shown_wrong(self) -> float:
        """The share of :attr:`people_wrong`."""
        return self.people_wrong / self.people

    @property
    def believing(self) -> float | None:
        """How often believing a cell that shows a single label is right, of people; None where none shows any."""
        believed = self.people_right + self.people_wrong
        return self.people_right / believed if believed else None

    @property
    def guessing(self) -> float:
        """How often guessing the commonest label of the truth is right."""
        return float(self.truth.sum(axis=0).max() / self.people)

    def by_value(self, labels: tuple[str, ...]) -> tuple[ShownValue, ...]:
        """Who is shown as what: one entry per label, in shares of people."""
        alone = self.alone[:, None] == np.arange(len(labels))
        return shown_values(labels, self.weights, self.truth, alone.astype(np.float64))

    @cached_property
    def _hard(self) -> FloatArray:
        """People of every cell and label whom a guess of its largest published count hits; ties are guessed evenly."""
        largest = (self.shown == self.shown.max(axis=1, keepdims=True)) & (self.shown > 0)
        return np.asarray(self.truth * largest / np.maximum(largest.sum(axis=1, keepdims=True), 1), dtype=np.float64)

    @cached_property
    def _soft(self) -> FloatArray:
        """People of every cell and label whom a guess in proportion to the published counts hits, on average."""
        total = np.maximum(self.shown.sum(axis=1, keepdims=True, dtype=np.float64), 1.0)
        return np.asarray(self.truth * (self.shown / total), dtype=np.float64)

    @property
    def hard_right(self) -> FloatArray:
        """People of every cell whose label a guess of its largest published count hits."""
        return np.asarray(self._hard.sum(axis=1))

    def _guesses(self, hit: FloatArray) -> Guesses:
        none = int(self.sizes[~(self.shown > 0).any(axis=1)].sum()) / self.people
        right = float(hit.sum() / self.people)
        harmful = float(hit[:, self.weights > 0].sum() / self.people)
        return Guesses(right, max(0.0, 1.0 - none - right), none, harmful)

    @property
    def hard(self) -> Guesses:
        """Guessing the label with the largest published count of the cell."""
        return self._guesses(self._hard)

    @property
    def soft(self) -> Guesses:
        """Guessing a label in proportion to the published counts of the cell."""
        return self._guesses(self._soft)

    @cached_property
    def exact(self) -> BoolArray:
        """Cells with people, all of whose counts are published as they are."""
        same = (self.shown == self.truth) & ~self.withheld
        return np.asarray(same.all(axis=1) & (self.sizes > 0))

    @property
    def invented(self) -> int:
        """Cells that show somebody though nobody is in them."""
        return int(((self.shown > 0).any(axis=1) & (self.sizes == 0)).sum())

    @property
    def lost(self) -> int:
        """Cells that show nobody though somebody is in them; what is withheld is not lost."""
        hidden = ~(self.shown > 0).any(axis=1) & ~self.withheld.any(axis=1)
        return int((hidden & (self.sizes > 0)).sum())


def observed(
    truth: IntArray, shown: IntArray, weights: FloatArray | None = None, withheld: BoolArray | None = None
) -> Observed:
    """What ``shown`` gives away of the people counted in ``truth``, both cells x labels; all labels harm by default."""
    true, read = np.asarray(truth, dtype=np.int64), np.asarray(shown, dtype=np.int64)
    if (true < 0).any() or (read < 0).any():
        raise DataError("counts must be whole numbers >= 0")
    hidden = np.zeros(read.shape, dtype=bool) if withheld is None else withheld
    return Observed(true, read, hidden, np.ones(true.shape[-1]) if weights is None else weights)
