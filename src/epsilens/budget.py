"""Privacy budgets: what a release may cost, and how costs convert and compose.

A budget is a promise about *neighbouring* tables. Two kinds of neighbours are used, and always spelt out:
``"add-remove"`` (one person more or less: one count changes by one) and ``"substitute"`` (one person's record is
replaced: one count falls by one, another rises by one).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import ClassVar, Literal, Self, TypeAlias

import numpy as np

from epsilens.checks import one_of, positive, probability, whole
from epsilens.errors import ParameterError

Neighbours: TypeAlias = Literal["add-remove", "substitute"]
NEIGHBOURS: tuple[Neighbours, ...] = ("add-remove", "substitute")
_FURTHEST_LOG = 700.0  # e^700 is next to the largest number
_LOWEST_LOG = -1e4  # of a delta: lower ones are not told apart


@dataclass(frozen=True)
class PureDP:
    """epsilon-differential privacy: P(M(D) in S) <= e^epsilon P(M(D') in S)."""

    epsilon: float
    words: ClassVar[str] = "`epsilon`"
    """Which parameters such a budget has, for an error."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @staticmethod
    def grid(lowest: float, highest: float, size: int) -> tuple[PureDP, ...]:
        """``size`` budgets, log-spaced from ``lowest`` to ``highest``, ends included."""
        return tuple(PureDP(epsilon) for epsilon in log_grid(lowest, highest, size))


@dataclass(frozen=True)
class _EpsilonDelta:
    epsilon: float
    delta: float
    words: ClassVar[str] = "`epsilon` and `delta`"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "delta", probability("delta", self.delta))

    @classmethod
    def grid(cls, lowest: float, highest: float, size: int, delta: float) -> tuple[Self, ...]:
        """``size`` budgets with log-spaced epsilon and the same ``delta``."""
        return tuple(cls(epsilon, delta) for epsilon in log_grid(lowest, highest, size))


@dataclass(frozen=True)
class ApproxDP(_EpsilonDelta):
    """(epsilon, delta)-differential privacy: P(M(D) in S) <= e^epsilon P(M(D') in S) + delta. Source: P0 Eq. (1)."""


@dataclass(frozen=True)
class ProbabilisticDP(_EpsilonDelta):
    """(epsilon, delta)-probabilistic DP: the privacy loss exceeds epsilon with probability at most delta.

    Source: P0 Eq. (2). It implies :class:`ApproxDP` with the same parameters, not the other way round.
    """

    words: ClassVar[str] = "`epsilon` and `delta` of probabilistic DP"


@dataclass(frozen=True)
class ZCDP:
    """rho-zero-concentrated DP: the Renyi divergence of every order a > 1 is at most rho * a."""

    rho: float
    words: ClassVar[str] = "`rho`"

    def __post_init__(self) -> None:
        object.__setattr__(self, "rho", positive("rho", self.rho))

    @staticmethod
    def grid(lowest: float, highest: float, size: int) -> tuple[ZCDP, ...]:
        """``size`` budgets, log-spaced rho from ``lowest`` to ``highest``, ends included."""
        return tuple(ZCDP(rho) for rho in log_grid(lowest, highest, size))

    def delta(self, epsilon: float) -> float:
        """The smallest delta that rho-zCDP implies at ``epsilon``.

        delta = min over a > 1 of exp((a - 1)(a rho - epsilon)) / (a - 1) (1 - 1/a)^a (Canonne, Kamath and Steinke 2020,
        Proposition 7). With a = 1 + t the logarithm is convex in t and stationary where
        (2 t + 1) rho - epsilon + log(t / (1 + t)) = 0.
        """
        return math.exp(self._log_delta(positive("epsilon", epsilon)))

    def _log_delta(self, epsilon: float) -> float:
        """Log of :meth:`delta`: 0 or minus infinity where the best a is nearer to 1, or larger, than any number."""

        def slope(log_t: float) -> float:
            t = math.exp(log_t)
            return (2.0 * t + 1.0) * self.rho - epsilon - math.log1p(1.0 / t)

        if slope(-_FURTHEST_LOG) > 0:
            return 0.0
        if slope(_FURTHEST_LOG) < 0:
            return -math.inf
        low, high = 0.0, 0.0
        while slope(low) > 0:
            low -= 1.0
        while slope(high) < 0:
            high += 1.0
        t = math.exp(_root(slope, low, high))
        return min(0.0, t * ((1.0 + t) * self.rho - epsilon) - t * math.log1p(1.0 / t) - math.log1p(t))

    def epsilon(self, delta: float) -> float:
        """The smallest epsilon at which rho-zCDP implies ``delta``: inverts :meth:`delta`; 0 where delta is enough."""
        target = math.log(probability("delta", delta))
        high = self.published_epsilon(delta)
        if self._log_delta(low := 1e-12 * high) <= target:
            return 0.0
        if self._log_delta(high) >= target:  # beyond 1e30 the two conversions agree in all digits of a double
            return high
        return _root(lambda epsilon: _log_ratio(self._log_delta(epsilon), delta), low, high)

    def published_epsilon(self, delta: float) -> float:
        """The simple conversion rho + 2 sqrt(rho log(1 / delta)), never below :meth:`epsilon`. Source: P4 Theorem 1."""
        return self.rho + 2.0 * math.sqrt(self.rho) * math.sqrt(-math.log(probability("delta", delta)))

    @staticmethod
    def within(budget: ApproxDP) -> ZCDP:
        """The largest rho whose best conversion stays within an (epsilon, delta) budget."""

        def excess(log_rho: float) -> float:
            return _log_ratio(ZCDP(math.exp(log_rho))._log_delta(budget.epsilon), budget.delta)

        high = budget.epsilon
        while excess(math.log(high)) < 0:
            high *= 2.0
        low = high
        while excess(math.log(low)) >= 0:
            low /= 2.0
            if low < 1e-300:
                raise ParameterError(
                    f"and a `delta` of {budget.delta:g} leave a rho below any number",
                    parameter="epsilon",
                    got=budget.epsilon,
                    remedy="take a larger `epsilon`",
                )
        return ZCDP(math.exp(_root(excess, math.log(low), math.log(high))) * (1.0 - 1e-12))


Budget: TypeAlias = PureDP | ApproxDP | ProbabilisticDP | ZCDP


def budget_from(epsilon: float | None = None, delta: float | None = None, rho: float | None = None) -> Budget | None:
    """The budget that these numbers mean: epsilon, epsilon and delta, or rho; nothing where none is given.

    Whether a mechanism can spend it is for the mechanism to say.
    """
    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError("give `rho`, or `epsilon` and `delta`, not both")
        return ZCDP(rho)
    if epsilon is None:
        if delta is not None:
            raise ParameterError("needs `epsilon`", parameter="delta")
        return None
    return PureDP(epsilon) if delta is None else ApproxDP(epsilon, delta)


def budget_words(budget: object) -> str:
    """The parameters that a budget is made of, as an error names them, whatever was given in its place."""
    if isinstance(budget, PureDP | ApproxDP | ProbabilisticDP | ZCDP):
        return budget.words
    return "none" if budget is None else f"a {type(budget).__name__}"


def _log_ratio(log_delta: float, delta: float) -> float:
    """Log of one delta over another; in logarithms alone where the other is next to the smallest number."""
    if delta >= 1e-250:
        return math.log(max(math.exp(log_delta), 1e-300) / delta)
    return max(log_delta, _LOWEST_LOG) - math.log(delta)


def _root(function: Callable[[float], float], low: float, high: float) -> float:
    """The root of a monotone function between ``low`` and ``high``, to the last digits."""
    from scipy import optimize  # lazy: most of this room needs no solver

    if low == high or function(high) == 0.0:
        return high
    return float(optimize.brentq(function, low, high, xtol=1e-300, rtol=1e-14))


def log_grid(lowest: float, highest: float, size: int) -> list[float]:
    """Log-spaced numbers whose ends are exactly ``lowest`` and ``highest``."""
    low, high = positive("lowest", lowest), positive("highest", highest)
    if high < low:
        raise ParameterError(
            f"must not be below the start of a grid ({low:g})", parameter="highest", got=high, remedy="swap the two"
        )
    if size < 1 or (size == 1 and low != high):
        raise ParameterError("must be >= 2 for a grid between two ends", parameter="size", got=size)
    return [low, *np.geomspace(low, high, size)[1:-1].tolist(), high] if size > 1 else [low]


def counts_moved(neighbours: str) -> int:
    """How many counts of a table differ between neighbours: somebody comes or goes, or changes cell or label."""
    return 1 if one_of("neighbours", neighbours, NEIGHBOURS) == "add-remove" else 2


def count_sensitivity(neighbours: str, norm: Literal[1, 2], max_rows_per_unit: int = 1) -> float:
    """How far a table of counts can move, in the l1 or l2 norm, between neighbours.

    One person contributes at most ``max_rows_per_unit`` rows, in the worst case all to one cell. Adding or removing the
    person moves the table by m in both norms; substituting moves m rows out of one cell and into another: 2 m in l1,
    m sqrt(2) in l2. With :func:`counts_moved` this is the one place that decides it.
    """
    moved, rows = counts_moved(neighbours), whole("max_rows_per_unit", max_rows_per_unit, 1)
    return float(rows * moved) if norm == 1 else rows * math.sqrt(moved)


def epsilon_of(budget: Budget) -> float:
    """The epsilon of a budget that has one."""
    return float(vars(budget)["epsilon"])


def delta_of(budget: Budget) -> float | None:
    """The delta of a budget, None where it has none."""
    delta = vars(budget).get("delta")
    return None if delta is None else float(delta)


class OfBudget:
    """Whatever was found at one budget, by the numbers of which it is told apart from others."""

    budget: Budget

    @property
    def epsilon(self) -> float:
        """The budget's epsilon."""
        return epsilon_of(self.budget)

    @property
    def delta(self) -> float | None:
        """The budget's delta, where it has one."""
        return delta_of(self.budget)
