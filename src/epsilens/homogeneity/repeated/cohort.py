"""The people of one cohort and everything published about them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.repeated.attributes import (
    MOST_ATTRIBUTES,
    attribute_groups,
    signed_subsets,
    value_counts,
    worst_given_away,
)
from epsilens.homogeneity.repeated.cells import finest_of, rows_of
from epsilens.homogeneity.repeated.independent import Independent, OfCoarserCells, Slab, caught, each_caught
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, independents
from epsilens.table.frequency import FrequencyTable

_AT_ONCE = 64
"""Combinations of values that are looked at together."""


@dataclass(frozen=True, eq=False)
class Cohort:
    """The releases of one cohort, seen from the cells of the finest table among them."""

    name: str
    releases: dict[str, AnyRelease]
    finest: FrequencyTable
    counts: dict[str, IntArray]
    """By attribute: (cells of ``finest``, values), from the finest table that has the attribute."""
    values: dict[str, tuple[str, ...]]
    """By attribute: what ``counts`` counts. A table of other people may lack a value that nobody in it has."""
    harm: dict[str, FloatArray]
    """By attribute: how much each of these values harms, the same in every release."""
    independents: list[Independent]

    @staticmethod
    def of(cohort: str, by_name: Mapping[str, AnyRelease], later: Cohort | None = None) -> Cohort:
        """The cohort of that name among all releases; ``later`` is the same one when some more were published."""
        mine = {name: release for name, release in by_name.items() if cohort in release.cohorts}
        tables = [release.of_cohort(cohort) for release in mine.values() if isinstance(release, Release)]
        if not tables:
            raise ParameterError(
                f"cohort {cohort!r} has cell sizes only, which disclose no attribute", remedy="add a table of counts"
            )
        finest = finest_of(tables)
        counts: dict[str, IntArray] = {}
        values: dict[str, tuple[str, ...]] = {}
        harm: dict[str, FloatArray] = {}
        for attribute in dict.fromkeys(a for table in tables for a in table.sensitive):
            speaking = [table for table in tables if attribute in table.sensitive]
            if len({_values_with_people(table, attribute) for table in speaking}) > 1:
                raise ParameterError(f"attribute {attribute!r} must have the same values in every release")
            every = sorted({value for table in speaking for value in attribute_groups(table, attribute)})
            own = finest_of(speaking)
            found, by_value = value_counts(own, attribute)
            counts[attribute] = np.zeros((finest.n_cells, len(every)), dtype=np.int64)
            counts[attribute][:, [every.index(value) for value in found]] = by_value[rows_of(finest, own)]
            values[attribute] = tuple(every)
            harm[attribute] = weights_in_all(speaking, attribute, every)
        known = None if later is None else later._seen_from(finest)
        return Cohort(cohort, mine, finest, counts, values, harm, known or independents(mine, cohort, finest))

    def _seen_from(self, coarser: FrequencyTable) -> list[Independent] | None:
        """The independent parts from the cells of another table; None where some of these have none of ours in them."""
        rows, examples = np.unique(rows_of(self.finest, coarser), return_index=True)
        if len(rows) < coarser.n_cells:
            return None
        return [OfCoarserCells(part, examples, self.finest.n_cells) for part in self.independents]

    @property
    def attributes(self) -> tuple[str, ...]:
        """The sensitive attributes, in the order in which they were first published."""
        return tuple(self.counts)

    def tables(self) -> dict[str, FrequencyTable]:
        """The tables published, by the name of the release; they may count the people of other cohorts as well."""
        return {name: release.table for name, release in self.releases.items() if isinstance(release, Release)}

    def _groups(self, table: FrequencyTable, attribute: str) -> dict[str, list[int]]:
        """Which labels of a table carry each value; none carry one that the table does not list."""
        groups = attribute_groups(table, attribute)
        return {value: groups.get(value, []) for value in self.values[attribute]}

    def risk(self, attribute: str, match: str) -> FloatArray:
        """The probability that at least one release gives the attribute away, per cell; see ``sequence``."""
        held, harm = match_weights(self.counts[attribute], match), self.harm[attribute]
        slabs = {
            name: [frozenset(members) for members in self._groups(table, attribute).values()]
            for name, table in self.tables().items()
            if attribute in table.sensitive
        }
        if match == "any":
            return worst_given_away(
                [harm],
                lambda least: caught(
                    self.independents,
                    {
                        name: [Slab(s, held[:, y] * (harm[y] >= least)) for y, s in enumerate(by_value)]
                        for name, by_value in slabs.items()
                    },
                ),
                len(held),
            )
        counted = [y for y, share in enumerate(held.T) if share.any() and harm[y] > 0]
        alone = [
            {name: [Slab(by_value[y], (held[:, y] > 0).astype(np.float64))] for name, by_value in slabs.items()}
            for y in counted
        ]
        risk = np.zeros(len(held))
        for y, chance in zip(counted, each_caught(self.independents, alone), strict=True):
            risk += harm[y] * held[:, y] * chance
        return np.clip(risk, 0.0, harm.max())

    def shown_alone(self, attribute: str) -> FloatArray:
        """P(at least one release shows the value alone), as (cells of ``finest``, values)."""
        everywhere = np.ones(self.finest.n_cells)
        groups = {
            name: self._groups(table, attribute)
            for name, table in self.tables().items()
            if attribute in table.sensitive
        }
        alone = [
            {name: [Slab(frozenset(labels[value]), everywhere)] for name, labels in groups.items()}
            for value in self.values[attribute]
        ]
        return as_floats(np.stack(each_caught(self.independents, alone), axis=1))

    def some_attribute(self, match: str) -> FloatArray:
        """The probability that at least one release gives at least one attribute away, per cell."""
        if len(self.attributes) > MOST_ATTRIBUTES:
            raise ParameterError(
                f"at most {MOST_ATTRIBUTES} sensitive attributes",
                got=len(self.attributes),
                remedy="use the maximum and the sum for more",
            )
        if match == "any":
            return worst_given_away(list(self.harm.values()), self._some_held_value, self.finest.n_cells)
        return self._some_value_of_a_member()

    def _some_held_value(self, least: float) -> FloatArray:
        """Within a release, inclusion and exclusion over the sets of attributes it may give away at once.

        Of values that weigh ``least`` or more.
        """
        slabs: dict[str, list[Slab]] = {}
        for name, table in self.tables().items():
            groups = {attribute: self._groups(table, attribute) for attribute in table.sensitive}
            slabs[name] = []
            for chosen, sign in signed_subsets(table.sensitive):
                for places in product(*(range(len(groups[attribute])) for attribute in chosen)):
                    weight = np.full(self.finest.n_cells, sign)
                    members = []
                    for attribute, y in zip(chosen, places, strict=True):
                        weight = weight * ((self.counts[attribute][:, y] > 0) & (self.harm[attribute][y] >= least))
                        members.append(list(groups[attribute].values())[y])
                    if weight.any() and (labels := frozenset.intersection(*map(frozenset, members))):
                        slabs[name].append(Slab(labels, weight))
        return caught(self.independents, slabs)

    def _some_value_of_a_member(self) -> FloatArray:
        """For a member with given values of all attributes; then averaged over the members of the cell."""
        own_tables = [r.of_cohort(self.name) for r in self.releases.values() if isinstance(r, Release)]
        joint = [
            table
            for table in own_tables
            if set(table.sensitive) == set(self.attributes) and table.n_cells == self.finest.n_cells
        ]
        if not joint:
            raise ParameterError(
                "whether a random member's attributes are given away depends on how they go together in the finest "
                "cells, which no release tells that lacks one of them",
                remedy="add a joint table, or use `match=any`",
            )
        own = joint[0]
        shares = match_weights(own.vectors, "share")[rows_of(self.finest, own)]
        combinations = [
            (dict(zip(own.sensitive, values, strict=True)), share)
            for values, share in zip(own.label_values, shares.T, strict=True)
            if share.any()
        ]

        def given_away(least: float) -> FloatArray:
            """P(something that weighs ``least`` or more is given away of a random member)."""
            risk = np.zeros(self.finest.n_cells)
            for first in range(0, len(combinations), _AT_ONCE):
                some = combinations[first : first + _AT_ONCE]
                several = [self._about_a_member(has, least, (share > 0).astype(np.float64)) for has, share in some]
                for (_, share), chance in zip(some, each_caught(self.independents, several), strict=True):
                    risk += share * chance
            return risk

        return worst_given_away(list(self.harm.values()), given_away, self.finest.n_cells)

    def _about_a_member(self, has: Mapping[str, str], least: float, some: FloatArray) -> dict[str, list[Slab]]:
        """What gives a member of some cells away who has these values, those that weigh ``least`` or more."""
        heavy = [a for a, value in has.items() if self.harm[a][self.values[a].index(value)] >= least]
        slabs = {}
        for name, table in self.tables().items():
            own = [a for a in table.sensitive if a in heavy]
            groups = {a: frozenset(self._groups(table, a)[has[a]]) for a in own}
            slabs[name] = [
                Slab(frozenset.intersection(*(groups[a] for a in chosen)), some if sign > 0 else -some)
                for chosen, sign in signed_subsets(own)
            ]
        return slabs


def weights_in_all(tables: Sequence[FrequencyTable], attribute: str, values: Sequence[str]) -> FloatArray:
    """How much the values of an attribute harm, refused unless all releases say the same."""
    found = {tuple(table.harm.weight(attribute, value) for value in values) for table in tables}
    if len(found) > 1:
        raise ParameterError(
            f"the same values of attribute {attribute!r} must be harmful in every release",
            remedy="declare `harmful` alike for all tables",
        )
    return as_floats(next(iter(found)))


def _values_with_people(table: FrequencyTable, attribute: str) -> tuple[str, ...]:
    values, counts = value_counts(table, attribute)
    people = np.maximum(counts, 0).sum(axis=0)
    return tuple(value for value, number in zip(values, people, strict=True) if number > 0)
