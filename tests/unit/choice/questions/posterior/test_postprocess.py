from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import postprocess
from epsilens.errors import ParameterError


def test_rows_are_those_of_the_check() -> None:
    result = postprocess.answer(postprocess.Question((1, 5), 3, (0.1,), 0.3)).to_dict()
    check = posterior.postprocessing_check([1, 5], 3, [0.1], 0.3)
    assert result["verdict"] == check.verdict
    assert [row["posterior"] for row in result["rows"]] == [row.posterior for row in check.rows]
    assert {row["rho"] for row in result["rows"]} == {0.1}


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"shown": ()}, "shown needs at least one number"),
        ({"rho": ()}, "rho needs at least one number"),
        ({"shown": (1.5,)}, "shown must be a whole number"),
        ({"siblings": 0}, "siblings must be >= 1"),
        ({"rho": (0.0,)}, "rho must be > 0"),
        ({"prior": 1.0}, "prior must lie"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        postprocess.Question(**given)  # type: ignore[arg-type]


def test_one_budget_cannot_be_drawn_along() -> None:
    postprocess.Question((1,), 3, (0.1, 0.2)).check_drawn("rho")
    with pytest.raises(ParameterError, match="axis needs several budgets in rho"):
        postprocess.Question((1,), 3, (0.1,)).check_drawn("rho")
