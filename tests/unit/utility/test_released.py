"""Errors and marginals of one concrete published table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.utility import marginal_variation
from epsilens.utility.released import accuracy, released_distances, ways_within_reach

RNG = np.random.default_rng(2)
LEVELS = (("f", "m"), ("x", "y", "z"), ("no", "yes"))
CELLS = list(itertools.product(*LEVELS[:2]))
TRUTH = RNG.poisson(6.0, (6, 2))


def test_marginals_agree_with_the_array_form() -> None:
    published = TRUTH + RNG.integers(0, 3, TRUTH.shape)
    found = released_distances(
        published.astype(float),
        TRUTH,
        {"a": [c[0] for c in CELLS], "b": [c[1] for c in CELLS]},
        [["no"], ["yes"]],
        ["y"],
    )
    assert [marginal.marginal for marginal in found[:3]] == [("a",), ("b",), ("y",)]
    for ways in (1, 2, 3):
        own = [marginal.distance for marginal in found if marginal.ways == ways]
        expected = marginal_variation(published.reshape(2, 3, 2), TRUTH.reshape(2, 3, 2), ways)
        assert np.mean(own) == pytest.approx(expected)


def test_counts_are_added_up_as_published_and_then_raised_to_0() -> None:
    published = np.array([[3.0, -1.0], [0.5, 1.5]])
    (distance,) = released_distances(
        published, np.array([[2, 0], [1, 1]]), {"a": ["f", "m"]}, [["no"], ["yes"]], ["y"], (2,)
    )
    assert distance.distance == pytest.approx(0.5 * (abs(3 / 5 - 0.5) + 0 + abs(0.1 - 0.25) + abs(0.3 - 0.25)))


def test_marginals_of_several_sensitive_attributes() -> None:
    truth = np.random.default_rng(8).poisson(6.0, (2, 4))
    published = truth + np.arange(8).reshape(2, 4)
    labels = list(itertools.product(("no", "yes"), ("u", "v")))
    found = released_distances(published.astype(float), truth, {"a": ["f", "m"]}, labels, ["y", "z"], (2, 3))
    for ways in (2, 3):
        own = [marginal.distance for marginal in found if marginal.ways == ways]
        assert np.mean(own) == pytest.approx(
            marginal_variation(published.reshape(2, 2, 2), truth.reshape(2, 2, 2), ways)
        )


def test_accuracy() -> None:
    found = accuracy(np.array([3.0, -1.0, 0.5]), np.array([2, 0, 1]))
    assert (found.counts, found.total_true, found.total_published) == (3, 3, 2.5)
    assert found.bias == pytest.approx(-0.5 / 3)
    assert (found.l1, found.largest) == (2.5, 1.0)
    assert found.rmse == pytest.approx(np.sqrt(2.25 / 3))
    assert accuracy(np.array([-4.0, 1.0]), np.array([0, 0])).largest == 4.0
    assert accuracy(np.zeros(0), np.zeros(0, dtype=np.int64)).counts == 0


def test_so_many_marginals_are_looked_at() -> None:
    assert ways_within_reach(2) == (1, 2)
    assert ways_within_reach(7) == (1, 2, 3)
    assert ways_within_reach(40) == (1, 2)
