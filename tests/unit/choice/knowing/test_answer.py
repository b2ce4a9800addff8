"""The answer as plain values."""

from __future__ import annotations

import json

import pytest

import epsilens as el
from epsilens.choice.knowing.answer import Knowledge

TABLE = el.FrequencyTable.from_counts(
    [[4, 0], [1, 2], [0, 3], [0, 3]], ["ill", "well"], {"age": ["20", "20", "30", "30"], "sex": ["f", "m", "f", "m"]}
)


@pytest.fixture(scope="module")
def found() -> Knowledge:
    return el.knowledge(TABLE, "gaussian-analytic", [0.5, 1.0], delta=1e-6, share=0.3)


def test_the_shape_of_the_json(found: Knowledge) -> None:
    plain = json.loads(json.dumps(found.to_dict()))
    assert [one["attributes"] for one in plain["subsets"]] == [["age"], ["sex"], ["age", "sex"]]
    assert [one["disclosed_today"] for one in plain["subsets"]] == [6, 0, 10]
    budget = plain["subsets"][0]["budgets"][1]
    assert (budget["mechanism"], budget["epsilon"], budget["delta"]) == ("gaussian-analytic", 1.0, 1e-6)
    assert {"added_up", "published", "added_up_clipped"} <= set(budget)
    assert set(budget["added_up_people"]) == {"average", "worst", "at_worst", "above_half"}
    assert {one["column"] for one in plain["columns"]} == {"age", "sex"}
    assert sum(one["due"] for one in plain["columns"]) == pytest.approx(10)
    assert sum(one["share"] for one in plain["columns"]) == pytest.approx(1)
    for column in plain["columns"]:
        assert sum(level["share"] for level in column["levels"]) == pytest.approx(column["share"])
    assert plain["smallest_sets"]["today"] == [["age"]]
    assert plain["nothing"]["attributes"] == []
    assert plain["added_up_over"] == "people"


def test_rows_and_frames(found: Knowledge) -> None:
    frame = found.to_pandas()
    assert len(frame) == 3 * 2
    assert list(frame.columns)[:2] == ["attributes", "disclosed_today"]
    assert "3 sets, 2 budgets" in repr(found)
    assert "not for publication" in found._repr_html_()
