"""Charts in the workbench: those of the report, drawn once, with a text for whoever does not see them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from epsilens.app.work import Work
from epsilens.report.charts.common import Chart

FONT = '"Source Sans", "Source Sans Pro", sans-serif'
"""That of the page: a wider one would not fit beside the charts."""
ON_WHITE: dict[str, dict[str, Any]] = {
    "axis": {
        "labelColor": "#222222",
        "titleColor": "#222222",
        "gridColor": "#dddddd",
        "domainColor": "#888888",
        "tickColor": "#888888",
    },
    "legend": {"labelColor": "#222222", "titleColor": "#222222"},
    "header": {"labelColor": "#222222", "titleColor": "#222222"},
    "title": {"color": "#222222", "subtitleColor": "#555555"},
}
"""Colours that Streamlit would otherwise take from its dark page."""
LONGEST = 600
"""Characters of a text that is read aloud instead of a chart."""


def show(work: Work, key: str, depends: Any, draw: Callable[[], Chart]) -> None:
    """The chart that ``draw`` draws, drawn once for all that it ``depends`` on.

    It keeps the house's own colours and width, and scrolls where the page is narrower. What Altair checks and copies
    takes longer than everything else on a page, so that the finished specification is kept, not the chart.
    """
    show_specification(work.once(("chart", key, depends), lambda: draw().to_dict()), key)


def show_specification(specification: Mapping[str, Any], key: str) -> None:
    """A finished chart; its own description is what is read aloud.

    Its colours are meant for white: it has that behind it on a dark page too.
    """
    shown = {name: value for name, value in specification.items() if name != "description"}
    own = specification.get("config", {})
    shown["config"] = {**own, **{part: own.get(part, {}) | given for part, given in ON_WHITE.items()}, "font": FONT}
    shown |= {"background": "white", "padding": dict.fromkeys(("left", "right", "top", "bottom"), 8)}
    st.vega_lite_chart(spec=shown, width="content", theme=None, key=f"chart-{key}", alt=read_aloud(specification))


def read_aloud(specification: Mapping[str, Any]) -> str:
    """What the chart says of itself: its description, or its title and what stands below it."""
    described = specification.get("description")
    said = [described] if described else titles(specification)
    return ". ".join(said)[:LONGEST] or "A chart of the numbers in the table beside it"


def titles(specification: Mapping[str, Any]) -> list[str]:
    """The titles of a chart, or of its first panel that has any."""
    title = specification.get("title")
    if isinstance(title, str):
        return [title]
    if isinstance(title, Mapping) and title.get("text"):
        return [_in_one(title[part]).rstrip(".") for part in ("text", "subtitle") if title.get(part)]
    for parts in ("vconcat", "hconcat", "concat", "layer"):
        for part in specification.get(parts, ()):
            if said := titles(part):
                return said
    return []


def _in_one(lines: str | list[str]) -> str:
    return lines if isinstance(lines, str) else " ".join(lines)
