"""Questions about tables: asked, checked and planned without any data."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.release.tables.postprocessing import Choices
from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted, level_tables
from epsilens.release.tables.release import released
from epsilens.release.terms import Output, Payment, Person
from epsilens.release.universe import Paths
from epsilens.table import FrequencyTable, Schema
from tests.support.released_tables import LARGE, LEVELS, SCHEMA, release


def question(folder: Path = Path(), **changes: Any) -> TablesQuestion:
    given: dict[str, Any] = {
        "counting": Counting(SCHEMA),
        "spending": Spending(budget=LARGE),
        "person": Person(one_row_per_person=True),
        "payment": Payment(folder / "b.db", "survey", PureDP(1000.0)),
        **changes,
    }
    return TablesQuestion(**given)


def test_a_question_is_planned_without_data_and_does_not_change() -> None:
    asked = question(wanted=Wanted(marginals=[["sex"], []], shares=[3, 1]))
    assert [(table.name, str(table.share)) for table in asked.plan.tables] == [("sex", "0.75"), ("(total)", "0.25")]
    assert asked.columns == ("sex",)
    with pytest.raises(dataclasses.FrozenInstanceError):
        asked.person = Person("who")  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"spending": Spending()}, "^a release needs a budget; give epsilon, epsilon and delta, or rho$"),
        ({"choices": Choices(consistent=True)}, r"^consistency needs several tables \(consistent\); name marginals"),
        ({"choices": Choices(confidence=1.0)}, "confidence must lie"),
        ({"person": Person("who")}, "must be the one whose rows the schema bounds"),
        ({"counting": Counting(dataclasses.replace(SCHEMA, unit="who", max_rows_per_unit=2))}, "must be the one whose"),
    ],
)
def test_what_can_be_refused_without_data_is_refused_without_data(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        question(**changes)


def test_what_is_counted_is_declared() -> None:
    with pytest.raises(ParameterError, match=r"^a release needs a schema that says which columns to count"):
        Counting(None)
    with pytest.raises(ParameterError, match="does not declare the levels of 'sex', 'illness'"):
        Counting(Schema(["region", "sex"], "illness", universe={"region": LEVELS["region"]}))


def test_the_answer_is_that_of_the_call_with_keywords(people: Path, tmp_path: Path) -> None:
    asked = question(tmp_path, wanted=Wanted(levels=["sex", "region"]), output=Output(tmp_path / "o.csv"))
    answer = released(asked, people)
    called = release(people, tmp_path, levels=["sex", "region"], out=tmp_path / "p.csv")
    assert (tmp_path / "o.csv").read_bytes() == (tmp_path / "p.csv").read_bytes()  # this noise is 0 almost surely
    for name in ("mechanism", "budget", "unit", "universe", "schema", "intervals", "disclosure"):
        assert answer.card[name] == called.card[name]
    assert answer.to_dict() == {
        "card": answer.card,
        "files": {
            "output": str(tmp_path / "o.csv"),
            "card": str(tmp_path / "o.card.json"),
            "card-text": str(tmp_path / "o.card.md"),
            "internal": str(tmp_path / "o.internal.json"),
        },
    }


def test_levels_are_named_lowest_first_and_the_older_hierarchy_coarsest_first() -> None:
    columns = ["county", "tract", "block", "y"]
    lowest_first = level_tables(columns, ["block", "tract", "county"])
    assert lowest_first == [("county", "tract", "block", "y"), ("county", "tract", "y"), ("county", "y")]
    assert Wanted(levels=["block", "tract", "county"]).tables(columns) == lowest_first
    assert Wanted(hierarchy=["county", "tract", "block"]).tables(columns) == lowest_first[::-1]
    with pytest.raises(ParameterError, match=r"^levels names 'tracts', which is not released; did you mean 'tract'"):
        level_tables(columns, ["tracts"])
    with pytest.raises(ParameterError, match=r"^give only one of marginals, levels and hierarchy$"):
        Wanted(levels=["tract"], hierarchy=["tract"])


def test_levels_in_the_wrong_order_are_refused_where_the_universe_declares_how_they_nest() -> None:
    paths: Paths = {("county", "tract"): [["a", "a1"], ["a", "a2"], ["b", "b1"]]}
    columns = ("county", "tract", "sex")
    assert Wanted(levels=["tract", "county"]).tables(columns, paths) == [("county", "tract", "sex"), ("county", "sex")]
    with pytest.raises(ParameterError, match="levels must be listed lowest first: by the universe each 'tract'"):
        Wanted(levels=["county", "tract"]).tables(columns, paths)
    with pytest.raises(ParameterError, match="hierarchy must be listed coarsest first"):
        Wanted(hierarchy=["tract", "county"]).tables(columns, paths)
    again: Paths = {("county", "tract"): [["a", "1"], ["a", "2"], ["b", "1"], ["b", "2"]]}  # codes used in every county
    assert Wanted(levels=["tract", "county"]).tables(columns, again) is not None


def test_a_question_about_a_table_made_by_hand_is_not_answered_from_another(people: Path, tmp_path: Path) -> None:
    counting = Counting(None, columns=("cell", "label"), cells_are_public=True)
    asked = question(tmp_path, counting=counting)
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["a", "b"])
    assert released(asked, table).tables[0].counts.tolist() == [3, 0, 1, 2]
    named = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["a", "b"], cells={"q": ["x", "y"]})
    for other in (people, named):
        with pytest.raises(ParameterError, match="a table of counts by cell, label was asked about"):
            released(asked, other)
