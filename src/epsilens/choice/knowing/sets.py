"""What every set of quasi-identifiers discloses: one pass over the table's cells for each, none over its people."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from epsilens.arrays import BoolArray, CodeArray, FloatArray, IntArray
from epsilens.choice.choose.recoding import coarser_levels
from epsilens.choice.knowing.answer import (
    Coarsening,
    ColumnWorth,
    Enough,
    Fall,
    KnowledgeBudget,
    KnownSet,
    LevelWorth,
    RiskOfPeople,
    SetRisk,
)
from epsilens.choice.spread import HALF
from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.partial.added_up import (
    AddedUpCounts,
    added_up_risks,
    clipped_hidden,
    clipped_risks,
    discloses_today,
    log_hidden,
)
from epsilens.homogeneity.partial.shares import (
    in_words,
    largest_fall,
    minimal_sets,
    shapley_coefficients,
    shapley_values,
)
from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.marginal_cells import MarginalCells, TableCells, summed_by

_AT_ONCE = 2_000_000  # counts
_KEPT = 4 * _AT_ONCE
_EQUAL = 1e-12


def set_numbers(columns: int, largest: int) -> list[int]:
    """The sets of at most ``largest`` columns, the empty one first, by their size and then by their columns."""
    return [sum(1 << j for j in chosen) for size in range(largest + 1) for chosen in combinations(range(columns), size)]


class KnownSets:
    """All sets that are looked at, with what each discloses, and to whom that is due."""

    def __init__(
        self,
        cells: TableCells,
        columns: Sequence[str],
        numbers: Sequence[int],
        budgets: Sequence[KnowledgeBudget],
        progress: Callable[[int], None] | None = None,
        beside: bool = True,
    ) -> None:
        """``beside`` says whether clipped counts and single levels are looked at as well."""
        self.cells, self.columns, self.budgets = cells, tuple(columns), tuple(budgets)
        self.weights = cells.table.label_weights
        self.complete = len(set(numbers)) == 1 << len(columns)
        self._logs: FloatArray | None = None
        if cells.codes is not None and beside:
            self._logs = log_hidden(cells.vectors, [budget.noise for budget in budgets])
        self._due = self._nobody() if self.complete and self._logs is not None else None
        self.sets: dict[int, KnownSet] = {}
        for several in self._chunks(numbers):
            self._look_at(several)
            if progress is not None:
                progress(len(several))
        self.sets = {number: self.sets[number] for number in numbers}

    def _nobody(self) -> FloatArray:
        return np.zeros((len(self.cells.vectors), len(self.columns)))

    def _chunks(self, numbers: Sequence[int]) -> Iterator[list[_Looked]]:
        """Some sets at a time, so that a law is asked once for what several of them have in common."""
        several: list[_Looked] = []
        counts = 0
        finer: dict[int, MarginalCells] = {}
        for number in sorted(numbers, key=lambda number: (-number.bit_count(), number)):
            known = in_words(number, self.columns)
            marginal = self.cells.marginal(known, self._finer(number, finer), grouped=self._logs is not None)
            finer[number] = marginal
            kinds = marginal.kinds()
            several.append(
                _Looked(
                    number,
                    kinds,
                    int(kinds.people[discloses_today(kinds.vectors, self.weights)].sum()),
                    None if self._due is None else self._today(marginal),
                    None if self._logs is None else self._clipped(marginal),
                )
            )
            counts += kinds.vectors.size + (0 if self._due is None else len(self._due) // 8)
            if counts > _AT_ONCE:
                yield several
                several, counts = [], 0
        if several:
            yield several

    def _finer(self, number: int, known: dict[int, MarginalCells]) -> MarginalCells | None:
        """The smallest marginal with one column more, from which this one is added up; others are forgotten."""
        for other in [other for other in known if other.bit_count() > number.bit_count() + 1]:
            del known[other]
        above = [known[number | 1 << j] for j in range(len(self.columns)) if number | 1 << j in known]
        best = min(above, key=lambda marginal: len(marginal.vectors), default=None)
        if sum(marginal.vectors.size for marginal in known.values()) > _KEPT:
            known.clear()
        return best

    def _today(self, marginal: MarginalCells) -> BoolArray | None:
        return None if marginal.group is None else discloses_today(marginal.vectors, self.weights)[marginal.group]

    def _clipped(self, marginal: MarginalCells) -> list[float]:
        """For each noise the sum over people of the risk of clipped counts, in cells that are a sum of several."""
        assert self._logs is not None
        several = (marginal.parts > 1).any(axis=1) & (marginal.people > 0)
        if not several.any():
            return [0.0] * len(self.budgets)
        found = []
        for budget, logs in zip(self.budgets, self._logs, strict=True):
            hidden = clipped_hidden(self.cells, marginal, logs, budget.noise)[several]
            risks = clipped_risks(marginal.vectors[several], hidden, weights=self.weights)
            found.append(float(marginal.people[several] @ risks))
        return found

    def _look_at(self, several: list[_Looked]) -> None:
        """The risks of some sets, and whose disclosure is due to which column."""
        vectors = np.concatenate([one.kinds.vectors for one in several])
        parts = np.concatenate([one.kinds.parts for one in several])
        sums, people = AddedUpCounts.of(vectors, parts), _PeopleOfSets([one.kinds for one in several])
        single = (parts <= 1).all(axis=1)
        risks: list[list[SetRisk]] = [[] for _ in several]
        for b, budget in enumerate(self.budgets):
            added = people.of(added_up_risks(vectors, sums, budget.noise, weights=self.weights))
            alone = local_risks(vectors, budget.noise, weights=self.weights)
            fresh, of_single = people.of(alone), people.totals_of(np.where(single, alone, 0.0))
            for i, one in enumerate(several):
                clipped = None if one.clipped is None else (one.clipped[b] + of_single[i]) / people.totals[i]
                risks[i].append(SetRisk(added[i].average, fresh[i].average, clipped, added[i], fresh[i]))
        for one, found in zip(several, risks, strict=True):
            self.sets[one.number] = _known_set(one, tuple(found))
        if self._due is not None:
            coefficients = shapley_coefficients(np.zeros(1 << len(self.columns)))
            today = np.stack([one.today for one in several if one.today is not None], axis=1)
            self._due += today.astype(np.float64) @ coefficients[[one.number for one in several]]

    def worths(self) -> tuple[ColumnWorth, ...]:
        """The Shapley value of every column and level; without all sets there is none."""
        if not self.complete:
            return tuple(ColumnWorth(name, None, (), ()) for name in self.columns)
        order = [self.sets[number] for number in range(1 << len(self.columns))]
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
        return tuple(sorted(found, key=lambda one: -(one.share or 0.0)))

    def _levels(self, j: int) -> tuple[LevelWorth, ...]:
        """The people of every level of column j, and how many of those disclosed are due to knowing it."""
        if self._due is None or self.cells.codes is None:
            return ()
        levels, codes = self.cells.domain.levels[j], self.cells.codes[:, j]
        people = np.bincount(codes, weights=self.cells.sizes, minlength=len(levels))
        due = np.bincount(codes, weights=self._due[:, j] * self.cells.sizes, minlength=len(levels))
        found = [LevelWorth(*each) for each in zip(levels, people.astype(int).tolist(), due.tolist(), strict=True)]
        return tuple(sorted(found, key=lambda one: (-round(one.share, 9), one.level)))

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

    def coarsenings(self) -> tuple[Coarsening, ...]:
        """The full table with each column coarsened in turn, then with each left out; best first among either."""
        found = [*self._coarsened(), *self._dropped()]
        return tuple(sorted(found, key=lambda one: (one.kind != "coarsen", one.disclosed_today, sum(one.published))))

    def _dropped(self) -> Iterator[Coarsening]:
        if len(self.columns) < 2:
            return
        for j, name in enumerate(self.columns):
            rest = self.sets.get((1 << len(self.columns)) - 1 - (1 << j)) or self._single(j)
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
            codes = cells.codes.copy()
            codes[:, j] = np.array([kept[coarser[level]] for level in levels], dtype=np.int32)[codes[:, j]]
            groups, group = cells.domain.distinct(codes)
            vectors, _ = summed_by(group, cells.vectors, len(groups))
            if cells.within is not None and cells.within.rules:
                # a label that cannot occur where there are people may be possible in cells that nobody is in
                possible = self._possible(j, groups, [kept[coarser[level]] for level in levels])
                vectors = np.where(possible, np.maximum(vectors, 0), np.int64(STRUCTURAL_ZERO))
            people = np.maximum(vectors, 0).sum(axis=1)
            today = discloses_today(vectors, self.weights)
            published = tuple(
                _average(local_risks(vectors, one.noise, weights=self.weights), people) for one in self.budgets
            )
            yield Coarsening("coarsen", name, len(levels), len(kept), int(people[today].sum()), published)

    def _possible(self, j: int, groups: CodeArray, merged: Sequence[int]) -> BoolArray:
        """Which labels can occur in cells whose levels of column j are those that ``merged`` makes of the table's."""
        within, domain = self.cells.within, self.cells.domain
        assert within is not None
        possible = np.zeros((len(groups), self.cells.vectors.shape[1]), dtype=bool)
        for level, place in enumerate(merged):
            rows = np.flatnonzero(groups[:, j] == place)
            codes = groups[rows].copy()
            codes[:, j] = level
            possible[rows] |= within.counts(domain.columns, domain, codes) > 0
        return possible


@dataclass(frozen=True, eq=False)
class _Looked:
    """A set whose marginal was counted."""

    number: int
    kinds: MarginalCells
    disclosed: int
    today: BoolArray | None
    """Whether each cell of the table is within a cell that discloses today."""
    clipped: list[float] | None


class _PeopleOfSets:
    """The kinds of cells of several sets one after another, and who is in them."""

    def __init__(self, marginals: Sequence[MarginalCells]) -> None:
        self.people = np.concatenate([marginal.people for marginal in marginals])
        lengths = np.array([len(marginal.vectors) for marginal in marginals])
        self.starts = np.concatenate([[0], np.cumsum(lengths)[:-1]])
        self.set_of = np.repeat(np.arange(len(marginals)), lengths)
        self.totals = np.add.reduceat(self.people, self.starts)

    def totals_of(self, risks: FloatArray) -> list[float]:
        """The sum over people, set by set."""
        return [float(total) for total in np.add.reduceat(risks * self.people, self.starts)]

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
    counts = kinds.parts[there]
    counts = counts[counts > 0]
    ends = (int(counts.min()), int(counts.max())) if counts.size else (0, 0)
    return KnownSet(kinds.columns, one.number, one.disclosed, int(kinds.times[there].sum()), ends, risks)


def _average(risks: FloatArray, people: IntArray) -> float:
    return float(people @ risks / people.sum())
