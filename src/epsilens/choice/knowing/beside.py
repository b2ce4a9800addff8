"""What a second look at the cells of all sets tells: clipped counts, what disclosure is due to, coarser columns."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.choice.choose.recoding import coarser_levels
from epsilens.choice.knowing.answer import Beside, Coarsening, ColumnWorth, KnownSet, LevelWorth
from epsilens.choice.knowing.sets import KnownSets, in_chunks, marginals
from epsilens.homogeneity.partial.added_up import log_hidden
from epsilens.homogeneity.partial.seen import SeenCells
from epsilens.homogeneity.partial.shares import shapley_coefficients, shapley_values
from epsilens.table.marginal_counts import MarginalCounts


def beside(known: KnownSets) -> Beside:
    """All of it; of a table that stays in its engine only what its kinds of cells tell."""
    again = _SecondLook(known)
    return Beside(again.clipped, again.worths(), again.coarsenings())


class _SecondLook:
    """The cells of all sets once more, with more of each: it takes as long as the first look."""

    def __init__(self, known: KnownSets) -> None:
        self.known, self.cells, self.columns = known, known.cells, known.columns
        self.budgets, self.weights = known.budgets, known.weights
        self.clipped: dict[int, tuple[float, ...]] = {}
        self._due: FloatArray | None = None
        if self.cells.codes is None:
            return
        self._due = np.zeros((len(self.cells.counts), len(self.columns))) if known.complete else None
        held = 0 if self._due is None else len(self._due) // 8
        for several in in_chunks(self._looked_at(), lambda one: one.counts.each.size + held):
            self._look_at(several)

    def _looked_at(self) -> Iterator[_Cells]:
        logs = log_hidden(self.cells.counts.each, [budget.noise for budget in self.budgets])
        numbers = {*self.known.sets, (1 << len(self.columns)) - 1}
        for number, marginal in marginals(
            self.cells.with_values(logs), self.columns, numbers, grouped=self._due is not None
        ):
            there = marginal.people > 0
            today = None
            if marginal.group is not None and self._due is not None:
                today = marginal.counts.homogeneous(self.weights > 0)[marginal.group]
            counts = marginal.counts if there.all() else marginal.counts.take(np.flatnonzero(there))
            yield _Cells(number, counts, marginal.people[there], today)

    def _look_at(self, several: list[_Cells]) -> None:
        """The risk of clipped counts, and whose disclosure is due to which column."""
        first, *others = [one.counts for one in several]
        seen = SeenCells.of(first.joined(others), self.weights)
        people = np.concatenate([one.people for one in several])
        starts = np.cumsum([0, *(len(one.counts) for one in several[:-1])])
        averages = []
        for b, budget in enumerate(self.budgets):
            risks = seen.clipped(budget.noise, b)
            averages.append(np.add.reduceat(people * risks, starts) / np.add.reduceat(people, starts))
        for i, one in enumerate(several):
            self.clipped[one.number] = tuple(float(average[i]) for average in averages)
        if self._due is not None:
            coefficients = shapley_coefficients(np.zeros(1 << len(self.columns)))
            today = np.stack([one.today for one in several if one.today is not None], axis=1)
            self._due += today.astype(np.float64) @ coefficients[[one.number for one in several]]

    def worths(self) -> tuple[ColumnWorth, ...]:
        """The Shapley value of every column and level; without all sets there is none."""
        if not self.known.complete:
            return tuple(ColumnWorth(name, None, (), ()) for name in self.columns)
        order = [self.known.sets[number] for number in range(1 << len(self.columns))]
        today = shapley_values(np.array([float(one.disclosed_today) for one in order]))
        after = [
            (
                shapley_values(np.array([one.risks[b].added_up for one in order])),
                shapley_values(np.array([one.risks[b].published for one in order])),
            )
            for b in range(len(self.budgets))
        ]
        found = [
            ColumnWorth(
                name,
                float(today[j]),
                tuple((float(added[j]), float(published[j])) for added, published in after),
                self._levels(j),
            )
            for j, name in enumerate(self.columns)
        ]
        return tuple(sorted(found, key=lambda one: -(one.due or 0.0)))

    def _levels(self, j: int) -> tuple[LevelWorth, ...]:
        """The people of every level of column j, and how many of those disclosed are due to knowing it."""
        if self._due is None or self.cells.codes is None:
            return ()
        levels, codes = self.cells.domain.levels[j], self.cells.codes[:, j]
        people = np.bincount(codes, weights=self.cells.sizes, minlength=len(levels))
        due = np.bincount(codes, weights=self._due[:, j] * self.cells.sizes, minlength=len(levels))
        found = [LevelWorth(*each) for each in zip(levels, people.astype(int).tolist(), due.tolist(), strict=True)]
        return tuple(sorted(found, key=lambda one: (-round(one.due, 9), one.level)))

    def coarsenings(self) -> tuple[Coarsening, ...]:
        """The full table with each column coarsened in turn, then with each left out; best first among either."""
        found = [*self._coarsened(), *self._dropped()]
        return tuple(sorted(found, key=lambda one: (one.kind != "coarsen", one.disclosed_today, sum(one.published))))

    def _dropped(self) -> Iterator[Coarsening]:
        if len(self.columns) < 2:
            return
        for j, name in enumerate(self.columns):
            rest = self.known.sets.get((1 << len(self.columns)) - 1 - (1 << j)) or self._single(j)
            published = tuple(risk.published for risk in rest.risks)
            yield Coarsening("drop", name, self._number_of_levels(name), 1, rest.disclosed_today, published)

    def _single(self, left_out: int) -> KnownSet:
        """All columns but one, where sets are limited in size."""
        number = (1 << len(self.columns)) - 1 - (1 << left_out)
        return KnownSets(self.cells, self.columns, [number], self.budgets).sets[number]

    def _number_of_levels(self, name: str) -> int:
        cells = self.cells
        return cells.table.marginal([name]).n_cells if cells.codes is None else len(cells.domain.levels_of(name))

    def _coarsened(self) -> Iterator[Coarsening]:
        cells = self.cells
        if cells.codes is None:
            return
        for j, name in enumerate(self.columns):
            levels = cells.domain.levels[j]
            people = np.bincount(cells.codes[:, j], weights=cells.sizes, minlength=len(levels)).astype(np.int64)
            coarser = coarser_levels(name, dict(zip(levels, people.tolist(), strict=True)))
            kept = {level: i for i, level in enumerate(dict.fromkeys(coarser[level] for level in levels))}
            if not 1 < len(kept) < len(levels):
                continue
            places = np.array([kept[coarser[level]] for level in levels], dtype=np.int32)
            kinds = cells.recoded(j, places).kinds()
            today = kinds.counts.homogeneous(self.weights > 0)
            risks = SeenCells.of(kinds.counts, self.weights).published
            published = tuple(_average(risks(one.noise), kinds.people) for one in self.budgets)
            yield Coarsening("coarsen", name, len(levels), len(kept), int(kinds.people[today].sum()), published)


@dataclass(frozen=True, eq=False)
class _Cells:
    """The cells of a set that somebody is in."""

    number: int
    counts: MarginalCounts
    people: IntArray
    today: BoolArray | None
    """Whether each cell of the table is within a cell that discloses today."""


def _average(risks: FloatArray, people: IntArray) -> float:
    return float(people @ risks / people.sum())
