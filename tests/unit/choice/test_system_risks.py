"""Homogeneity and posterior risk under a disclosure avoidance system."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product
from typing import Any, Literal

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens import homogeneity
from epsilens.avoidance.answers import UsualAnswers, WithoutGuarantee
from epsilens.choice.system_risks import (
    homogeneity_of_release,
    homogeneity_risk,
    posterior_risk,
    posterior_spread,
    refuse_unknown_risk,
    shown_people,
    shown_without_protection,
)
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.table.harm import Harm
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


def test_who_is_shown_as_what_by_enumeration() -> None:
    """Two cells of three labels under whole-number noise: every output of a cell, and everybody in it."""
    counts = np.array([[2, 0, 1], [0, 3, 0]])
    histogram = av.Histogram(
        counts, ("q", "y"), (("a", "b"), ("ill", "well", "(missing)")), ("q",), harm=Harm({"y": {"ill": 3.0}})
    )
    noise = DiscreteGaussianNoise(0.8)
    found = shown_people(av.NoisyCounts(noise), histogram)
    assert found is not None
    reach = np.arange(-9, 10)
    chance = np.asarray(noise.pmf(reach))
    right, wrong, own = np.zeros(3), np.zeros(3), np.zeros((2, 3))
    for i, cell in enumerate(counts):
        for added in product(range(len(reach)), repeat=3):
            shown = cell + reach[list(added)] >= 1
            if shown.sum() == 1:
                k, p = int(shown.argmax()), float(np.prod(chance[list(added)]))
                right[k] += p * cell[k] / 6
                wrong[k] += p * (cell.sum() - cell[k]) / 6
                own[i, k] += p
    assert [entry.shown_right for entry in found.by_value] == pytest.approx(right, abs=1e-12)
    assert [entry.shown_wrong for entry in found.by_value] == pytest.approx(wrong, abs=1e-12)
    assert [entry.weight for entry in found.by_value] == [3.0, 0.0, 0.0]
    assert found.risk == pytest.approx(3.0 * right[0], abs=1e-12)
    assert found.totals["harmful_wrong"] == pytest.approx(wrong[0], abs=1e-12)
    assert found.totals["shown_right"] == pytest.approx(right.sum(), abs=1e-12)
    assert found.spread.worst == pytest.approx(3.0 * own[0, 0], abs=1e-10)
    assert (found.spread.people, found.spread.at_worst) == (6, 2)
    assert not found.is_realised


def test_everybody_counts_alike_unless_declared(table: el.FrequencyTable) -> None:
    histogram = av.Histogram.of(table)
    found = shown_people(av.Suppression(4), histogram)
    assert found is not None
    assert found.is_realised
    assert found.totals["shown_right"] == found.totals["harmful_right"] == pytest.approx(found.risk)
    assert found.spread.above_half == round(found.risk * histogram.n_records)
    before = shown_without_protection(histogram)
    assert before.totals["shown_wrong"] == 0.0
    alone = table.counts[(table.counts > 0).sum(axis=1) == 1]
    assert before.risk == pytest.approx(alone.sum() / table.n_records)
    declared = shown_without_protection(av.Histogram.of(table.with_harm("label=yes")))
    assert declared.risk == declared.totals["harmful_right"] < before.risk


def test_beliefs_are_spread_over_people(table: el.FrequencyTable) -> None:
    histogram = av.Histogram.of(table)
    even = posterior_spread(av.NoisyCounts.as_published("laplace", 1.0), histogram)
    assert even.at_worst == even.people == histogram.n_records
    assert even.worst == pytest.approx(posterior_risk(av.NoisyCounts.as_published("laplace", 1.0), histogram))
    uneven = posterior_spread(av.Suppression(4), histogram, 0.3)
    assert uneven.worst == 1.0
    assert 0 < uneven.above_half < uneven.people
