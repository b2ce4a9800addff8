"""Limits and prices of the filters; that they hold is in ``tests/contract/test_accounts_against_an_adversary.py``."""

from __future__ import annotations

from decimal import Decimal

import pytest

from epsilens.accounting.cost import Cost, cost_of
from epsilens.accounting.filters import APPROX, APPROXIMATELY_CONCENTRATED, CONCENTRATED, PURE
from epsilens.accounting.rules import ACCOUNT_KINDS
from epsilens.budget import ZCDP, ApproxDP, PureDP


@pytest.mark.parametrize(
    ("epsilon", "delta", "rho"),
    [  # by mpmath with 50 digits: the rho with min over a of e^((a - 1)(a rho - eps)) / (a - 1) (1 - 1/a)^a = delta / 2
        (1.0, 1e-6, 0.022937446688722182839),
        (1.0, 1e-5, 0.028396703220925410435),
        (1.0, 0.01, 0.085193192540783851572),
        (8.0, 1e-9, 0.7110560429792283399),
        (0.1, 0.01, 0.0022828495490149942777),
        (3.0, 0.3, 1.2447278525676184778),
    ],
)
def test_half_of_delta_is_for_the_releases_and_rho_follows_from_the_other(
    epsilon: float, delta: float, rho: float
) -> None:
    limits = APPROXIMATELY_CONCENTRATED.limits(ApproxDP(epsilon, delta))
    assert limits["delta"] == Decimal(repr(delta)) / 2
    assert rho * (1 - 2e-12) <= float(limits["rho"]) < rho  # on the safe side


def test_prices_add_up_to_the_last_digit() -> None:
    thresholded = Cost(Decimal("0.3"), Decimal("1E-7"), None)
    gaussian = Cost(
        Decimal("0.5"), Decimal("1E-6"), Decimal("0.007")
    )  # a rho of its own, asked for as (epsilon, delta)
    for kind, cost, expected in (
        (PURE, cost_of(PureDP(0.1)), {"epsilon": Decimal("0.1")}),
        (APPROX, thresholded, {"epsilon": Decimal("0.3"), "delta": Decimal("1E-7")}),
        (APPROX, gaussian, {"epsilon": Decimal("0.5"), "delta": Decimal("1E-6")}),
        (CONCENTRATED, gaussian, {"rho": Decimal("0.007")}),
        (CONCENTRATED, cost_of(PureDP(0.2)), {"rho": Decimal("0.02")}),
        (APPROXIMATELY_CONCENTRATED, gaussian, {"rho": Decimal("0.007"), "delta": Decimal(0)}),
        (APPROXIMATELY_CONCENTRATED, thresholded, {"rho": Decimal("0.045"), "delta": Decimal("1E-7")}),
        (APPROXIMATELY_CONCENTRATED, cost_of(ZCDP(0.25)), {"rho": Decimal("0.25"), "delta": Decimal(0)}),
    ):
        assert kind.refusal(cost) is None
        assert kind.price is not None
        assert kind.price(cost) == expected
    assert PURE.refusal(thresholded) is not None
    assert CONCENTRATED.refusal(thresholded) is not None
    assert APPROX.refusal(cost_of(ZCDP(0.1))) is not None


def test_every_kind_says_how_it_counts_in_one_line_and_adds_up_or_needs_a_plan() -> None:
    for rule, kind in ACCOUNT_KINDS.values():
        assert kind.words
        assert "\n" not in kind.words
        assert rule.adaptive == (kind.price is not None) == (not kind.at_delta)
