"""From a tolerable risk to a budget: the whole axis is scanned, and what helps is tried where nothing is safe."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from epsilens.checks import finite, one_of, positive, probability
from epsilens.choice.aggregates import AnyAggregate, PeopleAbove, aggregate
from epsilens.choice.beside.recoding import levers
from epsilens.choice.choose.budget_choice import BudgetChoice, Remedy
from epsilens.choice.choose.dial import ALL_MEASURES, PARAMETERS, POSTERIOR_MEASURES, Parameter, RiskDial, risk_dial
from epsilens.choice.choose.safe_set import Interval, Scan, scan_safe_set
from epsilens.errors import ParameterError
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations

DEFAULT_AGGREGATE = "mean"


def choose_budget(
    data: FrequencyTable | Situations,
    mechanism: str = "laplace",
    max_risk: float = 0.3,
    measure: str = "local",
    aggregate_by: str | AnyAggregate | None = None,
    max_people: int | None = None,
    max_error: float | None = None,
    delta: float | None = None,
    neighbours: str = "add-remove",
    parameter: Parameter = "epsilon",
    search: tuple[float, float] | None = None,
    remedies: bool | None = None,
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> BudgetChoice:
    """All budgets at which the risk stays at or below ``max_risk``, and the one to take.

    The safe set is {epsilon > 0 : A(epsilon) <= c}. Symbols: c is ``max_risk``; A is the aggregate (``aggregate_by``:
    "mean" over people, the default, "cell-mean", "max", "q95", or an object of ``choice.aggregates``) of the
    ``measure``'s risks under the noise that ``mechanism`` needs at epsilon. With ``max_people`` = m the condition is
    instead that at most m people are at a risk above c. ``parameter="rho"`` states everything in rho. ``max_error``
    adds a ceiling on the expected absolute error of a count; ``remedies`` evaluates coarser tables, by default where no
    budget is safe. ``search`` is the range of the scan.

    ``data`` is a table, or the situations of a hierarchy: then the budget is that of all levels together, and the
    measure one of the adversary's. ``options`` go to the measure: ``match``, ``alpha``, ``size_model``, and
    ``attributes`` ("joint", "max" or "sum") where a table has several sensitive attributes; ``prior`` for the posterior
    measures; and of a hierarchy ``attack``, ``rare`` and ``shares``.

    Source: P0 section 5.3.
    Assumes that the risk does not turn again outside of ``search``, whose default ends are where noise drowns the
    largest cell and where rounding removes the noise.
    Departs from print (P0-9): the risk may fall and rise again, so nothing is inverted by bisection; the whole axis is
    scanned as finely as its slope demands, and ends are stated on the safe side.
    """
    one_of("measure", measure, ALL_MEASURES)
    one_of("parameter", parameter, PARAMETERS)
    ceiling = _ceiling(max_risk, measure, options, data)
    by = chosen_aggregate(aggregate_by, max_people)
    if max_error is not None:
        positive("max_error", max_error)
    dial = risk_dial(data, mechanism, by, measure, delta, neighbours, parameter, **options)
    scan, safe, floor, floor_at = solved(dial, ceiling, search, progress)
    # saying less does not help against somebody who knows everybody but the target
    if remedies and measure in POSTERIOR_MEASURES:
        raise ParameterError(f"measure {measure!r} has no remedies: a coarser table has the same risk; leave them out")
    wanted = measure not in POSTERIOR_MEASURES and (not safe if remedies is None else remedies)
    return BudgetChoice(
        dial,
        ceiling,
        max_people,
        max_error,
        safe,
        scan,
        floor,
        floor_at,
        None if max_error is None else _least_budget_for(dial, max_error, scan),
        tuple(_remedies(dial, ceiling, search, options)) if wanted else (),
    )


def chosen_aggregate(aggregate_by: str | AnyAggregate | None, max_people: int | None) -> AnyAggregate:
    """The aggregate that was asked for: by name, or as a number of people; not both."""
    if max_people is None:
        return aggregate(DEFAULT_AGGREGATE if aggregate_by is None else aggregate_by)
    if aggregate_by is not None:
        raise ParameterError("max_people is an aggregate of its own: leave out aggregate_by, or max_people")
    return PeopleAbove(max_people)


def solved(
    dial: RiskDial,
    ceiling: float,
    search: tuple[float, float] | None = None,
    progress: Callable[[int], None] | None = None,
) -> tuple[Scan, tuple[Interval, ...], float, float]:
    """The scan of a dial, its safe set with open ends, and the floor with its place."""
    lowest, highest = search if search is not None else dial.default_range()
    if not positive("the lower end of the search", lowest) < positive("the upper end of the search", highest):
        raise ParameterError(f"the search must ascend, got {lowest:g} to {highest:g}")
    if highest >= dial.highest_valid:
        raise ParameterError(f"mechanism {dial.mechanism!r} holds for epsilon < {dial.highest_valid:g}")
    if search is None:
        lowest = _low_enough(dial, ceiling, lowest)
    at_zero, unprotected = dial.limits
    beyond = (at_zero, unprotected if math.isinf(dial.highest_valid) else math.inf)
    slope = 0.0 if ceiling >= dial.greatest else dial.slope  # nothing rises above what is certain
    scan = scan_safe_set(dial.risk, ceiling, lowest, highest, slope, progress, beyond)
    safe = list(scan.intervals)
    if safe and scan.risks[0] <= ceiling and at_zero <= ceiling:
        safe[0] = Interval(0.0, safe[0].high)
    if safe and scan.risks[-1] <= ceiling and unprotected <= ceiling and math.isinf(dial.highest_valid):
        safe[-1] = Interval(safe[-1].low, math.inf)
    ends = [(0.0, at_zero), (math.inf, unprotected)] if math.isinf(dial.highest_valid) else [(0.0, at_zero)]
    place, floor = min([scan.lowest_point, *ends], key=lambda pair: pair[1])
    return scan, tuple(safe), floor, place


def _low_enough(dial: RiskDial, ceiling: float, lowest: float) -> float:
    """``lowest``, or less where a ceiling just above the risk without any release is met further down."""
    possible = dial.lowest_possible(lowest)
    while dial.limits[0] < ceiling < dial.risk(lowest):
        if lowest <= possible:
            raise ParameterError(
                f"max_risk = {ceiling:.15g} is so close to {dial.limits[0]:.15g}, the risk without any release, that "
                f"it takes less than {dial.parameter} = {lowest:.2g}, more noise than can be summed; raise max_risk"
            )
        lowest = max(possible, 0.1 * lowest)
    return lowest


def _ceiling(max_risk: float, measure: str, options: dict[str, Any], data: FrequencyTable | Situations) -> float:
    """The ceiling, refused where the measure cannot have such a value."""
    value = finite("max_risk", max_risk)
    if measure == "posterior-ratio":
        prior = probability("prior", options.get("prior", 0.5))
        if not 1 < value <= 1.0 / prior:
            raise ParameterError(
                f"max_risk of 'posterior-ratio' must lie in (1, {1.0 / prior:g}], from nothing learnt to certainty at "
                f"prior {prior:g}; got {value:g}"
            )
    elif options.get("attributes") == "sum" and isinstance(data, FrequencyTable):
        if not 0 < value <= (most := len(data.sensitive)):
            raise ParameterError(f"max_risk of a sum over {most} attributes must lie in (0, {most}], got {value:g}")
    elif not 0 < value <= 1:
        raise ParameterError(f"max_risk must lie in (0, 1], got {value:g}; it is a probability, 0.3 for 30 %")
    return value


def _least_budget_for(dial: RiskDial, max_error: float, scan: Scan) -> float:
    """The least budget whose expected absolute error is at most ``max_error``; the error falls as the budget grows."""
    from scipy import optimize  # lazy: most choices need no error ceiling

    def excess(x: float) -> float:
        return math.log(max(expected_absolute_error(dial.noise(math.exp(x))), 1e-300) / max_error)

    low, high = math.log(scan.budgets[0]), math.log(scan.budgets[-1])
    if excess(low) <= 0:
        return float(scan.budgets[0])
    if excess(high) > 0:
        return math.inf
    return math.exp(float(optimize.brentq(excess, low, high, xtol=1e-13)))


def _remedies(
    dial: RiskDial, ceiling: float, search: tuple[float, float] | None, options: dict[str, Any]
) -> list[Remedy]:
    """Every lever, evaluated: those that reach the ceiling first, then by their floor."""
    found = []
    for lever in levers(dial.table):
        try:
            coarser = risk_dial(
                lever.table, dial.mechanism, dial.aggregate, dial.measure, dial.delta, dial.neighbours, dial.parameter,
                **options,
            )  # fmt: skip
        except ParameterError:  # an option, such as one Dirichlet parameter per label, that does not fit fewer labels
            continue
        _, safe, floor, _ = solved(coarser, ceiling, search)
        found.append(Remedy(lever, floor, safe[0].high if safe else None))
    return sorted(found, key=lambda remedy: (remedy.budget is None, round(remedy.floor, 9), remedy.lever.name))
