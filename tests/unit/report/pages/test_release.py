from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from epsilens.budget import PureDP
from epsilens.release.tables.release import Released, release_table
from epsilens.report.pages.release import page_of
from epsilens.table import Schema
from tests.unit.report.pages.conftest import read


@pytest.fixture
def released(tmp_path: Path) -> Released:
    people = pd.DataFrame({"sex": list("fmfmmfff"), "ill": list("yynnyyyy")})
    schema = Schema(["sex"], "ill", universe={"sex": ["f", "m"], "ill": ["y", "n"]})
    return release_table(
        people, "discrete-laplace", PureDP(0.5), tmp_path / "b.db", "survey|1", schema=schema,
        total=PureDP(2.0), one_row_per_person=True, out=tmp_path / "o.csv",
    )  # fmt: skip


def test_the_card_is_a_label_with_consequences_first(released: Released) -> None:
    page = page_of(released)
    told = read(page)
    assert not page.internal
    assert page.publishable().sections == page.sections
    titles = [text for level, text in told.headings if level == 2]
    assert titles[:4] == ["In short", "The label", "What it can disclose", "Whom it protects"]
    assert "If the person was, 62.2 % of the tables" in told.text
    assert "Unit of protection a person, with at most 1 row" in told.text
    assert "`" not in told.text


def test_what_is_told_is_published_already(released: Released) -> None:
    """Every number of the page is on the card or in the published file; nothing comes from the internal assessment."""
    told = read(page_of(released))
    published = released.to_arrow().to_pydict()
    rows = [row for row in told.rows if row[:2] == ["f", "y"]]
    assert [row[2] for row in rows] == [str(published["count"][0])]
    empty = Released((), (), released.card, {}, released.files, released.entry)
    assert empty.internal == {}
