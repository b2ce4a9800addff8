"""A page as one HTML file that asks for nothing: no request is made when it is opened, and none can be.

The file forbids requests itself (Content-Security-Policy): nothing may be loaded, and only the scripts whose hashes it
names may run. They are one bundle of Vega for all charts, whose formulas are interpreted and never evaluated as code,
so that the policy needs no exception for it, and a few lines that draw, copy and print. Words, numbers and tables are
there without any script.
"""

from __future__ import annotations

import base64
import hashlib
import itertools
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from epsilens.report.page.parts import Dial, Figure, Folded, Page, Part, Section
from epsilens.report.script_json import json_for_a_script
from epsilens.report.words.common import INTERNAL, Grid
from epsilens.version import __version__

if TYPE_CHECKING:
    from jinja2 import Environment

PUBLISHABLE = "PUBLISHABLE: nothing here is computed from true data without noise"
LONG = 60
"""Rows above which a table of numbers stays folded in print."""
_EDITOR = "https://vega.github.io/editor/"
"""Where Vega would offer to open a chart, data and all; our charts do not offer it, and the address is taken out."""


@dataclass(frozen=True)
class Drawn:
    """A figure, ready for the template."""

    number: int
    id: str
    place: str
    description: str
    tables: tuple[Grid, ...]
    specification: Any

    @property
    def long(self) -> bool:
        """Whether its numbers would fill pages of paper."""
        return sum(len(grid.rows) for grid in self.tables) > LONG


@dataclass(frozen=True)
class Turned:
    """A dial, ready for the template."""

    markup: Any


@dataclass(frozen=True)
class Unfolding:
    """What is folded, ready for the template."""

    title: str
    why: str
    parts: Sequence[Any]


def render(page: Page) -> str:
    """The page as HTML."""
    from markupsafe import Markup

    numbers = itertools.count(1)
    used: set[str] = set()
    sections = [
        {
            "id": _anchor(section.title, used),
            "title": section.title,
            "parts": list(_ready(section.parts, page.internal, numbers)),
        }
        for section in page.sections
    ]
    charts, dials = _has(page.sections, Figure), _has(page.sections, Dial)
    scripts = _scripts(charts, dials)
    text: str = _environment().get_template("page.html.j2").render(
        title=page.title if page.title.startswith("Epsilens") else f"Epsilens: {page.title}",
        heading=page.title,
        label=page.label or (INTERNAL if page.internal else PUBLISHABLE),
        internal=page.internal,
        sections=sections,
        has_charts=charts,
        scripts=[Markup(script) for script in scripts],
        style=Markup(_style(dials)),
        policy=policy(scripts),
        version=__version__,
    )  # fmt: skip
    return text


def policy(scripts: Sequence[str]) -> str:
    """What the page may do: run these scripts, be styled, show pictures that it holds; nothing else, no request."""
    hashes = " ".join(f"'sha256-{_hash(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; "
        "form-action 'none'; base-uri 'none'"
    )


def specification_of(chart: Any, description: str, internal: bool) -> dict[str, Any]:
    """The chart in plain values, for a ground of any colour, with its description and, where it is internal, the label.

    The address of Vega-Lite's schema is left out: a page names no place outside itself.
    """
    plain: dict[str, Any] = chart if isinstance(chart, dict) else chart.to_dict(validate=False)
    plain = {name: value for name, value in plain.items() if name not in ("$schema", "usermeta")}
    plain["description"] = description
    plain["background"] = None
    return _labelled(plain) if internal else plain


def _labelled(plain: dict[str, Any]) -> dict[str, Any]:
    title = plain.get("title")
    named: dict[str, Any] = dict(title) if isinstance(title, Mapping) else {"text": title or ""}
    lines = [named["text"]] if isinstance(named.get("text"), str) else list(named.get("text") or [""])
    named["text"] = [f"INTERNAL: {lines[0]}", *lines[1:]] if lines[0] else "INTERNAL"
    named.setdefault("fontWeight", "bold")
    return plain | {"title": named}


def _ready(parts: Sequence[Part], internal: bool, numbers: Iterator[int]) -> Iterator[Any]:
    """The parts, each as the template needs it."""
    from markupsafe import Markup

    for part in parts:
        if isinstance(part, Figure):
            number = next(numbers)
            plain = specification_of(part.chart, part.description, internal)
            place = "vega-chart" if number == 1 else f"vega-chart-{number}"
            text = Markup(json_for_a_script(plain))
            yield Drawn(number, f"chart-{number}", place, part.description, part.tables, text)
        elif isinstance(part, Dial):
            from epsilens.report.dial import markup

            yield Turned(Markup(markup.static(part.payload)))
        elif isinstance(part, Folded):
            yield Unfolding(part.title, part.why, list(_ready(part.parts, internal, numbers)))
        else:
            yield part


def _has(sections: Sequence[Section], kind: type) -> bool:
    def within(parts: Sequence[Part]) -> bool:
        return any(isinstance(part, kind) or (isinstance(part, Folded) and within(part.parts)) for part in parts)

    return any(within(section.parts) for section in sections)


def _scripts(charts: bool, dials: bool) -> list[str]:
    scripts = [_own("page.js")]
    if dials:
        from epsilens.report.dial.markup import script, start

        scripts += [script(), start()]
    if charts:
        scripts += [_bundle(), _own("charts.js")]
    for each in scripts:
        assert "</script" not in each.lower()
        assert "\r" not in each
    return scripts


def _style(dials: bool) -> str:
    own = _own("page.css")
    if not dials:
        return own
    from epsilens.report.dial.markup import style

    return f"{own}\n{style()}"


@cache
def _own(name: str) -> str:
    return files("epsilens.report.page").joinpath(name).read_text(encoding="utf-8")


@cache
def _bundle() -> str:
    """Vega, Vega-Lite and what embeds them, for all charts of a page."""
    import vl_convert

    bundle: str = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
    return bundle.replace(_EDITOR, "about:blank").replace("\r", "")


@cache
def _hash(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()


@cache
def _environment() -> Environment:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    made = Environment(autoescape=True, undefined=StrictUndefined, loader=FunctionLoader(_own))
    made.filters["kind"] = lambda part: type(part).__name__
    made.filters["one_line"] = lambda text: text.replace("-\n", "-").replace("\n", " ")
    return made


def _anchor(title: str, used: set[str]) -> str:
    """A name for links to a section, each once."""
    plain = re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-") or "section"
    name = next(name for k in itertools.count(1) if (name := plain if k == 1 else f"{plain}-{k}") not in used)
    used.add(name)
    return name
