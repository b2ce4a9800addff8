"""What somebody has published, beside the truth: the same cells and labels, two numbers each.

The published table may have cells that nobody is in, and lack cells that people are in; with a declared universe every
cell of it has its place, and an absent count is one that was published as 0. Without one, nothing is known of counts
that are in neither table.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from epsilens.arrays import BoolArray, CodeArray, FloatArray, IntArray, as_floats
from epsilens.checks import did_you_mean
from epsilens.errors import DataError, counted, verb
from epsilens.notebook import brief, one_line
from epsilens.table.cells import Cells, cell_names
from epsilens.table.declared_cells import declared_levels_of
from epsilens.table.domain import Domain, encoded
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import Harm

MOST_COUNTS = 2_000_000
"""A declared universe up to this size is listed whole."""
LARGEST_COUNT = 2.0**53


@dataclass(frozen=True, eq=False)
class PublishedCounts:
    """Counts as they were published: ``values[i]`` is that of the cell with the levels ``codes[i]`` of ``domain``."""

    domain: Domain
    codes: CodeArray
    values: FloatArray
    """Any finite numbers; NaN where a count is blank, because it was withheld."""
    rows: int
    """How many rows the published table has."""
    synthetic: bool = False
    """Whether its rows are (synthetic) people, who were counted here."""
    ignored: tuple[str, ...] = ()
    """Columns that nobody asked for."""

    def __repr__(self) -> str:
        return one_line(self, f"{self.domain}: {len(self.values)} counts")

    @staticmethod
    def of(counts: npt.ArrayLike | FrequencyTable, truth: FrequencyTable) -> PublishedCounts:
        """Ready counts: a table, or a matrix of the shape of ``truth.counts`` whose cells and labels are its own."""
        table = counts if isinstance(counts, FrequencyTable) else truth
        names, known = cell_names(table)
        vectors = table.vectors
        try:
            matrix = as_floats(vectors if isinstance(counts, FrequencyTable) else counts)
        except (TypeError, ValueError):
            raise DataError("must be a matrix of numbers, cells x labels", parameter="published") from None
        if matrix.shape != vectors.shape:
            raise DataError(f"must have the shape of the true counts, {vectors.shape}", parameter="published")
        if np.isinf(matrix).any():
            raise DataError("must be finite; a count that was withheld is NaN", parameter="published")
        cell, label = np.nonzero(vectors >= 0)
        sides = [(values, cell) for values in known]
        sides += [([parts[j] for parts in table.label_values], label) for j in range(len(table.sensitive))]
        coded = [encoded(values) for values, _ in sides]
        codes = np.stack([code[where] for (_, code), (_, where) in zip(coded, sides, strict=True)], axis=1)
        domain = Domain((*names, *table.sensitive), tuple(levels for levels, _ in coded))
        if len(domain.distinct(codes)[0]) < len(codes):
            raise DataError("two cells of the published table have the same name; a cell is published once")
        return PublishedCounts(domain, codes, matrix[cell, label], len(codes))


@dataclass(frozen=True, eq=False)
class SideBySide:
    """Published and true counts, cells x labels. Computed from true data: internal."""

    cells: Mapping[str, Sequence[str]]
    """The levels of every cell, one list per quasi-identifier."""
    labels: tuple[str, ...]
    label_values: tuple[tuple[str, ...], ...]
    sensitive: tuple[str, ...]
    label_weights: FloatArray
    """How much it harms to be shown with each label."""
    truth: IntArray
    raw: FloatArray
    """As published, 0 where nothing was; NaN where a count was withheld."""
    listed: BoolArray
    """Whether the published table has this count."""
    possible: BoolArray
    """Whether the count may have people: not a structural zero."""
    declared: bool
    """Whether a universe is declared."""
    harm: Harm = field(default_factory=Harm)
    """Which values harm whoever is shown to have them."""
    unlisted: int = 0
    """Counts of a universe too large to be listed, which are in neither table."""

    __repr__ = brief

    @cached_property
    def read(self) -> IntArray:
        """The published counts as an attacker reads them: rounded half up, negative ones and withheld ones as 0."""
        values = np.where(np.isnan(self.raw), 0.0, self.raw)
        return np.clip(np.floor(values + 0.5), 0.0, LARGEST_COUNT).astype(np.int64)

    def attribute(self, name: str) -> SideBySide:
        """One of several sensitive attributes alone: counts of the others are added up."""
        place = self.sensitive.index(name)
        values = sorted({parts[place] for parts in self.label_values})
        member = np.array([[parts[place] == value for value in values] for parts in self.label_values])
        raw = np.where(self.withheld @ member > 0, np.nan, self.known @ member)
        return SideBySide(
            self.cells,
            tuple(values),
            tuple((value,) for value in values),
            (name,),
            self.harm.of_labels((name,), [(value,) for value in values]),
            self.truth @ member,
            raw,
            self.listed @ member > 0,
            self.possible @ member > 0,
            self.declared,
            self.harm,
        )

    @cached_property
    def withheld(self) -> BoolArray:
        """Blank counts."""
        return np.isnan(self.raw)

    @cached_property
    def people(self) -> int:
        """People of the truth."""
        return int(self.truth.sum())

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """The columns of the cells."""
        return tuple(self.cells)

    @cached_property
    def known(self) -> FloatArray:
        """The published counts, withheld ones as 0."""
        return np.where(self.withheld, 0.0, self.raw)


def side_by_side(truth: FrequencyTable, published: PublishedCounts) -> SideBySide:
    """``published`` beside ``truth``; a column without a common level, or with undeclared ones, is refused."""
    true = Cells.of(truth)
    columns = true.domain.columns
    if published.domain.columns != columns:
        raise DataError(
            f"the published table has the columns {', '.join(published.domain.columns)}, the truth {', '.join(columns)}"
        )
    return _beside(truth, true, published, len(columns) - len(truth.sensitive))


def marginal_beside(truth: FrequencyTable, published: PublishedCounts) -> SideBySide:
    """A published table of some of the columns beside the marginal of the truth; every count is a cell of its own."""
    columns = published.domain.columns
    return _beside(truth, Cells.of(truth).marginal(columns), published, len(columns))


def _beside(truth: FrequencyTable, true: Cells, published: PublishedCounts, split: int) -> SideBySide:
    columns = true.domain.columns
    declared = {name: levels for name, levels in declared_levels_of(truth).items() if name in columns}
    for name in columns:
        _refuse_strange(name, true.domain.levels_of(name), published, declared.get(name))
    domain = Domain(columns, tuple(_levels(name, true.domain, published.domain, declared) for name in columns))
    mine, theirs = _translated(domain, true.domain, true.codes), _translated(domain, published.domain, published.codes)
    known, sensitive = domain.project(columns[:split]), domain.project(columns[split:])
    if declared and domain.size <= MOST_COUNTS:
        cells, labels = known.cells(), sensitive.cells()
    else:
        cells = known.distinct(np.concatenate([mine[:, :split], theirs[:, :split]]))[0]
        every = len(sensitive.columns) < 2 or set(sensitive.columns) <= set(declared)
        labels = sensitive.cells() if every else sensitive.distinct(np.concatenate([mine, theirs])[:, split:])[0]
    shape = len(cells), len(labels)
    here, there = (
        (_found(known, cells, codes[:, :split]), _found(sensitive, labels, codes[:, split:]))
        for codes in (mine, theirs)
    )
    counts, raw, present = np.zeros(shape, dtype=np.int64), np.zeros(shape), np.zeros(shape, dtype=bool)
    counts[here] = true.counts
    raw[there], present[there] = published.values, True
    label_values = tuple(tuple(sensitive.levels[j][int(c)] for j, c in enumerate(row)) for row in labels)
    harm = truth.harm.of_labels(sensitive.columns, label_values) if sensitive.columns else np.ones(1)
    return SideBySide(
        {name: [known.levels[j][int(c)] for c in cells[:, j]] for j, name in enumerate(known.columns)},
        tuple(" | ".join(parts) for parts in label_values),
        label_values,
        sensitive.columns,
        harm,
        counts,
        raw,
        present,
        _possible(truth, domain, cells, labels),
        bool(declared),
        truth.harm,
        max(domain.size - shape[0] * shape[1], 0) if declared else 0,
    )


def _levels(name: str, true: Domain, published: Domain, declared: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    """The levels of both tables, and the declared ones, by code point."""
    return tuple(sorted({*true.levels_of(name), *published.levels_of(name), *declared.get(name, ())}))


def _translated(domain: Domain, own: Domain, codes: CodeArray) -> CodeArray:
    """The codes of cells in a larger domain of the same columns."""
    columns = [domain.coded(name, own.levels_of(name))[codes[:, j]] for j, name in enumerate(own.columns)]
    return np.stack(columns, axis=1)


def _found(domain: Domain, rows: CodeArray, codes: CodeArray) -> IntArray:
    """Where each of ``codes`` stands among ``rows``, which are in order."""
    _, group = domain.distinct(np.concatenate([rows, codes]))
    return group[len(rows) :]


def _possible(truth: FrequencyTable, domain: Domain, cells: CodeArray, labels: CodeArray) -> BoolArray:
    """Which counts are not ruled out by a structural zero."""
    every = () if truth.schema is None else truth.schema.impossible
    rules = [rule for rule in every if set(rule) <= set(domain.columns)]
    allowed = np.ones((len(cells), len(labels)), dtype=bool)
    if not rules:
        return allowed
    for k, label in enumerate(labels):
        codes = np.concatenate([cells, np.broadcast_to(label, (len(cells), len(label)))], axis=1)
        for rule in rules:
            allowed[:, k] &= ~domain.matches(rule, codes)
    return allowed


def _refuse_strange(name: str, true: Sequence[str], published: PublishedCounts, declared: Sequence[str] | None) -> None:
    own = published.domain.levels_of(name)
    if declared is not None:
        strange = sorted({*own} - {*declared})
        if strange:
            axis = published.domain.axis(name)
            codes = published.domain.coded(name, strange)
            rows = int(np.isin(published.codes[:, axis], codes).sum())
            raise DataError(
                f"column {name!r} of the published table has {counted(len(strange), 'level')} in "
                f"{counted(rows, 'cell')} that its universe does not declare{did_you_mean(strange[0], declared)}"
            )
        return
    if not {*own} & {*true}:
        raise DataError(
            f"column {name!r} of the published table has {counted(len(own), 'level')}, and the truth "
            f"{verb(len(true), 'has another one', f'has {len(true):,} others')}: they share none",
            remedy="are `bins`, or the texts that mean missing, those of the publication?",
        )
