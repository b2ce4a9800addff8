"""Households at every budget of an assessment."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.households import assess_households, check_household_question, households_to_assess
from epsilens.errors import ParameterError
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.table.to_read import TableToRead


def data() -> TableToRead:
    rows = {
        "age": ["a", "a", "b", "b", "c", "c"],
        "ill": ["yes", "no", "yes", "no", "no", "no"],
        "home": [1, 2, 1, 2, 3, 3],
    }
    return TableToRead.of(pd.DataFrame(rows), "age", "ill")


def test_households_are_assessed_under_every_noise() -> None:
    found = households_to_assess(data(), "home")
    noises = [("laplace", el.PureDP(epsilon), el.calibrate("laplace", el.PureDP(epsilon))) for epsilon in (0.5, 2.0)]
    assessed = assess_households("home", found, noises)
    assert [line.risk.persons for line in assessed.lines] == [
        pytest.approx(el.homogeneity.households(found, noise).persons) for _, _, noise in noises
    ]
    line = assessed.lines[0]
    assert line.error_of_households == pytest.approx(expected_absolute_error(el.LaplaceNoise(4.0)))
    plain = json.loads(json.dumps(assessed.to_dict()))
    assert plain["households"] == 3
    assert plain["largest"] == 2
    assert [set(row) >= {"persons", "households", "people", "by_size"} for row in plain["budgets"]] == [True, True]
    assert plain["today"]["households"]["disclosed"] == pytest.approx(1 / 3)
    assert repr(assessed) == "HouseholdAssessment(3 households, 2 budgets)"
    assert "laplace" in repr(line)
    assert "INTERNAL" in assessed._repr_html_()


def test_noise_beyond_any_number_has_no_error() -> None:
    found = households_to_assess(data(), "home")
    tiny = el.PureDP(1e-299)
    assessed = assess_households("home", found, [("laplace", tiny, el.LaplaceNoise(1e3))])
    assert assessed.lines[0].error_of_households is None or assessed.lines[0].error_of_households > 1e299


def test_what_could_not_be_assessed_is_refused_before_reading() -> None:
    check_household_question(data(), "home")
    with pytest.raises(ParameterError, match="one table"):
        check_household_question(data(), "home", "joint")
    with pytest.raises(ParameterError, match="already"):
        check_household_question(data(), "age")
