"""Charts as figures of a page: what the chart says of itself, and its numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from epsilens.report.page.numbers import numbers_of_specification
from epsilens.report.page.parts import Chart, Figure, Page, Section


def figure(chart: Chart, sentence: str = "") -> Figure:
    """A chart with its numbers; ``sentence`` reads it aloud, otherwise its own description or titles do."""
    plain = chart.to_dict(validate=False)  # that charts are sound is the matter of their own tests
    return Figure(plain, sentence or " ".join(dict.fromkeys(_said(plain))), numbers_of_specification(plain))


def chart_page(chart: Chart, internal: bool = True) -> Page:
    """A page of one chart."""
    return Page("Epsilens", [Section("Chart", [figure(chart)], internal)], internal)


def _said(view: Mapping[str, Any]) -> Iterator[str]:
    """The description of a chart or, where there is none, its titles and those of its panels."""
    if description := view.get("description"):
        yield _sentence(str(description))
        return
    title = view.get("title")
    if isinstance(title, str):
        yield _sentence(title)
    elif isinstance(title, Mapping):
        for part in ("text", "subtitle"):
            if text := title.get(part):
                yield _sentence(text if isinstance(text, str) else " ".join(text))
    for kind in ("layer", "hconcat", "vconcat", "concat"):
        for inner in view.get(kind, ()):
            yield from _said(inner)


def _sentence(text: str) -> str:
    """The text as a sentence; that a chart is internal stands before its caption."""
    plain = text.replace(" Internal.", "").strip()
    plain = plain[:1].upper() + plain[1:]
    return plain if plain.endswith((".", "?", "!")) else f"{plain}."
