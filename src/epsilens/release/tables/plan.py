"""What a release will do, decided before any data is read: tables, noise, the split of the budget, the price.

One budget pays for all tables of a release. Each table gets a share: of epsilon with Laplace noise, of rho with
Gaussian noise. A person is counted once per row in every table, so each table has the sensitivity of a table of
counts, and the shares add up by sequential composition within the release.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from epsilens.accounting.account import Cost, decimal, digits, pure_rho
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP, budget_parameters, count_sensitivity
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError, speaking_of
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.release.samplers import CONTINUOUS_CAVEAT, SecureNoise, secure
from epsilens.release.shares import budget_part, budget_shares
from epsilens.release.thresholds import smallest_threshold, threshold_delta

CONTINUOUS = ("laplace", "gaussian")
RELEASE_MECHANISMS = ("discrete-laplace", "discrete-gaussian", *CONTINUOUS)
WIDEST_NOISE = 1e12
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

    @property
    def name(self) -> str:
        """``a x b``."""
        return table_name(self.columns)


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
        return (CONTINUOUS_CAVEAT,) if self.mechanism in CONTINUOUS else ()


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
) -> Plan:
    """The plan of a release of ``columns``, or of ``marginals`` of them; ``threshold_at`` is a threshold's delta."""
    one_of("mechanism", mechanism, RELEASE_MECHANISMS)
    if mechanism in CONTINUOUS and not allow_continuous:
        raise ParameterError(
            f"continuous noise ({mechanism}) must be allowed explicitly (`allow_continuous`): its floating-point "
            "numbers are harder to make safe",
            remedy=f"`mechanism=discrete-{mechanism}` needs no such care",
        )
    if budget is None:
        raise ParameterError("a release needs a budget", remedy="give `epsilon`, `epsilon` and `delta`, or `rho`")
    whole = _spendable(mechanism, budget)
    wanted = _marginals(columns, marginals)
    norm = MECHANISMS[mechanism].norm
    sensitivity = count_sensitivity(neighbours, norm, max_rows_per_unit)
    if threshold_at is not None and (mechanism != "discrete-laplace" or len(wanted) > 1):
        raise ParameterError("releases one table with discrete-laplace noise only", parameter="threshold_delta")
    tables = []
    for kept, share in zip(wanted, budget_shares(len(wanted), shares, "tables"), strict=True):
        part = whole if len(wanted) == 1 else budget_part(whole, share)
        limit = decimal(part.epsilon if isinstance(part, PureDP) else part.rho)
        law = calibrate(mechanism, part, neighbours, sensitivity)
        _refuse_endless_noise(law, part, table_name(kept))
        noise = secure(law, sensitivity, limit)
        threshold = delta = None
        if threshold_at is not None:
            with speaking_of(delta="threshold_delta"):
                threshold = smallest_threshold(noise.law, threshold_at, max_rows_per_unit, neighbours)
            delta = threshold_delta(noise.law, threshold, max_rows_per_unit, neighbours)
        tables.append(TablePlan(kept, share, part, noise, threshold, delta))
    cost = _cost(mechanism, budget, whole, tables, threshold_at, max_rows_per_unit, neighbours)
    return Plan(
        mechanism=mechanism,
        budget=budget,
        neighbours=neighbours,
        max_rows_per_unit=max_rows_per_unit,
        sensitivity=sensitivity,
        norm=norm,
        tables=tuple(tables),
        cost=cost,
    )


def _refuse_endless_noise(law: Noise, part: PureDP | ZCDP, table: str) -> None:
    """Refuse noise that the sampler's 64-bit numbers would cut off, and from which nobody could learn a thing."""
    size = float(vars(law)["scale" if "scale" in vars(law) else "sigma"])
    if size > WIDEST_NOISE:
        name, amount = ("epsilon", part.epsilon) if isinstance(part, PureDP) else ("rho", part.rho)
        raise ParameterError(
            f"{amount:g} for table {table!r} needs noise of scale {size:.3g}, and at most {WIDEST_NOISE:g} is offered",
            parameter=name,
            remedy="give a larger budget, or fewer tables",
        )


def table_name(columns: Sequence[str]) -> str:
    """``a x b``, or ``(total)``."""
    return " x ".join(columns) or TOTAL


def _spendable(mechanism: str, budget: Budget) -> PureDP | ZCDP:
    """What can be split: epsilon, or rho; an (epsilon, delta) is turned into the largest rho within it."""
    takes = "`epsilon` without `delta`"
    if MECHANISMS[mechanism].norm == 1:
        if isinstance(budget, PureDP):
            return budget
    elif isinstance(budget, ZCDP):
        return budget
    elif isinstance(budget, ApproxDP):
        return ZCDP.within(budget)
    else:
        takes = "`rho`, or `epsilon` with `delta`"
    raise ParameterError(f"`mechanism={mechanism}` takes {takes}, got {budget_parameters(budget)}")


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


def _cost(
    mechanism: str,
    budget: Budget,
    whole: PureDP | ZCDP,
    tables: Sequence[TablePlan],
    threshold_at: float | None,
    max_rows_per_unit: int,
    neighbours: str,
) -> Cost:
    """The price in every currency. A threshold has a delta and therefore no rho."""
    delta = Decimal(0) if threshold_at is None else decimal(threshold_at)
    events = tuple(_event(mechanism, table, max_rows_per_unit, neighbours) for table in tables)
    known: tuple[Mapping[str, Any], ...] = tuple(event for event in events if event is not None)
    if len(known) < len(events):
        known = ()
    elif delta > 0:
        known = (*known, {"law": "delta", "delta": digits(delta)})
    if isinstance(whole, PureDP):
        epsilon = decimal(whole.epsilon)
        return Cost(epsilon, delta, pure_rho(epsilon) if delta == 0 else None, known)
    stated = budget if isinstance(budget, ApproxDP) else None
    return Cost(
        None if stated is None else decimal(stated.epsilon),
        Decimal(0) if stated is None else decimal(stated.delta),
        decimal(whole.rho),
        known,
    )


def _event(mechanism: str, table: TablePlan, max_rows_per_unit: int, neighbours: str) -> dict[str, Any] | None:
    """What one table does to one person, for the convolution of privacy losses (``account.py``)."""
    shifted = 1 if neighbours == "add-remove" else 2
    law = table.noise.law
    parameter = digits(decimal(vars(law)["scale" if "scale" in vars(law) else "sigma"]))
    if mechanism == "gaussian":
        moved = count_sensitivity(neighbours, 2, max_rows_per_unit)
        return {"law": mechanism, "parameter": parameter, "cells": 1, "sensitivity": moved}
    if max_rows_per_unit == 1:
        return {"law": mechanism, "parameter": parameter, "cells": shifted}
    if isinstance(table.budget, PureDP):
        return {"law": "pure", "parameter": digits(decimal(table.budget.epsilon)), "cells": 1}
    return None
