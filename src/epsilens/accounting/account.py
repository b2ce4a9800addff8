"""The account of a data set in a ledger: its total, what its releases have spent by its rule, and what is left.

Which kinds of account there are is written in the rule book (``rules``), under the names that ledgers hold:

- ``pure``: epsilons add up.
- ``approx``: basic composition; epsilons add up, and so do deltas.
- ``zcdp``: rhos add up; an epsilon-DP release is (epsilon^2 / 2)-zCDP (Bun and Steinke 2016). A total given as
  (epsilon, delta) is turned into the largest rho whose conversion stays within it.
- ``pld``: the privacy loss distributions of the releases are convolved, on the safe side, and the smallest epsilon at
  the total's delta is read off; never more than adding up.

Only budgets about the same neighbours may be composed: an account has one definition, fixed when it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeAlias

from epsilens.accounting.amounts import decimal, digits, exact_rest
from epsilens.accounting.cost import Cost
from epsilens.accounting.rules import ACCOUNT_KINDS, AccountKind, Rule
from epsilens.budget import NEIGHBOURS, ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP, budget_from
from epsilens.checks import one_of
from epsilens.errors import EpsilensError, ParameterError

Amounts: TypeAlias = Mapping[str, Decimal]
COMMON_DELTA = 1e-6
_TIE = 1e-4  # by how much two versions of a numerical total may differ

_WANTED: dict[type[Budget], str] = {
    PureDP: "`total_epsilon` without `total_delta`",
    ApproxDP: "`total_epsilon` with `total_delta`",
    ZCDP: "`total_rho`",
}
_GIVEN: dict[type[Budget], str] = {
    PureDP: "`total_epsilon` alone",
    ApproxDP: "`total_epsilon` with `total_delta`",
    ProbabilisticDP: "`total_epsilon` with a `total_delta` of probabilistic privacy",
    ZCDP: "`total_rho`",
}


class BudgetExceededError(EpsilensError):
    """A release that the account's total does not admit."""


@dataclass(frozen=True)
class Account:
    """A data set, by the name its curator gave it: its total, its rule and its neighbours. They never change."""

    name: str
    rule: str
    """The kind of account, by its name in the rule book."""
    total: Budget
    neighbours: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or "\n" in self.name:
            raise ParameterError("must be a data set's name on one line", parameter="account")
        one_of("composition", self.rule, ACCOUNT_KINDS)
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        if not isinstance(self.total, self._kind.totals):
            wanted = ", or ".join(_WANTED[kind] for kind in self._kind.totals)
            given = _GIVEN.get(type(self.total), type(self.total).__name__)
            raise ParameterError(f"`composition={self.rule}` needs {wanted}; got {given}")

    @staticmethod
    def opened(name: str, total: Budget, neighbours: str, rule: str | None = None) -> Account:
        """An account whose rule, where none is named, is the plain one for its total."""
        plain = {kind.totals[0]: kind.name for _, kind in reversed(ACCOUNT_KINDS.values())}
        chosen = rule if rule is not None else plain.get(type(total), plain[ApproxDP])
        return Account(name, one_of("composition", chosen, ACCOUNT_KINDS), total, neighbours)

    @property
    def _rule(self) -> Rule:
        return ACCOUNT_KINDS[self.rule][0]

    @property
    def _kind(self) -> AccountKind:
        return ACCOUNT_KINDS[self.rule][1]

    @property
    def limits(self) -> Amounts:
        """What may be spent in all, in the rule's currency."""
        if isinstance(self.total, ApproxDP) and "rho" in self._kind.currencies:
            return {"rho": decimal(ZCDP.within(self.total).rho)}
        return {name: decimal(value) for name, value in vars(self.total).items()}

    def spent(self, costs: Sequence[Cost]) -> Amounts:
        """What these releases have spent together."""
        for cost in costs:
            self.refuse_unpriced(cost)
        if not self._kind.at_delta:
            total = self._rule.total(costs, None)
            return {name: _stated(getattr(total, name)) for name in self._kind.currencies}
        delta = self.limits["delta"]
        return {"epsilon": _stated(self._rule.total(costs, delta).epsilon) if costs else Decimal(0), "delta": delta}

    def left(self, costs: Sequence[Cost]) -> Amounts:
        """What is left; with ``pld`` the distance to the total, which is not simply what one more release may cost."""
        return self._rest(self.spent(costs))

    def denied(self, spent: Mapping[str, str], left: Mapping[str, str], costs: Sequence[Cost]) -> list[str]:
        """Which of the amounts ``spent`` and ``left``, as a card tells them, do not follow from these releases.

        A total that is computed numerically may have been larger in another version, as all of them are on the safe
        side; it may not have been smaller.
        """
        follows = dict(self.spent(costs))
        told = Decimal(spent.get("epsilon", "0"))
        if self._kind.at_delta and told >= follows["epsilon"] * decimal(1.0 - _TIE):
            follows["epsilon"] = told
        ours = {"spent": follows, "left": self._rest(follows)}
        theirs = {"spent": spent, "left": left}
        return [
            name
            for name, amounts in ours.items()
            if {key: digits(value) for key, value in amounts.items()} != dict(theirs[name])
        ]

    def _rest(self, spent: Amounts) -> Amounts:
        return {name: exact_rest(self.limits[name], spent[name]) for name in self._kind.currencies}

    def converted(self, costs: Sequence[Cost]) -> dict[str, float] | None:
        """With ``zcdp``: what was spent as (epsilon, delta), at the total's delta, or 1e-6 where that has none."""
        if "rho" not in self._kind.currencies:
            return None
        delta = self.total.delta if isinstance(self.total, ApproxDP) else COMMON_DELTA
        spent = float(self.spent(costs)["rho"])
        return {"epsilon": ZCDP(spent).epsilon(delta) if spent > 0 else 0.0, "delta": delta}

    def admit(self, costs: Sequence[Cost], asked: Cost) -> None:
        """Refuse ``asked`` where it would exceed the total, saying what is left to the digit."""
        self.refuse_unpriced(asked)
        after = self.spent([*costs, asked])
        over = [name for name, limit in self.limits.items() if after[name] > limit]
        if not over:
            return
        if self._kind.at_delta:
            raise BudgetExceededError(
                f"account {self.name!r} has spent epsilon {digits(self.spent(costs)['epsilon'])} of "
                f"{digits(self.limits['epsilon'])} at delta {digits(self.limits['delta'])}; this release would take "
                f"it to {digits(after['epsilon'])}"
            )
        left = self.left(costs)
        said = "; ".join(
            f"{name} {digits(left[name])} left of {digits(self.limits[name])}, this release asks for "
            f"{digits(getattr(asked, name))}"
            for name in over
        )
        raise BudgetExceededError(f"the budget of account {self.name!r} does not suffice: {said}")

    def refuse_unpriced(self, cost: Cost) -> None:
        """Refuse a release that has no price in this account's currency."""
        if (refusal := self._kind.refusal(cost)) is not None:
            raise ParameterError(f"account {self.name!r} {refusal.rule}", remedy=refusal.remedy)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger and the card."""
        total = {name: digits(decimal(value)) for name, value in vars(self.total).items()}
        return {"account": self.name, "composition": self.rule, "total": total, "neighbours": self.neighbours}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Account:
        """What :meth:`to_dict` wrote."""
        total = budget_from(**{name: float(value) for name, value in plain["total"].items() if value is not None})
        if total is None:
            raise ParameterError("an account needs a `total`")
        return Account(plain["account"], plain["composition"], total, plain["neighbours"])


def _stated(amount: Decimal | None) -> Decimal:
    """What a rule states; what it cannot state is more than any total."""
    return Decimal("Infinity") if amount is None else amount
