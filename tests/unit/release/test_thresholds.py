from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from epsilens.errors import ParameterError
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise, Noise
from epsilens.release.thresholds import smallest_threshold, threshold_delta
from epsilens.utility.accuracy import shown_probability


def cell_law(noise: Noise, count: int, threshold: int, reach: int) -> np.ndarray:
    """The law of what one cell shows: nothing (first), or each value from the threshold up; an empty cell nothing."""
    if count == 0:
        return np.append(1.0, np.zeros(reach))
    values = threshold + np.arange(reach)
    return np.append(float(noise.cdf(threshold - 1 - count)), noise.pmf(values - count))


def exact_delta(
    noise: Noise, epsilon: float, threshold: int, before: tuple[int, ...], after: tuple[int, ...], reach: int = 60
) -> float:
    """The larger of the two hockey-stick divergences between the outputs of two tables, by enumeration."""

    def joint(counts: tuple[int, ...]) -> np.ndarray:
        law = np.ones(1)
        for count in counts:
            law = np.multiply.outer(law, cell_law(noise, count, threshold, reach)).ravel()
        return law

    p, q = joint(before), joint(after)
    return max(float(np.maximum(a - math.exp(epsilon) * b, 0.0).sum()) for a, b in ((p, q), (q, p)))


@pytest.mark.parametrize(("rows", "epsilon", "threshold"), [(1, 0.7, 6), (2, 1.0, 8), (2, 3.0, 7), (3, 2.0, 9)])
def test_delta_of_one_person_more_or_less_against_enumeration(rows: int, epsilon: float, threshold: int) -> None:
    noise = DiscreteLaplaceNoise(rows / epsilon)
    promised = threshold_delta(noise, threshold, rows)
    before = (4, 0, 0) if rows < 3 else (4, 0)
    worst = 0.0
    for added in itertools.product(range(rows + 1), repeat=len(before)):
        if sum(added) <= rows:
            after = tuple(x + c for x, c in zip(before, added, strict=True))
            worst = max(worst, exact_delta(noise, epsilon, threshold, before, after))
    assert worst <= promised + 1e-12
    assert worst > 0.5 * promised


@pytest.mark.parametrize("rows", [1, 2])
def test_delta_of_one_person_replaced_against_enumeration(rows: int) -> None:
    epsilon, threshold = 1.5, 7
    noise = DiscreteLaplaceNoise(2 * rows / epsilon)
    promised = threshold_delta(noise, threshold, rows, "substitute")
    base = (3, 0, 0)
    moves = [m for m in itertools.product(range(rows + 1), repeat=3) if sum(m) == rows]
    for out, into in itertools.product(moves, moves):
        before = tuple(b + o for b, o in zip(base, out, strict=True))
        after = tuple(b + i for b, i in zip(base, into, strict=True))
        assert exact_delta(noise, epsilon, threshold, before, after) <= promised + 1e-12


def test_a_cell_with_one_person_is_shown_with_probability_at_most_delta() -> None:
    for scale in (0.3, 2.0, 40.0):
        noise = DiscreteLaplaceNoise(scale)
        tau = smallest_threshold(noise, 1e-6)
        assert float(shown_probability(noise, 1, tau)) <= 1e-6
        assert tau == 2 or float(shown_probability(noise, 1, tau - 1)) > 1e-6
        # In closed form: p^(tau - 1) / (1 + p) <= delta.
        p = math.exp(-1 / scale)
        assert tau == max(2, math.ceil(1 + math.log(1e-6 * (1 + p)) / math.log(p) - 1e-9))


def test_opendp_agrees_for_one_row_per_person() -> None:
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = (
        dp.map_domain(dp.atom_domain(T=str), dp.atom_domain(T="i64")),
        dp.l01inf_distance(dp.absolute_distance(T="i64")),
    )
    # OpenDP shows what exceeds its threshold, we what reaches ours.
    theirs = dp.m.make_laplace_threshold(*space, scale=2.0, threshold=30).map((1, 1, 1))  # type: ignore[no-untyped-call]
    assert threshold_delta(DiscreteLaplaceNoise(2.0), 31) == pytest.approx(theirs[1], rel=1e-9)


def test_the_smallest_threshold_is_the_smallest() -> None:
    for noise, rows in ((DiscreteLaplaceNoise(3.0), 4), (DiscreteGaussianNoise(5.0), 2)):
        for neighbours in ("add-remove", "substitute"):
            tau = smallest_threshold(noise, 1e-7, rows, neighbours)
            assert threshold_delta(noise, tau, rows, neighbours) <= 1e-7
            assert tau == rows + 1 or threshold_delta(noise, tau - 1, rows, neighbours) > 1e-7


def test_thresholds_that_protect_nobody_are_refused() -> None:
    with pytest.raises(ParameterError, match="must exceed the 2 rows"):
        threshold_delta(DiscreteLaplaceNoise(1.0), 2, 2)
    with pytest.raises(ParameterError, match="whole-number noise only"):
        smallest_threshold(LaplaceNoise(1.0), 1e-6)
    with pytest.raises(ParameterError, match=r"^delta must lie"):
        smallest_threshold(DiscreteLaplaceNoise(1.0), 0.0)
