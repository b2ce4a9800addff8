from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.posterior import expected_two_level
from epsilens.posterior.two_levels.many import expected_two_level_of_many

NOISES: list[tuple[Noise, Noise]] = [
    (el.DiscreteGaussianNoise(2.2), el.DiscreteGaussianNoise(1.4)),
    (el.DiscreteGaussianNoise(0.3), el.DiscreteGaussianNoise(0.2)),
    (el.LaplaceNoise(1.0), el.LaplaceNoise(0.7)),
    (el.DiscreteLaplaceNoise(0.2), el.DiscreteLaplaceNoise(1.5)),
    (el.GaussianNoise(2.0), el.GaussianNoise(0.4)),
    (el.LaplaceNoise(1e-4), el.LaplaceNoise(1e-4)),
]


@pytest.mark.parametrize("noise", NOISES, ids=str)
@pytest.mark.parametrize(("siblings", "prior"), [(1, 0.5), (9, 0.3)])
def test_it_is_the_sum_over_all_noisy_counts(noise: tuple[Noise, Noise], siblings: int, prior: float) -> None:
    parents = [17, 1, 2, 5, 2]  # in any order, repeated
    one_by_one = [expected_two_level(parent, siblings, noise=noise, prior=prior) for parent in parents]
    posterior, correct = expected_two_level_of_many(parents, siblings, noise, prior)
    assert posterior == pytest.approx([risk.posterior for risk in one_by_one], abs=1e-12)
    assert correct == pytest.approx([risk.correct_decision for risk in one_by_one], abs=1e-12)


def test_decisions_on_request() -> None:
    posterior, correct = expected_two_level_of_many([1, 3], 2, NOISES[0], decisions=False)
    assert np.isfinite(posterior).all()
    assert np.isnan(correct).all()


def test_too_much_noise_is_refused() -> None:
    with pytest.raises(ParameterError, match="too many to sum"):
        expected_two_level_of_many([1], 50, (el.DiscreteGaussianNoise(400.0), el.DiscreteGaussianNoise(400.0)))
    with pytest.raises(ParameterError, match="parent must be >= 1"):
        expected_two_level_of_many([0], 5, NOISES[0])
