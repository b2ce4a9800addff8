"""A project as a Python program that gives the same answer as a command, for whoever would rather read Python."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from epsilens.checks import one_of
from epsilens.project.keys import ANSWERED, DATA

_WIDTH = 100


def script_of(command: str, asked: Mapping[str, Any]) -> str:
    """The program; it prints JSON, and needs nothing but the data and Epsilens."""
    one_of("command", command, ANSWERED)
    data = {name: value for name, value in asked.items() if name in DATA and name not in _own(command)}
    own = {name: value for name, value in asked.items() if name not in data}
    sections: dict[str, Any] = {"data": data}
    if own:
        first, _, second = command.partition(" ")
        sections[first] = {second: own} if second else own
    body = "".join(f"    {name}={_literal(values, 1)},\n" for name, values in sections.items())
    return (
        '"""Prints in JSON what `epsilens ' + command + ' ... --json` prints."""\n\n'
        "import json\n\nimport epsilens as el\n\n"
        f"project = el.Project.of(\n{body})\n"
        f'answer = project.answer("{command}")\n'
        f'print(json.dumps(project.worded("{command}", answer), indent=2, ensure_ascii=False))\n'
    )


def _own(command: str) -> tuple[str, ...]:
    """Keys that the command means differently than ``data`` does."""
    return ("levels",) if command == "release" else ()


def _quoted(value: Any) -> str:
    """A text in double quotes where it has none itself."""
    text = repr(value)
    return f'"{text[1:-1]}"' if text[:1] == "'" and '"' not in text and "\\" not in text else text


def _literal(value: Any, depth: int) -> str:
    """A plain value as Python writes it, a long one over several lines."""
    if isinstance(value, Mapping):
        opened, closed = "{", "}"
        items = [f"{_quoted(name)}: {_literal(one, depth + 1)}" for name, one in value.items()]
    elif isinstance(value, list | tuple):
        opened, closed = "[", "]"
        items = [_literal(one, depth + 1) for one in value]
    else:
        return _quoted(value)
    line = f"{opened}{', '.join(items)}{closed}"
    if len(line) + 4 * depth <= _WIDTH and "\n" not in line:
        return line
    before = "    " * (depth + 1)
    return opened + "\n" + "".join(f"{before}{item},\n" for item in items) + "    " * depth + closed
