"""Whole trees, against enumeration."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import special

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, Noise
from epsilens.noise.published import CountNoise
from epsilens.posterior import (
    BinomialLeaf,
    LeafPrior,
    NegativeBinomialLeaf,
    PmfLeaf,
    PoissonLeaf,
    TreeShape,
    UniformLeaf,
)

LAWS: list[Noise] = [DiscreteGaussianNoise(1.2), DiscreteLaplaceNoise(1.0), GaussianNoise(0.8)]
PARENTS = [[0, 0, 0, 1, 1], [0, 0]]
LEAVES: list[LeafPrior] = [
    UniformLeaf(4),
    BinomialLeaf(4, 0.3),
    PmfLeaf({0: 0.5, 2: 0.5}),
    UniformLeaf(3),
    BinomialLeaf(3, 0.5),
]


LOG_PMF = [{k: float(CountNoise(law).logpmf(k)) for k in range(-60, 61)} for law in LAWS]


def enumerated(
    noisy: Sequence[Sequence[float] | None],
    target: int,
    known: int,
    prior: float,
    leaf_priors: Sequence[LeafPrior],
    invariants: Sequence[Mapping[int, int]],
) -> float:
    """Sum over all counts of the other leaves, 0 to 4 each."""
    size = len(PARENTS[0])
    others = [i for i in range(size) if i != target]
    log_priors = [prior.logpmf(np.arange(5.0)).tolist() for prior in leaf_priors]
    totals = [0.0, 0.0]
    for j, counts in itertools.product((0, 1), itertools.product(range(5), repeat=size - 1)):
        leaves = np.zeros(size)
        leaves[others] = counts
        leaves[target] = known + j
        log_weight = math.log(prior if j else 1 - prior)
        log_weight += sum(log_priors[i][count] for i, count in zip(others, counts, strict=True))
        levels = [leaves]
        for level in PARENTS:
            levels.append(np.bincount(level, levels[-1]).astype(np.float64))
        for level_number, level_counts in enumerate(levels):
            for group, count in enumerate(level_counts):
                if group in invariants[level_number]:
                    log_weight += 0.0 if invariants[level_number][group] == count else -np.inf
                    continue
                row = noisy[level_number]
                if row is not None and not np.isnan(row[group]):
                    log_weight += LOG_PMF[level_number][int(row[group] - count)]
        totals[j] += math.exp(log_weight)
    return totals[1] / sum(totals)


CASES: list[tuple[int, int, list[list[float] | None], list[Mapping[int, int]]]] = [
    (0, 0, [[1, 0, 2, 3, -1], [4, 2], [5]], [{}, {}, {}]),
    (4, 1, [[-2, 4, 0, 1, 3], [2, 7], [3]], [{}, {}, {}]),
    (2, 2, [[1, 1, 5, 0, 0], None, [9]], [{}, {}, {}]),
    (3, 0, [[1, math.nan, 2, 3, -1], [math.nan, 2], [5]], [{}, {}, {}]),
    (0, 0, [[1, 0, 2, 3, -1], [4, 2], [5]], [{3: 1}, {}, {0: 6}]),
    (1, 0, [[1, 0, 2, 3, -1], [4, 2], [5]], [{}, {0: 3}, {}]),
    (1, 3, [None, [4, 2], [8]], [{}, {1: 2}, {}]),
]


@pytest.mark.parametrize(("target", "known", "noisy", "invariants"), CASES)
def test_tree_is_the_enumerated_one(
    target: int, known: int, noisy: list[list[float] | None], invariants: list[Mapping[int, int]]
) -> None:
    ours = posterior.tree(
        noisy, PARENTS, target, known, prior=0.3, leaf_prior=LEAVES, invariants=invariants, noise=LAWS
    )
    direct = enumerated(noisy, target, known, 0.3, LEAVES, invariants)
    assert ours.posterior == pytest.approx(direct, abs=1e-12)
    assert ours.error < 1e-12


@given(
    leaves=st.lists(st.integers(-6, 9), min_size=5, max_size=5),
    middle=st.lists(st.integers(-6, 14), min_size=2, max_size=2),
    top=st.integers(-6, 20),
    target=st.integers(0, 4),
    known=st.integers(0, 3),
    prior=st.floats(0.01, 0.99),
)
@settings(max_examples=12, deadline=None)
def test_random_trees_are_the_enumerated_ones(
    leaves: list[int], middle: list[int], top: int, target: int, known: int, prior: float
) -> None:
    noisy = [[float(x) for x in leaves], [float(x) for x in middle], [float(top)]]
    ours = posterior.tree(noisy, PARENTS, target, known, prior=prior, leaf_prior=LEAVES, noise=LAWS)
    assert ours.posterior == pytest.approx(enumerated(noisy, target, known, prior, LEAVES, [{}] * 3), abs=1e-12)


def test_one_sibling_with_a_uniform_prior_is_the_two_level_model() -> None:
    for noisy, sibling, parent in ((2, -1, 1), (0, 5, 3), (1, 0, 9)):
        tree = posterior.tree([[noisy, sibling], [parent]], [[0, 0]], rho=(0.1, 0.25), leaf_prior=UniformLeaf())
        two = posterior.two_level(noisy, parent, sibling, 1, (0.1, 0.25))
        assert tree.posterior == pytest.approx(two.posterior, abs=1e-12)


def test_uniform_leaves_are_not_a_uniform_sum() -> None:
    noisy_leaves = [2, 0, 1, -1, 3]
    tree = posterior.tree([noisy_leaves, [1]], [[0] * 5], rho=(0.1, 0.25), leaf_prior=UniformLeaf())
    two = posterior.two_level(2, 1, 3, 4, (0.1, 0.25))
    assert abs(tree.posterior - two.posterior) > 0.02


def test_only_the_target_s_own_tree_matters() -> None:
    alone = posterior.tree([[1, 2], [4]], [[0, 0]], rho=(0.2, 0.3), leaf_prior=PoissonLeaf(1.0))
    among = posterior.tree([[1, 2, 9, 9], [4, 30]], [[0, 0, 1, 1]], rho=(0.2, 0.3), leaf_prior=PoissonLeaf(1.0))
    assert alone.posterior == pytest.approx(among.posterior, abs=1e-13)
    single = posterior.tree([[3]], [], rho=(0.2,), leaf_prior=PoissonLeaf(1.0))
    assert single.posterior == pytest.approx(float(posterior.single_level(3, rho=0.2)))


@pytest.mark.parametrize(
    "prior", [PoissonLeaf(0.01), NegativeBinomialLeaf(0.01, 0.05), UniformLeaf(), PoissonLeaf(500.0)]
)
def test_leaves_that_surprise_their_prior(prior: LeafPrior) -> None:
    """Noise and prior disagree wildly; the direct sum runs over far more than either would suggest."""
    noisy, parent, rho = [1, 30, -40], 3, 0.1
    ours = posterior.tree([noisy, [parent]], [[0, 0, 0]], rho=(rho, rho), leaf_prior=prior)
    n = np.arange(0.0, 1500.0)
    logs = [prior.logpmf(n) - rho * (x - n) ** 2 for x in noisy[1:]]
    low, high = (np.exp(log - log.max()) for log in logs)
    sums = np.convolve(low, high)
    totals = np.arange(len(sums))
    weight = [
        special.logsumexp(-rho * (parent - totals - j) ** 2, b=np.maximum(sums, 0.0)) - rho * (1 - j) ** 2
        for j in (0, 1)
    ]
    assert ours.posterior == pytest.approx(float(special.expit(weight[1] - weight[0])), abs=1e-10)


def test_a_known_total_rules_the_target_out() -> None:
    ours = posterior.tree([[3, 0], [3]], [[0, 0]], rho=(0.1, 0.1), leaf_prior=PoissonLeaf(0.2), invariants=[{}, {0: 0}])
    assert ours.posterior == 0.0
    pinned = posterior.tree(
        [[0, 0], [0]], [[0, 0]], rho=(0.1, 0.1), leaf_prior=PoissonLeaf(0.2), invariants=[{1: 0}, {0: 1}]
    )
    assert pinned.posterior == 1.0


def test_a_large_tree_is_quick_and_exact() -> None:
    rng = np.random.default_rng(6)
    leaves = rng.poisson(2.0, 2_800)
    leaves[0] = 1
    shape = TreeShape.of([np.arange(2_800) // 28, np.arange(100) // 10, np.zeros(10, dtype=int)])
    assert shape.sizes == (2_800, 100, 10, 1)
    rhos = (0.1, 0.25, 0.05, 0.05)
    noisy = [
        level + DiscreteGaussianNoise(1 / np.sqrt(2 * rho)).sample(len(level), rng)
        for level, rho in zip(shape.totals(leaves), rhos, strict=True)
    ]
    ours = posterior.tree(noisy, shape.parents, rho=rhos, leaf_prior="poisson")
    assert 0 < ours.posterior < 1
    assert ours.error < 1e-12


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="3 levels needs 3 of rho or noise and 2 lists of parents, got 3 and 1"):
        posterior.tree([[1, 2], [3], [3]], [[0, 0]], rho=(0.1, 0.2, 0.3), leaf_prior=UniformLeaf(3))
    with pytest.raises(DataError, match="2 groups but 3 noisy counts"):
        posterior.tree([[1, 2, 3], [3]], [[0, 0]], rho=(0.1, 0.2), leaf_prior=UniformLeaf(3))
    with pytest.raises(ParameterError, match="target must be a leaf's position, 0 to 1"):
        posterior.tree([[1, 2], [3]], [[0, 0]], 5, rho=(0.1, 0.2), leaf_prior=UniformLeaf(3))
    with pytest.raises(DataError, match="posterior is undefined"):
        posterior.tree([[1, 2], [3]], [[0, 0]], rho=(0.1, 0.2), leaf_prior=UniformLeaf(3), invariants=[{}, {0: 9}])
    with pytest.raises(DataError, match="needs a proper prior"):
        posterior.tree([[1, math.nan], [3]], [[0, 0]], rho=(0.1, 0.2), leaf_prior=UniformLeaf())
    with pytest.raises(ParameterError, match="nothing left to find out"):
        posterior.tree([[1, 2], [3]], [[0, 0]], rho=(0.1, 0.2), leaf_prior=UniformLeaf(3), invariants=[{0: 1}])
    with pytest.raises(DataError, match="group 7 of level 1"):
        posterior.tree([[1, 2], [3]], [[0, 0]], rho=(0.1, 0.2), leaf_prior=UniformLeaf(3), invariants=[{}, {7: 1}])
    with pytest.raises(ParameterError, match="leaf_prior must be one law, or one per leaf"):
        posterior.tree([[1, 2, 3], [3]], [[0, 0, 0]], rho=(0.1, 0.2), leaf_prior=[UniformLeaf(3)] * 2)
    with pytest.raises(DataError, match="no other noisy leaves"):
        posterior.tree([[1]], [], rho=(0.1,))
    with pytest.raises(DataError, match="level 0 names a parent that level 1 does not have"):
        TreeShape.of([[0, 3], [0]])


def test_leaves_far_from_their_prior_are_summed_in_logarithms() -> None:
    # by enumeration in logarithms: doubles underflow, since a Poisson law of mean 540 gives 3,500 about e^-3500
    noisy, parent, rho = [3_500, 3, 540], 4_050, (0.1, 0.2)
    prior = PoissonLeaf(540.0)
    laws = [CountNoise(DiscreteGaussianNoise(1 / np.sqrt(2 * r))) for r in rho]
    first, last = np.arange(3_350.0, 3_650.0), np.arange(390.0, 690.0)
    joint = (prior.logpmf(first) + laws[0].logpmf(3_500 - first))[:, None] + (
        prior.logpmf(last) + laws[0].logpmf(540 - last)
    )
    sums = [np.logaddexp.reduce(joint + laws[1].logpmf(parent - first[:, None] - last - k), axis=None) for k in (0, 1)]
    ours = posterior.tree([noisy, [parent]], [[0, 0, 0]], target=1, rho=rho, leaf_prior=prior)
    assert ours.rest_log_odds == pytest.approx(float(sums[1] - sums[0]), abs=1e-9)
    assert ours.error < 1e-10


def test_a_parent_far_from_its_leaves_is_summed_by_tilting() -> None:
    laws = (DiscreteGaussianNoise(2.0), DiscreteGaussianNoise(1.5))
    noisy, parent, prior = [3, 5, 9], 400, PoissonLeaf(6.0)
    n = np.arange(0.0, 500.0)
    leaves = [prior.logpmf(n) + CountNoise(laws[0]).logpmf(count - n) for count in noisy[1:]]
    joint = leaves[0][:, None] + leaves[1]
    sums = [
        np.logaddexp.reduce(joint + CountNoise(laws[1]).logpmf(parent - n[:, None] - n - k), axis=None) for k in (0, 1)
    ]
    ours = posterior.tree([noisy, [parent]], [[0, 0, 0]], noise=laws, leaf_prior=prior)
    assert ours.rest_log_odds == pytest.approx(float(sums[1] - sums[0]), abs=1e-8)


@pytest.mark.parametrize("family", [2, 3])
def test_a_family_is_counted_all_the_way_up(family: int) -> None:
    law, upper, leaf = DiscreteGaussianNoise(1.0), DiscreteLaplaceNoise(0.7), PoissonLeaf(0.7)
    noisy, prior, known = [[2.0, 0.0, 1.0], [4.0]], 0.2, 1
    ours = posterior.tree(noisy, [[0, 0, 0]], 0, known, prior=prior, leaf_prior=leaf, noise=(law, upper), family=family)
    n = np.arange(30.0)
    chance = np.exp(leaf.logpmf(n))
    a, b = (chance * law.pmf(count - n) for count in noisy[0][1:])
    total = n[:, None] + n
    there, absent = (
        float(law.pmf(noisy[0][0] - k)) * float((np.outer(a, b) * upper.pmf(noisy[1][0] - total - k)).sum())
        for k in (known + family, known)
    )
    odds = prior * there / ((1 - prior) * absent)
    assert ours.posterior == pytest.approx(odds / (1 + odds), rel=1e-9)
    assert ours.alone.posterior == posterior.single_level(2, known, prior=prior, noise=law, family=family)
