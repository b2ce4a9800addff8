"""The rule book: every way to say what releases cost together, for ``compose`` and for the accounts of a ledger.

A rule turns costs into one total at a delta, or says in a note why it cannot. All rules are upper bounds of the same
true cost, so that the smallest may be quoted. An account keeps one rule (``accounts``): it says under which name that
stands in a ledger, which totals go with it, what it counts in, and which releases have no price there (``filters``). A
new rule is one entry of :data:`RULE_BOOK`; ``compose``, the accounts and the contract of all rules take it from there.

**When the budgets were chosen.** A total by ``basic`` or ``zcdp`` that is fixed beforehand and kept holds also where
each budget was chosen after seeing earlier outputs (``adaptive``; the proofs are in ``filters``). The other rules need
budgets that were fixed beforehand, all of them; an account may keep one only for a plan of releases (``plan``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from epsilens.accounting.amounts import decimal, exact_rest, exact_sum, exact_times, pure_rho
from epsilens.accounting.cost import Cost, tallied
from epsilens.accounting.events import ApproximateEvent, ConcentratedEvent, DeltaEvent, Event, NoiseEvent, PureEvent
from epsilens.accounting.filters import (
    APPROX,
    APPROXIMATELY_CONCENTRATED,
    CONCENTRATED,
    PURE,
    Refusal,
    as_stated,
)
from epsilens.accounting.filters import AccountKind as AccountKind
from epsilens.budget import ZCDP, ApproxDP
from epsilens.noise.loss_distribution import Loss, MovedCount, WorstMechanism, composed_epsilon

_TIE = 1e-6  # by how much a numerical total may exceed an exact one that it ought to equal
_SMALLEST_RHO, _LARGEST_RHO = 1e-300, Decimal("1e150")


@dataclass(frozen=True)
class Total:
    """What releases cost together by one rule; what it cannot state is None, and ``note`` says why."""

    epsilon: Decimal | None
    delta: Decimal | None
    rho: Decimal | None
    note: str


@dataclass(frozen=True)
class Rule:
    """One way to say what releases cost together."""

    name: str
    total: Callable[[Sequence[Cost], Decimal | None], Total]
    """The total of costs at a delta, or at their own where None is given and the rule needs none."""
    accounts: tuple[AccountKind, ...] = ()
    adaptive: bool = False
    """Whether a total that is kept holds also where each budget was chosen after seeing earlier outputs."""
    at_most_basic: bool = True
    """Whether it never states more than adding up does."""


# -- basic composition ----------------------------------------------------------------------------------------------


def _basic(costs: Sequence[Cost], delta: Decimal | None) -> Total:
    """(sum epsilon_i, sum delta_i); zCDP releases are composed and converted at what they leave of delta."""
    parts = _Parts.of(costs)
    if parts.unpriced:
        return Total(None, None, None, parts.unpriced)
    epsilon, taken = exact_sum(parts.epsilons), exact_sum(parts.deltas)
    if not parts.rho:
        return Total(epsilon, min(taken, Decimal(1)), None, "sums")
    rho = None if parts.epsilons else parts.rho
    if delta is None or delta <= taken:
        return Total(None, None, rho, f"converting zCDP {_short_of(delta, float(taken))}")
    slack = float(exact_rest(delta, taken))
    note = f"zCDP releases composed, converted at delta {slack:.3g}, then sums"
    return Total(exact_sum([epsilon, _converted(parts.rho, slack)]), delta, rho, note)


# -- advanced composition -------------------------------------------------------------------------------------------


def _advanced(costs: Sequence[Cost], delta: Decimal | None) -> Total:
    """Sum epsilon_i (e^epsilon_i - 1) + sqrt(2 log(1 / delta') sum epsilon_i^2), or the sum where that is smaller.

    delta' is what the releases' own deltas leave (Dwork, Rothblum and Vadhan 2010).
    """
    parts = _Parts.of(costs)
    taken = exact_sum(parts.deltas)
    if parts.unpriced or delta is None or delta <= taken:
        return Total(None, None, None, parts.unpriced or _short_of(delta, float(taken)))
    epsilons, slack, note = _with_converted(parts, float(exact_rest(delta, taken)))
    sizes = [float(epsilon) for epsilon in epsilons]
    drift = math.fsum(epsilon * _expm1(epsilon) for epsilon in sizes)
    total = drift + math.sqrt(2.0 * math.log(1.0 / slack) * math.fsum(epsilon * epsilon for epsilon in sizes))
    simple = exact_sum(epsilons)
    if decimal(total) < simple:
        return Total(decimal(total), delta, None, f"{note}Dwork-Rothblum-Vadhan")
    return Total(simple, delta, None, f"{note}the basic total is smaller")


def _optimal_bound(costs: Sequence[Cost], delta: Decimal | None) -> Total:
    """The smallest of the three bounds of Kairouz, Oh and Viswanath (2015, Theorem 3.5).

    At 1 - (1 - delta') prod (1 - delta_i).
    """
    parts = _Parts.of(costs)
    taken = _any_of(parts.deltas)
    if parts.unpriced or delta is None or float(delta) <= taken:
        return Total(None, None, None, parts.unpriced or _short_of(delta, taken))
    slack = (float(delta) - taken) / (1.0 - taken)
    epsilons, _, note = _with_converted(parts, slack)
    if parts.rho:  # the converted entry's delta multiplies in like any other
        slack = 0.5 * slack / (1.0 - 0.5 * slack)
    sizes = [float(epsilon) for epsilon in epsilons]
    squares = math.fsum(epsilon * epsilon for epsilon in sizes)
    drift = math.fsum(epsilon * math.tanh(0.5 * epsilon) for epsilon in sizes)
    bounds = (
        exact_sum(epsilons),
        decimal(drift + math.sqrt(2.0 * squares * math.log(math.e + math.sqrt(squares) / slack))),
        decimal(drift + math.sqrt(2.0 * squares * math.log(1.0 / slack))),
    )
    return Total(min(bounds), delta, None, f"{note}Kairouz-Oh-Viswanath, Theorem 3.5")


# -- concentrated differential privacy ------------------------------------------------------------------------------


def _zcdp(costs: Sequence[Cost], delta: Decimal | None) -> Total:
    """Rho = sum rho_i + sum epsilon_i^2 / 2, conditional on none of the events of probability delta_i.

    It is converted at the delta that these leave (Bun and Steinke 2016).
    """
    plain = [cost for cost in costs if cost.rho is None]
    if any(cost.epsilon is None for cost in plain):
        return Total(None, None, None, _UNPRICED)
    rho = exact_sum(pure_rho(cost.epsilon or Decimal(0)) if cost.rho is None else cost.rho for cost in costs)
    taken = _any_of([cost.delta for cost in plain])
    stated = rho if taken == 0 else None  # with deltas of its own the composition is not plain zCDP
    counted = any(cost.epsilon is not None and (cost.rho is None or cost.delta == 0) for cost in costs)
    note = "epsilon-DP counts as rho = epsilon^2 / 2" if counted else "rhos add up"
    if delta is None or float(delta) <= taken:
        return Total(None, None, stated, f"{note}; an epsilon {_short_of(delta, taken)}")
    return Total(_converted(rho, (float(delta) - taken) / (1.0 - taken)), delta, stated, note)


# -- privacy loss distributions -------------------------------------------------------------------------------------


def _pld(costs: Sequence[Cost], delta: Decimal | None) -> Total:
    """The smallest epsilon of the composed privacy loss distributions, or the sum where that is smaller.

    Laws of noise have their own loss, budgets that of the worst mechanism with them; a threshold's delta is taken off.
    See ``noise.loss_distribution``.
    """
    often = tallied(costs)
    for cost in often:
        if (problem := _without_loss(cost)) is not None:
            return Total(None, None, None, problem)
    events = [(event, times) for cost, times in often.items() for event in cost.events]
    failing = exact_sum(exact_times(event.delta, times) for event, times in events if isinstance(event, DeltaEvent))
    own = _any_of([event.delta for event, times in events if isinstance(event, ApproximateEvent) for _ in range(times)])
    taken = float(failing) + own
    if delta is None or float(delta) <= taken:
        return Total(None, None, None, _short_of(delta, taken))
    losses = [_loss(event, times) for event, times in events if not isinstance(event, DeltaEvent)]
    if not losses:
        return Total(Decimal(0), delta, None, "nothing was released")
    found = composed_epsilon(losses, float(exact_rest(delta, failing)))
    sums = [exact_times(largest, times) for event, times in events if (largest := _largest(event)) is not None]
    simple = exact_sum(sums) if len(sums) == len(events) else None
    added = [(cost.epsilon, times) for cost, times in often.items() if cost.epsilon is not None]
    if len(added) == len(often) and exact_sum(exact_times(cost.delta, n) for cost, n in often.items()) <= delta:
        stated = exact_sum(exact_times(epsilon, times) for epsilon, times in added)
        if float(stated) >= found.epsilon * (1.0 - _TIE) or not math.isfinite(found.epsilon):
            simple = stated if simple is None else min(simple, stated)
    if simple is not None and float(simple) <= found.epsilon:
        return Total(simple, delta, None, "the basic total is smaller")
    if not math.isfinite(found.epsilon):
        return Total(None, None, None, "the privacy losses reach no epsilon at this delta")
    known = any(isinstance(event, NoiseEvent) for event, _ in events)
    guessed = any(isinstance(event, PureEvent | ApproximateEvent) for event, _ in events)
    source = " and ".join(
        [*(["laws of the noise as known"] if known else []), *(["worst mechanism per budget"] if guessed else [])]
    )
    grid = f", step {found.step:.2g}, safe side" if found.step else ""
    return Total(decimal(found.epsilon), delta, None, source + grid)


def _without_loss(cost: Cost) -> str | None:
    """Why the cost has no privacy loss distribution, if it has none."""
    if not cost.events:
        return "what the noise does to a person with several rows is not known"
    if any(isinstance(event, ConcentratedEvent) for event in cost.events):
        return "zCDP alone determines no privacy loss distribution; name the mechanisms"
    return None


def _loss(event: Event, times: int) -> tuple[Loss, int]:
    """The loss of an event that happens so many times, and how often it occurs."""
    if isinstance(event, NoiseEvent):
        return MovedCount(event.law, event.sensitivity), event.cells * times
    if isinstance(event, PureEvent):
        return WorstMechanism(float(event.epsilon)), event.times * times
    if isinstance(event, ApproximateEvent):
        return WorstMechanism(float(event.epsilon), float(event.delta)), times
    raise TypeError(f"{type(event).__name__} has no privacy loss")


def _largest(event: Event) -> Decimal | None:
    """The epsilon that an event adds, its delta apart; None where it has no bound."""
    if isinstance(event, NoiseEvent):
        largest = event.law.largest_loss(event.sensitivity)
        return exact_times(decimal(largest), event.cells) if math.isfinite(largest) else None
    if isinstance(event, PureEvent):
        return exact_times(event.epsilon, event.times)
    return event.epsilon if isinstance(event, ApproximateEvent) else Decimal(0)


def _needs_loss(cost: Cost) -> Refusal | None:
    if _without_loss(cost) is None:
        return None
    return Refusal(
        "convolves privacy losses, which is not offered for discrete-gaussian with several rows per person",
        "use an account with `composition=zcdp`",
    )


_CONVOLVED = AccountKind(
    "pld",
    (ApproxDP,),
    ("epsilon",),
    _needs_loss,
    "privacy losses are convolved, for a plan of releases that is fixed when the account is opened",
    as_stated,
)


# -- the book -------------------------------------------------------------------------------------------------------


RULE_BOOK: dict[str, Rule] = {
    rule.name: rule
    for rule in (
        Rule("basic", _basic, (PURE, APPROX), adaptive=True),
        Rule("advanced", _advanced),
        Rule("optimal-bound", _optimal_bound),
        Rule("zcdp", _zcdp, (CONCENTRATED, APPROXIMATELY_CONCENTRATED), adaptive=True, at_most_basic=False),
        Rule("pld", _pld, (_CONVOLVED,)),
    )
}

ACCOUNT_KINDS: dict[str, tuple[Rule, AccountKind]] = {
    kind.name: (rule, kind) for rule in RULE_BOOK.values() for kind in rule.accounts
}
"""The kinds of account by their names in ledgers, each with its rule."""


# -- what several rules share ---------------------------------------------------------------------------------------

_UNPRICED = "noise of this law has neither an epsilon nor a rho"


@dataclass(frozen=True)
class _Parts:
    """The releases, sorted by what they promise."""

    epsilons: tuple[Decimal, ...]
    deltas: tuple[Decimal, ...]
    rho: Decimal
    """Of those that have no epsilon."""
    unpriced: str
    """Why some release has no price at all; nothing where all have one."""

    @staticmethod
    def of(costs: Sequence[Cost]) -> _Parts:
        plain = [cost for cost in costs if cost.epsilon is not None]
        others = [cost.rho for cost in costs if cost.epsilon is None]
        return _Parts(
            tuple(cost.epsilon for cost in plain if cost.epsilon is not None),
            tuple(cost.delta for cost in plain),
            exact_sum(rho for rho in others if rho is not None),
            _UNPRICED if any(rho is None for rho in others) else "",
        )


def _short_of(delta: Decimal | None, taken: float) -> str:
    return "needs a delta" if delta is None else f"needs delta > {taken:g}, what the releases' own deltas add to"


def _with_converted(parts: _Parts, slack: float) -> tuple[list[Decimal], float, str]:
    """Epsilons with the zCDP releases as one more entry, which takes half of the slack; what is left; a note."""
    if not parts.rho:
        return list(parts.epsilons), slack, ""
    half = 0.5 * slack
    note = f"zCDP releases composed and converted at delta {half:.3g}; "
    return [*parts.epsilons, _converted(parts.rho, half)], half, note


def _converted(rho: Decimal, delta: float) -> Decimal:
    """The epsilon that rho-zCDP implies at ``delta``; beyond 1e150 all conversions agree in the digits of a double."""
    if rho > _LARGEST_RHO:
        return rho + 2 * (rho * decimal(-math.log(delta))).sqrt()
    return decimal(ZCDP(max(float(rho), _SMALLEST_RHO)).epsilon(delta)) if rho else Decimal(0)


def _any_of(deltas: Sequence[Decimal]) -> float:
    """1 - prod (1 - delta_i)."""
    return -math.expm1(math.fsum(math.log1p(-float(delta)) for delta in deltas)) if all(d < 1 for d in deltas) else 1.0


def _expm1(x: float) -> float:
    return math.expm1(x) if x < 700.0 else math.inf
