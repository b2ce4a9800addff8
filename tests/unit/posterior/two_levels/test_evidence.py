"""What parent and siblings add to the log odds, against sums in full."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, Noise
from epsilens.posterior import ParentPrior, PmfParent, PointParent, UniformParent
from epsilens.posterior.two_levels.evidence import blocks, gap_log_odds, plane_log_odds, radius_of, refuse_too_many
from epsilens.posterior.two_levels.posterior import TwoLevelModel, two_level_model

PARENTS, SIBLINGS = np.arange(-3.0, 60.0, 1.0), np.arange(-12.0, 70.0, 1.0)
LAWS: list[tuple[Noise, Noise]] = [
    (DiscreteGaussianNoise(1.5), DiscreteGaussianNoise(0.8)),
    (DiscreteGaussianNoise(0.05), DiscreteGaussianNoise(3.0)),
    (DiscreteLaplaceNoise(0.6), DiscreteLaplaceNoise(2.0)),
]


def model_of(laws: tuple[Noise, Noise], prior: ParentPrior | None = None) -> TwoLevelModel:
    return two_level_model(None, laws, 4, prior, None, False)


def in_full(model: TwoLevelModel, known: int, x2: float, y: float) -> float:
    counts = np.arange(0.0, 400.0)
    sums = []
    for child in (known, known + 1):
        with np.errstate(invalid="ignore"):
            terms = model.parent_prior.logpmf(counts, child) + model.parent.logpmf(x2 - counts)
            sums.append(np.logaddexp.reduce(terms + model.siblings.logpmf(y - counts + child)))
    return float(sums[1] - sums[0])


@pytest.mark.parametrize("laws", LAWS, ids=repr)
@pytest.mark.parametrize(
    "prior", [UniformParent(), UniformParent(6), PointParent(4), PmfParent({0: 0.1, 3: 0.4, 300: 0.5})], ids=repr
)
def test_the_plane_is_the_sum_in_full_wherever_doubles_underflow(laws: tuple[Noise, Noise], prior: ParentPrior) -> None:
    model = model_of(laws, prior)
    plane = plane_log_odds(model, 1, PARENTS, SIBLINGS)
    rng = np.random.default_rng(1)
    for i, j in zip(rng.integers(len(PARENTS), size=60), rng.integers(len(SIBLINGS), size=60), strict=True):
        assert plane[i, j] == pytest.approx(in_full(model, 1, PARENTS[i], SIBLINGS[j]), rel=1e-9, abs=1e-9)


def test_far_from_the_child_nothing_depends_on_the_parent_any_more() -> None:
    model = model_of(LAWS[0])
    near, far = gap_log_odds(model, -5, 5, 100, 103), gap_log_odds(model, -5, 5, 10**15, 10**15 + 3)
    assert far == pytest.approx(near, abs=1e-12)


@pytest.mark.parametrize("prior", [UniformParent(), UniformParent(60)], ids=repr)
def test_blocks_hold_all_that_can_happen_once(prior: ParentPrior, monkeypatch: pytest.MonkeyPatch) -> None:
    model = model_of(LAWS[0], prior)
    once = [(plane, weight) for plane, weight in blocks(model, 0, 1, 5, 6, 20)]
    monkeypatch.setattr("epsilens.posterior.two_levels.evidence._BLOCK", 50)
    pieces = [(plane, weight) for plane, weight in blocks(model, 0, 1, 5, 6, 20)]
    assert len(pieces) > len(once) == 1
    assert sum(float(weight.sum()) for _, weight in pieces) == pytest.approx(1.0, abs=1e-9)
    for power in (1, 2):
        averages = [sum(float((weight * plane**power).sum()) for plane, weight in some) for some in (once, pieces)]
        assert averages[0] == pytest.approx(averages[1], abs=1e-11)


def test_too_much_is_refused_before_it_is_listed() -> None:
    with pytest.raises(ParameterError, match="combinations of noisy counts, too many to sum"):
        refuse_too_many(10**6, 10**6)


@pytest.mark.parametrize(("known", "child", "parent"), [(0, 1, 3), (0, 0, 0), (2, 3, 40)])
def test_a_wide_parent_among_narrow_siblings_is_summed_along_the_siblings(known: int, child: int, parent: int) -> None:
    """Each pair of noisy counts needs a sum over the noise of the siblings, which is short, not of the parent."""
    model = two_level_model((2.0, 0.02), None, 3, None, None, False)
    reaches = model.parent.reach(1e-13), model.siblings.reach(1e-13)
    assert reaches[1] < reaches[0]
    [(plane, weight)] = blocks(model, known, child, parent, *reaches)
    assert weight.sum() == pytest.approx(1.0, abs=1e-11)
    noisy = np.arange(parent - child - reaches[1], parent - child + reaches[1] + 1.0)
    first = noisy[0] - parent - reaches[0] + known
    for i, j in [(10, 2), (50, 3), (60, 9), (70, 12), (80, 14)]:
        x2 = noisy[j] - (first + i) + known
        assert plane[i, j] == pytest.approx(in_full(model, known, x2, noisy[j]), abs=1e-9)
        likelihood = model.parent.logpmf(x2 - parent) + model.siblings.logpmf(noisy[j] - (parent - child))
        within = abs(x2 - parent) <= reaches[0]
        assert weight[i, j] == pytest.approx(float(np.exp(likelihood)) if within else 0.0, abs=1e-15)


def test_noise_that_is_wide_everywhere_is_refused() -> None:
    model = two_level_model((1e-9, 1e-9), None, 27, None, None, False)
    with pytest.raises(ParameterError, match="combinations of noisy counts, too many to sum"):
        next(blocks(model, 0, 1, 3, model.parent.reach(1e-15), model.siblings.reach(1e-15)))


def test_a_radius_is_where_a_law_has_fallen_so_far() -> None:
    assert radius_of(model_of(LAWS[0]).parent, 32.0) == pytest.approx(0.8 * 8.0, abs=1.0)
