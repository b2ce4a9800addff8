"""``--save PROJECT.toml`` on every command: what was asked, kept in a file that ``epsilens run`` asks again."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import click

from epsilens.project.keys import COMMANDS

WORDS = "epsilens.words"
"""Where a context keeps the words behind the command, as they were typed."""
NO_BUDGET = 3
"""The exit code of a question that was answered: there is no such budget."""


def with_saving(command: click.Command, name: str) -> click.Command:
    """The command, and those below it, with ``--save``; those that ask nothing of data are as they were."""
    if isinstance(command, click.Group):
        for second, further in command.commands.items():
            with_saving(further, f"{name} {second}")
        return command
    if name not in COMMANDS or any(parameter.name == "save" for parameter in command.params):
        return command
    command.params.append(
        click.Option(
            ["--save"],
            type=click.Path(),
            metavar="PROJECT.toml",
            help="Also keep what is asked in a project file, new or existing, for `epsilens run`.",
        )
    )
    assert command.callback is not None
    command.callback = _saving(command.callback, name)
    return command


def _saving(callback: Callable[..., Any], name: str) -> Callable[..., Any]:
    @functools.wraps(callback)
    def called(*args: Any, save: str | None = None, **given: Any) -> Any:
        if save is None:
            return callback(*args, **given)
        from epsilens.cli.again import given_in, shell_line
        from epsilens.cli.terminal import show_lines
        from epsilens.project.saving import Saving
        from epsilens.report.words.addresses import has_password
        from epsilens.report.words.project import declared_apart, password_kept, project_written

        saving = Saving(save, name, given_in(name, click.get_current_context().meta.get(WORDS, ())))
        try:
            result = callback(*args, **given)
        except click.exceptions.Exit as stop:
            if stop.exit_code == NO_BUDGET:
                saving.write()
            raise
        saving.write()
        if has_password(str(saving.project.section("data").get("source"))):
            click.echo(f"epsilens: {password_kept(save)}", err=True)
        if saving.apart:
            click.echo(f"epsilens: {declared_apart(save, name, saving.apart)}", err=True)
        if not given.get("as_json"):
            show_lines([project_written(save, shell_line(["epsilens", "run", save, *name.split()]))])
        return result

    return called
