"""Swapping by discrepancy: the law of its pairs, what it keeps, what it moves."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.avoidance.discrepancy import _Pairs
from epsilens.avoidance.exchanged import Unit
from epsilens.errors import ParameterError
from tests.support.avoidance import swappable_people

CODES = np.array([[0, 0], [0, 3], [1, 0], [1, 5]])  # a category and a number
NUMBERS = np.array([0.0, 1.0, 2.0, 6.0, 7.0, 8.0])


def distance(a: int, b: int) -> float:
    (x, i), (y, j) = CODES[a], CODES[b]
    return float(x != y) + float(abs(NUMBERS[i] - NUMBERS[j])) / 8.0


def next_pair(left: tuple[int, ...]) -> dict[tuple[int, int], float]:
    weights = {(a, b): left[a] * left[b] * distance(a, b) for a, b in itertools.combinations(range(4), 2)}
    total = sum(weights.values())
    return {pair: weight / total for pair, weight in weights.items() if weight}


def test_two_pairs_have_the_law_of_all_lists_of_pairs() -> None:
    """One after another among free rows, each in proportion to its discrepancy: against the list of all of them."""
    free = (1, 2, 1, 2)
    expected: dict[tuple[tuple[int, int], ...], float] = {}
    for first, p in next_pair(free).items():
        left = tuple(count - (kind in first) for kind, count in enumerate(free))
        for second, q in next_pair(left).items():
            expected[first, second] = expected.get((first, second), 0.0) + p * q
    assert sum(expected.values()) == pytest.approx(1.0)
    rng, rounds = np.random.default_rng(1), 2000
    seen = dict.fromkeys(expected, 0)
    sampler = _Pairs(CODES, [None, NUMBERS], np.array(free))
    for _ in range(rounds):
        one, other = sampler.drawn(2, rng)
        seen[tuple((min(a, b), max(a, b)) for a, b in zip(one.tolist(), other.tolist(), strict=True))] += 1
    for pairs, p in expected.items():
        assert abs(seen[pairs] / rounds - p) <= 5 * np.sqrt(p * (1 - p) / rounds)


def test_many_people_are_swapped_once_each_and_alike_ones_never() -> None:
    records = swappable_people(3000, 5)
    released = av.DiscrepancySwapping(1.0, ("race",)).release(records, np.random.default_rng(2))
    assert sorted(released.values("race")) == sorted(records.values("race"))
    for name in ("age", "sex", "income"):
        np.testing.assert_array_equal(released.values(name), records.values(name))
    first, second = _Pairs(np.array([[0], [1]]), [None], np.array([900, 100])).drawn(500, np.random.default_rng(1))
    assert len(first) == 100  # then all that are left are alike
    assert (first != second).all()


@pytest.mark.parametrize("unit", ["rows", "cells"])
def test_simulation_agrees_with_the_list_of_all_outputs(unit: str) -> None:
    table = ((3, 1), (0, 2))
    system = av.DiscrepancySwapping(0.7, unit=unit)  # type: ignore[arg-type]
    law = system.output_law(table)
    assert sum(law.values()) == pytest.approx(1.0)
    histogram = av.Histogram(np.array(table), ("other", "qid"), (("0", "1"), ("0", "1")), ("qid",))
    rng, rounds = np.random.default_rng(3), 600
    seen: dict[object, int] = {}
    for _ in range(rounds):
        counts = system.release(histogram, rng).counts.astype(int)
        key = tuple(tuple(int(count) for count in row) for row in counts)
        seen[key] = seen.get(key, 0) + 1
    assert set(seen) <= set(law)
    for output, p in law.items():
        assert abs(seen.get(output, 0) / rounds - p) <= 5 * np.sqrt(p * (1 - p) / rounds) + 1e-12


@pytest.mark.parametrize("unit", ["rows", "cells"])
def test_the_bias_of_one_swap_is_that_of_the_list(unit: str) -> None:
    counts = np.array([[3, 1], [0, 2]])
    system = av.DiscrepancySwapping(0.5, unit=unit)  # type: ignore[arg-type]
    histogram = av.Histogram(counts, ("other", "qid"), (("0", "1"), ("0", "1")), ("qid",))
    law = system.output_law(tuple(map(tuple, counts.tolist())))
    outputs, masses = np.array(list(law), dtype=float), np.array(list(law.values()))
    exact = system.moments(histogram)
    assert exact is not None
    mean = np.tensordot(masses, outputs, axes=1)
    np.testing.assert_allclose(exact.bias, mean - counts, atol=1e-12)
    np.testing.assert_allclose(exact.variance, np.tensordot(masses, (outputs - mean) ** 2, axes=1), atol=1e-12)
    assert av.DiscrepancySwapping(1.0).moments(histogram) is None
    idle = av.DiscrepancySwapping(0.1).moments(histogram)
    assert idle is not None
    assert not idle.bias.any()


def test_nobody_comes_where_nobody_can_be_and_nobody_is_lost() -> None:
    possible = np.array([[True, False], [True, True]])
    histogram = av.Histogram(np.array([[4, 0], [2, 3]]), ("q", "y"), (("a", "b"), ("0", "1")), ("q",), (), possible)
    for seed in range(20):
        released = av.DiscrepancySwapping(1.0).release(histogram, np.random.default_rng(seed)).counts
        assert released[0, 1] == 0
        assert released.sum() == 9
    apart = av.Histogram(np.array([[4, 0], [0, 3]]), ("q", "y"), (("a", "b"), ("0", "1")), ("q",), (), possible)
    released = av.DiscrepancySwapping(1.0).release(apart, np.random.default_rng(1)).counts
    assert released.tolist() == [[4, 0], [0, 3]]
    one = av.DiscrepancySwapping(0.4).moments(apart)
    assert one is not None
    assert not one.bias.any()


def test_neighbours_have_nothing_in_common() -> None:
    units: tuple[Unit, ...] = ("rows", "cells")
    for unit in units:
        found = av.witness(av.DiscrepancySwapping(0.3, unit=unit))
        assert found is not None
        assert found.probability == pytest.approx(1.0)
    assert av.DiscrepancySwapping(0.3, match_on=("age",)).enumeration() is None
    assert av.DiscrepancySwapping(0.3).delta() == 1.0


def test_bad_input_says_the_rule() -> None:
    with pytest.raises(ParameterError, match="unit must be one of"):
        av.DiscrepancySwapping(0.1, unit="people")  # type: ignore[arg-type]
    records = swappable_people(10, 1)
    with pytest.raises(ParameterError, match="a swapped column must be one of"):
        av.DiscrepancySwapping(0.5, columns=("rcae",)).release(records, np.random.default_rng(1))
    with pytest.raises(ParameterError, match="a column to match on must be one of"):
        av.DiscrepancySwapping(0.5, match_on=("agee",)).release(records, np.random.default_rng(1))
