"""The departures from P0 and P1 are found by the program itself: each has a row that does not hold."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from epsilens.reproduce.papers import PAPERS
from epsilens.reproduce.verdicts import Row
from tests.conftest import REPOSITORY
from tests.support.judged import rows_of


def rows(folder: Path | None) -> list[Row]:
    return [
        row
        for name in ("P0", "P1")
        for module in PAPERS[name].modules
        for row in rows_of(f"{name.lower()}.{module}", folder).values()
    ]


@pytest.mark.slow
def test_every_departure_has_a_row_and_every_such_row_departs(data_dir: Path) -> None:
    written = set(re.findall(r"^### (P0-\d+)$", (REPOSITORY / "docs" / "departures.md").read_text(), re.MULTILINE))
    found = rows(data_dir)
    assert len(found) == 405
    assert {row.departs for row in found if row.departs and not row.holds} == written
    assert [row.place for row in found if row.departs and row.holds] == []
    without = [row for row in found if not row.holds and not row.departs]
    assert {row.verdict for row in without} == {"not reproducible"}


@pytest.mark.slow
def test_without_data_nothing_is_said_of_them() -> None:
    waiting = [row for row in rows(None) if row.needs]
    assert {row.verdict for row in waiting} == {"not reproducible"}
    assert {row.needs for row in waiting} == {"adult.csv", "adultcount.csv", "bankcount.csv", "FFcount.csv"}
    assert len(waiting) == 175
