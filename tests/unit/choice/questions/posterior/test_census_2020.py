from __future__ import annotations

import pytest

from epsilens.choice.questions.posterior import census_2020
from epsilens.errors import ParameterError
from epsilens.posterior import CENSUS_2020


def test_levels_run_from_the_lowest_up_and_add_up() -> None:
    result = census_2020.answer(census_2020.Question()).to_dict()
    assert [row["level"] for row in result["rows"]] == list(CENSUS_2020.level_names)
    assert result["rows"][0]["level"] == "block"
    assert sum(row["level_rho"] for row in result["rows"]) == pytest.approx(result["total"]["rho"])
    assert round(result["total"]["epsilon"], 3) == 17.158


def test_a_delta_outside_the_unit_interval_is_refused() -> None:
    with pytest.raises(ParameterError, match="delta must lie"):
        census_2020.Question(2.0)
