"""The answer of ``evaluate``: what a published table shows, how far it is from the truth, what its noise is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.choice.claims import NoiseVerdict
from epsilens.errors import counted
from epsilens.homogeneity.by_value import ShownValue
from epsilens.homogeneity.observed import Observed, observed
from epsilens.notebook import brief, by_role, one_line, table_html
from epsilens.table.domain import sorted_codes
from epsilens.table.published import PublishedCounts, SideBySide
from epsilens.utility.marginal_distance import MarginalDistance
from epsilens.utility.released import Accuracy, accuracy

FEW = 30
"""Levels with fewer people are left out of gaps between groups: one person's luck is not a group's."""


@dataclass(frozen=True)
class Group:
    """The people with one level of a quasi-identifier: what they bear, in shares of themselves."""

    column: str
    level: str
    people: int
    shown_right: float
    shown_wrong: float
    hard_right: float
    """Share of them whom a guess of the largest count of their cell hits."""
    bias: float
    """Mean of published - true over the counts of the group."""
    error: float
    """Sum of |published - true| over the counts of the group, per person in it."""

    __repr__ = brief

    @property
    def believing(self) -> float | None:
        """How often believing a single label shown is right in this group."""
        believed = self.shown_right + self.shown_wrong
        return self.shown_right / believed if believed else None

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "believing_is_right": self.believing}


@dataclass(frozen=True)
class Gap:
    """How far apart the groups of a column are: in being shown rightly, in being shown wrongly, and in error."""

    column: str
    groups: int
    """Groups of at least 30 people, which are compared."""
    shown_right: float
    most_shown: str
    least_shown: str
    shown_wrong: float
    error: float
    most_error: str

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dict(vars(self))


@dataclass(frozen=True)
class Reading:
    """What was read, and what was done so that it could be."""

    kind: str
    """``counts`` or ``synthetic``: people who were counted here."""
    rows: int
    cells: int
    """Cells that the published table lists."""
    counts: int
    """Counts that it lists."""
    negative: int
    fractional: int
    withheld: int
    ignored_columns: tuple[str, ...]
    cells_with_people: int
    """Cells of the truth that somebody is in."""

    __repr__ = brief

    @staticmethod
    def of(published: PublishedCounts, side: SideBySide) -> Reading:
        """The reading of a published table."""
        values = published.values[~np.isnan(published.values)]
        return Reading(
            "synthetic" if published.synthetic else "counts",
            published.rows,
            int(side.listed.any(axis=1).sum()),
            len(published.values),
            int((values < 0).sum()),
            int((values != np.floor(values)).sum()),
            int(np.isnan(published.values).sum()),
            published.ignored,
            int((side.truth.sum(axis=1) > 0).sum()),
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "ignored_columns": list(self.ignored_columns)}


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A published table against the truth. It is computed from true data: internal, not for publication."""

    reading: Reading
    side: SideBySide
    marginals: tuple[MarginalDistance, ...]
    noise: NoiseVerdict | None
    """What became of the claim; None where nothing is claimed."""
    further: tuple[NoiseVerdict, ...] = ()
    """Other tables of the same publication, each with its own noise."""
    harm_declared: bool = False
    notes: tuple[str, ...] = ()

    def __repr__(self) -> str:
        columns = by_role(self.side.quasi_identifiers, self.side.sensitive)
        return one_line(self, columns, f"{counted(self.reading.counts, 'published count')}")

    def _repr_html_(self) -> str:
        facts = {
            "people": self.observed.people,
            "shown rightly": self.shown_right,
            "shown wrongly": self.shown_wrong,
            "believing is right": self.believing_is_right,
            "shown rightly by the true table": self.today.shown_right,
            "bias of a count": self.accuracy.bias,
            "root mean squared error": self.accuracy.rmse,
            "p-value of the claimed noise": None if self.noise is None else self.noise.to_dict()["p_value"],
        }
        return table_html("Evaluation of a published table", facts, internal=True)

    @cached_property
    def observed(self) -> Observed:
        """What the published table shows."""
        side = self.side
        return observed(side.truth, side.read, side.label_weights, side.withheld)

    @cached_property
    def today(self) -> Observed:
        """What the true table would show."""
        return observed(self.side.truth, self.side.truth, self.side.label_weights)

    @cached_property
    def attributes(self) -> tuple[tuple[str, Observed, Observed], ...]:
        """Each of several sensitive attributes by itself: its name, what is shown, what the true table would show."""
        if len(self.side.sensitive) < 2:
            return ()
        parts = [(name, self.side.attribute(name)) for name in self.side.sensitive]
        return tuple(
            (
                name,
                observed(own.truth, own.read, own.label_weights, own.withheld),
                observed(own.truth, own.truth, own.label_weights),
            )
            for name, own in parts
        )

    @property
    def shown_right(self) -> float:
        """Share of people whose published cell shows a single label that harms, and it is theirs."""
        return self.observed.shown_right

    @property
    def shown_wrong(self) -> float:
        """Share of people whose published cell shows a single label that harms, and it is not theirs."""
        return self.observed.shown_wrong

    @property
    def believing_is_right(self) -> float | None:
        """How often believing what such a cell shows is right; None where no cell shows a single label."""
        return self.observed.believing

    @cached_property
    def by_value(self) -> tuple[ShownValue, ...]:
        """Who is shown as what."""
        return self.observed.by_value(self.side.labels)

    @cached_property
    def accuracy(self) -> Accuracy:
        """Errors of all counts that are compared, as they were published; withheld ones are left out."""
        told = self.side.possible & ~self.side.withheld
        return accuracy(self.side.known[told], self.side.truth[told])

    @cached_property
    def groups(self) -> tuple[Group, ...]:
        """Who bears the risk and the error, by the levels of every quasi-identifier."""
        return tuple(self._groups())

    def _groups(self) -> Iterator[Group]:
        side, seen = self.side, self.observed
        told = side.possible & ~side.withheld
        errors = np.where(told, side.known - side.truth, 0.0)
        per_cell: list[FloatArray | IntArray] = [
            seen.sizes,
            np.where(seen.harms, seen.right, 0),
            np.where(seen.harms, seen.wrong, 0),
            seen.hard_right,
            errors.sum(axis=1),
            np.abs(errors).sum(axis=1),
            told.sum(axis=1),
        ]
        for name, values in side.cells.items():
            levels, codes = sorted_codes(values)
            sums = [np.bincount(codes, weights=part, minlength=len(levels)) for part in per_cell]
            for level, people, right, wrong, hard, bias, error, counts in zip(levels, *sums, strict=True):
                if people > 0:
                    yield Group(
                        name,
                        level,
                        int(people),
                        float(right / people),
                        float(wrong / people),
                        float(hard / people),
                        float(bias / max(counts, 1.0)),
                        float(error / people),
                    )

    @cached_property
    def gaps(self) -> tuple[Gap, ...]:
        """How far apart the groups of each column are; columns with fewer than two groups have none."""
        found = []
        for name in self.side.quasi_identifiers:
            mine = [group for group in self.groups if group.column == name and group.people >= FEW]
            if len(mine) > 1:
                found.append(_gap(name, mine))
        return tuple(found)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        seen, today = self.observed, self.today
        return {
            "label": "internal",
            "people": seen.people,
            "quasi_identifiers": list(self.side.quasi_identifiers),
            "sensitive": list(self.side.sensitive),
            "published": self.reading.to_dict(),
            "universe_declared": self.side.declared,
            "shown_right": seen.shown_right,
            "shown_wrong": seen.shown_wrong,
            "believing_is_right": seen.believing,
            "guessing": seen.guessing,
            "people_shown_right": seen.people_right,
            "people_shown_wrong": seen.people_wrong,
            "hard": seen.hard.to_dict(),
            "soft": seen.soft.to_dict(),
            "by_value": [value.to_dict() for value in self.by_value],
            "attributes": [
                {
                    "sensitive": name,
                    "shown_right": own.shown_right,
                    "shown_wrong": own.shown_wrong,
                    "believing_is_right": own.believing,
                    "people_shown_right": own.people_right,
                    "people_shown_wrong": own.people_wrong,
                    "shown_right_today": before.shown_right,
                }
                for name, own, before in self.attributes
            ],
            "today": {
                "shown_right": today.shown_right,
                "people_shown_right": today.people_right,
                "hard": today.hard.to_dict(),
                "soft": today.soft.to_dict(),
                "by_value": [value.to_dict() for value in today.by_value(self.side.labels)],
            },
            "cells": self.cells,
            "groups": [group.to_dict() for group in self.groups],
            "fairness": [gap.to_dict() for gap in self.gaps],
            "accuracy": self.accuracy.to_dict(),
            "marginals": [marginal.to_dict() for marginal in self.marginals],
            "noise": None if self.noise is None else self.noise.to_dict(),
            "joint_p_value": self.joint_p_value,
            "further_tables": [verdict.to_dict() for verdict in self.further],
            "notes": list(self.notes),
        }

    @property
    def joint_p_value(self) -> float | None:
        """That of all tables of the publication together: the smallest, as often as there are tables (Bonferroni)."""
        verdicts = [verdict for verdict in (self.noise, *self.further) if verdict is not None]
        found = [verdict.test.p_value for verdict in verdicts if verdict.test is not None]
        return min(1.0, len(found) * min(found)) if found else None

    @cached_property
    def cells(self) -> dict[str, int | None]:
        """Which cells give somebody away, which are exact, invented and lost: an average alone would not tell."""
        seen = self.observed
        giving = seen.sizes[seen.harms & (seen.right > 0)]
        return {
            "showing_one_label": int((seen.alone >= 0).sum()),
            "showing_it_rightly": len(giving),
            "smallest_shown_rightly": int(giving.min()) if len(giving) else None,
            "largest_shown_rightly": int(giving.max()) if len(giving) else None,
            "exact": int(seen.exact.sum()),
            "people_in_exact_cells": int(seen.sizes[seen.exact].sum()),
            "invented": seen.invented,
            "lost": seen.lost,
        }


def _gap(column: str, groups: Sequence[Group]) -> Gap:
    by_right = sorted(groups, key=lambda group: group.shown_right)
    by_error = sorted(groups, key=lambda group: group.error)
    wrong = [group.shown_wrong for group in groups]
    return Gap(
        column,
        len(groups),
        by_right[-1].shown_right - by_right[0].shown_right,
        by_right[-1].level,
        by_right[0].level,
        max(wrong) - min(wrong),
        by_error[-1].error - by_error[0].error,
        by_error[-1].level,
    )
