"""Composition against closed forms and against dp-accounting."""

from __future__ import annotations

import math
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.accounting.account import Account
from epsilens.accounting.composition import COMPOSITION_RULES, compose, compose_parallel
from epsilens.accounting.cost import cost_of
from epsilens.budget import ZCDP, ApproxDP, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, calibrate
from epsilens.noise.gaussian import gaussian_log_delta


def epsilon(composition_row: object) -> float:
    value = composition_row.epsilon  # type: ignore[attr-defined]
    assert value is not None
    return float(value)


def test_basic_composition_adds_up() -> None:
    total = compose([PureDP(0.1), ApproxDP(0.2, 1e-6), ProbabilisticDP(0.3, 2e-6)])
    assert epsilon(total["basic"]) == pytest.approx(0.6)
    assert total["basic"].delta == pytest.approx(3e-6)
    assert "PureDP and ApproxDP and ProbabilisticDP" in total["basic"].note


def test_advanced_composition_is_the_closed_form() -> None:
    k, e, slack = 100, 0.05, 1e-6
    total = compose([PureDP(e)] * k, delta=slack)
    expected = e * math.sqrt(2 * k * math.log(1 / slack)) + k * e * math.expm1(e)
    assert epsilon(total["advanced"]) == pytest.approx(expected)
    drift = k * e * math.expm1(e) / (math.exp(e) + 1)
    bound = drift + e * math.sqrt(2 * k * math.log(math.e + math.sqrt(k) * e / slack))
    assert epsilon(total["optimal-bound"]) == pytest.approx(
        min(bound, drift + e * math.sqrt(2 * k * math.log(1 / slack)))
    )


def test_zcdp_adds_rhos_and_converts_last() -> None:
    total = compose([ZCDP(0.1), ZCDP(0.3)], delta=1e-6)
    assert total["zcdp"].rho == pytest.approx(0.4)
    assert epsilon(total["zcdp"]) == pytest.approx(ZCDP(0.4).epsilon(1e-6))
    assert total.budget("zcdp") == ZCDP(0.4)
    mixed = compose([PureDP(0.5), ZCDP(0.1)], delta=1e-6)
    assert epsilon(mixed["zcdp"]) == pytest.approx(ZCDP(0.225).epsilon(1e-6))
    assert "mixes PureDP and ZCDP" in mixed["zcdp"].note
    assert epsilon(mixed["basic"]) == pytest.approx(0.5 + ZCDP(0.1).epsilon(1e-6))


def test_pld_of_gaussians_is_one_gaussian() -> None:
    total = compose([ZCDP(0.05)] * 4, delta=1e-5, mechanisms=["gaussian"] * 4)
    ratio = math.sqrt(2 * 0.2)  # four releases of ratio sqrt(2 rho) are one of twice that
    assert gaussian_log_delta(epsilon(total["pld"]), ratio) == pytest.approx(math.log(1e-5), abs=0.02)
    assert epsilon(total["pld"]) < epsilon(total["zcdp"])


def test_pld_of_the_worst_mechanism_is_the_exact_optimum_for_equal_budgets() -> None:
    k, e, target = 10, 0.2, 1e-4

    def delta(total: float) -> float:  # randomised response k times (Kairouz, Oh and Viswanath 2015, Theorem 3.3)
        terms = (math.comb(k, i) * max(0.0, math.exp((k - i) * e) - math.exp(total + i * e)) for i in range(k + 1))
        return sum(terms) / (1 + math.exp(e)) ** k

    low, high = 0.0, k * e
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if delta(middle) > target else (low, middle)
    assert epsilon(compose([PureDP(e)] * k, delta=target)["pld"]) == pytest.approx(high, abs=2e-3)


def test_pld_of_a_named_mechanism_agrees_with_dp_accounting() -> None:
    from dp_accounting.pld import privacy_loss_distribution

    one = privacy_loss_distribution.from_laplace_mechanism(2.0)
    expected = one.self_compose(5).get_epsilon_for_delta(1e-5)
    total = compose([PureDP(0.5)] * 5, delta=1e-5, mechanisms=["laplace"] * 5)
    assert epsilon(total["pld"]) == pytest.approx(expected, abs=1e-3)
    two_counts = privacy_loss_distribution.from_laplace_mechanism(4.0)  # substitution: two counts, half the budget each
    expected = two_counts.self_compose(10).get_epsilon_for_delta(1e-5)
    total = compose([PureDP(0.5)] * 5, 1e-5, "substitute", ["laplace"] * 5)
    assert epsilon(total["pld"]) == pytest.approx(expected, abs=1e-3)
    swapped = compose([PureDP(0.5)] * 5, 1e-5, "substitute", ["discrete-laplace"] * 5)
    assert 0 < epsilon(swapped["pld"]) <= 2.5
    gaussian = compose([ZCDP(0.1)], 1e-5, "substitute", ["discrete-gaussian"])
    assert epsilon(gaussian["pld"]) <= epsilon(gaussian["zcdp"]) + 1e-3


@settings(max_examples=25, deadline=None)
@given(
    epsilons=st.lists(st.floats(0.02, 1.0), min_size=1, max_size=6),
    own_delta=st.sampled_from([0.0, 1e-8, 1e-6]),
    delta=st.sampled_from([1e-5, 1e-3]),
)
def test_the_exact_composition_is_below_every_bound(epsilons: list[float], own_delta: float, delta: float) -> None:
    budgets = [ApproxDP(e, own_delta) if own_delta else PureDP(e) for e in epsilons]
    total = compose(budgets, delta=delta)
    exact = epsilon(total["pld"])
    for rule in COMPOSITION_RULES[:-1]:
        assert exact <= epsilon(total[rule]) + 2e-3
    assert epsilon(total["optimal-bound"]) <= epsilon(total["advanced"]) + 1e-12
    assert total.best is not None
    assert epsilon(total.best) <= sum(epsilons) + 2e-3


def test_without_delta_only_what_needs_none_is_stated() -> None:
    total = compose([PureDP(1.0), PureDP(2.0)])
    assert total["basic"].delta == 0
    assert total.budget("basic") == PureDP(3.0)
    assert total["zcdp"].rho == pytest.approx(2.5)
    assert [row.epsilon is None for row in total.rows] == [False, True, True, True, True]
    with pytest.raises(ParameterError, match="rule='advanced' gives no epsilon here: needs a delta"):
        total.budget("advanced")
    short = compose([ApproxDP(1.0, 1e-3)], delta=1e-4)
    assert "needs delta > 0.001" in short["advanced"].note
    assert short["zcdp"].rho is None
    assert compose([ZCDP(0.1)])["basic"].epsilon is None
    assert "name the mechanisms" in compose([ZCDP(0.1)], delta=1e-5)["pld"].note
    assert compose([ProbabilisticDP(1.0, 1e-3)] * 2).budget("basic") == ProbabilisticDP(2.0, 2e-3)
    assert compose([PureDP(1.0)] * 2, 1e-5).budget("advanced") == ApproxDP(2.0, 1e-5)


def test_extreme_budgets_do_not_overflow() -> None:
    total = compose([PureDP(1000.0), PureDP(1e-6)], delta=1e-6)
    assert epsilon(total["advanced"]) == pytest.approx(1000.0)
    assert epsilon(total["pld"]) == pytest.approx(1000.0)
    tiny = compose([PureDP(1e-6)] * 3, delta=1e-9)
    assert epsilon(tiny["pld"]) <= 3e-6 * 1.01


def test_disjoint_groups_cost_what_the_costliest_costs() -> None:
    total = compose_parallel([[PureDP(1.0), PureDP(0.5)], [PureDP(1.2)]], delta=1e-6)
    assert epsilon(total["basic"]) == 1.5
    assert "costliest" in total["basic"].note
    assert compose_parallel([[ZCDP(0.2)], [ZCDP(0.1), ZCDP(0.3)]]).budget("zcdp") == ZCDP(0.4)
    assert {row["neighbours"] for row in total.to_rows()} == {"add-remove"}


def test_bad_input_is_refused() -> None:
    with pytest.raises(ParameterError, match="at least one budget"):
        compose([])
    with pytest.raises(ParameterError, match="at least one group"):
        compose_parallel([])
    with pytest.raises(ParameterError, match="different neighbours cannot be composed"):
        compose([PureDP(1.0)] * 2, neighbours=["add-remove", "substitute"])
    with pytest.raises(ParameterError, match="one per release"):
        compose([PureDP(1.0)] * 2, neighbours=["add-remove"])
    with pytest.raises(ParameterError, match="did you mean 'substitute'"):
        compose([PureDP(1.0)], neighbours="substitution")
    with pytest.raises(ParameterError, match="delta must lie strictly"):
        compose([PureDP(1.0)], delta=0.0)
    with pytest.raises(ParameterError, match="mechanism='laplace' takes epsilon, got rho"):
        compose([ZCDP(1.0)], 1e-5, mechanisms=["laplace"])
    with pytest.raises(ParameterError, match="one per budget"):
        compose([ZCDP(1.0)], 1e-5, mechanisms=[])
    with pytest.raises(ParameterError, match="did you mean 'advanced'"):
        compose([PureDP(1.0)], rules=["advance"])
    with pytest.raises(ParameterError, match="rule must be one of"):
        compose([PureDP(1.0)])["sum"]


def test_dp_accounting_is_imported_only_when_needed() -> None:
    code = (
        "import sys; from epsilens.budget import PureDP; from epsilens.accounting.composition import compose; "
        "compose([PureDP(1.0)] * 2); sys.exit('dp_accounting' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_the_best_rule_keeps_to_the_delta_asked_for() -> None:
    total = compose([ApproxDP(0.1, 1e-7)] * 30, 1e-6)
    assert total["basic"].delta == pytest.approx(3e-6)
    assert total.best is None
    assert compose([ApproxDP(0.1, 1e-7)] * 30).best == total["basic"]


def test_what_is_no_budget_is_refused() -> None:
    with pytest.raises(ParameterError, match="got float"):
        compose([1.0])  # type: ignore[list-item]
    with pytest.raises(ParameterError, match="one list per group"):
        compose_parallel([[PureDP(1.0)]], mechanisms=[["gaussian"], []])
    with pytest.raises(ParameterError, match="a list of"):
        compose(1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize(("rho", "delta"), [(1e-12, 1e-9), (5.6e-12, 1e-6), (5e-21, 1e-12)])
def test_discrete_noise_too_wide_to_be_listed_costs_what_continuous_noise_does(rho: float, delta: float) -> None:
    from epsilens.noise.gaussian import gaussian_log_delta

    one = epsilon(compose([ZCDP(rho)], delta, mechanisms=["discrete-gaussian"])["pld"])
    ratio = math.sqrt(2 * rho)
    assert gaussian_log_delta(one, ratio) <= math.log(delta) + 1e-9
    assert gaussian_log_delta(one * (1 - 1e-3), ratio) > math.log(delta)


def test_disjoint_groups_may_name_their_mechanisms() -> None:
    groups = [[ZCDP(0.1)], [ZCDP(0.2), ZCDP(0.1)]]
    total = compose_parallel(groups, 1e-6, mechanisms=[["gaussian"], ["gaussian", "discrete-gaussian"]])
    costliest = compose(groups[1], 1e-6, mechanisms=["gaussian", "discrete-gaussian"])
    assert total["pld"].epsilon == costliest["pld"].epsilon
    with pytest.raises(ParameterError, match="one list per group"):
        compose_parallel(groups, 1e-6, mechanisms=[["gaussian"]])


@pytest.mark.parametrize(("budget", "expected"), [(ProbabilisticDP(1.0, 0.004), 0.834), (ApproxDP(0.6, 0.004), 0.3605)])
def test_gaussian_releases_of_known_noise_cost_their_own_loss(
    budget: ProbabilisticDP | ApproxDP, expected: float
) -> None:
    noise = calibrate("gaussian", budget)
    for releases, names in (
        ([("gaussian", budget)] * 2, None),
        ([(noise, budget)] * 2, None),
        ([noise] * 2, None),
        ([budget] * 2, ["gaussian"] * 2),
    ):
        row = compose(releases, 0.01, mechanisms=names)["pld"]
        assert epsilon(row) == pytest.approx(expected, abs=2e-4)
        ratio = math.sqrt(2.0 / noise.variance)  # two Gaussian noises are one of sigma / sqrt 2
        assert gaussian_log_delta(epsilon(row), ratio) == pytest.approx(math.log(0.01), abs=1e-6)
    assert epsilon(compose([budget] * 2, 0.01)["pld"]) > 2 * expected  # of a budget alone: its worst mechanism
    known = compose([("gaussian", budget)] * 2, 0.01)
    assert epsilon(known["zcdp"]) == pytest.approx(ZCDP(1.0 / noise.variance).epsilon(0.01))
    assert epsilon(known["basic"]) == pytest.approx(2 * budget.epsilon)


def test_laws_alone_have_the_prices_that_follow_from_them() -> None:
    total = compose([LaplaceNoise(4.0), DiscreteLaplaceNoise(2.0)], 1e-6, "substitute")
    assert epsilon(total["basic"]) == 1.5
    assert total["basic"].delta == 0
    assert total["zcdp"].rho == pytest.approx(0.5**2 / 2 + 1.0 / 2)
    assert total.budget("basic") == PureDP(1.5)
    gaussians = compose([GaussianNoise(2.0), DiscreteGaussianNoise(2.0)], 1e-6)
    assert gaussians.budget("zcdp") == ZCDP(0.25)
    assert epsilon(gaussians["pld"]) < epsilon(gaussians["zcdp"]) == epsilon(gaussians["basic"])


@pytest.mark.parametrize(("number", "size", "cost"), [(1000, 1e-6, 0.000115), (100, 1e-5, 0.000388)])
def test_many_small_releases_cost_what_they_cost(number: int, size: float, cost: float) -> None:
    for release in (PureDP(size), ("discrete-laplace", PureDP(size))):
        found = epsilon(compose([release] * number, 1e-9)["pld"])
        assert found == pytest.approx(cost, rel=5e-3)
        assert found < number * size
    survey = Account.opened("survey", ApproxDP(1.0, 1e-9), "add-remove", "pld")
    assert float(survey.spent([cost_of(PureDP(size))] * number)["epsilon"]) == pytest.approx(cost, rel=5e-3)


def test_several_rows_per_person() -> None:
    gaussian = ("gaussian", ZCDP(0.1))
    assert epsilon(compose([gaussian] * 2, 1e-6, max_rows_per_unit=3)["pld"]) == pytest.approx(
        epsilon(compose([gaussian] * 2, 1e-6)["pld"]), rel=1e-6
    )  # three times the noise for three times the shift
    thrice = compose([GaussianNoise(6.0)], 1e-6, max_rows_per_unit=3)
    assert epsilon(thrice["pld"]) == pytest.approx(epsilon(compose([GaussianNoise(2.0)], 1e-6)["pld"]), rel=1e-6)
    laplace = compose([LaplaceNoise(6.0)], 1e-6, max_rows_per_unit=[3])
    assert epsilon(laplace["basic"]) == 0.5
    assert laplace["pld"].note == "worst mechanism per budget"
    unknown = compose([("discrete-gaussian", ZCDP(0.1))], 1e-6, max_rows_per_unit=2)
    assert unknown["pld"].epsilon is None
    assert epsilon(unknown["zcdp"]) == pytest.approx(ZCDP(0.1).epsilon(1e-6))
    groups = compose_parallel([[GaussianNoise(6.0)], [GaussianNoise(6.0)]], 1e-6, max_rows_per_unit=[[1], [3]])
    assert groups["pld"].epsilon == thrice["pld"].epsilon
    with pytest.raises(ParameterError, match=r"max_rows_per_unit must be one per budget \(1\), got 2"):
        compose([LaplaceNoise(6.0)], max_rows_per_unit=[1, 1])
    with pytest.raises(ParameterError, match="max_rows_per_unit must be >= 1, got 0"):
        compose([LaplaceNoise(6.0)], max_rows_per_unit=0)


def test_a_mechanism_is_named_for_budgets_only() -> None:
    with pytest.raises(ParameterError, match="mechanisms must be None where the noise is given, got 'laplace'"):
        compose([LaplaceNoise(1.0)], 1e-6, mechanisms=["laplace"])
    with pytest.raises(ParameterError, match="did you mean 'laplace'"):
        compose([("laplase", PureDP(1.0))], 1e-6)
    with pytest.raises(ParameterError, match="got tuple"):
        compose([(PureDP(1.0), "laplace")], 1e-6)  # type: ignore[list-item]
