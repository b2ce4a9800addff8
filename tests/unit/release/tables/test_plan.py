"""What a release of tables will do, decided before any data is read."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction

import pytest

from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.release.tables.plan import make_plan


def test_continuous_noise_must_be_allowed() -> None:
    with pytest.raises(ParameterError, match="must be allowed explicitly"):
        make_plan(["a"], "laplace", PureDP(0.5))
    assert "Mironov" in make_plan(["a"], "laplace", PureDP(0.5), allow_continuous=True).caveats[0]
    assert make_plan(["a"], "discrete-laplace", PureDP(0.5)).caveats == ()


def test_a_split_budget_adds_up_and_is_stated() -> None:
    plan = make_plan(["a", "b"], budget=PureDP(1.0), marginals=[["a"], ["b"], []], shares=[1, 1, 4])
    parts = [table.budget.epsilon for table in plan.tables]
    assert sum(map(Fraction, map(repr, parts))) <= 1
    assert parts == pytest.approx([1 / 6, 1 / 6, 2 / 3], rel=1e-13)
    assert plan.cost.epsilon == 1
    thirds = make_plan(["a", "b"], budget=PureDP(1.0), marginals=[["a"], ["b"], []])
    assert sum(Fraction(repr(table.budget.epsilon)) for table in thirds.tables) <= 1


def test_gaussian_noise_asked_for_in_epsilon_and_delta_is_priced_in_rho() -> None:
    plan = make_plan(["a"], "discrete-gaussian", ApproxDP(1.0, 1e-6))
    assert plan.cost.rho is not None
    assert ZCDP(float(plan.cost.rho)).delta(1.0) <= 1e-6
    assert (plan.cost.epsilon, plan.cost.delta) == (Decimal("1.0"), Decimal("0.000001"))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"mechanism": "discrete-laplas"}, "did you mean 'discrete-laplace'"),
        ({"mechanism": "gaussian-analytic"}, "mechanism must be one of"),
        ({"budget": ZCDP(1.0)}, "takes epsilon without delta, got rho"),
        ({"budget": None}, "needs a budget"),
        ({"mechanism": "discrete-gaussian"}, "takes rho, or epsilon with delta, got epsilon"),
        ({"marginals": [["c"]]}, "names 'c', which is not released"),
        ({"marginals": [["a", "a"]]}, "names a column twice"),
        ({"marginals": [["a", "b"], ["b", "a"]]}, "names a table twice"),
        ({"marginals": []}, "marginals must name at least one table"),
        ({"marginals": [["a"], ["b"]], "shares": [1.0]}, "1 shares of the budget for 2 tables"),
        ({"marginals": [["a"], ["b"]], "shares": [1.0, -1.0]}, "must be > 0"),
        ({"marginals": [["a"], ["b"]], "threshold_at": 1e-6}, "threshold_delta releases one table"),
        ({"max_rows_per_unit": 0}, "max_rows_per_unit must be >= 1"),
    ],
)
def test_plans_that_make_no_sense_are_refused(options: dict[str, object], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        make_plan(["a", "b"], **{"budget": PureDP(1.0), **options})  # type: ignore[arg-type]
