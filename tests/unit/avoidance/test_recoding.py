"""Ladders of levels, and what a table becomes when its columns climb them."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.recoding import ANY, along, by_combination
from tests.support.avoidance import TREE, random_histogram


def test_neighbours_are_merged_by_twos_and_fours() -> None:
    ages = av.Ladder.of("age", ["[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)", "[80, inf)"], ordered=True)
    assert ages.height == 3
    assert ages.labels[1] == ("[0, 40)", "[40, 80)", "[80, inf)")
    assert ages.labels[3] == ("[0, inf)",)
    assert ages.losses(1).tolist() == [0.25, 0.25, 0.25, 0.25, 0.0]
    assert av.Ladder.of("n", ["1", "2", "3"], ordered=True).labels[1] == ("1 to 2", "3")
    assert av.Ladder.of("one", ["x"], ordered=True).height == 0


def test_other_columns_have_their_values_and_any() -> None:
    town = av.Ladder.of("town", ["a", "b", "c"])
    assert town.labels == (("a", "b", "c"), (ANY,))
    assert town.losses(1).tolist() == [1.0, 1.0, 1.0]
    assert av.Ladder.of("one", ["x"]).height == 0


def test_a_tree_is_climbed_in_layers() -> None:
    ladder = av.Ladder.of("town", ["ash", "birch", "cedar", "elm", "fir"], hierarchy=TREE)
    assert ladder.is_given
    assert [len(labels) for labels in ladder.labels] == [5, 2, 1]
    assert set(ladder.labels[1]) == {"broad", "needle"}
    uneven = av.GeneralisationHierarchy.from_parents({"a": "ab", "b": "ab", "ab": "*", "c": "*"}, "q")
    assert av.Ladder.of("q", ["a", "b", "c"], hierarchy=uneven).labels[1] == ("ab", "c")
    part = av.Ladder.of("town", ["ash", "cedar"], hierarchy=TREE)  # one value each: their parents merge nothing
    assert part.labels == (("ash", "cedar"), ("*",))


def test_classes_below_k_are_not_published_and_the_rest_is_spread_evenly() -> None:
    counts = np.array([[4, 0], [1, 1], [1, 0]])
    histogram = av.Histogram(counts, ("q", "y"), (("a", "b", "c"), ("no", "yes")), ("q",))
    ladder = av.Ladder.of("q", ["a", "b", "c"])
    plain = av.Recoded(histogram, (ladder,), (0,), 2)
    assert (plain.sizes.tolist(), plain.suppressed, plain.n_classes) == ([4, 2], 1, 2)
    assert plain.loss == pytest.approx(1 / 7)
    assert plain.rows()[-1] == {"q": "b", "y": "yes", "count": 1}
    merged = av.Recoded(histogram, (ladder,), (1,), 2)
    assert merged.rows() == [{"q": ANY, "y": "no", "count": 6}, {"q": ANY, "y": "yes", "count": 1}]
    mean, variance = merged.reconstruction_law()
    np.testing.assert_allclose(mean, [[2, 1 / 3]] * 3)
    np.testing.assert_allclose(variance, [[4 / 3, 2 / 9]] * 3)
    drawn = merged.reconstructed_counts(np.random.default_rng(1))
    assert drawn.sum(axis=0).tolist() == [6, 1]


def test_combinations_have_the_order_of_the_columns_named() -> None:
    histogram = random_histogram(3)
    by = by_combination(histogram, ["race", "puma"])
    np.testing.assert_array_equal(by, np.asarray(histogram.counts).transpose(1, 0, 2).reshape(12, 2))
    assert along(np.arange(3.0), 1, 3).shape == (1, 3, 1)
