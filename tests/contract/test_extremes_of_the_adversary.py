"""Every question about the adversary, at extremes: an answer without a warning, or one clear line, and quickly.

Nothing here may need more than a gigabyte: memory is what used to give way.
"""

from __future__ import annotations

import math
import resource
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epsilens import posterior
from epsilens.errors import EpsilensError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.hierarchy import Situations

pytestmark = pytest.mark.slow

RHOS = (1e-200, 1e-12, 1e4, 1e200)
PRIORS = (1e-300, 1.0 - 1e-16)
LAWS: list[Noise] = [
    law(size)
    for law in (DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise)
    for size in (1e-200, 1e-3, 1e6, 1e15)
]
TREE = [[0, 0, 0]]
EVERYBODY = Situations.of([[1, 1], [1, 10**7]], [3, 10**5], [1, 1])


@pytest.fixture(scope="module", autouse=True)
def little_memory() -> Iterator[None]:
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + 10**9, hard))
    yield
    resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def answered_or_refused(ask: Callable[[], Any]) -> None:
    try:
        found = ask()
    except EpsilensError as error:
        if "\n" in str(error):
            raise AssertionError("a refusal is one line") from error
        return
    for name in ("posterior", "risk_ratio", "correct_decision"):
        value = getattr(found, name, 0.0)
        assert np.isfinite(value).all() or name == "correct_decision"
    assert 0.0 <= float(np.max(getattr(found, "posterior", 0.0))) <= 1.0


OF_RHO: dict[str, Callable[[float, float], Any]] = {
    "single": lambda rho, p: posterior.single_level(1e17, 10**15, rho, p),
    "expected single": lambda rho, p: posterior.expected_single_level(rho, p),
    "exceedance": lambda rho, p: posterior.exceedance_single_level(1.01, rho, p),
    "noisy counts": lambda rho, p: posterior.noisy_count_table([0, 1, 1e9, 1e17], 0, rho, p),
    "curve": lambda rho, p: posterior.single_level_curve([rho], [p]),
    "sequence": lambda rho, p: posterior.sequence([1e17, 2], 0, [rho, 0.1], p),
    "expected sequence": lambda rho, p: posterior.expected_sequence([rho, rho], p),
    "a thousand releases": lambda rho, p: posterior.expected_sequence(
        noise=posterior.repeated(rho, 1_000), prior=p, decisions=False
    ),
    "levels": lambda rho, p: posterior.unique_levels_curve([rho, 0.1], [p]),
    "two levels": lambda rho, p: posterior.two_level(2, 10**9, 10**9, 10**5, (rho, rho), p),
    "two levels published": lambda rho, p: posterior.two_level(2, 1, -1, 27, (rho, rho), p, published=True),
    "expected two levels": lambda rho, p: posterior.expected_two_level(10**7, 27, (rho, rho), p),
    "expected two levels published": lambda rho, p: posterior.expected_two_level(1, 27, (rho, rho), p, published=True),
    "exceedance at two levels": lambda rho, p: posterior.exceedance_two_level(1.1, 1, 10**5, (rho, rho), p),
    "decision map": lambda rho, p: posterior.decision_map(1, 10**5, (rho, rho), prior=p),
    "categories": lambda rho, _: posterior.categories([1, 2, 1e17], [0, 0, 0], rho=rho),
    "expected categories": lambda rho, _: posterior.expected_categories(0, 10**9, rho),
    "post-processing": lambda rho, p: posterior.postprocessing_risk(20, 10**4, rho, p),
    "constrained": lambda rho, p: posterior.postprocessing_risk(20, 500, rho, p, step="constrained"),
    "tree": lambda rho, p: posterior.tree([[1e15, 2, 1e9], [7]], TREE, 1, 0, [rho, rho], p),
    "unpublished leaves": lambda rho, p: posterior.tree(
        [[1, math.nan, math.nan], [5_000]], TREE, 0, 0, [rho, rho], p, posterior.PoissonLeaf(3.0)
    ),
    "release": lambda rho, p: posterior.release_risk(EVERYBODY, [rho, rho], p, "two-level"),
    "conversion": lambda rho, _: posterior.converted(rho, 1e-300),
}


@pytest.mark.parametrize("question", OF_RHO)
@pytest.mark.parametrize("rho", RHOS)
def test_budgets(question: str, rho: float) -> None:
    for prior in PRIORS:
        answered_or_refused(partial(OF_RHO[question], rho, prior))


OF_LAWS: dict[str, Callable[[Noise], Any]] = {
    "expected single": lambda law: posterior.expected_single_level(noise=law, prior=0.3),
    "not rounded": lambda law: posterior.expected_single_level(noise=law, rounded=False),
    "combined": lambda law: posterior.expected_combined([law, law], 0.2),
    "two levels": lambda law: posterior.two_level(2, 1, -1, 10**5, noise=(law, law)),
    "expected two levels": lambda law: posterior.expected_two_level(1, 27, noise=(law, law)),
    "expected categories": lambda law: posterior.expected_categories(0, 5, noise=law),
    "fit": lambda law: posterior.fit_leaf_prior([1, 2, 3, 50], law, "negative-binomial"),
    "tree": lambda law: posterior.tree([[2, 0, 1], [3]], TREE, noise=(law, law)),
}


@pytest.mark.parametrize("question", OF_LAWS)
@pytest.mark.parametrize("law", LAWS, ids=repr)
def test_laws(question: str, law: Noise) -> None:
    answered_or_refused(lambda: OF_LAWS[question](law))


@pytest.mark.parametrize("siblings", [10**5, 10**18])
@pytest.mark.parametrize(
    "prior",
    [
        posterior.UniformParent(),
        posterior.UniformParent(10**9),
        posterior.PointParent(10**7),
        posterior.PmfParent({1: 0.5, 10**12: 0.5}),
    ],
    ids=repr,
)
def test_siblings_and_priors_of_parents(siblings: int, prior: posterior.ParentPrior) -> None:
    for rho in ((0.1, 0.2), (1e-3, 1e-3)):
        answered_or_refused(partial(posterior.two_level, 2, 1, -1, siblings, rho, parent_prior=prior))
        answered_or_refused(partial(posterior.expected_two_level, 50, siblings, rho, parent_prior=prior))


@pytest.mark.parametrize(
    "leaf_prior",
    [
        posterior.PoissonLeaf(1e9),
        posterior.PoissonLeaf(1e-300),
        posterior.NegativeBinomialLeaf(1e9, 1e-3),
        posterior.NegativeBinomialLeaf(5.0, 1e300),
        posterior.BinomialLeaf(10**9, 0.5),
        posterior.UniformLeaf(),
        posterior.UniformLeaf(10**15),
        posterior.PmfLeaf({0: 0.5, 10**12: 0.5}),
    ],
    ids=repr,
)
def test_leaf_priors(leaf_prior: posterior.LeafPrior) -> None:
    for leaves in ([3, 3_400, 5], [7, 10**9, 10**9 + 3]):
        noisy = [leaves, [sum(leaves) + 1]]
        answered_or_refused(partial(posterior.tree, noisy, TREE, rho=[0.1, 0.2], leaf_prior=leaf_prior))


def test_a_hundred_thousand_leaves() -> None:
    rng = np.random.default_rng(3)
    noise = DiscreteGaussianNoise(2.0)
    leaves = rng.poisson(3.0, 100_000)
    noisy = leaves + noise.sample(len(leaves), rng)
    found = posterior.tree([noisy, [leaves.sum() + 1.0]], [np.zeros(len(leaves), dtype=int)], noise=(noise, noise))
    assert 0.0 < found.posterior < 1.0
    assert found.error < 1e-10
