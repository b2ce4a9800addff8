from __future__ import annotations

import itertools
import json
import math
from decimal import Decimal

import pytest

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.amounts import digits, pure_rho
from epsilens.accounting.cost import Cost, cost_of_noise
from epsilens.accounting.events import NoiseEvent, PureEvent
from epsilens.accounting.plan import ReleasePlan
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


def planned(total: Budget, *rows: tuple[int, Cost]) -> Account:
    return Account.opened("survey", total, "add-remove", "pld", ReleasePlan(rows))


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


def test_approx_zcdp_adds_rhos_and_deltas_and_has_a_price_for_thresholds() -> None:
    survey = account(ApproxDP(1.0, 1e-5), "approx-zcdp")
    costs = [gaussian(0.001), pure(0.04), thresholded(0.02, 2e-6)]
    assert survey.spent(costs) == {"rho": Decimal("0.002"), "delta": Decimal("0.000002")}
    assert survey.left(costs)["delta"] == Decimal("0.000003")
    asked = make_plan(["a"], "discrete-gaussian", ApproxDP(0.1, 1e-7)).cost  # it has a rho, and needs no delta
    assert survey.spent([asked]) == {"rho": asked.rho, "delta": Decimal(0)}
    survey.admit(costs, thresholded(0.02, 3e-6))
    with pytest.raises(
        BudgetExceededError, match=r"delta 0\.000003 left of 0\.000005, this release asks for 0\.0000031$"
    ):
        survey.admit(costs, thresholded(0.02, 3.1e-6))
    with pytest.raises(
        BudgetExceededError, match=r"rho 0\.0263967\d* left of 0\.0283967\d*, this release asks for 0\.045;"
    ):
        survey.admit(costs, thresholded(0.3, 4e-6))
    assert survey.converted([]) == {"epsilon": 0.0, "delta": 1e-5}


@pytest.mark.parametrize("total", [ApproxDP(1.0, 1e-6), ApproxDP(0.1, 0.01), ApproxDP(8.0, 1e-9), ApproxDP(3.0, 0.3)])
def test_limits_follow_from_the_total_and_imply_it(total: ApproxDP) -> None:
    concentrated = float(account(total, "zcdp").limits["rho"])
    assert ZCDP(concentrated).delta(total.epsilon) <= total.delta < ZCDP(concentrated * 1.001).delta(total.epsilon)
    limits = account(total, "approx-zcdp").limits
    rho, delta = float(limits["rho"]), limits["delta"]
    assert 2 * delta == Decimal(repr(total.delta))
    assert ZCDP(rho).delta(total.epsilon) + float(delta) <= total.delta
    assert ZCDP(rho * 1.001).delta(total.epsilon) > float(delta)
    assert rho < concentrated


def test_a_plan_is_kept_in_any_order_and_nothing_else_is_released() -> None:
    survey = planned(ApproxDP(3.0, 1e-6), (2, pure(0.5)), (1, gaussian(0.01)))
    survey.refuse_opening()
    for order in itertools.permutations([pure(0.5), pure(0.5), gaussian(0.01)]):
        for made in range(3):
            survey.admit(order[:made], order[made])
    with pytest.raises(
        BudgetExceededError, match=r"epsilon 0\.5 \(discrete-laplace 2\) \(0 left\).* has no place left"
    ):
        survey.admit([pure(0.5)] * 2, pure(0.5))
    for other in (pure(0.4), thresholded(0.5, 1e-9), gaussian(0.0100001)):  # less is not planned either
        with pytest.raises(BudgetExceededError, match="is for the releases that were planned when it was opened"):
            survey.admit([], other)
    assert survey.overspent([pure(0.5), gaussian(0.01)]) is None
    assert survey.overspent([gaussian(0.01)] * 2) == "releases were made that are not in its plan"
    wide = planned(ApproxDP(0.5, 1e-6), (2, pure(0.5)))
    assert str(wide.overspent([])).startswith(
        "its plan does not fit: 2 x epsilon 0.5 (discrete-laplace 2) cost epsilon"
    )


def test_pld_is_opened_with_a_plan_that_can_be_priced_and_others_without_one() -> None:
    with pytest.raises(
        ParameterError, match=r"declare them with plan, such as plan='12' .* composition='approx-zcdp' or"
    ):
        account(ApproxDP(1.0, 1e-6), "pld").refuse_opening()
    several = make_plan(["a"], "discrete-gaussian", ZCDP(0.1), max_rows_per_unit=2).cost
    with pytest.raises(ParameterError, match="is not offered for discrete-gaussian with several rows"):
        planned(ApproxDP(9.0, 1e-6), (1, several)).refuse_opening()
    for total, rule in ((PureDP(1.0), None), (ApproxDP(1.0, 1e-6), None), (ZCDP(1.0), None)):
        account(total, rule).refuse_opening()
        with pytest.raises(ParameterError, match="needs no plan: it holds whatever is chosen"):
            Account.opened("survey", total, "add-remove", rule, ReleasePlan(((1, pure(0.1)),)))


def test_pld_without_a_plan_goes_on_while_adding_up_stays_within_the_total() -> None:
    survey = account(ApproxDP(1.0, 1e-5), "pld")
    costs = [pure(0.3)] * 2
    survey.admit(costs, pure(0.4))
    survey.admit(costs, thresholded(0.4, 1e-5))
    with pytest.raises(
        BudgetExceededError, match=r"without a plan by an earlier .* epsilon 0\.4 left of 1, .* for 0\.5$"
    ):
        survey.admit(costs, pure(0.5))
    many = [pure(0.02)] * 50  # the convolution would admit many more
    assert float(survey.spent(many)["epsilon"]) < 0.7
    with pytest.raises(BudgetExceededError, match=r"epsilon 0 left of 1"):
        survey.admit(many, pure(0.02))
    with pytest.raises(BudgetExceededError, match="this release has no epsilon that could be added"):
        survey.admit(costs, gaussian(0.001))
    with pytest.raises(BudgetExceededError, match="one of its releases has no epsilon that could be added"):
        survey.admit([gaussian(0.001)], pure(0.1))
    assert survey.overspent(many) is None
    assert survey.overspent([pure(0.6)] * 2) == "more epsilon was spent than its total"


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
    planned(ApproxDP(3.0, 1e-6), (40, pure(0.1))).refuse_opening()
    with pytest.raises(BudgetExceededError, match=r"1 x epsilon 2\.9 .* cost epsilon \d\.\d* at delta 0\.000001"):
        planned(ApproxDP(3.0, 1e-6), (40, pure(0.1)), (1, pure(2.9))).refuse_opening()


def test_pld_counts_a_thresholds_delta_and_several_rows_by_the_worst_law() -> None:
    survey = account(ApproxDP(1.0, 1e-6), "pld")
    with pytest.raises(BudgetExceededError, match="needs delta > 1e-06"):  # nothing of delta would be left
        planned(ApproxDP(1.0, 1e-6), (1, thresholded(0.1, 1e-6))).refuse_opening()
    planned(ApproxDP(1.0, 1e-6), (1, thresholded(0.1, 5e-7))).refuse_opening()
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
    survey = planned(ApproxDP(1.0, 1e-7), (2, pure(0.1)), (1, thresholded(0.1, 1e-9)), (3, gaussian(0.01)))
    assert Account.from_dict(json.loads(json.dumps(survey.to_dict()))) == survey
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
        (PureDP(1.0), "basic", "composition must be one of pure, approx, zcdp, approx-zcdp, pld"),
        (ZCDP(1.0), "approx-zcdp", "composition='approx-zcdp' needs total_epsilon with total_delta; got total_rho"),
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
    assert list(ACCOUNT_KINDS) == ["pure", "approx", "zcdp", "approx-zcdp", "pld"]
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
