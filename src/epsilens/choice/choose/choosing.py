"""From a tolerable risk to a budget: the whole axis is scanned, and what helps is tried where nothing is safe."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.asked import Asked, Parameter, Shape, checked_error, chosen_aggregate
from epsilens.choice.choose.budget_choice import BudgetChoice, Remedy
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import checked_data, dial_of
from epsilens.choice.choose.recoding import levers
from epsilens.choice.choose.safe_set import Scan
from epsilens.choice.choose.solving import solved
from epsilens.choice.whole_universe import listed_universe
from epsilens.errors import ParameterError
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations


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
    ``attributes`` ("joint", "max" or "sum"), ``publish`` ("joint" or "separate" tables) and ``budget_of`` ("each" of
    these or "all") where a table has several sensitive attributes; ``prior`` for the posterior measures; and of a
    hierarchy ``attack``, ``rare`` and ``shares``.

    Source: P0 section 5.3.
    Assumes that the risk does not turn again outside of ``search``, whose default ends are where noise drowns the
    largest cell and where rounding removes the noise.
    Departs from print (P0-9): the risk may fall and rise again, so nothing is inverted by bisection; the whole axis is
    scanned as finely as its slope demands, and ends are stated on the safe side.
    """
    checked_data(data)
    asked = Asked(
        mechanism=mechanism,
        measure=measure,
        aggregate=chosen_aggregate(aggregate_by, max_people),
        delta=delta,
        neighbours=neighbours,
        parameter=parameter,
        options=options,
    )
    return chosen_budget(data, asked, max_risk, max_people, max_error, search, remedies, progress)


def chosen_budget(
    data: FrequencyTable | Situations,
    asked: Asked,
    max_risk: float,
    max_people: int | None = None,
    max_error: float | None = None,
    search: tuple[float, float] | None = None,
    remedies: bool | None = None,
    progress: Callable[[int], None] | None = None,
) -> BudgetChoice:
    """:func:`choose_budget` for a question that has been checked; ``max_people`` is the limit of its aggregate."""
    checked_error(max_error)
    # saying less does not help against somebody who knows everybody but the target
    if remedies and asked.posterior:
        raise ParameterError(
            f"measure {asked.measure!r} has no remedies: a coarser table has the same risk; leave them out"
        )
    ceiling = asked.ceiling(max_risk, shape_of_table(data))  # before the data are prepared, which may take long
    dial = dial_of(data, asked)
    found = solved(dial, ceiling, search, progress)
    wanted = not asked.posterior and (not found.safe_set if remedies is None else remedies)
    return BudgetChoice(
        dial=dial,
        max_risk=ceiling,
        max_people=max_people,
        max_error=max_error,
        safe_set=found.safe_set,
        scan=found.scan,
        floor=found.floor,
        floor_at=found.floor_at,
        error_floor=None if max_error is None else _least_budget_for(dial, max_error, found.scan),
        remedies=tuple(_remedies(dial, ceiling, search)) if wanted else (),
    )


def shape_of_table(data: FrequencyTable | Situations) -> Shape | None:
    """What a ceiling must know of a table; None of a hierarchy."""
    if not isinstance(data, FrequencyTable):
        return None
    return Shape(attributes=len(data.sensitive), weight=float(data.label_weights.max(initial=1.0)))


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
    root = float(optimize.brentq(excess, low, high, xtol=1e-13))
    step = 1e-15
    while excess(root) > 0:  # to the safe side
        root, step = root + step, 2.0 * step
    return math.exp(root)


def _remedies(dial: RiskDial, ceiling: float, search: tuple[float, float] | None) -> list[Remedy]:
    """Every lever, evaluated: those that reach the ceiling first, then by their floor."""
    tried = []
    for lever in levers(listed_universe(dial.table)):
        try:
            coarser = dial_of(lever.table, dial.asked)
        except ParameterError:  # an option, such as one Dirichlet parameter per label, that does not fit fewer labels
            continue
        found = solved(coarser, ceiling, search)
        tried.append(Remedy(lever, found.floor, found.budget))
    return sorted(tried, key=lambda remedy: (remedy.budget is None, round(remedy.floor, 9), remedy.lever.name))
