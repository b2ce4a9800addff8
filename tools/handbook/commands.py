"""The reference of commands, made of the commands themselves: ``{command} assess`` is one, with those below it.

``{commands}`` is what all of them do, in a line each.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.main import COMMANDS, cli

if TYPE_CHECKING:
    from sphinx.application import Sphinx

_HERE = re.compile(r"^```\{command\} (\S+)\n```$", re.M)
_ALL = re.compile(r"^```\{commands\}\n```$", re.M)
_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|$~:@^%])")


def plain(text: str) -> str:
    """Text that Markdown leaves as it is."""
    return _SPECIAL.sub(r"\\\1", text)


def every_command(
    command: click.Command = cli, path: tuple[str, ...] = ("epsilens",)
) -> Iterator[tuple[tuple[str, ...], click.Command]]:
    """Every command with its words, groups before what is in them."""
    yield path, command
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            further = command.get_command(context, name)
            assert further is not None
            yield from every_command(further, (*path, name))


def page(name: str) -> str:
    """A command and those below it as Markdown."""
    command = cli.get_command(click.Context(cli), name)
    if command is None:
        raise ValueError(f"there is no command {name!r}")
    return "\n\n".join(_section(path, each) for path, each in every_command(command, ("epsilens", name)))


def overview() -> str:
    """What every command does, as a table with a link to each."""
    lines = [f"| {{ref}}`{name} <command-{name}>` | {plain(said)} |" for name, said in COMMANDS.items()]
    return "\n".join(["| command | what it does |", "|---|---|", *lines])


def _section(path: tuple[str, ...], command: click.Command) -> str:
    context = click.Context(command, info_name=" ".join(path))
    parts = (
        []
        if len(path) == 2
        else [f"({'-'.join(('command', *path[1:]))})=", f"{'#' * (len(path) - 1)} `{' '.join(path)}`"]
    )
    parts += [_paragraph(text) for text in inspect.cleandoc(command.help or "").split("\n\n")]
    usage = " ".join(command.collect_usage_pieces(context))
    parts.append(f"```text\nUsage: {' '.join(path)} {usage}\n```")
    if isinstance(command, click.Group):
        return "\n\n".join(part for part in parts if part)
    records = [
        record
        for parameter in command.get_params(context)
        if (record := parameter.get_help_record(context)) is not None and record[1]  # arguments are in the text
    ]
    parts.append("\n".join(f"`{names}`\n: {plain(' '.join(said.split()))}\n" for names, said in records))
    return "\n\n".join(part for part in parts if part)


def _paragraph(text: str) -> str:
    """A paragraph of a help text; after a ``\\b`` lines stand as they are, and examples are code."""
    kept = text.strip("\n")
    if not kept.lstrip().startswith("\b"):
        return plain(" ".join(kept.split()))
    lines = textwrap.dedent(kept.replace("\b", "").lstrip("\n").rstrip()).splitlines()
    if lines and lines[0].rstrip().endswith(":") and len(lines) > 1:
        rest = textwrap.dedent("\n".join(lines[1:]))
        return f"{plain(lines[0].strip())}\n\n```text\n{rest}\n```"
    return f"```text\n{chr(10).join(lines)}\n```"


def _read(app: Sphinx, name: str, source: list[str]) -> None:
    """Put the commands into the page before it is parsed, so that their headings are its own."""
    source[0] = _ALL.sub(lambda _: overview(), _HERE.sub(lambda found: page(found[1]), source[0]))


def setup(app: Sphinx) -> dict[str, Any]:
    """Make commands a part of pages that ask for them."""
    app.connect("source-read", _read)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
