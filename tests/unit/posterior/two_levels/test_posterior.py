"""Two levels, against enumeration and against the chain itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise, Noise
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


def joint(
    data: tuple[int, int, int], d: int, noise: tuple[Noise, Noise], p: float, known: int, prior: ParentPrior
) -> Any:
    """The unnormalised posterior (2 x parent counts), straight from the model."""
    x1, x2, y = data
    k2 = np.arange(0, 300)
    table = np.zeros((2, len(k2)))
    for j in (0, 1):
        k1 = known + j
        allowed = k2 >= k1
        with np.errstate(divide="ignore"):
            weight = prior.logpmf(k2.astype(float), k1)
        weight = weight + CountNoise(noise[0]).logpmf(x1 - k1) + CountNoise(noise[1]).logpmf(x2 - k2)
        weight = weight + noise_of_sum(noise[0], d).logpmf(y - (k2 - k1))
        table[j] = np.where(allowed, np.exp(weight), 0.0) * (p if j else 1 - p)
    return table


@pytest.mark.parametrize("parent_prior", PRIORS, ids=repr)
@pytest.mark.parametrize("known", [0, 2])
@pytest.mark.parametrize("noise", [None, (DiscreteLaplaceNoise(1.2), LaplaceNoise(0.8))], ids=repr)
def test_posterior_is_the_enumerated_one(parent_prior: ParentPrior, known: int, noise: Any) -> None:
    laws = noise or tuple(DiscreteGaussianNoise(1 / np.sqrt(2 * rho)) for rho in RHO)
    for data in ((2, 3, 1), (-1, 0, 5), (4, 9, -2)):
        table = joint(data, 4, laws, 0.3, known, parent_prior)
        ours = posterior.two_level(*data, 4, noise=laws, prior=0.3, known=known, parent_prior=parent_prior)
        assert ours.posterior == pytest.approx(table[1].sum() / table.sum(), abs=1e-12)
        pmf = table.sum(axis=0) / table.sum()
        assert max(abs(ours.parent_pmf.get(k, 0.0) - pmf[k]) for k in range(300)) < 1e-12


@given(
    data=st.tuples(st.integers(-30, 40), st.integers(-30, 60), st.integers(-60, 60)),
    d=st.integers(1, 40),
    rho=st.tuples(st.floats(0.01, 3.0), st.floats(0.01, 3.0)),
    prior=st.floats(0.001, 0.999),
    known=st.integers(0, 9),
)
@settings(max_examples=60, deadline=None)
def test_posterior_properties(
    data: tuple[int, int, int], d: int, rho: tuple[float, float], prior: float, known: int
) -> None:
    ours = posterior.two_level(*data, d, rho, prior, known)
    assert 0.0 <= ours.posterior <= 1.0
    assert sum(ours.parent_pmf.values()) == pytest.approx(1.0, abs=1e-9)
    assert min(ours.parent_pmf) >= known
    # everything moves with the people the adversary knows
    shifted = posterior.two_level(data[0] + 3, data[1] + 3, data[2], d, rho, prior, known + 3)
    assert shifted.posterior == pytest.approx(ours.posterior, abs=1e-9)


@pytest.mark.parametrize("known", [0, 1])
def test_published_is_where_the_chain_goes(known: int) -> None:
    """Runs the printed full conditionals: X1 by odds that never ask whether X2 >= X1, X2 from X1 upwards."""
    rng = np.random.default_rng(11)
    data, d, chains = (1, known + 1, -1), 5, 40_000
    rho1, rho2 = RHO
    grid = np.arange(known, known + 40)
    state = np.full(chains, known)
    log_weights = [
        np.where(grid >= k1, -rho2 * (data[1] - grid) ** 2 - rho1 / d * (data[2] + k1 - grid) ** 2, -np.inf)
        for k1 in (known, known + 1)
    ]
    tables = np.array([np.cumsum(special.softmax(w)) for w in log_weights])
    for _ in range(40):
        k2 = known + (tables[state - known] < rng.random(chains)[:, None]).sum(axis=1)
        centre = (d * data[0] + k2 - data[2]) / (d + 1)
        step = -(d + 1) / d * rho1 * ((known + 1 - centre) ** 2 - (known - centre) ** 2)
        state = known + (rng.random(chains) < special.expit(step)).astype(int)
    ours = posterior.two_level(*data, d, RHO, known=known, published=True)
    share = (state == known + 1).mean()
    assert abs(share - ours.posterior) < 5 * np.sqrt(share * (1 - share) / chains)
    assert abs(posterior.two_level(*data, d, RHO, known=known).posterior - ours.posterior) > 0.01


def test_an_unsuspecting_prior_far_from_the_data() -> None:
    # the parent is believed to be 25 with next to no noise: all weights underflow, their ratio does not
    far = posterior.expected_two_level(1, 27, (0.099, 100.0), parent_prior=PointParent(25))
    near = posterior.expected_two_level(1, 27, (0.099, 0.2), parent_prior=PointParent(25))
    assert far.posterior == pytest.approx(
        near.posterior, abs=1e-10
    )  # a certain parent makes its noisy count irrelevant
    assert posterior.two_level(2, 900, -1, 27, (0.099, 0.246)).posterior > 0.95
    assert posterior.two_level(2, 1, -1, 27, (0.1, 0.2), parent_prior=PointParent(0)).posterior == 0.0


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match=r"parent must not be below its child's count \(3\), got 1"):
        posterior.expected_two_level(1, 5, RHO, known=2)
    with pytest.raises(ParameterError, match="siblings must be >= 1, got 0; an only child"):
        posterior.two_level(1, 1, 0, 0, RHO)
    with pytest.raises(ParameterError, match="rho must be > 0"):
        posterior.two_level(1, 1, 0, 3, (0.1, 0.0))
    with pytest.raises(ParameterError, match="prior must lie"):
        posterior.two_level(1, 1, 0, 3, RHO, prior=1.0)
    for published in (False, True):
        with pytest.raises(DataError, match="posterior is undefined"):
            posterior.two_level(1, 1, 0, 3, RHO, known=4, parent_prior=PointParent(2), published=published)
    with pytest.raises(DataError, match="chain cannot run"):
        posterior.two_level(1, 1, 0, 3, RHO, parent_prior=PointParent(0), published=True)
    with pytest.raises(DataError, match="chain cannot run"):
        posterior.expected_two_level(1, 3, RHO, parent_prior=PointParent(0), published=True)
    with pytest.raises(DataError, match="further than noise"):
        posterior.two_level(1, 10**9, 0, 3, RHO)
    with pytest.raises(DataError, match="no state"):  # discrete Laplace sums are tabulated; this lies beyond any table
        posterior.two_level(0, 0, -(10**6), 3, noise=(DiscreteLaplaceNoise(0.5),) * 2)
    with pytest.raises(ParameterError, match="too many to sum"):
        posterior.expected_two_level(1, 27, (1e-7, 1e-7))
    with pytest.raises(ParameterError, match="sum to 1"):
        PmfParent({0: 0.5})
    with pytest.raises(ParameterError, match="must be one of"):
        PmfParent({0: 1.0}, of="child")  # type: ignore[arg-type]


def test_a_hundred_thousand_siblings() -> None:
    # rho of 1 is narrow noise, whose sum is not one discrete Gaussian; of 0.1 it is, to a double
    for rho in (1.0, 0.1):
        exact = posterior.two_level(2, 1, -1, 100_000, (rho, 0.2))
        rough = posterior.two_level(2, 1, -1, 100_000, (rho, 0.2), sum_law="approximate")
        assert exact.posterior == pytest.approx(rough.posterior, abs=1e-5)


def test_a_prior_that_lists_its_counts_may_name_any() -> None:
    far = posterior.two_level(2, 1, -1, 5, (0.1, 0.2), parent_prior=PmfParent({1: 0.5, 10**12: 0.5}))
    assert far.parent_pmf == {1: 1.0}
    wide = posterior.two_level(2, 1, -1, 5, (0.1, 0.2), parent_prior=UniformParent(10**9))
    assert wide.posterior == pytest.approx(posterior.two_level(2, 1, -1, 5, (0.1, 0.2)).posterior, abs=1e-8)
    with pytest.raises(ParameterError, match="noisy_parent must lie within"):
        posterior.two_level(2, 10**20, -1, 5, (0.1, 0.2))
