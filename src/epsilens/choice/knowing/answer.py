"""What is answered about attackers who know only some attributes: plain values. Computed from true data: internal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epsilens.budget import Budget, OfBudget
from epsilens.choice.values import ValueToday
from epsilens.errors import counted
from epsilens.noise.law import Noise
from epsilens.notebook import brief, by_role, data_frame, one_line, rows_html


@dataclass(frozen=True, eq=False)
class KnowledgeBudget(OfBudget):
    """One noise."""

    mechanism: str
    budget: Budget
    noise: Noise

    __repr__ = brief

    @property
    def called(self) -> dict[str, Any]:
        """Its name: mechanism and budget."""
        return {"mechanism": self.mechanism, **vars(self.budget)}


@dataclass(frozen=True)
class RiskOfPeople:
    """A risk, averaged over people, and what the average hides."""

    average: float
    worst: float
    """The risk of the worst-off person."""
    at_worst: int
    """How many people are at that risk."""
    above_half: int
    """How many are above 50 %."""

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class SetRisk:
    """What one set of known attributes is worth under one noise: local risks, averaged over people."""

    added_up: float
    """Only the full table is published, and its noisy counts are added up."""
    published: float
    """The marginal itself is published, with fresh noise at the same budget."""
    added_up_people: RiskOfPeople
    published_people: RiskOfPeople

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "added_up": self.added_up,
            "published": self.published,
            "added_up_people": vars(self.added_up_people),
            "published_people": vars(self.published_people),
        }


@dataclass(frozen=True, eq=False)
class KnownSet:
    """One set of attributes that an attacker knows."""

    attributes: tuple[str, ...]
    number: int
    """Bit j says whether attribute j is in it."""
    disclosed_today: int
    """People in cells of the marginal that show a single label, one that harms, before any noise."""
    cells: int
    """Cells of the marginal that somebody is in."""
    counts_added_up: tuple[int, int]
    """The fewest and the most published counts that add up to one of the marginal."""
    risks: tuple[SetRisk, ...]
    """One for each noise."""

    __repr__ = brief

    def to_dict(
        self, people: int, budgets: tuple[KnowledgeBudget, ...], clipped: tuple[float | None, ...]
    ) -> dict[str, Any]:
        """Plain values for JSON; ``clipped`` are the risks of counts that were clipped before they are added up."""
        return {
            "attributes": list(self.attributes),
            "disclosed_today": self.disclosed_today,
            "disclosed_share": self.disclosed_today / people,
            "cells": self.cells,
            "counts_added_up": list(self.counts_added_up),
            "budgets": [
                one.called | risk.to_dict() | {"added_up_clipped": of_clipped}
                for one, risk, of_clipped in zip(budgets, self.risks, clipped, strict=True)
            ],
        }


@dataclass(frozen=True, eq=False)
class LevelWorth:
    """One level of a column."""

    level: str
    people: int
    due: float
    """People whose disclosure is due to the column, among those with this level; the levels' sum is the column's."""

    __repr__ = brief

    def to_dict(self, disclosed: int) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "share": _share(self.due, disclosed)}


@dataclass(frozen=True, eq=False)
class ColumnWorth:
    """How much of what all attributes disclose together is due to one of them."""

    column: str
    due: float | None
    """Its Shapley value in people: the columns' sum is the people whom all of them disclose. None: not all sets."""
    after_noise: tuple[tuple[float, float], ...]
    """For each noise the Shapley values of the averages added up and published."""
    levels: tuple[LevelWorth, ...]
    """Those that carry most first."""

    __repr__ = brief

    def to_dict(self, disclosed: int, budgets: tuple[KnowledgeBudget, ...]) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "column": self.column,
            "share": None if self.due is None else _share(self.due, disclosed),
            "due": self.due,
            "budgets": [
                one.called | {"added_up": added, "published": published}
                for one, (added, published) in zip(budgets, self.after_noise, strict=True)
            ]
            if self.after_noise
            else [],
            "levels": [level.to_dict(disclosed) for level in self.levels],
        }


def _share(due: float, disclosed: int) -> float:
    """Of all people who are disclosed, the share that is due to a column or a level: the columns' shares sum to 1."""
    return due / disclosed if disclosed else 0.0


@dataclass(frozen=True, eq=False)
class Coarsening:
    """The full table with one column coarsened or left out."""

    kind: str
    """``coarsen`` or ``drop``."""
    column: str
    levels_before: int
    levels_after: int
    disclosed_today: int
    published: tuple[float, ...]
    """The local risk of that table, published at each noise, averaged over people."""

    __repr__ = brief

    def to_dict(self, budgets: tuple[KnowledgeBudget, ...]) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            **{name: value for name, value in vars(self).items() if name != "published"},
            "budgets": [one.called | {"published": risk} for one, risk in zip(budgets, self.published, strict=True)],
        }


@dataclass(frozen=True, eq=False)
class Beside:
    """What takes a second look at the table's cells."""

    clipped: Mapping[int, tuple[float, ...]]
    """By number of a set, for each noise: the risk where the full table is published rounded and clipped at 0, and its
    counts are added up. Nothing for a table whose cells stay in their engine."""
    columns: tuple[ColumnWorth, ...]
    """Those that carry most first."""
    coarsenings: tuple[Coarsening, ...]
    """Those that leave the fewest people disclosed first, coarsened columns before columns that are dropped."""

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Enough:
    """The sets that reach a share of people and have no part that does, the smallest first; numbers of sets."""

    today: tuple[KnownSet, ...]
    added_up: tuple[tuple[KnownSet, ...], ...]
    """For each noise."""
    published: tuple[tuple[KnownSet, ...], ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Fall:
    """Where somebody who knows one attribute more is less at an advantage, under one noise."""

    kind: str
    """``added_up`` or ``published``."""
    budget: int
    """Which of the noises."""
    fewer: KnownSet
    more: KnownSet

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class Knowledge:
    """What every set of quasi-identifiers discloses to somebody who knows just these."""

    quasi_identifiers: tuple[str, ...]
    sensitive: str
    people: int
    table_cells: int
    """Cells that somebody is in."""
    over: str
    """What is added up: ``universe``, all declared cells, or ``people``, the cells that somebody is in."""
    found: tuple[str, ...]
    """Columns that the universe leaves out; their levels are the ones found in the data."""
    harmless: tuple[str, ...]
    """Labels that harm nobody, and disclose nothing."""
    largest_set: int | None
    share: float
    """The share of people that the smallest sets must reach."""
    budgets: tuple[KnowledgeBudget, ...]
    nothing: KnownSet
    """Who knows no attribute at all: the baseline."""
    everything: KnownSet
    """Who knows all of them; among the ``sets`` unless these are limited in size."""
    sets: tuple[KnownSet, ...]
    enough: Enough
    falls: tuple[Fall, ...]
    look_again: Callable[[], Beside]
    """Finds what is :attr:`beside`."""
    look_at_values: Callable[[], tuple[ValueToday, ...]]
    """Finds what is told :attr:`by_value`."""
    knows: KnownSet | None = None
    """The set of attributes that was asked for; it is told of first."""

    @cached_property
    def beside(self) -> Beside:
        """Clipped counts, columns, levels and coarser tables: found when they are first asked for."""
        return self.look_again()

    @property
    def columns(self) -> tuple[ColumnWorth, ...]:
        """How much every column carries, those that carry most first."""
        return self.beside.columns

    @property
    def coarsenings(self) -> tuple[Coarsening, ...]:
        """The full table with a column coarsened or left out; what leaves the fewest people disclosed first."""
        return self.beside.coarsenings

    def clipped(self, one: KnownSet) -> tuple[float | None, ...]:
        """For each noise, the risk of adding up counts that were rounded and clipped at 0; None where not known."""
        return self.beside.clipped.get(one.number, (None,) * len(self.budgets))

    @cached_property
    def by_value(self) -> tuple[ValueToday, ...]:
        """Every value: how much it harms, who has it, and whom all quasi-identifiers disclose to have it."""
        return self.look_at_values()

    def __repr__(self) -> str:
        columns = by_role(self.quasi_identifiers, (self.sensitive,))
        return one_line(self, columns, counted(len(self.sets), "set"), counted(len(self.budgets), "budget"))

    def _repr_html_(self) -> str:
        return rows_html("Attackers who know some attributes", self.to_rows(), internal=True)

    def to_rows(self) -> list[dict[str, Any]]:
        """One row per set and noise."""
        return [
            {"attributes": ", ".join(one.attributes), "disclosed_today": one.disclosed_today}
            | budget.called
            | {"added_up": risk.added_up, "published": risk.published, "added_up_clipped": clipped}
            for one in self.sets
            for budget, risk, clipped in zip(self.budgets, one.risks, self.clipped(one), strict=True)
        ]

    def to_pandas(self) -> Any:
        """One row per set and noise, as a pandas data frame."""
        rows = self.to_rows()
        return data_frame({name: [row.get(name) for row in rows] for name in rows[0]}, instead=".to_rows()")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        disclosed = self.everything.disclosed_today
        return {
            "label": "internal",
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": self.sensitive,
            "people": self.people,
            "cells": self.table_cells,
            "added_up_over": self.over,
            "levels_found": list(self.found),
            "harmless": list(self.harmless),
            "by_value": [value.to_dict() for value in self.by_value],
            "knows": None
            if self.knows is None
            else self.knows.to_dict(self.people, self.budgets, self.clipped(self.knows)),
            "largest_set": self.largest_set,
            "nothing": self.nothing.to_dict(self.people, self.budgets, self.clipped(self.nothing)),
            "everything": self.everything.to_dict(self.people, self.budgets, self.clipped(self.everything)),
            "subsets": [one.to_dict(self.people, self.budgets, self.clipped(one)) for one in self.sets],
            "columns": [one.to_dict(disclosed, self.budgets) for one in self.columns],
            "coarsen": [one.to_dict(self.budgets) for one in self.coarsenings],
            "smallest_sets": {
                "share": self.share,
                "today": [list(one.attributes) for one in self.enough.today],
                "budgets": [
                    one.called
                    | {
                        "added_up": [list(found.attributes) for found in added],
                        "published": [list(found.attributes) for found in published],
                    }
                    for one, added, published in zip(
                        self.budgets, self.enough.added_up, self.enough.published, strict=True
                    )
                ],
            },
            "falls": [
                {
                    **self.budgets[fall.budget].called,
                    "risk": fall.kind,
                    "fewer": list(fall.fewer.attributes),
                    "more": list(fall.more.attributes),
                }
                for fall in self.falls
            ],
        }
