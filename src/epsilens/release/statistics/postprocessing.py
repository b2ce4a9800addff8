"""From noisy numbers to published ones: ranges, shares that add up, positive semidefinite matrices, intervals.

All of it works on noisy numbers and public facts only, so it is post-processing and costs no privacy. Ranges, the
simplex and the positive semidefinite matrices are convex sets that hold the true values, and each step goes to the
nearest point of its set: the error (Euclidean, in units of the bounds) never grows. Shares that are rescaled instead go
to another point of the simplex, and theirs may.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise.bounded_laplace import ClampedLaplace, TruncatedLaplace
from epsilens.notebook import brief
from epsilens.release.fitting.components import projected_to_simplex, rescaled
from epsilens.release.statistics.kinds import Proportions, Statistic
from epsilens.release.statistics.noise import NoisePlan
from epsilens.release.statistics.spread import CovarianceMatrix
from epsilens.utility.accuracy import half_width, standard_error

DIGITS = 2.0**-50
"""What double arithmetic may lose of an eigenvalue, relative to the largest and per column."""


@dataclass(frozen=True, eq=False)
class ReleasedStatistic:
    """A released statistic: one number for each of its entries, in the units of the data.

    ``values`` are post-processed, ``noisy`` are as they were drawn: unbiased, but they may lie outside the range.
    Standard errors are those of the noise. The intervals cover the statistic of the (clamped) data, not of a population
    they are a sample of, each with its probability and not all at once.
    """

    statistic: Statistic
    entries: tuple[str, ...]
    values: FloatArray
    noisy: FloatArray
    standard_errors: FloatArray
    lower: FloatArray
    upper: FloatArray
    steps: tuple[dict[str, Any], ...]
    """What post-processing did, in plain values; publishable."""

    __repr__ = brief

    @property
    def name(self) -> str:
        """``mean(age)``."""
        return self.statistic.name

    @property
    def value(self) -> float:
        """The number, where there is only one."""
        if len(self.values) > 1:
            raise AttributeError(f"{self.name} has {len(self.values)} numbers; see values, or matrix")
        return float(self.values[0])

    @property
    def matrix(self) -> FloatArray:
        """A covariance matrix as a square array."""
        if not isinstance(self.statistic, CovarianceMatrix):
            raise AttributeError(f"{self.name} is not a matrix")
        return _square(self.values, len(self.statistic.columns))

    def rows(self) -> list[dict[str, Any]]:
        """One plain row per number, as in the output file."""
        columns = (self.values, self.noisy, self.standard_errors, self.lower, self.upper)
        return [
            {"statistic": self.name, "entry": entry, **dict(zip(NUMBERS, map(float, numbers), strict=True))}
            for entry, *numbers in zip(self.entries, *columns, strict=True)
        ]


NUMBERS = ("value", "noisy", "standard_error", "lower", "upper")


def processed(plan: NoisePlan, noisy: Sequence[Fraction], confidence: float) -> ReleasedStatistic:
    """The published numbers from the noisy ones, which are in units of the bounds."""
    statistic, sizes = plan.statistic, plan.step_sizes
    values, steps = _bounded(plan, noisy)
    half = half_width_in_steps(plan, confidence) * plan.grid
    # The range holds the true value, so cutting costs no coverage; nor does widening, so that each holds its value.
    ends = [
        (min(_clamp(x - half, bounds), value), max(_clamp(x + half, bounds), value))
        for x, value, bounds in zip(noisy, values, plan.ranges, strict=True)
    ]
    return ReleasedStatistic(
        statistic=statistic,
        entries=statistic.entries,
        values=_in_units(statistic, values),
        noisy=_in_units(statistic, noisy),
        standard_errors=standard_error(plan.law) * sizes,
        lower=_in_units(statistic, [low for low, _ in ends]),
        upper=_in_units(statistic, [high for _, high in ends]),
        steps=tuple(steps),
    )


def half_width_in_steps(plan: NoisePlan, confidence: float) -> Fraction:
    """How far a noisy number may be from the true one, in steps of the grid: that of the noise, and one for rounding.

    P(|Z| > h) <= 1 - c for the noise Z, and rounding to the grid (inside the range, if truncated) moves a number by
    less than one step. A truncated draw misses no more often: with a and b the distances to the ends and t the tail,
    it misses with probability (t(h) - t(b)) / (1 - t(a) - t(b)) <= 2 t(h) where a < h < b, because t(a) <= 1/2; with
    (2 t(h) - t(a) - t(b)) / (1 - t(a) - t(b)) <= 2 t(h) where both ends are further than h; and never where none is.
    """
    return Fraction(half_width(plan.law, confidence)) + 1


def nearest_semidefinite(matrix: FloatArray) -> tuple[FloatArray, float]:
    """The positive semidefinite matrix nearest to a symmetric one in the Frobenius norm, and how far away it is.

    Negative eigenvalues become 0 (Higham 1988). They become a few units of the last place of the largest one, in fact,
    so that rounding does not make the result indefinite again.
    """
    symmetric = 0.5 * (matrix + matrix.T)
    eigenvalues, vectors = np.linalg.eigh(symmetric)
    floor = len(symmetric) * DIGITS * max(float(eigenvalues[-1]), 0.0)
    if eigenvalues[0] >= floor:
        return as_floats(symmetric), 0.0
    clipped = (vectors * np.maximum(eigenvalues, floor)) @ vectors.T
    nearest = 0.5 * (clipped + clipped.T)
    return as_floats(nearest), float(np.linalg.norm(nearest - symmetric))


def clamping_bias(plan: NoisePlan, at: float) -> tuple[float, float]:
    """Bias and root mean squared error of a bounded single number whose true value is ``at``, in units of the data.

    The laws are the continuous ones; the grid is 2^-24 of their scale. All is computed in units of the bounds, whose
    squares neither overflow nor vanish.
    """
    ((offset, width),) = plan.statistic.units()
    low, high = plan.ranges[0]
    scale = plan.law.size * float(plan.grid)
    if plan.bounding == "none":
        return 0.0, math.sqrt(2.0) * scale * float(width)
    law = TruncatedLaplace if plan.bounding == "truncated" else ClampedLaplace
    found = law(min(max(float((Fraction(at) - offset) / width), low), high), scale, low, high)
    return found.bias * float(width), math.sqrt(found.mse) * float(width)


def _bounded(plan: NoisePlan, noisy: Sequence[Fraction]) -> tuple[Sequence[Fraction], list[dict[str, Any]]]:
    """Values moved to where they can be, still in units of the bounds, and what was done."""
    statistic = plan.statistic
    if isinstance(statistic, CovarianceMatrix):
        square = _square(as_floats([float(x) for x in noisy]), len(statistic.columns))
        nearest, distance = nearest_semidefinite(square)
        spans = np.sqrt(np.diag(_square(as_floats([float(w) for _, w in statistic.units()]), len(square))))
        return [Fraction(float(nearest[i, j])) for i, j in statistic.pairs], [
            {
                "step": "positive semidefinite",
                "effect": "negative eigenvalues were set to 0, in units of the bounds' widths, in which all entries "
                "have the same noise",
                "bias": "variances are biased upwards where eigenvalues were negative; the noisy entries are unbiased",
                "distance": distance,
                "distance_in_units_of_the_data": float(np.linalg.norm(np.outer(spans, spans) * (nearest - square))),
            }
        ]
    if plan.bounding == "none":
        return noisy, []
    if isinstance(statistic, Proportions):
        return _adding_up(statistic, noisy)
    values = [_clamp(x, bounds) for x, bounds in zip(noisy, plan.ranges, strict=True)]
    ((offset, width),) = statistic.units()
    at_bound, error_at_bound = clamping_bias(plan, float(offset + width * Fraction(plan.ranges[0][0])))
    here, error_here = clamping_bias(plan, float(offset + width * values[0]))
    truncated = plan.bounding == "truncated"
    return values, [
        {
            "step": plan.bounding,
            "effect": (
                "drawn again until inside the range of the statistic; the scale is raised to pay for it"
                if truncated
                else "a value outside the range of the statistic was moved to the nearer bound"
            ),
            "bias": "towards the middle of the range; largest where the true value lies at a bound",
            "range": [float(offset + width * Fraction(bound)) for bound in plan.ranges[0]],
            "largest_bias": at_bound,
            "root_mean_squared_error_at_a_bound": error_at_bound,
            "bias_if_the_released_value_were_true": here,
            "root_mean_squared_error_if_the_released_value_were_true": error_here,
        }
    ]


def _adding_up(statistic: Proportions, noisy: Sequence[Fraction]) -> tuple[list[Fraction], list[dict[str, Any]]]:
    """Shares that add up to one, and how they were made to: to the nearest, or by the rescaling of P3 section 6."""
    shares = as_floats([float(x) for x in noisy])
    step: dict[str, Any]
    if statistic.adding_up == "rescale":
        inside = np.clip(shares, 0.0, 1.0)
        moved = rescaled(inside)
        step = {
            "step": "rescaling",
            "effect": "clamped to shares between 0 and 1, then each divided by the sum of all; standard errors are "
            "those of the noisy shares, and intervals are theirs, cut to that range and widened where the rescaled "
            "share lies outside",
            "bias": "rare levels are biased upwards, frequent ones downwards, the more so the smaller the budget; the "
            "noisy shares are unbiased",
            "sum_before": float(inside.sum()),
        }
    else:
        moved = projected_to_simplex(shares)
        step = {
            "step": "simplex",
            "effect": "moved to the nearest shares that are not negative and add up to one",
            "bias": "rare levels are biased upwards, frequent ones downwards; the noisy shares are unbiased",
        }
    return [Fraction(float(x)) for x in moved], [{**step, "distance": float(np.linalg.norm(moved - shares))}]


def _clamp(value: Fraction, bounds: tuple[float, float]) -> Fraction:
    return min(max(value, Fraction(bounds[0])), Fraction(bounds[1]))


def _in_units(statistic: Statistic, numbers: Sequence[Fraction]) -> FloatArray:
    """Numbers in units of the bounds as numbers in the units of the data, rounded once."""
    return as_floats([float(o + w * x) for (o, w), x in zip(statistic.units(), numbers, strict=True)])


def _square(triangle: FloatArray, size: int) -> FloatArray:
    matrix = np.zeros((size, size))
    rows, columns = np.triu_indices(size)
    matrix[rows, columns] = triangle
    matrix[columns, rows] = triangle
    return as_floats(matrix)
