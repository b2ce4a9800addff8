"""Every composition rule keeps the same laws. The rules come from the rule book: a new one cannot be left out."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pytest
from scipy import special

from epsilens.accounting.account import Account
from epsilens.accounting.amounts import exact_sum
from epsilens.accounting.composition import Composable, compose
from epsilens.accounting.cost import Cost, cost_of, cost_of_noise
from epsilens.accounting.events import DeltaEvent, NoiseEvent, PureEvent, event_from
from epsilens.accounting.plan import ReleasePlan
from epsilens.accounting.rules import ACCOUNT_KINDS, RULE_BOOK, AccountKind, Rule
from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise, calibrate
from epsilens.noise.gaussian import gaussian_log_delta
from epsilens.noise.law import SymmetricLaw

DELTA = Decimal("0.00001")
NUMERICAL = Decimal("1e-6")  # relative; grids differ from one list of releases to the next
BUDGETS: list[Budget] = [PureDP(0.1), PureDP(0.35), ApproxDP(0.2, 1e-7), ProbabilisticDP(0.4, 1e-8), PureDP(1e-6)]
LAWS: list[Noise] = [LaplaceNoise(5.0), DiscreteLaplaceNoise(3.0), GaussianNoise(20.0), DiscreteGaussianNoise(11.0)]
COSTS: list[Cost] = [
    *map(cost_of, BUDGETS),
    *(cost_of_noise(law, neighbours) for law in LAWS for neighbours in ("add-remove", "substitute")),
    cost_of_noise(calibrate("gaussian", ApproxDP(0.5, 1e-7)), "add-remove", budget=ApproxDP(0.5, 1e-7)),
    Cost(
        Decimal("0.3"), Decimal("1E-7"), None, (NoiseEvent(DiscreteLaplaceNoise(1 / 0.3)), DeltaEvent(Decimal("1E-7")))
    ),
    cost_of(ZCDP(0.01)),
]


@dataclass(frozen=True)
class BetweenNoise(SymmetricLaw):
    """Density proportional to exp(-|x / s|^1.5), between Laplace and Gaussian: no largest loss, and no rho is known."""

    scale: float
    integer_valued: ClassVar[bool] = False

    @property
    def variance(self) -> float:
        return self.scale**2 * math.gamma(2.0) / math.gamma(2.0 / 3.0)

    def tail(self, x: FloatArray) -> FloatArray:
        return as_floats(0.5 * special.gammaincc(2.0 / 3.0, (x / self.scale) ** 1.5))

    def logtail(self, x: FloatArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.log(self.tail(x))

    def logdensity(self, x: npt.ArrayLike) -> FloatArray:
        centre = math.log(2.0 * self.scale * math.gamma(5.0 / 3.0))
        return -(np.abs(as_floats(x) / self.scale) ** 1.5) - centre

    def sample(self, size: int | tuple[int, ...], rng: np.random.Generator) -> FloatArray:
        return as_floats(rng.gamma(2.0 / 3.0, size=size) ** (2.0 / 3.0) * rng.choice([-1.0, 1.0], size) * self.scale)


@pytest.fixture(params=RULE_BOOK.values(), ids=list(RULE_BOOK))
def rule(request: pytest.FixtureRequest) -> Rule:
    found: Rule = request.param
    return found


@pytest.fixture(params=ACCOUNT_KINDS.values(), ids=list(ACCOUNT_KINDS))
def kept(request: pytest.FixtureRequest) -> tuple[Rule, AccountKind]:
    found: tuple[Rule, AccountKind] = request.param
    return found


def priced(rule: Rule) -> list[Cost]:
    return [cost for cost in COSTS if rule.total([cost], DELTA).epsilon is not None]


def epsilon(rule: Rule, costs: Sequence[Cost], delta: Decimal = DELTA) -> Decimal:
    found = rule.total(costs, delta)
    assert found.epsilon is not None, found.note
    assert found.delta is not None
    assert found.note
    return found.epsilon


def test_events_that_nobody_knows_are_refused() -> None:
    for plain in (
        {"law": "laplase", "parameter": "0.1", "cells": 1},
        {"law": "", "parameter": "0.1", "cells": 1},
        {"law": "laplace", "parameter": "-0.1", "cells": 1},
        {"law": "laplace", "parameter": "0.1", "cells": 0},
        {"law": "pure", "parameter": "-0.1", "cells": 1},
        {"law": "pure", "parameter": "nan", "cells": 1},
    ):
        with pytest.raises(ParameterError):
            event_from(plain)
    with pytest.raises(ParameterError, match="did you mean 'laplace'"):
        event_from({"law": "laplase", "parameter": "0.1", "cells": 1})
    with pytest.raises(ParameterError, match="events that are known, got dict"):
        Cost(Decimal(1), Decimal(0), None, ({"law": "pure"},))  # type: ignore[arg-type]


def test_a_release_without_a_price_is_refused_with_a_line(rule: Rule) -> None:
    found = rule.total([cost_of(PureDP(0.1)), Cost(None, Decimal(0), None)], DELTA)
    assert (found.epsilon, found.rho) == (None, None)
    assert found.note
    assert "\n" not in found.note


def test_an_account_refuses_what_it_has_no_price_for_and_says_what_to_do(kept: tuple[Rule, AccountKind]) -> None:
    _, kind = kept
    for unknown in (Cost(None, Decimal(0), None), Cost(None, Decimal(0), None, (DeltaEvent(Decimal("1E-7")),))):
        if kind.at_delta and unknown.events:
            continue  # a failure with a known probability has a price there
        refusal = kind.refusal(unknown)
        assert refusal is not None
        assert refusal.rule
        assert refusal.remedy


def test_every_rule_prices_most_of_what_there_is(rule: Rule) -> None:
    assert len(priced(rule)) >= len(COSTS) - 1


def test_together_never_costs_less_than_the_costliest_alone(rule: Rule) -> None:
    for first, second in itertools.combinations(priced(rule)[::2], 2):
        alone = max(epsilon(rule, [first]), epsilon(rule, [second]))
        assert epsilon(rule, [first, second]) >= alone * (1 - NUMERICAL)


def test_one_more_release_never_lowers_the_total_and_the_order_does_not_matter(rule: Rule) -> None:
    costs = priced(rule)
    grown = [epsilon(rule, costs[:number]) for number in range(1, len(costs) + 1, 2)]
    assert all(later >= earlier * (1 - NUMERICAL) for earlier, later in itertools.pairwise(grown))
    assert epsilon(rule, costs[::-1]) == pytest.approx(epsilon(rule, costs), rel=Decimal("1e-12"))
    assert epsilon(rule, [costs[0], *costs]) == pytest.approx(epsilon(rule, [*costs, costs[0]]), rel=Decimal("1e-12"))


def test_more_delta_never_costs_more_epsilon(rule: Rule) -> None:
    costs = priced(rule)
    found = [epsilon(rule, costs, Decimal(delta)) for delta in ("1e-6", "1e-5", "1e-4", "0.01")]
    assert all(later <= earlier * (1 + NUMERICAL) for earlier, later in itertools.pairwise(found))


@pytest.mark.parametrize(("number", "size"), [(1000, 1e-6), (100, 1e-5), (40, 0.1), (1, 0.5), (3, 1e-7), (7, 30.0)])
def test_never_dearer_than_adding_up(rule: Rule, number: int, size: float) -> None:
    if not rule.at_most_basic:
        pytest.skip("a rule that does not promise it")
    basic = RULE_BOOK["basic"]
    for costs in ([cost_of(PureDP(size))] * number, [cost_of_noise(LaplaceNoise(1.0 / size), "add-remove")] * number):
        assert epsilon(rule, costs) <= epsilon(basic, costs)


def test_never_dearer_than_adding_up_unlike_releases() -> None:
    costs = [cost for cost in COSTS if cost.epsilon is not None]
    bar = epsilon(RULE_BOOK["basic"], costs)
    for rule in RULE_BOOK.values():
        assert not rule.at_most_basic or epsilon(rule, costs) <= bar


def test_nothing_costs_nothing(rule: Rule) -> None:
    assert rule.total([], DELTA).epsilon == 0
    found = rule.total([], None)
    assert found.epsilon in (None, 0)
    assert found.rho in (None, 0)


def test_without_a_delta_a_rule_states_what_needs_none_or_says_so(rule: Rule) -> None:
    found = rule.total([cost_of(PureDP(0.5))], None)
    assert found.epsilon == Decimal("0.5") or "needs a delta" in found.note
    short = rule.total([cost_of(ApproxDP(0.5, 1e-3))], DELTA)
    assert (short.epsilon, short.delta) == (Decimal("0.5"), Decimal("0.001")) or "needs delta > 0.001" in short.note


def exact_of_randomised_response(number: int, size: float, delta: float) -> float:
    """Kairouz, Oh and Viswanath (2015, Theorem 3.3): the exact total of the worst mechanisms."""

    def exceeds(total: float) -> bool:
        return (
            sum(
                math.comb(number, i) * max(0.0, math.exp((number - i) * size) - math.exp(total + i * size))
                for i in range(number + 1)
            )
            / (1 + math.exp(size)) ** number
            > delta
        )

    low, high = 0.0, number * size
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return low


@pytest.mark.parametrize(("number", "size"), [(1, 0.5), (2, 1.0), (10, 0.2), (40, 0.1), (100, 1e-5), (300, 1e-3)])
def test_never_below_the_truth_of_the_worst_mechanisms(rule: Rule, number: int, size: float) -> None:
    truth = exact_of_randomised_response(number, size, float(DELTA))
    assert epsilon(rule, [cost_of(PureDP(size))] * number) >= Decimal(truth) * (1 - Decimal("1e-12"))


@pytest.mark.parametrize(("number", "sigma"), [(1, 1.0), (2, 4.0), (10, 0.7), (50, 30.0), (3, 3e5)])
def test_never_below_the_truth_of_gaussian_noise(rule: Rule, number: int, sigma: float) -> None:
    found = float(epsilon(rule, [cost_of_noise(GaussianNoise(sigma), "add-remove")] * number))
    assert gaussian_log_delta(found, math.sqrt(number) / sigma) <= math.log(float(DELTA)) + 1e-9


TOTALS: dict[type[Budget], Budget] = {PureDP: PureDP(50.0), ApproxDP: ApproxDP(50.0, float(DELTA)), ZCDP: ZCDP(50.0)}
PLAIN: dict[str, list[Composable]] = {
    "pure": [PureDP(0.1), LaplaceNoise(5.0), ("discrete-laplace", PureDP(0.3)), PureDP(1e-9)],
    "approx": [PureDP(0.1), ApproxDP(0.2, 1e-7), LaplaceNoise(5.0), ("gaussian", ApproxDP(0.5, 1e-8))],
    "zcdp": [ZCDP(0.1), PureDP(0.3), GaussianNoise(4.0), ("discrete-gaussian", ApproxDP(0.5, 1e-8))],
    "approx-zcdp": [ZCDP(0.1), PureDP(0.3), GaussianNoise(4.0), ("discrete-gaussian", ApproxDP(0.5, 1e-8))],
    "pld": [PureDP(0.1), ApproxDP(0.2, 1e-7), GaussianNoise(4.0), ("discrete-gaussian", ZCDP(0.1)), LaplaceNoise(9.0)],
}


def test_compose_and_an_account_give_the_same_answer(kept: tuple[Rule, AccountKind]) -> None:
    rule, kind = kept
    releases = PLAIN.get(kind.name, [PureDP(0.1), LaplaceNoise(5.0)])
    costs = [
        cost_of_noise(calibrate(one[0], one[1]) if isinstance(one[0], str) else one[0], "add-remove", budget=one[1])
        if isinstance(one, tuple)
        else cost_of(one)
        if isinstance(one, PureDP | ApproxDP | ZCDP)
        else cost_of_noise(one, "add-remove")  # type: ignore[arg-type]
        for one in releases
    ]
    plan = None if rule.adaptive else ReleasePlan(tuple((2, cost) for cost in costs))
    survey = Account.opened("survey", TOTALS[kind.totals[0]], "add-remove", kind.name, plan)
    survey.refuse_opening()
    spent = survey.spent(costs)
    row = compose(releases, float(DELTA) if kind.at_delta else None)[rule.name]
    assert row.adaptive == rule.adaptive == survey.adaptive
    for currency in kind.currencies:
        own = 0.0 if (kind.name, currency) == ("approx-zcdp", "delta") else getattr(row, currency)
        assert float(spent[currency]) == own
    assert survey.left([]) == {name: survey.limits[name] for name in kind.currencies}
    survey.admit(costs, costs[0])


def test_what_adds_up_adds_up_to_the_last_digit(kept: tuple[Rule, AccountKind]) -> None:
    rule, kind = kept
    if kind.at_delta:
        pytest.skip("computed numerically")
    tenth = Cost(Decimal("0.1"), Decimal("1E-30"), Decimal("0.1"), (PureEvent(Decimal("0.1")),))
    third = Cost(Decimal("1E-25"), Decimal("3E-7"), Decimal("1E-25"), (PureEvent(Decimal("1E-25")),))
    if kind.name == "approx-zcdp":  # it takes the deltas of what has no rho of its own
        tenth, third = replace(tenth, rho=None), replace(third, rho=None)
    costs = [tenth] * 10 + [third] * 3
    exact = {"epsilon": Decimal(1) + Decimal("3E-25"), "delta": Decimal("9E-7") + Decimal("1E-29")}
    exact["rho"] = exact["epsilon"] if kind.name == "zcdp" else exact_sum([Decimal("0.05"), Decimal("1.5E-50")])
    survey = Account.opened("survey", TOTALS[kind.totals[0]], "add-remove", kind.name)
    if kind.name != "pure":  # which takes no deltas
        assert survey.spent(costs) == {currency: exact[currency] for currency in kind.currencies}
    found = rule.total(costs, None)
    for currency in kind.currencies:
        assert kind.name == "approx-zcdp" or getattr(found, currency) == exact[currency]


def test_a_law_that_has_only_a_loss_is_composed_by_it_alone() -> None:
    cost = cost_of_noise(BetweenNoise(10.0), "add-remove")
    assert (cost.epsilon, cost.rho) == (None, None)
    for rule in RULE_BOOK.values():
        found = rule.total([cost], DELTA)
        assert (found.epsilon is None) == (rule.name != "pld")
        assert found.note
