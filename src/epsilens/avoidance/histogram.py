"""The histogram of a whole universe: every combination that could occur, empty ones included.

A frequency table knows the cells in which there are people. Disclosure avoidance is about the others as well: noise,
suppression and swapping put people where there were none. So the systems of this room work on a full grid with one
axis per attribute, which also makes every marginal a sum over axes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.checks import did_you_mean
from epsilens.errors import DataError, ParameterError, counted
from epsilens.notebook import one_line
from epsilens.table.declared import LevelSpec, declared_levels
from epsilens.table.domain import Domain, natural_order
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table
from epsilens.table.harm import Harm


@dataclass(frozen=True, eq=False, init=False)
class Histogram:
    """Counts on the grid of a ``domain``, one axis per attribute.

    ``quasi_identifiers`` are the attributes an attacker may know, ``ordered`` those whose levels have an order (a
    generalised value is then an interval of positions, not a set). ``possible`` is false where nobody can be: those
    cells are published as zero by every system. ``harm`` says which values harm whoever is shown to have them.
    """

    counts: IntArray | FloatArray
    domain: Domain
    quasi_identifiers: tuple[str, ...]
    ordered: tuple[str, ...] = ()
    possible: BoolArray | None = None
    harm: Harm = field(default_factory=Harm)

    def __init__(
        self,
        counts: IntArray | FloatArray,
        attributes: tuple[str, ...] = (),
        levels: tuple[tuple[str, ...], ...] = (),
        quasi_identifiers: tuple[str, ...] = (),
        ordered: tuple[str, ...] = (),
        possible: BoolArray | None = None,
        *,
        domain: Domain | None = None,
        harm: Harm | None = None,
    ) -> None:
        """On the grid of ``domain``, or of ``attributes`` with their ``levels``."""
        on = Domain(tuple(attributes), tuple(levels)) if domain is None else domain
        if counts.shape != on.shape:
            raise DataError(f"counts have shape {counts.shape}, the levels of the attributes say {on.shape}")
        refuse_no_knowledge(quasi_identifiers)
        for role, names in (("quasi_identifiers", quasi_identifiers), ("ordered", ordered)):
            on.axes(names, role)
        given = {
            "counts": counts,
            "domain": on,
            "quasi_identifiers": tuple(quasi_identifiers),
            "ordered": tuple(ordered),
            "possible": possible,
            "harm": Harm() if harm is None else harm,
        }
        for name, value in given.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def of(
        table: FrequencyTable, universe: Mapping[str, LevelSpec] | None = None, ordered: Sequence[str] = ()
    ) -> Histogram:
        """The histogram of ``table`` over the product of the attributes' levels.

        ``universe`` gives the levels of some or all columns, in their order, or a range of them; a column that it
        leaves out has the levels found in the table, numbers in numeric order.
        """
        checked_table(table)
        if not table.quasi_identifiers:
            raise ParameterError("the table names no quasi-identifiers", remedy="name its `cells`, or read it anew")
        domain, codes = _coded(table, universe or {})
        size, vectors = domain.enumerable_size(), table.vectors
        rows = [codes[name][:, None] for name in table.quasi_identifiers]
        columns = [codes[name][None, :] for name in table.sensitive]
        flat = np.ravel_multi_index(np.broadcast_arrays(*rows, *columns), domain.shape)
        counts = np.zeros(size, dtype=np.int64)
        np.add.at(counts, flat.ravel(), np.maximum(vectors, 0).ravel())
        possible = np.ones(size, dtype=bool)
        possible[flat[vectors == STRUCTURAL_ZERO]] = False
        if table.schema is not None and table.schema.impossible:  # also where nobody is
            everywhere = domain.cells()
            for rule in table.schema.impossible:
                possible &= ~domain.matches(rule, everywhere)
        return Histogram(
            counts.reshape(domain.shape),
            quasi_identifiers=table.quasi_identifiers,
            ordered=tuple(ordered),
            possible=None if possible.all() else possible.reshape(domain.shape),
            domain=domain,
            harm=table.harm,
        )

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes, one per axis."""
        return self.domain.columns

    @property
    def levels(self) -> tuple[tuple[str, ...], ...]:
        """The levels of each attribute."""
        return self.domain.levels

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

    @property
    def label_values(self) -> list[tuple[str, ...]]:
        """Every combination of levels of :attr:`others`, in the order of the grid."""
        return list(product(*(self.levels[self.axis(name)] for name in self.others)))

    @cached_property
    def label_weights(self) -> FloatArray:
        """How much it harms a person to be shown with each of :attr:`label_values`."""
        return self.harm.of_labels(self.others, self.label_values) if self.others else np.ones(1)

    @cached_property
    def codes(self) -> IntArray:
        """The position of every cell on every axis: (cells, attributes)."""
        return self.domain.cells().astype(np.int64)

    @cached_property
    def derived(self) -> dict[object, Any]:
        """What was made of it once and is asked for again, such as the classes of a system that draws from them."""
        return {}

    def axis(self, name: str) -> int:
        """The axis of an attribute."""
        return self.domain.axis(name)

    def axes(self, names: Sequence[str], parameter: str | None = None) -> tuple[int, ...]:
        """The axes of several attributes, which ``parameter`` names."""
        return self.domain.axes(names, parameter)

    def released(self, counts: npt.ArrayLike) -> Histogram:
        """The same grid with other counts; impossible cells are zero."""
        return replace(self, counts=self.masked(as_floats(counts).reshape(self.counts.shape)))

    def masked(self, values: FloatArray) -> FloatArray:
        """``values`` with zero where nobody can be: a bias, a variance or a release of such a cell."""
        return values if self.possible is None else np.where(self.possible, values, 0.0)

    def __repr__(self) -> str:
        return one_line(self, f"{self.n_cells} cells", f"{self.n_records} records: {self.domain}")


def refuse_no_knowledge(quasi_identifiers: Sequence[str]) -> None:
    """Refuse an attacker who knows nothing."""
    if not quasi_identifiers:
        raise ParameterError("name at least one quasi-identifier: an attacker who knows nothing learns nothing")


def _coded(table: FrequencyTable, universe: Mapping[str, LevelSpec]) -> tuple[Domain, dict[str, IntArray]]:
    """The domain of a table, and the codes of its cells in each quasi-identifier, of its labels in each sensitive one.

    The universe must have every level that is in the table.
    """
    attributes = (*table.quasi_identifiers, *table.sensitive)
    for name in universe:
        if name not in attributes:
            raise ParameterError(
                f"names {name!r}, which is not a column of this table{did_you_mean(str(name), attributes)}",
                parameter="universe",
            )
    cells = table.cells()
    values = {name: cells[name] for name in table.quasi_identifiers}
    values |= {name: [parts[j] for parts in table.label_values] for j, name in enumerate(table.sensitive)}
    bins = {} if table.schema is None else table.schema.bin_rules
    levels = [
        declared_levels(name, universe[name], bins.get(name)) if name in universe else tuple(natural_order(found))
        for name, found in values.items()
    ]
    domain = Domain(attributes, tuple(levels))
    codes = {name: domain.coded(name, found).astype(np.int64) for name, found in values.items()}
    for name, found in codes.items():
        if (found < 0).any():
            strange = len({values[name][i] for i in np.flatnonzero(found < 0)})
            raise DataError(
                f"the universe of {name!r} misses {counted(strange, 'value')} present in the data; declare them"
            )
    return domain, codes
