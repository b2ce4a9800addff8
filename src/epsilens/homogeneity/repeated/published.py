"""Repeated publication as the print evaluates it: each release at the cumulative budget, with one noise only."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from epsilens.accounting.composition import compose
from epsilens.arrays import FloatArray
from epsilens.budget import Budget
from epsilens.checks import one_of
from epsilens.homogeneity.local import local
from epsilens.homogeneity.repeated.attack import CohortRisk, budgets_of
from epsilens.homogeneity.repeated.cells import finest_of, rows_of
from epsilens.homogeneity.repeated.releases import AnyRelease, SizeRelease, named
from epsilens.noise import MECHANISMS, calibrate
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable

TableMeasure: TypeAlias = Callable[[FrequencyTable, AnyNoise], FloatArray]


@dataclass(frozen=True, eq=False)
class PublishedStep:
    """The state after one release, evaluated as in print."""

    name: str
    cumulative: Budget
    noise: AnyNoise
    risk: CohortRisk

    __repr__ = brief


def sequence(
    releases: Sequence[AnyRelease],
    mechanism: str,
    rule: str = "basic",
    delta: float | None = None,
    measure: TableMeasure = local,
) -> dict[str, list[PublishedStep]]:
    """The evaluation in print: each attribute at the cumulative budget of the release that brought it, per cohort.

    rho_j = the measure of the table of Y_j alone under the noise that ``mechanism`` would add for
    budget_0 o budget_1 o ... o budget_j, composed by ``rule``. A release with new quasi-identifiers, or without any new
    attribute, re-evaluates its attributes at the budget spent by then. Of a table that counts several cohorts each is
    evaluated as if it had been published alone.

    Source: P0 section 4.3.
    Assumes, as the print does, that one noise of the cumulative budget protects the release; it does not (P0-11), so
    this is neither a bound nor an approximation of ``repeated.sequence``. ``measure`` may be a printed one.
    """
    one_of("mechanism", mechanism, MECHANISMS)
    by_name = named(releases)
    steps: dict[str, list[PublishedStep]] = {}
    for cohort in dict.fromkeys(c for release in by_name.values() for c in release.cohorts):
        mine = {name: release for name, release in by_name.items() if cohort in release.cohorts}
        steps[cohort] = _steps(cohort, mine, mechanism, rule, delta, measure)
    return steps


def _steps(
    cohort: str, mine: dict[str, AnyRelease], mechanism: str, rule: str, delta: float | None, measure: TableMeasure
) -> list[PublishedStep]:
    steps: list[PublishedStep] = []
    so_far: list[AnyRelease] = []
    known: dict[str, tuple[FrequencyTable, FloatArray]] = {}
    for name, release in mine.items():
        so_far.append(release)
        total = compose(budgets_of(so_far), delta, [earlier.neighbours for earlier in so_far], rules=[rule])
        if isinstance(release, SizeRelease):
            continue
        cumulative = total.budget(rule)
        own = release.of_cohort(cohort)
        noise = calibrate(mechanism, cumulative, release.neighbours, max_rows_per_unit=own.max_rows_per_unit)
        repeats_itself = set(own.sensitive) <= set(known)
        for attribute in own.sensitive:
            before = known.get(attribute)
            finer = before is not None and set(before[0].quasi_identifiers) != set(own.quasi_identifiers)
            if before is None or finer or repeats_itself:
                known[attribute] = (own, measure(own.attribute(attribute), noise))
        finest = finest_of([table for table, _ in known.values()])
        risks = np.stack([values[rows_of(finest, table)] for table, values in known.values()], axis=1)
        steps.append(
            PublishedStep(name, cumulative, noise, CohortRisk(cohort, finest, tuple(known), risks, tuple(so_far)))
        )
    return steps


published_sequence = sequence
"""Its name in the room, where ``sequence`` is the corrected one."""
