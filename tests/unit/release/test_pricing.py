"""What a release costs, whatever its columns are."""

from __future__ import annotations

from decimal import Decimal

import pytest

from epsilens.accounting.events import DeltaEvent, NoiseEvent, PureEvent
from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.release.pricing import priced_tables, statistics_cost
from epsilens.release.statistics import Mean
from epsilens.release.statistics.question import Records, StatisticsQuestion
from epsilens.release.tables.plan import make_plan
from epsilens.release.terms import Payment, Person


def test_names_do_not_matter_and_the_number_of_tables_does() -> None:
    plan = make_plan(["a", "b"], budget=PureDP(0.6), marginals=[["a"], ["b"]], shares=[2.0, 1.0])
    priced = priced_tables(["x", "y"], "discrete-laplace", PureDP(0.6), shares=[2.0, 1.0])
    assert priced.cost == plan.cost
    assert [table.noise.law for table in priced.tables] == [table.noise.law for table in plan.tables]
    assert priced.cost != priced_tables(["x", "y"], "discrete-laplace", PureDP(0.6)).cost
    assert priced.cost != priced_tables(["x"], "discrete-laplace", PureDP(0.6)).cost


def test_prices_by_mechanism() -> None:
    thresholded = priced_tables(["x"], "discrete-laplace", PureDP(0.5), threshold_at=1e-6).cost
    assert (thresholded.epsilon, thresholded.delta, thresholded.rho) == (Decimal("0.5"), Decimal("0.000001"), None)
    assert [type(event) for event in thresholded.events] == [NoiseEvent, DeltaEvent]
    asked = priced_tables(["x"], "discrete-gaussian", ApproxDP(0.5, 1e-6)).cost
    assert asked.rho == Decimal(repr(ZCDP.within(ApproxDP(0.5, 1e-6)).rho))
    assert priced_tables(["x"], "discrete-laplace", PureDP(0.5), max_rows_per_unit=3).cost.events == (
        PureEvent(Decimal("0.5")),
    )
    assert priced_tables(["x"], "discrete-gaussian", ZCDP(0.5), max_rows_per_unit=3).cost.events == ()
    with pytest.raises(ParameterError, match="a release needs a budget"):
        priced_tables(["x"], "discrete-laplace", None)
    with pytest.raises(ParameterError, match=r"continuous noise .* must be allowed explicitly"):
        priced_tables(["x"], "gaussian", ZCDP(0.5))


def test_statistics_cost_the_whole_budget_and_each_is_an_event() -> None:
    cost = statistics_cost(PureDP(0.5), 2, [3.0, 1.0])
    assert (cost.epsilon, cost.rho) == (Decimal("0.5"), Decimal("0.125"))
    assert cost.events == (PureEvent(Decimal("0.375")), PureEvent(Decimal("0.125")))
    assert statistics_cost(PureDP(0.5), 1).events == (PureEvent(Decimal("0.5")),)
    question = StatisticsQuestion(
        [Mean("a", 0, 1), Mean("b", 0, 1)],
        PureDP(0.5),
        Person(one_row_per_person=True),
        Payment("b.db", "survey"),
        shares=[3.0, 1.0],
        records=Records(n=10),
    )
    assert question.cost == cost
    assert cost.events == tuple(PureEvent(Decimal(repr(part.epsilon))) for _, part in question.parts)
