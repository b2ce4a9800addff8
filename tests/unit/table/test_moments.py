"""Exact moments from one scan, against numpy."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.errors import ParameterError
from epsilens.table.moments import STEPS, MomentsQuery, Variable, merged
from epsilens.table.reading.moments import read_moments
from tests.support.moments import SITES, A, B, covariance, mean, people


def test_moments_equal_numpy_on_clamped_data() -> None:
    data = people()
    query = MomentsQuery((A,), ((A, A), (B, A), (A, B)), {"sex": ("f", "m")}, {"site": SITES})
    found = read_moments(pa.table(data), query)
    a, b = np.clip(data["a"], 0, 10), np.clip(data["b"], -2, 2)
    assert found.n == found.rows == 60
    assert mean(found, A) == pytest.approx(a.mean(), rel=1e-9)
    assert covariance(found, A, A) == pytest.approx(a.var(ddof=1), rel=1e-8)
    assert covariance(found, A, B) == covariance(found, B, A) == pytest.approx(np.cov(a, b)[0, 1], abs=1e-8)
    within = sum(((a[i::2] - a[i::2].mean()) * (b[i::2] - b[i::2].mean())).sum() for i in range(2))  # sites alternate
    pooled = float(A.width * B.width * found.pooled_covariance(A, B, "site"))
    assert pooled == pytest.approx(within / (60 - 2), abs=1e-8)
    assert found.sizes("site") == {"north": 30, "south": 30}
    assert found.proportion("sex", "f") == Fraction(1, 3)
    assert found.outside == {
        A: int(((data["a"] < 0) | (data["a"] > 10)).sum()),
        B: int(((data["b"] < -2) | (data["b"] > 2)).sum()),
    }
    assert found.outside[A] > 0


def test_a_large_offset_does_not_cancel() -> None:
    values = 1e9 + np.array([0.25, 0.5, 0.75, 1.0])
    variable = Variable("a", 1e9, 1e9 + 1)
    found = read_moments(pa.table({"a": values}), MomentsQuery(products=((variable, variable),)))
    assert covariance(found, variable, variable) == pytest.approx(np.var([0.25, 0.5, 0.75, 1.0], ddof=1), rel=1e-15)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=12))
def test_every_value_lies_on_the_grid_within_half_a_step(values: list[float]) -> None:
    variable = Variable("a", -1000.0, 500.0)
    found = read_moments(pa.table({"a": pa.array(values, pa.float64())}), MomentsQuery((variable,)))
    exact = sum((Fraction(min(max(x, -1000.0), 500.0)) for x in values), Fraction(0)) / len(values)
    ours = Fraction(variable.lower) + variable.width * found.mean(variable)
    assert abs(ours - exact) <= variable.width / STEPS * Fraction(51, 100)
    assert Fraction(0) <= found.mean(variable) <= Fraction(1)


def test_one_query_for_several() -> None:
    query = merged([MomentsQuery((A,), (), {"s": ("x",)}), MomentsQuery((), ((B, A),), {"s": ("y", "x")})])
    assert query.all_variables == (A, B)
    assert query.levels == {"s": ("x", "y")}
    assert query.pairs == ((A, B),)
    with pytest.raises(ParameterError, match="declared in two ways"):
        merged([MomentsQuery(groups={"s": ("x",)}), MomentsQuery(groups={"s": ("x", "y")})])


@pytest.mark.parametrize(
    ("bounds", "message"),
    [
        ((1, 1), "must be below its upper bound"),
        ((2, 1), "must be below its upper bound, got 2 and 1"),
        ((float("nan"), 1), "the lower bound of 'a' must be finite"),
        ((0, float("inf")), "the upper bound of 'a' must be finite"),
        ((0, 1e200), "measure the column in larger units"),
        ((0, 1e-200), "measure the column in smaller units"),
        ((0, "x"), "the upper bound of 'a' must be a number"),
    ],
)
def test_bounds_that_are_none(bounds: tuple[Any, Any], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Variable("a", *bounds)
