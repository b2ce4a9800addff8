"""What a result shows of itself: one line in a console, a small table in a notebook, a data frame on request.

A console may be logged, and a notebook is saved with what it shows. So a line is short and says what kind of thing this
is: names of columns, sizes, parameters, never a value of people nor the count of a single cell. A table in a notebook
has totals and risks, and says so if these come from true data. Only a data frame, which somebody asked for, has
everything.

The tables are plain HTML with a caption and header cells, for screen readers, and without styles or scripts.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Mapping, Sequence, Sized
from dataclasses import fields
from html import escape
from typing import Any

from epsilens.errors import EpsilensError

INTERNAL = "INTERNAL: computed from true data, not for publication"
LONGEST_LINE = 200
LONGEST_PART = 60
MOST_NAMES = 6
MOST_ROWS = 20


def one_line(thing: object, *facts: str) -> str:
    """``Name(fact, fact, ...)`` on one line, cut where it gets long."""
    text = " ".join(f"{type(thing).__name__}({', '.join(fact for fact in facts if fact)})".split())
    return text if len(text) <= LONGEST_LINE else f"{text[: LONGEST_LINE - 5]} ...)"


def listed(names: Iterable[str]) -> str:
    """Names of columns, the first few of many."""
    every = list(names)
    return ", ".join(every[:MOST_NAMES]) + (f" and {len(every) - MOST_NAMES} more" if len(every) > MOST_NAMES else "")


def by_role(known: Iterable[str], sensitive: Iterable[str]) -> str:
    """``age, sex by income``; a role that nobody has is left out."""
    return " by ".join(filter(None, (listed(known), listed(sensitive))))


def brief(thing: Any) -> str:
    """A dataclass on one line: its numbers and short texts, of everything that has a length only the length.

    For results whose single numbers and texts may be seen by anybody who sees a console; others name what they show.
    """
    return one_line(thing, *(_part(name, value) for name, value in _members(thing)))


def facts_html(thing: Any) -> str:
    """A dataclass as a small table, one row per member, as in :func:`brief`."""
    return table_html(_title(thing), {name.replace("_", " "): _said(value) for name, value in _members(thing)})


def internal_facts_html(thing: Any) -> str:
    """:func:`facts_html` of what was computed from true data."""
    facts = {name.replace("_", " "): _said(value) for name, value in _members(thing)}
    return table_html(_title(thing), facts, internal=True)


def rows_html(title: str, rows: Sequence[Mapping[str, Any]], internal: bool = False) -> str:
    """Rows with the same names as a small table; the first ones of many."""
    names = list(dict.fromkeys(name for row in rows[:MOST_ROWS] for name in row))
    head = "".join(f'<th scope="col">{escape(name.replace("_", " "))}</th>' for name in names)
    body = ["".join(f"<td>{escape(_said(row.get(name)))}</td>" for name in names) for row in rows[:MOST_ROWS]]
    if len(rows) > MOST_ROWS:
        body.append(f'<td colspan="{len(names)}">{len(rows) - MOST_ROWS:,} more rows</td>')
    lines = "".join(f"<tr>{line}</tr>" for line in body)
    return f"<table>{_caption(title, internal)}<thead><tr>{head}</tr></thead><tbody>{lines}</tbody></table>"


def table_html(title: str, facts: Mapping[str, Any], internal: bool = False) -> str:
    """Facts by name as a small table of two columns."""
    lines = "".join(
        f'<tr><th scope="row">{escape(name)}</th><td>{escape(_said(value))}</td></tr>' for name, value in facts.items()
    )
    return f"<table>{_caption(title, internal)}<tbody>{lines}</tbody></table>"


def data_frame(content: Any, instead: str) -> Any:
    """A pandas data frame; pandas is looked up when asked for and needed for nothing else."""
    try:
        pandas = importlib.import_module("pandas")
    except ImportError:
        raise EpsilensError(f"to_pandas() needs pandas, which is not installed; use {instead} instead") from None
    return pandas.DataFrame(content)


def _members(thing: Any) -> list[tuple[str, Any]]:
    """The members that a line may have: no functions, nothing private, nothing that is not there."""
    every = [(field.name, getattr(thing, field.name)) for field in fields(thing) if field.repr]
    return [
        (name, value) for name, value in every if value is not None and not name.startswith("_") and not callable(value)
    ]


def _part(name: str, value: Any) -> str:
    if isinstance(value, str):
        return f"{name}={_cut(value)!r}" if value else ""
    if _scalar(value):
        return f"{name}={value:.4g}" if _fractional(value) else f"{name}={value}"
    if isinstance(value, Sized):
        shape = getattr(value, "shape", None)
        return f"{name}[{', '.join(map(str, shape)) if shape is not None else len(value)}]"
    text = repr(value)
    return f"{name}={text if len(text) <= LONGEST_PART else type(value).__name__}"


def _said(value: Any) -> str:
    """A value in a cell of a table."""
    if value is None:
        return "-"
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "yes" if value else "no"
    if _scalar(value):
        return f"{value:.4g}" if _fractional(value) else f"{value:,}"
    if isinstance(value, Sized):
        return f"{getattr(value, 'size', len(value)):,} values"
    return repr(value)


def _scalar(value: Any) -> bool:
    return isinstance(value, (int, float)) or getattr(value, "shape", None) == ()


def _fractional(value: Any) -> bool:
    return not isinstance(value, int) and not hasattr(value, "__index__")


def _cut(text: str) -> str:
    return text if len(text) <= LONGEST_PART else f"{text[: LONGEST_PART - 3]}..."


def _title(thing: object) -> str:
    return re.sub(r"(?<!^)(?=[A-Z])", " ", type(thing).__name__).capitalize()


def _caption(title: str, internal: bool) -> str:
    return f"<caption>{escape(title)}{f'<br><strong>{INTERNAL}</strong>' if internal else ''}</caption>"
