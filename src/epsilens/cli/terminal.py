"""Writing to the terminal: progress on stderr when somebody watches, results on stdout, JSON when asked."""

from __future__ import annotations

import json
import re
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from epsilens.project.values import plain
from epsilens.report.words import common as words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    from epsilens.report.words.common import Block


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A progress bar (``total`` known) or a spinner on stderr, gone when done; silent when stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield lambda _done: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = [SpinnerColumn(), TextColumn("{task.description}"), TimeElapsedColumn()]
    if total is not None:
        columns = [
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.percentage:3.0f} %"),
            TimeRemainingColumn(),
        ]
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(what, total=total)
        yield lambda done: progress.advance(task, done)


_UNBOUNDED = 100_000
"""Columns of a pipe."""


def console() -> Console:
    """The console for results: colours only in a terminal, lines never cut in a pipe."""
    from rich.console import Console

    return Console(
        highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else _UNBOUNDED
    )


def show(blocks: Sequence[Block], out: Console | None = None) -> None:
    """Blocks of words, styled for a terminal."""
    screen = out or console()
    said: list[Text] = []
    for block in blocks:
        if isinstance(block, words.Grid):
            _print(screen, said)
            _show_grid(screen, block)
            said = []
        elif isinstance(block, words.Heading):
            said += _lines(screen, block.text, style="bold")
        elif isinstance(block, words.Note):
            said += _lines(screen, block.text, " " * block.indent, style="dim")
        elif isinstance(block, words.Verdict):
            colour = {"good": "green", "bad": "red"}.get(block.tone, "")
            said += _lines(screen, block.text, f"{block.mark}  ", first_style=colour)
        else:
            said += _lines(screen, block.text, " " * block.indent)
    _print(screen, said)


def show_internal(blocks: Sequence[Block]) -> None:
    """Blocks under the name of the program, and that they are not for publication."""
    screen = console()
    screen.print(f"[bold]Epsilens[/bold]  [dim]{words.INTERNAL}[/dim]\n")
    show(blocks, screen)


def show_lines(lines: Sequence[str]) -> None:
    """Lines as they are; in a terminal, one that is too long goes on below its own beginning."""
    screen = console()
    said: list[Text] = []
    for line in lines:
        text = line.lstrip(" ")
        said += _lines(screen, text, " " * (len(line) - len(text)))
    _print(screen, said)


def _lines(screen: Console, text: str, before: str = "", style: str = "", first_style: str = "") -> list[Text]:
    """A sentence behind ``before``, folded to the width of a terminal with its indent kept, in a pipe one line."""
    from rich.text import Text

    lines = [text] if screen.soft_wrap else folded(text, screen.width - len(before))
    leads = [Text(before, style=first_style), *(Text(" " * len(before)) for _ in lines[1:])]
    return [lead + Text(line, style=style) for lead, line in zip(leads, lines, strict=True)]


def _print(screen: Console, lines: Sequence[Text]) -> None:
    """Lines as they are, all at once: to print takes rich much longer than to write."""
    from rich.text import Text

    if lines:
        screen.print(Text("\n").join(lines), no_wrap=True, overflow="ignore", crop=False)


_TOGETHER = re.compile(
    r"(?<=[<>±=≤]) (?=\S)|(?<=\S) (?=[%=≤](?:\W|$))|(?<=\d) (?=people\b|person\b|cells?\b)"
    r"|(?<=\bepsilon) (?=\d)|(?<=\bdelta) (?=\d)|(?<=\brho) (?=\d)"
)
"""The blanks at which a line must not end: within ``< 0.1 %``, ``epsilon = 1``, ``epsilon 1`` and ``12 people``."""


def folded(text: str, width: int) -> list[str]:
    """``text`` in lines of at most ``width``; no number is parted from its unit, and none is cut.

    A word that is wider than the line (a path, an exact fraction of a ledger) stands whole on a line of its own.
    """
    if len(text) <= width or not text:
        return [text]
    glue = "\N{NO-BREAK SPACE}"
    lines = textwrap.wrap(
        _TOGETHER.sub(glue, text),
        max(width, 1),
        break_long_words=False,
        break_on_hyphens=False,
    )
    return [line.replace(glue, " ") for line in lines]


def _show_grid(screen: Console, grid: words.Grid) -> None:
    """The grid, one piece below the other where the terminal is too narrow for all columns side by side."""
    for k, part in enumerate([grid] if screen.soft_wrap else _narrow_enough(grid, screen.width)):
        if k:
            screen.print()
        if part.title:
            _print(screen, _lines(screen, part.title, style="italic"))
        screen.print(_table(part), overflow="ignore", crop=False, no_wrap=screen.soft_wrap)


def _narrow_enough(grid: words.Grid, width: int) -> list[words.Grid]:
    """The grid in pieces of columns that fit: each begins with the columns that say whose row it is.

    Numbers need their width; words that do not fit beside one number are folded, but not below a third of the line.
    """
    keys = max(grid.words, grid.keys)
    gap = 1 if grid.tight else 2
    needed = [_width(grid, j) + gap for j in range(len(grid.headings))]
    room = width - (0 if grid.tight else 1)
    for_words = sum(needed[:keys])
    if grid.words:
        for_words = min(for_words, max(room // 3, room - sum(needed[keys:])))
    pieces: list[list[int]] = [[]]
    for j in range(keys, len(grid.headings)):
        if pieces[-1] and for_words + sum(needed[i] for i in (*pieces[-1], j)) > room:
            pieces.append([])
        pieces[-1].append(j)
    if len(pieces) == 1:
        return [grid]
    shown = [[*range(keys), *piece] for piece in pieces]
    return [
        replace(
            grid,
            title=grid.title if k == 0 else f"{grid.title} (continued)",
            headings=[grid.headings[j] for j in columns],
            rows=[[row[j] for j in columns] for row in grid.rows],
        )
        for k, columns in enumerate(shown)
    ]


def _width(grid: words.Grid, column: int) -> int:
    """What the column needs to show everything in one piece."""
    return max(map(len, [*grid.headings[column].split("\n"), *(row[column] for row in grid.rows)]))


def _table(grid: words.Grid) -> Table:
    """In a narrow terminal words are folded, numbers never cut."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(box=None, padding=(0, 1, 0, 0) if grid.tight else (0, 1))
    for j, heading in enumerate(grid.headings):
        if j < grid.words:
            table.add_column(escape(heading), overflow="fold")
        else:
            table.add_column(escape(heading), justify="right", no_wrap=True, min_width=_width(grid, j))
    for row in grid.rows:
        table.add_row(*map(escape, row))
    return table


def print_json(value: Any) -> None:
    """``value`` as JSON on stdout; what is not a number in JSON becomes null."""
    print(json.dumps(plain(value), indent=2, ensure_ascii=False, allow_nan=False))
