from __future__ import annotations

import math
from decimal import Decimal

import pytest

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.amounts import digits, pure_rho
from epsilens.accounting.cost import Cost, cost_of_noise
from epsilens.accounting.events import NoiseEvent, PureEvent
from epsilens.accounting.rules import ACCOUNT_KINDS
from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.noise.gaussian import gaussian_log_delta
from epsilens.release.tables.plan import make_plan


def pure(epsilon: float) -> Cost:
    return make_plan(["a"], budget=PureDP(epsilon)).cost


def gaussian(rho: float) -> Cost:
    return make_plan(["a"], "discrete-gaussian", ZCDP(rho)).cost


def thresholded(epsilon: float, delta: float) -> Cost:
    return make_plan(["a"], budget=PureDP(epsilon), threshold_at=delta).cost


def account(total: Budget, rule: str | None = None) -> Account:
    return Account.opened("survey", total, "add-remove", rule)


def test_ten_tenths_are_exactly_one() -> None:
    survey, tenth = account(PureDP(1.0)), pure(0.1)
    survey.admit([tenth] * 9, tenth)
    assert survey.left([tenth] * 9) == {"epsilon": Decimal("0.1")}
    with pytest.raises(BudgetExceededError, match=r"epsilon 0 left of 1, this release asks for 0\.1$"):
        survey.admit([tenth] * 10, tenth)


def test_what_is_left_is_said_to_the_digit() -> None:
    survey = account(PureDP(2.0))
    spent = [pure(0.1), pure(0.7), pure(1e-9)]
    with pytest.raises(BudgetExceededError, match=r"epsilon 1\.199999999 left of 2, this release asks for 1\.2$"):
        survey.admit(spent, pure(1.2))
    survey.admit(spent, pure(1.199999999))


def test_approx_adds_epsilons_and_deltas() -> None:
    survey = account(ApproxDP(1.0, 1e-5))
    costs = [pure(0.25), thresholded(0.5, 4e-6)]
    assert survey.spent(costs) == {"epsilon": Decimal("0.75"), "delta": Decimal("0.000004")}
    survey.admit(costs, thresholded(0.25, 6e-6))
    with pytest.raises(BudgetExceededError, match=r"delta 0\.000006 left of 0\.00001, this release asks for 0\.000007"):
        survey.admit(costs, thresholded(0.1, 7e-6))


def test_zcdp_adds_rhos_and_takes_pure_ones_at_half_the_square() -> None:
    survey = account(ZCDP(0.5))
    costs = [gaussian(0.1), pure(0.4)]
    assert costs[1].rho == pure_rho(Decimal("0.4")) == Decimal("0.08")
    assert survey.left(costs) == {"rho": Decimal("0.32")}
    with pytest.raises(ParameterError, match="adds up rhos"):
        survey.admit(costs, thresholded(0.1, 1e-6))


def test_zcdp_with_an_epsilon_delta_total_stays_within_it() -> None:
    total = ApproxDP(1.0, 1e-6)
    limit = float(account(total, "zcdp").limits["rho"])
    assert ZCDP(limit).delta(1.0) <= 1e-6 < ZCDP(limit * 1.001).delta(1.0)


def test_pure_and_approx_accounts_refuse_what_has_no_price_there() -> None:
    with pytest.raises(ParameterError, match="adds up pure epsilons"):
        account(PureDP(1.0)).admit([], gaussian(0.1))
    with pytest.raises(ParameterError, match="adds up pure epsilons"):
        account(PureDP(1.0)).admit([], thresholded(0.1, 1e-6))
    with pytest.raises(ParameterError, match="give this release epsilon and delta, not rho"):
        account(ApproxDP(1.0, 1e-6)).admit([], gaussian(0.1))


def test_pld_is_never_above_basic_and_zcdp_composition_and_never_below_the_truth() -> None:
    survey = account(ApproxDP(3.0, 1e-6), "pld")
    many = [pure(0.1)] * 40
    composed = float(survey.spent(many)["epsilon"])
    by_rho = ZCDP(40 * 0.1**2 / 2).epsilon(1e-6)
    assert composed < by_rho < 40 * 0.1
    # The best test distinguishes 40 draws of discrete Laplace noise at least this well (a normal limit of the loss).
    p = math.exp(-0.1)
    mean = 0.1 * (1 - p) / (1 + p)
    assert composed > 40 * mean
    one = float(survey.spent([gaussian(0.05)])["epsilon"])
    assert 0 < one <= ZCDP(0.05).epsilon(1e-6)
    with pytest.raises(BudgetExceededError, match="this release would take it to"):
        survey.admit(many, pure(2.9))


def test_pld_counts_a_thresholds_delta_and_several_rows_by_the_worst_law() -> None:
    survey = account(ApproxDP(1.0, 1e-6), "pld")
    with pytest.raises(BudgetExceededError):
        survey.admit([], thresholded(0.1, 1e-6))  # nothing of delta would be left
    survey.admit([], thresholded(0.1, 5e-7))
    several = make_plan(["a"], budget=PureDP(0.5), max_rows_per_unit=3).cost
    assert several.events == (PureEvent(Decimal("0.5")),)
    assert float(survey.spent([several])["epsilon"]) == pytest.approx(0.5, rel=1e-4)
    with pytest.raises(ParameterError, match="is not offered for discrete-gaussian with several rows"):
        survey.admit([], make_plan(["a"], "discrete-gaussian", ZCDP(0.1), max_rows_per_unit=2).cost)


def analytic_epsilon(sigma: float, sensitivity: float, delta: float) -> float:
    """Balle and Wang (2018): delta(e) = Phi(D / 2s - e s / D) - exp(e) Phi(-D / 2s - e s / D), solved for e."""
    from scipy.optimize import brentq
    from scipy.stats import norm

    def excess(epsilon: float) -> float:
        a, b = sensitivity / (2 * sigma), epsilon * sigma / sensitivity
        return float(norm.cdf(a - b) - math.exp(epsilon + norm.logcdf(-a - b))) - delta

    return float(brentq(excess, 0.0, 100.0, xtol=1e-12))


@pytest.mark.parametrize(("neighbours", "rows"), [("add-remove", 1), ("substitute", 1), ("add-remove", 3)])
@pytest.mark.parametrize("releases", [1, 10])
def test_pld_of_continuous_gaussian_noise_is_the_analytic_one(neighbours: str, rows: int, releases: int) -> None:
    survey = Account.opened("survey", ApproxDP(20.0, 1e-6), neighbours, "pld")
    plan = make_plan(
        ["a"], "gaussian", ZCDP(0.05), neighbours=neighbours, max_rows_per_unit=rows, allow_continuous=True
    )
    (event,) = plan.cost.events
    sensitivity = {("add-remove", 1): 1.0, ("substitute", 1): math.sqrt(2.0), ("add-remove", 3): 3.0}[neighbours, rows]
    assert isinstance(event, NoiseEvent)
    assert event.sensitivity == pytest.approx(sensitivity)
    truth = analytic_epsilon(math.sqrt(event.law.variance), math.sqrt(releases) * sensitivity, 1e-6)
    spent = float(survey.spent([Cost.from_dict(plan.cost.to_dict())] * releases)["epsilon"])
    assert truth <= spent < truth * 1.001
    assert spent < ZCDP(0.05 * releases).epsilon(1e-6)


def test_pld_of_continuous_laplace_noise_is_below_basic_composition() -> None:
    survey = account(ApproxDP(20.0, 1e-6), "pld")
    cost = make_plan(["a"], "laplace", PureDP(0.1), allow_continuous=True).cost
    assert [event.to_dict()["law"] for event in cost.events] == ["laplace"]
    assert float(survey.spent([cost])["epsilon"]) == pytest.approx(0.1, rel=1e-3)
    assert float(survey.spent([cost] * 40)["epsilon"]) < ZCDP(40 * 0.1**2 / 2).epsilon(1e-6)


def test_substitution_shifts_two_cells() -> None:
    survey = account(ApproxDP(1.0, 1e-9), "pld")
    replaced = make_plan(["a"], budget=PureDP(0.5), neighbours="substitute").cost
    assert [event.to_dict()["cells"] for event in replaced.events] == [2]
    assert float(survey.spent([replaced])["epsilon"]) == pytest.approx(0.5, rel=1e-3)


def test_accounts_and_costs_survive_being_written_down() -> None:
    for total, rule in ((PureDP(0.3), None), (ApproxDP(1.0, 1e-7), "pld"), (ZCDP(0.125), None)):
        survey = account(total, rule)
        assert Account.from_dict(survey.to_dict()) == survey
    for cost in (pure(0.7), gaussian(0.3), thresholded(0.1, 1e-9)):
        assert Cost.from_dict(cost.to_dict()) == cost


@pytest.mark.parametrize(
    ("total", "rule", "said"),
    [
        (
            PureDP(1.0),
            "zcdp",
            "^composition='zcdp' needs total_rho, or total_epsilon with total_delta; got total_epsilon alone$",
        ),
        (ZCDP(1.0), "pld", "composition='pld' needs total_epsilon with total_delta; got total_rho"),
        (ApproxDP(1.0, 1e-6), "pure", "needs total_epsilon without total_delta; got total_epsilon with total_delta"),
        (PureDP(1.0), "basic", "composition must be one of pure, approx, zcdp, pld"),
    ],
)
def test_rules_and_totals_must_fit(total: Budget, rule: str, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        account(total, rule)


def test_an_account_has_a_name() -> None:
    with pytest.raises(ParameterError, match="data set's name"):
        Account.opened("  ", PureDP(1.0), "add-remove")


@pytest.mark.parametrize("sigma", [3e5, 1e9])
def test_pld_of_very_wide_discrete_noise_is_that_of_continuous_noise(sigma: float) -> None:
    survey = account(ApproxDP(1.0, 1e-9), "pld")
    cost = cost_of_noise(DiscreteGaussianNoise(sigma), "add-remove")
    spent = float(survey.spent([cost] * 4)["epsilon"])
    ratio = 2.0 / sigma
    truth = math.exp(gaussian_log_delta(max(spent, 1e-15), ratio))
    assert truth <= 1e-9
    assert spent == 0 or math.exp(gaussian_log_delta(spent * 0.99, ratio)) > 1e-9


def test_a_card_may_tell_more_than_a_numerical_account_finds_today_and_never_less() -> None:
    survey, costs = account(ApproxDP(3.0, 1e-6), "pld"), [pure(0.1)] * 5
    spent = survey.spent(costs)["epsilon"]

    def told(epsilon: Decimal, left: Decimal) -> list[str]:
        amounts = {"epsilon": digits(epsilon), "delta": "0.000001"}
        return survey.denied(amounts, {"epsilon": digits(left)}, costs)

    assert told(spent, 3 - spent) == []
    assert told(spent + 1, 2 - spent) == []  # an older version was coarser
    assert told(spent + 1, 3 - spent) == ["left"]
    assert told(spent / 2, 3 - spent / 2) == ["spent", "left"]
    exact = account(PureDP(1.0))
    assert exact.denied({"epsilon": "0.5"}, {"epsilon": "0.5"}, costs) == []
    assert exact.denied({"epsilon": "0.6"}, {"epsilon": "0.4"}, costs) == ["spent", "left"]


def test_the_kinds_of_account_are_those_that_ledgers_hold() -> None:
    assert list(ACCOUNT_KINDS) == ["pure", "approx", "zcdp", "pld"]
    plain = {Account.opened("survey", total, "add-remove").rule for total in (PureDP(1.0), ZCDP(1.0))}
    assert plain == {"pure", "zcdp"}
    assert Account.opened("survey", ApproxDP(1.0, 1e-6), "add-remove").rule == "approx"
    with pytest.raises(ParameterError, match="of probabilistic privacy"):
        Account.opened("survey", ProbabilisticDP(1.0, 1e-6), "add-remove")


def test_refusals_name_their_remedy_and_spell_it_for_the_reader() -> None:
    with pytest.raises(ParameterError, match="composition='approx'") as found:
        account(PureDP(1.0)).admit([], gaussian(0.1))

    def options(name: str, value: str | None = None) -> str:
        return f"--{name.replace('_', '-')}" + ("" if value is None else f" {value}")

    assert found.value.spelt(options) == (
        "account 'survey' adds up pure epsilons, which this release does not have; use --mechanism discrete-laplace "
        "without --threshold-delta, or an account with --composition approx or --composition zcdp"
    )
