"""How one budget is shared: by weights, rounded down, so that the parts together never exceed the whole."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import ROUND_FLOOR, Context, Decimal
from typing import TypeVar

from epsilens.accounting.amounts import decimal
from epsilens.budget import ZCDP, PureDP
from epsilens.checks import positive
from epsilens.errors import ParameterError

_SHARE = Context(prec=15, rounding=ROUND_FLOOR)

Additive = TypeVar("Additive", bound=PureDP | ZCDP)


def budget_shares(parts: int, given: Sequence[float] | None, what: str) -> list[Decimal]:
    """The shares of a budget's parts: equal ones, or in proportion to the weights given; rounded down."""
    weights = [decimal(positive("shares", float(weight))) for weight in given or [1.0] * parts]
    if len(weights) != parts:
        raise ParameterError(
            f"{len(weights)} `shares` of the budget for {parts} {what}", remedy="give one for each, in their order"
        )
    return [_SHARE.divide(weight, sum(weights, Decimal(0))) for weight in weights]


def budget_part(whole: Additive, share: Decimal) -> Additive:
    """A share of a budget that adds up, rounded down."""
    amount = whole.epsilon if isinstance(whole, PureDP) else whole.rho
    return type(whole)(float(_SHARE.multiply(decimal(amount), share)))
