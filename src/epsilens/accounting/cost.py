"""What one release costs, in every currency in which it has a price."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, get_args

from epsilens.accounting.amounts import decimal, digits, pure_rho
from epsilens.accounting.events import (
    ApproximateEvent,
    ConcentratedEvent,
    Event,
    PureEvent,
    event_from,
    noise_event,
)
from epsilens.budget import ZCDP, Budget, PureDP, count_sensitivity
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise
from epsilens.noise.loss_distribution import concentrated_rho


@dataclass(frozen=True)
class Cost:
    """What one release takes from an account.

    ``epsilon`` and ``delta`` are its (epsilon, delta)-DP price, ``rho`` its zCDP price; ``events`` are what it does,
    for the convolution of privacy losses; none where that is not known.
    """

    epsilon: Decimal | None
    delta: Decimal
    rho: Decimal | None
    events: tuple[Event, ...] = ()

    def __post_init__(self) -> None:
        for event in self.events:
            if not isinstance(event, get_args(Event)):
                raise ParameterError(f"a cost is made of events that are known, got {type(event).__name__}")
        for amount in (self.epsilon, self.delta, self.rho):
            if amount is not None and not (amount.is_finite() and amount >= 0):  # a release never gives budget back
                raise ParameterError("a cost that is below 0, or not a number, is not a cost")

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger; numbers as texts, so that no digit is lost."""
        return {
            "epsilon": None if self.epsilon is None else digits(self.epsilon),
            "delta": digits(self.delta),
            "rho": None if self.rho is None else digits(self.rho),
            "events": [event.to_dict() for event in self.events],
        }

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Cost:
        """What :meth:`to_dict` wrote."""
        epsilon, rho = plain["epsilon"], plain["rho"]
        return Cost(
            None if epsilon is None else Decimal(epsilon),
            Decimal(plain["delta"]),
            None if rho is None else Decimal(rho),
            tuple(map(event_from, plain["events"])),
        )


def tallied(costs: Sequence[Cost]) -> dict[Cost, int]:
    """Each price with how often it occurs, in the order of its first time.

    A ledger has many releases and few prices, most of which are the very same objects: only one of these is hashed,
    digit by digit.
    """
    often: dict[Cost, int] = {}
    one_of_each = {id(cost): cost for cost in costs}
    for known, number in Counter(map(id, costs)).items():
        cost = one_of_each[known]
        often[cost] = often.get(cost, 0) + number
    return often


def cost_of(budget: Budget) -> Cost:
    """The cost of a mechanism of which nothing is known but its budget.

    Probabilistic DP costs what (epsilon, delta)-DP with the same parameters does, which it implies.
    """
    if isinstance(budget, ZCDP):
        rho = decimal(budget.rho)
        return Cost(None, Decimal(0), rho, (ConcentratedEvent(rho),))
    epsilon = decimal(budget.epsilon)
    if isinstance(budget, PureDP):
        return Cost(epsilon, Decimal(0), pure_rho(epsilon), (PureEvent(epsilon),))
    delta = decimal(budget.delta)
    return Cost(epsilon, delta, None, (ApproximateEvent(epsilon, delta),))


def cost_of_noise(law: Noise, neighbours: str, max_rows_per_unit: int = 1, budget: Budget | None = None) -> Cost:
    """The cost of a table of counts with noise of a known law.

    Its prices are those of the ``budget`` for which the noise was made; without one they follow from the law: epsilon
    is its largest loss, rho that of Gaussian laws.
    """
    event = noise_event(law, neighbours, max_rows_per_unit)
    rho = concentrated_rho(law, count_sensitivity(neighbours, 2, max_rows_per_unit))
    largest = law.largest_loss(count_sensitivity(neighbours, 1, max_rows_per_unit))
    if budget is not None:
        stated = cost_of(budget)
    elif math.isfinite(largest):
        stated = cost_of(PureDP(largest))
    elif rho is not None:
        stated = cost_of(ZCDP(rho))
    else:
        stated = Cost(None, Decimal(0), None)
    own = stated.rho if stated.rho is not None or rho is None else decimal(rho)
    return Cost(stated.epsilon, stated.delta, own, stated.events if event is None else (event,))
