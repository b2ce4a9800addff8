from __future__ import annotations

from epsilens.report.page.parts import Figure, Page, Section
from epsilens.report.words.common import Grid, Text


def test_a_publishable_page_leaves_out_what_is_internal_or_has_it_replaced() -> None:
    page = Page(
        "Title",
        [
            Section("found", [Text("in the data")]),
            Section("declared", [Text("beforehand")], internal=False),
            Section("dial", [Text("of the table")], instead=[Text("of the noise")]),
        ],
    )
    kept = page.publishable()
    assert not kept.internal
    assert [section.title for section in kept.sections] == ["declared", "dial"]
    assert [list(section.parts) for section in kept.sections] == [[Text("beforehand")], [Text("of the noise")]]
    assert kept.publishable() == kept


def test_numbers_of_a_figure_are_one_table_or_several() -> None:
    grid = Grid("", ("a",), [("1",)])
    assert Figure(None, "", grid).tables == (grid,)
    assert Figure(None, "", [grid, grid]).tables == (grid, grid)
