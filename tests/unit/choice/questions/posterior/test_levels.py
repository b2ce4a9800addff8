from __future__ import annotations

import pytest

from epsilens import posterior
from epsilens.choice.questions.posterior import levels
from epsilens.errors import ParameterError


def test_budgets_are_added_from_the_lowest_level_up() -> None:
    rows = levels.answer(levels.Question((0.1, 0.3), priors=(0.2,))).to_dict()["rows"]
    assert [row["levels"] for row in rows] == [1, 2]
    for row, rho in zip(rows, ((0.1,), (0.1, 0.3)), strict=True):
        assert row["posterior"] == pytest.approx(posterior.expected_unique_at_levels(rho, 0.2).posterior)


def test_a_preset_has_its_own_levels() -> None:
    assert len(levels.answer(levels.Question(preset="census-2020", priors=(0.5,))).rows) == 6


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({}, "give either rho or preset"),
        ({"rho": (0.1,), "priors": ()}, "priors needs at least one number"),
        ({"rho": (0.1,), "priors": (2.0,)}, "priors must lie"),
        ({"preset": "census-2030"}, "did you mean 'census-2020'"),
    ],
)
def test_nonsense_is_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        levels.Question(**given)  # type: ignore[arg-type]
