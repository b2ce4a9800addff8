"""Charts in the workbench: drawn once, and read aloud."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from epsilens.app.parts.charts import LONGEST, read_aloud, titles
from epsilens.app.work import Work

TITLE = {"text": "Sizes of cells", "subtitle": ["295 cells", "of age. Internal."]}


@pytest.mark.parametrize(
    ("specification", "said"),
    [
        ({"description": "What it shows.", "title": "Other"}, "What it shows."),
        ({"title": "Risk"}, "Risk"),
        ({"title": TITLE}, "Sizes of cells. 295 cells of age. Internal"),
        ({"vconcat": [{"layer": [{}, {"title": TITLE}]}]}, "Sizes of cells. 295 cells of age. Internal"),
        ({}, "A chart of the numbers in the table beside it"),
        ({"description": "x" * 2 * LONGEST}, "x" * LONGEST),
    ],
)
def test_a_chart_says_what_it_is(specification: dict[str, Any], said: str) -> None:
    assert read_aloud(specification) == said


def test_a_chart_without_titles_has_none() -> None:
    assert titles({"hconcat": [{"mark": "bar"}]}) == []


def _page(work: object) -> None:
    import altair as alt

    from epsilens.app.parts.charts import show

    drawn = alt.Chart(alt.InlineData(values=[{"x": 1}])).mark_point().properties(title="Risk", description="Said")
    show(work, "one", "same", lambda: drawn)  # type: ignore[arg-type]


def test_a_chart_is_drawn_once_with_a_text_and_white_behind_it() -> None:
    work = Work()
    app = AppTest.from_function(_page, args=(work,)).run()
    assert not app.exception
    ((key, kept),) = work._found.items()
    assert key == ("chart", "one", "same")
    (shown,) = app.get("vega_lite_chart")
    specification = json.loads(shown.proto.spec)
    assert specification["background"] == "white"
    assert isinstance(specification["padding"], dict)  # Streamlit's page adds to its parts, and fails on a number
    assert "description" not in specification
    assert kept["description"] == "Said"
