from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.homogeneity.shown import number_shown, shown_alone, shown_and_hidden, zeros_shown
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise

VECTORS = np.array([[0, 1, 3], [2, -1, 0], [0, 0, 0]])


@pytest.mark.parametrize("noise", [LaplaceNoise(1.3), DiscreteLaplaceNoise(0.7)], ids=repr)
def test_a_count_is_shown_when_it_is_published_as_one_or_more(noise: LaplaceNoise | DiscreteLaplaceNoise) -> None:
    shown, hidden = shown_and_hidden(VECTORS, noise)
    assert shown + hidden == pytest.approx(np.ones((3, 3)))
    assert shown[0] == pytest.approx(noise.sf([0.5, -0.5, -2.5]))
    assert (shown[1, 1], hidden[1, 1]) == (0.0, 1.0)  # a structural zero


def test_a_few_huge_counts_are_sorted_instead_of_marked() -> None:
    noise = LaplaceNoise(2.0)
    huge = np.array([[10**12, 0]])
    assert shown_and_hidden(huge, noise)[0] == pytest.approx(np.array([[1.0, float(noise.sf(0.5))]]))


def test_one_label_alone_and_the_number_of_labels_by_enumeration() -> None:
    shown = np.array([0.2, 1.0, 0.7])
    hidden = 1.0 - shown
    chances = {
        pattern: float(np.prod(np.where(pattern, shown, hidden))) for pattern in itertools.product((0, 1), repeat=3)
    }
    alone = [chances[tuple(int(j == k) for j in range(3))] for k in range(3)]
    assert shown_alone(shown, hidden) == pytest.approx(alone)
    by_number = [sum(chance for pattern, chance in chances.items() if sum(pattern) in n) for n in ((0,), (1,), (2, 3))]
    assert np.stack(number_shown(shown, hidden)) == pytest.approx(by_number)


def test_the_number_of_labels_shown_that_nobody_has_is_that_of_single_labels() -> None:
    noise, zeros = LaplaceNoise(0.9), np.array([0, 1, 2, 5, 40])
    found = np.stack(zeros_shown(zeros, noise))
    for i, number in enumerate(zeros.tolist()):
        one_by_one = number_shown(*shown_and_hidden(np.zeros((1, number), dtype=np.int64), noise))
        np.testing.assert_allclose(found[:, i], np.stack(one_by_one)[:, 0], rtol=1e-12)
