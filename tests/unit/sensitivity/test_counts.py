"""Sensitivities of counts and shares."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens import sensitivity
from epsilens.budget import NEIGHBOURS, Neighbours, count_sensitivity


@settings(max_examples=200, deadline=None)
@given(counts=st.lists(st.integers(0, 12), min_size=2, max_size=6).filter(lambda h: sum(h) >= 2), data=st.data())
def test_proportions_of_random_histograms(counts: list[int], data: st.DataObject) -> None:
    histogram = np.array(counts)
    n = int(histogram.sum())
    j = data.draw(st.sampled_from(np.flatnonzero(histogram).tolist()))
    fewer = histogram - np.eye(len(counts), dtype=int)[j]
    change = np.abs(histogram / n - fewer / (n - 1))
    assert change.sum() == pytest.approx(2 * (n - histogram[j]) / (n * (n - 1)), abs=1e-14)
    assert change.sum() <= sensitivity.proportions(n) + 1e-14
    assert np.sqrt((change**2).sum()) <= sensitivity.proportions(n, norm=2) + 1e-14


def test_counts_have_one_home() -> None:
    for neighbours in NEIGHBOURS:
        for norm in (1, 2):
            assert sensitivity.histogram(neighbours, norm, 3) == count_sensitivity(neighbours, norm, 3)
        assert sensitivity.count(neighbours, 4) == 4.0


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("norm", [1, 2])
def test_tree_of_counts_against_enumeration(neighbours: Neighbours, norm: int) -> None:
    # three levels over four leaves: total, two pairs, four leaves
    design = np.array([[1, 1, 1, 1], [1, 1, 0, 0], [0, 0, 1, 1], *np.eye(4)])
    steps = np.eye(4) if neighbours == "add-remove" else (np.eye(4)[:, None] - np.eye(4)[None]).reshape(-1, 4)
    largest = max(np.linalg.norm(design @ step, norm) for step in steps)
    assert sensitivity.histogram_tree(3, neighbours, norm) == pytest.approx(largest)  # type: ignore[arg-type]
