"""Several releases, one after another: what each adds to the risk of everybody's attributes, and what all cost."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.accounting.composition import Composition
from epsilens.checks import one_of
from epsilens.choice.publication_values import AttributeShown, shown_after_all
from epsilens.errors import ParameterError, counted
from epsilens.homogeneity.average import average
from epsilens.homogeneity.local import Match, local
from epsilens.homogeneity.repeated.attack import (
    CohortRisk,
    growth_and_cohorts,
    total_cost,
)
from epsilens.homogeneity.repeated.cohort import Cohort
from epsilens.homogeneity.repeated.differences import Difference, differences
from epsilens.homogeneity.repeated.published import sequence as published_sequence
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, named
from epsilens.noise import MECHANISMS
from epsilens.notebook import brief, listed, one_line, rows_html


@dataclass(frozen=True)
class CohortStep:
    """The people of one cohort after one more release: risks are averages over people."""

    after: str
    cohort: str
    people: int
    cells: int
    risks: dict[str, float]
    """By attribute: the probability that at least one release so far shows a single value and it is the person's."""
    largest: float
    """The largest risk over the attributes, cell by cell, averaged."""
    total: float
    """Their sum, which may exceed 1."""
    published: dict[str, float] | None
    """By attribute, as in print: one noise at the cumulative budget; see :attr:`Publication.not_in_print` for None."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


@dataclass(frozen=True, eq=False)
class Publication:
    """The whole sequence. It is computed from true data: internal, not for publication."""

    match: str
    steps: tuple[CohortStep, ...]
    some_attribute: dict[str, float | None]
    """By cohort, after everything: the probability that at least one attribute of a person is given away, or None
    where the releases do not tell how the attributes go together."""
    spent: Composition
    not_in_print: str = ""
    """Why there is no evaluation as in print, where there is none."""
    differences: tuple[Difference, ...] = ()
    """What one table less another gives away about people whom the other leaves out."""
    shown: tuple[AttributeShown, ...] = ()
    """By cohort and attribute, after everything: who is shown as what, and how the risk is spread over people."""

    def __repr__(self) -> str:
        return one_line(
            self, counted(len(self.steps), "step"), listed(dict.fromkeys(step.after for step in self.steps))
        )

    def _repr_html_(self) -> str:
        rows = [
            {
                "after": step.after,
                "cohort": step.cohort,
                "people": step.people,
                "cells": step.cells,
                **{f"risk of {attribute}": risk for attribute, risk in step.risks.items()},
            }
            for step in self.steps
        ]
        return rows_html("Releases one after another", rows, internal=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "label": "internal",
            "match": self.match,
            "steps": [step.to_dict() for step in self.steps],
            "at_least_one_attribute": self.some_attribute,
            "spent": self.spent.to_rows(),
            "not_in_print": self.not_in_print,
            "differences": [
                {
                    "larger": found.larger,
                    "smaller": found.smaller,
                    "cohorts": list(found.cohorts),
                    "people": found.table.n_records,
                    "risks": found.averages(),
                }
                for found in self.differences
            ],
            "shown": [found.to_dict() for found in self.shown],
        }

    @property
    def final_steps(self) -> tuple[CohortStep, ...]:
        """The last state of every cohort."""
        return tuple({step.cohort: step for step in self.steps}.values())


def assess_publication(
    releases: Sequence[AnyRelease], mechanism: str | None = None, match: Match = "share", delta: float | None = None
) -> Publication:
    """The risk after every release, with the noises actually added, and the composed budget at ``delta``.

    ``mechanism`` is the one that all releases use, for the evaluation in print; None leaves that out, and so does a
    mechanism that has no noise for the cumulative budget.

    Source: P0 section 4.3.
    Assumes what :func:`epsilens.homogeneity.repeated.attack.sequence` assumes.
    Departs from print (P0-11): both evaluations stand side by side.
    """
    tables = {name: release.cohorts for name, release in named(releases).items() if isinstance(release, Release)}
    states, cohorts = growth_and_cohorts(releases, match)
    spent = total_cost(releases, delta)  # refuses budgets that do not go together, in print or not
    printed: dict[tuple[str, str], CohortRisk] = {}
    not_in_print = "the releases use different mechanisms" if mechanism is None else ""
    if mechanism is not None:
        one_of("mechanism", mechanism, MECHANISMS)
        try:
            by_cohort = published_sequence(
                releases, mechanism, delta=delta, measure=lambda table, noise: local(table, noise, match)
            )
            printed = {(step.name, cohort): step.risk for cohort, steps in by_cohort.items() for step in steps}
        except ParameterError as problem:  # no noise for the cumulative budget, which says nothing about the releases
            not_in_print = str(problem)
    steps = tuple(
        _step(name, state[cohort], printed.get((name, cohort)))
        for (name, cohorts), state in zip(tables.items(), states, strict=True)
        for cohort in cohorts
    )
    shown = tuple(found for published in cohorts.values() for found in shown_after_all(published))
    some_attribute = {name: _some_attribute(published, match) for name, published in cohorts.items()}
    return Publication(match, steps, some_attribute, spent, not_in_print, tuple(differences(releases, match)), shown)


def _step(name: str, group: CohortRisk, printed: CohortRisk | None) -> CohortStep:
    return CohortStep(
        name,
        group.cohort,
        group.table.n_records,
        group.table.n_cells,
        _by_attribute(group),
        group.average("max"),
        group.average("sum"),
        None if printed is None else _by_attribute(printed),
    )


def _by_attribute(group: CohortRisk) -> dict[str, float]:
    return {name: average(group.risks[:, j], group.table) for j, name in enumerate(group.attributes)}


def _some_attribute(published: Cohort, match: str) -> float | None:
    try:
        return average(published.some_attribute(match), published.finest)
    except ParameterError:  # no joint table, or too many attributes: the maximum and the sum remain
        return None
