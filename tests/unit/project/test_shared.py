"""What shared sections say to one command."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.project import Project

DATA: dict[str, Any] = {
    "source": "a.csv", "quasi_identifiers": ["age", "sex"], "sensitive": "ill", "bins": {"age": 5},
    "levels": ["tract"], "by": "sex", "count": "n",
}  # fmt: skip


def asked(command: str, **sections: Any) -> dict[str, Any]:
    return Project.of(**{"data": DATA, **sections}).parameters(command)


def test_a_table_and_a_hierarchy_are_told_apart() -> None:
    assert not {"levels", "by"} & set(asked("choose"))
    assert "quasi_identifiers" not in asked("choose", choose={"levels": "tract", "by": "age"})
    assert asked("posterior release")["levels"] == ["tract"]
    assert "bins" not in asked("posterior release")  # age is not among its columns
    assert asked("choose", data={"source": "a", "levels": "b", "by": "c"})["levels"] == "b"


def test_a_release_publishes_the_table_unless_it_names_columns() -> None:
    found = asked("release", release={"epsilon": 1})
    assert found["columns"] == ["age", "sex", "ill"]
    assert found["bins"] == ["age=5"]
    assert "levels" not in found
    found = asked("release", release={"columns": "sex,ill", "levels": ["sex"]})
    assert "bins" not in found
    assert "sensitive" not in found  # the last column is sensitive anyway
    assert found["levels"] == ["sex"]
    assert asked("release", release={"columns": ["ill", "sex"]})["sensitive"] == ["ill"]


@pytest.mark.parametrize(
    ("command", "noise", "own", "delta"),
    [
        ("choose", {"mechanisms": ["laplace", "gaussian"], "deltas": [1e-6]}, {}, None),
        ("choose", {"mechanisms": ["gaussian", "laplace"], "deltas": [1e-6]}, {}, 1e-6),
        ("choose", {"mechanisms": "gaussian-analytic", "deltas": 1e-6}, {"fixed_epsilon": 1}, None),
        ("choose", {"mechanisms": "gaussian-analytic,laplace", "deltas": "1e-6,0.1"}, {}, "1e-6"),
        ("release", {"mechanisms": ["discrete-gaussian"], "deltas": [1e-6]}, {}, None),
        ("release", {}, {"delta": 0.1}, 0.1),
    ],
)
def test_a_delta_goes_where_a_mechanism_takes_one(
    command: str, noise: dict[str, Any], own: dict[str, Any], delta: object
) -> None:
    assert asked(command, noise=noise, **{command: own}).get("delta") == delta


def test_commands_without_data_are_told_nothing_of_them() -> None:
    assert asked("demo", data={**DATA, "harmful": "ill=yes"}) == {}
    assert asked("evaluate") == {"quasi_identifiers": ["age", "sex"], "sensitive": "ill", "bins": {"age": 5}}
    assert asked("assess", assess={"bins": "age=10"})["bins"] == "age=10"


def test_at_an_equal_risk_every_system_has_its_own_budget() -> None:
    noise = {"epsilons": [1.0]}
    assert asked("compare", noise=noise)["epsilons"] == [1.0]
    assert "epsilons" not in asked("compare", noise=noise, compare={"equal_risk": "homogeneity=0.1"})


def test_of_two_tables_the_data_do_not_say_which_has_counts_rows_or_people() -> None:
    data = {**DATA, "table": "t", "where": "age > 3", "unit": "person", "missing": "drop"}
    found = asked("evaluate", data=data)
    assert not {"count", "table", "where", "unit", "source"} & set(found)
    assert found["missing"]


def test_what_harms_is_not_told_to_who_asks_for_use() -> None:
    data = {**DATA, "harmful": "ill=yes"}
    assert asked("assess", data=data)["harmful"] == "ill=yes"
    assert "harmful" not in asked("utility", data=data)
    assert asked("utility", utility={"harmful": "ill=yes"})["harmful"] == "ill=yes"  # which is refused by its name
