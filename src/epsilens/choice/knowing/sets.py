"""What every set of quasi-identifiers discloses: one pass over the table's cells for each, none over its people."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.choice.knowing.answer import (
    Enough,
    Fall,
    KnowledgeBudget,
    KnownSet,
    RiskOfPeople,
    SetRisk,
)
from epsilens.choice.spread import HALF
from epsilens.homogeneity.partial.seen import SeenCells
from epsilens.homogeneity.partial.shares import (
    in_words,
    largest_fall,
    minimal_sets,
)
from epsilens.table.marginal_cells import MarginalCells, TableCells

Thing = TypeVar("Thing")

_AT_ONCE = 2_000_000  # counts
_KEPT = 4 * _AT_ONCE
_EQUAL = 1e-12


def set_numbers(columns: int, largest: int) -> list[int]:
    """The sets of at most ``largest`` columns, the empty one first, by their size and then by their columns."""
    return [sum(1 << j for j in chosen) for size in range(largest + 1) for chosen in combinations(range(columns), size)]


def marginals(
    cells: TableCells, columns: Sequence[str], numbers: Iterable[int], grouped: bool = False
) -> Iterator[tuple[int, MarginalCells]]:
    """The cells of every set, the largest sets first; ``grouped`` as of a single marginal.

    A set is added up from the smallest one with a column more; those of two columns more are forgotten.
    """
    known: dict[int, MarginalCells] = {}
    for number in sorted(numbers, key=lambda number: (-number.bit_count(), number)):
        for other in [other for other in known if other.bit_count() > number.bit_count() + 1]:
            del known[other]
        above = [known[number | 1 << j] for j in range(len(columns)) if number | 1 << j in known]
        finer = min(above, key=lambda marginal: len(marginal.counts), default=None)
        if sum(marginal.counts.each.size for marginal in known.values()) > _KEPT:
            known.clear()
        known[number] = cells.marginal(in_words(number, columns), finer, grouped)
        yield number, known[number]


def in_chunks(several: Iterable[Thing], size: Callable[[Thing], int]) -> Iterator[list[Thing]]:
    """A few at a time, so many that together they have no more than is held at once, or one."""
    chunk: list[Thing] = []
    total = 0
    for one in several:
        chunk.append(one)
        total += size(one)
        if total > _AT_ONCE:
            yield chunk
            chunk, total = [], 0
    if chunk:
        yield chunk


class KnownSets:
    """All sets that are looked at, with what each discloses."""

    def __init__(
        self,
        cells: TableCells,
        columns: Sequence[str],
        numbers: Sequence[int],
        budgets: Sequence[KnowledgeBudget],
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.cells, self.columns, self.budgets = cells, tuple(columns), tuple(budgets)
        self.weights = cells.table.label_weights
        self.complete = len(set(numbers)) == 1 << len(columns)
        self.sets: dict[int, KnownSet] = {}
        for several in in_chunks(self._looked_at(numbers), lambda one: one.kinds.counts.each.size):
            self._look_at(several)
            if progress is not None:
                progress(len(several))
        self.sets = {number: self.sets[number] for number in numbers}

    def _looked_at(self, numbers: Iterable[int]) -> Iterator[_Looked]:
        for number, marginal in marginals(self.cells, self.columns, numbers):
            kinds = marginal.kinds()
            disclosed = int(kinds.people[kinds.counts.homogeneous(self.weights > 0)].sum())
            yield _Looked(number, kinds, disclosed)

    def _look_at(self, several: list[_Looked]) -> None:
        """The risks of some sets: a law is asked once for what they have in common."""
        first, *others = [one.kinds.counts for one in several]
        seen, people = SeenCells.of(first.joined(others), self.weights), _PeopleOfSets([one.kinds for one in several])
        risks: list[list[SetRisk]] = [[] for _ in several]
        for budget in self.budgets:
            added = people.of(seen.added_up(budget.noise))
            fresh = people.of(seen.published(budget.noise))
            for found, summed, published in zip(risks, added, fresh, strict=True):
                found.append(SetRisk(summed.average, published.average, summed, published))
        for one, found in zip(several, risks, strict=True):
            self.sets[one.number] = _known_set(one, tuple(found))

    def enough(self, share: float, people: int) -> Enough:
        """The sets that reach ``share`` and have no part that does."""
        sets = [one for one in self.sets.values() if one.number]
        numbers = np.array([one.number for one in sets])

        def minimal(values: Sequence[float]) -> tuple[KnownSet, ...]:
            reached = np.array(values) >= share - _EQUAL
            found = minimal_sets(numbers, reached)
            return tuple(sets[i] for i in sorted(found, key=lambda i: (len(sets[i].attributes), -values[i])))

        several = range(len(self.budgets))
        return Enough(
            minimal([one.disclosed_today / people for one in sets]),
            tuple(minimal([one.risks[b].added_up for one in sets]) for b in several),
            tuple(minimal([one.risks[b].published for one in sets]) for b in several),
        )

    def falls(self) -> tuple[Fall, ...]:
        """For every noise the largest fall of a risk though one attribute more is known, where there is one."""
        sets = [one for one in self.sets.values() if one.number]
        numbers = np.array([one.number for one in sets])
        found = []
        for b in range(len(self.budgets)):
            for kind in ("added_up", "published"):
                ends = largest_fall(numbers, np.array([getattr(one.risks[b], kind) for one in sets]))
                if ends is not None:
                    found.append(Fall(kind, b, sets[ends[0]], sets[ends[1]]))
        return tuple(found)


@dataclass(frozen=True, eq=False)
class _Looked:
    """A set whose marginal was counted."""

    number: int
    kinds: MarginalCells
    disclosed: int


class _PeopleOfSets:
    """The kinds of cells of several sets one after another, and who is in them."""

    def __init__(self, marginals: Sequence[MarginalCells]) -> None:
        self.people = np.concatenate([marginal.people for marginal in marginals])
        lengths = np.array([len(marginal.counts) for marginal in marginals])
        self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.set_of = np.repeat(np.arange(len(marginals)), lengths)
        self.totals = np.add.reduceat(self.people, self.starts)

    def of(self, risks: FloatArray) -> list[RiskOfPeople]:
        """How the risks of every set are spread over its people."""
        exact = np.where(self.people > 0, risks, 0.0)
        values, worst = exact.round(12), np.maximum.reduceat(exact, self.starts)
        averages = np.add.reduceat(risks * self.people, self.starts) / self.totals
        at_worst = np.add.reduceat(np.where(values == worst.round(12)[self.set_of], self.people, 0), self.starts)
        above_half = np.add.reduceat(np.where(values > HALF, self.people, 0), self.starts)
        rows = zip(averages.tolist(), worst.tolist(), at_worst.tolist(), above_half.tolist(), strict=True)
        return [RiskOfPeople(*row) for row in rows]


def _known_set(one: _Looked, risks: tuple[SetRisk, ...]) -> KnownSet:
    kinds = one.kinds
    there = kinds.people > 0
    counts = kinds.counts.parts[there]
    counts = counts[counts > 0]
    ends = (int(counts.min()), int(counts.max())) if counts.size else (0, 0)
    return KnownSet(kinds.columns, one.number, one.disclosed, int(kinds.times[there].sum()), ends, risks)
