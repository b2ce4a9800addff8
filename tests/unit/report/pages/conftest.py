"""A small table, and pages without the bundle of Vega, which takes seconds."""

from __future__ import annotations

import pytest

from epsilens.report.page import render as rendering
from epsilens.table.frequency import FrequencyTable
from tests.support.page_reader import PageRead, check_order_of, read_page


@pytest.fixture(autouse=True)
def _small_bundle(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rendering, "_bundle", lambda: "window.vegaEmbed = null;")


@pytest.fixture
def table() -> FrequencyTable:
    """Cells of one label and of several."""
    return FrequencyTable.from_counts([[3, 0], [1, 2], [0, 1], [12, 4]], labels=["well", "ill"])


def read(page: object) -> PageRead:
    """The page as its readers have it; what holds for every page is checked."""
    from epsilens.report.page.parts import Page

    assert isinstance(page, Page)
    found = read_page(rendering.render(page))
    check_order_of(found.headings)
    assert all(figure == {"described": 1, "captions": 1, "tables": figure["tables"]} for figure in found.figures)
    assert all(figure["tables"] >= 1 for figure in found.figures)
    return found


SECTIONS_OF_ALL = ["What is assumed", "What is not covered", "Methods"]
