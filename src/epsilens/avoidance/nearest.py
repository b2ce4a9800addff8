"""Traditional swapping: a random row exchanges its quasi-identifiers with the nearest row.

The mixed metric d_swap (1 per category that differs, |a - b| / range per number) is the l1 distance between points that
have a pair of coordinates 1/2 apart per category and numbers divided by their range. So a k-d tree over the distinct
combinations finds nearest rows, and no distance matrix is needed. Rows that were swapped drop out; the tree is built
anew when half of it has.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy.spatial import cKDTree

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.records import Column, Records
from epsilens.avoidance.system import as_histogram
from epsilens.checks import finite, one_of
from epsilens.errors import ParameterError, counted
from epsilens.table.frequency import FrequencyTable

_FIRST_LOOK = 8  # neighbours asked for at first; doubled until one is free


@dataclass(frozen=True)
class Swapping(WithoutGuarantee, UsualAnswers):
    """Swapping of the quasi-identifiers ``columns`` for about a ``share`` of the rows (print's 1 - gamma).

    Nearest is by d_swap over the columns ``match_on`` (all, unless named). ``unit="rows"`` swaps people; ``"cells"``
    swaps rows of the histogram, a cell with everybody in it. As printed, the partner may be ``"any"`` row, and where
    several people are alike the nearest is one who is alike, so that nothing changes; ``partners="different"`` takes
    the nearest with other quasi-identifiers. Who is whose nearest depends on who is left, so nothing about it has a
    closed form; but delta is 1, since how often every value occurs is kept, and that differs between neighbours.

    Source: P2 Algorithm 3.
    Departs from print (P2-5): print leaves open what a row is; both readings are offered.
    """

    share: float = 0.1
    columns: tuple[str, ...] | None = None
    match_on: tuple[str, ...] | None = None
    unit: Literal["rows", "cells"] = "rows"
    partners: Literal["any", "different"] = "any"

    def __post_init__(self) -> None:
        if not 0.0 < finite("share", self.share) <= 1.0:
            raise ParameterError("of rows to swap must be > 0 and at most 1", parameter="share", got=self.share)
        one_of("unit", self.unit, ("rows", "cells"))
        one_of("partners", self.partners, ("any", "different"))
        for role in ("columns", "match_on"):
            names = getattr(self, role)
            if names is not None:
                if not names:
                    raise ParameterError("must name at least one column", parameter=role)
                object.__setattr__(self, role, tuple(names))

    @property
    def name(self) -> str:
        """The system and what it swaps."""
        partner = "" if self.partners == "any" else ", different partners"
        return f"swapping (algorithm 3 on {self.unit}{partner})"

    def release(self, source: Histogram | FrequencyTable | Records, rng: np.random.Generator) -> Any:
        """Swapped records, or the histogram of them."""
        if isinstance(source, Records) and self.unit == "rows":
            return self._swapped(source, rng)
        histogram = as_histogram(source)
        if self.unit == "rows":
            swapped, weights = self._swapped(Records.from_histogram(histogram), rng), None
        else:
            every_cell = histogram.released(np.ones(histogram.counts.shape))  # in which anybody can be
            swapped = self._swapped(Records.from_histogram(every_cell), rng)
            weights = histogram.counts[np.asarray(every_cell.counts) > 0]
        codes = [swapped.columns[name].codes for name in histogram.attributes]
        flat = np.ravel_multi_index(codes, histogram.counts.shape)
        return histogram.released(np.bincount(flat, weights, minlength=histogram.n_cells))

    def remarks(self, histogram: Histogram) -> tuple[str, ...]:
        """Whether no pair is swapped, and how often a swap changes nothing."""
        remarks = remarks_on_swapped(self.share, self.unit, self.columns, histogram)
        if self.unit == "cells" or self.share * histogram.n_records < 2:
            return remarks
        counts = as_floats(histogram.counts)
        if self.partners == "any":
            alike = float(counts[counts > 1].sum() / counts.sum())
            about = "have somebody exactly alike, who is then the nearest, so that their swap changes nothing"
        else:
            names = self.columns if self.columns is not None else histogram.quasi_identifiers
            alike = _share_with_other_values_alone(histogram, names)
            about = "have somebody who differs in the swapped columns alone: the two exchange places, no count changes"
        return (*remarks, f"{alike:.0%} of the people here {about}") if alike > 0 else remarks

    def _swapped(self, records: Records, rng: np.random.Generator) -> Records:
        names = self.columns if self.columns is not None else records.quasi_identifiers
        matched = self.match_on if self.match_on is not None else tuple(records.columns)
        for name in (*names, *matched):
            one_of("a column", name, tuple(records.columns))
        used = tuple(dict.fromkeys((*matched, *names)))
        combinations, kind_of, _ = records.distinct(used)
        own = combinations[:, [used.index(name) for name in names]]
        _, group = np.unique(own, axis=0, return_inverse=True)
        places = mixed_metric_points(
            combinations[:, [used.index(name) for name in matched]], [records.columns[name] for name in matched]
        )
        first, second = _pairs(
            kind_of,
            places,
            group.ravel() if self.partners == "different" else None,
            int(self.share * len(records) / 2),
            rng,
        )
        codes = {}
        for name in names:
            swapped = records.columns[name].codes.copy()
            swapped[first], swapped[second] = records.columns[name].codes[second], records.columns[name].codes[first]
            codes[name] = swapped
        return records.with_codes(codes)


def remarks_on_swapped(share: float, unit: str, columns: Sequence[str] | None, histogram: Histogram) -> tuple[str, ...]:
    """That no pair is swapped, or that it is the sensitive values that move, where that is so."""
    rows = histogram.n_records if unit == "rows" else _possible_cells(histogram)
    if int(share * rows / 2) == 0:
        what = counted(rows, "person" if unit == "rows" else "cell")
        enough = f"a share of {math.ceil(2e3 / rows) / 1e3:g} would be" if rows >= 2 else "there is nobody to swap with"
        return (f"does nothing here: {100 * share:g} % of {what} is not one pair; {enough}",)
    if unit == "cells" or (columns is not None and not set(histogram.quasi_identifiers) <= set(columns)):
        return ()
    return (
        "swaps all quasi-identifiers together, which only exchanges the sensitive values: "
        "two people with the same sensitive value exchange nothing",
    )


def _possible_cells(histogram: Histogram) -> int:
    return histogram.n_cells if histogram.possible is None else int(histogram.possible.sum())


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
    kind_of: IntArray, places: FloatArray, group: IntArray | None, wanted: int, rng: np.random.Generator
) -> tuple[IntArray, IntArray]:
    """``wanted`` pairs of rows: a random free row and its nearest free row, of another ``group`` if given."""
    order = np.argsort(kind_of, kind="stable")
    starts = np.searchsorted(kind_of[order], np.arange(len(places) + 1))
    waiting = [list(rng.permutation(order[starts[i] : starts[i + 1]])) for i in range(len(places))]
    left = np.diff(starts)
    taken = np.zeros(len(kind_of), dtype=bool)
    index = _FreeNeighbours(places, left, group, rng)
    pairs: list[tuple[int, int]] = []
    for row in rng.permutation(len(kind_of)):
        if len(pairs) >= wanted:
            break
        if taken[row]:
            continue
        kind = int(kind_of[row])
        taken[row] = True
        left[kind] -= 1
        partner_kind = kind if group is None and left[kind] > 0 else index.nearest(kind)
        if partner_kind is None:  # nobody is left who differs
            continue
        partner = waiting[partner_kind].pop()
        while taken[partner]:
            partner = waiting[partner_kind].pop()
        taken[partner] = True
        left[partner_kind] -= 1
        pairs.append((int(row), int(partner)))
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
        self.tree = cKDTree(self.places[self.kinds]) if len(self.kinds) else None

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
