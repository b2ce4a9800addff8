"""The numbers of a chart as tables: the very rows that it draws, under the titles of its axes and legends.

A chart on a page is followed by its numbers, for whoever cannot see it and for whoever wants more digits than a picture
has. They are read off the chart itself, so that no second list of them can differ from the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epsilens.report.words.common import Grid

KINDS = {
    "line": "Curves",
    "area": "Areas",
    "bar": "Bars",
    "point": "Marks",
    "circle": "Marks",
    "rule": "Lines",
    "rect": "Areas",
    "tick": "Marks",
    "boxplot": "Boxes",
}
"""What a table of each kind of mark is called; text alone has no numbers of its own."""
MOST_ACROSS = 12
"""Columns of a table of lines that stand side by side."""
_TITLES = ("text", "subtitle")
_NOT_READ = ("order", "detail", "tooltip", "key", "url", "href")
"""Channels that say how to draw and not what."""


def numbers_of(chart: Any) -> tuple[Grid, ...]:
    """A table for each set of rows that the chart draws as marks."""
    return numbers_of_specification(chart.to_dict())


def numbers_of_specification(specification: Mapping[str, Any]) -> tuple[Grid, ...]:
    """The same of a chart in plain values."""
    found: dict[tuple[str, str], _Drawn] = {}
    stored = specification.get("datasets", {})
    for view, data, encoding, panel in _views(specification, None, {}, ""):
        kind = view["mark"] if isinstance(view["mark"], str) else view["mark"]["type"]
        name = data.get("name") if data else None
        rows = stored.get(name, []) if name is not None else (data or {}).get("values", [])
        if kind not in KINDS or not rows or not isinstance(rows, list):
            continue
        fields = _fields(encoding)
        key = (str(name if name is not None else id(rows)), panel)
        if key in found:
            found[key].fields.update({field: text for field, text in fields.items() if field not in found[key].fields})
        elif _has_numbers(rows, fields):
            found[key] = _Drawn(KINDS[kind], panel, rows, fields)
    alone = len({drawn.panel for drawn in found.values()}) == 1
    return tuple(_grid(drawn, alone) for drawn in found.values())


@dataclass(frozen=True)
class _Drawn:
    """Rows that a panel draws, and the fields of them that it shows, each with its title."""

    kind: str
    panel: str
    rows: list[dict[str, Any]]
    fields: dict[str, str]


def _views(
    view: Mapping[str, Any], data: Any, encoding: dict[str, Any], panel: str
) -> Iterator[tuple[Any, Any, dict[str, Any], str]]:
    """Every view with a mark, with the data and the channels that it has or inherits, and the panel that it is in."""
    data = view.get("data", data)
    encoding = encoding | view.get("encoding", {})
    panel = _panel(view.get("title")) or panel
    if "mark" in view:
        yield view, data, encoding, panel
    for part in ("layer", "hconcat", "vconcat", "concat"):
        for inner in view.get(part, ()):
            yield from _views(inner, data, encoding, panel)
    if "spec" in view:
        yield from _views(view["spec"], data, encoding, panel)


def _panel(title: Any) -> str:
    """What a panel is called: its title, and the first words below it."""
    if not isinstance(title, Mapping):
        return str(title or "")
    text, below = (" ".join(part) if isinstance(part, list) else part or "" for part in map(title.get, _TITLES))
    return ": ".join(filter(None, (text, below.partition(";")[0].removesuffix(" Internal.").removesuffix("."))))


def _fields(encoding: Mapping[str, Any]) -> dict[str, str]:
    """The fields that are drawn, each with its title; what tells rows apart comes first."""
    drawn: dict[str, str] = {}
    words: list[str] = []
    numbers: list[str] = []
    for channel, how in encoding.items():
        if channel in _NOT_READ or not isinstance(how, Mapping):
            continue
        field = how.get("field")
        if not isinstance(field, str):
            continue
        (numbers if how.get("type") == "quantitative" else words).append(field)
        title = how.get("title") or (how.get("axis") or {}).get("title") or (how.get("legend") or {}).get("title")
        if title is None and field in drawn:
            continue
        text = " ".join(title) if isinstance(title, list) else title or field
        drawn[field] = text.removesuffix(", log scale").replace("\n", " ")
    return {field: drawn[field] for field in dict.fromkeys([*words, *numbers])}


def _has_numbers(rows: list[dict[str, Any]], fields: Mapping[str, str]) -> bool:
    return any(isinstance(rows[0].get(field), int | float) for field in fields)


def _grid(drawn: _Drawn, alone: bool) -> Grid:
    fields, rows = drawn.fields, drawn.rows
    named = drawn.kind if alone or not drawn.panel else f"{drawn.kind}. {drawn.panel}"
    words = [field for field in fields if isinstance(rows[0].get(field), str)]
    numbers = [field for field in fields if field not in words]
    if len(words) == 1 and len(numbers) == 2 and (across := _across(rows, words[0], *numbers)):
        title = f"{named}: {fields[numbers[1]]} by {fields[words[0]]}"
        return Grid(title, (fields[numbers[0]], *across[0]), across[1])
    ordered = [*words, *numbers]
    shown = [tuple(exactly(row.get(field)) for field in ordered) for row in rows]
    return Grid(named, tuple(fields[field] for field in ordered), list(dict.fromkeys(shown)), words=len(words))


def _across(
    rows: list[dict[str, Any]], name: str, along: str, value: str
) -> tuple[list[str], list[tuple[str, ...]]] | None:
    """Lines over the same places side by side: a row for each place, a column for each name; None where that fails."""
    names = list(dict.fromkeys(row[name] for row in rows))
    at = {(row[along], row[name]): exactly(row.get(value)) for row in rows}
    places = list(dict.fromkeys(row[along] for row in rows))
    if not 1 < len(names) <= MOST_ACROSS or not len(at) == len(rows) == len(names) * len(places):
        return None
    return names, [(exactly(place), *(at[place, one] for one in names)) for place in places]


def exactly(value: Any) -> str:
    """A value with all its digits, as JSON has it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "item"):
        return exactly(value.item())
    return repr(value) if isinstance(value, float) else str(value)
