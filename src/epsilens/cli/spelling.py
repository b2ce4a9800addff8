"""Errors speak of the parameters of a function; on the command line the same things are options."""

from __future__ import annotations

from collections.abc import Sequence

import click

from epsilens.errors import EpsilensError, EpsilensWarning

OPTION_OF = {
    "quasi_identifiers": "qid",
    "missing_values": "missing_value",
    "hierarchies": "hierarchy",
    "share": "swapped_share",
    "max_rows_per_unit": "max_rows",
    "marginals": "marginal",
    "statistics": "written",
    "classify": "no_classify",
    "copies": "copy",
}
"""The option that a parameter of the library is, where their names differ."""

OPTIONS_OF = {"total": ("total_epsilon", "total_rho")}
"""The options by which a parameter of the library is given in parts."""


def spelt(message: EpsilensError | EpsilensWarning, group: click.Group, arguments: Sequence[str]) -> str:
    """The message of an error with its parameters spelt as options of the command that ``arguments`` call.

    A parameter that is not an option of the command is spelt in words.
    """
    given = [parameter for parameter in _parameters(group, arguments) if isinstance(parameter, click.Option)]
    options = {text.lstrip("-").replace("-", "_"): option for option in given for text in option.opts}
    options |= {option.name: option for option in given if option.name is not None}
    options |= {name: options[other] for name, other in OPTION_OF.items() if other in options}

    def speller(name: str, value: str | None = None) -> str:
        if name not in options and all(part in options for part in OPTIONS_OF.get(name, ("",))):
            return " or ".join(speller(part) for part in OPTIONS_OF[name])
        option = options.get(name)
        if option is None:
            words = name.replace("_", " ")
            return words if value is None else f"{words} {value}"
        spelling = min(option.opts, key=lambda text: not text.startswith("--"))  # the first of its long spellings
        return spelling if value is None or option.is_flag else f"{spelling} {value}"

    return message.spelt(speller)


def _parameters(group: click.Group, arguments: Sequence[str]) -> list[click.Parameter]:
    """The parameters of the command that is called, found along its path of names.

    ``run`` calls another command, which is named behind the project.
    """
    command: click.Command = group
    for word in arguments:
        if not isinstance(command, click.Group):
            break
        found = command.get_command(click.Context(command), word)
        if found is not None:
            command = group if found.name == "run" else found
    return command.params
