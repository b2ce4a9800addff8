from __future__ import annotations

from dataclasses import replace

from epsilens.report.words.common import Grid, Note, Text
from epsilens.report.words.reproduce import (
    MEANING,
    SHORT,
    about_files,
    gathered,
    headline,
    row_grid,
    summary,
    tally,
    verdict_grid,
    written,
)
from epsilens.reproduce.verdicts import VERDICTS
from tests.support import reproduction


def test_every_verdict_has_its_words() -> None:
    assert tuple(SHORT) == tuple(MEANING) == VERDICTS


def test_headline_and_counts() -> None:
    assert headline(reproduction.answer()).text == (
        "7 printed claims of 1 paper: 2 hold, 5 do not or cannot be checked."
    )
    assert verdict_grid(reproduction.answer()).rows == [["P3", "1", "1", "1", "1", "2", "1"]]


def test_summary_has_what_does_not_hold_gathered_by_place() -> None:
    texts = [block.text for block in summary(reproduction.answer()) if not isinstance(block, Grid)]
    assert "Table 1, row 3: misprint (P3-a in docs/departures.md)" in texts
    assert "the number of Figure 1, second: printed .50; it is 0.7." in texts
    assert any("1 row needs data that are not there: a.csv and b.csv." in text for text in texts)
    assert not any("row 1:" in text for text in texts)
    assert "a trend: in print, it rises; from 2 to 1 at 3." in texts


def test_files_that_are_not_the_public_ones_are_noted() -> None:
    assert about_files(replace(reproduction.answer(), not_drawn=(), rows=())) == []
    for files, said in (
        (("b.csv",), "b.csv is not the public file of that name: verdicts that rest on it say nothing of print."),
        (("a.csv", "b.csv"), "a.csv and b.csv are not the public files of that name: verdicts that rest on them say"),
    ):
        note = about_files(replace(reproduction.answer(), files_other=files))[-1]
        assert isinstance(note, Note)
        assert note.text.startswith(said)


def test_files_that_nobody_here_has_seen_are_noted() -> None:
    for files, said in (
        (("b.csv",), "Whether b.csv is the public file of that name is not known here: verdicts that rest on it"),
        (("a.csv", "b.csv"), "Whether a.csv and b.csv are the public files of those names is not known here: verdicts"),
    ):
        note = about_files(replace(reproduction.answer(), files_unknown=files))[-1]
        assert isinstance(note, Note)
        assert note.text.startswith(said)


def test_rows_of_a_table_are_gathered_by_verdict_and_cause_wherever_they_stand() -> None:
    rows = [row for _ in range(2) for row in reproduction.answer().rows if row.group == "Table 1"]
    lines = [block.text for block in gathered(rows) if isinstance(block, Text)]
    assert lines == [
        f"Table 1, 2 rows: {verdict} (P3-a in docs/departures.md)"
        for verdict in ("confirmed", "confirmed within Monte-Carlo error", "misprint")
    ]


def test_summary_of_one_verdict_has_all_of_its_rows() -> None:
    texts = [block.text for block in summary(reproduction.answer("confirmed")) if not isinstance(block, Grid)]
    assert "Table 1, row 1: confirmed (P3-a in docs/departures.md)" in texts


def test_rows_side_by_side() -> None:
    grid = row_grid(reproduction.answer().rows)
    assert grid.rows[2][2:6] == [".50", "0.5", "0.7", "misprint (P3-a)"]
    assert grid.rows[6][5] == "false"
    assert grid.rows[5][3:6] == ["-", "-", "not reproducible"]


def test_evidence_in_words_is_told_once() -> None:
    seen = "it falls from 2 to 1 between epsilon = 1 and 2"
    row = replace(reproduction.answer().rows[-1], as_published=None, exact=seen, why=f"as stated: {seen}")
    assert row_grid([row]).rows[0][3:5] == ["-", "see why"]
    short = replace(row, exact="714.568 to 848.828", why="it is 714.568 to 848.828")
    assert row_grid([short]).rows[0][4] == "714.568 to 848.828"


def test_what_print_does_not_say_is_not_counted_against_it() -> None:
    answer = reproduction.answer()
    rows = tuple(replace(row, in_print=row.place != "section 1") for row in answer.rows)
    text = headline(replace(answer, rows=rows)).text
    assert text.startswith(
        "6 printed claims of 1 paper: 2 hold, 4 do not or cannot be checked. 1 more row in the table is about what"
    )
    holding = next(i for i, row in enumerate(rows) if row.holds)
    others = (*rows[:holding], replace(rows[holding], in_print=False), *rows[holding + 1 :])
    assert headline(replace(answer, rows=others)).text.startswith("5 printed claims of 1 paper: 1 holds, 4 do not")
    assert row_grid(rows).rows[6][2] == "(not in print) it rises"
    texts = [block.text for block in gathered(rows) if isinstance(block, Note)]
    assert "a trend: not in print, it rises; from 2 to 1 at 3." in texts
    split = gathered([replace(rows[4], in_print=at) for at in (True, False)])
    assert len([block for block in split if isinstance(block, Text)]) == 2


def test_how_many_of_a_group_hold_and_what_is_the_matter_with_the_others() -> None:
    rows = reproduction.answer().rows
    assert tally(rows[:3]) == "2 of 3 hold; 1 misprint"
    assert (tally(rows[:2]), tally(rows[:1]), tally(rows[2:3])) == ("2 of 2 hold", "holds", "misprint")
    assert tally([*rows[2:5], rows[4]]) == "0 of 4 hold; 1 misprint, 1 another model and 2 false"


def test_what_was_written() -> None:
    told = written(["o/r.html", "o/r.json", "o/figures/p3.svg"])[-1]
    assert isinstance(told, Text)
    assert told.text == "Written: o/r.html, o/r.json and 1 figure."
