from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.choice.choose.equal_risk import RiskCeiling, largest_safe_epsilon
from epsilens.choice.system_risks import homogeneity_risk, posterior_risk
from epsilens.errors import ParameterError


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    counts = np.random.default_rng(11).negative_binomial(1, 0.15, (12, 2))
    cells = {"town": [str(i) for i in range(4) for _ in range(3)], "age": ["20", "30", "40"] * 4}
    return el.FrequencyTable.from_counts(counts, ["no", "yes"], cells)


def test_the_lowest_safe_stretch_is_taken(table: el.FrequencyTable) -> None:
    histogram = av.Histogram.of(table)
    settings = av.Settings(k=3).for_histogram(histogram)

    def risk(epsilon: float) -> float:
        value = homogeneity_risk(av.build("laplace", epsilon, settings), histogram)
        assert value is not None
        return value

    start = risk(0.01)
    ceiling = RiskCeiling("homogeneity", 0.5 * (start + max(risk(e) for e in (5.0, 20.0, 49.0))))
    found = largest_safe_epsilon("laplace", settings, histogram, ceiling)
    assert found is not None
    assert risk(found) <= ceiling.ceiling
    assert risk(found * 1.001) > ceiling.ceiling or found == 50.0
    assert largest_safe_epsilon("dp-swapping", settings, histogram, RiskCeiling("posterior", 0.9)) is None
    assert largest_safe_epsilon("swapping", settings, histogram, RiskCeiling("homogeneity", 0.999)) == math.inf
    simulated = largest_safe_epsilon("dp-k-anonymity", settings, histogram, RiskCeiling("homogeneity", 0.999))
    assert simulated == 50.0


def test_a_ceiling_is_read_from_text_and_named() -> None:
    ceiling = RiskCeiling.parse(" posterior=0.6", prior=0.2)
    assert ceiling == RiskCeiling("posterior", 0.6, 0.2)
    assert ceiling.name == "posterior risk <= 0.6"


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("homogeneity", "equal_risk must be KIND=RISK"),
        ("homogenity=0.1", "must be homogeneity or posterior"),
        ("homogeneity=much", "the risk ceiling must be a number"),
        ("homogeneity=1", "the risk ceiling must lie strictly between 0 and 1"),
    ],
)
def test_ceilings_that_mean_nothing_are_refused(text: str, problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        RiskCeiling.parse(text)
    with pytest.raises(ParameterError, match="prior must lie strictly"):
        RiskCeiling("posterior", 0.5, prior=1.0)


def test_a_risk_is_computed_where_a_system_has_one_and_simulated_reproducibly_elsewhere(
    table: el.FrequencyTable,
) -> None:
    histogram = av.Histogram.of(table)
    settings = av.Settings(k=3).for_histogram(histogram)
    noisy, merged = (av.build(name, 1.0, settings) for name in ("laplace", "dp-k-anonymity"))
    homogeneity = RiskCeiling("homogeneity", 0.5)
    assert homogeneity.is_exact(noisy, histogram)
    assert homogeneity.risk(noisy, histogram, seed=1) == homogeneity_risk(noisy, histogram)
    assert not homogeneity.is_exact(merged, histogram)
    assert homogeneity.risk(merged, histogram, seed=1) == homogeneity.risk(merged, histogram, seed=1)
    believed = RiskCeiling("posterior", 0.5, prior=0.3)
    assert believed.is_exact(merged, histogram)
    assert believed.risk(noisy, histogram, seed=1) == posterior_risk(noisy, histogram, 0.3)
