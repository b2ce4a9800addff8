"""Homogeneity and posterior risk under a disclosure avoidance system."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens import homogeneity
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.choice.system_risks import homogeneity_of_release, homogeneity_risk, posterior_risk, refuse_unknown_risk
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise
from tests.support.avoidance import towns_by_age

READINGS: tuple[Literal["equation-2"], Literal["algorithm-2"]] = ("equation-2", "algorithm-2")


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    return towns_by_age()


def test_simulated_columns_are_within_five_standard_errors_of_exact_ones(table: el.FrequencyTable) -> None:
    histogram = av.Histogram.of(table)
    rng = np.random.default_rng(3)
    for name in ("laplace", "discrete-gaussian", "dp-suppression", "dp-swapping", "dp-swapping-rows", "suppression"):
        system = av.build(name, 1.0, av.Settings(k=4, swap=("town",)).for_histogram(histogram))
        exact = homogeneity_risk(system, histogram)
        assert exact is not None
        simulated = [
            homogeneity_of_release(system, histogram, np.asarray(system.release(histogram, rng).counts))
            for _ in range(400)
        ]
        error = np.std(simulated, ddof=1) / 20
        assert abs(np.mean(simulated) - exact) <= 5 * error + 1e-9, name


def test_homogeneity_risk_of_noisy_counts_is_that_of_the_homogeneity_room(table: el.FrequencyTable) -> None:
    noise = DiscreteGaussianNoise(1.4)
    expected = homogeneity.average(homogeneity.local(table, noise, match="share"), table)
    assert homogeneity_risk(av.NoisyCounts(noise), av.Histogram.of(table)) == pytest.approx(expected, rel=1e-12)


def test_posterior_risk_by_enumeration() -> None:
    """A cell with and without the target, next to an empty one, against the exact output laws of the audit."""
    systems: list[av.DPSuppression | av.Suppression] = [
        *(av.DPSuppression(k, e, reading) for k in (3, 4) for e in (0.4, 2.0) for reading in READINGS),
        av.Suppression(3),
        av.Suppression(4, "equation-1"),
    ]
    for system in systems:
        for x in range(1, 9):
            p, q = system.output_law(((x, 0),)), system.output_law(((x - 1, 0),))
            expected = sum(m * 0.3 * m / (0.3 * m + 0.7 * q.get(o, 0.0)) for o, m in p.items() if m > 0)
            counts = np.array([[x, 0]])
            histogram = av.Histogram(counts, ("q", "y"), (("a",), ("0", "1")), ("q",))
            # a table of one occupied cell: everybody in it is at that risk
            assert posterior_risk(system, histogram, 0.3) == pytest.approx(expected, abs=1e-9), (system, x)


def test_posterior_risk_of_the_others(table: el.FrequencyTable) -> None:
    histogram = av.Histogram.of(table)
    assert posterior_risk(av.KAnonymity(3), histogram) == 1.0
    assert posterior_risk(av.DPSwapping(0.5), histogram) == 1.0
    weak, strong = (posterior_risk(av.DPKAnonymity(3, epsilon), histogram) for epsilon in (0.1, 5.0))
    assert 0.5 < weak < strong < 1.0
    rising = [posterior_risk(av.NoisyCounts.as_published("laplace", e), histogram) for e in (0.1, 1.0, 4.0)]
    assert rising == sorted(rising)
    with pytest.raises(ParameterError, match="prior"):
        posterior_risk(av.KAnonymity(3), histogram, 1.0)


@dataclass(frozen=True)
class Silent(WithoutGuarantee, UsualAnswers):
    name = "silence"

    def release(self, source: Any, rng: np.random.Generator) -> Any:
        return source

    def expected_posterior(self, counts: Any, prior: float) -> None:
        return None


def test_a_system_must_say_what_an_adversary_will_believe(table: el.FrequencyTable) -> None:
    with pytest.raises(ParameterError, match="silence states neither its noise nor what an adversary will believe"):
        posterior_risk(Silent(), av.Histogram.of(table))
    with pytest.raises(ParameterError, match="homogeneity or posterior"):
        refuse_unknown_risk("both")
