"""The reference of Python names, made of stubs and docstrings: ``{room} epsilens.noise`` is all names of a room.

Docstrings are plain sentences with a few marks: ``literals``, references such as :func:`~epsilens.assess`, lists, and
formulas in letters. Everything else is taken as it stands, so that ``n_k`` or ``|Y|`` are not markup.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Iterator
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from epsilens.lazy import stub_homes

ROOMS = (
    "table", "homogeneity", "homogeneity.published", "homogeneity.repeated", "posterior", "avoidance", "noise",
    "budget", "accounting", "sensitivity", "utility", "choice", "release", "release.statistics", "project", "errors",
)  # fmt: skip
_KEPT = re.compile(r"(``.+?``|:[a-z]+:`[^`]+`|`[^`\s][^`]*`_?)", re.S)
_MARKS = re.compile(r"([\\*|`]|_(?=\W|$)|(?<!\w)_)")
_LABELS = re.compile(r"^(Source:|Assumes\b|Departs from print(?: \([^)]*\))?:?)")
_DEPARTURE = re.compile(r"\bP\d-\w+\b")


def names_of(room: str) -> list[str]:
    """The public names of a room: of its stub, of ``__all__``, or what its one module defines."""
    module = importlib.import_module(f"epsilens.{room}" if room else "epsilens")
    if hasattr(module, "__all__"):
        names = [name for name in module.__all__ if not name.startswith("__")]
    else:
        names = [name for name, value in vars(module).items() if _is_own(module, name, value)]
    return [name for name in names if not inspect.ismodule(getattr(module, name))]


def _is_own(module: Any, name: str, value: Any) -> bool:
    return not name.startswith("_") and getattr(value, "__module__", None) == module.__name__


def documented() -> dict[str, list[str]]:
    """Every public thing once, in the first room that has it."""
    seen: set[int] = set()
    found: dict[str, list[str]] = {}
    for room in ROOMS:
        module = importlib.import_module(f"epsilens.{room}")
        for name in sorted(names_of(room), key=str.lower):
            value = getattr(module, name)
            if id(value) not in seen:
                seen.add(id(value))
                found.setdefault(room, []).append(name)
    return found


def top_level() -> Iterator[tuple[str, str]]:
    """The names of ``epsilens`` itself, and where each is documented."""
    homes = {
        id(getattr(importlib.import_module(f"epsilens.{room}"), name)): f"epsilens.{room}.{name}"
        for room, names in documented().items()
        for name in names
    }
    epsilens = importlib.import_module("epsilens")
    for name in sorted(stub_homes("epsilens"), key=str.lower):
        value = getattr(epsilens, name)
        if not inspect.ismodule(value):
            yield name, homes[id(value)]


def page(room: str) -> str:
    """A room in reStructuredText."""
    module = importlib.import_module(f"epsilens.{room}")
    parts = []
    for name in documented()[room]:
        value, whole = getattr(module, name), f"epsilens.{room}.{name}"
        if inspect.isclass(value):
            parts.append(f".. autoclass:: {whole}\n   :members:\n   :undoc-members:\n   :no-inherited-members:\n")
        elif callable(value):
            parts.append(f".. autofunction:: {whole}\n")
        else:
            parts.append(f".. py:data:: {whole}\n")
    return "\n".join(parts)


class Room(SphinxDirective):
    """All public names of a room."""

    required_arguments = 1

    def run(self) -> list[nodes.Node]:
        """Their descriptions."""
        room = self.arguments[0].removeprefix("epsilens").lstrip(".")
        text = page(room) if room else _top()
        found: list[nodes.Node] = self.parse_text_to_nodes(f"```{{eval-rst}}\n{text}\n```")
        return found


def _top() -> str:
    lines = [f"* :py:obj:`epsilens.{name} <{home}>`" for name, home in top_level()]
    return "\n".join(lines)


def escaped(line: str) -> str:
    """A line of a docstring in which only the marks that are meant are markup."""
    bullet = re.match(r"\s*[*-] ", line)
    lead = bullet[0] if bullet else ""
    parts = _KEPT.split(line[len(lead) :])
    return lead + "".join(part if k % 2 else _MARKS.sub(r"\\\1", part) for k, part in enumerate(parts))


def rendered(lines: list[str]) -> list[str]:
    """A docstring as reStructuredText: labels in bold, departures as links, single backticks as literals.

    What is indented behind a colon is a table of formulas and stays as it stands.
    """
    text = _KEPT.sub(lambda mark: mark[0].replace("\n", " "), "\n".join(lines))
    text = re.sub(r"(?<![:`\w])`([^`\s][^`]*)`(?![`_])", r"``\1``", text)
    found: list[str] = []
    for paragraph in re.split(r"\n\s*\n", text):
        if found and found[-1].endswith(":") and paragraph.startswith("    "):
            found[-1] += ":"
            found += ["", *paragraph.split("\n")]
            continue
        found.append("")
        for line in paragraph.split("\n"):
            if label := _LABELS.match(line.strip()):
                rest = escaped(line.strip()[label.end() :])
                found += ["", f"{_linked(label[0])} {rest.lstrip()}"]
            else:
                found.append(escaped(line))
    return found[1:]


def _linked(label: str) -> str:
    """A label in bold, behind it links to the departures that it names."""
    words, bracket, names = label.partition(" (")
    links = _DEPARTURE.sub(lambda name: f"`{name[0]} <../../departures.html#{name[0].lower()}>`__", bracket + names)
    return f"**{words}**{links}"


def _process(app: Sphinx, what: str, name: str, thing: object, options: object, lines: list[str]) -> None:
    lines[:] = rendered(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Make the directive known, and docstrings what they are."""
    app.setup_extension("sphinx.ext.autodoc")
    app.add_directive("room", Room)
    app.connect("autodoc-process-docstring", _process)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
