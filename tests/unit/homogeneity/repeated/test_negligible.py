"""Bounds that tell what need not be computed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.homogeneity.repeated import negligible
from epsilens.homogeneity.repeated.fitted import Lineage
from epsilens.homogeneity.repeated.negligible import Curves
from epsilens.homogeneity.repeated.nodes import Fitted, Level
from epsilens.noise import DiscreteGaussianNoise, GaussianNoise, LaplaceNoise
from epsilens.noise.law import AnyNoise
from tests.unit.homogeneity.publishing import FewValues

SKEW = FewValues(((-2, 0.3), (1, 0.7)))
LAWS: list[AnyNoise] = [LaplaceNoise(0.7), LaplaceNoise(2.0), GaussianNoise(1.5), DiscreteGaussianNoise(0.6), SKEW]


def made(rng: np.random.Generator, kinds: int = 80) -> Lineage:
    """Three levels, of 1, 2 and 6 labels, and a fourth one of 2 beside the last; some labels cannot occur."""
    finest = rng.poisson(rng.gamma(0.7, 4.0, (kinds, 1)) * rng.random((kinds, 6)))
    impossible = rng.random((kinds, 6)) < 0.15
    impossible[:, :3] &= ~impossible[:, :3].all(axis=1, keepdims=True)
    impossible[:, 3:] &= ~impossible[:, 3:].all(axis=1, keepdims=True)
    finest[impossible] = -1
    there = np.maximum(finest, 0)
    middle = np.stack([there[:, :3].sum(axis=1), there[:, 3:].sum(axis=1)], axis=1)
    kappa = np.stack([(~impossible[:, :3]).sum(axis=1), (~impossible[:, 3:]).sum(axis=1)], axis=1)
    laws = [LAWS[i] for i in rng.integers(0, len(LAWS), 4)]
    halves = Fitted(0, np.zeros(2, dtype=np.int64), np.full((kinds, 1), 2))
    return Lineage(
        [
            Level(laws[0], middle.sum(axis=1, keepdims=True)),
            Level(laws[1], middle, halves),
            Level(laws[2], finest, Fitted(1, np.array([0, 0, 0, 1, 1, 1]), kappa)),
            Level(laws[3], middle[:, ::-1].copy(), halves),
        ]
    )


REQUIRED = st.fixed_dictionaries(
    {},
    optional={
        0: st.just(frozenset({0})),
        1: st.frozensets(st.integers(0, 1), min_size=1),
        2: st.frozensets(st.integers(0, 5), min_size=1),
        3: st.frozensets(st.integers(0, 1), min_size=1),
    },
)


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(required=REQUIRED, seed=st.integers(0, 10_000))
def test_no_probability_is_above_its_bound(required: dict[int, frozenset[int]], seed: int) -> None:
    lineage = made(np.random.default_rng(seed))
    kinds = np.arange(lineage.n_kinds)
    traces = lineage._traces
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(negligible, "_FEW", 1 << 30)  # all are computed
        exact = lineage.hidden([(required, kinds)])[0]
    for slopes in (traces._best_slopes(required, kinds[:64]), [np.arange(8)] * 4, [np.array([5])] * 4):
        bound = traces._bound(required, kinds, slopes)
        assert (exact <= np.exp(bound) + 1e-15).all()


@pytest.mark.slow
def test_what_is_left_out_is_not_missed() -> None:
    left_out = 0
    for seed in range(6):
        every = [{2: frozenset(range(6)) - {k}, **more} for k in range(6) for more in ({}, {1: frozenset({k // 3})})]
        answers = []
        for few in (1, 1 << 30):
            lineage = made(np.random.default_rng(seed), 300)
            lineage._traces._usable = few == 1
            kinds = np.arange(lineage.n_kinds)
            answers.append(np.array(lineage.hidden([(required, kinds) for required in every])))
        left_out += int(((answers[0] == 0) & (answers[1] > 0)).sum())
        assert np.abs(answers[0] - answers[1]).max() <= 2e-15
    assert left_out > 100


def test_nothing_is_left_out_where_noise_reaches_far() -> None:
    """Neither are its curves drawn, which would be as long as it reaches, squared."""
    counts = np.arange(100)
    parts = np.stack([counts, np.zeros_like(counts)], axis=1)
    fitted = Fitted(0, np.zeros(2, dtype=np.int64), np.full((100, 1), 2))
    for law, possible in ((LaplaceNoise(100.0), True), (LaplaceNoise(0.1), False)):
        lineage = Lineage([Level(law, counts[:, None]), Level(law, parts, fitted)])
        kinds = np.arange(lineage.n_kinds)
        assert lineage._traces.possible({1: frozenset({0, 1})}, kinds)[-1] == possible
        assert bool(lineage._traces._sharing) != possible


def test_curves_are_the_least_concave_ones() -> None:
    curves = Curves(-2, np.array([[0.0, -3.0, -1.0, -2.0, -8.0], [0.0, -1.0, -3.0, -6.0, -10.0]]))
    at = np.array([-2.0, -1.5, -1.0, 0.0, 1.0, 2.0, 4.0])
    assert curves.at(at, np.array([0]))[0] == pytest.approx([0.0, -0.25, -0.5, -1.0, -2.0, -8.0, -20.0])
    assert curves.at(at, np.array([1]))[0] == pytest.approx([0.0, -0.5, -1.0, -3.0, -6.0, -10.0, -18.0])
