"""Traditional swapping: a random row exchanges its quasi-identifiers with the nearest row.

The mixed metric d_swap (1 per category that differs, |a - b| / range per number) is the l1 distance between points that
have a pair of coordinates 1/2 apart per category and numbers divided by their range. So a k-d tree over the distinct
combinations finds nearest rows, and no distance matrix is needed. Rows that were swapped drop out; the tree is built
anew when half of it has. Where all columns are matched on, no tree is needed either: see ``stepped``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.avoidance.enumeration import Counts, Enumeration
from epsilens.avoidance.exchanged import (
    Unit,
    checked_exchange,
    exchange_enumeration,
    exchange_law,
    pair_distance,
    remarks_on_swapped,
    swapped_pairs,
)
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import Column, Records
from epsilens.avoidance.stepped import SteppedNeighbours
from epsilens.avoidance.system import as_histogram
from epsilens.checks import one_of
from epsilens.lazy import LaterModule
from epsilens.noise.divergence import Distribution
from epsilens.table.frequency import FrequencyTable

spatial = LaterModule("scipy.spatial")

_FIRST_LOOK = 8  # neighbours asked for at first; doubled until one is free


@dataclass(frozen=True)
class Swapping(WithoutGuarantee, UsualAnswers):
    """Swapping of the quasi-identifiers ``columns`` for about a ``share`` of the rows (print's 1 - gamma).

    Nearest is by d_swap over the columns ``match_on`` (all, unless named). ``unit="rows"`` swaps people; ``"cells"``
    swaps rows of the histogram, a cell with everybody in it. As printed, the partner may be ``"any"`` row, and where
    several people are alike the nearest is one who is alike, so that nothing changes; ``partners="different"`` takes
    the nearest with other quasi-identifiers, who mostly differs in the swapped columns alone, so that the two exchange
    places and the histogram hardly changes either. Who is whose nearest depends on who is left, so nothing about it has
    a closed form; but delta is 1, since how often every value occurs is kept, and that differs between neighbours.

    Source: P2 Algorithm 3.
    Departs from print (P2-5): print leaves open what a row is; both readings are offered.
    """

    share: float = 0.1
    columns: tuple[str, ...] | None = None
    match_on: tuple[str, ...] | None = None
    unit: Unit = "rows"
    partners: Literal["any", "different"] = "any"

    def __post_init__(self) -> None:
        columns, match_on = checked_exchange(self.share, self.unit, self.columns, self.match_on)
        one_of("partners", self.partners, ("any", "different"))
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "match_on", match_on)

    @property
    def name(self) -> str:
        """The system and what it swaps."""
        partner = "" if self.partners == "any" else ", different partners"
        return f"swapping (algorithm 3 on {self.unit}{partner})"

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """Swapped records, or the histogram of them."""
        if isinstance(source, Records) and self.unit == "rows":
            return self._swapped(source, self._kinds(source), rng)
        histogram = as_histogram(source)
        weights = None
        if self.unit == "cells":
            weights = histogram.counts.ravel() if histogram.possible is None else histogram.counts[histogram.possible]
        if self not in histogram.derived:  # the same for every release
            one_each = histogram.released(np.ones(histogram.counts.shape))  # cells in which anybody can be
            records = Records.from_histogram(histogram if self.unit == "rows" else one_each)
            histogram.derived[self] = (records, self._kinds(records))
        records, kinds = histogram.derived[self]
        swapped = self._swapped(records, kinds, rng)
        codes = [swapped.columns[name].codes for name in histogram.attributes]
        flat = np.ravel_multi_index(codes, histogram.counts.shape)
        return histogram.released(np.bincount(flat, weights, minlength=histogram.n_cells))

    def enumeration(self, bound: int | None = None) -> Enumeration | None:
        """Few rows of two attributes; None where ``match_on`` names columns that small tables have not."""
        return None if self.match_on is not None else exchange_enumeration(self.output_law, self.share, self.unit)

    def output_law(self, table: Counts) -> Distribution:
        """The exact law of what is published for a small table of categories; ties are broken evenly over cells."""
        return exchange_law(table, self.share, self.unit, self._next_pair)

    def _next_pair(self, left: tuple[int, ...], width: int) -> dict[tuple[int, int | None], float]:
        law: dict[tuple[int, int | None], float] = {}
        for kind, rows in enumerate(left):
            if not rows:
                continue
            others = [other for other, free in enumerate(left) if free - (other == kind) > 0]
            if self.partners == "different":
                others = [other for other in others if other % width != kind % width]
            nearest = min((pair_distance(kind, other, width) for other in others), default=None)
            partners: list[int | None] = [o for o in others if pair_distance(kind, o, width) == nearest]
            for partner in partners or [None]:
                law[kind, partner] = law.get((kind, partner), 0.0) + rows / sum(left) / max(len(partners), 1)
        return law

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether no pair is swapped, and how often a swap changes nothing."""
        remarks = remarks_on_swapped(self.share, self.unit, self.columns, histogram)
        if self.unit == "cells" or swapped_pairs(self.share, histogram.n_records) == 0:
            return remarks
        counts = as_floats(histogram.counts)
        if self.partners == "any":
            alike = float(counts[counts > 1].sum() / counts.sum())
            remark = "changes nothing for {:.0f} % of the people here: somebody is exactly alike, and so the nearest"
        else:
            names = self.columns if self.columns is not None else histogram.quasi_identifiers
            alike = _share_with_other_values_alone(histogram, names)
            remark = "finds for {:.0f} % of the people here somebody who differs in the swapped columns alone; while "
            remark += "such partners last, the two exchange places and no count changes"
        return (*remarks, remark.format(100 * alike)) if alike > 0 else remarks

    def _columns(self, records: Records) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """The columns that are swapped, and those that are matched on."""
        names = self.columns if self.columns is not None else records.quasi_identifiers
        matched = self.match_on if self.match_on is not None else tuple(records.columns)
        for name in (*names, *matched):
            one_of("a column", name, tuple(records.columns))
        return names, matched

    def _kinds(self, records: Records) -> _Kinds:
        names, matched = self._columns(records)
        used = tuple(dict.fromkeys((*matched, *names)))
        combinations, kind_of, _ = records.distinct(used)
        _, group = np.unique(combinations[:, [used.index(name) for name in names]], axis=0, return_inverse=True)
        apart = group.ravel().astype(np.int64) if self.partners == "different" else None
        columns = [records.columns[name] for name in matched]
        if len(used) == len(matched):
            return _Kinds(len(combinations), kind_of, apart, SteppedNeighbours.of(combinations, columns, apart))
        # kinds may differ in columns that play no part in the distance
        places = mixed_metric_points(combinations[:, [used.index(name) for name in matched]], columns)
        return _Kinds(len(combinations), kind_of, apart, places)

    def _swapped(self, records: Records, kinds: _Kinds, rng: np.random.Generator) -> Records:
        names, _ = self._columns(records)
        left = np.bincount(kinds.kind_of, minlength=kinds.number)
        nearest = kinds.nearest(left, rng)
        wanted = swapped_pairs(self.share, len(records))
        first, second = _pairs(kinds.kind_of, left, nearest, kinds.apart is None, wanted, rng)
        codes = {}
        for name in names:
            swapped = records.columns[name].codes.copy()
            swapped[first], swapped[second] = records.columns[name].codes[second], records.columns[name].codes[first]
            codes[name] = swapped
        return records.with_codes(codes)


@dataclass(frozen=True, eq=False)
class _Kinds:
    """The kinds of rows by the columns that matter: how many, which of them each row is, and who must not find whom."""

    number: int
    kind_of: IntArray
    apart: IntArray | None
    where: SteppedNeighbours | FloatArray
    """Who is near whom, where that is known, or the places of all kinds."""

    def nearest(self, left: IntArray, rng: np.random.Generator) -> Callable[[int], int | None]:
        """The nearest kind of any, among those with free rows, which ``left`` counts (it is changed from outside)."""
        if isinstance(self.where, SteppedNeighbours):
            return partial(self.where.nearest, left=left, rng=rng)
        return _FreeNeighbours(self.where, left, self.apart, rng).nearest


def _share_with_other_values_alone(histogram: Histogram, names: Sequence[str]) -> float:
    """The share of people of whom somebody else differs in the columns ``names`` and in nothing else."""
    axes = histogram.axes(names)
    groups = np.moveaxis(as_floats(histogram.counts), axes, range(-len(axes), 0))
    groups = groups.reshape(-1, math.prod(groups.shape[groups.ndim - len(axes) :]))
    several = (groups > 0).sum(axis=1) > 1
    return float(groups[several].sum() / groups.sum())


def mixed_metric_points(combinations: IntArray, columns: Sequence[Column]) -> FloatArray:
    """Points whose l1 distance is d_swap.

    d_swap(a, b) = sum over categories of 1[a != b] + sum over numbers of |a - b| / range.

    Source: P2 appendix B.2.
    """
    parts = []
    for j, column in enumerate(columns):
        codes = combinations[:, j]
        if column.numbers is not None:
            place = column.numbers[codes]
            parts.append((place / (float(np.ptp(column.numbers)) or 1.0))[:, None])
        else:
            parts.append(0.5 * (codes[:, None] == np.arange(len(column.levels))))
    return np.concatenate(parts, axis=1)


def _pairs(
    kind_of: IntArray,
    left: IntArray,
    nearest: Callable[[int], int | None],
    alike: bool,
    wanted: int,
    rng: np.random.Generator,
) -> tuple[IntArray, IntArray]:
    """``wanted`` pairs of rows: a random free row and its nearest free row, which may be ``alike``.

    ``left`` counts the free rows of every kind, for whoever finds the ``nearest`` kind as well.
    """
    shuffled = rng.permutation(len(kind_of))
    order = shuffled[np.argsort(kind_of[shuffled], kind="stable")]  # by kind, those of a kind in random order
    next_row = np.cumsum(left) - left
    taken = np.zeros(len(kind_of), dtype=bool)
    pairs: list[tuple[int, int]] = []
    for row in rng.permutation(len(kind_of)).tolist():
        if len(pairs) >= wanted:
            break
        if taken[row]:
            continue
        kind = int(kind_of[row])
        taken[row] = True
        left[kind] -= 1
        partner_kind = kind if alike and left[kind] > 0 else nearest(kind)
        if partner_kind is None:  # nobody is left who differs
            continue
        at = int(next_row[partner_kind])
        while taken[order[at]]:
            at += 1
        next_row[partner_kind] = at + 1
        partner = int(order[at])
        taken[partner] = True
        left[partner_kind] -= 1
        pairs.append((row, partner))
    matrix = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return matrix[:, 0], matrix[:, 1]


class _FreeNeighbours:
    """A k-d tree over the kinds of rows that still have free ones."""

    def __init__(self, places: FloatArray, left: IntArray, group: IntArray | None, rng: np.random.Generator) -> None:
        self.places, self.left, self.group, self.rng = places, left, group, rng
        self._build()

    def _build(self) -> None:
        # shuffled, so that ties are not always broken in favour of the same kind
        self.kinds = self.rng.permutation(np.flatnonzero(self.left > 0))
        self.tree = spatial.cKDTree(self.places[self.kinds]) if len(self.kinds) else None

    def nearest(self, kind: int) -> int | None:
        """The nearest kind with a free row, of another group where groups matter."""
        look = _FIRST_LOOK
        while self.tree is not None:
            if 2 * np.count_nonzero(self.left[self.kinds]) < len(self.kinds):
                self._build()
                continue
            asked = min(look, len(self.kinds))
            _, found = self.tree.query(self.places[kind], k=np.arange(1, asked + 1), p=1.0)
            candidates = self.kinds[found]
            free = self.left[candidates] > 0
            if self.group is not None:
                free &= self.group[candidates] != self.group[kind]
            if free.any():
                return int(candidates[np.argmax(free)])
            if asked == len(self.kinds):
                return None
            look *= 2
        return None
