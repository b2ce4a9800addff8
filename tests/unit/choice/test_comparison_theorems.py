"""Theorems on concrete tables: what they say, what is true, and when they are worth nothing."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.choice.comparison_theorems import (
    FALSE,
    HOLDS,
    SILENT,
    VACUOUS,
    TheoremCheck,
    counterexample,
    sampled_below,
    theorems_of,
)
from tests.support.avoidance import random_histogram


def checks(
    histogram: av.Histogram,
    epsilons: list[float],
    sizes: list[int],
    bound: int | None = None,
    swap: tuple[str, ...] | None = None,
) -> list[TheoremCheck]:
    settings = av.Settings(max(sizes), swap).for_histogram(histogram)
    return list(theorems_of(histogram, epsilons, sizes, settings, bound))


def test_all_ten_in_their_order_at_each_epsilon_and_k() -> None:
    found = checks(random_histogram(1), [0.5, 2.0], [2, 3], swap=("race",))
    assert [check.theorem for check in found if (check.epsilon, check.k) in {(0.5, 2), (0.5, None)}][:10] == [
        *range(1, 11)
    ]
    assert [check.theorem for check in found if check.k == 3] == [1, 2, 5, 6, 7, 10] * 2
    assert found[-1] == counterexample()
    for check in found:
        plain = check.to_dict()
        assert plain["verdict"] in (HOLDS, FALSE, VACUOUS, SILENT)
        assert plain["worth"]


@pytest.mark.parametrize("seed", range(4))
def test_bounds_hold_and_so_does_what_needs_no_theorem(seed: int) -> None:
    """Of the ten, only Theorem 3 is false on every table; what is called trivial bounds the exact value as well."""
    for check in checks(random_histogram(seed), [0.01, 0.7, 5.0], [1, 3, 6], swap=("race",)):
        if check.theorem == 3:
            assert check.verdict == FALSE
        elif check.theorem < 10:
            assert check.verdict in (HOLDS, VACUOUS), check
            assert check.exact is not None
            if check.trivial is not None:
                assert check.exact <= check.trivial * (1 + 1e-9), check
            if check.theorem in (4, 6):
                assert check.verdict == HOLDS


def test_a_declared_bound_enters_theorems_1_and_5() -> None:
    histogram = av.Histogram(np.array([[5, 6], [8, 7]]), ("q", "y"), (("a", "b"), ("0", "1")), ("q",))
    first = {check.theorem: check for check in checks(histogram, [0.5], [6], bound=9)}
    assert first[1].printed == pytest.approx(0.9442, abs=5e-5)
    assert first[1].exact == pytest.approx(0.9284, abs=5e-5)
    assert (first[1].verdict, first[1].symbols) == (HOLDS, {"B": 9})
    own = {check.theorem: check for check in checks(histogram, [0.5], [6])}
    assert own[1].symbols == {"B": 8}
    assert own[5].printed == av.published.k_anonymity_delta(0.5, 8)


def test_theorem_10_of_a_table_and_its_counterexample() -> None:
    found = counterexample()
    assert found.printed == pytest.approx(0.0, abs=1e-12)
    assert found.exact == pytest.approx(0.945, abs=5e-4)
    assert found.verdict == FALSE
    assert found.symbols["bounds"]["laplace"] <= found.symbols["bounds"]["suppression"]  # what it does order
    levels = (("a", "b"), ("0", "1"))
    uneven = av.Histogram(np.array([[3, 10_000], [3, 3]]), ("q", "y"), levels, ("q",))
    assert next(check for check in checks(uneven, [0.5], [6]) if check.theorem == 10).verdict == FALSE
    even = av.Histogram(np.array([[2, 9], [4, 5]]), ("q", "y"), levels, ("q",))
    assert next(check for check in checks(even, [0.5], [6]) if check.theorem == 10).verdict == HOLDS
    empty = av.Histogram(np.array([[0, 9], [4, 5]]), ("q", "y"), levels, ("q",))
    assert next(check for check in checks(empty, [0.5], [6]) if check.theorem == 10).verdict == SILENT


def test_nothing_to_swap() -> None:
    one = av.Histogram(np.array([[5, 6]]), ("q", "y"), (("a",), ("0", "1")), ("q",))
    silent = [check.theorem for check in checks(one, [1.0], [2]) if check.verdict == SILENT]
    assert silent[:3] == [3, 4, 8]


def test_sampled_below_is_its_definition() -> None:
    rng = np.random.default_rng(2)
    counts, k, beta = np.array([0, 2, 5, 9]), 4, 0.6
    sampled = rng.binomial(counts, beta, (20_000, 4))
    drawn = ((sampled < k).mean(axis=0) - (counts < k)).sum()
    assert sampled_below(counts, k, beta) == pytest.approx(drawn, abs=0.02)
    assert sampled_below(counts, k, beta) == pytest.approx(av.published.merge_bias(counts, k, beta).sum())
