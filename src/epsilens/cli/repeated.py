"""A list that is given twice: it adds up where it may be repeated, and is refused elsewhere.

Click would take the last one and drop the others without a word. Somebody who types ``--delta 0.004 --delta 0.1`` would
read the numbers of one delta as those of two. Of an option that holds one value the last one counts, as everywhere.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import click

from epsilens.errors import ParameterError

HELP = ("-h", "--help")
"""What every command answers with its help."""
ELSEWHERE_LISTS = ("delta", "fixed_epsilon")
"""Options that hold one value in one command and are lists in others, by the name of their parameter."""


def bare_context(command: click.Command) -> click.Context:
    """A context to read words in, and to do nothing: click keeps the spellings of the first help that it makes."""
    return click.Context(command, resilient_parsing=True, help_option_names=list(HELP))


def refuse_repeated(command: click.Command, arguments: Sequence[str]) -> None:
    """Refuse ``arguments`` of ``command`` in which a list that does not add up stands more than once.

    A list is an option whose placeholder has a comma. What does not parse at all is left to click, which says why.
    """
    if isinstance(command, click.Group):
        return  # the command below it comes next
    context = bare_context(command)
    _, _, order = command.make_parser(context).parse_args(args=list(arguments))
    for parameter, times in Counter(order).items():
        if times == 1 or not isinstance(parameter, click.Option) or parameter.multiple:
            continue
        if "," in str(parameter.metavar):
            raise ParameterError(
                "is given more than once; give it once, with commas between its values", parameter=parameter.name
            )
        if parameter.name in ELSEWHERE_LISTS:
            raise ParameterError("is given more than once, and takes one value here", parameter=parameter.name)
