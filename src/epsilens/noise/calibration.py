"""From a budget to the noise that honours it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from scipy import optimize, special

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import ZCDP, ApproxDP, Budget, ProbabilisticDP, PureDP, count_sensitivity
from epsilens.checks import one_of, positive
from epsilens.errors import ParameterError
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.discrete_laplace import DiscreteLaplaceNoise
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.law import Noise

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(20)
ROUNDING = 1e-11
"""More than the error of :func:`gaussian_log_delta`, which was compared with 400-digit arithmetic."""


_MOST_STEPS = 60


@dataclass(frozen=True)
class Mechanism:
    """A way to turn a budget into noise: the norm of its sensitivity, and one rule per kind of budget.

    The first rule is the one that a plain (epsilon, delta) is read for.
    """

    name: str
    norm: Literal[1, 2]
    rules: dict[type[Budget], Callable[[Any, float], Noise]]  # each rule gets the kind of budget it is filed under
    takes: str
    below: float = math.inf  # its proof holds for epsilon below this

    @property
    def has_delta(self) -> bool:
        """Whether a plain budget of this mechanism is a pair (epsilon, delta)."""
        return next(iter(self.rules)) is not PureDP

    def budget(self, epsilon: float, delta: float | None = None) -> Budget:
        """The budget that ``epsilon`` and, where the mechanism has one, ``delta`` mean for this mechanism."""
        kind = next(iter(self.rules))
        if kind is PureDP:
            return PureDP(epsilon)
        if delta is None:
            raise ParameterError(
                f"mechanism {self.name!r} needs a delta; a common choice is below 1 / (number of people)"
            )
        return ProbabilisticDP(epsilon, delta) if kind is ProbabilisticDP else ApproxDP(epsilon, delta)


def classic_gaussian_sigma(budget: ApproxDP, sensitivity: float) -> float:
    """Sigma = sensitivity sqrt(2 log(1.25 / delta)) / epsilon, proved for epsilon < 1 only.

    Source: P0 Eq. (3).
    """
    if budget.epsilon >= 1:
        raise ParameterError(
            f"the classic Gaussian mechanism needs epsilon < 1, got {budget.epsilon:g}; "
            "use 'gaussian-analytic', which holds for every epsilon with the least noise"
        )
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / budget.delta)) / budget.epsilon


def probabilistic_gaussian_sigma(budget: ProbabilisticDP, sensitivity: float) -> float:
    """Sigma = sensitivity (sqrt(z^2 + 2 epsilon) - z) / (2 epsilon) with z = Phi^-1(delta / 2).

    The privacy loss of Gaussian noise is normal with mean r^2 / 2 and standard deviation r = sensitivity / sigma. This
    sigma solves P(loss > epsilon) = delta / 2; P(loss < -epsilon) is smaller still, so P(|loss| > epsilon) <= delta.
    Source: P0 Eq. (4).
    """
    z = float(special.ndtri(budget.delta / 2.0))
    return sensitivity * (math.sqrt(z * z + 2.0 * budget.epsilon) - z) / (2.0 * budget.epsilon)


def gaussian_log_delta(epsilon: float, ratio: float) -> float:
    """Log of the exact delta(epsilon) of Gaussian noise with sensitivity / sigma = ``ratio``.

    delta = Phi(a) - e^epsilon Phi(b) with a = r / 2 - epsilon / r, b = -r / 2 - epsilon / r (Balle and Wang 2018,
    Theorem 8). Since epsilon = (b^2 - a^2) / 2, e^epsilon phi(b) = phi(a), and with the Mills ratio
    m(x) = Phi(-x) / phi(x): delta = phi(a) (m(-a) - m(-b)), which for a <= 0 loses nothing to e^epsilon or to a tiny
    delta. For a > 0: delta = (Phi(a) - Phi(b)) - (e^epsilon - 1) Phi(b), where the first part dominates.
    """
    a, b = 0.5 * ratio - epsilon / ratio, -0.5 * ratio - epsilon / ratio
    if a <= 0:
        return -0.5 * a * a - 0.5 * math.log(2.0 * math.pi) + math.log(_mills_difference(-a, ratio))
    if ratio > 1:
        return math.log(float(special.ndtr(a)) - math.exp(epsilon + float(special.log_ndtr(b))))
    density = np.exp(-0.5 * (b + 0.5 * ratio * (_NODES + 1.0)) ** 2) / math.sqrt(2.0 * math.pi)
    return math.log(0.5 * ratio * float(_WEIGHTS @ density) - math.expm1(epsilon) * float(special.ndtr(b)))


def _mills_difference(x: float, step: float) -> float:
    """m(x) - m(x + step) for the Mills ratio m(x) = sqrt(pi / 2) erfcx(x / sqrt 2), x >= 0, without cancellation."""
    if step > 0.5 * (1.0 + x):
        return math.sqrt(0.5 * math.pi) * float(
            special.erfcx(x / math.sqrt(2.0)) - special.erfcx((x + step) / math.sqrt(2.0))
        )
    points = x + 0.5 * step * (_NODES + 1.0)
    return 0.5 * step * float(_WEIGHTS @ _mills_slope(points))


def _mills_slope(x: FloatArray) -> FloatArray:
    """1 - x m(x), the decrease of the Mills ratio; by its continued fraction where x m(x) is next to 1."""
    plain = 1.0 - x * math.sqrt(0.5 * math.pi) * special.erfcx(x / math.sqrt(2.0))
    if x[-1] <= 5.0:  # points ascend
        return as_floats(plain)
    # m(x) = 1 / (x + 1 / (x + 2 / (x + 3 / ...))) gives 1 - x m(x) = t / (x + t) with t = 1 / (x + 2 / (x + ...))
    t = np.zeros_like(x)
    for k in range(60, 0, -1):
        t = k / (np.maximum(x, 1.0) + t)
    return as_floats(np.where(x > 5.0, t / (x + t), plain))


def analytic_gaussian_sigma(budget: ApproxDP, sensitivity: float) -> float:
    """The smallest sigma whose exact delta(epsilon) is at most delta; delta falls as sigma grows.

    Newton's method on log delta as a function of x = log(sensitivity / sigma): d log delta / dx = r phi(a) / delta,
    since d delta / dr = phi(a) in the notation of :func:`gaussian_log_delta`. It starts below the root, at the larger
    of two ratios whose delta is smaller: Phi(a) = delta (delta(epsilon) < Phi(a)) and r phi(0) = delta
    (delta(epsilon) <= delta(0)); the function is concave, so the steps go up to the root and not beyond.
    """
    target = math.log(budget.delta) - ROUNDING  # the last digits must err on the safe side
    z = float(special.ndtri(budget.delta))
    root = math.sqrt(z * z + 2.0 * budget.epsilon)
    quantile = z + root if z > 0 else 2.0 * budget.epsilon / (root - z)
    log_ratio = math.log(max(quantile, budget.delta * math.sqrt(2.0 * math.pi) * (1.0 - 1e-10)))
    for _ in range(_MOST_STEPS):
        ratio = math.exp(log_ratio)
        log_delta = gaussian_log_delta(budget.epsilon, ratio)
        a = 0.5 * ratio - budget.epsilon / ratio
        slope = math.exp(log_ratio - 0.5 * a * a - 0.5 * math.log(2.0 * math.pi) - log_delta)
        step = (target - log_delta) / slope
        log_ratio += step
        if abs(step) <= 1e-14 * max(1.0, abs(log_ratio)):
            break
    else:
        log_ratio = _bracketed(budget.epsilon, target)
    sigma, step = sensitivity / math.exp(log_ratio), 1e-15
    while gaussian_log_delta(budget.epsilon, sensitivity / sigma) > target:
        sigma, step = sigma * (1.0 + step), 2.0 * step
    return sigma


def _bracketed(epsilon: float, target: float) -> float:
    """The same root by bisection and secants, for the few where rounding keeps Newton's steps from settling."""

    def excess(log_ratio: float) -> float:
        return max(gaussian_log_delta(epsilon, math.exp(log_ratio)), -1e4) - target

    low, high = 0.0, 0.0
    while excess(low) > 0:
        low -= 1.0
    while excess(high) < 0:
        high += 1.0
    return low if low == high else float(optimize.brentq(excess, low, high, xtol=1e-14, rtol=1e-14))


def concentrated_sigma(budget: ZCDP, sensitivity: float) -> float:
    """Sigma = sensitivity / sqrt(2 rho): Gaussian and discrete Gaussian noise are rho-zCDP with it."""
    return sensitivity / math.sqrt(2.0 * budget.rho)


def _gaussian_probabilistic(budget: ProbabilisticDP, sensitivity: float) -> Noise:
    return GaussianNoise(probabilistic_gaussian_sigma(budget, sensitivity))


MECHANISMS: dict[str, Mechanism] = {
    mechanism.name: mechanism
    for mechanism in (
        Mechanism("laplace", 1, {PureDP: lambda b, s: LaplaceNoise(s / b.epsilon)}, "PureDP(epsilon)"),
        Mechanism("discrete-laplace", 1, {PureDP: lambda b, s: DiscreteLaplaceNoise(s / b.epsilon)}, "PureDP(epsilon)"),
        Mechanism(
            "gaussian",
            2,
            {
                ApproxDP: lambda b, s: GaussianNoise(classic_gaussian_sigma(b, s)),
                ProbabilisticDP: _gaussian_probabilistic,
                ZCDP: lambda b, s: GaussianNoise(concentrated_sigma(b, s)),
            },
            "ApproxDP(epsilon < 1, delta), ProbabilisticDP(epsilon, delta) or ZCDP(rho)",
            below=1.0,
        ),
        Mechanism(
            "gaussian-probabilistic", 2, {ProbabilisticDP: _gaussian_probabilistic}, "ProbabilisticDP(epsilon, delta)"
        ),
        Mechanism(
            "gaussian-analytic",
            2,
            {ApproxDP: lambda b, s: GaussianNoise(analytic_gaussian_sigma(b, s))},
            "ApproxDP(epsilon, delta)",
        ),
        Mechanism(
            "discrete-gaussian",
            2,
            {
                ApproxDP: lambda b, s: DiscreteGaussianNoise(concentrated_sigma(ZCDP.within(b), s)),
                ZCDP: lambda b, s: DiscreteGaussianNoise(concentrated_sigma(b, s)),
            },
            "ZCDP(rho), or ApproxDP(epsilon, delta) by way of the largest rho within it",
        ),
    )
}


def calibrate(
    mechanism: str,
    budget: Budget,
    neighbours: str = "add-remove",
    sensitivity: float | None = None,
    max_rows_per_unit: int = 1,
) -> Noise:
    """The noise with which ``mechanism`` honours ``budget``.

    The sensitivity is that of a table of counts between ``neighbours`` in the mechanism's own norm, unless given.
    """
    chosen = MECHANISMS[one_of("mechanism", mechanism, MECHANISMS)]
    rule = chosen.rules.get(type(budget))
    if rule is None:
        raise ParameterError(f"mechanism {mechanism!r} takes {chosen.takes}, got {type(budget).__name__}")
    if sensitivity is None:
        sensitivity = count_sensitivity(neighbours, chosen.norm, max_rows_per_unit)
    return rule(budget, positive("sensitivity", sensitivity))
