from __future__ import annotations

import pytest

from epsilens.choice.questions.cell import Question, answer, curves
from epsilens.errors import ParameterError
from epsilens.report.charts.cell import cell_chart, check_panels


def test_what_varies_first_is_coloured_and_the_rest_makes_panels() -> None:
    question = Question(people=(1, 5), labels=(2, 3), epsilons=(1.0,))
    drawn = cell_chart(answer(question), curves(question)).to_dict()
    panels = drawn["hconcat"]
    assert [panel["title"]["text"] for panel in panels] == ["people = 1", "people = 5"]
    lines, dots, floors = panels[0]["layer"]
    assert lines["encoding"]["color"]["legend"]["title"] == "labels"
    assert [row["floor"] for row in drawn["datasets"][floors["data"]["name"]]] == [0.25, 0.125]
    assert len(drawn["datasets"][dots["data"]["name"]]) == 2
    assert "No data were read" in " ".join(drawn["title"]["subtitle"])


@pytest.mark.parametrize("axis", ["people", "labels", "delta"])
def test_the_axis_is_named(axis: str) -> None:
    gaussian = {"mechanisms": ("gaussian-analytic",), "deltas": (0.01,)}
    question = Question(people=(1, 5), labels=(2, 3), epsilons=(1.0,), axis=axis, **gaussian)  # type: ignore[arg-type]
    drawn = cell_chart(answer(question), curves(question)).to_dict()
    layer = (drawn["hconcat"][0] if "hconcat" in drawn else drawn)["layer"][0]
    assert layer["encoding"]["x"]["title"].startswith(axis)


def test_more_panels_than_can_be_read_are_refused() -> None:
    check_panels(Question(people=tuple(range(1, 13))))
    with pytest.raises(ParameterError, match="a chart of 15 panels cannot be read"):
        check_panels(Question(axis="delta", mechanisms=("gaussian-analytic",), people=(1, 2, 3)))


def test_along_labels_one_line_runs_through_all_of_them() -> None:
    question = Question(people=(5,), labels=(2, 3, 5), epsilons=(1.0,), axis="labels")
    drawn = cell_chart(answer(question), curves(question)).to_dict()
    rows = [row for rows in drawn["datasets"].values() for row in rows if "line" in row]
    assert len({row["line"] for row in rows}) == 1
    assert "epsilon 1" in " ".join(drawn["title"]["subtitle"])
