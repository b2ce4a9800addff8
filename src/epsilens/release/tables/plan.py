"""What a release will do, decided before any data is read: tables, noise, the split of the budget, the price.

One budget pays for all tables of a release. Each table gets a share: of epsilon with Laplace noise, of rho with
Gaussian noise. A person is counted once per row in every table, so each table has the sensitivity of a table of
counts, and the shares add up by sequential composition within the release.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from epsilens.accounting.cost import Cost
from epsilens.budget import Budget, count_sensitivity
from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS
from epsilens.release.pricing import priced_tables
from epsilens.release.samplers import CONTINUOUS_CAVEAT, SecureNoise
from epsilens.release.tables.tree import GrownTree

TOTAL = "(total)"
"""The name of the table without columns: everybody."""


@dataclass(frozen=True, eq=False)
class TablePlan:
    """One table of the release: its columns, its part of the budget and its noise."""

    columns: tuple[str, ...]
    share: Decimal
    budget: Budget
    noise: SecureNoise
    threshold: int | None = None
    threshold_delta: float | None = None
    title: str = ""
    """What it is called, where that is not its columns: a depth of a tree."""
    shown: tuple[str, ...] | None = None
    """The columns that it is published with, where these are others: a depth of a tree has the tree's."""

    @property
    def name(self) -> str:
        """``a x b``."""
        return self.title or table_name(self.columns)

    @property
    def public_columns(self) -> tuple[str, ...]:
        """The columns that it is published with."""
        return self.columns if self.shown is None else self.shown


@dataclass(frozen=True, eq=False)
class Plan:
    """The whole release."""

    mechanism: str
    budget: Budget
    """As it was asked for."""
    neighbours: str
    max_rows_per_unit: int
    sensitivity: float
    norm: Literal[1, 2]
    tables: tuple[TablePlan, ...]
    cost: Cost

    @property
    def caveats(self) -> tuple[str, ...]:
        """What a reader of the card must know about the mechanism."""
        return () if MECHANISMS[self.mechanism].law.integer_valued else (CONTINUOUS_CAVEAT,)


def make_plan(
    columns: Sequence[str],
    mechanism: str = "discrete-laplace",
    budget: Budget | None = None,
    *,
    neighbours: str = "add-remove",
    max_rows_per_unit: int = 1,
    marginals: Sequence[Sequence[str]] | None = None,
    shares: Sequence[float] | None = None,
    threshold_at: float | None = None,
    allow_continuous: bool = False,
    tree: GrownTree | None = None,
) -> Plan:
    """The plan of a release of ``columns``, or of ``marginals`` of them; ``threshold_at`` is a threshold's delta.

    A ``tree`` is a table for each of its depths.
    """
    if tree is None:
        wanted = _marginals(columns, marginals)
        titles: list[tuple[str, tuple[str, ...] | None]] = [("", None)] * len(wanted)
    else:
        found = tree.tables(with_root=neighbours == "add-remove")
        wanted, titles = [kept for kept, _, _ in found], [(title, shown) for _, title, shown in found]
    priced = priced_tables(
        [title or table_name(kept) for kept, (title, _) in zip(wanted, titles, strict=True)],
        mechanism,
        budget,
        neighbours=neighbours,
        max_rows_per_unit=max_rows_per_unit,
        shares=shares,
        threshold_at=threshold_at,
        allow_continuous=allow_continuous,
    )
    assert budget is not None  # refused there otherwise
    norm = MECHANISMS[mechanism].norm
    return Plan(
        mechanism=mechanism,
        budget=budget,
        neighbours=neighbours,
        max_rows_per_unit=max_rows_per_unit,
        sensitivity=count_sensitivity(neighbours, norm, max_rows_per_unit),
        norm=norm,
        tables=tuple(
            TablePlan(kept, one.share, one.budget, one.noise, one.threshold, one.threshold_delta, *title)
            for kept, one, title in zip(wanted, priced.tables, titles, strict=True)
        ),
        cost=priced.cost,
    )


def table_name(columns: Sequence[str]) -> str:
    """``a x b``, or ``(total)``."""
    return " x ".join(columns) or TOTAL


def _marginals(columns: Sequence[str], marginals: Sequence[Sequence[str]] | None) -> list[tuple[str, ...]]:
    if marginals is None:
        return [tuple(columns)]
    wanted = [(names,) if isinstance(names, str) else tuple(names) for names in marginals]
    if not wanted:
        raise ParameterError("must name at least one table, or be left out for the whole one", parameter="marginals")
    for names in wanted:
        for name in names:
            if name not in columns:
                raise ParameterError(
                    f"names {name!r}, which is not released{did_you_mean(name, columns)}", parameter="marginals"
                )
        if len(set(names)) != len(names):
            raise ParameterError(f"names a column twice in {table_name(names)!r}", parameter="marginals")
    if len({frozenset(names) for names in wanted}) != len(wanted):
        raise ParameterError("names a table twice", parameter="marginals", remedy="each is released once")
    return wanted
