"""What the swapping systems share: rows that exchange some columns, what that does to counts, and small laws of it.

A *kind* is a combination of values that some free rows have. Rows of a kind are alike, so a swap is known by the two
kinds that exchange, and nobody needs a list of people.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.avoidance.enumeration import Counts, Enumeration
from epsilens.avoidance.histogram import Histogram
from epsilens.checks import finite, one_of
from epsilens.errors import ParameterError, counted
from epsilens.noise.divergence import Distribution

Unit: TypeAlias = Literal["rows", "cells"]
"""What is swapped: people, or cells of the histogram with everybody in them."""
Pairing: TypeAlias = Callable[[tuple[int, ...], int], Mapping[tuple[int, int | None], float]]
"""From the free rows of every kind, and the number of levels of the swapped columns, to the law of the next pair.

Kinds are numbered row by row of a small table; a partner of None is a row that finds nobody.
"""
_WIDEST = 20  # columns of the small tables whose cells are swapped
_CROWD = 1e12  # people of those whose people are; a smaller share swaps nobody


def checked_exchange(
    share: float, unit: str, columns: Sequence[str] | None, match_on: Sequence[str] | None
) -> tuple[tuple[str, ...] | None, tuple[str, ...] | None]:
    """The columns as tuples; refused where a share, a unit or a list of columns makes no sense."""
    if not 0.0 < finite("share", share) <= 1.0:
        raise ParameterError("of rows to swap must be > 0 and at most 1", parameter="share", got=share)
    one_of("unit", unit, ("rows", "cells"))
    for role, names in (("columns", columns), ("match_on", match_on)):
        if names is not None and not names:
            raise ParameterError("must name at least one column", parameter=role)
    return None if columns is None else tuple(columns), None if match_on is None else tuple(match_on)


def swapped_pairs(share: float, rows: int) -> int:
    """floor(share N / 2): how many pairs of N rows exchange, print's share being 1 - gamma.

    The share is taken as it is written: 0.29 of 200 rows are 29 pairs, although the float lies below.
    """
    return int(Fraction(str(share)) * rows / 2)


def rows_to_swap(unit: Unit, histogram: Histogram) -> int:
    """N: people, or cells in which anybody can be."""
    if unit == "rows":
        return histogram.n_records
    return histogram.n_cells if histogram.possible is None else int(histogram.possible.sum())


def remarks_on_swapped(
    share: float, unit: Unit, columns: Sequence[str] | None, histogram: Histogram
) -> tuple[str, ...]:
    """That no pair is swapped, or that it is the sensitive values that move, where that is so."""
    rows = rows_to_swap(unit, histogram)
    if swapped_pairs(share, rows) == 0:
        what = counted(rows, "person" if unit == "rows" else "cell")
        enough = f"a share of {math.ceil(2e3 / rows) / 1e3:g} would be" if rows >= 2 else "there is nobody to swap with"
        return (f"does nothing here: {100 * share:g} % of {what} is not one pair; {enough}",)
    if unit == "cells" or (columns is not None and not set(histogram.quasi_identifiers) <= set(columns)):
        return ()
    return (
        "swaps all quasi-identifiers together, which only exchanges the sensitive values: "
        "two people with the same sensitive value exchange nothing",
    )


@dataclass(frozen=True, eq=False)
class Exchange:
    """Pairs of cells of a histogram that exchange the values of some columns: where the people of each go.

    ``first`` and ``second`` are cells, ``to_first`` and ``to_second`` where the people of ``first`` and ``second`` are
    afterwards; ``moved_first`` and ``moved_second`` are how many move.
    """

    first: IntArray
    second: IntArray
    to_first: IntArray
    to_second: IntArray
    moved_first: FloatArray
    moved_second: FloatArray

    @staticmethod
    def of(histogram: Histogram, names: Sequence[str], unit: Unit, first: IntArray, second: IntArray) -> Exchange:
        """The pairs (``first``, ``second``) exchange ``names``: one person each, or everybody in the cell."""
        there, here = histogram.codes[first].copy(), histogram.codes[second].copy()
        axes = list(histogram.axes(names))
        there[:, axes], here[:, axes] = histogram.codes[second][:, axes], histogram.codes[first][:, axes]
        shape = histogram.counts.shape
        counts = as_floats(histogram.counts).ravel() if unit == "cells" else np.ones(histogram.n_cells)
        return Exchange(
            first,
            second,
            np.ravel_multi_index(tuple(there.T), shape),
            np.ravel_multi_index(tuple(here.T), shape),
            counts[first],
            counts[second],
        )

    def admitted(self, histogram: Histogram) -> BoolArray:
        """Which pairs put nobody where nobody can be."""
        if histogram.possible is None:
            return np.ones(len(self.first), dtype=bool)
        possible = histogram.possible.ravel()
        first_fits = possible[self.to_first] | (self.moved_first == 0)
        return np.asarray(first_fits & (possible[self.to_second] | (self.moved_second == 0)))

    def entries(self) -> Iterator[tuple[IntArray, FloatArray]]:
        """The four changes of every pair: a cell, and what is added to it."""
        yield self.first, -self.moved_first
        yield self.to_first, self.moved_first
        yield self.second, -self.moved_second
        yield self.to_second, self.moved_second

    def counts_after(self, histogram: Histogram) -> FloatArray:
        """The counts once all pairs have exchanged, none of them sharing a row."""
        counts = as_floats(histogram.counts).ravel().copy()
        for cells, added in self.entries():
            np.add.at(counts, cells, added)
        return counts.reshape(histogram.counts.shape)


# -- small tables: the exact law of what is published ------------------------------------------------------------------


def exchange_law(table: Counts, share: float, unit: Unit, pairing: Pairing) -> Distribution:
    """The law of the histogram of a small table in which pairs exchange the columns' value, by listing all of them."""
    width = len(table[0])
    counts = tuple(count for row in table for count in row)
    free = counts if unit == "rows" else (1,) * len(counts)
    wanted = swapped_pairs(share, sum(free))
    states: dict[tuple[tuple[int, ...], tuple[int, ...], int], float] = {(free, counts, 0): 1.0}
    law: dict[tuple[int, ...], float] = {}
    while states:
        further: dict[tuple[tuple[int, ...], tuple[int, ...], int], float] = {}
        for (left, output, done), mass in states.items():
            steps = pairing(left, width) if done < wanted else {}
            if not steps:
                law[output] = law.get(output, 0.0) + mass
            for (a, b), share_of_step in steps.items():
                people = (1, 1) if unit == "rows" else (counts[a], counts[b] if b is not None else 0)
                state = (_without(left, a, b), _exchanged(output, a, b, people, width), done + (b is not None))
                further[state] = further.get(state, 0.0) + mass * share_of_step
        states = further
    return {tuple(output[i : i + width] for i in range(0, len(output), width)): mass for output, mass in law.items()}


def exchange_enumeration(law: Callable[[Counts], Distribution], share: float, unit: Unit) -> Enumeration:
    """Tables with just as many rows as it takes for one pair, all but one person in the same cell.

    Whatever exchanges, the other attributes keep their counts, and so do the swapped ones where people are swapped; so
    neighbours that differ in them have no output in common.
    """
    if unit == "rows":
        crowd, width = max(2, math.ceil(min(2.0 / share, _CROWD))) - 1, 2
    else:
        crowd, width = 1, max(2, math.ceil(min(1.0 / share, _WIDEST)))
    tables: list[Counts] = [_table(width, crowd, None)]
    tables += [_table(width, crowd, place) for place in ((0, 0), (0, 1), (1, 0), (1, 1))]
    return Enumeration.of_laws(tables, law, neighbours=("substitute", "qid") if unit == "rows" else ("substitute",))


def pair_distance(a: int, b: int, width: int) -> int:
    """d_swap of two cells of a small table: one for another row, one for another column."""
    return (a // width != b // width) + (a % width != b % width)


def _table(width: int, crowd: int, place: tuple[int, int] | None) -> Counts:
    rows = [[0] * width for _ in range(2)]
    rows[0][0] = crowd
    if place is not None:
        rows[place[0]][place[1]] += 1
    return tuple(tuple(row) for row in rows)


def _without(left: tuple[int, ...], a: int, b: int | None) -> tuple[int, ...]:
    return tuple(count - (kind == a) - (kind == b) for kind, count in enumerate(left))


def _exchanged(output: tuple[int, ...], a: int, b: int | None, people: tuple[int, int], width: int) -> tuple[int, ...]:
    if b is None:
        return output
    counts = list(output)
    for home, other, moved in ((a, b, people[0]), (b, a, people[1])):
        counts[home] -= moved
        counts[home - home % width + other % width] += moved
    return tuple(counts)
