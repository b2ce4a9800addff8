"""Closed forms of the rules; what every rule must keep is in ``tests/contract/test_composition_rules.py``."""

from __future__ import annotations

import math
from decimal import Decimal

import pytest

from epsilens.accounting.cost import Cost, cost_of
from epsilens.accounting.rules import RULE_BOOK
from epsilens.budget import ZCDP, ApproxDP, PureDP


def epsilon(rule: str, costs: list[Cost], delta: str | None = None) -> float | None:
    total = RULE_BOOK[rule].total(costs, None if delta is None else Decimal(delta))
    return None if total.epsilon is None else float(total.epsilon)


def test_basic_adds_up_to_the_last_digit() -> None:
    total = RULE_BOOK["basic"].total([cost_of(ApproxDP(0.1, 1e-7))] * 3, None)
    assert (total.epsilon, total.delta) == (Decimal("0.3"), Decimal("0.0000003"))


def test_zcdp_takes_pure_privacy_at_half_the_square() -> None:
    total = RULE_BOOK["zcdp"].total([cost_of(PureDP(0.2)), cost_of(ZCDP(0.08))], None)
    assert (total.rho, total.epsilon) == (Decimal("0.1"), None)
    assert "delta" in total.note


def test_advanced_is_the_closed_form_or_adding_up() -> None:
    many, slack = [cost_of(PureDP(0.01))] * 1000, 1e-6
    closed = math.sqrt(2 * 1000 * math.log(1 / slack)) * 0.01 + 1000 * 0.01 * math.expm1(0.01)
    found = epsilon("advanced", many, "0.000001")
    assert found is not None
    assert found <= min(closed, 10.0) * (1 + 1e-9)


def test_a_release_without_an_epsilon_is_not_guessed_at() -> None:
    concentrated = [cost_of(ZCDP(0.1))]
    assert epsilon("basic", concentrated) is None
    assert epsilon("basic", concentrated, "0.000001") == pytest.approx(epsilon("zcdp", concentrated, "0.000001"))
