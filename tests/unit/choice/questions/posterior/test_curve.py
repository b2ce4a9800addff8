from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import curve
from epsilens.errors import ParameterError


def test_rows_run_through_rho_for_each_prior() -> None:
    rows = curve.answer(curve.Question(0.1, 10.0, 3, (0.5, 0.1))).to_dict()["rows"]
    assert [(row["prior"], row["rho"]) for row in rows] == [
        (p, pytest.approx(r)) for p in (0.5, 0.1) for r in (0.1, 1, 10)
    ]
    assert rows[4]["posterior"] == pytest.approx(posterior.expected_single_level(1.0, 0.1).posterior)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"priors": ()}, "priors needs at least one number"),
        ({"priors": (0.5, 1.0)}, "priors must lie"),
        ({"lowest": 0.0}, "lowest must be > 0"),
        ({"lowest": 2.0, "highest": 1.0}, "highest must not be below lowest, got 1"),
        ({"points": 1}, "points must be >= 2"),
        ({"points": 10_001}, "points must be at most 10000"),
    ],
)
def test_curves_that_cannot_be_drawn(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        curve.Question(**given)  # type: ignore[arg-type]


def test_where_the_ratio_falls_it_is_said() -> None:
    answer = curve.answer(curve.Question(2.4, 3.6, 25, (1 / 864, 0.5)))
    [fall] = answer.to_dict()["falls"]
    assert fall["prior"] == 1 / 864
    assert 2.6 < fall["from_rho"] < 2.9 < fall["to_rho"] < 3.3
    assert fall["from_ratio"] > fall["to_ratio"]
    assert curve.answer(curve.Question(2.4, 3.6, 5, (0.5,), absent=True)).falls == ()


def test_a_mark_lies_on_the_curve() -> None:
    assert curve.Question(0.1, 1.0).checked_mark(0.5) == 0.5
    with pytest.raises(ParameterError, match="mark must lie between lowest and highest, got 2"):
        curve.Question(0.1, 1.0).checked_mark(2.0)
