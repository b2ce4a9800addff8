"""The account of a data set in a ledger: its total, what its releases have spent by its rule, and what is left.

Which kinds of account there are is written in the rule book (``rules``), under the names that ledgers hold:

- ``pure``: epsilons add up.
- ``approx``: basic composition; epsilons add up, and so do deltas.
- ``zcdp``: rhos add up; an epsilon-DP release is (epsilon^2 / 2)-zCDP (Bun and Steinke 2016). A total given as
  (epsilon, delta) is turned into the largest rho whose conversion stays within it.
- ``approx-zcdp``: rhos add up, and so do deltas, such as those of thresholds. Of a total (epsilon, delta) half of delta
  is for these, and rho is the largest that implies epsilon at the other half.
- ``pld``: the privacy loss distributions of the releases are convolved, on the safe side, and the smallest epsilon at
  the total's delta is read off; never more than adding up. For a plan of releases only, fixed when it is opened.

All but the last hold whatever a curator chooses after seeing earlier outputs: they are privacy filters, whose proofs
are in ``filters``. The last one holds for its plan, in whatever order it is carried out, as ``plan`` proves.

**pld accounts without a plan** were opened by earlier versions. Their rule is not a filter: of an account of (1, 0.01)
whoever looks before choosing among the epsilons 0.1, 0.3 and 0.6 can reach a delta of 0.0177. They can be shown and
verified as ever. What is spent from now on must leave the whole history within the total by adding up as well, which
is a filter.

Only budgets about the same neighbours may be composed: an account has one definition, fixed when it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache
from typing import Any, TypeAlias

from epsilens.accounting.amounts import decimal, digits, exact_rest, exact_sum, exact_times
from epsilens.accounting.cost import Cost, tallied
from epsilens.accounting.filters import APPROX, AccountKind
from epsilens.accounting.plan import ReleasePlan, cost_words
from epsilens.accounting.rules import ACCOUNT_KINDS, Rule, Total
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
    """A release that the account's total, or its plan, does not admit."""


@dataclass(frozen=True)
class Account:
    """A data set, by the name its curator gave it: its total, its rule, its neighbours, its plan. They never change."""

    name: str
    rule: str
    """The kind of account, by its name in the rule book."""
    total: Budget
    neighbours: str
    plan: ReleasePlan | None = None
    """The releases it is for, where its rule is not adaptive."""

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or "\n" in self.name:
            raise ParameterError("must be a data set's name on one line", parameter="account")
        one_of("composition", self.rule, ACCOUNT_KINDS)
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        if not isinstance(self.total, self._kind.totals):
            wanted = ", or ".join(_WANTED[kind] for kind in self._kind.totals)
            given = _GIVEN.get(type(self.total), type(self.total).__name__)
            raise ParameterError(f"`composition={self.rule}` needs {wanted}; got {given}")
        if self.plan is not None and self.adaptive:
            raise ParameterError(
                f"`composition={self.rule}` needs no `plan`: it holds whatever is chosen after seeing earlier outputs",
                remedy="leave `plan` out",
            )

    @staticmethod
    def opened(
        name: str, total: Budget, neighbours: str, rule: str | None = None, plan: ReleasePlan | None = None
    ) -> Account:
        """An account whose rule, where none is named, is the plain one for its total."""
        plain = {kind.totals[0]: kind.name for _, kind in reversed(ACCOUNT_KINDS.values())}
        chosen = rule if rule is not None else plain.get(type(total), plain[ApproxDP])
        return Account(name, one_of("composition", chosen, ACCOUNT_KINDS), total, neighbours, plan)

    def refuse_opening(self) -> None:
        """Refuse to open an account that needs a plan and has none, or whose plan exceeds its total."""
        if self.adaptive:
            return
        if self.plan is None:
            others = " or ".join(
                f"`composition={kind.name}`"
                for rule, kind in reversed(ACCOUNT_KINDS.values())
                if rule.adaptive and type(self.total) in kind.totals
            )
            raise ParameterError(
                f"`composition={self.rule}` holds only for releases that were all planned before the first of them is "
                "seen: declare them with `plan`, such as `plan=12` for twelve releases priced like this one",
                remedy=f"or choose each release as you go, with {others}",
            )
        for _, cost in self.plan.rows:
            self.refuse_unpriced(cost)
        if (problem := self._plan_problem()) is not None:
            raise BudgetExceededError(
                f"the plan of account {self.name!r} does not fit its total: {problem}",
                remedy="plan fewer releases or smaller ones, or declare a larger `total`",
            )

    def _plan_problem(self, tie: float = 0.0) -> str | None:
        """Why the plan exceeds the total; nothing where it does not."""
        assert self.plan is not None  # whoever asks has one
        often = tuple((cost, number) for number, cost in self.plan.rows)
        composed, limits = _composed(self.rule, often, self.limits["delta"]), self.limits
        if composed.epsilon is not None and composed.epsilon <= limits["epsilon"] * decimal(1.0 + tie):
            return None
        said = f": {composed.note}" if composed.epsilon is None else f" epsilon {digits(composed.epsilon)}"
        return (
            f"{self.plan.words()} cost{said} at delta {digits(limits['delta'])}, and the total is epsilon "
            f"{digits(limits['epsilon'])}"
        )

    @property
    def _rule(self) -> Rule:
        return ACCOUNT_KINDS[self.rule][0]

    @property
    def _kind(self) -> AccountKind:
        return ACCOUNT_KINDS[self.rule][1]

    @property
    def adaptive(self) -> bool:
        """Whether it holds however each release is chosen after seeing earlier outputs; otherwise it needs a plan."""
        return self._rule.adaptive

    @property
    def words(self) -> str:
        """How it counts and when that holds, for a reader, in one line."""
        held = "holds however each release is chosen after seeing earlier ones" if self.adaptive else "in any order"
        return f"{self._kind.words}; {held}"

    @property
    def unplanned(self) -> bool:
        """Whether it needs a plan and has none, as accounts of earlier versions."""
        return not self.adaptive and self.plan is None

    @property
    def limits(self) -> Amounts:
        """What may be spent in all, in the rule's currency. They follow from the total, whatever was published."""
        return dict(_limits(self.rule, self.total))

    def spent(self, costs: Sequence[Cost]) -> Amounts:
        """What these releases have spent together."""
        often = tallied(costs)
        for cost in often:
            self.refuse_unpriced(cost)
        if self._kind.price is not None:
            prices = [(self._kind.price(cost), times) for cost, times in often.items()]
            return {
                name: exact_sum(exact_times(price[name], times) for price, times in prices)
                for name in self._kind.currencies
            }
        delta = self.limits["delta"]
        spent = _stated(_composed(self.rule, tuple(often.items()), delta).epsilon) if often else Decimal(0)
        return {"epsilon": spent, "delta": delta}

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
        """With rhos: what was spent as (epsilon, delta), at the total's delta, or 1e-6 where that has none.

        It is what these releases cost had they been fixed beforehand; what holds whatever was chosen is the total.
        """
        if "rho" not in self._kind.currencies:
            return None
        delta = self.total.delta if isinstance(self.total, ApproxDP) else COMMON_DELTA
        spent, limits = self.spent(costs), self.limits
        at = delta if "delta" not in limits else float(exact_rest(decimal(delta), limits["delta"]))
        rho = float(spent["rho"])
        return {"epsilon": ZCDP(rho).epsilon(at) if rho > 0 else 0.0, "delta": delta}

    def admit(self, costs: Sequence[Cost], asked: Cost) -> None:
        """Refuse ``asked`` where it would exceed the total or has no place in the plan, saying what is left."""
        self.refuse_unpriced(asked)
        if self.plan is not None:
            self._admit_planned(self.plan, costs, asked)
        elif self.unplanned:
            self._admit_by_adding_up(costs, asked)
        else:
            self._admit_within(costs, asked, f"the budget of account {self.name!r} does not suffice")

    def _admit_within(self, costs: Sequence[Cost], asked: Cost, otherwise: str) -> None:
        """Refuse what takes a sum above its limit."""
        spent, limits = self.spent(costs), self.limits
        asks = self.spent([asked])
        said = "; ".join(
            f"{name} {digits(exact_rest(limit, spent[name]))} left of {digits(limit)}, this release asks for "
            f"{digits(asks[name])}"
            for name, limit in limits.items()
            if exact_sum([spent[name], asks[name]]) > limit
        )
        if said:
            raise BudgetExceededError(f"{otherwise}: {said}")

    def _admit_planned(self, plan: ReleasePlan, costs: Sequence[Cost], asked: Cost) -> None:
        """Refuse what has no place left in the plan."""
        if plan.admits([*costs, asked]):
            return
        raise BudgetExceededError(
            f"account {self.name!r} is for the releases that were planned when it was opened, "
            f"{plan.words(costs)}; this one, {cost_words(asked)}, has no place left",
            remedy="ask for a planned one, or keep another account for other people's data",
        )

    @property
    def adding_up(self) -> Account:
        """The account of the same total that adds up epsilons and deltas, which is a filter."""
        return Account(self.name, APPROX.name, self.total, self.neighbours)

    def _admit_by_adding_up(self, costs: Sequence[Cost], asked: Cost) -> None:
        """Refuse what takes the whole history above the total by adding up."""
        because = (
            f"account {self.name!r} was opened without a plan by an earlier version; `composition={self.rule}` does "
            "not hold for budgets chosen after seeing outputs, so that all its releases must stay within the total by "
            "adding up epsilons and deltas as well"
        )
        plain = self.adding_up
        if any(cost.epsilon is None for cost in [*costs, asked]):
            whose = "this release has" if asked.epsilon is None else "one of its releases has"
            raise BudgetExceededError(f"{because}: {whose} no epsilon that could be added")
        plain._admit_within(costs, asked, because)

    def overspent(self, costs: Sequence[Cost]) -> str | None:
        """Why releases of these costs ought never to have been admitted; nothing where they may have been.

        What is computed numerically may differ a little from one version to the next.
        """
        if self.plan is not None:
            if not self.plan.admits(costs):
                return "releases were made that are not in its plan"
            return None if (problem := self._plan_problem(_TIE)) is None else f"its plan does not fit: {problem}"
        spent, tie = self.spent(costs), decimal(1.0 + (_TIE if self._kind.at_delta else 0.0))
        over = [name for name, limit in self.limits.items() if spent[name] > limit * tie]
        return f"more {' and '.join(over)} was spent than its total" if over else None

    def refuse_unpriced(self, cost: Cost) -> None:
        """Refuse a release that has no price in this account's currency."""
        if (refusal := self._kind.refusal(cost)) is not None:
            raise ParameterError(f"account {self.name!r} {refusal.rule}", remedy=refusal.remedy)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger and the card."""
        total = {name: digits(decimal(value)) for name, value in vars(self.total).items()}
        plain = {"account": self.name, "composition": self.rule, "total": total, "neighbours": self.neighbours}
        return plain if self.plan is None else {**plain, "plan": self.plan.to_rows()}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Account:
        """What :meth:`to_dict` wrote."""
        total = budget_from(**{name: float(value) for name, value in plain["total"].items() if value is not None})
        if total is None:
            raise ParameterError("an account needs a `total`")
        plan = None if plain.get("plan") is None else ReleasePlan.from_rows(plain["plan"])
        return Account(plain["account"], plain["composition"], total, plain["neighbours"], plan)


@lru_cache(maxsize=64)
def _limits(rule: str, total: Budget) -> Amounts:
    return {str(name): limit for name, limit in ACCOUNT_KINDS[rule][1].limits(total).items()}


@lru_cache(maxsize=16)
def _composed(rule: str, often: tuple[tuple[Cost, int], ...], delta: Decimal) -> Total:
    """The total of releases, each price with how often it occurs, which is asked for more than once."""
    return ACCOUNT_KINDS[rule][0].total([cost for cost, times in often for _ in range(times)], delta)


def _stated(amount: Decimal | None) -> Decimal:
    """What a rule states; what it cannot state is more than any total."""
    return Decimal("Infinity") if amount is None else amount
