"""From a budget to the size of Gaussian noise that honours it: one formula for each kind of promise."""

from __future__ import annotations

import math

from epsilens.budget import ZCDP, ApproxDP, ProbabilisticDP
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.gaussian import gaussian_log_delta

optimize = LaterModule("scipy.optimize")
special = LaterModule("scipy.special")

ROUNDING = 1e-11
"""More than the error of :func:`gaussian_log_delta`, which was compared with 400-digit arithmetic."""
_MOST_STEPS = 60
_LARGEST_SOLVED = 1e12


def classic_gaussian_sigma(budget: ApproxDP, sensitivity: float) -> float:
    """Sigma = sensitivity sqrt(2 log(1.25 / delta)) / epsilon, proved for epsilon < 1 only.

    Source: P0 Eq. (3).
    """
    if budget.epsilon >= 1:
        raise ParameterError(
            "the classic Gaussian mechanism needs `epsilon` < 1",
            got=budget.epsilon,
            remedy="use 'gaussian-analytic', which holds for every `epsilon` with the least noise",
        )
    return sensitivity * math.sqrt(2.0 * math.log(1.25 / budget.delta)) / budget.epsilon


def probabilistic_gaussian_sigma(budget: ProbabilisticDP, sensitivity: float) -> float:
    """Sigma = sensitivity (sqrt(z^2 + 2 epsilon) - z) / (2 epsilon) with z = Phi^-1(delta / 2).

    The privacy loss of Gaussian noise is normal with mean r^2 / 2 and standard deviation r = sensitivity / sigma. This
    sigma solves P(loss > epsilon) = delta / 2; P(loss < -epsilon) is smaller still, so P(|loss| > epsilon) <= delta.
    Source: P0 Eq. (4).
    """
    z = float(special.ndtri(budget.delta / 2.0))
    root = math.hypot(z, math.sqrt(2.0) * math.sqrt(budget.epsilon))
    return sensitivity * ((root - z) / 2.0 / budget.epsilon)


def analytic_gaussian_sigma(budget: ApproxDP, sensitivity: float) -> float:
    """The smallest sigma whose exact delta(epsilon) is at most delta; delta falls as sigma grows.

    Newton's method on log delta as a function of x = log(sensitivity / sigma): d log delta / dx = r phi(a) / delta,
    since d delta / dr = phi(a) in the notation of :func:`gaussian_log_delta`. It starts below the root, at the larger
    of two ratios whose delta is smaller: Phi(a) = delta (delta(epsilon) < Phi(a)) and r phi(0) = delta
    (delta(epsilon) <= delta(0)); the function is concave, so the steps go up to the root and not beyond.

    From epsilon = 1e12 on the first of the two is taken as it is, and nothing is lost by it but digits that a double
    does not have: delta(epsilon) = Phi(a) - phi(a) m(-b) and -b > r, so that m(-b) < 1 / r and the a of the root is
    above Phi^-1(delta) by less than 1 / r + 1 / r^2. That moves r by less than a part in r^2 = 2e12.
    """
    if budget.epsilon >= _LARGEST_SOLVED:
        z = float(special.ndtri(budget.delta))
        return sensitivity / (z + math.hypot(z, math.sqrt(2.0 * budget.epsilon))) * (1.0 + 1e-15)
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
    while math.isfinite(sigma) and gaussian_log_delta(budget.epsilon, sensitivity / sigma) > target:
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
