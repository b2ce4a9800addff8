"""Releases that are planned when an account is opened: what each will cost, before anybody knows of which columns.

A statistician writes them down as ``3 x discrete-gaussian rho=0.05``: how many, the mechanism, its budget, and whatever
else decides the price (``tables=2``, ``shares=0.7|0.3``, ``max-rows=3``, ``threshold-delta=1e-6``, ``statistics=4``,
``allow-continuous=yes``). A bare number stands for so many releases priced like the one that opens the account. The
prices make the plan that the ledger keeps (``accounting.plan``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from epsilens.accounting.cost import Cost
from epsilens.accounting.plan import ReleasePlan
from epsilens.budget import Budget, PureDP, budget_from, budget_words
from epsilens.checks import finite, one_of, whole
from epsilens.errors import EpsilensError, ParameterError
from epsilens.release.pricing import priced_tables, statistics_cost

MOST_PARTS = 1_000
EXAMPLE = "'3 x discrete-gaussian rho=0.05'"
WORDS = (
    "epsilon",
    "delta",
    "rho",
    "tables",
    "statistics",
    "shares",
    "max-rows",
    "threshold-delta",
    "allow-continuous",
)
"""What a written release may say beside its mechanism."""
_DIGITS = re.compile(r"[0-9]{1,9}")
_NUMBER = re.compile(r"(?:(\d{1,9})\s*(?:x|\*|times)\s+)?(\S+)((?:\s+\S+)*)\s*")


@dataclass(frozen=True)
class PlannedRelease:
    """``times`` releases of one price: of ``tables`` tables of counts, or of so many ``statistics``."""

    mechanism: str
    budget: Budget
    times: int = 1
    tables: int = 1
    statistics: int | None = None
    """How many, where statistics are released and not counts."""
    shares: Sequence[float] | None = None
    """How tables or statistics share the budget, in their order; equally by default."""
    max_rows_per_unit: int = 1
    threshold_delta: float | None = None
    allow_continuous: bool = False

    def __post_init__(self) -> None:
        for name in ("times", "tables", "max_rows_per_unit"):
            object.__setattr__(self, name, whole(name, getattr(self, name), 1))
        for name in ("tables", "statistics"):
            if (getattr(self, name) or 0) > MOST_PARTS:
                raise ParameterError(f"must be at most {MOST_PARTS}", parameter=name, got=getattr(self, name))
        if self.shares is not None:
            object.__setattr__(self, "shares", tuple(self.shares))
        if self.statistics is not None:
            self._refuse_statistics(whole("statistics", self.statistics, 1))
        self.cost("add-remove")

    def _refuse_statistics(self, number: int) -> None:
        object.__setattr__(self, "statistics", number)
        if self.mechanism != "discrete-laplace" or not isinstance(self.budget, PureDP):
            raise ParameterError(
                "are planned with `mechanism=discrete-laplace` and `epsilon` alone, "
                f"got {self.mechanism} and {budget_words(self.budget)}",
                parameter="statistics",
            )
        if self.tables != 1 or self.threshold_delta is not None:
            raise ParameterError("are planned without `tables` and `threshold_delta`", parameter="statistics")

    def cost(self, neighbours: str) -> Cost:
        """What one of them costs."""
        if self.statistics is not None:
            assert isinstance(self.budget, PureDP)  # refused otherwise
            return statistics_cost(self.budget, self.statistics, self.shares)
        return priced_tables(
            [f"table {number}" for number in range(1, self.tables + 1)],
            self.mechanism,
            self.budget,
            neighbours=neighbours,
            max_rows_per_unit=self.max_rows_per_unit,
            shares=self.shares,
            threshold_at=self.threshold_delta,
            allow_continuous=self.allow_continuous,
        ).cost

    @staticmethod
    def from_text(text: str) -> PlannedRelease:
        """``3 x discrete-gaussian rho=0.05 tables=2`` as planned releases."""
        found = _NUMBER.fullmatch(text.strip())
        if found is None or "=" in found[2]:
            raise ParameterError(f"names a mechanism and its budget, as in {EXAMPLE}", parameter="plan", got=text)
        given: dict[str, str] = {}
        for word in found[3].split():
            name, equals, value = word.partition("=")
            if not equals or not value:
                raise ParameterError(f"says what it means with =, as in {EXAMPLE}", parameter="plan", got=word)
            known = one_of("plan", name.replace("_", "-"), WORDS)
            if known in given:
                raise ParameterError(f"says {known} twice", parameter="plan", got=text)
            given[known] = value
        try:
            return _planned(int(found[1] or 1), found[2], given)
        except EpsilensError as problem:
            raise ParameterError(
                f"cannot hold {text.strip()!r}: {problem.spelt(_as_written)}", parameter="plan"
            ) from None


def _planned(times: int, mechanism: str, given: Mapping[str, str]) -> PlannedRelease:
    """The releases that these words mean."""
    budget = budget_from(*(_number(given, name) for name in ("epsilon", "delta", "rho")))
    if budget is None:
        raise ParameterError(f"it needs a budget, as in {EXAMPLE}")
    return PlannedRelease(
        mechanism=mechanism,
        budget=budget,
        times=times,
        tables=_whole(given, "tables") or 1,
        statistics=_whole(given, "statistics"),
        shares=[finite("shares", share) for share in given["shares"].split("|")] if "shares" in given else None,
        max_rows_per_unit=_whole(given, "max-rows") or 1,
        threshold_delta=_number(given, "threshold-delta"),
        allow_continuous=one_of("allow-continuous", given.get("allow-continuous", "no"), ("yes", "no")) == "yes",
    )


Planned: TypeAlias = int | str | PlannedRelease
"""A number of releases like the one that opens the account; releases as they are written, or as objects."""


def planned_releases(plan: Planned | Sequence[Planned] | None) -> tuple[int | PlannedRelease, ...]:
    """What was planned, checked, texts read; nothing where no plan was made."""
    if plan is None:
        return ()
    each: Sequence[Any] = plan if isinstance(plan, list | tuple) else [plan]
    found: list[int | PlannedRelease] = []
    for one in each:
        if isinstance(one, PlannedRelease):
            found.append(one)
        elif isinstance(one, str) and _DIGITS.fullmatch(one.strip()) is None:
            found.append(PlannedRelease.from_text(one))
        else:
            found.append(whole("plan", int(one) if isinstance(one, str) else one, 1))
    if not found:
        raise ParameterError("must hold at least one release", parameter="plan")
    return tuple(found)


def release_plan(planned: Sequence[int | PlannedRelease], neighbours: str, cost: Cost) -> ReleasePlan:
    """The prices of what was planned; ``cost`` is that of the release that opens the account."""
    return ReleasePlan(
        tuple((one, cost) if isinstance(one, int) else (one.times, one.cost(neighbours)) for one in planned)
    )


def _as_written(name: str, value: str | None) -> str:
    """A parameter as it is written in a plan."""
    word = name.removesuffix("_per_unit").replace("_", "-")
    return word if value is None else f"{word}={value.replace('True', 'yes')}"


def _number(given: Mapping[str, str], name: str) -> float | None:
    return finite(name, given[name]) if name in given else None


def _whole(given: Mapping[str, str], name: str) -> int | None:
    if name not in given:
        return None
    return whole(name, finite(name, given[name]), 1)
