from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from epsilens.release.tables.cells import former_fingerprints
from epsilens.release.tables.kind import output_problem, recounted, subject, unreadable
from epsilens.table import FrequencyTable, Schema, read_cells
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


def test_a_single_column_on_a_card_of_an_earlier_version_is_counted_again() -> None:
    schema = {
        "quasi_identifiers": ["(everyone)"],
        "sensitive": ["region"],
        "universe": {"region": ["north", "south", "west"], "(everyone)": ["true"]},
    }
    people = pa.table({"region": [*["north", "south"] * 3, "south"]})
    # What that version, which counted everybody in a column of its own, made of these people.
    sealed_then = "2df4b47ec5b67cb7d5a26152b3dd477ecf908b1321f6acdd31f34c0a869a7112"
    assert recounted({"schema": schema}, people, None, None).hex() == sealed_then
    (former,) = former_fingerprints(read_cells(people, Schema(["region"])))
    assert former.hex() == sealed_then
    assert former_fingerprints(read_cells(PEOPLE, Schema(["region", "sex"]))) == ()
    drawn = {**schema, "unit": "who", "max_rows_per_unit": 2}
    rows = people.append_column("who", pa.array(list("aaabbbb")))
    drawn_then = "6e906d67c3fdfaf8fd00a66869ccb1dc6e18237610e18f5a723e190ac22f1f4d"
    assert recounted({"schema": drawn}, rows, None, "5a17").hex() == drawn_then
