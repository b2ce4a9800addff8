"""Averages over the child's noise: of the posterior, and of the decision, as functions of what else is known."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.lazy import LaterModule

special = LaterModule("scipy.special")

_STEP = 0.045
"""Between the nodes of the averaged logistic function: its sixth derivative is at most 0.41 in size, so that the
quintic through values, slopes and bends is off by 0.41 _STEP^6 / 46080 = 7.4e-14 at most."""
_FLAT = 800.0  # log odds beyond this are certainty
_BLOCK = 2_000_000


@dataclass(frozen=True, eq=False)
class ChildEvidence:
    """The log odds after the child's own noisy count, in ascending order, with their probabilities under the truth."""

    odds: FloatArray
    weight: FloatArray
    tie: float

    @staticmethod
    def of(odds: FloatArray, weight: FloatArray, tie: float) -> ChildEvidence:
        """From log odds in any order."""
        order = np.argsort(odds)
        return ChildEvidence(as_floats(odds[order]), as_floats(weight[order]), tie)

    def yes(self, plane: FloatArray) -> FloatArray:
        """P(l1 + D > 0) for every D of ``plane``, ties not counted."""
        return as_floats(self._above[np.searchsorted(self.odds, self.tie - plane, side="right")])

    def yes_or_even(self, plane: FloatArray) -> FloatArray:
        """P(l1 + D >= 0) for every D of ``plane``."""
        return as_floats(self._above[np.searchsorted(self.odds, -self.tie - plane, side="left")])

    @property
    def yes_alone(self) -> float:
        """P(l1 > 0)."""
        return float(self.yes(np.zeros(1))[0])

    @property
    def _above(self) -> FloatArray:
        return np.append(np.cumsum(self.weight[::-1])[::-1], 0.0)

    def posterior(self, plane: FloatArray) -> FloatArray:
        """E 1 / (1 + e^-(l1 + D)) for every D: directly, or through nodes where there are fewer of them than pairs."""
        furthest = _FLAT + float(np.abs(self.odds).max())
        points = np.clip(plane, -furthest, furthest)
        low, high = float(points.min()), float(points.max())
        if (nodes := int((high - low) / _STEP) + 2) >= points.size:
            return _means(points.ravel(), self.odds, self.weight)[0].reshape(points.shape)
        grid = as_floats(np.linspace(low, high, nodes))
        width = max(grid[1] - grid[0], 1e-300)
        value, slope, bend = _means(grid, self.odds, self.weight)
        position = (points - low) / width
        left = np.minimum(position.astype(np.int64), nodes - 2)
        t = position - left
        # the quintic on [0, 1] with these values, slopes and bends at its ends, in Horner's form
        rise, d0, d1 = value[1:] - value[:-1], width * slope[:-1], width * slope[1:]
        c0, c1 = 0.5 * width**2 * bend[:-1], 0.5 * width**2 * bend[1:]
        third = 10.0 * rise - 6.0 * d0 - 4.0 * d1 - 3.0 * c0 + c1
        fourth = -15.0 * rise + 8.0 * d0 + 7.0 * d1 + 3.0 * c0 - 2.0 * c1
        fifth = 6.0 * rise - 3.0 * (d0 + d1) - c0 + c1
        result = fifth[left]
        for coefficient in (fourth, third, c0, d0, value):
            result = result * t + coefficient[left]
        return as_floats(result)


def _means(points: FloatArray, child_odds: FloatArray, child_weight: FloatArray) -> tuple[FloatArray, ...]:
    """G and its first two derivatives."""
    values, slopes, bends = (np.empty(len(points)) for _ in range(3))
    size = max(1, _BLOCK // len(child_odds))
    for start in range(0, len(points), size):
        block = slice(start, start + size)
        logistic = special.expit(points[block, None] + child_odds)
        slope = logistic * (1.0 - logistic)
        values[block] = logistic @ child_weight
        slopes[block] = slope @ child_weight
        bends[block] = (slope * (1.0 - 2.0 * logistic)) @ child_weight
    return values, slopes, bends
