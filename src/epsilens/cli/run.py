"""``epsilens run``: a project file in, the answer of any command out."""

from __future__ import annotations

import click

from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.project import Project
from epsilens.project.keys import ANSWERED, COMMANDS, GROUPS
from epsilens.table.engine import overruled

SPENDING = ("release", "release-statistics", "protect")
"""Commands that publish or write; nobody runs one of them without naming it."""


@click.command("run", context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.argument("project", type=click.Path())
@click.argument("asked", nargs=-1, type=click.UNPROCESSED, metavar="[COMMAND] [OPTION]...")
@click.pass_context
def command(context: click.Context, project: str, asked: tuple[str, ...]) -> None:
    """Ask again what a project file asks, with any command.

    PROJECT is a file that any command writes with --save, or that somebody wrote by hand. COMMAND is the command to
    run, such as assess or posterior release; options behind it are those of that command, and win over the project.
    Without COMMAND the one that the project has a section of is run, or else assess; never one that publishes.

    \b
    Examples:
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease --max-risk 0.05 \\
        --save survey.toml
      epsilens run survey.toml
      epsilens run survey.toml assess --epsilon 0.5,1
      epsilens run survey.toml choose --max-risk 0.06 --json

    Names of files in a project are relative to the folder of the project file. Where the data have changed since the
    project was saved, a warning says so; before a release nothing does that depends on the data.
    """
    from epsilens.cli.again import arguments, given_in

    loaded = Project.load(project)
    name, options = _named(asked, loaded)
    given = given_in(name, options)
    shaped = loaded.with_values(name, columns=given["columns"]) if "columns" in given else loaded
    without = {*given, *overruled(loaded.parameters(name), given)}
    words = [*arguments(shaped, name, without), *options]  # what is said of other columns is not said then
    root = context.find_root().command
    with root.make_context("epsilens", words) as below:
        if name not in SPENDING:
            loaded.warn_of_change()
        root.invoke(below)
    if not asked or asked[0].startswith("-"):
        from epsilens.report.words.project import project_run

        others = ", ".join(one for one in ANSWERED if one != name)
        click.echo(f"epsilens: {project_run(name, others)}", err=True)


def _named(asked: tuple[str, ...], project: Project) -> tuple[str, list[str]]:
    """The command that is named, or the one that a project is about, and the options behind it."""
    if not asked or asked[0].startswith("-"):
        own = [name for name in COMMANDS if name in project.sections and name not in SPENDING]
        return own[0] if len(own) == 1 else project.usual, list(asked)
    for length in (2, 1):
        if (name := " ".join(asked[:length])) in COMMANDS:
            return name, list(asked[length:])
    wanted = " ".join(asked[:2]) if asked[0] in GROUPS else asked[0]
    raise ParameterError(f"{wanted!r} is not asked of a project{did_you_mean(wanted, COMMANDS)}")
