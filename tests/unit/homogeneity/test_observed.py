"""What a concrete published table shows: every number against a count of people, one by one."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.homogeneity import belief
from epsilens.homogeneity.observed import observed
from epsilens.table import FrequencyTable

RNG = np.random.default_rng(1)
TRUTH = RNG.poisson(1.2, (40, 3))
SHOWN = np.maximum(TRUTH + RNG.integers(-1, 2, TRUTH.shape), 0)
WEIGHTS = np.array([1.0, 0.0, 2.0])


@pytest.mark.parametrize("weights", [np.ones(3), WEIGHTS])
def test_against_a_walk_through_all_people(weights: np.ndarray) -> None:
    right = wrong = hard = soft = none = people = harmful = 0.0
    by_value = {k: [0.0, 0.0] for k in range(3)}
    for cell, shown in zip(TRUTH, SHOWN, strict=True):
        positive = np.flatnonzero(shown > 0)
        best = np.flatnonzero((shown == shown.max()) & (shown > 0))
        for label, number in enumerate(cell):
            for _ in range(number):
                people += 1
                if len(positive) == 1:
                    k = int(positive[0])
                    by_value[k][0 if k == label else 1] += 1
                    if weights[k] > 0:
                        right, wrong = (right + 1, wrong) if k == label else (right, wrong + 1)
                hit = (label in best) / len(best) if len(best) else 0.0
                hard, harmful = hard + hit, harmful + (hit if weights[label] > 0 else 0.0)
                soft += shown[label] / shown.sum() if shown.sum() else 0.0
                none += not len(best)
    found = observed(TRUTH, SHOWN, weights)
    assert (found.people_right, found.people_wrong) == (right, wrong)
    assert found.shown_right == pytest.approx(right / people)
    assert found.believing == pytest.approx(right / (right + wrong))
    assert found.hard.right == pytest.approx(hard / people)
    assert found.hard.harmful == pytest.approx(harmful / people)
    assert found.soft.right == pytest.approx(soft / people)
    assert found.hard.none == pytest.approx(none / people)
    assert found.hard.right + found.hard.wrong + found.hard.none == pytest.approx(1.0)
    for k, value in enumerate(found.by_value(("a", "b", "c"))):
        assert [value.shown_right * people, value.shown_wrong * people] == pytest.approx(by_value[k])
        assert value.weight == weights[k]


def test_a_table_published_as_it_is_shows_what_belief_says() -> None:
    table = FrequencyTable.from_counts(TRUTH)
    found, expected = observed(table.counts, table.counts), belief(table)
    assert found.shown_right == pytest.approx(expected.right)
    assert (found.shown_wrong, found.believing) == (0.0, 1.0)
    assert found.guessing == pytest.approx(expected.guessing)
    assert found.exact.sum() == (TRUTH.sum(axis=1) > 0).sum()


def test_cells_that_are_invented_lost_exact_or_withheld() -> None:
    truth, shown = np.array([[2, 0], [0, 0], [1, 3], [0, 1]]), np.array([[2, 0], [0, 4], [0, 0], [0, 0]])
    found = observed(truth, shown)
    assert (found.invented, found.lost, found.exact.tolist()) == (1, 2, [True, False, False, False])
    assert found.alone.tolist() == [0, 1, -1, -1]
    hidden = np.array([[False, True], [False] * 2, [True] * 2, [False] * 2])
    withheld = observed(truth, shown, withheld=hidden)
    assert withheld.alone.tolist() == [-1, 1, -1, -1]
    assert (withheld.lost, withheld.people_right, withheld.believing) == (1, 0, None)


def test_bad_input() -> None:
    with pytest.raises(DataError, match="whole numbers >= 0"):
        observed(np.array([[-1, 2]]), np.array([[1, 2]]))
    with pytest.raises(DataError, match="same cells and labels"):
        observed(np.array([[1, 2]]), np.array([[1, 2, 3]]))
    with pytest.raises(DataError, match="nobody to protect"):
        observed(np.array([[0, 0]]), np.array([[1, 2]]))


def test_a_cell_that_shows_several_labels_or_none_shows_no_harmful_one() -> None:
    found = observed(
        np.array([[1, 1], [0, 2], [3, 0], [0, 1]]), np.array([[1, 1], [0, 2], [3, 0], [0, 0]]), np.array([0.0, 1.0])
    )
    assert found.harms.tolist() == [False, True, False, False]
