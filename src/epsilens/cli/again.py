"""A project as the command line that asks the same: words, or one line to copy into a shell."""

from __future__ import annotations

import importlib
import shlex
from collections.abc import Collection, Mapping
from typing import Any

import click

from epsilens.checks import did_you_mean
from epsilens.cli.repeated import bare_context
from epsilens.errors import ParameterError
from epsilens.project import Project
from epsilens.project.keys import COMMANDS, KEYS, LISTS
from epsilens.project.values import converted, text_of, texts_of

_WIDTH = 76
"""Columns of a line that is printed; longer ones go on below, behind a backslash."""


def command_named(command: str) -> click.Command:
    """The command that ``command``, such as ``posterior release``, calls."""
    if command not in COMMANDS:
        raise ParameterError(f"{command!r} is not asked of a project{did_you_mean(command, COMMANDS)}")
    first, _, second = command.partition(" ")
    found: click.Command = importlib.import_module(f"epsilens.cli.{first.replace('-', '_')}").command
    return found.commands[second] if isinstance(found, click.Group) else found


def arguments(project: Project, command: str, without: Collection[str] = ()) -> list[str]:
    """The words behind ``epsilens`` that ask what the project asks as ``command``.

    Parameters in ``without`` are left out, for whoever gives them otherwise.
    """
    called = command_named(command)
    asked = project.parameters(command)
    if "source" in KEYS[command] and not asked.get("source") and "source" not in without:
        raise ParameterError("is missing: say in [data] of the project where the data are", parameter="source")
    words, options = command.split(), []
    for parameter in called.params:
        name = parameter.name or ""
        if name not in asked or name in without:
            continue
        kind, value = KEYS[command][name], asked[name]
        if isinstance(parameter, click.Argument):
            words += [f"./{text}" if text.startswith("-") else text for text in _texts(kind, name, value)]
        elif kind == "flag":
            options += _flag(parameter, value)
        else:
            spelling = min(parameter.opts, key=lambda text: not text.startswith("--"))
            for text in _texts(kind, name, value):
                options += [f"{spelling}={text}"] if text.startswith("-") else [spelling, text]
    return words + options


def _flag(option: click.Parameter, value: bool) -> list[str]:
    assert isinstance(option, click.Option)
    if value == (option.flag_value is not False):  # what it means to give it
        return [option.opts[0]]
    return [option.secondary_opts[0]] if option.secondary_opts else []


def _texts(kind: str, name: str, value: Any) -> list[str]:
    """The texts that are typed for a value, one for each time that its option is given."""
    if kind in LISTS and not isinstance(value, str | int | float):
        texts = [text_of(one) for one in value]
        for text in texts:
            if "," in text and kind == "names":
                raise ParameterError(f"{text!r} has a comma in it, which parts names on a command line", parameter=name)
        return [",".join(texts)]
    if kind == "ends" and not isinstance(value, str):
        return [":".join(text_of(one) for one in value)]
    if kind in ("universe", "zeros"):
        return [str(converted(kind, name, value))]
    return texts_of(value, name)


def command_line(project: Project, command: str) -> str:
    """``epsilens choose ...`` for a shell; a long one goes on over several lines."""
    return shell_line(["epsilens", *arguments(project, command)])


def shell_line(words: list[str]) -> str:
    """Words quoted for a shell; an option stays with its value."""
    parts: list[str] = []
    for word in map(shlex.quote, words):
        last = parts[-1] if parts else "-"
        waits = not last.startswith("-") or " " not in last  # of an option without its value yet
        if parts and not word.startswith("-") and waits:
            parts[-1] = f"{last} {word}"
        else:
            parts.append(word)
    lines = [parts[0]]
    for part in parts[1:]:
        if len(lines[-1]) + len(part) + 3 <= _WIDTH:
            lines[-1] = f"{lines[-1]} {part}"
        else:
            lines.append(f"  {part}")
    return " \\\n".join(lines)


def given_in(command: str, words: Collection[str]) -> Mapping[str, Any]:
    """The parameters that ``words`` behind a command give, as they were typed; what does not parse is left to click."""
    found = command_named(command)
    context = bare_context(found)
    values, _, order = found.make_parser(context).parse_args(args=list(words))
    named = {parameter.name for parameter in order}
    return {name: value for name, value in values.items() if name in named and isinstance(value, str | bool | list)}
