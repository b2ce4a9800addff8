"""How several tables about the same people are published: as one, or each by itself, and whose budget epsilon is.

The combinations of several sensitive attributes make one joint table. Or every attribute gets a table of its own: then
a person is in one count of each, and epsilon is either the budget of ``each`` table or of ``all`` together.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Literal, TypeAlias, get_args

from epsilens.budget import Budget, count_sensitivity
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.table.declared_cells import DeclaredCells, declared_cells
from epsilens.table.frequency import FrequencyTable

Publish: TypeAlias = Literal["joint", "separate"]
"""One table of all sensitive attributes, or one table for each of them."""
BudgetOf: TypeAlias = Literal["each", "all"]
"""Whose budget is stated: that of each table, or that of all together."""


def checked_publish(publish: str | None, budget_of: str | None, attributes: int | None = None) -> None:
    """Refuse words that are none of these, and those that say nothing here; ``attributes`` where it is known."""
    if publish is not None:
        one_of("publish", publish, get_args(Publish))
        if attributes == 1:
            raise ParameterError(
                "is about several `sensitive` columns, and there is one; leave it out", parameter="publish"
            )
    if budget_of is not None:
        one_of("budget_of", budget_of, get_args(BudgetOf))


def table_noise(
    mechanism: str, budget: Budget, neighbours: str = "add-remove", max_rows_per_unit: int = 1, tables: int = 1
) -> Noise:
    """The noise of a count where ``budget`` is that of so many tables together, each with the same share of it.

    All tables are one list of counts, in which a person moves ``tables`` times as many as in one of them. So its l1
    sensitivity is that many times as large, and its l2 sensitivity grows with the square root:
    sensitivity = Delta_p tables^(1/p), p being the mechanism's norm. For l1 laws that is epsilon / tables for each.

    Source: P0 section 4.3, where the privacy loss of several publications is composed.
    Assumes that a person is counted in every one of the tables.
    """
    norm = MECHANISMS[one_of("mechanism", mechanism, MECHANISMS)].norm
    moved = count_sensitivity(neighbours, norm, max_rows_per_unit)
    return calibrate(mechanism, budget, sensitivity=moved * tables ** (1.0 / norm))


def published_tables(table: FrequencyTable, publish: str | None) -> list[FrequencyTable]:
    """The tables that are published: one joint table, or one for each sensitive attribute."""
    return [table.attribute(name) for name in table.sensitive] if publish == "separate" else [table]


def published_cells(table: FrequencyTable, publish: str | None) -> DeclaredCells | None:
    """The cells of the declared universe, with the counts of all tables that are published; None without a universe."""
    whole, parts = declared_cells(table), [declared_cells(one) for one in published_tables(table, publish)]
    if whole is None:
        return None
    return replace(
        whole,
        counts=sum(part.counts for part in parts if part is not None),
        further_counts=sum(part.further_counts for part in parts if part is not None),
    )
