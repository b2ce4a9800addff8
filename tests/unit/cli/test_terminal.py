from __future__ import annotations

import io
import json
import re
from typing import Any

import numpy as np
import pytest
from rich.console import Console

from epsilens.cli import terminal
from epsilens.report.words.common import BLANK, INTERNAL, Block, Grid, Heading, Note, Text, Verdict

GRID = Grid(
    title="Risk [of] people",
    headings=("what the attacker sees", "epsilon\nof all", "risk"),
    rows=(
        ("the published counts of everybody in town", "0.1", "12,345.678901"),
        ("nothing-but-a-very-long-word-without-any-blank-in-it", "10", "< 0.1 %"),
        ("[bold]markup[/bold] that people typed", "1e-06", "± 0.000001"),
    ),
    words=1,
)
BLOCKS: list[Block] = [
    Heading("A heading [with] brackets"),
    Text("A sentence of many words that does not fit on a line of forty columns, with 1,234,567 people in it.", 2),
    BLANK,
    Note("A remark [/dim] in small print."),
    Verdict("yes", "good", "It keeps the ceiling of 0.25."),
    Verdict("no", "bad", "It does not."),
    Verdict("-", "", "Nobody knows."),
    GRID,
]


def printed(width: int, blocks: list[Block] = BLOCKS) -> str:
    stream = io.StringIO()
    terminal.show(blocks, Console(file=stream, width=width, highlight=False, color_system=None))
    return stream.getvalue()


@pytest.mark.parametrize("width", [110, 80, 40])
def test_no_number_and_no_word_is_lost_at_any_width(width: int) -> None:
    text = printed(width)
    assert max(map(len, text.splitlines())) <= width
    letters = re.sub(r"\s", "", text)
    for block in BLOCKS:
        if not isinstance(block, Grid):
            assert re.sub(r"\s", "", block.text) in letters
    for row in GRID.rows:
        for value in row[1:]:
            assert value in text  # in one piece
    assert "…" not in text


@pytest.mark.parametrize("width", [80, 40])
def test_words_of_a_grid_are_folded_and_all_there(width: int) -> None:
    text = printed(width, [GRID])
    wide = max(len(line) for line in text.splitlines())
    assert wide <= width
    first = min(line.index("0.1") for line in text.splitlines() if "12,345.678901" in line)
    column = "".join(line[: first - 2].strip() for line in text.splitlines()[1:])
    for words, *_ in GRID.rows:
        assert re.sub(r"\s", "", words) in re.sub(r"\s", "", column)


def test_what_people_typed_is_never_markup() -> None:
    text = printed(110)
    for raw in ("A heading [with] brackets", "[/dim] in small print", "[bold]markup[/bold]", "Risk [of] people"):
        assert raw in text


def test_results_in_a_pipe_have_no_colours_and_are_not_wrapped(capsys: pytest.CaptureFixture[str]) -> None:
    long = "word " * 60
    terminal.show([Text(long), BLOCKS[0]])
    out = capsys.readouterr().out
    assert out.splitlines()[0] == long.rstrip() or out.splitlines()[0] == long
    assert "\x1b" not in out


def test_internal_results_say_so_first(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show_internal([Text("x")])
    assert capsys.readouterr().out == f"Epsilens  {INTERNAL}\n\nx\n"


@pytest.mark.parametrize("total", [None, 10])
def test_nobody_watching_sees_no_progress(capsys: pytest.CaptureFixture[str], total: int | None) -> None:
    with terminal.working("Counting", total=total) as advance:
        advance(3)
    assert capsys.readouterr() == ("", "")


@pytest.mark.parametrize("total", [None, 10])
def test_whoever_watches_sees_it_on_stderr_and_it_is_gone_when_done(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, total: int | None
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setenv("TERM", "xterm")
    with terminal.working("Counting people", total=total) as advance:
        advance(10)
    found = capsys.readouterr()
    assert found.out == ""
    assert "Counting people" in found.err
    assert found.err.rstrip().endswith("\x1b[2K")  # the line is erased


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        ({1: float("inf"), "b": float("nan")}, {"1": None, "b": None}),
        ((1, [2.5, (True, None)]), [1, [2.5, [True, None]]]),
        ([np.float64(0.5), np.int64(3), np.float64("nan"), np.bool_(True)], [0.5, 3, None, True]),
        ("größer", "größer"),
    ],
)
def test_json_is_plain(capsys: pytest.CaptureFixture[str], value: Any, plain: Any) -> None:
    terminal.print_json(value)
    out = capsys.readouterr().out
    assert json.loads(out) == plain
    assert out.endswith("\n")
    assert "\\u" not in out
