from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.posterior import ParentPrior, PmfParent, PointParent, UniformParent
from epsilens.posterior.two_levels.parent_priors import parent_prior_named


@pytest.mark.parametrize("prior", [UniformParent(6), PointParent(3), PmfParent({0: 0.1, 2: 0.4, 5: 0.5})], ids=repr)
@pytest.mark.parametrize("child", [0, 2])
def test_proper_priors_are_laws_on_their_support(prior: ParentPrior, child: int) -> None:
    counts = np.arange(0.0, 20.0)
    chances = np.exp(prior.logpmf(counts, child))
    low, high = prior.support(child)
    assert high is not None
    assert chances.sum() == pytest.approx(1.0)
    assert (counts[chances > 0].min(), counts[chances > 0].max()) == (low, high)
    assert low >= child


def test_a_parent_below_its_child_is_impossible() -> None:
    assert PointParent(1).support(2) == (2, 1)
    assert np.isneginf(PmfParent({0: 1.0}).logpmf(np.arange(3.0), 1)).all()
    assert PmfParent({0: 1.0}, of="siblings").support(4) == (4, 4)


@pytest.mark.parametrize(
    ("text", "prior"),
    [("uniform", UniformParent()), ("uniform:9", UniformParent(9)), ("point:0", PointParent(0))],
)
def test_priors_by_a_short_text(text: str, prior: ParentPrior) -> None:
    assert parent_prior_named(text) == prior


@pytest.mark.parametrize("text", ["", "flat", "uniform:", "uniform:x", "uniform:-1", "point", "point:1.5", "point:"])
def test_texts_that_name_no_prior(text: str) -> None:
    with pytest.raises(ParameterError, match="parent_prior must be uniform, uniform:HIGHEST or point:COUNT, got"):
        parent_prior_named(text)
