"""Suppression: what is replaced, and what a reader can tell."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.arrays import FloatArray
from epsilens.errors import DataError, ParameterError


def test_rounding_keeps_halves_up_and_arrays_stay_arrays() -> None:
    system = av.Suppression(4)
    np.testing.assert_array_equal(system.release([0, 3, 4, 9]), [2, 2, 4, 9])
    np.testing.assert_array_equal(av.Suppression(5, "equation-1").release([0, 2, 3, 9]), [2.5, 2.5, 3, 9])
    np.testing.assert_array_equal(av.Suppression(5).release([0, 2, 3, 9]), [2, 2, 2, 9])


def test_a_true_count_between_the_halves_is_read_as_what_it_is() -> None:
    """Eq. (2) replaces by k / 2, which an odd threshold does not share with any true count."""
    counts, released = np.array([0.0, 2.0, 3.0, 7.0]), np.array([2.5, 2.0, 2.5, 7.0])
    assert av.DPSuppression(5, 1.0).visible(counts, released).tolist() == [False, True, False, True]
    assert av.DPSuppression(5, 1.0).shown_probabilities(counts)[1] > 0  # type: ignore[index]
    assert av.DPSuppression(4, 1.0).visible(counts, counts).tolist() == [False, False, True, True]
    assert av.DPSuppression(5, 1.0, "algorithm-2").visible(counts, counts).tolist() == [False, False, True, True]
    assert av.Suppression(5).visible(counts, av.Suppression(5).release(counts)).tolist() == [False, False, False, True]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: av.Suppression(0), "k must be >= 1, got 0"),
        (lambda: av.Suppression(True), "k must be a whole number"),
        (lambda: av.Suppression(3).delta("rows"), "neighbours must be one of"),  # type: ignore[arg-type]
        (lambda: av.DPSuppression(6, -1.0), "epsilon must be > 0"),
        (lambda: av.DPSuppression(6, 1.0, "eq"), "reading must be one of"),  # type: ignore[arg-type]
        (lambda: av.DPSuppression(6, 1.0).published_delta(), "needs bound, the largest"),
        (lambda: av.DPSuppression(6, 1.0).delta(bound=6), "bound must exceed the threshold 6, got 6"),
    ],
)
def test_bad_input_says_the_rule(call: Callable[[], object], message: str) -> None:
    with pytest.raises((ParameterError, DataError), match=message):
        call()


def test_moments_of_a_noisy_threshold_however_wide_it_is() -> None:
    """Against the sum over all thresholds; and as epsilon tends to 0, where the threshold is T = b |E| or negative."""
    counts = np.array([0.0, 1.0, 4.0, 7.0, 1001.0])
    for k, epsilon in ((1, 0.5), (6, 0.01), (9, 3.0)):
        system = av.DPSuppression(k, epsilon, "algorithm-2")
        j = np.arange(0.0, 20_000.0)  # half of the threshold
        for x, bias, variance in zip(counts, *_moments(system, counts), strict=True):
            above = system.noise.sf(np.maximum(2 * j, x) - k) - system.noise.sf(np.maximum(2 * j + 2, x) - k)
            mean = x * float(system.noise.cdf(x - k)) + above @ j
            square = x**2 * float(system.noise.cdf(x - k)) + above @ j**2
            np.testing.assert_allclose([bias, variance], [mean - x, square - mean**2], rtol=1e-9, atol=1e-9)
    bias, variance = _moments(av.DPSuppression(6, 1e-9, "algorithm-2"), np.zeros(1))
    assert bias[0] == pytest.approx(5e8, rel=1e-7)  # E of T / 2, half of the time
    assert variance[0] == pytest.approx(7.5e17, rel=1e-7)
    with pytest.raises(ParameterError, match="too wide to be compared by its errors"):
        av.DPSuppression(6, 1e-101, "algorithm-2").moments(counts)


def _moments(system: av.DPSuppression, counts: FloatArray) -> tuple[FloatArray, FloatArray]:
    moments = system.moments(counts)
    return moments.bias, moments.variance
