"""Two levels, averaged over the noise."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import posterior
from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise
from epsilens.noise.published import CountNoise
from epsilens.posterior import ParentPrior, PmfParent, PointParent, UniformParent, noise_of_sum

RHO = (0.3, 0.5)


PRIORS: list[ParentPrior] = [
    UniformParent(),
    UniformParent(6),
    PointParent(4),
    PmfParent({0: 0.1, 1: 0.2, 3: 0.4, 9: 0.3}),
    PmfParent({0: 0.7, 1: 0.2, 2: 0.1}, of="siblings"),
]


@pytest.mark.parametrize("published", [False, True])
@pytest.mark.parametrize("present", [False, True])
@pytest.mark.parametrize("parent_prior", PRIORS, ids=repr)
def test_expected_is_the_sum_over_data(parent_prior: ParentPrior, present: bool, published: bool) -> None:
    rho, d, parent, known, p = (1.5, 1.2), 2, 3, 1, 0.4
    child = known + int(present)
    laws = tuple(DiscreteGaussianNoise(1 / np.sqrt(2 * value)) for value in rho)
    siblings = noise_of_sum(laws[0], d, "approximate" if published else "exact")
    posterior_mean = right = changed_right = 0.0
    for x1 in range(child - 4, child + 5):
        for x2 in range(parent - 5, parent + 6):
            for y in range(parent - child - 6, parent - child + 7):
                weight = float(
                    np.exp(
                        CountNoise(laws[0]).logpmf(x1 - child)
                        + CountNoise(laws[1]).logpmf(x2 - parent)
                        + siblings.logpmf(y - parent + child)
                    )
                )
                if weight < 1e-9:
                    continue
                one = posterior.two_level(x1, x2, y, d, rho, p, known, parent_prior=parent_prior, published=published)
                posterior_mean += weight * one.posterior
                yes = one.posterior > 0.5 + 1e-10
                right += weight * (yes == present)
                changed_right += weight * (yes == present and (float(one.alone) > 0.5) != present)
    ours = posterior.expected_two_level(
        parent, d, rho, p, known, parent_prior=parent_prior, published=published, present=present
    )
    assert ours.posterior == pytest.approx(posterior_mean, abs=3e-6)
    assert ours.correct_decision == pytest.approx(right, abs=3e-6)
    assert ours.right_changes == pytest.approx(changed_right, abs=3e-6)


def test_average_over_truth_is_the_prior() -> None:
    # with a proper prior, and the truth drawn from it, the posterior of presence averages to its prior
    p, d, rho = 0.3, 3, (0.8, 0.6)
    parent_prior = UniformParent(3)
    total = 0.0
    for j, share in ((0, 1 - p), (1, p)):
        for k2 in range(j, 4):
            risk = posterior.expected_two_level(k2, d, rho, p, parent_prior=parent_prior, present=bool(j))
            total += share / (4 - j) * risk.posterior
    assert total == pytest.approx(p, abs=1e-11)


def test_simulation_agrees() -> None:
    rng = np.random.default_rng(5)
    rho, d, parent = (0.25, 0.5), 6, 2
    laws = [DiscreteGaussianNoise(1 / np.sqrt(2 * value)) for value in rho]
    draws = 1_500
    x1 = 1 + laws[0].sample(draws, rng)
    x2 = parent + laws[1].sample(draws, rng)
    y = parent - 1 + laws[0].sample((draws, d), rng).sum(axis=1)
    values = np.array(
        [posterior.two_level(int(a), int(b), int(c), d, rho).posterior for a, b, c in zip(x1, x2, y, strict=True)]
    )
    ours = posterior.expected_two_level(parent, d, rho)
    assert abs(values.mean() - ours.posterior) < 5 * values.std() / np.sqrt(draws)
    share = (values > 0.5).mean()
    assert abs(share - ours.correct_decision) < 5 * np.sqrt(share * (1 - share) / draws)


def test_exceedance_at_the_prior_ratio_of_a_decision() -> None:
    for p in (0.3, 0.5):
        risk = posterior.expected_two_level(2, 5, RHO, p)
        assert posterior.exceedance_two_level(0.5 / p, 2, 5, RHO, p) == pytest.approx(risk.correct_decision, abs=1e-12)
    assert posterior.exceedance_two_level(2.0, 2, 5, RHO, 0.5) == 0.0
    assert posterior.exceedance_two_level(-1.0, 2, 5, RHO, 0.5) == 1.0


def test_decision_map_is_the_posterior_above_a_half() -> None:
    for published in (False, True):
        drawn = posterior.decision_map(2, 5, RHO, (-1, 3), (-2, 6), (-4, 5), prior=0.4, known=1, published=published)
        for i, x1 in enumerate(drawn.child):
            for j, x2 in enumerate(drawn.parent):
                for k, y in enumerate(drawn.siblings):
                    one = posterior.two_level(int(x1), int(x2), int(y), 5, RHO, 0.4, 1, published=published)
                    assert drawn.present[i, j, k] == (one.posterior > 0.5)
            assert drawn.present_alone[i] == (posterior.single_level(x1, 1, RHO[0], 0.4) > 0.5)
    with pytest.raises(ParameterError, match="must not be below"):
        posterior.decision_map(1, 5, RHO, known=1)


def test_a_parent_with_noise_without_end_tells_nothing() -> None:
    alone = posterior.expected_single_level(1.0)
    risk = posterior.expected_two_level(1, 27, (1.0, 1e-6))
    assert risk.posterior == pytest.approx(alone.posterior, abs=1e-6)
    assert risk.correct_decision == pytest.approx(alone.correct_decision, abs=1e-12)


@pytest.mark.parametrize(("family", "present"), [(2, True), (3, True), (3, False)])
@pytest.mark.parametrize(
    "laws",
    [
        (DiscreteGaussianNoise(0.7), DiscreteGaussianNoise(0.9)),
        (DiscreteGaussianNoise(0.4), DiscreteGaussianNoise(1.2)),
    ],
    ids=repr,
)
def test_a_family_is_counted_by_the_parent_as_well(
    laws: tuple[DiscreteGaussianNoise, DiscreteGaussianNoise], family: int, present: bool
) -> None:
    d, known, p, parent = 2, 1, 0.3, 5
    child, siblings = known + (family if present else 0), noise_of_sum(laws[0], d)
    x1, x2, y = child + np.arange(-6.0, 7.0), parent + np.arange(-8.0, 9.0), parent - child + np.arange(-9.0, 10.0)
    likelihoods = []
    for k1 in (known, known + family):
        k2 = np.arange(float(k1), 60.0)
        left = np.exp(CountNoise(laws[1]).logpmf(x2[:, None] - k2))
        right = np.exp(siblings.logpmf(y - (k2[:, None] - k1)))
        likelihoods.append(np.exp(CountNoise(laws[0]).logpmf(x1 - k1))[:, None, None] * (left @ right))
    absent, there = (1 - p) * likelihoods[0], p * likelihoods[1]
    weight = (
        np.exp(CountNoise(laws[0]).logpmf(x1 - child))[:, None, None]
        * np.exp(CountNoise(laws[1]).logpmf(x2 - parent))[:, None]
        * np.exp(siblings.logpmf(y - (parent - child)))
    )
    ours = posterior.expected_two_level(parent, d, noise=laws, prior=p, known=known, present=present, family=family)
    assert ours.posterior == pytest.approx(float((weight * there / (there + absent)).sum()), abs=1e-6)
    yes = float(weight[there > absent].sum())
    assert ours.correct_decision == pytest.approx(yes if present else 1 - yes, abs=1e-6)
    one = posterior.two_level(2, 4, 1, d, noise=laws, prior=p, known=known, family=family)
    i, j, k = int(2 - x1[0]), int(4 - x2[0]), int(1 - y[0])
    assert one.posterior == pytest.approx(there[i, j, k] / (there + absent)[i, j, k], rel=1e-9)
    bounded = posterior.expected_two_level(
        parent, d, noise=laws, prior=p, known=known, present=present, family=family, parent_prior=UniformParent(4000)
    )
    assert bounded.posterior == pytest.approx(ours.posterior, abs=1e-3)


def test_a_family_of_one_is_a_person_on_two_levels() -> None:
    assert posterior.expected_two_level(3, 5, RHO, 0.2, family=1) == posterior.expected_two_level(3, 5, RHO, 0.2)
    drawn = posterior.decision_map(3, 5, RHO, (0, 4), (0, 6), (-4, 5), known=1, family=2)
    one = posterior.two_level(2, 4, 1, 5, RHO, known=1, family=2)
    assert drawn.present[2, 4, 5] == (one.posterior > 0.5)
    published = posterior.expected_two_level(3, 5, (1.0, 1.0), 0.2, family=2, published=True)
    assert published.posterior == pytest.approx(
        posterior.expected_two_level(3, 5, (1.0, 1.0), 0.2, family=2).posterior, abs=0.1
    )
    for p in (0.3, 0.5):
        risk = posterior.expected_two_level(4, 5, RHO, p, family=3)
        above = posterior.exceedance_two_level(0.5 / p, 4, 5, RHO, p, family=3)
        assert above == pytest.approx(risk.correct_decision, abs=1e-12)
    with pytest.raises(ParameterError, match="at most 1,000"):
        posterior.expected_two_level(3000, 5, RHO, family=2000)
