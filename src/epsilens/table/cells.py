"""The people of a table as long rows: one level per column and a count, for the cells that have people.

A frequency table knows quasi-identifiers and labels; who only counts treats all columns alike. Levels are kept once and
cells as positions in them, so a million cells are a matrix of small integers.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from epsilens.arrays import CodeArray, IntArray
from epsilens.errors import DataError
from epsilens.notebook import one_line
from epsilens.table.domain import Domain, encoded
from epsilens.table.frequency import FrequencyTable

UNNAMED_CELL = "cell"
"""The column that numbers the cells of a table whose cells have no names."""
MOST_PEOPLE = 2**53
"""Where counts add up to more, they count as this: a sum cut off so moves by at most 1 where one of its terms does."""
HALF = 27
"""Counts up to 2^53 are added up in two halves of this many bits, so that no sum of a table's cells overflows."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Occupied cells of a ``domain``: ``codes[i]`` are the positions of cell i's levels, ``counts[i]`` its people."""

    domain: Domain
    codes: CodeArray
    counts: IntArray
    dropped_rows: int = 0
    row_salt: str | None = field(default=None, repr=False)
    """What chose the rows kept of people with too many: a secret that counts the same rows again."""

    def __post_init__(self) -> None:
        if self.codes.shape != (len(self.counts), len(self.domain.columns)):
            raise DataError(
                f"cells need a count and {len(self.domain.columns)} codes each, got {len(self.counts)} counts and "
                f"codes of shape {self.codes.shape}"
            )

    @staticmethod
    def of(table: FrequencyTable) -> Cells:
        """The occupied cells of a frequency table, quasi-identifiers first, then sensitive attributes."""
        names, known = cell_names(table)
        counts = table.counts
        cell, label = np.nonzero(counts)
        sides = [(values, cell) for values in known]
        sides += [([parts[j] for parts in table.label_values], label) for j in range(len(table.sensitive))]
        levels, codes = [], []
        for values, where in sides:
            found, code = encoded(values)
            levels.append(found)
            codes.append(code[where])
        return Cells(
            Domain((*names, *table.sensitive), tuple(levels)),
            np.stack(codes, axis=1),
            counts[cell, label].astype(np.int64),
            table.dropped_rows,
            table.row_salt,
        )

    @cached_property
    def people(self) -> int:
        """How many rows are counted."""
        high, low = (self.counts >> HALF).sum(), (self.counts & (2**HALF - 1)).sum()
        return (int(high) << HALF) + int(low)

    def marginal(self, columns: Sequence[str]) -> Cells:
        """The same people by fewer columns."""
        domain = self.domain.project(columns)
        codes, group = domain.distinct(self.codes[:, list(self.domain.axes(columns))])
        counts = added_up(group, self.counts, len(codes))
        return Cells(domain, codes, counts, self.dropped_rows, self.row_salt)

    @cached_property
    def fingerprint(self) -> bytes:
        """SHA-256 of columns, levels and counts in a canonical order. It tells of people: it stays in memory."""
        digest = hashlib.sha256()
        domain, codes = self.domain.used(self.codes)
        order = domain.order(codes)
        digest.update(json.dumps([domain.columns, domain.levels], ensure_ascii=False).encode())
        digest.update(np.ascontiguousarray(codes[order], dtype="<i4").tobytes())
        digest.update(self.counts[order].astype("<i8").tobytes())
        return digest.digest()

    def __repr__(self) -> str:
        return one_line(self, f"{self.domain}: {len(self.counts)} occupied", f"{self.people} people")


def added_up(group: IntArray, counts: IntArray, size: int) -> IntArray:
    """The sums of ``counts`` by ``group``, numbers below ``size``; no sum exceeds :data:`MOST_PEOPLE`."""
    high, low = np.zeros(size, dtype=np.int64), np.zeros(size, dtype=np.int64)
    np.add.at(high, group, counts >> HALF)
    np.add.at(low, group, counts & (2**HALF - 1))
    high += low >> HALF
    whole: IntArray = (np.minimum(high, MOST_PEOPLE >> HALF) << HALF) + (low & (2**HALF - 1))
    return np.minimum(whole, MOST_PEOPLE).astype(np.int64)


def cell_names(table: FrequencyTable) -> tuple[tuple[str, ...], list[list[str]]]:
    """The columns that name a table's cells and their values; unnamed cells are numbered."""
    if table.quasi_identifiers:
        found = table.cells()
        return table.quasi_identifiers, [found[name] for name in table.quasi_identifiers]
    return (UNNAMED_CELL,), [[str(i) for i in range(len(table.counts))]]
