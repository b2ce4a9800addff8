"""A plan of releases, fixed when an account is opened: how often each price may be charged, and nothing else.

A rule that is not adaptive, such as the convolution of privacy losses, holds for budgets that were fixed before anybody
saw an output. With a plan the total is that of the whole plan, and every release takes one of its places. Which place
is taken next, of which columns the release is, and whether there is a next one at all may be decided after seeing
earlier outputs:

**The order gains nothing.** Write H_g(P, Q) = sup over S of P(S) - g Q(S), g >= 0, and say that (A, B) dominates (P, Q)
where H_g(P, Q) <= H_g(A, B) for all g. Each planned price j has a pair (A_j, B_j) that dominates every release of that
price between any two neighbours. Claim: whoever may still take the places J, in an order of their own choice, stays
dominated by the product of the pairs in J, whatever that choice. By induction over the size of J. Whoever stops, or has
no place left, has H_g = max(0, 1 - g), the smallest there is. Otherwise let the next place be j (drawn at random or
not: H_g is convex), p and q the densities of its output y, and R = J without j. The rest, given y, is dominated by the
product (A_R, B_R), so that

    H_g = int p(y) H_{g q(y) / p(y)}(rest given y) dy <= int p(y) H_{g q(y) / p(y)}(A_R, B_R) dy,

which is H_g of the next release together with an independent (A_R, B_R). The same step with the roles exchanged
replaces the release by (A_j, B_j), and the product over J does not depend on j. This is the argument of Zhu, Dong and
Wang (2022, Theorem 10) for an order that is fixed. All pairs here are symmetric, so that one product serves both
directions. **Stopping early** is post-processing of going on. What is not in the plan is refused, and a release that
was reserved and failed has used its place up.

A price is matched as it stands, digit by digit: more noise of some other size is not known to be dominated by less.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from epsilens.accounting.amounts import digits
from epsilens.accounting.cost import Cost, tallied
from epsilens.accounting.events import NoiseEvent, PureEvent
from epsilens.checks import whole
from epsilens.errors import ParameterError

MOST_RELEASES = 10_000


@dataclass(frozen=True)
class ReleasePlan:
    """Prices, each with the number of releases that may be charged it; equal ones are one row, in an order of ours."""

    rows: tuple[tuple[int, Cost], ...]

    def __post_init__(self) -> None:
        numbers: dict[Cost, int] = {}
        for number, cost in self.rows:
            numbers[cost] = numbers.get(cost, 0) + whole("plan", number, 1, "a planned release is made once at least")
        if not numbers:
            raise ParameterError("must hold at least one release", parameter="plan")
        if sum(numbers.values()) > MOST_RELEASES:
            raise ParameterError(
                f"must hold at most {MOST_RELEASES} releases", parameter="plan", got=sum(numbers.values())
            )
        ordered = sorted(numbers, key=lambda cost: json.dumps(cost.to_dict(), sort_keys=True))
        object.__setattr__(self, "rows", tuple((numbers[cost], cost) for cost in ordered))

    @property
    def costs(self) -> list[Cost]:
        """Every planned release."""
        return [cost for number, cost in self.rows for _ in range(number)]

    def used(self, costs: Iterable[Cost]) -> list[int]:
        """How many places of each row releases of these costs have used."""
        counted = tallied(list(costs))
        return [counted.get(cost, 0) for _, cost in self.rows]

    def admits(self, costs: Sequence[Cost]) -> bool:
        """Whether releases of these costs, in whatever order, have a place each."""
        used = self.used(costs)
        return sum(used) == len(costs) and all(
            taken <= number for taken, (number, _) in zip(used, self.rows, strict=True)
        )

    def words(self, costs: Iterable[Cost] = ()) -> str:
        """What the plan is, with what is left of each row where releases were made."""
        made = list(costs)
        return "; ".join(
            f"{number} x {cost_words(cost)}" + (f" ({number - taken} left)" if made else "")
            for taken, (number, cost) in zip(self.used(made), self.rows, strict=True)
        )

    def to_rows(self, costs: Iterable[Cost] | None = None) -> list[dict[str, Any]]:
        """Plain values for the ledger, and with how many were ``used`` for the card."""
        used = None if costs is None else self.used(costs)
        return [
            {"releases": number, **({} if used is None else {"used": used[place]}), "cost": cost.to_dict()}
            for place, (number, cost) in enumerate(self.rows)
        ]

    @staticmethod
    def from_rows(rows: Iterable[Mapping[str, Any]]) -> ReleasePlan:
        """What :meth:`to_rows` wrote."""
        return ReleasePlan(tuple((row["releases"], Cost.from_dict(row["cost"])) for row in rows))


def cost_words(cost: Cost) -> str:
    """A price in a few words: ``epsilon 0.6 (discrete-laplace 5, 3 times)``."""
    named: tuple[tuple[str, Decimal | None], ...] = (
        (("rho", cost.rho),) if cost.epsilon is None else (("epsilon", cost.epsilon), ("delta", cost.delta or None))
    )
    price = ", ".join(f"{name} {digits(amount)}" for name, amount in named if amount is not None)
    parts: Counter[str] = Counter()
    for event in cost.events:
        if isinstance(event, NoiseEvent):
            parts[f"{event.law.name} {event.law.size:.6g}"] += 1
        elif isinstance(event, PureEvent):
            parts[f"epsilon {digits(event.epsilon)}"] += 1
    said = ", ".join(f"{part}, {times} times" if times > 1 else part for part, times in parts.items())
    return f"{price} ({said})" if said and said != price else price
