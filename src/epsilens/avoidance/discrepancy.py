"""Swapping as it is first described: pairs are drawn with a probability proportional to their discrepancy.

The discrepancy of two rows is d_swap, a sum over columns. So a pair is drawn in two steps that need no matrix of
distances: first a column, in proportion to what it contributes to the sum over all pairs, then a pair in proportion to
that column alone. Of a category it is any two rows that differ; of a number |a - b| is the sum of the gaps between a
and b, so it is a gap, a row below it and a row above it. Rows that were swapped drop out by rejection, and the law is
written anew after every batch; n rows cost a few sorts.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.avoidance.enumeration import Counts, Enumeration
from epsilens.avoidance.exchanged import (
    Exchange,
    Unit,
    checked_exchange,
    exchange_enumeration,
    exchange_law,
    pair_distance,
    remarks_on_swapped,
    rows_to_swap,
    swapped_pairs,
)
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import Records
from epsilens.avoidance.system import CellMoments, as_histogram
from epsilens.checks import one_of
from epsilens.noise.divergence import Distribution
from epsilens.table.frequency import FrequencyTable

_LEAST_BATCH = 64
_HOPELESS = 5  # batches in a row without a pair that may exchange, after which none is looked for
_LISTED = 2_000  # kinds of rows whose pairs are listed for the exact moments of a single swap


@dataclass(frozen=True)
class DiscrepancySwapping(WithoutGuarantee, UsualAnswers):
    """Swapping of the quasi-identifiers ``columns`` between pairs that are drawn in proportion to their discrepancy.

    floor(``share`` N / 2) pairs of the N rows are drawn one after another: among the rows that are still free, the pair
    {i, j} with probability d(i, j) / sum over free pairs of d, with d the metric d_swap over the columns ``match_on``
    (all, unless named). So rows that are alike never exchange, and rows that differ in much do so most often, which is
    the opposite of Algorithm 3. ``unit="rows"`` swaps people, ``"cells"`` cells with everybody in them; a pair whose
    exchange would put somebody where nobody can be is not drawn. Delta is 1, since the counts of all columns that are
    not swapped are kept, and of people also those of the columns that are. Bias and variance are exact where at most
    one pair is swapped, and simulated otherwise.

    Source: P2 section 3.
    Departs from print (P2-10): section 3 and Algorithm 3 describe different systems; both are offered.
    """

    share: float = 0.1
    columns: tuple[str, ...] | None = None
    match_on: tuple[str, ...] | None = None
    unit: Unit = "rows"

    def __post_init__(self) -> None:
        columns, match_on = checked_exchange(self.share, self.unit, self.columns, self.match_on)
        object.__setattr__(self, "columns", columns)
        object.__setattr__(self, "match_on", match_on)

    @property
    def name(self) -> str:
        """The system and what it swaps."""
        return f"swapping (by discrepancy, on {self.unit})"

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """Swapped records, or the histogram of them."""
        if isinstance(source, Records) and self.unit == "rows":
            return self._swapped(source, rng)
        histogram = as_histogram(source)
        cells, free = self._kinds(histogram)
        names = self._names(histogram.quasi_identifiers, histogram.attributes)
        matrix, places = _matched(histogram, cells, self._matched_names(histogram.attributes))
        chosen = _Pairs(matrix, places, free, histogram, names, self.unit, cells)
        first, second = chosen.drawn(swapped_pairs(self.share, rows_to_swap(self.unit, histogram)), rng)
        after = Exchange.of(histogram, names, self.unit, cells[first], cells[second])
        return histogram.released(after.counts_after(histogram))

    def moments(self, source: Histogram | FrequencyTable | Records) -> CellMoments | None:
        """Exact bias and variance per cell where at most one pair is swapped; None where there are more.

        With p_ab = f_a f_b d(a, b) / sum of these over all pairs of kinds, f the free rows of a kind, and Delta_ab(i)
        what the exchange adds to cell i: B_i = sum p_ab Delta_ab(i), Var_i = sum p_ab Delta_ab(i)^2 - B_i^2.

        Source: P2 section 3.
        """
        histogram = as_histogram(source)
        zero = np.zeros(histogram.counts.shape)
        wanted = swapped_pairs(self.share, rows_to_swap(self.unit, histogram))
        if wanted == 0:
            return CellMoments(zero, zero.copy())
        cells, free = self._kinds(histogram)
        if wanted > 1 or len(cells) > _LISTED:
            return None
        matrix, places = _matched(histogram, cells, self._matched_names(histogram.attributes))
        names = self._names(histogram.quasi_identifiers, histogram.attributes)
        a, b = np.triu_indices(len(cells), 1)
        weight = _distances(matrix, places, a, b) * free[a] * free[b]
        listed = Exchange.of(histogram, names, self.unit, cells[a], cells[b])
        weight = np.where(listed.admitted(histogram), weight, 0.0)
        if not weight.sum() > 0:
            return CellMoments(zero, zero.copy())
        mass = weight / weight.sum()
        bias, square = zero.ravel().copy(), zero.ravel().copy()
        entries = list(listed.entries())
        for at, added in entries:
            np.add.at(bias, at, mass * added)
            for also, further in entries:  # two changes of one cell by the same pair
                np.add.at(square, at, mass * added * further * (at == also))
        variance = np.maximum(square - bias**2, 0.0)
        return CellMoments(bias.reshape(zero.shape), variance.reshape(zero.shape))

    def enumeration(self, bound: int | None = None) -> Enumeration | None:
        """Few rows of two attributes; None where ``match_on`` names columns that small tables have not."""
        return None if self.match_on is not None else exchange_enumeration(self.output_law, self.share, self.unit)

    def output_law(self, table: Counts) -> Distribution:
        """The exact law of what is published for a small table of categories."""
        return exchange_law(table, self.share, self.unit, _next_pair)

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether no pair is swapped, or it is the sensitive values that move."""
        return remarks_on_swapped(self.share, self.unit, self.columns, histogram)

    def _kinds(self, histogram: Histogram) -> tuple[IntArray, IntArray]:
        """The cells whose rows may be swapped, and how many rows each has."""
        if self.unit == "rows":
            counts = np.asarray(histogram.counts).ravel().astype(np.int64)
            cells = np.flatnonzero(counts)
            return cells, counts[cells]
        possible = np.ones(histogram.n_cells, bool) if histogram.possible is None else histogram.possible.ravel()
        cells = np.flatnonzero(possible)
        return cells, np.ones(len(cells), dtype=np.int64)

    def _names(self, quasi_identifiers: Sequence[str], known: Sequence[str]) -> tuple[str, ...]:
        names = self.columns if self.columns is not None else tuple(quasi_identifiers)
        for name in names:
            one_of("a swapped column", name, tuple(known))
        return names

    def _matched_names(self, known: Sequence[str]) -> tuple[str, ...]:
        names = self.match_on if self.match_on is not None else tuple(known)
        for name in names:
            one_of("a column to match on", name, tuple(known))
        return names

    def _swapped(self, records: Records, rng: np.random.Generator) -> Records:
        names = self._names(records.quasi_identifiers, tuple(records.columns))
        matched = self._matched_names(tuple(records.columns))
        combinations, kind_of, sizes = records.distinct(matched)
        chosen = _Pairs(combinations, [records.columns[name].numbers for name in matched], sizes)
        kinds = chosen.drawn(swapped_pairs(self.share, len(records)), rng)
        # a kind's rows are alike in what decides: whose turn it is among them is drawn once, by shuffling
        shuffled = rng.permutation(len(records))
        order = shuffled[np.argsort(kind_of[shuffled], kind="stable")]
        starts = np.cumsum(sizes) - sizes
        both = np.stack(kinds, axis=1).ravel()
        rows = order[starts[both] + _occurrence(both)].reshape(-1, 2)
        codes = {}
        for name in names:
            swapped = records.columns[name].codes.copy()
            swapped[rows[:, 0]], swapped[rows[:, 1]] = swapped[rows[:, 1]], swapped[rows[:, 0]].copy()
            codes[name] = swapped
        return records.with_codes(codes)


class _Pairs:
    """Pairs of kinds in proportion to their discrepancy, without replacement of their rows.

    ``codes`` has a row per kind and a column per attribute, ``places`` where the levels of ordered attributes lie,
    ``free`` the rows of each kind. Where a ``histogram`` with impossible cells is given, pairs that do not fit are
    refused.
    """

    def __init__(
        self,
        codes: IntArray,
        places: Sequence[FloatArray | None],
        free: IntArray,
        histogram: Histogram | None = None,
        names: Sequence[str] = (),
        unit: Unit = "rows",
        cells: IntArray | None = None,
    ) -> None:
        self.codes, self.places, self.free = codes, [_unit_places(place) for place in places], free.astype(np.int64)
        self.histogram, self.names, self.unit, self.cells = histogram, names, unit, cells

    def drawn(self, wanted: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """At most ``wanted`` pairs; fewer where the rows that are left are all alike.

        A pair of a batch is kept with the probability that both rows, drawn from the rows that were free when the law
        was written, are free still; what is kept is then proportional to the discrepancies of free rows.
        """
        left = self.free.copy()
        first: list[int] = []
        second: list[int] = []
        failed = 0
        while len(first) < wanted and failed < _HOPELESS:
            law = _DiscrepancyLaw.of(self.codes, self.places, left)
            if law is None:
                break
            size = min(2 * (wanted - len(first)) + _LEAST_BATCH, max(_LEAST_BATCH, int(left.sum()) // 4))
            a, b = law.pairs(size, rng)
            fits = self._fits(a, b)
            a, b = a[fits], b[fits]
            before, now = left[a] * left[b], left.tolist()
            found = len(first)
            draws = rng.random(len(a))
            for i, j, pairs, u in zip(a.tolist(), b.tolist(), before.tolist(), draws.tolist(), strict=True):
                if u * pairs < now[i] * now[j]:
                    now[i] -= 1
                    now[j] -= 1
                    first.append(i)
                    second.append(j)
                    if len(first) == wanted:
                        break
            left = np.array(now, dtype=np.int64)
            failed = failed + 1 if len(first) == found else 0
        return np.array(first, dtype=np.int64), np.array(second, dtype=np.int64)

    def _fits(self, a: IntArray, b: IntArray) -> np.ndarray:
        if self.histogram is None or self.histogram.possible is None or self.cells is None:
            return np.ones(len(a), dtype=bool)
        pairs = Exchange.of(self.histogram, self.names, self.unit, self.cells[a], self.cells[b])
        return pairs.admitted(self.histogram)


@dataclass(frozen=True, eq=False)
class _Contribution:
    """The pairs of one column: ``kinds`` sorted by value, with cumulated rows, and the cuts that separate pairs.

    Of a category a cut sets the rows ``low`` to ``high`` apart from all others, of a number those below ``high`` from
    those above. ``weights`` are cumulated over cuts, in ordered pairs of rows times their distance.
    """

    kinds: IntArray
    cumulated: IntArray
    low: IntArray
    high: IntArray
    weights: FloatArray

    @staticmethod
    def of(codes: IntArray, place: FloatArray | None, kinds: IntArray, rows: IntArray) -> _Contribution:
        """That of a column with the values ``codes`` of the ``kinds``, each of ``rows`` rows."""
        order = np.argsort(codes, kind="stable")
        cumulated = np.cumsum(rows[order])
        values = codes[order]
        ends = np.append(np.flatnonzero(values[1:] != values[:-1]), len(values) - 1)
        high = cumulated[ends]
        n = float(cumulated[-1])
        if place is None:
            low = np.append(0, high[:-1])
            inside = as_floats(high - low)
            weights = inside * (n - inside)
        else:
            low = np.zeros(len(high) - 1, dtype=np.int64)
            high, gaps = high[:-1], np.diff(place[values[ends]])
            weights = 2.0 * gaps * as_floats(high) * (n - as_floats(high))
        return _Contribution(kinds[order], cumulated, low, high, np.cumsum(weights))

    @property
    def total(self) -> float:
        """The sum over ordered pairs of rows of their distance in this column."""
        return float(self.weights[-1]) if len(self.weights) else 0.0

    def pairs(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """Pairs of kinds in proportion to their distance in this column."""
        cut = np.searchsorted(self.weights, rng.random(size) * self.total, side="right")
        cut = np.minimum(cut, len(self.weights) - 1)
        low, high, n = self.low[cut], self.high[cut], int(self.cumulated[-1])
        inside = low + rng.integers(0, high - low)
        outside = rng.integers(0, n - (high - low))
        outside = np.where(outside >= low, outside + (high - low), outside)
        return tuple(self.kinds[np.searchsorted(self.cumulated, at, side="right")] for at in (inside, outside))  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class _DiscrepancyLaw:
    """Pairs of free rows in proportion to d_swap, as a mixture over columns."""

    columns: tuple[_Contribution, ...]

    @staticmethod
    def of(codes: IntArray, places: Sequence[FloatArray | None], left: IntArray) -> _DiscrepancyLaw | None:
        """None where all free rows are alike."""
        kinds = np.flatnonzero(left)
        if len(kinds) < 2:
            return None
        every = (_Contribution.of(codes[kinds, j], place, kinds, left[kinds]) for j, place in enumerate(places))
        columns = tuple(column for column in every if column.total > 0)
        return _DiscrepancyLaw(columns) if columns else None

    def pairs(self, size: int, rng: np.random.Generator) -> tuple[IntArray, IntArray]:
        """``size`` independent pairs, in random order."""
        totals = np.array([column.total for column in self.columns])
        sizes = rng.multinomial(size, totals / totals.sum())
        drawn = [column.pairs(int(many), rng) for column, many in zip(self.columns, sizes, strict=True)]
        order = rng.permutation(size)
        return np.concatenate([a for a, _ in drawn])[order], np.concatenate([b for _, b in drawn])[order]


def _matched(histogram: Histogram, cells: IntArray, names: Sequence[str]) -> tuple[IntArray, list[FloatArray | None]]:
    axes = histogram.axes(names)
    places = [
        np.arange(histogram.counts.shape[axis], dtype=np.float64) if name in histogram.ordered else None
        for name, axis in zip(names, axes, strict=True)
    ]
    return histogram.codes[cells][:, list(axes)], places


def _unit_places(place: FloatArray | None) -> FloatArray | None:
    """Places of ordered levels divided by their range."""
    return None if place is None else as_floats(place / (float(np.ptp(place)) or 1.0))


def _distances(codes: IntArray, places: Sequence[FloatArray | None], a: IntArray, b: IntArray) -> FloatArray:
    """d_swap of pairs of kinds."""
    total = np.zeros(len(a))
    for j, place in enumerate(map(_unit_places, places)):
        x, y = codes[a, j], codes[b, j]
        total += (x != y) if place is None else np.abs(place[x] - place[y])
    return total


def _next_pair(left: tuple[int, ...], width: int) -> dict[tuple[int, int | None], float]:
    """The law of the next pair of a small table."""
    weights = {
        (a, b): left[a] * left[b] * pair_distance(a, b, width)
        for a, b in itertools.combinations(range(len(left)), 2)
        if left[a] and left[b]
    }
    total = sum(weights.values())
    return {pair: weight / total for pair, weight in weights.items()} if total else {}


def _occurrence(values: IntArray) -> IntArray:
    """How many equal values stand before each one."""
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])) if len(values) else np.empty(0, np.int64)
    lengths = np.diff(starts, append=len(values))
    counted = np.empty(len(values), dtype=np.int64)
    counted[order] = np.arange(len(values)) - np.repeat(starts, lengths)
    return counted
