from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from epsilens.release.cards.words import amounts_words, cell_words, framed, output_lines, person_words, stated_budget
from tests.support.released_tables import release

PEOPLE = pa.table({"region": ["north", "south"] * 3, "sex": ["f", "m", "x"] * 2, "illness": ["no", "yes"] * 3})


def test_every_card_begins_and_ends_alike(tmp_path: Path) -> None:
    card = release(PEOPLE, tmp_path, out=tmp_path / "o.csv").card
    text = framed(card, ["## Between", person_words(card), "\n".join(output_lines(card))])
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert headings == [
        "# Release card: survey", "## Between", "## Whom it protects", "## What was released",
        "## What holds whatever the data are", "## The account so far", "## For those who check",
        "## What may be published",
    ]  # fmt: skip
    assert "1 releases from account `survey`" in text
    assert "one person more or less in the data" in text
    assert "each person has one row" in text
    assert f"SHA-256 `{card['output']['sha256']}`" in text
    assert "- **no**: the data" in text


def test_amounts_and_cells() -> None:
    assert stated_budget({"kind": "ApproxDP", "epsilon": 0.5, "delta": 1e-6}) == "epsilon = 0.5, delta = 1e-06"
    assert amounts_words({"epsilon": "0.5", "delta": "0"}) == "epsilon 0.5, delta 0"
    assert cell_words("a|b") == "a\\|b"
