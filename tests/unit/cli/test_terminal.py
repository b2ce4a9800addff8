from __future__ import annotations

import contextlib
import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
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


# -- a terminal of 80 columns -----------------------------------------------------------------------------------------


def test_a_line_keeps_its_indent_and_numbers_their_units() -> None:
    said = "Published as it is, 87 cells show one value: 495 of 5,000 people (9.9 %) at epsilon = 1 and < 0.1 % more."
    for width in range(20, 80):
        lines = terminal.folded(said, width)
        assert max(map(len, lines)) <= width
        assert " ".join(lines) == said
        for together in ("9.9 %", "epsilon = 1", "< 0.1 %", "5,000 people", "87 cells"):
            assert any(together in line for line in lines), (width, together)
    text = printed(40, [Text("one two three four five six seven eight nine ten", 4), Note("a " * 40)])
    assert all(line.startswith("    ") for line in text.splitlines()[:2])
    assert all(line.startswith("  ") for line in text.splitlines())


def test_a_number_that_is_longer_than_the_line_is_not_cut() -> None:
    exact = "0.0076207893766194185108977279073312"
    assert terminal.folded(f"rho {exact} is left", 20) == [f"rho {exact}", "is left"]


def test_a_grid_that_is_too_wide_goes_on_below_with_its_first_columns() -> None:
    groups = ("american indian", "asian", "black", "other race", "pacific islander", "two or more races", "white")
    grid = Grid(
        "Bias per cell",
        ("system", "epsilon", *groups),
        [(name, "1", *(f"{0.1 * k:+.2f}" for k in range(len(groups)))) for name in ("laplace", "dp-swapping")],
        words=1,
        keys=2,
    )
    text = printed(80, [grid])
    assert max(map(len, text.splitlines())) <= 80
    assert all(group in text for group in groups)
    assert text.count("dp-swapping") == text.count("system") == text.count("epsilon") == 2
    assert "Bias per cell (continued)" in text
    assert text.count("+0.60") == 2
    assert printed(200, [grid]).count("system") == 1


def test_a_grid_in_a_pipe_is_whole_however_wide(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.show([Grid("", [f"column {k}" for k in range(40)], [["1"] * 40])])
    heading, row = capsys.readouterr().out.splitlines()
    assert "column 39" in heading
    assert row.split() == ["1"] * 40


def test_lines_of_commands_are_folded_below_their_own_beginning(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    long = "  " + "word " * 30 + "end"
    terminal.show_lines([long])
    assert capsys.readouterr().out == f"{long}\n"
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "dumb")
    terminal.show_lines([long])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 2
    assert all(line.startswith("  word") and len(line) <= 80 for line in lines)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="there are no pseudo-terminals")
def test_an_assessment_in_a_real_terminal_of_80_columns(tmp_path: Path) -> None:
    import fcntl
    import pty
    import struct
    import termios

    (tmp_path / "p.csv").write_text("a,s\n" + "x,u\nx,v\ny,u\n" * 5 + "z,v\n")
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 80, 0, 0))
    measures = "local,expected,shrinkage,marginal,marginal-shrinkage,hard,soft,published-local,published-expected"
    command = [sys.executable, "-m", "epsilens", "assess", "p.csv", "--qid", "a", "--sensitive", "s"]
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    environment |= {"PYTHONPATH": os.pathsep.join(str(Path(place).resolve()) for place in sys.path), "TERM": "xterm"}
    with subprocess.Popen(
        [*command, "--measure", measures, "--epsilon", "0.1,0.25,1,12.5"],
        cwd=tmp_path, env=environment, stdin=theirs, stdout=theirs, stderr=subprocess.DEVNULL,
    ) as process:  # fmt: skip
        os.close(theirs)
        told = b""
        with contextlib.suppress(OSError):  # so Linux says that the other end is closed
            while more := os.read(ours, 65536):
                told += more
    os.close(ours)
    assert process.returncode == 0
    lines = re.sub(r"\x1b\[[0-9;]*m", "", told.decode()).splitlines()
    assert max(map(len, lines)) <= 80
    text = "\n".join(lines)
    assert "…" not in text
    assert [line.split()[0] for line in lines if re.match(r" +(0\.1|0\.25|1|12\.5)  ", line)] == [
        "0.1", "0.25", "1", "12.5",
    ] * 5  # of beliefs; of nine averages, and of those who are worst off by them, in two parts each  # fmt: skip
    for measure in measures.split(","):
        assert f"  {measure}: " in text
