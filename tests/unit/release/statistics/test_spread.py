"""Declared statistics: what is refused, and how they are written down."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.release.statistics import (
    Covariance,
    CovarianceMatrix,
    Mean,
    PooledVariance,
    Proportions,
    Statistic,
    Variance,
    statistic_from,
)
from tests.support.released_statistics import ALL


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mean("a", 5, 5), "must be below its upper bound"),
        (lambda: Mean("a", math.nan, 5), "must be finite"),
        (lambda: Mean("", 0, 5), "named by a text"),
        (lambda: Variance("a", 0, math.inf), "must be finite"),
        (lambda: Covariance(("a",), (0,), (1,)), "needs two columns, got 1"),
        (lambda: Covariance(("a", "b"), (0, 0), (1,)), "upper must hold one bound for each of the 2 columns, got 1"),
        (lambda: Covariance(("a", "a"), (0, 0), (1, 1)), "names a column twice"),
        (lambda: Covariance("ab", (0, 0), (1, 1)), "columns of a covariance must be a list"),
        (lambda: CovarianceMatrix(["a", "b"], [0, 3], [1, 2]), "the lower bound of 'b' must be below"),
        (lambda: Proportions("s", ["x"]), "need 2 to 1000 levels, got 1"),
        (lambda: Proportions("s", ["x", "x"]), "lists a value twice"),
        (lambda: PooledVariance("a", 0, 1, "s", []), "at least one value"),
        (lambda: statistic_from({"kind": "meen"}), "did you mean 'mean'"),
        (lambda: statistic_from({"kind": "mean", "column": "a"}), "lower, upper not given"),
        (lambda: statistic_from({"kind": "mean", "col": "a"}), "got 'col'; did you mean 'column'"),
        (lambda: statistic_from([1]), 'an object with its "kind"'),
    ],
)
def test_declarations_that_hold_no_statistic(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("statistic", ALL, ids=lambda s: s.kind)
def test_a_declaration_can_be_written_down_and_read_again(statistic: Statistic) -> None:
    assert statistic_from(json.loads(json.dumps(statistic.to_dict()))) == statistic
