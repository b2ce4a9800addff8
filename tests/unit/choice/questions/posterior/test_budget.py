from __future__ import annotations

import math

import pytest

from epsilens.choice.questions.posterior import budget
from epsilens.errors import ParameterError


def test_the_simple_theorem_stands_beside_the_best_conversion() -> None:
    rows = budget.answer(budget.Question((0.099, 2.56), (1e-6, 1e-10))).to_dict()["rows"]
    assert [(row["rho"], row["delta"]) for row in rows] == [(0.099, 1e-6), (0.099, 1e-10), (2.56, 1e-6), (2.56, 1e-10)]
    for row in rows:
        rho, delta = row["rho"], row["delta"]
        assert row["published_epsilon"] == pytest.approx(rho + 2 * math.sqrt(rho * math.log(1 / delta)))
        assert row["epsilon"] < row["published_epsilon"]
    assert rows[-1]["published_epsilon"] == pytest.approx(17.915, abs=5e-4)
    assert rows[-1]["epsilon"] == pytest.approx(17.158, abs=5e-4)


@pytest.mark.parametrize(
    ("given", "problem"),
    [
        (((),), "rho needs at least one number"),
        (((1.0,), ()), "delta needs at least one number"),
        (((0.0,),), "rho must be > 0"),
        (((1.0,), (1.0,)), "delta must lie strictly between 0 and 1"),
    ],
)
def test_nonsense_is_refused(given: tuple[tuple[float, ...], ...], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        budget.Question(*given)
