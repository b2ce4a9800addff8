"""The words of a protected table."""

from __future__ import annotations

from pathlib import Path

import epsilens as el
from epsilens.choice.questions.protect import Question, answer
from epsilens.report.words.common import Grid, Note, Text, Verdict
from epsilens.report.words.protect import SHOWN, WITHHELD, summary

FILES = {"output": Path("o.csv"), "record": Path("o.protect.json"), "internal": Path("o.protect.internal.json")}
TOWNS = [f"town {i:02}" for i in range(20)]
TABLE = el.FrequencyTable.from_counts([[i, 0] for i in range(1, 21)], ["no", "yes"], {"town": TOWNS})


def said(question: Question) -> str:
    return "\n".join(block.text for block in summary(answer(question, TABLE), FILES) if not isinstance(block, Grid))


def test_no_guarantee_comes_first_and_says_why() -> None:
    blocks = summary(answer(Question(system="suppression", k=3), TABLE), FILES)
    (verdict,) = (block for block in blocks if isinstance(block, Verdict))
    assert verdict.mark == "NO GUARANTEE"
    assert "nothing that is published of the first is ever published of the second" in verdict.text
    first = blocks[0]
    assert isinstance(first, Text)
    assert first.text.startswith(
        "210 people, protected by suppression (algorithm 1): 40 lines in o.csv; 22 counts left"
    )


def test_what_remains_is_counted_and_the_largest_are_named() -> None:
    blocks = summary(answer(Question(system="suppression", k=3), TABLE), FILES)
    cells, lines = (block for block in blocks if isinstance(block, Grid))
    assert cells.title == f"Cells that still show a single value, the {SHOWN} largest of 18"
    assert cells.rows[0] == ("town 19", "no", "20")
    assert lines.title == f"What is published, the first {SHOWN} of 40 lines"
    assert lines.rows[0][-1] == "(blank)"
    text = said(Question(system="suppression", k=3))
    assert "Homogeneity risk that remains: 98.6 % of the people; without protection 100.0 %." in text
    assert "207 people are in 18 published cells that show a single sensitive value" in text
    assert "at least 3 people (k = 3) and 1 sensitive value (l = 1)" in text


def test_remarks_seeds_and_levels_are_told() -> None:
    swapped = said(Question(system="swapping-cells", swapped_share=0.01, seed=1))
    assert "No count has changed" in swapped
    assert "The system does nothing here: 1 % of 40 cells is not one pair" in swapped
    assert "and the seed, with which what was drawn can be undone" in swapped
    full = said(Question(system="k-anonymity-full-domain", k=4, ordered=["town"], max_suppressed=0.0))
    assert "generalised to the levels town 2, information loss 0.158" in full
    left = said(Question(system="k-anonymity-full-domain", k=4, max_suppressed=0.1))
    assert "6 people left out" in left
    assert "The system leaves out 2.9 % of the people, whose class is smaller than 4." in left
    notes = [b for b in summary(answer(Question(system="rounding"), TABLE), FILES) if isinstance(b, Note)]
    assert notes[1].text == "The system publishes 2 occupied cells with 3 people as empty."


def test_where_nobody_is_exposed_that_is_said_in_a_sentence() -> None:
    mixed = el.FrequencyTable.from_counts([[2, 2], [3, 2]], cells={"town": ["a", "b"]})
    text = " ".join(
        block.text
        for block in summary(answer(Question(system="suppression", k=2), mixed), FILES)
        if isinstance(block, Text)
    )
    assert "Nobody is in a published cell that shows a single sensitive value which is theirs." in text


def test_where_the_risk_rose_it_says_why_and_who_is_shown_wrongly() -> None:
    mixed = el.FrequencyTable.from_counts([[1, 12], [30, 2], [5, 5]], ["no", "yes"], {"town": list("abc")})
    blocks = summary(answer(Question(system="suppression", k=3), mixed), FILES)
    told = [block.text for block in blocks if isinstance(block, Text)]
    assert f"That is more than without protection: {WITHHELD}." in told
    assert "Shown rightly: 30 people as no, 12 people as yes." in told
    assert "Shown wrongly, which is a harm as well: 2 people as no, 1 person as yes." in told
    assert "Counted as harmful: every value but missing ones; which ones harm can be declared." in told
    declared = summary(answer(Question(system="suppression", k=3), mixed.with_harm("label=yes")), FILES)
    told = [block.text for block in declared if isinstance(block, Text)]
    assert "Shown rightly: 12 people as yes, 30 people as no (not counted)." in told
    assert "Counted as harmful: yes, as declared. Being shown as no is not counted." in told
    assert not any("more than without" in text for text in said(Question(system="suppression", k=3)).splitlines())
