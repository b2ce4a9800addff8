"""What holds for families of any size under any noise."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens import posterior
from epsilens.accounting import group_epsilon
from epsilens.homogeneity import households
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise, Noise
from epsilens.table.households import Households, Members

SIZES = st.floats(0.3, 5.0)
LAWS: st.SearchStrategy[Noise] = st.one_of(
    SIZES.map(DiscreteLaplaceNoise), SIZES.map(LaplaceNoise), SIZES.map(DiscreteGaussianNoise)
)


@given(noise=LAWS, prior=st.floats(0.01, 0.99), family=st.integers(1, 12))
@settings(deadline=None, max_examples=20)
def test_larger_families_are_easier_to_find_and_the_guarantee_bounds_it(
    noise: Noise, prior: float, family: int
) -> None:
    here, more = (posterior.expected_single_level(noise=noise, prior=prior, family=m) for m in (family, family + 1))
    assert more.posterior >= here.posterior - 1e-10
    assert here.posterior >= prior - 1e-10  # on average somebody who is there is believed more
    if math.isfinite(epsilon := group_epsilon(noise, family)):
        largest = posterior.single_level(10_000, noise=noise, prior=prior, family=family)
        assert largest.log_odds <= math.log(prior / (1 - prior)) + epsilon + 1e-9
        assert epsilon == pytest.approx(family * group_epsilon(noise, 1))


@given(noise=LAWS, family=st.integers(1, 12), delta=st.floats(1e-9, 0.1))
@settings(deadline=None, max_examples=20)
def test_the_epsilon_of_a_group_grows_with_it(noise: Noise, family: int, delta: float) -> None:
    assert group_epsilon(noise, family, delta) <= group_epsilon(noise, family + 1, delta) + 1e-9
    assert group_epsilon(noise, family, delta) <= noise.largest_loss(family) * (1 + 1e-9)


@given(
    vectors=st.lists(st.lists(st.integers(0, 4), min_size=3, max_size=3), min_size=2, max_size=4),
    noise=LAWS,
    label=st.integers(0, 2),
)
@settings(deadline=None, max_examples=25)
def test_outcomes_of_a_household_are_shares_and_further_cells_disclose_more(
    vectors: list[list[int]], noise: Noise, label: int
) -> None:
    counts = np.array(vectors, dtype=np.int64)
    counts[:, label] += 1  # somebody of the household is in every cell

    def of(cells: int) -> Households:
        one = np.ones(cells, dtype=np.int64)
        members = Members(one, np.arange(cells), label * one, one, np.zeros(cells, dtype=bool))
        return Households.of(counts, members, ("a", "b", "c"))

    shares = [households(of(cells), noise).households for cells in range(1, len(counts) + 1)]
    for found in shares:
        assert 0.0 <= found.right <= found.disclosed + 1e-12
        assert found.disclosed <= found.right + found.contradicted + 1e-12
        assert found.right + found.wrong + found.contradicted <= 1.0 + 1e-12
    disclosed = [found.disclosed for found in shares]
    assert all(a <= b + 1e-15 for a, b in itertools.pairwise(disclosed))
