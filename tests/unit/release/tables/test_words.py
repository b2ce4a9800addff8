"""The card of released tables, for people."""

from __future__ import annotations

import json
from pathlib import Path

from epsilens.release.tables.words import card_text


def test_the_readable_card_says_what_matters(folder: Path) -> None:
    first, second = ((folder / f"{name}.card.md").read_text() for name in ("first", "second"))
    for words in ("epsilon = 0.5", "add-remove", "12 cells", "non-negativity", "never be surer than 62.2 %"):
        assert words in first
    assert "2 releases from account `survey`" in second
    assert "epsilon 0.75 spent of epsilon 1000, epsilon 999.25 left" in second
    assert card_text(json.loads((folder / "second.card.json").read_text())) == second
    assert "all tables together" in second
