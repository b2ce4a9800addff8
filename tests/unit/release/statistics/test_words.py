"""The card of released statistics, for people."""

from __future__ import annotations

from pathlib import Path


def test_the_readable_card_says_what_matters(folder: Path) -> None:
    text = (folder / "all.card.md").read_text()
    for words in (
        "mean(a)",
        "costs epsilon = 1.",
        "n = 40",
        "values were put in the middle",
        "surer than 73.1 %",
    ):
        assert words in text
    assert "positive semidefinite" in text
    assert "1 release from account `survey`" in text
    one = (folder / "one.card.md").read_text()
    assert "replaced by public values: `a` by 5" in one
    assert "at most 1 row of each is counted, drawn at random where there are more" in one
    assert "Bias: towards the middle of the range" in one
