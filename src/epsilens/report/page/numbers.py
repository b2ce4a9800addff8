"""The numbers of a chart as tables: the very rows that it draws, under the titles of its axes and legends.

A chart on a page is followed by its numbers, for whoever cannot see it and for whoever wants more digits than a picture
has. They are read off the chart itself, so that no second list of them can differ from the first.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
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
_NOT_READ = ("order", "detail", "tooltip", "key", "url", "href")
"""Channels that say how to draw and not what."""


def numbers_of(chart: Any) -> tuple[Grid, ...]:
    """A table for each set of rows that the chart draws as marks."""
    return numbers_of_specification(chart.to_dict())


def numbers_of_specification(specification: Mapping[str, Any]) -> tuple[Grid, ...]:
    """The same of a chart in plain values."""
    found: dict[str, tuple[str, list[dict[str, Any]], dict[str, str]]] = {}
    stored = specification.get("datasets", {})
    for view, data, encoding in _views(specification, None, {}):
        kind = view["mark"] if isinstance(view["mark"], str) else view["mark"]["type"]
        name = data.get("name") if data else None
        rows = stored.get(name, []) if name is not None else (data or {}).get("values", [])
        if kind not in KINDS or not rows or not isinstance(rows, list):
            continue
        fields = _fields(encoding)
        key = str(name if name is not None else id(rows))
        if key in found:
            found[key][2].update({field: title for field, title in fields.items() if field not in found[key][2]})
        elif _has_numbers(rows, fields):
            found[key] = (KINDS[kind], rows, fields)
    grids: dict[tuple[str, tuple[str, ...]], Grid] = {}
    for kind, rows, fields in found.values():
        grid = _grid(kind, rows, fields)
        earlier = grids.get((kind, tuple(grid.headings)))  # panels that stand beside one another are one table
        grids[kind, tuple(grid.headings)] = (
            grid if earlier is None else Grid(kind, grid.headings, [*earlier.rows, *grid.rows], grid.words)
        )
    return tuple(grids.values())


def _views(view: Mapping[str, Any], data: Any, encoding: dict[str, Any]) -> Iterator[tuple[Any, Any, dict[str, Any]]]:
    """Every view with a mark, with the data and the channels that it has or inherits."""
    data = view.get("data", data)
    encoding = encoding | view.get("encoding", {})
    if "mark" in view:
        yield view, data, encoding
    for part in ("layer", "hconcat", "vconcat", "concat"):
        for inner in view.get(part, ()):
            yield from _views(inner, data, encoding)
    if "spec" in view:
        yield from _views(view["spec"], data, encoding)


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


def _grid(kind: str, rows: list[dict[str, Any]], fields: Mapping[str, str]) -> Grid:
    words = sum(1 for field in fields if isinstance(rows[0].get(field), str))
    ordered = sorted(fields, key=lambda field: not isinstance(rows[0].get(field), str))
    shown = [tuple(exactly(row.get(field)) for field in ordered) for row in rows]
    return Grid(kind, tuple(fields[field] for field in ordered), list(dict.fromkeys(shown)), words=words)


def exactly(value: Any) -> str:
    """A value with all its digits, as JSON has it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return "-"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if hasattr(value, "item"):
        return exactly(value.item())
    return repr(value) if isinstance(value, float) else str(value)
