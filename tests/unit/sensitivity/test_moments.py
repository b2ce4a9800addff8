"""Sensitivities of one sample's mean, variance and covariance."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from epsilens import sensitivity
from epsilens.budget import NEIGHBOURS, Neighbours
from epsilens.sensitivity import verify

ONE_VARIABLE = {"lower": -1.0, "upper": 2.0}


TWO_VARIABLES = {"lower": (0.0, -1.0), "upper": (2.0, 2.0)}


@pytest.mark.parametrize("neighbours", NEIGHBOURS)
@pytest.mark.parametrize("n", [3, 4, 5, 6])
@pytest.mark.parametrize(
    ("statistic", "arguments"),
    [
        ("proportion", {}),
        ("proportions", {"norm": 1}),
        ("proportions", {"norm": 2}),
        ("histogram", {"norm": 1}),
        ("histogram", {"norm": 2}),
        ("count", {}),
        ("mean", ONE_VARIABLE),
        ("variance", ONE_VARIABLE),
        ("covariance", TWO_VARIABLES),
    ],
)
def test_ungrouped_formulas_are_attained(
    statistic: str, arguments: dict[str, Any], n: int, neighbours: Neighbours
) -> None:
    found = verify(statistic, neighbours, n=n, **arguments)
    assert found.safe
    assert found.attained, found


@given(width=st.floats(1e-3, 1e3), shift=st.floats(-100, 100), n=st.integers(3, 10**9))
def test_scaling_and_shifting(width: float, shift: float, n: int) -> None:
    real = (shift + width) - shift
    for neighbours in NEIGHBOURS:
        assert sensitivity.mean(n, shift, shift + width, neighbours) == pytest.approx(real / n)
        assert sensitivity.variance(n, shift, shift + width, neighbours) == pytest.approx(real**2 / n)
        cov = sensitivity.covariance(n, (shift, 0), (shift + width, 2), neighbours)
        assert cov == pytest.approx(2 * real / n)
