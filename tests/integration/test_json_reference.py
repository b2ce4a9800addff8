"""The fields that the handbook promises are in what the commands print."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.conftest import REPOSITORY
from tests.support.documents import blocks
from tests.unit.cli.conftest import Run
from tests.unit.cli.conftest import run as run

pytestmark = pytest.mark.integration

PAGE = "docs/reference/json.md"


def promised() -> dict[int, list[str]]:
    """The fields of each table, by the line at which it begins."""
    lines = (REPOSITORY / PAGE).read_text().splitlines()
    found: dict[int, list[str]] = {}
    for number, line in enumerate(lines, 1):
        if line == "| field | what it is |":
            found[number] = []
        elif line.startswith("| `"):
            found[max(found)] += re.findall(r"`([^`]+)`", line.split(" | ")[0])
    return found


def has(value: Any, path: list[str]) -> bool:
    """Whether a field is there; of a list in each of its elements, of which there must be one."""
    if not path:
        return True
    first, *rest = path
    if first.endswith("[]"):
        inside = value[first[:-2]] if isinstance(value, dict) and first[:-2] in value else None
        return isinstance(inside, list) and bool(inside) and all(has(one, rest) for one in inside)
    return isinstance(value, dict) and first in value and has(value[first], rest)


def test_every_field_that_is_promised_is_printed(run: Run) -> None:
    assert run("demo", "--rows", "3000", "--write", "people.csv").code == 0
    printed: dict[int, Any] = {}
    for block in blocks(PAGE):
        for command in block.commands:
            outcome = run(*shlex.split(command.line)[1:])
            assert outcome.code == 0, outcome.err
            if "--json" in command.line:
                printed[block.line] = outcome.json
    tables = promised()
    assert len(tables) == len(printed)
    for line, fields in tables.items():
        answer = printed[max(found for found in printed if found < line)]
        for field in fields:
            assert has(answer, field.split(".")), f"{PAGE}:{line}: {field}"


def test_a_field_is_looked_for_in_every_element() -> None:
    answer = json.loads('{"a": [{"b": 1}, {"c": 2}], "d": [], "e": {"f": null}}')
    assert has(answer, ["e", "f"])
    assert has(answer, ["a[]"])
    assert not has(answer, ["a[]", "b"])
    assert not has(answer, ["d[]"])
    assert not has(answer, ["e", "f", "g"])
    assert Path(REPOSITORY / PAGE).exists()
