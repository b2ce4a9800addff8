"""What a release costs, decided before any data is read: the noise of its parts and the price of the whole.

It does not matter which columns are counted or which statistics are taken, only how many tables or statistics share the
budget, and how. So a release that is only planned has the very price that it will have when it is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from epsilens.accounting.amounts import decimal, pure_rho
from epsilens.accounting.cost import Cost
from epsilens.accounting.events import DeltaEvent, Event, PureEvent, noise_event
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP, count_sensitivity
from epsilens.checks import one_of
from epsilens.errors import ParameterError, speaking_of
from epsilens.noise import MECHANISMS, Noise, calibrate
from epsilens.noise.mechanisms import refused_budget, releasable
from epsilens.release.samplers import SecureNoise, refuse_without_sampler, secure
from epsilens.release.shares import budget_part, budget_shares
from epsilens.release.thresholds import smallest_threshold, threshold_delta

WIDEST_NOISE = 1e12


@dataclass(frozen=True, eq=False)
class PricedTable:
    """The part of the budget that one table of counts gets, and its noise."""

    share: Decimal
    budget: PureDP | ZCDP
    noise: SecureNoise
    threshold: int | None = None
    threshold_delta: float | None = None


@dataclass(frozen=True, eq=False)
class PricedTables:
    """The tables of a release, and what they cost together."""

    tables: tuple[PricedTable, ...]
    cost: Cost


def priced_tables(
    names: Sequence[str],
    mechanism: str,
    budget: Budget | None,
    *,
    neighbours: str = "add-remove",
    max_rows_per_unit: int = 1,
    shares: Sequence[float] | None = None,
    threshold_at: float | None = None,
    allow_continuous: bool = False,
) -> PricedTables:
    """The noise and the price of tables of counts; their ``names`` are for errors only."""
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
    norm = MECHANISMS[mechanism].norm
    sensitivity = count_sensitivity(neighbours, norm, max_rows_per_unit)
    if threshold_at is not None and (norm != 1 or not law.integer_valued or len(names) > 1):
        raise ParameterError("releases one table with discrete-laplace noise only", parameter="threshold_delta")
    tables = []
    for name, share in zip(names, budget_shares(len(names), shares, "tables"), strict=True):
        part = whole if len(names) == 1 else budget_part(whole, share)
        limit = decimal(part.epsilon if isinstance(part, PureDP) else part.rho)
        law = calibrate(mechanism, part, neighbours, sensitivity)
        _refuse_endless_noise(law, part, name)
        noise = secure(law, sensitivity, limit)
        threshold = delta = None
        if threshold_at is not None:
            with speaking_of(delta="threshold_delta"):
                threshold = smallest_threshold(noise.law, threshold_at, max_rows_per_unit, neighbours)
            delta = threshold_delta(noise.law, threshold, max_rows_per_unit, neighbours)
        tables.append(PricedTable(share, part, noise, threshold, delta))
    return PricedTables(tuple(tables), _cost(budget, whole, tables, threshold_at, max_rows_per_unit, neighbours))


def statistics_cost(budget: PureDP, statistics: int, shares: Sequence[float] | None = None) -> Cost:
    """The price of statistics: the whole budget; each is an event of its own for the convolution of privacy losses."""
    parts = budget_shares(statistics, shares, "statistics")
    whole = [budget] if statistics == 1 else [budget_part(budget, share) for share in parts]
    epsilon = decimal(budget.epsilon)
    return Cost(epsilon, Decimal(0), pure_rho(epsilon), tuple(PureEvent(decimal(part.epsilon)) for part in whole))


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


def _cost(
    budget: Budget,
    whole: PureDP | ZCDP,
    tables: Sequence[PricedTable],
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


def _event(table: PricedTable, max_rows_per_unit: int, neighbours: str) -> Event | None:
    """What one table does to one person, for the convolution of privacy losses.

    Of several rows per person an epsilon is enough: the worst mechanism with it stands for the noise.
    """
    known = noise_event(table.noise.law, neighbours, max_rows_per_unit)
    if known is None and isinstance(table.budget, PureDP):
        return PureEvent(decimal(table.budget.epsilon))
    return known
