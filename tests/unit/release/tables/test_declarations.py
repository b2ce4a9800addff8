from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.release.tables.declarations import released_columns, roles_of_columns, schema_with_public_levels
from epsilens.release.universe import Paths
from epsilens.table import FrequencyTable, Quantiles, Schema

LEVELS = {"sex": ["f", "m"], "ill": ["n", "y"]}
DECLARED = Schema(["sex"], "ill", universe=LEVELS)
OPEN = Schema(["sex"], "ill", universe={"sex": ["f", "m"]})


def test_a_universe_says_what_may_be_shown() -> None:
    public = schema_with_public_levels(DECLARED, None, False, None)
    assert public is not None
    assert {name: list(levels) for name, levels in public.universe_levels.items()} == LEVELS
    with pytest.raises(
        ParameterError, match=r"^the universe is declared, so no threshold is needed; leave threshold_del"
    ):
        schema_with_public_levels(DECLARED, None, False, 1e-6)


def test_edges_declare_levels_and_a_range_those_of_one_width() -> None:
    edges = Schema(["age"], "ill", bins={"age": [0, 18, 65]}, universe={"ill": ["n", "y"]})
    assert schema_with_public_levels(edges, None, False, None) is not None
    width = Schema(["age"], "ill", bins={"age": 10}, universe={"ill": ["n", "y"]})
    with pytest.raises(ParameterError, match="does not declare the levels of 'age'"):
        schema_with_public_levels(width, None, False, None)


def test_without_a_universe_a_threshold_is_needed() -> None:
    with pytest.raises(
        ParameterError, match=r"^the universe does not declare the levels of 'ill'; which levels exist is"
    ):
        schema_with_public_levels(OPEN, None, False, None)
    assert schema_with_public_levels(OPEN, None, False, 1e-6) is not None


@pytest.mark.parametrize("threshold", [None, 1e-6])
def test_quantiles_are_facts_about_people_whatever_else_is_declared(threshold: float | None) -> None:
    read = Schema(["age"], "ill", bins={"age": Quantiles(4)})
    with pytest.raises(ParameterError, match=r"the quantile bins of 'age' are read from the data|levels of 'age'"):
        schema_with_public_levels(read, None, False, threshold)


def test_a_table_by_hand_has_public_cells_or_a_threshold_but_not_both() -> None:
    assert schema_with_public_levels(None, None, True, None) is None
    assert schema_with_public_levels(None, None, False, 1e-6) is None
    for public, threshold in ((False, None), (True, 1e-6)):
        with pytest.raises(ParameterError, match=r"^which cells exist is a fact about people; give a schema with"):
            schema_with_public_levels(None, None, public, threshold)
    with pytest.raises(ParameterError, match=r"^give a schema with the universe or cells_are_public, not both$"):
        schema_with_public_levels(DECLARED, None, True, None)


def test_paths_declare_columns_that_nest() -> None:
    nested = Schema(["county", "tract"], "ill", universe={"ill": ["n", "y"]})
    paths: Paths = {("county", "tract"): [["c1", "t1"], ["c1", "t2"]]}
    public = schema_with_public_levels(nested, paths, False, None)
    assert public is not None
    assert list(public.universe_levels["tract"]) == ["t1", "t2"]


def test_columns_are_those_of_the_schema_or_of_the_table() -> None:
    assert released_columns("people.csv", DECLARED) == ("sex", "ill")
    assert released_columns(FrequencyTable.from_counts([[1, 2]], ["a", "b"], {"sex": ["f"]}), None)[0] == "sex"
    assert released_columns(FrequencyTable.from_counts([[1, 2]], ["a", "b"]), None)[0] == "cell"


def test_of_several_columns_the_last_is_sensitive_unless_others_are_named() -> None:
    assert roles_of_columns(["a", "b", "y"]) == (("a", "b"), ("y",))
    assert roles_of_columns(["a", "b", "y"], ["a"]) == (("b", "y"), ("a",))
    assert roles_of_columns(["y"]) == (("y",), ())
    with pytest.raises(ParameterError, match="sensitive names 'z', which is not among columns"):
        roles_of_columns(["a"], ["z"])
    with pytest.raises(ParameterError, match="at least one of columns must not be sensitive"):
        roles_of_columns(["a", "b"], ["a", "b"])
