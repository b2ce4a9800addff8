"""Completion of values in a shell: names that a registry knows, columns of the source, accounts of the ledger.

There is no list of names here. Which registry knows the values of an option stands in :data:`NAMES` by the option's
parameter; an option whose placeholder lists its values (``joint|separate``) has them there. Columns are named, values
in them never: they are about people. Whatever goes wrong completes nothing and says nothing.
"""

from __future__ import annotations

import importlib
import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias, get_args

import click
from click.shell_completion import CompletionItem, ShellComplete

from epsilens.cli import options
from epsilens.cli.repeated import bare_context
from epsilens.cli.saving import WORDS

Items: TypeAlias = "list[CompletionItem[str]]"

_MECHANISMS = "noise.mechanisms:MECHANISMS"
_PANELS = "choice.questions.posterior.adversaries:PANELS"
NAMES: Mapping[str, tuple[str, ...]] = {
    "adding_up": ("release.statistics.kinds:ADDING_UP",),
    "against": (_MECHANISMS,),
    "aggregate_by": ("choice.aggregates:NAMES",),
    "alpha": ("homogeneity.models.dirichlet_fits:METHODS",),
    "attack": ("posterior.attacks:ATTACKS",),
    "axis": ("choice.questions.cell:AXES",),
    "bounding": ("release.statistics.noise:BOUNDING",),
    "claimed": (_MECHANISMS,),
    "codes": ("table.hierarchy:Codes",),
    "composition": ("accounting.rules:ACCOUNT_KINDS",),
    "leaf_prior": ("posterior.trees.leaf_laws:LEAF_LAWS",),
    "measure": ("choice.choose.asked:ALL_MEASURES",),
    "measures": ("homogeneity.measures:MEASURES", "homogeneity.measures:GROUPS"),
    "mechanism": (_MECHANISMS,),
    "mechanisms": (_MECHANISMS,),
    "methods": ("release.statistics.proportion_study:METHODS",),
    "missing": ("table.gaps:RULES",),
    "neighbours": ("budget:NEIGHBOURS",),
    "papers": ("reproduce.papers:PAPERS", "reproduce.papers:ALL"),
    "preset": ("choice.questions.posterior.budgets:PRESETS",),
    "scenario": ("posterior.scenarios:SCENARIOS",),
    "size_model": ("homogeneity.models.sizes:SIZE_MODELS",),
    "system": ("choice.questions.protect:plain_systems",),
    "systems": ("avoidance.catalogue:SYSTEMS", "avoidance.catalogue:GROUPS"),
    "targets": ("release.statistics.proportion_study:TARGETS",),
    "verdicts": ("reproduce.verdicts:VERDICTS",),
    "weightings": ("choice.questions.axes:AVERAGES",),
    "written": ("release.statistics.spread:KINDS",),
    "assess chart": ("report.charts.assess_kinds:KINDS",),
    "choose chart": ("report.charts.choose:CHARTS",),
    "demo chart": ("report.charts.assess_kinds:KINDS",),
    "posterior curve chart": (_PANELS,),
    "posterior levels chart": (_PANELS,),
    "posterior noise chart": ("choice.questions.posterior.noise:CHARTS",),
    "posterior two-level chart": (_PANELS,),
    "release mechanism": ("release.pricing:releasable",),
}
"""Who knows the values of an option, by its parameter; or by command and parameter, where commands differ."""
_NAMING_COLUMNS = (
    "quasi_identifiers sensitive by levels knows swap ordered columns marginal count truth_count unit household weight "
    "tree group where published_where"
)
COLUMNS = frozenset(_NAMING_COLUMNS.split())
"""Parameters that name columns of the source."""
BY_COLUMN = frozenset(("bins", "harmful", "missing", "node", "copies", "hierarchy"))
"""Parameters that say something about a column, behind its name and ``=``."""
SOURCES = ("source", "published", "truth", "data")
"""Parameters that name the data."""
FILES = frozenset((*SOURCES, "script", "cells"))
"""Parameters that are files, or may be."""
_LISTED = re.compile(r"[a-z0-9]+(\|[a-z0-9]+)*")
"""A placeholder that lists the values of its option."""


def with_completion(command: click.Command) -> click.Command:
    """The command, and those below it, with values that a shell can complete."""
    if isinstance(command, click.Group):
        for further in command.commands.values():
            with_completion(further)
        return command
    for parameter in command.params:
        found = _asked_of_a_project if parameter.name == "asked" else _completing(parameter)
        if found is not None:
            parameter.shell_complete = partial(_quietly, found, parameter)  # type: ignore[method-assign]
    if command.name == "run":
        command.shell_complete = partial(_options_of_a_project, command)  # type: ignore[method-assign]
    return command


Completing: TypeAlias = Callable[[click.Parameter, click.Context, str], Items]


def _completing(parameter: click.Parameter) -> Completing | None:
    """How the parameter is completed; None where click does it, or nobody can."""
    name = parameter.name or ""
    if name in FILES:
        return lambda _parameter, _context, begun: [CompletionItem(begun, type="file")]
    if isinstance(parameter.type, click.Path | click.Choice) and name not in BY_COLUMN:
        return None
    known = name in COLUMNS | BY_COLUMN | {"account"} or any(key.split()[-1] == name for key in NAMES)
    return _from_words if known or _LISTED.fullmatch(str(parameter.metavar)) else None


def _quietly(found: Completing, parameter: click.Parameter, context: click.Context, begun: str) -> Items:
    """What completes ``begun``; nothing where anything goes wrong."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return found(parameter, context, begun)
    except Exception:
        return []


def _from_words(parameter: click.Parameter, context: click.Context, begun: str) -> Items:
    """The words that go on from ``begun``; of a list with commas, those that are not in it yet."""
    done = ""
    if "," in str(parameter.metavar) or parameter.callback is options.names:
        done = begun[: begun.rfind(",") + 1]
    taken = set(done.split(","))
    words = dict.fromkeys(word for word in _words(parameter, context, begun) if word not in taken)
    return [CompletionItem(done + word) for word in words if (done + word).startswith(begun)]


def _words(parameter: click.Parameter, context: click.Context, begun: str) -> Iterable[str]:
    """Everything that the parameter could be."""
    name, command = parameter.name or "", context.command_path.partition(" ")[2]
    places = NAMES.get(f"{command} {name}", NAMES.get(name, ()))
    if _LISTED.fullmatch(str(parameter.metavar)):
        yield from str(parameter.metavar).split("|")
    else:
        for place in places:
            yield from registered(place)
    if name == "account":
        yield from _accounts(context)
    if name in COLUMNS or (name == "hierarchy" and parameter.callback is options.names):
        yield from _columns(context)
    elif name in BY_COLUMN:
        column, equals, _ = begun.partition("=")
        if name == "copies":  # another name stands in front, and the column behind
            yield from (f"{column}={known}" for known in _columns(context)) if equals else ()
        elif name == "missing" and equals:
            yield from (f"{column}={rule}" for place in places for rule in registered(place))
        elif not equals:
            yield from (f"{known}=" for known in _columns(context))


def registered(place: str) -> tuple[str, ...]:
    """The names that a registry knows: ``noise.mechanisms:MECHANISMS`` of a table, a function or a type."""
    module, _, name = place.partition(":")
    found: Any = getattr(importlib.import_module(f"epsilens.{module}"), name)
    if isinstance(found, str):
        return (found,)
    listed = get_args(found) or (found() if callable(found) else found)
    return tuple(map(str, listed))


def _columns(context: click.Context) -> Iterable[str]:
    """The columns of the files that the command reads; of databases nobody asks before the command is complete."""
    from epsilens.table.reading.databases import is_url
    from epsilens.table.reading.files import names_in_files

    given = _given(context)
    for source in (given[name] for name in SOURCES if given.get(name)):
        if not is_url(source):
            yield from names_in_files(source)


def _accounts(context: click.Context) -> Iterable[str]:
    """The accounts of the ledger that the command names."""
    from epsilens.release.ledger.ledger import Ledger

    path = _given(context).get("ledger")
    if path and Path(path).exists():
        yield from Ledger(path, wait=0).chain().accounts


def _given(context: click.Context) -> Mapping[str, Any]:
    """What stands on the command line so far, by parameter; the option that is being completed has no value yet."""
    bare = bare_context(context.command)
    values, _, _ = context.command.make_parser(bare).parse_args(args=[*context.meta.get(WORDS, ()), ""])
    return values


def _asked_of_a_project(_parameter: click.Parameter, context: click.Context, begun: str) -> Items:
    """Behind ``run PROJECT``: the commands that a project is asked as, then what completes these."""
    from epsilens.project.keys import COMMANDS

    _project, *words = context.meta[WORDS]
    if begun.startswith("-") or any(word.startswith("-") for word in words):
        return _below(words, context, begun)
    named = [command.split() for command in COMMANDS]
    firsts = [command[len(words)] for command in named if command[: len(words)] == words and len(command) > len(words)]
    return [CompletionItem(word) for word in dict.fromkeys(firsts) if word.startswith(begun)]


def _below(words: list[str], context: click.Context, begun: str) -> Items:
    """What completes a command that is asked of a project, with the data of the project."""
    from epsilens.cli.again import command_named
    from epsilens.project import Project
    from epsilens.project.keys import COMMANDS

    project = Project.load(context.meta[WORDS][0])
    name = next(name for name in (" ".join(words[:2]), words[0]) if name in COMMANDS)
    asked, positions = (
        project.parameters(name),
        [p for p in command_named(name).params if isinstance(p, click.Argument)],
    )
    data = [str(asked[p.name]) for p in positions if p.name in asked]
    shell = ShellComplete(context.find_root().command, {}, "epsilens", "")
    return shell.get_completions([*name.split(), *data, *words[len(name.split()) :]], begun)


def _options_of_a_project(run: click.Command, context: click.Context, begun: str) -> Items:
    """The options of the command that a project is asked as; before one is named, those of ``run`` itself."""
    if len(context.meta.get(WORDS, ())) < 2:
        return click.Command.shell_complete(run, context, begun)
    return _quietly(_asked_of_a_project, run.params[-1], context, begun)
