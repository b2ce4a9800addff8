"""Sums of evidence: enumerated where that is possible, between two bounds where it is not."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, Noise
from epsilens.posterior import evidence_sums
from epsilens.posterior.combined import evidence
from epsilens.posterior.evidence_sums import NOTHING, EvidenceLaw, SumOfEvidence, exceedance, merged


def laws_of(*rhos: float) -> list[EvidenceLaw]:
    return [evidence(DiscreteGaussianNoise(1.0 / np.sqrt(2.0 * rho))) for rho in rhos]


def enumerated(laws: list[EvidenceLaw], bar: float) -> float:
    total = 0.0
    for combination in itertools.product(*(zip(law.values, law.weights, strict=True) for law in laws)):
        if sum(value for value, _ in combination) > bar:
            total += float(np.prod([weight for _, weight in combination]))
    return total


@pytest.mark.parametrize("bar", [-1.05, 0.01, 2.03])
def test_a_sum_is_the_enumerated_one(bar: float) -> None:
    noises: list[Noise] = [DiscreteGaussianNoise(0.6), DiscreteLaplaceNoise(0.3), DiscreteGaussianNoise(0.5)]
    laws = [evidence(noise) for noise in noises]
    low, high = SumOfEvidence.of(laws).above(bar)
    assert low == high == pytest.approx(enumerated(laws, bar), abs=1e-13)
    assert exceedance(laws, bar) == low


@pytest.mark.parametrize("bar", [-1.0, 0.0, 0.3, 2.0])
def test_rounding_down_bounds_the_sum_from_both_sides(bar: float, monkeypatch: pytest.MonkeyPatch) -> None:
    laws = laws_of(0.3, 0.7, 0.21, 0.5)
    exact, _ = SumOfEvidence.of(laws).above(bar)
    monkeypatch.setattr(evidence_sums, "_MOST_STATES", 100)
    monkeypatch.setattr(evidence_sums, "_LONGEST_GROUP", 400)
    monkeypatch.setattr(evidence_sums, "_LATTICE_POINTS", 1 << 10)
    rounded = SumOfEvidence.of(laws)
    low, high = rounded.above(bar)
    assert rounded.slack > 0
    assert low - 1e-13 <= exact <= high + 1e-13
    assert 0 <= high - low < 0.05
    monkeypatch.setattr(evidence_sums, "_LATTICE_POINTS", 1 << 16)
    finer = SumOfEvidence.of(laws).above(bar)
    assert finer[1] - finer[0] <= high - low + 1e-15


def test_budgets_on_one_lattice_stay_short_however_many_they_are() -> None:
    rhos = [0.1 * k for k in range(1, 13)]
    together = SumOfEvidence.of(laws_of(*rhos))
    assert together.slack == 0
    assert len(together.enumerated.values) < 2_000
    # the same by one convolution of whole numbers: the odds are 0.2 times the sum of k z_k, and 7.8
    law = np.ones(1)
    for k, rho in enumerate(rhos, 1):
        noise = DiscreteGaussianNoise(1.0 / np.sqrt(2.0 * rho))
        reach = noise.reach(1e-16)
        spread = np.zeros(2 * k * reach + 1)
        spread[::k] = noise.pmf(np.arange(-reach, reach + 1.0))
        law = np.convolve(law, spread)
    values = 0.2 * (np.arange(len(law)) - len(law) // 2) + 7.8
    assert together.above(1e-9)[0] == pytest.approx(law[values > 1e-9].sum(), abs=1e-13)


def test_equal_values_are_merged_and_no_count_is_no_evidence() -> None:
    both = merged(np.array([1.0, 0.0, 1.0 + 1e-14]), np.array([0.2, 0.5, 0.3]))
    assert both.weights == pytest.approx([0.5, 0.5])
    assert (NOTHING.plus(both).values == both.values).all()
    assert exceedance([], -0.5) == 1.0
