"""The histogram of a whole universe: every combination that could occur, empty ones included.

A frequency table knows the cells in which there are people. Disclosure avoidance is about the others as well: noise,
suppression and swapping put people where there were none. So the systems of this room work on a full grid with one
axis per attribute, which also makes every marginal a sum over axes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import did_you_mean
from epsilens.errors import DataError, ParameterError
from epsilens.notebook import one_line
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table

MAX_CELLS = 20_000_000
"""A larger grid would take gigabytes per release; fewer columns or wider bins make it smaller."""


@dataclass(frozen=True, eq=False)
class Histogram:
    """Counts on the grid ``levels[0] x levels[1] x ...``, one axis per attribute.

    ``quasi_identifiers`` are the attributes an attacker may know, ``ordered`` those whose levels have an order (a
    generalised value is then an interval of positions, not a set). ``possible`` is false where nobody can be: those
    cells are published as zero by every system.
    """

    counts: npt.NDArray[np.int64] | FloatArray
    attributes: tuple[str, ...]
    levels: tuple[tuple[str, ...], ...]
    quasi_identifiers: tuple[str, ...]
    ordered: tuple[str, ...] = ()
    possible: npt.NDArray[np.bool_] | None = None

    def __post_init__(self) -> None:
        shape = tuple(len(levels) for levels in self.levels)
        if self.counts.shape != shape or len(self.attributes) != len(shape):
            raise DataError(f"counts have shape {self.counts.shape}, the levels of the attributes say {shape}")
        if not self.quasi_identifiers:
            raise ParameterError("name at least one quasi-identifier: an attacker who knows nothing learns nothing")
        for role in (self.quasi_identifiers, self.ordered):
            for name in role:
                self.axis(name)

    @staticmethod
    def of(
        table: FrequencyTable, universe: Mapping[str, Sequence[object]] | None = None, ordered: Sequence[str] = ()
    ) -> Histogram:
        """The histogram of ``table`` over the product of the attributes' levels.

        ``universe`` gives the levels of some or all columns, in their order; a column that it leaves out has the
        levels found in the table, numbers in numeric order.
        """
        cells, vectors = checked_table(table).cells(), table.vectors
        if not table.quasi_identifiers:
            raise ParameterError("the table names no quasi-identifiers; give its cells names (cells=) or read it anew")
        attributes = (*table.quasi_identifiers, *table.sensitive)
        values = {name: [parts[j] for parts in table.label_values] for j, name in enumerate(table.sensitive)}
        values |= {name: cells[name] for name in table.quasi_identifiers}
        declared = {str(name): [_level(v) for v in levels] for name, levels in (universe or {}).items()}
        for name in declared:
            if name not in attributes:
                raise ParameterError(
                    f"the universe names {name!r}, which is no column of this table{did_you_mean(name, attributes)}"
                )
        levels = tuple(tuple(declared.get(name) or natural_order(values[name])) for name in attributes)
        size = math.prod(len(choices) for choices in levels)
        if size > MAX_CELLS:
            raise ParameterError(
                f"the universe has {size:,} cells, more than {MAX_CELLS:,}; use fewer columns or wider bins"
            )
        codes = {name: _coded(name, values[name], choices) for name, choices in zip(attributes, levels, strict=True)}
        rows = [codes[name][:, None] for name in table.quasi_identifiers]
        columns = [codes[name][None, :] for name in table.sensitive]
        flat = np.ravel_multi_index(
            np.broadcast_arrays(*rows, *columns),
            tuple(len(choices) for choices in levels),
        )
        counts = np.zeros(size, dtype=np.int64)
        np.add.at(counts, flat.ravel(), np.maximum(vectors, 0).ravel())
        possible = None
        if (vectors == STRUCTURAL_ZERO).any():
            possible = np.ones(size, dtype=bool)
            possible[flat[vectors == STRUCTURAL_ZERO]] = False
        shape = tuple(len(choices) for choices in levels)
        return Histogram(
            counts.reshape(shape),
            attributes,
            levels,
            table.quasi_identifiers,
            tuple(ordered),
            None if possible is None else possible.reshape(shape),
        )

    @property
    def n_cells(self) -> int:
        """Number of cells of the universe."""
        return int(self.counts.size)

    @property
    def n_records(self) -> int:
        """Number of people."""
        return round(float(self.counts.sum()))

    @property
    def largest(self) -> int:
        """The largest count: B, the bound that some published guarantees need."""
        return int(self.counts.max())

    @property
    def others(self) -> tuple[str, ...]:
        """The attributes that are not quasi-identifiers."""
        return tuple(name for name in self.attributes if name not in self.quasi_identifiers)

    @cached_property
    def codes(self) -> IntArray:
        """The position of every cell on every axis: (cells, attributes)."""
        return np.indices(self.counts.shape).reshape(self.counts.ndim, -1).T.astype(np.int64)

    def axis(self, name: str) -> int:
        """The axis of an attribute."""
        if name not in self.attributes:
            raise ParameterError(
                f"there is no attribute {name!r} in this histogram{did_you_mean(name, self.attributes)}"
            )
        return self.attributes.index(name)

    def axes(self, names: Sequence[str]) -> tuple[int, ...]:
        """The axes of several attributes."""
        return tuple(self.axis(name) for name in names)

    def released(self, counts: npt.ArrayLike) -> Histogram:
        """The same grid with other counts; impossible cells are zero."""
        return replace(self, counts=self.masked(as_floats(counts).reshape(self.counts.shape)))

    def masked(self, values: FloatArray) -> FloatArray:
        """``values`` with zero where nobody can be: a bias, a variance or a release of such a cell."""
        return values if self.possible is None else np.where(self.possible, values, 0.0)

    def __repr__(self) -> str:
        grid = " x ".join(f"{name}({len(levels)})" for name, levels in zip(self.attributes, self.levels, strict=True))
        return one_line(self, f"{self.n_cells} cells", f"{self.n_records} records: {grid}")


def natural_order(values: Sequence[str]) -> list[str]:
    """The distinct values: numbers, and bins by their lower ends, in numeric order, anything else by code point."""
    distinct = sorted(set(values))
    keys = [_leading_number(value) for value in distinct]
    if any(key is None for key in keys):
        return distinct
    return [value for _, value in sorted(zip(keys, distinct, strict=True), key=lambda pair: (pair[0], pair[1]))]


def _leading_number(text: str) -> float | None:
    """12 of ``12``, 20 of ``[20, 25)``; an open bin below everything sorts first."""
    stripped = text.lstrip("[(>= ")
    if stripped.startswith("<"):
        return -math.inf
    try:
        return float(stripped.split(",")[0].rstrip(")]"))
    except ValueError:
        return None


def _level(value: object) -> str:
    """A declared level as text, as the schema writes it."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    return str(value).strip()


def _coded(name: str, values: Sequence[str], levels: Sequence[str]) -> IntArray:
    """Positions of the values in the universe, which must have them all."""
    position = {level: i for i, level in enumerate(levels)}
    if len(position) != len(levels):
        raise ParameterError(f"the universe of {name!r} lists a value twice")
    codes = np.array([position.get(value, -1) for value in values], dtype=np.int64)
    if (codes < 0).any():
        strange = len({value for value in values if value not in position})
        raise DataError(f"the universe of {name!r} misses {strange} values that are present in the data; declare them")
    return codes
