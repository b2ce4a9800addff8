"""Records in columns: what row-wise systems read and write.

A column is a vector of codes into its distinct values: sorted numbers for a numeric column, texts for a categorical
one. A million people with eight columns are 32 MB.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import CodeArray, FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram, refuse_no_knowledge
from epsilens.checks import did_you_mean
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import brief, listed, one_line
from epsilens.table.domain import Domain, level_text, natural_order

_LARGEST_KEY = 2**62


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute of all records: ``codes`` into ``levels``; ``numbers`` are the levels of a numeric column."""

    codes: CodeArray
    levels: tuple[str, ...]
    numbers: FloatArray | None = None

    __repr__ = brief

    @staticmethod
    def numeric(name: str, values: npt.ArrayLike) -> Column:
        """A column of numbers."""
        try:
            numbers = as_floats(values)
        except (TypeError, ValueError):
            raise DataError(f"column {name!r} is declared numeric but has values that are not numbers") from None
        if (gaps := int((~np.isfinite(numbers)).sum())) > 0:
            raise DataError(f"numeric column {name!r} has {gaps} missing or infinite values; fill them or drop them")
        distinct, codes = np.unique(numbers, return_inverse=True)
        return Column(codes.astype(np.int32), tuple(level_text(float(value)) for value in distinct), distinct)

    @staticmethod
    def categorical(values: Iterable[object]) -> Column:
        """A column of categories; numbers among them keep their order, which nothing depends on."""
        items = np.asarray(values).tolist()
        seen: dict[object, int] = {}  # for a million texts ten times as fast as sorting them
        codes = np.fromiter((seen.setdefault(item, len(seen)) for item in items), dtype=np.int32, count=len(items))
        texts = [level_text(value) for value in seen]
        levels = natural_order(texts)
        position = {level: i for i, level in enumerate(levels)}
        return Column(np.array([position[text] for text in texts], dtype=np.int32)[codes], tuple(levels))

    @property
    def positions(self) -> FloatArray:
        """Where each level lies on the axis of a numeric column; of another ordered column its rank."""
        return np.arange(len(self.levels), dtype=np.float64) if self.numbers is None else self.numbers

    @property
    def has_own_numbers(self) -> bool:
        """Whether its levels are the numbers themselves, and not bins or ranks that lie at 0, 1, ..."""
        return self.numbers is not None and self.levels == tuple(level_text(float(number)) for number in self.numbers)


def span_text(first: str, last: str) -> str:
    """The name of neighbouring levels: the bins [20, 30) to [30, 40) are [20, 40)."""
    if first == last:
        return first
    if first[:1] in "[(" and last[-1:] in ")]" and "," in first and "," in last:
        return f"{first.split(',')[0]},{last.rsplit(',', 1)[1]}"
    return f"{first} to {last}"


@dataclass(frozen=True, eq=False)
class Records:
    """People in rows. ``quasi_identifiers`` are the columns an attacker may know.

    Data must have rows; a release or a sample of them ``may_be_empty``.
    """

    columns: Mapping[str, Column]
    quasi_identifiers: tuple[str, ...]
    may_be_empty: bool = False

    def __post_init__(self) -> None:
        refuse_no_knowledge(self.quasi_identifiers)
        for name in self.quasi_identifiers:
            if name not in self.columns:
                raise ParameterError(f"there is no column {name!r} in the records{did_you_mean(name, self.columns)}")
        lengths = {len(column.codes) for column in self.columns.values()}
        if len(lengths) != 1 or (not len(self) and not self.may_be_empty):
            raise DataError("records need at least one row, and all columns equally many")

    @staticmethod
    def of(
        frame: Any, quasi_identifiers: Sequence[str], columns: Sequence[str] | None = None, numeric: Sequence[str] = ()
    ) -> Records:
        """Records from a data frame or a mapping of columns; ``numeric`` columns have numbers and an order."""
        names = list(columns) if columns is not None else [str(name) for name in frame]
        for name in (*names, *quasi_identifiers, *numeric):
            if name not in names or name not in frame:
                raise DataError(f"the data have no column {name!r}{did_you_mean(name, [str(n) for n in frame])}")
        built = {
            name: Column.numeric(name, np.asarray(frame[name]))
            if name in numeric
            else Column.categorical(np.asarray(frame[name]))
            for name in names
        }
        return Records(built, tuple(quasi_identifiers))

    @staticmethod
    def from_histogram(histogram: Histogram) -> Records:
        """One row per person of the histogram."""
        people = np.repeat(np.arange(histogram.n_cells), histogram.counts.ravel().astype(np.int64))
        if not len(people):
            raise DataError("all cells are empty; there are no records")
        return Records(
            {
                name: Column(
                    histogram.codes[people, axis].astype(np.int32),
                    histogram.levels[axis],
                    np.arange(len(histogram.levels[axis]), dtype=np.float64) if name in histogram.ordered else None,
                )
                for axis, name in enumerate(histogram.attributes)
            },
            histogram.quasi_identifiers,
        )

    @cached_property
    def domain(self) -> Domain:
        """The columns and their levels."""
        return Domain(tuple(self.columns), tuple(column.levels for column in self.columns.values()))

    def __len__(self) -> int:
        return len(next(iter(self.columns.values())).codes)

    def __repr__(self) -> str:
        return one_line(self, f"{len(self)} rows", f"columns {listed(self.columns)}")

    def histogram(self) -> Histogram:
        """The histogram over the levels of all columns."""
        domain = self.domain
        size = domain.enumerable_size()
        flat = np.ravel_multi_index([column.codes for column in self.columns.values()], domain.shape)
        return Histogram(
            np.bincount(flat, minlength=size).reshape(domain.shape).astype(np.int64),
            quasi_identifiers=self.quasi_identifiers,
            ordered=tuple(name for name, column in self.columns.items() if column.numbers is not None),
            domain=domain,
        )

    def with_codes(self, codes: Mapping[str, npt.NDArray[Any]]) -> Records:
        """The same records with other values in some columns."""
        changed = {
            name: Column(np.asarray(codes[name], dtype=np.int32), column.levels, column.numbers)
            if name in codes
            else column
            for name, column in self.columns.items()
        }
        return Records(changed, self.quasi_identifiers)

    def rows_where(self, kept: npt.NDArray[np.bool_]) -> Records:
        """Some of the records."""
        return Records(
            {name: Column(c.codes[kept], c.levels, c.numbers) for name, c in self.columns.items()},
            self.quasi_identifiers,
            may_be_empty=True,
        )

    def values(self, name: str) -> npt.NDArray[Any]:
        """A column's values: numbers of a numeric column, texts of another."""
        column = self.columns[name]
        return (np.array(column.levels) if column.numbers is None else column.numbers)[column.codes]

    def to_dict(self) -> dict[str, npt.NDArray[Any]]:
        """All values by column, as a data frame takes them."""
        return {name: self.values(name) for name in self.columns}

    def distinct(self, names: Sequence[str]) -> tuple[IntArray, IntArray, IntArray]:
        """The distinct combinations of some columns, which of them each row has, and how many rows have each."""
        shape = [len(self.columns[name].levels) for name in names]
        codes = [self.columns[name].codes for name in names]
        if math.prod(shape) < _LARGEST_KEY:  # one number per row is sorted much faster than several
            keys, inverse, sizes = np.unique(
                np.ravel_multi_index(codes, shape), return_inverse=True, return_counts=True
            )
            combinations = np.column_stack(np.unravel_index(keys, shape))
        else:
            combinations, inverse, sizes = np.unique(
                np.column_stack(codes), axis=0, return_inverse=True, return_counts=True
            )
        return combinations.astype(np.int64), inverse.ravel().astype(np.int64), sizes.astype(np.int64)
