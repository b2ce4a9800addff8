from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.posterior import CENSUS_2020
from epsilens.reproduce.p4 import setting
from epsilens.reproduce.papers import PAPERS
from tests.conftest import REPOSITORY


@pytest.mark.parametrize("rho", [0.02, 0.099, 1.0, 5.0])
def test_the_law_that_is_counted_is_that_of_our_noise(rho: float) -> None:
    values, probabilities = setting.discrete_gaussian(rho)
    assert probabilities == pytest.approx(DiscreteGaussianNoise(math.sqrt(0.5 / rho)).pmf(values), abs=1e-15)
    assert math.fsum(probabilities) == pytest.approx(1.0, abs=1e-15)
    assert setting.probability_of(rho, -2) == pytest.approx(probabilities[np.flatnonzero(values == -2.0)[0]])


def test_budgets_and_priors() -> None:
    assert CENSUS_2020.histogram_rhos[:2] == (setting.RHO_BLOCK, setting.RHO_GROUP)
    assert {name: eval(name) for name in setting.PRIORS} == setting.PRIORS


def test_words() -> None:
    assert setting.percent(0.12345) == "12.3 %"
    assert setting.listed([0.123456, 2.0]) == "0.1235, 2"
    claim = setting.number("Table 1, here", "what", "0.5", lambda _: 0.5, "P4-1")
    assert (claim.place.paper, claim.place.departs, claim.printed.value) == ("P4", "P4-1", 0.5)


def test_every_departure_that_is_named_is_described() -> None:
    described = {line.removeprefix("### ") for line in (REPOSITORY / "docs" / "departures.md").read_text().splitlines()}
    assert {claim.place.departs for claim in PAPERS["P4"].claims()} - {None} <= described
