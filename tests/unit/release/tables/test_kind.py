from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from epsilens.release.tables.kind import output_problem, recounted, subject, unreadable
from epsilens.table import FrequencyTable
from tests.support.released_tables import release

PEOPLE = pa.table({"region": ["north", "south"] * 3, "sex": ["f", "m", "x"] * 2, "illness": ["no", "yes"] * 3})


def test_what_a_card_of_tables_says(tmp_path: Path) -> None:
    card = release(PEOPLE, tmp_path, marginals=[["region"], ["sex"]]).card
    assert subject(card) == {"tables": [{"columns": ["region"]}, {"columns": ["sex"]}]}
    assert output_problem(card, tmp_path / "o.csv") is None
    assert unreadable(card) is None
    assert recounted(card, PEOPLE, None, None) != recounted(card, PEOPLE.slice(1), None, None)


def test_a_table_made_by_hand_cannot_be_read_again(tmp_path: Path) -> None:
    table = FrequencyTable.from_counts([[3, 1], [2, 2]], labels=["no", "yes"], cells={"sex": ["f", "m"]})
    card = release(table, tmp_path, schema=None, cells_are_public=True).card
    assert "cannot be read again" in (unreadable(card) or "")
