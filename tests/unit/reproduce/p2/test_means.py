"""Exact laws of averages of 200 releases, against exact biases, against simulation and against each other."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.arrays import FloatArray
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import means
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, TEXAS, Known, by_race, histogram

COUNTS = np.array([0, 0, 0, 1, 2, 5, 7, 8, 30, 100])
SETTLED = Known(COUNTS[:, None], np.zeros(len(COUNTS), dtype=np.int64), 0, TEXAS)
SYSTEMS: dict[str, tuple[av.System, means.Means]] = {
    "laplace": (av.NoisyCounts(LaplaceNoise(2.0)), means.of_noise(LaplaceNoise(2.0))),
    "not rounded": (av.NoisyCounts(LaplaceNoise(2.0), rounded=False), means.of_noise(LaplaceNoise(2.0), False)),
    "gaussian": (av.NoisyCounts(DiscreteGaussianNoise(3.0)), means.of_noise(DiscreteGaussianNoise(3.0))),
    "suppression": (av.DPSuppression(6, 1.0), means.of_suppression(1.0, 6, 100)),
}


def simulated(system: av.System, experiments: int) -> FloatArray:
    rng = np.random.default_rng(4)
    found = []
    for _ in range(experiments):
        releases = system.release(np.broadcast_to(COUNTS, (means.REPETITIONS, len(COUNTS))), rng)
        errors = np.mean(releases - COUNTS, axis=0)
        found.append((np.abs(errors).sum(), np.ptp(errors)))
    return np.array(found)


@pytest.mark.parametrize("name", SYSTEMS)
def test_laws_have_the_exact_bias_and_a_200th_of_the_variance(name: str) -> None:
    system, law = SYSTEMS[name]
    assert law.masses.sum(axis=1) == pytest.approx(1.0, abs=1e-12)
    mean = law.of_counts(law.masses @ law.values, 100)[COUNTS]
    square = law.of_counts(law.masses @ law.values**2, 100)[COUNTS]
    moments = system.moments(COUNTS)
    assert moments is not None
    tolerance = 2e-3 if name == "not rounded" else 1e-9  # its steps are a sixteenth of the scale
    assert mean == pytest.approx(moments.bias, abs=tolerance)
    assert (square - mean**2) * means.REPETITIONS == pytest.approx(moments.variance, abs=5 * tolerance)


@pytest.mark.parametrize("name", SYSTEMS)
def test_expectations_are_those_of_simulated_experiments(name: str) -> None:
    system, law = SYSTEMS[name]
    found = simulated(system, 150)
    for expected, values in ((law.l1(SETTLED), found[:, 0]), (law.alpha(SETTLED), found[:, 1])):
        assert expected.low == pytest.approx(expected.high)
        error = values.std(ddof=1)
        assert abs(expected.low - values.mean()) < 4 * error / np.sqrt(len(values))
        assert expected.standard_error == pytest.approx(error, rel=0.35)


def test_what_is_not_known_widens_expectations() -> None:
    law = SYSTEMS["laplace"][1]
    unknown = Known(COUNTS[:8, None], np.array([30, *[0] * 7]), 3, TEXAS)
    for measure in (law.l1, law.alpha):
        whole = measure(unknown)
        assert whole.low < whole.high
        for split in ((30, 0, 0), (10, 10, 10), (28, 1, 1)):
            rows = np.hstack([COUNTS[:8, None], np.zeros((8, 3), dtype=np.int64)])
            rows[0, 1:] = split
            one = measure(Known(rows, np.zeros(8, dtype=np.int64), 0, TEXAS))
            assert whole.low - 1e-9 <= one.low <= whole.high + 1e-9


def test_golden_numbers_of_massachusetts_with_the_races_at_hand(papers_data: Data) -> None:
    """60 simulated experiments with other code: 810.09 and 3.717, with standard errors of .92 and .026."""
    rows = by_race(histogram(papers_data, MASSACHUSETTS), "RAC1P")
    settled = Known(rows, np.zeros(len(rows), dtype=np.int64), 0, MASSACHUSETTS)
    law = means.of_noise(LaplaceNoise(4.0))
    assert law.l1(settled).low == pytest.approx(810.373, abs=1e-3)
    assert law.alpha(settled).low == pytest.approx(3.703, abs=1e-3)
    assert law.alpha(settled).standard_error == pytest.approx(0.211, abs=1e-3)
