"""The frequency table: cells (combinations of quasi-identifiers) by labels (values of the sensitive attribute).

Risk depends on a cell only through its count vector, and most measures only through the *sorted* counts. So a table is
asked for its distinct vectors, its :meth:`FrequencyTable.signatures`, with how many cells share each; three hundred
million people become some ten thousand rows. Where the cells live (a NumPy array, a database engine) is the
business of the store (``cell_store.py``), and nothing outside this room can tell the difference.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray
from epsilens.checks import did_you_mean, kind_of
from epsilens.errors import DataError, ParameterError, counted, verb
from epsilens.notebook import data_frame, listed, one_line, table_html
from epsilens.table.cell_store import CellStore, MemoryStore, regrouped_vectors
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.harm import Declared, Harm, canonical_weights
from epsilens.table.survey_weights import WeightedCells, checked_cell_weights

if TYPE_CHECKING:
    from epsilens.table.schema import Schema

__all__ = ["STRUCTURAL_ZERO", "CellStore", "FrequencyTable", "MemoryStore", "checked_table", "regrouped_vectors"]


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """Counts of people by cell and label.

    ``label_values[k]`` splits label k into one value per sensitive attribute; with a single attribute it is the label.
    ``max_rows_per_unit`` is how many rows one person may have contributed: it multiplies every sensitivity.
    """

    labels: tuple[str, ...]
    store: CellStore
    quasi_identifiers: tuple[str, ...] = ()
    sensitive: tuple[str, ...] = ("label",)
    label_values: tuple[tuple[str, ...], ...] = ()
    max_rows_per_unit: int = 1
    dropped_rows: int = 0
    schema: Schema | None = None
    """What was declared when the table was read; a release needs it, a table of ready counts has none."""
    row_salt: str | None = None
    """What chose the rows kept of people with too many: a secret that counts the same rows again."""
    rows_not_selected: int = 0
    """Rows of the source that conditions on rows, or missing values, left out."""
    joint: FrequencyTable | None = None
    """The table of several sensitive attributes that this one is a part of; its declarations hold here too."""
    harm: Harm = field(default_factory=Harm)
    """Which values harm whoever is shown to have them."""
    by_hand: bool = False
    """Whether its cells and labels are what somebody wrote down, and not what people's records happen to have."""

    def __post_init__(self) -> None:
        if len(self.labels) < 2:
            raise DataError(
                f"the sensitive attribute {' x '.join(self.sensitive)!r} must have at least 2 values, got "
                f"{len(self.labels)}; with a single value there is nothing to protect"
            )
        if not self.label_values:
            object.__setattr__(self, "label_values", tuple((label,) for label in self.labels))

    @staticmethod
    def from_counts(
        counts: npt.ArrayLike,
        labels: Sequence[str] | None = None,
        cells: Mapping[str, Sequence[str]] | None = None,
        structural_zeros: npt.ArrayLike | None = None,
        weights: npt.ArrayLike | None = None,
    ) -> FrequencyTable:
        """A table from a ready matrix (cells x labels), in the order given.

        ``cells`` optionally names the cells: one list of values per quasi-identifier. ``structural_zeros`` is a
        matrix of the same shape, true where a label cannot occur in a cell. ``weights``, where the people are a sample:
        for every cell how many of the population it stands for, the sum of its people's survey weights.
        """
        matrix = _count_matrix(counts)
        if structural_zeros is not None:
            impossible = np.asarray(structural_zeros, dtype=bool)
            if impossible.shape != matrix.shape:
                raise DataError(
                    f"has shape {impossible.shape}, the counts have {matrix.shape}", parameter="structural_zeros"
                )
            if (occupied := int(np.count_nonzero(matrix[impossible]))) > 0:
                raise DataError(
                    f"{counted(occupied, 'structural zero')} "
                    f"{verb(occupied, 'has people in it', 'have people in them')}; correct the data or the declaration"
                )
            matrix = np.where(impossible, np.int64(STRUCTURAL_ZERO), matrix)
        names = tuple(str(label) for label in (labels if labels is not None else range(matrix.shape[1])))
        if len(names) != matrix.shape[1]:
            raise DataError(f"{counted(len(names), 'label')} for {counted(matrix.shape[1], 'column')} of counts")
        if len(set(names)) != len(names):
            raise DataError("labels must differ from one another")
        if cells is not None and not isinstance(cells, Mapping):
            raise ParameterError(
                f"must map columns to the level of each cell, not be {kind_of(cells)}",
                parameter="cells",
                remedy="such as {'sex': ['f', 'm']}",
            )
        columns = {name: [str(value) for value in values] for name, values in (cells or {}).items()}
        for name, values in columns.items():
            if len(values) != matrix.shape[0]:
                raise DataError(f"column {name!r} names {len(values)} cells, the counts have {matrix.shape[0]}")
        stands_for = None if weights is None else checked_cell_weights(weights, matrix)
        store = MemoryStore(matrix, columns, stands_for)
        return FrequencyTable(names, store, quasi_identifiers=tuple(columns), by_hand=True)

    @cached_property
    def vectors(self) -> IntArray:
        """Count vectors (cells, labels), with :data:`STRUCTURAL_ZERO` where a label cannot occur."""
        return self.store.vectors()

    @cached_property
    def counts(self) -> IntArray:
        """Counts (cells, labels). Comes to Python whole: for very large tables use :meth:`signatures`."""
        return np.maximum(self.vectors, 0)

    @cached_property
    def count_vectors(self) -> CountVectors:
        """The count vectors of all cells in sparse form: for tables of many labels."""
        return self.store.count_vectors()

    @cached_property
    def _ordered_signatures(self) -> tuple[CountVectors, IntArray]:
        return self.store.ordered_signatures()

    @cached_property
    def _sorted_signatures(self) -> tuple[CountVectors, IntArray]:
        vectors, multiplicities = self._ordered_signatures
        return vectors.distinct_but_for_labels(multiplicities)

    def signatures(self, ordered: bool = False) -> tuple[IntArray, IntArray]:
        """The distinct count vectors and the number of cells with each.

        By default a vector is sorted in descending order, because most measures do not care which label is which;
        ``ordered=True`` keeps the label order for those that do (t-closeness, unequal Dirichlet parameters).
        Structural zeros are :data:`STRUCTURAL_ZERO`. Many vectors of many labels are refused, as full rows would not
        fit into memory: :meth:`sparse_signatures` has no such bound.
        """
        vectors, multiplicities = self.sparse_signatures(ordered)
        return vectors.dense(), multiplicities

    def sparse_signatures(self, ordered: bool = False) -> tuple[CountVectors, IntArray]:
        """:meth:`signatures` with the counts of those labels only that somebody has."""
        return self._ordered_signatures if ordered else self._sorted_signatures

    @cached_property
    def label_weights(self) -> FloatArray:
        """How much it harms a person to be shown with each label: 0 harmless, 1 by default; missing values 0."""
        return self.harm.of_labels(self.sensitive, self.label_values)

    def with_harm(self, *declared: Declared) -> FrequencyTable:
        """The same table where only these values are harmful: ``"stroke=1"``, ``{"stroke": {"1": 2.0}}``, ...

        A weight is at least 1, as in ``"stroke=1*3"``; attributes that are not named keep the default.
        """
        values = {name: sorted({parts[i] for parts in self.label_values}) for i, name in enumerate(self.sensitive)}
        given = declared[0] if len(declared) == 1 else tuple(map(str, declared))
        found = replace(self, harm=Harm.of(given, values))
        for name in ("_ordered_signatures", "_sorted_signatures"):  # the counts are the same, whatever they harm
            if name in self.__dict__:
                found.__dict__[name] = self.__dict__[name]
        return found

    def harm_signatures(self) -> tuple[IntArray, IntArray, FloatArray]:
        """:meth:`signatures` for what counts labels by their harm, and the weight of each column of them.

        Vectors are sorted among labels of equal weight, the heaviest labels first; where all labels weigh the same
        these are the sorted signatures.
        """
        vectors, multiplicities, weights = self.sparse_harm_signatures()
        return vectors.dense(), multiplicities, weights

    def sparse_harm_signatures(self) -> tuple[CountVectors, IntArray, FloatArray]:
        """:meth:`harm_signatures` with the counts of those labels only that somebody has."""
        weights = self.label_weights
        if (weights == weights[0]).all():
            return *self._sorted_signatures, weights
        return *self._signatures_by_harm, canonical_weights(weights)

    @cached_property
    def _signatures_by_harm(self) -> tuple[CountVectors, IntArray]:
        vectors, multiplicities = self._ordered_signatures
        return vectors.in_descending_order(self.label_weights).distinct(multiplicities)

    @cached_property
    def weighted_cells(self) -> WeightedCells | None:
        """Where people have survey weights: the distinct pairs of a count vector and a cell's sum of weights."""
        return self.store.weighted_cells()

    @cached_property
    def n_cells(self) -> int:
        """Number of cells."""
        return int(self._ordered_signatures[1].sum())

    @cached_property
    def n_records(self) -> int:
        """Number of records in all cells."""
        return int(self.label_totals.sum())

    @cached_property
    def label_totals(self) -> IntArray:
        """Number of records with each label."""
        vectors, multiplicities = self._ordered_signatures
        return vectors.label_totals(multiplicities)

    @property
    def n_labels(self) -> int:
        """K, the number of labels."""
        return len(self.labels)

    def cells(self, limit: int | None = None) -> dict[str, list[str]]:
        """The quasi-identifier values of the (first ``limit``) cells, one list per column, aligned with ``counts``."""
        return self.store.cells(limit)

    def cells_with(self, vectors: IntArray, limit: int) -> tuple[dict[str, list[str]], IntArray]:
        """The first ``limit`` cells whose vector is among ``vectors`` (some ordered signatures), and their vectors.

        So the riskiest cells of a large table are found by their signatures, and only they come to Python.
        """
        wanted = np.atleast_2d(np.asarray(vectors, dtype=np.int64))
        if wanted.shape[1] != self.n_labels:
            raise ParameterError(f"must have {self.n_labels} counts each", parameter="vectors", got=wanted.shape[1])
        cells, found = self.sparse_cells_with(CountVectors.of(wanted), limit)
        return cells, found.dense()

    def sparse_cells_with(self, vectors: CountVectors, limit: int) -> tuple[dict[str, list[str]], CountVectors]:
        """:meth:`cells_with` for vectors in sparse form."""
        return self.store.cells_with(vectors, limit)

    def marginal(self, columns: Iterable[str]) -> FrequencyTable:
        """The table of the same people by fewer quasi-identifiers."""
        kept = tuple(columns)
        if len(set(kept)) != len(kept):
            raise ParameterError("a marginal names each quasi-identifier once")
        for name in kept:
            if name not in self.quasi_identifiers:
                hint = did_you_mean(name, self.quasi_identifiers)
                raise ParameterError(f"{name!r} is not a quasi-identifier of this table{hint}")
        return FrequencyTable(
            self.labels,
            self.store.marginal(kept),
            kept,
            self.sensitive,
            self.label_values,
            self.max_rows_per_unit,
            self.dropped_rows,
            harm=self.harm,
            by_hand=self.by_hand,
        )

    def attribute(self, name: str) -> FrequencyTable:
        """The table of one sensitive attribute alone, out of a table of several jointly."""
        if name not in self.sensitive:
            hint = did_you_mean(name, self.sensitive)
            raise ParameterError(f"{name!r} is not a sensitive attribute of this table{hint}")
        if len(self.sensitive) == 1:
            return self
        position = self.sensitive.index(name)
        values = sorted({parts[position] for parts in self.label_values})
        members: dict[str, list[int]] = {value: [] for value in values}
        for k, parts in enumerate(self.label_values):
            members[parts[position]].append(k)
        return FrequencyTable(
            tuple(values),
            self.store.regrouped(list(members.values())),
            self.quasi_identifiers,
            (name,),
            (),
            self.max_rows_per_unit,
            self.dropped_rows,
            joint=self,
            harm=self.harm,
        )

    def to_pandas(self, wide: bool = False, count: str = "count") -> Any:
        """The counts as a pandas data frame: true data.

        One row per cell and label, with the quasi-identifiers (or the number of the cell, if it has no name), the
        sensitive attributes and the column ``count``; what cannot occur is left out. ``wide`` makes one row per cell
        and one column per label instead, without a number where a label cannot occur.
        """
        cells: dict[str, Any] = {**self.cells()} if self.quasi_identifiers else {"cell": list(range(self.n_cells))}
        added = self.labels if wide else (*self.sensitive, count)
        if both := [name for name in added if name in cells]:
            raise DataError(
                f"two columns of the data frame would be called {both[0]!r}",
                remedy="ask for the other form of it" if both[0] != count else "give `count` another name",
            )
        if wide:
            columns = zip(self.labels, self.vectors.T.tolist(), strict=True)
            counts = {label: [n if n != STRUCTURAL_ZERO else None for n in numbers] for label, numbers in columns}
            return data_frame(cells | counts, instead=".counts").astype(dict.fromkeys(self.labels, "Int64"))
        rows, labels = np.nonzero(self.vectors != STRUCTURAL_ZERO)
        long = {name: [values[i] for i in rows] for name, values in cells.items()}
        long |= {name: [self.label_values[k][j] for k in labels] for j, name in enumerate(self.sensitive)}
        return data_frame(long | {count: self.vectors[rows, labels]}, instead=".counts")

    def __repr__(self) -> str:
        columns = f"{listed(self.quasi_identifiers)} by {listed(self.sensitive)}: " if self.quasi_identifiers else ""
        cells = f"{self.n_cells} {verb(self.n_cells, 'cell', 'cells')}"
        labels = f"{self.n_labels} {verb(self.n_labels, 'label', 'labels')}"
        records = f"{self.n_records} {verb(self.n_records, 'record', 'records')}"
        return one_line(self, f"{columns}{cells} x {labels}", records)

    def _repr_html_(self) -> str:
        facts = {
            "quasi-identifiers": listed(self.quasi_identifiers) or "not named",
            "sensitive": listed(self.sensitive),
            "labels": self.n_labels,
            "cells": self.n_cells,
            "records": self.n_records,
        }
        return table_html("Frequency table", facts, internal=True)


def checked_table(table: object, parameter: str = "table") -> FrequencyTable:
    """``table``, refused with the way to make one unless it is a frequency table; public functions begin with this."""
    if isinstance(table, FrequencyTable):
        return table
    raise ParameterError(
        f"must be a frequency table, not {kind_of(table)}",
        parameter=parameter,
        remedy="make one with read_table(data, schema), or of ready counts with FrequencyTable.from_counts(counts)",
    )


def _count_matrix(counts: npt.ArrayLike) -> IntArray:
    """Counts as a non-empty int64 matrix; anything that is not a count is refused."""
    try:
        raw = np.asarray(counts)
        numeric = raw if raw.dtype.kind in "iu" else raw.astype(np.float64)
    except (TypeError, ValueError):
        raise DataError("counts must be a rectangular matrix of whole numbers") from None
    if raw.ndim != 2 or raw.shape[0] == 0:
        raise DataError(
            f"counts must be a matrix with one row per cell and one column per label, got shape {raw.shape}"
        )
    whole = numeric is raw
    if not whole and (odd := int((~np.isfinite(numeric)).sum())) > 0:
        raise DataError(f"{counted(odd, 'count')} {verb(odd)} missing or infinite; counts must be whole numbers >= 0")
    if not whole and (fractional := int((numeric != np.floor(numeric)).sum())) > 0:
        raise DataError(
            f"{counted(fractional, 'count')} {verb(fractional)} fractional; counts must be whole numbers >= 0"
        )
    if numeric.min(initial=0) < 0:
        negative = int((numeric < 0).sum())
        raise DataError(f"{counted(negative, 'count')} {verb(negative)} negative; counts must be whole numbers >= 0")
    largest = numeric.max(initial=0)
    if largest == 0:
        raise DataError("all cells are empty; there is nobody to protect")
    if largest > 2**53:
        raise DataError("counts above 2**53 are not supported")
    return raw.astype(np.int64)
