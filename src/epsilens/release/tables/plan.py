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

from epsilens.accounting.amounts import decimal, pure_rho
from epsilens.accounting.cost import Cost
from epsilens.accounting.events import DeltaEvent, Event, PureEvent, noise_event
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP, count_sensitivity
from epsilens.checks import did_you_mean, one_of
from epsilens.errors import ParameterError, speaking_of
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.mechanisms import refused_budget, releasable
from epsilens.release.samplers import CONTINUOUS_CAVEAT, SecureNoise, refuse_without_sampler, secure
from epsilens.release.shares import budget_part, budget_shares
from epsilens.release.thresholds import smallest_threshold, threshold_delta

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
) -> Plan:
    """The plan of a release of ``columns``, or of ``marginals`` of them; ``threshold_at`` is a threshold's delta."""
    law = _releasable_law(mechanism)
    if not law.integer_valued and not allow_continuous:
        raise ParameterError(
            f"continuous noise ({mechanism}) must be allowed explicitly (`allow_continuous`): its floating-point "
            "numbers are harder to make safe",
            remedy=f"{' and '.join(_whole_number_mechanisms())} need no such care",
        )
    if budget is None:
        raise ParameterError("a release needs a budget", remedy="give `epsilon`, `epsilon` and `delta`, or `rho`")
    whole = _spendable(mechanism, budget)
    wanted = _marginals(columns, marginals)
    norm = MECHANISMS[mechanism].norm
    sensitivity = count_sensitivity(neighbours, norm, max_rows_per_unit)
    if threshold_at is not None and (norm != 1 or not law.integer_valued or len(wanted) > 1):
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
    cost = _cost(budget, whole, tables, threshold_at, max_rows_per_unit, neighbours)
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


def _whole_number_mechanisms() -> list[str]:
    return [name for name in releasable() if MECHANISMS[name].law.integer_valued]


def _releasable_law(mechanism: str) -> Noise:
    """The law of a mechanism that can be released."""
    if mechanism in MECHANISMS:
        refuse_without_sampler(MECHANISMS[mechanism].law)
    return MECHANISMS[one_of("mechanism", mechanism, releasable())].law


def _refuse_endless_noise(law: Noise, part: PureDP | ZCDP, table: str) -> None:
    """Refuse noise that the sampler's 64-bit numbers would cut off, and from which nobody could learn a thing."""
    if law.size > WIDEST_NOISE:
        name, amount = ("epsilon", part.epsilon) if isinstance(part, PureDP) else ("rho", part.rho)
        raise ParameterError(
            f"{amount:g} for table {table!r} needs noise of scale {law.size:.3g}, and at most {WIDEST_NOISE:g} is "
            "offered",
            parameter=name,
            remedy="give a larger budget, or fewer tables",
        )


def table_name(columns: Sequence[str]) -> str:
    """``a x b``, or ``(total)``."""
    return " x ".join(columns) or TOTAL


def _spendable(mechanism: str, budget: Budget) -> PureDP | ZCDP:
    """What can be split: epsilon, or rho; an (epsilon, delta) is turned into the largest rho within it."""
    if MECHANISMS[mechanism].norm == 1:
        if isinstance(budget, PureDP):
            return budget
        raise refused_budget(mechanism, "`epsilon` without `delta`", budget)
    if isinstance(budget, ZCDP):
        return budget
    if isinstance(budget, ApproxDP):
        return ZCDP.within(budget)
    raise refused_budget(mechanism, "`rho`, or `epsilon` with `delta`", budget)


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
    budget: Budget,
    whole: PureDP | ZCDP,
    tables: Sequence[TablePlan],
    threshold_at: float | None,
    max_rows_per_unit: int,
    neighbours: str,
) -> Cost:
    """The price in every currency. A threshold has a delta and therefore no rho."""
    delta = Decimal(0) if threshold_at is None else decimal(threshold_at)
    events = tuple(_event(table, max_rows_per_unit, neighbours) for table in tables)
    known: tuple[Event, ...] = tuple(event for event in events if event is not None)
    if len(known) < len(events):
        known = ()
    elif delta > 0:
        known = (*known, DeltaEvent(delta))
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


def _event(table: TablePlan, max_rows_per_unit: int, neighbours: str) -> Event | None:
    """What one table does to one person, for the convolution of privacy losses.

    Of several rows per person an epsilon is enough: the worst mechanism with it stands for the noise.
    """
    known = noise_event(table.noise.law, neighbours, max_rows_per_unit)
    if known is None and isinstance(table.budget, PureDP):
        return PureEvent(decimal(table.budget.epsilon))
    return known
