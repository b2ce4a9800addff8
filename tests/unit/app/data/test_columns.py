from __future__ import annotations

import pytest

from epsilens.app.data import columns as page
from epsilens.report.words.common import Block, Grid
from epsilens.table.column_facts import Column, Structure
from epsilens.table.suggested_roles import suggested


def shown(found: Structure, monkeypatch: pytest.MonkeyPatch) -> list[Block]:
    blocks: list[Block] = []
    monkeypatch.setattr(page, "show", blocks.extend)
    page.columns(found, suggested(found))
    return blocks


def test_columns_with_a_suggestion_come_first_and_wide_tables_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    many = tuple(Column(f"c{i}", "text", 5, 0) for i in range(100))
    grid, note = shown(Structure(1_000, (*many, Column("sex", "text", 2, 0))), monkeypatch)
    assert isinstance(grid, Grid)
    assert grid.rows[0][:3] == ("sex", "text", "others may know it")
    assert len(grid.rows) == page.MOST_LISTED
    assert "41 more columns" in str(note)


def test_numbers_of_values_are_about_right_where_they_are_not_exact(monkeypatch: pytest.MonkeyPatch) -> None:
    (grid,) = shown(Structure(9, (Column("sex", "text", 2_000, 1),), exact=False), monkeypatch)
    assert isinstance(grid, Grid)
    assert grid.rows[0][4:] == ("about 2,000", "1")


def test_every_role_has_its_words() -> None:
    assert set(page.ROLES) == {"known", "sensitive", "count", "weight", "unit", "unused"}
