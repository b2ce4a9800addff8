"""Sums of independent pieces of evidence, as decisions need them: P(L_1 + ... + L_m > bar).

**Few values.** The values of L_1 + ... + L_j are enumerated for one half of the counts and for the other, equal values
merged, and the halves are paired by sorting one and searching it. Budgets that are multiples of one number (0.1, 0.2,
0.3) have evidence on one lattice, so that merging keeps the halves short however many counts there are.

**Too many values** (a dozen different budgets): the counts are put together in as few groups as can be enumerated. All
groups but the longest are rounded down to a lattice of step h and convolved there. The sum of k groups is then at least
its rounded value and less than k h above it, so that the probability lies between those at two bars that are k h apart:
both are computed, and half their difference is the stated error. Nothing is simulated.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.posterior.odds import tie_among

_CERTAIN = 2_000.0
_NEGLIGIBLE_ATOM = 1e-17
_MOST_STATES = 20_000_000
_LONGEST_GROUP = 1_000_000
_LATTICE_POINTS = 1 << 22


@dataclass(frozen=True, eq=False)
class EvidenceLaw:
    """The law of a log likelihood ratio over the noise: its distinct values in ascending order, and their weights."""

    values: FloatArray
    weights: FloatArray
    tie: float = 0.0
    """How close two values are equal."""

    @property
    def clipped(self) -> FloatArray:
        """The values, those beyond certainty cut: noise so narrow never speaks for both sides."""
        return np.clip(self.values, -_CERTAIN, _CERTAIN)

    def log_moment(self, z: float) -> float:
        """Log E e^{zL}."""
        exponents = z * self.clipped
        top = float(exponents.max())
        return top + math.log(float(self.weights @ np.exp(exponents - top)))

    def plus(self, other: EvidenceLaw) -> EvidenceLaw:
        """The law of the sum of two independent ones."""
        values = np.add.outer(self.values, other.values).ravel()
        weights = np.multiply.outer(self.weights, other.weights).ravel()
        kept = weights > _NEGLIGIBLE_ATOM / max(len(values), 1)
        return merged(values[kept], weights[kept])

    def above(self, bars: FloatArray) -> FloatArray:
        """P(value > bar), ties not counted."""
        tails = np.append(np.cumsum(self.weights[::-1])[::-1], 0.0)
        return as_floats(tails[np.searchsorted(self.values, bars, side="right")])


def merged(values: FloatArray, weights: FloatArray) -> EvidenceLaw:
    """An evidence law from values in any order, those equal up to rounding put together."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    starts = np.flatnonzero(np.append(True, np.diff(values) > tie_among(values) / 100.0))
    return EvidenceLaw(values[starts], np.add.reduceat(weights, starts))


NOTHING = merged(np.zeros(1), np.ones(1))
"""The evidence of no count at all."""


def exceedance(laws: Sequence[EvidenceLaw], bar: float) -> float:
    """P(sum of independent values > bar)."""
    low, high = SumOfEvidence.of(laws).above(bar)
    return 0.5 * (low + high)


@dataclass(frozen=True, eq=False)
class SumOfEvidence:
    """The sum of independent pieces of evidence: one part enumerated, the other too, or rounded down to a lattice."""

    enumerated: EvidenceLaw
    rest: EvidenceLaw
    slack: float
    """By how much the rest can be above its rounded value; 0 where it is enumerated."""

    @staticmethod
    def of(laws: Sequence[EvidenceLaw]) -> SumOfEvidence:
        """From the laws of the pieces."""
        halves = [NOTHING, NOTHING]
        for law in sorted(laws, key=lambda law: -len(law.values)):
            smaller = int(len(halves[0].values) > len(halves[1].values))
            if len(halves[smaller].values) * len(law.values) > _MOST_STATES:
                return _rounded(laws)
            halves[smaller] = halves[smaller].plus(law)
        return SumOfEvidence(halves[0], halves[1], 0.0)

    def above(self, bar: float) -> tuple[float, float]:
        """Bounds of P(sum > bar); they are equal where everything is enumerated."""
        bars = bar - self.enumerated.values
        low = min(1.0, float(self.enumerated.weights @ self.rest.above(bars)))
        if not self.slack:
            return low, low
        return low, min(1.0, float(self.enumerated.weights @ self.rest.above(bars - self.slack)))


def _rounded(laws: Sequence[EvidenceLaw]) -> SumOfEvidence:
    groups: list[EvidenceLaw] = []
    for law in sorted(laws, key=lambda law: len(law.values)):
        if groups and len(groups[-1].values) * len(law.values) <= _LONGEST_GROUP:
            groups[-1] = groups[-1].plus(law)
        else:
            groups.append(law)
    longest = max(range(len(groups)), key=lambda i: len(groups[i].values))
    others = [group for i, group in enumerate(groups) if i != longest]
    step = sum(float(group.values[-1] - group.values[0]) for group in others) / _LATTICE_POINTS
    places = [np.floor(group.values / step) for group in others]
    size = sum(int(place[-1] - place[0]) for place in places) + 1
    padded = 1 << (size - 1).bit_length()
    spectrum = np.ones(padded // 2 + 1, dtype=np.complex128)
    for place, group in zip(places, others, strict=True):
        spectrum *= np.fft.rfft(np.bincount((place - place[0]).astype(np.int64), group.weights), padded)
    weights = np.maximum(np.fft.irfft(spectrum, padded)[:size], 0.0)
    first = sum(float(place[0]) for place in places)
    # a value is rounded by less than a step; a little more for what the division rounds
    slack = step * len(others) * (1.0 + 1e-6)
    return SumOfEvidence(
        groups[longest], EvidenceLaw(as_floats(step * (first + np.arange(size))), as_floats(weights)), slack
    )
