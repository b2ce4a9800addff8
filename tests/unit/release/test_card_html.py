from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from epsilens.release.card_html import card_html
from tests.support.released_tables import release

PEOPLE = pa.table({"region": ["north", "south"] * 3, "sex": ["f", "m", "x"] * 2, "illness": ["no", "yes"] * 3})


def test_a_card_is_a_small_table_of_what_it_says(tmp_path: Path) -> None:
    card = release(PEOPLE, tmp_path, out=tmp_path / "o.csv", account="<survey>").card
    page = card_html("Released table", card, "12 counts")
    assert page.startswith("<table>")
    for said in (
        "Released table (publishable)",
        "12 counts",
        "epsilon = 60.0",
        "&lt;survey&gt;",
        "o.csv",
        "add-remove",
    ):
        assert said in page
    assert "<survey>" not in page
