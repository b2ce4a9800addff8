"""Every kind of account keeps its total against a curator who looks at outputs before choosing the next budget.

The kinds come from the rule book: a new one cannot be left out. The curator is the worst there is on a grid of budgets,
found by dynamic programming (``tests/support/adversary.py``).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.cost import Cost, cost_of
from epsilens.accounting.plan import ReleasePlan
from epsilens.accounting.rules import ACCOUNT_KINDS, RULE_BOOK, AccountKind
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP
from epsilens.errors import ParameterError
from tests.support.adversary import Mechanism, gaussian, largest_delta, response

EPSILON, DELTA = 1.0, 0.01
TOTALS: dict[type[Budget], Budget] = {
    PureDP: PureDP(EPSILON),
    ApproxDP: ApproxDP(EPSILON, DELTA),
    ZCDP: ZCDP(0.05),
}
UNIT = 0.0125
MECHANISMS = [
    *(response(epsilon, UNIT) for epsilon in (0.1, 0.3, 0.6)),
    response(0.3, UNIT, 0.002),
    response(EPSILON, UNIT, DELTA),
    gaussian(0.0125, UNIT),
    gaussian(0.025, UNIT),
]
EVERY = [(kind, total) for _, kind in ACCOUNT_KINDS.values() for total in map(TOTALS.__getitem__, kind.totals)]


def admitting(account: Account) -> Callable[[Sequence[Cost]], bool]:
    def admitted(costs: Sequence[Cost]) -> bool:
        try:
            account.admit(costs[:-1], costs[-1])
        except (BudgetExceededError, ParameterError):  # too much, or without a price there
            return False
        return True

    return admitted


def promised(total: Budget) -> float:
    """The delta that a total promises at epsilon = 1."""
    if isinstance(total, ZCDP):
        return total.delta(EPSILON)
    return DELTA if isinstance(total, ApproxDP) else 0.0


@pytest.mark.parametrize(("kind", "total"), EVERY, ids=[f"{kind.name}-{total}" for kind, total in EVERY])
def test_no_curator_exceeds_the_total_of_an_account(kind: AccountKind, total: Budget) -> None:
    survey = Account.opened("survey", total, "add-remove", kind.name)  # pld without a plan, as in earlier versions
    found = largest_delta(admitting(survey), MECHANISMS, EPSILON, UNIT)
    assert found <= promised(total) * (1 + 1e-9) + 1e-15
    if kind.name != "pure":
        assert found > 0  # the curator does get something


def test_adding_up_is_all_that_a_curator_can_get() -> None:
    survey = Account.opened("survey", TOTALS[ApproxDP], "add-remove", "approx")
    assert largest_delta(admitting(survey), MECHANISMS, EPSILON, UNIT) == pytest.approx(DELTA)


def exact_delta(epsilon: float, responses: Sequence[Mechanism], unit: float) -> float:
    """Of randomised responses whose budgets were fixed beforehand, by convolving their losses exactly."""
    law = {0: 1.0}
    for one in responses:
        after: dict[int, float] = {}
        for (loss, mass), (step, chance) in itertools.product(
            law.items(), list(zip(one.losses, one.chances, strict=True))
        ):
            after[loss + step] = after.get(loss + step, 0.0) + mass * chance
        law = after
    return math.fsum(-mass * math.expm1(min(0.0, epsilon - unit * loss)) for loss, mass in law.items())


def test_the_same_curator_exceeds_the_total_where_realised_losses_are_convolved() -> None:
    unit, reached = 0.1, []
    mechanisms = [response(epsilon, unit) for epsilon in (0.1, 0.3, 0.6)]
    of_cost = {mechanism.cost: mechanism for mechanism in mechanisms}

    def convolved(costs: Sequence[Cost]) -> bool:
        """The rule of earlier versions, a little on the safe side."""
        admitted = exact_delta(0.9995 * EPSILON, [of_cost[cost] for cost in costs], unit) <= DELTA
        if admitted:
            reached.append(list(costs))
        return admitted

    found = largest_delta(convolved, mechanisms, EPSILON, unit)
    assert found == pytest.approx(0.0177, abs=1e-4)  # where 0.01 was promised
    for costs in sorted(reached, key=len)[:: len(reached) // 3]:  # what the numerical rule admits as well
        total = RULE_BOOK["pld"].total(costs, Decimal(str(DELTA))).epsilon
        assert total is not None
        assert total <= EPSILON
    for kind in ("approx", "zcdp", "approx-zcdp", "pld"):
        survey = Account.opened("survey", TOTALS[ApproxDP], "add-remove", kind)
        assert largest_delta(admitting(survey), mechanisms, EPSILON, unit) <= DELTA


def planned(*rows: tuple[int, Mechanism]) -> tuple[Account, float]:
    """An account whose total is what its plan costs, and that epsilon."""
    plan = ReleasePlan(tuple((number, mechanism.cost) for number, mechanism in rows))
    composed = RULE_BOOK["pld"].total(plan.costs, Decimal(str(DELTA))).epsilon
    assert composed is not None
    survey = Account.opened("survey", ApproxDP(float(composed), DELTA), "add-remove", "pld", plan)
    survey.refuse_opening()
    return survey, float(composed)


@pytest.mark.parametrize(
    "rows",
    [
        ((6, response(0.1, UNIT)), (2, response(0.3, UNIT)), (1, response(0.6, UNIT))),
        ((3, response(0.3, UNIT)), (2, response(0.3, UNIT, 0.002)), (3, gaussian(0.0125, UNIT))),
        ((2, gaussian(0.1, UNIT)), (4, gaussian(0.0125, UNIT)), (4, response(0.1, UNIT))),
    ],
    ids=["responses", "responses that fail", "gaussian"],
)
def test_within_a_plan_the_order_gains_nothing_and_is_worth_the_whole_plan(
    rows: tuple[tuple[int, Mechanism], ...],
) -> None:
    survey, epsilon = planned(*rows)
    found = largest_delta(admitting(survey), [mechanism for _, mechanism in rows], epsilon, UNIT)
    assert found <= DELTA * (1 + 1e-6)
    assert found >= 0.99 * DELTA  # so that the curator is the one who does it all


@settings(max_examples=25, deadline=None)
@given(
    steps=st.lists(st.integers(1, 12), min_size=2, max_size=3, unique=True),
    failing=st.sampled_from([0.0, 0.001, 0.004]),
    epsilon=st.integers(6, 14),
)
def test_no_curator_exceeds_any_total_with_any_budgets(steps: list[int], failing: float, epsilon: int) -> None:
    unit = 0.1
    mechanisms = [response(step * unit, unit) for step in steps]
    if failing:
        mechanisms.append(response(steps[0] * unit, unit, failing))
    for name, (rule, kind) in ACCOUNT_KINDS.items():
        if rule.adaptive and ApproxDP in kind.totals:
            survey = Account.opened("survey", ApproxDP(epsilon * unit, DELTA), "add-remove", name)
            assert largest_delta(admitting(survey), mechanisms, epsilon * unit, unit) <= DELTA * (1 + 1e-9)


def test_the_curator_is_the_one_of_brute_force() -> None:
    """Two releases, of which the second is chosen after seeing the first: all strategies and events, one by one."""
    unit = 0.1
    first, small, large = (response(epsilon, unit) for epsilon in (0.3, 0.1, 0.6))

    def admitted(costs: Sequence[Cost]) -> bool:
        return len(costs) <= 2 and (len(costs) < 2 or cost_of(PureDP(0.3)) in costs)

    best = 0.0
    starts = (first, small, large)
    for opening in starts:
        for choices in itertools.product([None, first, small, large], repeat=2):
            if any(one is not None and not admitted([opening.cost, one.cost]) for one in choices):
                continue
            total = 0.0
            for (loss, chance), then in zip(zip(opening.losses, opening.chances, strict=True), choices, strict=True):
                ends = [(0, 1.0)] if then is None else list(zip(then.losses, then.chances, strict=True))
                for further, likely in ends:
                    total += chance * likely * max(0.0, 1.0 - math.exp(0.5 - unit * (loss + further)))
            best = max(best, total)
    assert largest_delta(admitted, [first, small, large], 0.5, unit) == pytest.approx(best, rel=1e-12)
    assert best > 0
