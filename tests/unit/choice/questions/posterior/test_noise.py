from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from epsilens.choice.questions.posterior import noise
from epsilens.errors import ParameterError


def summed(rho: float, terms: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """The law of a sum by plain convolution, about its middle."""
    k = np.arange(-40, 41)
    one = np.exp(-rho * k**2)
    one /= one.sum()
    law = np.ones(1)
    for _ in range(terms):
        law = np.convolve(law, one)
    return law


def test_sums_are_the_convolved_ones_and_their_distance_that_of_print() -> None:
    answer = noise.answer(noise.Question((1.0,), (5, 27)))
    assert [total.distance for total in answer.sums] == pytest.approx([1.08e-3, 5.66e-4], abs=5e-6)
    for total in answer.sums:
        law = summed(1.0, total.terms)
        middle = len(law) // 2
        reach = int(total.values[-1])
        inside = slice(max(0, middle - reach), middle + reach + 1)
        assert total.exact == pytest.approx(law[inside], abs=1e-14)
        rough = np.exp(-(total.values**2) / total.terms)
        assert total.approximate == pytest.approx(rough / rough.sum(), abs=1e-14)
        assert total.distance == pytest.approx(0.5 * np.abs(total.exact - total.approximate).sum(), abs=1e-12)
        assert total.largest_difference == np.abs(total.exact - total.approximate).max()
        assert float(total.exact @ total.values**2) == pytest.approx(total.variance, rel=1e-9)


def test_variances_are_the_summed_ones() -> None:
    for draw in noise.answer(noise.Question((0.099, 1.0, 4.0), (1,))).draws:
        k = np.arange(-60, 61.0)
        law = np.exp(-draw.rho * k**2)
        assert draw.variance == pytest.approx(float(law @ k**2 / law.sum()), rel=1e-12)
        assert draw.scale == pytest.approx(draw.sigma**2)
    curve = noise.variance_curve()
    assert all(draw.variance <= draw.scale * (1 + 1e-12) for draw in curve)
    assert curve[-1].variance == pytest.approx(curve[-1].scale)


def test_json_holds_the_middle_of_each_law() -> None:
    plain = noise.answer(noise.Question((0.099,), (27,))).to_dict()
    [total] = plain["sums"]
    assert len(total["values"]) == len(total["exact"]) == len(total["approximate"]) < 120
    assert sum(total["exact"]) == pytest.approx(1.0, abs=1e-3)
    assert plain["label"] == "publishable"


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        ({"rho": ()}, "rho needs at least one number"),
        ({"rho": (0.0,)}, "rho must be > 0"),
        ({"terms": (0,)}, "terms must be >= 1"),
        ({"terms": (1.5,)}, "terms must be a whole number"),
        ({"terms": (10**6,)}, "terms must be at most 10,000"),
    ],
)
def test_nonsense_is_refused(given: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        noise.Question(**given)


def test_laws_that_are_too_long_and_charts_that_are_not_there_are_refused() -> None:
    with pytest.raises(ParameterError, match="more than are listed; take a larger rho, or fewer terms"):
        noise.answer(noise.Question((1e-9,), (5,)))
    assert noise.checked_charts(("sum", "sum")) == ("sum",)
    with pytest.raises(ParameterError, match="chart must be one of variance, sum"):
        noise.checked_charts(("mean",))
