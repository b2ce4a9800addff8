"""What the commands that release share: data, person, account, output, and the words of errors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from epsilens.errors import EpsilensError, ParameterError, speaking_of

if TYPE_CHECKING:
    from epsilens.budget import Budget

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

SOURCE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("source"),
    click.option("--table", metavar="NAME", help="Table to read, when SOURCE is a database URL."),
)
"""Where the data are."""

PERSON_OPTIONS: tuple[Decorator, ...] = (
    click.option("--unit", metavar="COL", help="Column that names a person, where people have several rows."),
    click.option("--max-rows", default=1, show_default=True, metavar="M", help="Rows kept per person, with --unit."),
    click.option("--one-row-per-person", is_flag=True, help="Declare that each person has one row."),
)
"""Who is protected."""

NEIGHBOURS_OPTION: Decorator = click.option(
    "--neighbours",
    default="add-remove",
    show_default=True,
    metavar="N",
    help="What the budget protects: add-remove (one person more or less) or substitute.",
)

ACCOUNT_OPTIONS: tuple[Decorator, ...] = (
    click.option("--ledger", type=click.Path(), metavar="B.db", help="Ledger that pays. Opened when a total is given."),
    click.option("--account", metavar="NAME", help="The data set's account in the ledger."),
    click.option("--total-epsilon", type=float, metavar="E", help="Total of the account, to open it."),
    click.option("--total-delta", type=float, metavar="D", help="Total delta of the account."),
    click.option("--total-rho", type=float, metavar="R", help="Total of the account in zCDP."),
    click.option(
        "--composition", metavar="RULE", help="pure, approx, zcdp or pld.  [default: what the total's kind says]"
    ),
)
"""What pays."""

END_OPTIONS: tuple[Decorator, ...] = (
    click.option("--out", type=click.Path(), metavar="FILE", help="Output: .csv or .parquet."),
    click.option("--force", is_flag=True, help="Replace an output that exists."),
    click.option("--wait", default=30.0, show_default=True, metavar="S", help="Seconds to wait for a locked ledger."),
    click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
)
"""What is written, and how it is told."""

SPELLINGS = {
    "use force to replace it": "use --force to replace it",
    "(unit)": "(--unit)",
    "name it as the unit": "name it with --unit",
    "declare its total": "declare its total (--total-epsilon, alone or with --total-delta, or --total-rho)",
    "declare edges instead, such as bins={'age': [0, 18, 65]}": "declare edges instead, such as --bins 'age=0|18|65'",
    "name marginals or a hierarchy": "name several with --marginal, or a --hierarchy",
    "give n, a public lower bound": "give --n, a public lower bound",
    "or use neighbours substitute": "or use --neighbours substitute",
    "use neighbours add-remove": "use --neighbours add-remove",
    "needs neighbours add-remove": "needs --neighbours add-remove",
    "wait must be": "--wait must be",
    "allow_continuous": "--allow-continuous",
    "one_row_per_person": "--one-row-per-person",
    "threshold_delta": "--threshold-delta",
    "max_rows_per_unit": "--max-rows",
}
"""How a release names things in Python, and on the command line."""


@contextmanager
def in_options() -> Iterator[None]:
    """Errors of a release in the words of the command line."""
    try:
        yield
    except EpsilensError as problem:
        said = str(problem)
        for words, spelt in SPELLINGS.items():
            said = said.replace(words, spelt)
        if said == str(problem):  # its parts spell themselves
            raise
        raise type(problem)(said) from None


def refuse_gaps(given: Mapping[str, Any], *options: str) -> None:
    """Refuse a call that leaves out an option that has no default."""
    for option in options:
        if not given[option]:
            raise ParameterError(f"--{option} is missing")


def notice(text: str) -> None:
    """A line for whoever waits at the terminal."""
    click.echo(f"epsilens: {text}", err=True)


def opening_total(given: Mapping[str, Any]) -> Budget | None:
    """The total of an account that is to be opened."""
    with speaking_of(epsilon="total_epsilon", delta="total_delta", rho="total_rho"):
        return budget_from(given["total_epsilon"], given["total_delta"], given["total_rho"], "total-", "")


def budget_from(
    epsilon: float | None, delta: float | None, rho: float | None, prefix: str, mechanism: str
) -> Budget | None:
    """The budget that the options mean; nothing where none is given."""
    from epsilens.budget import ZCDP, ApproxDP, PureDP
    from epsilens.noise import MECHANISMS

    if rho is not None:
        if epsilon is not None or delta is not None:
            raise ParameterError(f"give --{prefix}rho, or --{prefix}epsilon and --{prefix}delta, not both")
        return ZCDP(rho)
    if epsilon is None:
        if delta is not None:
            raise ParameterError(f"--{prefix}delta needs --{prefix}epsilon")
        return None
    if delta is not None:
        return ApproxDP(epsilon, delta)
    if mechanism in MECHANISMS and MECHANISMS[mechanism].has_delta:
        raise ParameterError(f"mechanism {mechanism!r} needs a --delta with --epsilon, or a --rho")
    return PureDP(epsilon)
