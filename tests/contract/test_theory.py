"""Every formula has its place on a page of the theory, and what these pages name is there."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from tools.formulas import Formula, stated

from tests.conftest import REPOSITORY

PAGES = sorted((REPOSITORY / "docs" / "theory").glob("*.md"))
_ROLE = re.compile(r"\{py:(func|meth|class)\}`~?(epsilens\.[\w.]+)`")
_LITERAL = re.compile(r"(?<![}\w])`([a-z_]\w*(?:\.\w+)+)`")
_ENTRY = re.compile(r"\]\(\.\./departures\.md#([\w-]+)\)")


def found(name: str) -> Any:
    """What a dotted name below the package means; a function before the module that is called as it is."""
    parts = name.split(".")
    for cut in range(1, len(parts)):
        try:
            value: Any = importlib.import_module(".".join(parts[:cut]))
            for part in parts[cut:]:
                value = inspect.getattr_static(value, part) if inspect.isclass(value) else getattr(value, part)
        except (ImportError, AttributeError):
            continue
        return value
    raise AssertionError(f"there is no {name}")


def home(name: str) -> str:
    """Where it is defined, as the page of formulas says it."""
    value = found(name)
    value = getattr(value, "__func__", getattr(value, "fget", value))
    return f"{value.__module__}.{value.__qualname__}".removeprefix("epsilens.")


@cache
def named() -> dict[str, set[str]]:
    """By the home of whatever the pages name, the pages that do."""
    places: dict[str, set[str]] = {}
    for page in PAGES:
        text = page.read_text()
        below = [f"epsilens.{name}" for name in _LITERAL.findall(text) if not name.endswith((".md", ".py"))]
        for name in [*(role[1] for role in _ROLE.findall(text)), *below]:
            places.setdefault(home(name), set()).add(page.name)
    return places


@pytest.mark.parametrize("formula", stated(), ids=lambda formula: formula.home)
def test_every_formula_is_on_a_page(formula: Formula) -> None:
    pages = named().get(formula.home, set())
    assert pages, f"no page of docs/theory names {formula.home}"
    entries = {entry for name in pages for entry in _ENTRY.findall((PAGES[0].parent / name).read_text())}
    missing = {departure.lower() for departure in formula.departures} - entries
    assert not missing, f"{sorted(pages)} do not say where {formula.home} departs from print"


def test_references_are_of_the_kind_that_they_say() -> None:
    kinds: dict[str, Callable[[object], bool]] = {"class": inspect.isclass, "func": inspect.isfunction}
    for page in PAGES:
        for role, name in _ROLE.findall(page.read_text()):
            if role == "meth":
                assert inspect.isclass(found(name.rpartition(".")[0])), (page.name, name)
            else:
                assert kinds[role](found(name)), (page.name, name)


def test_a_name_that_is_not_there_is_noticed() -> None:
    assert home("epsilens.homogeneity.local") == "homogeneity.local.local"
    assert home("epsilens.homogeneity.local.ready_local") == "homogeneity.local.ready_local"
    assert home("epsilens.homogeneity.published_hard") == "homogeneity.published.hard"
    with pytest.raises(AssertionError, match="there is no"):
        found("epsilens.homogeneity.no_such_risk")
