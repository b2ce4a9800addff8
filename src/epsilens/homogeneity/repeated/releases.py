"""Releases, and which of them depend on one another.

A :class:`Release` is a table published with noise; a :class:`SizeRelease` publishes only how many people a cell has.
People who are in the same releases make a ``cohort``; nobody is in two. A release may count several cohorts in one
table, so that what is published later may be about new people as well, or about some of the earlier ones only. A
release may be fitted to an earlier one (``parent``): its counts are then adjusted to add up to the parent's (see
``shared_gap``). Any number may be fitted to one parent, and a fitted one may be a parent in turn.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from epsilens.arrays import IntArray
from epsilens.budget import NEIGHBOURS, Budget
from epsilens.checks import did_you_mean, kind_of, one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.cells import holding_rows, rows_of, together
from epsilens.homogeneity.repeated.fitted import Lineage
from epsilens.homogeneity.repeated.independent import Independent, IndependentLineage, IndependentRelease
from epsilens.homogeneity.repeated.nodes import Fitted, Level
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable, checked_table


@dataclass(frozen=True, eq=False)
class Release:
    """One published table: what was counted, with which noise, at what cost."""

    table: FrequencyTable
    noise: AnyNoise
    budget: Budget | None = None
    neighbours: str = "add-remove"
    name: str = ""
    cohort: str = ""
    parent: str | None = None
    """The name of an earlier release, with fewer sensitive attributes or coarser cells (or both), to whose counts these
    were made to add up."""
    parts: Mapping[str, FrequencyTable] | None = None
    """Where the table counts several cohorts: the people of each by its name, with the labels of the table."""

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_table(self.table)
        checked_noise(self.noise)
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        if self.parts is not None:
            _check_sum(self.table, self.parts, self.cohort)

    @staticmethod
    def of_several(parts: Mapping[str, FrequencyTable], noise: AnyNoise, **further: Any) -> Release:
        """One table of several cohorts, given as the table of each; ``further`` as in the constructor."""
        table, aligned = together(parts)
        return Release(table, noise, parts=aligned, **further)

    @property
    def cohorts(self) -> tuple[str, ...]:
        """Whose people are counted."""
        return (self.cohort,) if self.parts is None else tuple(self.parts)

    def of_cohort(self, cohort: str) -> FrequencyTable:
        """The people of one cohort, counted as the release counts them."""
        return self.table if self.parts is None else self.parts[one_of("cohort", cohort, self.parts)]

    def rows(self, cohort: str, finest: FrequencyTable) -> IntArray:
        """For every cell of a cohort's ``finest`` table the row of the published table that holds it."""
        own = self.of_cohort(cohort)
        rows = rows_of(finest, own)
        return rows if own is self.table else holding_rows(own, self.table)[rows]


@dataclass(frozen=True, eq=False)
class SizeRelease:
    """The number of people in every cell, published with noise; it says nothing about labels."""

    noise: AnyNoise
    budget: Budget | None = None
    neighbours: str = "add-remove"
    name: str = ""
    cohort: str | tuple[str, ...] = ""
    """Whose people are counted: one cohort, or several together."""
    table: FrequencyTable | None = None
    """Whose cells were counted; if not given, those of the first release fitted to the sizes."""

    __repr__ = brief

    def __post_init__(self) -> None:
        checked_noise(self.noise)
        if self.table is not None:
            checked_table(self.table)
        one_of("neighbours", self.neighbours, NEIGHBOURS)

    @property
    def cohorts(self) -> tuple[str, ...]:
        """Whose people are counted."""
        return (self.cohort,) if isinstance(self.cohort, str) else tuple(self.cohort)


AnyRelease: TypeAlias = Release | SizeRelease


def named(releases: Sequence[AnyRelease]) -> dict[str, AnyRelease]:
    """Releases by name, "release 1", "release 2", ... where none was given."""
    if not releases:
        raise ParameterError("must hold at least one release, got an empty list", parameter="releases")
    by_name: dict[str, AnyRelease] = {}
    for i, release in enumerate(releases, 1):
        if not isinstance(release, Release | SizeRelease):
            raise ParameterError(
                f"must be releases, not {kind_of(release)}", parameter="releases", remedy="give Release(table, noise)"
            )
        name = release.name or f"release {i}"
        if name in by_name:
            raise ParameterError(f"releases must have different names, got {name!r} twice")
        if isinstance(release, Release):
            _check_parent(name, release, by_name)
        by_name[name] = release
    if all(isinstance(release, SizeRelease) for release in releases):
        raise ParameterError("cell sizes alone disclose no attribute", remedy="add a table of counts")
    return by_name


def independents(by_name: Mapping[str, AnyRelease], cohort: str, finest: FrequencyTable) -> list[Independent]:
    """The independent parts of the releases that count one cohort, as seen from the cells of its finest table."""
    fitted: dict[str, list[str]] = {name: [] for name in by_name}
    for name, release in by_name.items():
        if isinstance(release, Release) and release.parent is not None:
            fitted[release.parent].append(name)
    found: list[Independent] = []
    for name, release in by_name.items():
        if isinstance(release, Release) and release.parent is not None:
            continue
        family = [name]
        for member in family:  # grows while it is walked through
            family.extend(fitted[member])
        if len(family) > 1:
            found.append(_lineage({member: by_name[member] for member in by_name if member in family}, cohort, finest))
        elif isinstance(release, Release):
            rows = release.rows(cohort, finest)
            found.append(IndependentRelease(name, release.noise, release.table.vectors, rows))
    return found


def _check_sum(table: FrequencyTable, parts: Mapping[str, FrequencyTable], cohort: str) -> None:
    """Refuse parts that are not the table's: everything else would be computed about other people."""
    if cohort:
        raise ParameterError("is named by `parts` where a table counts several", parameter="cohort", got=cohort)
    whole, aligned = together(parts)
    same = (whole.quasi_identifiers, whole.label_values) == (table.quasi_identifiers, table.label_values)
    same = same and all(part.labels == aligned[name].labels for name, part in parts.items())
    if not same or whole.cells() != table.cells() or not np.array_equal(whole.counts, table.counts):
        raise ParameterError(
            "must add up to the table, with its columns and labels",
            parameter="parts",
            remedy="make the release with Release.of_several(parts, noise)",
        )


def _check_parent(name: str, release: Release, earlier: Mapping[str, AnyRelease]) -> None:
    if release.parent is None:
        return
    if release.parent not in earlier:
        raise ParameterError(
            f"{name!r} is fitted to {release.parent!r}, which is not an earlier release"
            f"{did_you_mean(release.parent, earlier)}"
        )
    parent = earlier[release.parent]
    if set(parent.cohorts) != set(release.cohorts):
        raise ParameterError(f"{name!r} and its parent {release.parent!r} must be about the same cohort")
    if parent.table is None:
        return
    for column in parent.table.quasi_identifiers:
        if column not in release.table.quasi_identifiers:
            raise ParameterError(
                f"{name!r} must have every quasi-identifier of its parent {release.parent!r}, but has no {column!r}"
                f"{did_you_mean(column, release.table.quasi_identifiers)}"
            )
    if isinstance(parent, SizeRelease):
        return
    more_attributes = set(parent.table.sensitive) < set(release.table.sensitive)
    finer = set(parent.table.quasi_identifiers) < set(release.table.quasi_identifiers)
    if not (more_attributes or (finer and set(parent.table.sensitive) == set(release.table.sensitive))):
        raise ParameterError(
            f"{name!r} must have every sensitive attribute of its parent {release.parent!r}, and more of them or more "
            "quasi-identifiers"
        )


def _lineage(family: Mapping[str, AnyRelease], cohort: str, finest: FrequencyTable) -> IndependentLineage:
    """The lineage of a root and its descendants, in the order of publication."""
    places = {name: i for i, name in enumerate(family)}
    tables: list[_Counts] = []
    rows: list[IntArray] = []
    levels = []
    for name, release in family.items():
        if isinstance(release, SizeRelease):
            counted = release.table
            if counted is None:
                counted = next(r.table for r in family.values() if isinstance(r, Release) and r.parent == name)
            tables.append(_Counts(name, counted, counted.counts.sum(axis=1, keepdims=True), (), ((),)))
            rows.append((holding_rows if len(release.cohorts) > 1 else rows_of)(finest, counted))
        else:
            table = release.table
            tables.append(_Counts(name, table, table.vectors, table.sensitive, table.label_values))
            rows.append(release.rows(cohort, finest))
        fitted = None
        if isinstance(release, Release) and release.parent is not None:
            parent = places[release.parent]
            parent_label, kappa = _parts(tables[-1], tables[parent])
            fitted = Fitted(parent, parent_label, kappa[rows[parent]])
        levels.append(Level(release.noise, tables[-1].vectors[rows[-1]], fitted))
    n_labels = tuple(counts.vectors.shape[1] for counts in tables)
    return IndependentLineage(tuple(family), n_labels, Lineage(levels))


@dataclass(frozen=True, eq=False)
class _Counts:
    """What a release publishes: a table, or its cell sizes as a table of a single label without attributes."""

    name: str
    table: FrequencyTable
    vectors: IntArray
    sensitive: tuple[str, ...]
    label_values: tuple[tuple[str, ...], ...]


def _parts(child: _Counts, parent: _Counts) -> tuple[IntArray, IntArray]:
    """For each label of the child its label in the parent; for each count of the parent how many parts it may have."""
    places = [child.sensitive.index(attribute) for attribute in parent.sensitive]
    position = {values: k for k, values in enumerate(parent.label_values)}
    parent_label = np.array([position.get(tuple(parts[p] for p in places), -1) for parts in child.label_values])
    if (parent_label < 0).any():
        raise ParameterError(
            f"every attribute of {parent.name!r} must have the same values in {child.name!r}, which is fitted to it"
        )
    rows = rows_of(child.table, parent.table)
    shape = parent.vectors.shape
    kappa, total = np.zeros(shape, dtype=np.int64), np.zeros(shape, dtype=np.int64)
    for k, label in enumerate(parent_label.tolist()):
        counts = child.vectors[:, k]
        kappa[:, label] += np.bincount(rows[counts >= 0], minlength=shape[0])
        total[:, label] += np.bincount(rows, np.maximum(counts, 0), shape[0]).astype(np.int64)
    if not np.array_equal(total, np.maximum(parent.vectors, 0)):
        raise ParameterError(f"the true counts of {child.name!r} must add up to those of its parent {parent.name!r}")
    if (kappa[parent.vectors < 0] > 0).any():
        raise ParameterError(
            f"{parent.name!r} declares labels impossible that {child.name!r}, fitted to it, allows",
            remedy="declare the same structural zeros in both",
        )
    return parent_label, kappa
