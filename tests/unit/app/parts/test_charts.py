"""Charts in the workbench: drawn once, and read aloud."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.app.parts.charts import LONGEST, read_aloud, titles

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
