"""Kinds of account, and why those that add up are privacy filters: they hold whatever their curator chooses next.

A curator looks at what was published and only then chooses the next release, its mechanism and its budget. Such an
account is *fully adaptive* (Rogers, Roth, Ullman and Vadhan 2016). It is a *privacy filter* where its limits are fixed
when it is opened, every release adds its price in every currency, and what would exceed a limit is refused. A numerical
bound of the releases made so far is not a filter, however exact: whoever has been lucky may spend on at once what the
bound forgives, and the luck is in what was published. So an account whose rule is not adaptive needs a plan of
releases that is fixed when it is opened (``plan``).

Let P and Q be the laws of everything published under two neighbouring data sets, h what was published before a release,
and P_h, Q_h the laws of the next one, chosen after seeing h; all prices may depend on h. Along every h they add up to
the limits at most.

**pure** (limit epsilon). The density ratio of all outputs is the product of the steps' ratios. Each is at most
e^epsilon_i(h), so that the product is at most e^epsilon, output by output (Rogers et al. 2016).

**approx** (limits epsilon, delta). P(S) <= e^epsilon Q(S) + delta for every S, by induction over the number of steps.
After a first step with (epsilon_1, delta_1) and output y, the rest keeps (epsilon - epsilon_1, delta - delta_1), hence
P_y(S) <= min(1, e^(epsilon - epsilon_1) Q_y(S)) + delta - delta_1. The minimum is a function of y with values in
[0, 1], whose mean under the first step's P is at most e^epsilon_1 times that under Q, plus delta_1. Together
P(S) <= e^epsilon Q(S) + delta (Rogers et al. 2016: basic composition is a filter).

**zcdp** (limit rho). For every order a > 1 the product of all (dP_h / dQ_h)^(a - 1) exp(-(a - 1) a rho_i(h)) is a
supermartingale under P that starts from 1. Since the rho_i(h) add up to rho at most, the Renyi divergence of order a of
everything is at most a rho (Feldman and Zrnic 2021; Whitehouse, Ramdas, Rogers and Wu 2023). A total (epsilon, delta)
is turned into the largest rho that implies it, which depends on nothing that was published.

**approx-zcdp** (limits rho and delta). A step with price (rho_i, delta_i) has P_h >= (1 - delta_i) P'_h and
Q_h >= (1 - delta_i) Q'_h, as measures, where (P'_h, Q'_h) is rho_i-zCDP in both directions (Bun and Steinke 2016,
section 8). Taking products along h, P >= prod (1 - delta_i(h)) P' >= (1 - delta) P', because the product is at least
1 - sum delta_i(h), and so for Q; and (P', Q') is rho-zCDP by the filter above. Hence everything is delta-approximately
rho-zCDP (Whitehouse et al. 2023), and if rho-zCDP implies (epsilon, c) then
P(S) <= (1 - delta) P'(S) + delta <= e^epsilon Q(S) + c + delta.

An (epsilon, delta)-DP release has the price (epsilon^2 / 2, delta): by Kairouz, Oh and Viswanath (2015) its two laws
are those of randomised response that fails with probability delta, processed further, so that P' and Q' have a ratio
of at most e^epsilon. A release that has a rho of its own has the price (rho, 0). In a thresholded release P' is the law
given that no cell is shown in which the person is alone, and that has probability 1 - delta at least.

**The split of delta is fixed.** A total (epsilon, delta) admits half of delta to the releases' own deltas, and rho is
the largest that implies epsilon at the other half. An account that converted at whatever delta is left would admit all
pairs (rho, delta) below a curve. The proof is for one pair of limits, and a curator who sees outputs could choose which
pair to end at; the curve is not a filter by it.

Releases that crash, fail or are never written count like all others, so that nobody draws twice and pays once.

Assumes that what is chosen depends on the data only through what was published: nobody who reads an internal assessment
may choose the next release by it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal, TypeAlias

from epsilens.accounting.amounts import decimal, exact_half, exact_rest, pure_rho
from epsilens.accounting.cost import Cost
from epsilens.budget import ZCDP, ApproxDP, Budget, PureDP

Currency: TypeAlias = Literal["epsilon", "delta", "rho"]
Amounts: TypeAlias = Mapping[Currency, Decimal]


@dataclass(frozen=True)
class Refusal:
    """Why a release has no price in an account, and what to do about it."""

    rule: str
    remedy: str


@dataclass(frozen=True)
class AccountKind:
    """How an account keeps a rule."""

    name: str
    """In ledgers, and as the ``composition`` of an account."""
    totals: tuple[type[Budget], ...]
    """The kinds of total it can have; it is the plain kind of account for the first of them."""
    currencies: tuple[Currency, ...]
    """What is spent, and is left."""
    refusal: Callable[[Cost], Refusal | None]
    words: str
    """How it counts, for a reader, in one line."""
    limits: Callable[[Any], Amounts]
    """What a total admits in each currency: fixed by the total alone, never by what was published."""
    price: Callable[[Cost], Amounts] | None = None
    """What a release that is not refused adds in each currency; nothing where costs do not simply add up."""

    @property
    def at_delta(self) -> bool:
        """Whether its epsilon is read off at the total's delta, so that costs do not simply add up."""
        return self.price is None


def as_stated(total: Budget) -> Amounts:
    """The total itself."""
    amounts: dict[Currency, Decimal] = {name: decimal(value) for name, value in vars(total).items()}  # type: ignore[misc]
    return amounts


# -- epsilons add up ------------------------------------------------------------------------------------------------


def _needs_pure(cost: Cost) -> Refusal | None:
    if cost.epsilon is not None and cost.delta == 0:
        return None
    return Refusal(
        "adds up pure epsilons, which this release does not have",
        "use `mechanism=discrete-laplace` without `threshold_delta`, or an account with `composition=approx` or "
        "`composition=zcdp`",
    )


def _needs_epsilon(cost: Cost) -> Refusal | None:
    if cost.epsilon is not None:
        return None
    return Refusal("adds up (epsilon, delta)", "give this release `epsilon` and `delta`, not `rho`")


def _epsilon(cost: Cost) -> Amounts:
    return {"epsilon": cost.epsilon or Decimal(0)}


def _epsilon_and_delta(cost: Cost) -> Amounts:
    return {"epsilon": cost.epsilon or Decimal(0), "delta": cost.delta}


PURE = AccountKind("pure", (PureDP,), ("epsilon",), _needs_pure, "epsilons add up", as_stated, _epsilon)
APPROX = AccountKind(
    "approx",
    (ApproxDP,),
    ("epsilon", "delta"),
    _needs_epsilon,
    "epsilons add up, and so do deltas",
    as_stated,
    _epsilon_and_delta,
)


# -- rhos add up ----------------------------------------------------------------------------------------------------


def _needs_rho(cost: Cost) -> Refusal | None:
    if cost.rho is not None:
        return None
    return Refusal(
        "adds up rhos, which a release with a threshold's delta does not have",
        "leave `threshold_delta` out, or use an account with `composition=approx-zcdp` or `composition=approx`",
    )


def _rho(cost: Cost) -> Amounts:
    return {"rho": cost.rho or Decimal(0)}


def _largest_rho(total: ZCDP | ApproxDP) -> Amounts:
    """The rho of the total, or the largest that implies it."""
    return {"rho": decimal((ZCDP.within(total) if isinstance(total, ApproxDP) else total).rho)}


def _needs_rho_or_epsilon(cost: Cost) -> Refusal | None:
    if cost.rho is not None or cost.epsilon is not None:
        return None
    return Refusal("adds up rhos and deltas, and this noise has neither a rho nor an epsilon", "use another mechanism")


def _rho_and_delta(cost: Cost) -> Amounts:
    """(rho, 0), or (epsilon^2 / 2, delta) of a release that has no rho of its own."""
    if cost.rho is not None:
        return {"rho": cost.rho, "delta": Decimal(0)}
    return {"rho": pure_rho(cost.epsilon or Decimal(0)), "delta": cost.delta}


def _half_of_delta(total: ApproxDP) -> Amounts:
    """Half of delta for the releases' own, and the largest rho that implies epsilon at the other half."""
    half = exact_half(decimal(total.delta))
    other = exact_rest(decimal(total.delta), half)
    return {"rho": decimal(ZCDP.within(ApproxDP(total.epsilon, float(other))).rho), "delta": half}


CONCENTRATED = AccountKind(
    "zcdp",
    (ZCDP, ApproxDP),
    ("rho",),
    _needs_rho,
    "rhos add up, to the total or to the largest rho that implies it",
    _largest_rho,
    _rho,
)
APPROXIMATELY_CONCENTRATED = AccountKind(
    "approx-zcdp",
    (ApproxDP,),
    ("rho", "delta"),
    _needs_rho_or_epsilon,
    "releases' own deltas add up to half of the total's delta, and rhos to the largest rho that implies its epsilon at "
    "the other half",
    _half_of_delta,
    _rho_and_delta,
)
