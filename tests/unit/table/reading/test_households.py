"""Reading who lives with whom."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.errors import EpsilensError, ParameterError
from epsilens.table.reading.households import check_household, read_households

SCHEMA = el.Schema(["age", "sex"], "ill")


def frame() -> pd.DataFrame:
    return pd.DataFrame(
        {
            "age": [1, 1, 2, 2, 2, 3],
            "sex": ["f", "f", "m", "m", "f", "f"],
            "ill": ["yes", "yes", "yes", "no", "no", None],
            "home": ["x", "x", "x", "y", "y", None],
        }
    )


def test_households_are_counted_in_the_engine() -> None:
    found = read_households(frame(), SCHEMA, "home")
    assert found.labels == ("(missing)", "no", "yes")
    assert (found.n_households, found.mixed, found.without, found.largest) == (3, 0, 1, 3)
    assert found.label_weights.tolist() == [0.0, 1.0, 1.0]
    assert sorted(kinds.n_cells for kinds in found.kinds) == [1, 2]
    table = el.read_table(frame(), SCHEMA)
    assert {tuple(row) for row in found.vectors.tolist()} == {tuple(row) for row in table.vectors.tolist()}


def test_harm_structural_zeros_and_counts() -> None:
    schema = el.Schema(["age"], "ill", universe={"ill": ["no", "yes"]}, structural_zeros=[{"age": "3", "ill": "yes"}])
    rows = pd.DataFrame({"age": [1, 3], "ill": ["yes", "no"], "home": ["x", "y"], "n": [2, 3]})
    found = read_households(rows, schema, "home", count="n", harmful="ill=yes")
    assert found.label_weights.tolist() == [0.0, 1.0]
    assert found.vectors.min() == el.table.STRUCTURAL_ZERO
    assert (found.n_people, found.n_households) == (5, 2)


def test_values_that_are_many() -> None:
    rows = pd.DataFrame({"age": np.arange(60) % 2, "ill": [f"{i % 30:02}" for i in range(60)], "home": np.arange(60)})
    found = read_households(rows, el.Schema("age", "ill"), "home")
    assert found.vectors.tolist() == el.read_table(rows, el.Schema("age", "ill")).vectors.tolist()[::-1]
    assert (found.n_people, found.mixed) == (60, 0)


def test_many_homes_are_no_reason_to_warn() -> None:
    rows = pd.DataFrame({"age": ["a"] * 400, "ill": ["yes", "no"] * 200, "home": np.arange(400) // 2})
    assert read_households(rows, el.Schema("age", "ill"), "home").mixed == 200


@pytest.mark.parametrize(
    ("column", "schema", "said"),
    [
        ("age", SCHEMA, "quasi-identifier already"),
        ("ill", SCHEMA, "sensitive already"),
        (" ", SCHEMA, "name of a column"),
        ("home", el.Schema("age", "ill", unit="person"), "one row per person"),
        ("home", el.Schema("age", ["ill", "sex"]), "one `sensitive` attribute"),
    ],
)
def test_what_cannot_be_a_household_is_refused(column: str, schema: el.Schema, said: str) -> None:
    with pytest.raises(ParameterError) as error:
        check_household(schema, column)
    assert said in str(error.value).replace("sensitive attribute at", "`sensitive` attribute at")


def test_a_missing_column_is_named() -> None:
    with pytest.raises(EpsilensError, match="did you mean 'home'"):
        read_households(frame(), SCHEMA, "hme")
