"""What a planned release guarantees."""

from __future__ import annotations

import math

import pytest

from epsilens.budget import ZCDP, ApproxDP, PureDP
from epsilens.release.tables.guarantee import guarantee_of_plan
from epsilens.release.tables.plan import make_plan


@pytest.mark.parametrize(("epsilon", "right"), [(0.1, 52), (0.5, 62), (1.0, 73), (2.0, 88), (5.0, 99)])
def test_pure_budgets_have_the_bound_of_epsilon(epsilon: float, right: int) -> None:
    whole = guarantee_of_plan(make_plan(["a", "b"], budget=PureDP(epsilon)))
    assert round(100 * whole.right) == right
    parts = guarantee_of_plan(make_plan(["a", "b"], budget=PureDP(epsilon), marginals=[["a"], ["b"]]))
    assert parts == whole  # the total protects people, however it is shared


def test_a_threshold_adds_its_delta() -> None:
    found = guarantee_of_plan(make_plan(["a"], budget=PureDP(1.0), threshold_at=0.01))
    assert found.chance == pytest.approx(0.01, abs=0.01)
    assert found.right == pytest.approx((math.e + found.chance) / (1.0 + math.e), abs=1e-15)


def test_gaussian_noise_answers_for_itself() -> None:
    # mu = sqrt(2 rho) apart in units of sigma: right = Phi(mu / 2), up to the lattice
    found = guarantee_of_plan(make_plan(["a"], "discrete-gaussian", ZCDP(0.02)))
    phi = 0.5 * (1.0 + math.erf(math.sqrt(0.04) / 2.0 / math.sqrt(2.0)))
    assert found.right == pytest.approx(phi, abs=2e-3)
    both = guarantee_of_plan(make_plan(["a", "b"], "discrete-gaussian", ZCDP(0.02), marginals=[["a"], ["b"]]))
    assert both.right == pytest.approx(found.right, abs=2e-3)
    at = guarantee_of_plan(make_plan(["a"], "discrete-gaussian", ApproxDP(1.0, 1e-6)))
    assert at.chance == 1e-6


def test_people_with_several_rows_have_the_bound_of_rho() -> None:
    found = guarantee_of_plan(make_plan(["a"], "discrete-gaussian", ZCDP(0.02), max_rows_per_unit=3))
    assert found.basis == "rho"
    assert found.right == pytest.approx(0.5 * (1.0 + math.sqrt(0.01)))
