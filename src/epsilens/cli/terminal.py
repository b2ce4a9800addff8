"""Writing to the terminal: progress on stderr when somebody watches, results on stdout, JSON when asked."""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from epsilens.report.words import common as words

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from epsilens.report.words.common import Block


@contextmanager
def working(what: str, total: int | None = None) -> Iterator[Callable[[int], None]]:
    """A progress bar (``total`` known) or a spinner on stderr, gone when done; silent when stderr is no terminal."""
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


def console() -> Console:
    """The console for results: colours only in a terminal, lines never cut in a pipe."""
    from rich.console import Console

    return Console(highlight=False, soft_wrap=not sys.stdout.isatty(), width=None if sys.stdout.isatty() else 110)


def show(blocks: Sequence[Block], out: Console | None = None) -> None:
    """Blocks of words, styled for a terminal."""
    from rich.markup import escape

    screen = out or console()
    for block in blocks:
        if isinstance(block, words.Heading):
            screen.print(f"[bold]{escape(block.text)}[/bold]")
        elif isinstance(block, words.Note):
            screen.print(f"{' ' * block.indent}[dim]{escape(block.text)}[/dim]")
        elif isinstance(block, words.Verdict):
            colour = {"good": "green", "bad": "red"}.get(block.tone)
            mark = f"[{colour}]{escape(block.mark)}[/{colour}]" if colour else escape(block.mark)
            screen.print(f"{mark}  {escape(block.text)}")
        elif isinstance(block, words.Grid):
            screen.print(_grid(block))
        else:
            screen.print(f"{' ' * block.indent}{escape(block.text)}")


def show_internal(blocks: Sequence[Block]) -> None:
    """Blocks under the name of the program, and that they are not for publication."""
    screen = console()
    screen.print(f"[bold]Epsilens[/bold]  [dim]{words.INTERNAL}[/dim]\n")
    show(blocks, screen)


def _grid(grid: words.Grid) -> Table:
    """In a narrow terminal words are folded, numbers never cut."""
    from rich.markup import escape
    from rich.table import Table

    table = Table(
        title=escape(grid.title), title_justify="left", box=None, padding=(0, 1, 0, 0) if grid.tight else (0, 1)
    )
    for j, heading in enumerate(grid.headings):
        if j < grid.words:
            table.add_column(escape(heading), overflow="fold")
            continue
        width = max(map(len, [*heading.split("\n"), *(row[j] for row in grid.rows)]))
        table.add_column(escape(heading), justify="right", no_wrap=True, min_width=width)
    for row in grid.rows:
        table.add_row(*map(escape, row))
    return table


def print_json(value: Any) -> None:
    """``value`` as JSON on stdout; what is not a number in JSON becomes null."""
    json.dump(_plain(value), sys.stdout, indent=2, ensure_ascii=False, allow_nan=False)
    print()


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in value]
    if hasattr(value, "item"):
        return _plain(value.item())
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value
