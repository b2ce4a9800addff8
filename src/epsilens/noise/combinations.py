"""How far a linear combination of independent draws of noise reaches: quantiles that are never too small.

A count that least squares has fitted errs by S = sum of w_i Z_i, the Z_i being draws of known laws. S is neither normal
nor one of those laws: with little noise it sits on a few atoms, so a multiple of its standard error may cover far less
than it says. Its characteristic function however is known, phi(u) = product of phi_i(w_i u), and the half width h with
P(|S| <= h) >= c follows from it, with every error of the computation on the safe side. Let eta be a small part of
1 - c (:data:`SPARED`).

1. *Smoothing.* V is a normal variable with a small standard deviation s, and P(|V| > v) <= eta. If
   P(|S + V| <= g) >= c + eta then P(|S| <= g + v) >= c. So atoms are no difficulty, and the characteristic function
   phi(u) e^(-s^2 u^2 / 2) is negligible beyond some u.
2. *Period.* P(|S| > x) <= eta by Chernoff's bound, 2 exp(sum of log E e^(t w_i Z_i) - t x) for any t. On a circle of
   circumference L = 2 (x + v), P(|S + V| <= g) is too large by at most P(|S + V| > x + v) <= 2 eta, and is the Fourier
   series 2 g / L + sum over j of 2 sin(2 pi j g / L) / (pi j) phi_j.
3. *Cut.* With B = s 2 pi J / L, the terms beyond J add up to at most E_1(B^2 / 2) / pi <= eta where B^2 = 2 log(1/eta).
4. *Weights that are nearly equal* are taken as one, w'. The difference, the sum of (w_i - w') Z_i, exceeds r with
   probability at most eta by the same bound, where log E e^(t w Z) <= (M(m t) - 1) (w / m)^2 for |w| <= m, M being
   E e^(t Z): cosh(x) - 1 grows faster than x^2. r is added to h.

So h is the smallest g of a grid with P(|S + V| <= g) >= c + 5 eta, plus v, plus r: at most a few times v above the
exact quantile, and v is 3.4 L / J at c = 0.95.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability
from epsilens.errors import ParameterError
from epsilens.noise.law import Noise

NODES = 8192
"""Terms of the Fourier series."""
SPARED = 2e-4
"""What each step may take of 1 - confidence."""
MOST_WEIGHTS = 48
"""Different weights of one law; more are taken together where they are near each other."""

_SMALLEST_TAIL = 1e-9  # of smaller ones a sum in doubles knows nothing: Chernoff's bound alone
_NOTHING = 1e-100  # no noise times this can be seen
_SAME = 1e-12  # weights that differ by less than this, relatively, differ by rounding
_NEAR = 0.03
_DROPPED = 1e-6  # part of the variance that may be left to the fourth step altogether
_RATES = 300
_SAFE = 1.0 + 1e-9  # rounding


@dataclass(frozen=True, eq=False)
class Part:
    """The draws of one law in a combination: ``times[i]`` independent ones have the weight ``weights[i]``."""

    noise: Noise
    weights: FloatArray
    times: FloatArray

    @staticmethod
    def of(noise: Noise, weights: npt.ArrayLike, times: npt.ArrayLike = 1.0) -> Part:
        """Absolute weights, since the laws are symmetric; those that are all but 0 are left out."""
        size = np.abs(as_floats(weights)).reshape(-1)
        many = np.broadcast_to(as_floats(times), size.shape)
        if not np.isfinite(size).all() or not (many >= 0.0).all():
            raise ParameterError("the weights of noise must be finite numbers")
        there = (size > _NOTHING) & (many > 0.0)
        distinct, back = np.unique(size[there], return_inverse=True)
        return Part(noise, distinct, as_floats(np.bincount(back, weights=many[there], minlength=len(distinct))))

    @property
    def squares(self) -> float:
        """The sum of the squared weights."""
        return float(self.times @ self.weights**2)


def combined_half_width(parts: Sequence[Part], confidence: float, nodes: int = NODES) -> float:
    """An h with P(|sum of w_i Z_i| <= h) >= ``confidence``, at most a few ``nodes``-ths of its reach above the least.

    Where a law has no closed form for its characteristic function, Chebyshev's inequality gives h = s / sqrt(1 - c)
    with s the standard deviation.

    Assumes independent draws of laws that are symmetric about 0, whose characteristic functions are not negative.
    """
    outside = 1.0 - probability("confidence", confidence)
    given = [part for part in parts if len(part.weights)]
    if not given:
        return 0.0
    if any(_unknown(part.noise) for part in given):
        return _SAFE * math.sqrt(sum(part.noise.variance * part.squares for part in given) / outside)
    eta = SPARED * outside
    kept, moved = _taken_together(given, eta)
    if outside < _SMALLEST_TAIL:
        return _SAFE * (_reach(kept, outside - eta) + moved)
    cut = math.sqrt(-2.0 * math.log(eta))
    reach, far = _reach(kept, eta), _normal_reach(eta)
    # s = cut L / (2 pi J), v = far s, L = 2 (x + v)
    length = 2.0 * reach / (1.0 - far * cut / (math.pi * nodes))
    smoothing = cut * length / (2.0 * math.pi * nodes)
    j = np.arange(1.0, nodes + 1.0)
    angles = 2.0 * math.pi / length * j
    log_phi = -0.5 * (smoothing * angles) ** 2
    for part in kept:
        for weight, many in zip(part.weights, part.times, strict=True):
            log_phi += many * np.log(np.maximum(_characteristic(part.noise, weight * angles), 1e-300))
    series = np.zeros(2 * nodes)
    series[1 : nodes + 1] = 2.0 / (math.pi * j) * np.exp(log_phi)
    within = np.arange(nodes + 1) / nodes - np.fft.rfft(series).imag
    first = int(np.argmax(within >= confidence + 5.0 * eta))  # at the last one it is 1
    return _SAFE * (0.5 * length * first / nodes + far * smoothing + moved)


def log_variance(noise: Noise) -> float:
    """The log of a law's variance, also where that is too small for a double (discrete noise of a large budget)."""
    variance = noise.variance
    if variance > 1e-250 or not noise.integer_valued:
        return math.log(variance)
    k = np.arange(1.0, 12.0)
    return float(math.log(2.0) + np.logaddexp.reduce(noise.logdensity(k) + 2.0 * np.log(k)))


def _unknown(noise: Noise) -> bool:
    one = np.ones(1)
    return noise.known_characteristic(one) is None or noise.known_log_moments(one) is None


def _characteristic(noise: Noise, angles: FloatArray) -> FloatArray:
    found = noise.known_characteristic(angles)
    assert found is not None
    return found


def _log_moments(noise: Noise, rates: FloatArray) -> FloatArray:
    found = noise.known_log_moments(rates)
    assert found is not None
    return found


def _taken_together(parts: Sequence[Part], eta: float) -> tuple[list[Part], float]:
    """Parts with few different weights, and how far what they leave out reaches but for a probability of ``eta``."""
    kept, left = [], []
    variance = sum(part.noise.variance * part.squares for part in parts)
    for part in parts:
        many_weights = len(part.weights) > MOST_WEIGHTS
        steps = np.log(part.weights / part.weights[-1]) / (_NEAR if many_weights else _SAME)
        group = np.unique(np.rint(steps), return_inverse=True)[1]
        times = np.bincount(group, weights=part.times)
        together = np.sqrt(np.bincount(group, weights=part.times * part.weights**2) / times)
        if many_weights:  # weights rise, so what contributes least comes first
            small = np.cumsum(part.noise.variance * times * together**2) < _DROPPED * variance
            together = np.where(small, 0.0, together)
        off = np.abs(part.weights - together[group])
        if (off > _SAME * part.weights).any():
            left.append(Part(part.noise, off, part.times))
        kept.append(Part.of(part.noise, together, times))
    return kept, _coarse_reach([part for part in left if part.weights.max() > 0.0], eta)


def _coarse_reach(parts: Sequence[Part], tail: float) -> float:
    """The same as :func:`_reach` from the sum of squares and the largest of the weights of each part alone."""
    if not parts:
        return 0.0

    def log_moments(rates: FloatArray) -> FloatArray:
        total = np.zeros(len(rates))
        for part in parts:
            largest = float(part.weights.max())
            with np.errstate(over="ignore"):
                total += part.squares / largest**2 * np.expm1(_log_moments(part.noise, largest * rates))
        return total

    return _least_reach(log_moments, parts, tail)


def _reach(parts: Sequence[Part], tail: float) -> float:
    """An x with P(|S| > x) <= ``tail``, by Chernoff's bound."""

    def log_moments(rates: FloatArray) -> FloatArray:
        total = np.zeros(len(rates))
        for part in parts:
            total += part.times @ _log_moments(part.noise, part.weights[:, None] * rates)
        return total

    return _least_reach(log_moments, parts, tail)


def _least_reach(log_moments: Callable[[FloatArray], FloatArray], parts: Sequence[Part], tail: float) -> float:
    """The least (Lambda(t) + log(2 / tail)) / t over some t: first widely apart, then about the best of them."""
    largest = max(float(part.weights.max()) for part in parts)
    spread = math.sqrt(sum(part.noise.variance * part.squares for part in parts))
    steepest = max(1.0 / (float(part.weights.max()) * min(part.noise.size, 1.0)) for part in parts)
    low, high = 0.01 / max(spread, 1e-3 * largest), 1e3 * steepest
    for _ in range(2):
        rates = np.geomspace(low, high, _RATES)
        reaches = (log_moments(rates) + math.log(2.0 / tail)) / rates
        best = int(np.argmin(reaches))
        low, high = rates[max(best - 1, 0)], rates[min(best + 1, _RATES - 1)]
    return float(reaches[best])


def _normal_reach(tail: float) -> float:
    """The v with P(|V| > v) = ``tail`` for a standard normal V."""
    from scipy import special

    return -float(special.ndtri(0.5 * tail))
