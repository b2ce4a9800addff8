"""What releases cost together: one rule per account, in decimal arithmetic.

Budgets are decimals as people write them: ten releases at 0.1 spend exactly 1, and what is left is known to the digit.

- ``pure``: epsilons add up.
- ``approx``: basic composition; epsilons add up, and so do deltas.
- ``zcdp``: rhos add up; an epsilon-DP release is (epsilon^2 / 2)-zCDP (Bun and Steinke 2016). A total given as
  (epsilon, delta) is turned into the largest rho whose conversion stays within it.
- ``pld``: the privacy loss distributions of the releases are convolved (dp-accounting, rounding pessimistically) and
  the smallest epsilon at the total's delta is read off.

Only budgets about the same neighbours may be composed: an account has one definition, fixed when it is opened.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Context, Decimal, Inexact
from typing import Any, Literal, TypeAlias, get_args

from epsilens.budget import NEIGHBOURS, ZCDP, ApproxDP, Budget, PureDP, budget_parameters
from epsilens.checks import one_of
from epsilens.errors import EpsilensError, ParameterError

Rule: TypeAlias = Literal["pure", "approx", "zcdp", "pld"]
RULES: tuple[Rule, ...] = get_args(Rule)
Amounts: TypeAlias = Mapping[str, Decimal]
COMMON_DELTA = 1e-6

# Sums of doubles written as decimals need some six hundred digits at most; losing one would be an error.
_EXACT = Context(prec=2000, traps=[Inexact])


class BudgetExceededError(EpsilensError):
    """A release that the account's total does not admit."""


def decimal(value: float | str | Decimal) -> Decimal:
    """The number as people write it: 0.1 is one tenth, not its binary neighbour."""
    return Decimal(repr(value) if isinstance(value, float) else str(value))


def digits(value: Decimal) -> str:
    """A decimal in plain notation, to the last digit; exponents only where there would be many zeros."""
    plain = value.normalize(_EXACT)
    return "0" if not plain else format(plain, "f") if plain.adjusted() >= -6 else str(plain)


@dataclass(frozen=True)
class Cost:
    """What one release takes from an account, in every currency in which it has a price.

    ``epsilon`` and ``delta`` are its (epsilon, delta)-DP price, ``rho`` its zCDP price; ``events`` are what it does,
    for the convolution: each a law with its parameters and how many cells one person shifts.
    """

    epsilon: Decimal | None
    delta: Decimal
    rho: Decimal | None
    events: tuple[Mapping[str, Any], ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger; numbers as texts, so that no digit is lost."""
        return {
            "epsilon": None if self.epsilon is None else digits(self.epsilon),
            "delta": digits(self.delta),
            "rho": None if self.rho is None else digits(self.rho),
            "events": [dict(event) for event in self.events],
        }

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Cost:
        """What :meth:`to_dict` wrote."""
        epsilon, rho = plain["epsilon"], plain["rho"]
        cost = Cost(
            None if epsilon is None else Decimal(epsilon),
            Decimal(plain["delta"]),
            None if rho is None else Decimal(rho),
            tuple(plain["events"]),
        )
        if any(amount is not None and not amount >= 0 for amount in (cost.epsilon, cost.delta, cost.rho)):
            raise ValueError("a cost below 0")  # a release never gives budget back
        return cost


def pure_rho(epsilon: Decimal) -> Decimal:
    """epsilon^2 / 2, the zCDP price of pure DP, exactly."""
    return _EXACT.divide(_EXACT.multiply(epsilon, epsilon), Decimal(2))


@dataclass(frozen=True)
class Account:
    """A data set, by the name its curator gave it: its total, its rule and its neighbours. They never change."""

    name: str
    rule: Rule
    total: Budget
    neighbours: str

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.strip() or "\n" in self.name:
            raise ParameterError("an account is a data set's name on one line, got none")
        one_of("composition", self.rule, RULES)
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        kinds: dict[Rule, tuple[type[Budget], ...]] = {
            "pure": (PureDP,),
            "approx": (ApproxDP,),
            "zcdp": (ZCDP, ApproxDP),
            "pld": (ApproxDP,),
        }
        if not isinstance(self.total, kinds[self.rule]):
            wanted = {"pure": "`epsilon` without `delta`", "zcdp": "`rho`, or of `epsilon` and `delta`"}
            raise ParameterError(
                f"`composition={self.rule}` needs a total of {wanted.get(self.rule, '`epsilon` and `delta`')}, got "
                f"{budget_parameters(self.total)}"
            )

    @staticmethod
    def opened(name: str, total: Budget, neighbours: str, rule: str | None = None) -> Account:
        """An account whose rule, where none is named, is the plain one for its total."""
        plain: dict[type[Budget], Rule] = {PureDP: "pure", ApproxDP: "approx", ZCDP: "zcdp"}
        chosen = rule if rule is not None else plain.get(type(total), "approx")
        return Account(name, one_of("composition", chosen, RULES), total, neighbours)  # type: ignore[arg-type]

    @property
    def limits(self) -> Amounts:
        """What may be spent in all, in the rule's currency."""
        if isinstance(self.total, ApproxDP):
            if self.rule == "zcdp":
                return {"rho": decimal(ZCDP.within(self.total).rho)}
            return {"epsilon": decimal(self.total.epsilon), "delta": decimal(self.total.delta)}
        return {name: decimal(value) for name, value in vars(self.total).items()}

    def spent(self, costs: Sequence[Cost]) -> Amounts:
        """What these releases have spent together."""
        if self.rule == "pld":
            return {"epsilon": _loss_epsilon(costs, self), "delta": self.limits["delta"]} if costs else _nothing(self)
        for cost in costs:
            self.refuse_unpriced(cost)
        return {name: _total(getattr(cost, name) for cost in costs) for name in self.limits}

    def left(self, costs: Sequence[Cost]) -> Amounts:
        """What is left; with ``pld`` the distance to the total, which is not simply what one more release may cost."""
        spent = self.spent(costs)
        if self.rule == "pld":
            return {"epsilon": _EXACT.subtract(self.limits["epsilon"], spent["epsilon"])}
        return {name: _EXACT.subtract(limit, spent[name]) for name, limit in self.limits.items()}

    def converted(self, costs: Sequence[Cost]) -> dict[str, float] | None:
        """With ``zcdp``: what was spent as (epsilon, delta), at the total's delta, or 1e-6 where that has none."""
        if self.rule != "zcdp":
            return None
        delta = self.total.delta if isinstance(self.total, ApproxDP) else COMMON_DELTA
        spent = float(self.spent(costs)["rho"])
        return {"epsilon": ZCDP(spent).epsilon(delta) if spent > 0 else 0.0, "delta": delta}

    def admit(self, costs: Sequence[Cost], asked: Cost) -> None:
        """Refuse ``asked`` where it would exceed the total, saying what is left to the digit."""
        self.refuse_unpriced(asked)
        after, before = self.spent([*costs, asked]), self.spent(costs)
        over = [name for name, limit in self.limits.items() if after[name] > limit]
        if not over:
            return
        if self.rule == "pld":
            raise BudgetExceededError(
                f"account {self.name!r} has spent epsilon {digits(before['epsilon'])} of "
                f"{digits(self.limits['epsilon'])} at delta {digits(self.limits['delta'])}; this release would take "
                f"it to {digits(after['epsilon'])}"
            )
        left = self.left(costs)
        said = "; ".join(
            f"{name} {digits(left[name])} left of {digits(self.limits[name])}, this release asks for "
            f"{digits(_total([getattr(asked, name)]))}"
            for name in over
        )
        raise BudgetExceededError(f"the budget of account {self.name!r} does not suffice: {said}")

    def refuse_unpriced(self, cost: Cost) -> None:
        """Refuse a release that has no price in this account's currency."""
        if self.rule == "pure" and (cost.epsilon is None or cost.delta > 0):
            raise ParameterError(
                f"account {self.name!r} adds up pure epsilons, which this release does not have; "
                "use discrete-laplace without a threshold, or an account with composition approx or zcdp"
            )
        if self.rule == "approx" and cost.epsilon is None:
            raise ParameterError(
                f"account {self.name!r} adds up (epsilon, delta); give this release an epsilon and a delta, not a rho"
            )
        if self.rule == "zcdp" and cost.rho is None:
            raise ParameterError(
                f"account {self.name!r} adds up rhos, which a release with a threshold's delta does not have"
            )
        if self.rule == "pld" and not cost.events:
            raise ParameterError(
                f"account {self.name!r} convolves privacy losses, which is not offered for discrete-gaussian with "
                "several rows per person; use an account with composition zcdp"
            )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for the ledger and the card."""
        total = {name: digits(decimal(value)) for name, value in vars(self.total).items()}
        return {"account": self.name, "composition": self.rule, "total": total, "neighbours": self.neighbours}

    @staticmethod
    def from_dict(plain: Mapping[str, Any]) -> Account:
        """What :meth:`to_dict` wrote."""
        total = budget_from(plain["total"])
        return Account(plain["account"], plain["composition"], total, plain["neighbours"])


def budget_from(plain: Mapping[str, Any]) -> Budget:
    """The budget with these parameters."""
    values = {name: float(value) for name, value in plain.items() if value is not None}
    if set(values) == {"rho"}:
        return ZCDP(values["rho"])
    return ApproxDP(values["epsilon"], values["delta"]) if "delta" in values else PureDP(values["epsilon"])


def _total(amounts: Any) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = _EXACT.add(total, amount)
    return total


def _nothing(account: Account) -> Amounts:
    return {"epsilon": Decimal(0), "delta": account.limits["delta"]}


def _loss_epsilon(costs: Sequence[Cost], account: Account) -> Decimal:
    """The smallest epsilon at the total's delta of all events together.

    A person's change to a table of counts is a shift by one in ``cells`` cells, each an independent draw of the law, so
    its loss distribution is that of one cell convolved as often. Continuous Gaussian noise looks the same from every
    direction, so that a shift of many cells is one by its l2 norm, the ``sensitivity``, which is exact also for several
    rows per person. Where a person may shift one cell of another law by more than one, the law is replaced by the worst
    one of its epsilon (randomised response), which dominates every epsilon-DP mechanism.
    """
    from dp_accounting.pld import common  # lazy: seconds to import
    from dp_accounting.pld import privacy_loss_distribution as losses

    times: dict[tuple[Any, ...], int] = {}
    delta = Decimal(0)
    for cost in costs:
        account.refuse_unpriced(cost)
        for event in cost.events:
            if event["law"] == "delta":  # a threshold fails with this probability, whatever the rest does
                delta = _EXACT.add(delta, Decimal(event["delta"]))
            else:
                key = (event["law"], event["parameter"], float(event.get("sensitivity", 1.0)))
                times[key] = times.get(key, 0) + int(event["cells"])
    together = losses.identity()
    for (law, parameter, sensitivity), repeats in times.items():
        value = float(parameter)
        if law == "discrete-laplace":
            one = losses.from_discrete_laplace_mechanism(1.0 / value)
        elif law == "discrete-gaussian":
            one = losses.from_discrete_gaussian_mechanism(value)
        elif law == "laplace":
            one = losses.from_laplace_mechanism(value)
        elif law == "gaussian":
            one = losses.from_gaussian_mechanism(value, sensitivity=sensitivity)
        else:
            one = losses.from_privacy_parameters(common.DifferentialPrivacyParameters(value, 0.0))
        together = together.compose(one.self_compose(repeats))
    remaining = float(account.limits["delta"]) - float(delta)
    if remaining <= 0:
        return Decimal("Infinity")
    return decimal(float(together.get_epsilon_for_delta(remaining)))
