"""Privacy-loss distributions: how likely every loss is when somebody's counts are moved, and what many such cost.

A count with noise of density f is moved by m between neighbours. The privacy loss of an output x is
L(x) = log f(x) / f(x - m), and x follows f. Independent noises add up their losses, and from the distribution of the
sum follows delta(epsilon) = E max(0, 1 - e^(epsilon - L)), hence the smallest epsilon at a given delta.

**Any law, from its tails and its density.** The outputs are cut into cells. Let g <= h be the losses at the two ends of
a cell, p its probability and q that of the same cell with the count moved. All its losses are replaced by g and h such
that both probabilities are kept: h has b = (p - e^g q) / (1 - e^(g - h)), g has p - b. Since delta is convex in
e^epsilon this can only raise it, by a quantity of the second order in h - g (Doroshenko, Ghazi, Kamath, Kumar and
Manurangsi 2022, "Connect the dots"). Whole-number noise that is not too wide needs no cells: every number has its loss.
In the same way every loss is then put on the grid of the convolution, so that a grid much coarser than a loss costs
little. What the rounding of a density or a tail may hide is added to the losses and to b. Left of all cells the loss
counts as infinite where it has no bound; right of them it counts as their last.

Assumes that within one cell the loss is monotone; of log-concave noise it is everywhere.

**The worst mechanism** with a budget (epsilon, delta) has the loss infinity with probability delta, else epsilon or
-epsilon (Kairouz, Oh and Viswanath 2015).

This is the only file that imports dp-accounting, which convolves, and takes a second to import.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias, cast

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import positive
from epsilens.errors import ParameterError
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.law import Noise

_CELLS = 1 << 16
_NEGLIGIBLE = 1e-30  # the probability of outputs beyond all cells
_FINEST = 1000.0  # grid points per typical loss
_COARSEST_STEP = 1e-4
_FEWEST_POINTS, _MOST_POINTS = 1 << 16, 1 << 20  # of a convolution
_MOST_WORK = 1 << 24  # points times different losses
_DIGITS = 5e-16  # relative error of a density or a tail, in logarithms of it
_NARROWEST, _WIDEST = 1e-100, 1e10  # of all losses together
_LARGEST_RATIO = 1e100  # beyond, a Gaussian loss has no number
_LARGEST_SPREAD = 1e8
_ROUNDING = 2e-16  # what a Fourier transform may lose of a probability, per loss


@dataclass(frozen=True)
class MovedCount:
    """A count with noise of a known law, which one person moves by ``moved``."""

    law: Noise
    moved: float = 1.0

    def __post_init__(self) -> None:
        object.__setattr__(self, "moved", positive("moved", self.moved))
        if self.law.integer_valued and self.moved != math.floor(self.moved):
            raise ParameterError("must be a whole number for noise in whole numbers", parameter="moved", got=self.moved)


@dataclass(frozen=True)
class WorstMechanism:
    """The worst of all mechanisms that keep (epsilon, delta); nothing else is known."""

    epsilon: float
    delta: float = 0.0


Loss: TypeAlias = MovedCount | WorstMechanism


@dataclass(frozen=True)
class ComposedEpsilon:
    """The smallest epsilon of losses together; ``step`` is that of the grid, 0 where none was needed."""

    epsilon: float
    step: float


@dataclass(frozen=True, eq=False)
class LossDistribution:
    """Losses with their probabilities, and the probability of an infinite one."""

    losses: FloatArray
    masses: FloatArray
    infinity: float = 0.0

    @property
    def typical(self) -> float:
        """The root of the mean square of the loss."""
        return math.sqrt(float(self.masses @ self.losses**2))

    @property
    def width(self) -> float:
        """From the smallest finite loss to the largest."""
        return float(self.losses.max() - self.losses.min())

    def delta(self, epsilon: float) -> float:
        """E max(0, 1 - e^(epsilon - L))."""
        above = self.losses > epsilon
        return self.infinity - float(self.masses[above] @ np.expm1(epsilon - self.losses[above]))

    def on_grid(self, step: float) -> tuple[int, FloatArray]:
        """The place of the first point of the grid in steps, and the probability of every point from there on."""
        below = np.floor(self.losses / step)
        first = int(below.min())
        place = (below - first).astype(np.int64)
        upper = self.masses * np.clip(np.expm1(step * below - self.losses) / math.expm1(-step), 0.0, 1.0)
        size = int(place.max()) + 2
        points = np.bincount(place, self.masses - upper, size) + np.bincount(place + 1, upper, size)
        return first, as_floats(points)


def loss_distribution(loss: Loss) -> LossDistribution:
    """The distribution of one loss: delta(epsilon) of it is that of the noise, or slightly more."""
    if isinstance(loss, WorstMechanism):
        up = (1.0 - loss.delta) / (1.0 + math.exp(-loss.epsilon))
        return LossDistribution(
            as_floats([-loss.epsilon, loss.epsilon]), as_floats([1.0 - loss.delta - up, up]), loss.delta
        )
    return _of_noise(cast("Hashable", loss.law), loss.moved)


def composed_epsilon(losses: Iterable[tuple[Loss, int]], delta: float) -> ComposedEpsilon:
    """The smallest epsilon at ``delta`` of independent losses, each with how often it occurs; inf where there is none.

    A single loss needs no convolution. For several the grid is as fine as the losses are small: a thousandth of
    their root mean square and 1e-4 at most, unless that would take more than a million points.

    Losses that together span less than 1e-100 or more than 1e10 have no such grid. They cost at most the sum of their
    largest, where the infinite ones are within ``delta``, and nothing where delta(0), of which the sum over all is an
    upper bound, is.
    """
    parts = [(loss_distribution(loss), times) for loss, times in _merged(losses)]
    number = sum(times for _, times in parts)
    if number == 1:
        one_loss = parts[0][0]
        return ComposedEpsilon(_smallest(one_loss.delta, delta, float(one_loss.losses.max())), 0.0)
    if not _NARROWEST <= math.fsum(times * part.width for part, times in parts) <= _WIDEST:
        return ComposedEpsilon(_bounded(parts, delta), 0.0)
    from dp_accounting.pld import pld_pmf  # lazy: a second to import

    parts.sort(key=lambda part: (part[0].typical, part[0].width, part[1]))  # the order given must not show
    step = _step(parts)
    shortened = 1e-7 * delta / len(parts)  # probability that a convolution may drop; it counts as an infinite loss
    left = delta - _ROUNDING * number
    together: Any = None
    top = 0.0
    for part, times in parts:
        first, points = part.on_grid(step)
        top += times * step * (first + len(points))
        one: Any = pld_pmf.DensePLDPmf(step, first, points, part.infinity, pessimistic_estimate=True)
        if times > 1:
            one = one.self_compose(times, shortened)
        together = one if together is None else together.compose(one, shortened)
    return ComposedEpsilon(_smallest(together.get_delta_for_epsilon, left, top), step)


def _bounded(parts: list[tuple[LossDistribution, int]], delta: float) -> float:
    """An epsilon that losses do not exceed together, whatever their size."""
    if math.fsum(times * part.delta(0.0) for part, times in parts) <= delta:
        return 0.0
    if math.fsum(times * part.infinity for part, times in parts) > delta:
        return math.inf
    return math.fsum(times * max(float(part.losses.max()), 0.0) for part, times in parts)


def _smallest(delta: Callable[[float], float], target: float, top: float) -> float:
    """The smallest epsilon in [0, top] with delta(epsilon) <= target, which falls; inf where there is none."""
    from scipy import optimize

    if delta(0.0) <= target:
        return 0.0
    if delta(top) > target:
        return math.inf
    epsilon = float(optimize.brentq(lambda e: delta(e) - target, 0.0, top, xtol=1e-13 * top, rtol=1e-13, maxiter=500))
    return min(top, epsilon + 2e-13 * top)  # the last digits err on the safe side


def _merged(losses: Iterable[tuple[Loss, int]]) -> list[tuple[Loss, int]]:
    """Equal losses counted together; Gaussian ones are a single one by the l2 norm of all their shifts."""
    times: dict[Loss, int] = {}
    squares = []
    for loss, often in losses:
        if isinstance(loss, MovedCount) and loss.law.rotates:
            squares.append(often * _ratio(loss) * _ratio(loss))
        else:
            times[loss] = times.get(loss, 0) + often
    if squares:
        together = math.sqrt(math.fsum(squares))
        known = together <= _LARGEST_RATIO
        times[MovedCount(GaussianNoise(1.0), together) if known else WorstMechanism(0.0, 1.0)] = 1
    return list(times.items())


def _ratio(loss: MovedCount) -> float:
    """By how many standard deviations a count is moved."""
    variance = loss.law.variance
    return loss.moved / math.sqrt(variance) if variance > 0 else math.inf


def _step(parts: list[tuple[LossDistribution, int]]) -> float:
    """The step of the grid: it adds its square to the variance of a loss at most. Hoeffding bounds the sum's width."""
    variance = math.fsum(times * part.typical**2 for part, times in parts) / sum(times for _, times in parts)
    finest = min(_COARSEST_STEP, math.sqrt(variance) / _FINEST)
    widest = math.fsum(times * part.width for part, times in parts)
    squares = math.fsum(times * part.width**2 for part, times in parts)
    width = min(widest, math.sqrt(-2.0 * math.log(_NEGLIGIBLE) * squares))
    points = min(_MOST_POINTS, _MOST_WORK // len(parts))
    step = max(min(finest, max(width / _FEWEST_POINTS, 1e-3 * finest)), width / points)
    heaviest = max(parts, key=lambda part: part[1] * part[0].typical ** 2)[0]
    likeliest = abs(float(heaviest.losses[np.argmax(heaviest.masses)]))  # it had better be a point of the grid
    return likeliest / math.ceil(likeliest / step) if likeliest > step else step


@lru_cache(maxsize=16)
def _of_noise(law: Any, moved: float) -> LossDistribution:
    end = _end(law)
    whole = law.integer_valued
    if whole and 2.0 * end + 1.0 <= _CELLS:
        points = np.arange(-end, end + 1.0)
        losses, masses = _loss(law, points, moved), law.density(points)
    else:
        cuts = _cuts(end, moved, whole)
        left = _loss(law, cuts[:-1] + 1.0 if whole else cuts[:-1], moved)
        right = _loss(law, cuts[1:], moved)
        lower, upper = np.minimum(left, right), np.maximum(left, right)
        losses, masses = _spread(lower, upper, _mass(law, cuts), _mass(law, cuts - moved))
    losses = losses + _DIGITS * (np.abs(law.logdensity(np.zeros(1))) - math.log(_NEGLIGIBLE))
    largest = moved * law.largest_loss()
    bounded = math.isfinite(largest)
    far_left, far_right = float(law.cdf(-end - 1.0 if whole else -end)), float(law.sf(end))
    infinite = np.isinf(losses) & (losses > 0)
    infinity = float(masses[infinite].sum()) + (0.0 if bounded else far_left)
    seen = np.isfinite(losses) & (masses > 0.0)
    if not seen.any():  # every output gives the count away
        return LossDistribution(np.zeros(1), np.zeros(1), 1.0)
    top, bottom = float(losses[seen].max()), float(losses[seen].min())
    if bounded:
        top = max(top, largest)
    return LossDistribution(
        np.concatenate([losses[seen], [bottom, top]]),
        np.concatenate([masses[seen], [far_right, far_left if bounded else 0.0]]),
        infinity,
    )


def _cuts(end: float, moved: float, whole: bool) -> FloatArray:
    """The ends of the cells. A cell holds what is above one cut, up to the next; between 0 and m they are finer."""
    cuts = np.linspace(-end, end, _CELLS + 1)
    if whole:
        return np.unique(np.rint(cuts))
    middle = np.linspace(0.0, moved, _CELLS // 16)
    return np.unique(np.concatenate([cuts, middle[middle < end]]))


def _loss(law: Noise, x: FloatArray, moved: float) -> FloatArray:
    """Log f(x) / f(x - m); infinite where only the count that did not move gives x."""
    with np.errstate(invalid="ignore"):
        return as_floats(law.logdensity(x) - law.logdensity(x - moved))


def _spread(
    low: FloatArray, high: FloatArray, there: tuple[FloatArray, FloatArray], moved: tuple[FloatArray, FloatArray]
) -> tuple[FloatArray, FloatArray]:
    """The losses of cells, all of them at the two ends: the b of the module docstring, and the rest."""
    (p, p_hidden), (q, q_hidden) = there, moved
    apart = (high > low) & np.isfinite(low) & np.isfinite(high)
    with np.errstate(all="ignore"):
        kept, kept_hidden = (np.where(mass > 0.0, np.exp(low + np.log(mass)), 0.0) for mass in (q, q_hidden))
        hidden = p_hidden + kept_hidden - _DIGITS * math.log(_NEGLIGIBLE) * p
        b = np.clip((p - kept + hidden) / -np.expm1(low - high), 0.0, p)
        b = np.where(apart & (np.abs(low) < _LARGEST_SPREAD), b, p)  # beyond, e^g q has lost its digits
    return np.concatenate([high, low]), np.concatenate([b, p - b])


def _mass(law: Noise, cuts: FloatArray) -> tuple[FloatArray, FloatArray]:
    """P(each cell), from the tail on its own side, where nothing cancels; and what rounding may hide of it."""
    above, below = law.sf(cuts), law.cdf(cuts)
    right = cuts[1:] > 0
    masses = np.where(right, above[:-1] - above[1:], below[1:] - below[:-1])
    return as_floats(masses), as_floats(_DIGITS * np.where(right, above[:-1], below[1:]))


def _end(law: Noise) -> float:
    """A point beyond which there is no more than a negligible probability on either side."""
    target = math.log(_NEGLIGIBLE)
    high = law.size
    while float(law.logsf(high)) > target:
        high *= 2.0
    low = 0.5 * high
    for _ in range(20):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if float(law.logsf(middle)) > target else (low, middle)
    return float(math.ceil(high)) if law.integer_valued else high


def concentrated_rho(law: Noise, distance: float) -> float | None:
    """The rho of zCDP when counts move by ``distance`` in the l2 norm; None where the law is not known to have one.

    rho = distance^2 / (2 sigma^2), of Gaussian and of discrete Gaussian noise.
    """
    return 0.5 * (distance / law.sigma) ** 2 if isinstance(law, GaussianNoise | DiscreteGaussianNoise) else None
