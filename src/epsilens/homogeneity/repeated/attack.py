"""Repeated publication: what all releases together give away.

The attacker sees every release. Two attacks, both with the noises actually added:

* :func:`sequence`: *at least one* release shows a single value, and it is right. Releases with noise of their own are
  independent, so this is exact; it is an upper bound for every attacker who believes one of the releases.
* :func:`pooled`: releases of the same counts are averaged by precision and the mean is read like a release.

``published.sequence`` is the evaluation in print: each release at the cumulative budget, one noise only.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from epsilens.accounting.composition import Composable, Composition, compose, compose_parallel
from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import Budget
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import average
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.repeated.attributes import (
    Overall,
    attribute_groups,
    overall,
    value_counts,
)
from epsilens.homogeneity.repeated.cells import rows_of
from epsilens.homogeneity.repeated.cohort import Cohort, weights_in_all
from epsilens.homogeneity.repeated.pooling import WholeNumberNoise, pooled_noise
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease, named
from epsilens.homogeneity.shown import shown_alone
from epsilens.noise.law import has_privacy_loss
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class CohortRisk:
    """One group of people: the risk of every attribute in every cell of their finest table."""

    cohort: str
    table: FrequencyTable
    attributes: tuple[str, ...]
    risks: FloatArray
    """(cells of ``table``, attributes)."""
    releases: tuple[AnyRelease, ...]

    __repr__ = brief

    def overall(self, kind: Overall = "max") -> FloatArray:
        """One risk per cell: the largest over the attributes, or their sum."""
        return overall(self.risks, kind)

    def average(self, kind: Overall = "max", weighted: bool = True) -> float:
        """:meth:`overall`, averaged over people or over cells."""
        return average(self.overall(kind), self.table, weighted)

    def spent(self, delta: float | None = None) -> Composition:
        """What the cohort's releases cost together, by every rule."""
        return total_cost(self.releases, delta)


@dataclass(frozen=True, eq=False)
class SequenceRisk:
    """The risk after all releases, cohort by cohort."""

    cohorts: tuple[CohortRisk, ...]

    __repr__ = brief

    def __getitem__(self, cohort: str) -> CohortRisk:
        """One cohort by name."""
        names = [group.cohort for group in self.cohorts]
        return self.cohorts[names.index(one_of("cohort", cohort, names))]

    def average(self, kind: Overall = "max") -> float:
        """Over the people of all cohorts."""
        people = np.array([group.table.n_records for group in self.cohorts], dtype=np.float64)
        return float(people @ [group.average(kind) for group in self.cohorts] / people.sum())

    def spent(self, delta: float | None = None) -> Composition:
        """:func:`total_cost` of all releases."""
        every = {id(release): release for group in self.cohorts for release in group.releases}
        return total_cost(list(every.values()), delta)


def sequence(releases: Sequence[AnyRelease], match: str = "share") -> SequenceRisk:
    """The probability, per cell and attribute, that at least one release gives the attribute away.

    ``match="share"``: sum over y of (n_y / n) [1 - prod over releases (1 - P(the release shows y alone))], the
    probability for a random member; ``"any"``: 1 - prod over releases (1 - sum over y held by somebody of
    P(the release shows y alone)). A joint table shows y alone when every combination shown has it. New attributes are
    new columns of ``table.sensitive``; new quasi-identifiers make finer cells, and a person's coarser cells count
    too; new people are a new ``cohort``. A table may count several cohorts: what it shows is then about all of them,
    n_y and n are those of the person's own cohort, and a release without the person's cohort says nothing about them.
    Releases fitted to one another are combined exactly: whole chains, several fitted to one parent, and finer cells
    fitted to coarser ones.
    Where values harm differently, value y counts w_y times; for ``"any"``, where releases may give different values
    away, the worst of them counts (:func:`epsilens.homogeneity.repeated.attributes.worst_given_away`).

    Source: P0 section 4.3.
    Assumes that every release has independent noise of its own; fitted ones share the gap to their parent evenly, as in
    ``shared_gap``; the attacker knows in which releases the person is, reads each by itself and does not take one from
    another (for that see ``differences``).
    Departs from print (P0-11): there each release is evaluated at the cumulative budget, as if its noise were that
    small; here the noises actually added are combined. For print see ``published.sequence``.
    """
    one_of("match", match, ("any", "share"))
    by_name = named(releases)
    cohorts = [Cohort.of(cohort, by_name) for cohort in cohorts_of(by_name.values())]
    return SequenceRisk(tuple(_cohort_risk(published, match) for published in cohorts))


def at_least_one_of_sequence(releases: Sequence[AnyRelease], match: str = "share") -> dict[str, FloatArray]:
    """The probability that at least one release gives away at least one attribute: per cohort, per cell of its finest.

    1 - prod over independent parts of P(the part gives nothing away), by inclusion and exclusion over the sets of
    attributes that a release shows at once and, among releases fitted to one another, over releases. ``match="share"``:
    for a random member, all of whose values must be known from one joint table; ``"any"``: values held by somebody.
    It lies between the maximum over the attributes and their sum (``CohortRisk.overall``). Of several values given away
    the most harmful counts.

    Source: P0 section 4.3.
    Assumes what :func:`sequence` assumes.
    Departs from print (P0-11): there only the maximum and the sum are given.
    """
    one_of("match", match, ("any", "share"))
    by_name = named(releases)
    return {cohort: Cohort.of(cohort, by_name).some_attribute(match) for cohort in cohorts_of(by_name.values())}


def growth(releases: Sequence[AnyRelease], match: str = "share") -> list[SequenceRisk]:
    """:func:`sequence` after the first table, after the second, and so on.

    With ``match="share"`` nobody's risk ever falls. Cell sizes alone disclose nothing and make no step of their own.
    """
    return growth_and_cohorts(releases, match)[0]


def growth_and_cohorts(
    releases: Sequence[AnyRelease], match: str = "share"
) -> tuple[list[SequenceRisk], dict[str, Cohort]]:
    """:func:`growth`, and the cohorts after the last table, by name: what is known of them need not be found anew."""
    in_order = [replace(release, name=name) for name, release in named(releases).items()]  # parts keep their names
    ends = [i for i, release in enumerate(in_order, 1) if isinstance(release, Release)]
    last: dict[str, Cohort] = {}
    steps = []
    for end in reversed(ends):  # a release says the same about those before, whether it was published or not
        by_name = {earlier.name: earlier for earlier in in_order[:end]}
        tabled = cohorts_of(earlier for earlier in in_order[:end] if isinstance(earlier, Release))
        cohorts = {cohort: Cohort.of(cohort, by_name, last.get(cohort)) for cohort in tabled}
        steps.append(SequenceRisk(tuple(_cohort_risk(published, match) for published in cohorts.values())))
        last = last or cohorts
    return steps[::-1], last


def total_cost(releases: Sequence[AnyRelease], delta: float | None = None) -> Composition:
    """What the releases cost, by every rule: composed over those that count a cohort, and that of the costliest cohort.

    Releases that disclose nothing by themselves, such as cell sizes, cost their budget like the others. The noise of
    every release is known, so that privacy losses are composed by their own laws.
    """
    neighbours = [release.neighbours for release in releases]
    compose(budgets_of(releases), None, neighbours, rules=["basic"])  # all of one kind of neighbours?
    groups = [[release for release in releases if cohort in release.cohorts] for cohort in cohorts_of(releases)]
    most = max([release.table.max_rows_per_unit for release in releases if release.table is not None], default=1)
    known: list[list[Composable]] = [
        [
            (r.noise, budget) if has_privacy_loss(r.noise) else budget
            for r, budget in zip(group, budgets_of(group), strict=True)
        ]
        for group in groups
    ]
    rows = [[most if r.table is None else r.table.max_rows_per_unit for r in group] for group in groups]
    if len(groups) == 1:
        return compose(known[0], delta, neighbours[0], max_rows_per_unit=rows[0])
    return compose_parallel(known, delta, neighbours[0], max_rows_per_unit=rows)


def pooled(releases: Sequence[Release], attribute: str | None = None, match: str = "share") -> FloatArray:
    """The probability, per cell, that the precision-weighted mean of the releases shows a single value, the right one.

    The attacker estimates the count of each value y from every release (from a joint table as the sum over the
    combinations with y), averages the estimates by precision, rounds half up and reads the cell:
    risk = sum over y of w_y m_y P(the mean shows y alone), with harm w_y and m_y as in ``local``. See ``pooled_noise``
    for the law.

    Source: P0 section 4.3.
    Assumes the same cells in all releases; independent noise; counts published before clipping at 0.
    Departs from print (P0-11): the noises actually added are combined.
    """
    by_name = named(releases)
    if any(isinstance(release, SizeRelease) or release.parent is not None for release in by_name.values()):
        raise ParameterError(
            "pooling takes tables with independent noise", remedy="leave out sizes and fitted releases"
        )
    tables = [release.table for release in releases]
    chosen = attribute if attribute is not None else tables[0].sensitive[0]
    for table in tables:
        one_of("attribute", chosen, table.sensitive)
        if len(table.sensitive) > 1 and (table.vectors < 0).any():
            raise ParameterError(
                "pooling joint tables with structural zeros is not computed", remedy="pool tables of one attribute"
            )
    values, counts = value_counts(tables[0], chosen)
    rows = [rows_of(tables[0], table) for table in tables]
    for table, there in zip(tables, rows, strict=True):
        theirs, their_counts = value_counts(table, chosen)
        if theirs != values or not np.array_equal(their_counts[there], counts):
            raise ParameterError(
                f"pooling needs the same counts of {chosen!r} in every release",
                remedy="new people or new cells are a sequence",
            )
    copies = [[len(members) for members in attribute_groups(table, chosen).values()] for table in tables]
    noises = tuple(release.noise for release in releases)

    @lru_cache
    def law(number: tuple[int, ...]) -> WholeNumberNoise:
        return pooled_noise(noises, number)

    columns = [law(tuple(release_copies[y] for release_copies in copies)) for y in range(len(values))]
    impossible = counts < 0
    points = 0.5 - counts
    shown = np.stack([law_y.sf(points[:, y]) for y, law_y in enumerate(columns)], axis=1)
    hidden = np.stack([law_y.cdf(points[:, y]) for y, law_y in enumerate(columns)], axis=1)
    alone = shown_alone(np.where(impossible, 0.0, shown), np.where(impossible, 1.0, hidden))
    return as_floats((match_weights(counts, match) * weights_in_all(tables, chosen, values) * alone).sum(axis=1))


def cohorts_of(releases: Iterable[AnyRelease]) -> list[str]:
    """The cohorts that the releases count, in the order in which they first appear."""
    return list(dict.fromkeys(cohort for release in releases for cohort in release.cohorts))


def _cohort_risk(published: Cohort, match: str) -> CohortRisk:
    risks = np.stack([published.risk(attribute, match) for attribute in published.attributes], axis=1)
    return CohortRisk(published.name, published.finest, published.attributes, risks, tuple(published.releases.values()))


def budgets_of(releases: Sequence[AnyRelease]) -> list[Budget]:
    """The budget of every release."""
    budgets = [release.budget for release in releases]
    if any(budget is None for budget in budgets):
        raise ParameterError(
            f"{budgets.count(None)} of {len(budgets)} releases have no budget", remedy="give each its `budget`"
        )
    return [budget for budget in budgets if budget is not None]
