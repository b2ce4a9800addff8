from __future__ import annotations

import pytest

from epsilens.choice.questions.posterior.budgets import at_least_one, noise_of_count, rhos_of_levels
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise
from epsilens.posterior import CENSUS_2020


def test_noise_by_rho_or_by_mechanism() -> None:
    assert noise_of_count(0.5, None, None, None) == DiscreteGaussianNoise(1.0)
    assert noise_of_count(None, None, 1.0, None) == DiscreteLaplaceNoise(1.0)
    assert noise_of_count(None, "laplace", 2.0, None) == LaplaceNoise(0.5)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ((None, None, None, None), "either rho .* or epsilon with mechanism"),
        ((0.5, None, 1.0, None), "either rho .* or epsilon with mechanism"),
        ((0.5, "laplace", None, None), "rho means discrete Gaussian noise; mechanism and delta go with epsilon"),
        ((0.5, None, None, 1e-6), "mechanism and delta go with epsilon"),
        ((None, "laplase", 1.0, None), "did you mean 'laplace'"),
    ],
)
def test_noise_that_is_not_said_clearly(
    given: tuple[float | None, str | None, float | None, float | None], message: str
) -> None:
    with pytest.raises(ParameterError, match=message):
        noise_of_count(*given)


def test_rhos_by_level() -> None:
    assert rhos_of_levels((), "census-2020") == CENSUS_2020.histogram_rhos
    assert rhos_of_levels((0.1, 0.2), None) == (0.1, 0.2)
    for rho, preset in (((), None), ((0.1,), "census-2020")):
        with pytest.raises(ParameterError, match="either rho or preset='census-2020'"):
            rhos_of_levels(rho, preset)
    with pytest.raises(ParameterError, match="rho must be > 0"):
        rhos_of_levels((0.1, 0.0), None)


def test_an_empty_list_is_refused_by_name() -> None:
    at_least_one("priors", (0.5,))
    with pytest.raises(ParameterError, match="priors needs at least one number"):
        at_least_one("priors", ())


def test_a_delta_that_would_be_ignored_is_refused() -> None:
    with pytest.raises(
        ParameterError, match="'discrete-laplace' has no delta: epsilon alone is the budget; leave delta"
    ):
        noise_of_count(None, None, 1.0, 1e-6)
