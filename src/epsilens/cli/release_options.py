"""What the commands that release share: data, person, account and output."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

import click

from epsilens.cli.options import JSON, engine_options
from epsilens.project.releasing import output_from as output_from
from epsilens.project.releasing import payment_from as payment_from
from epsilens.project.releasing import refuse_gaps as refuse_gaps

if TYPE_CHECKING:
    from epsilens.release.kind import Question

Decorator: TypeAlias = Callable[[Callable[..., Any]], Callable[..., Any]]

SOURCE_OPTIONS: tuple[Decorator, ...] = (
    click.argument("source"),
    click.option("--table", metavar="NAME", help="Table to read, when SOURCE is a database URL."),
    engine_options,
)
"""Where the data are."""

PERSON_OPTIONS: tuple[Decorator, ...] = (
    click.option("--unit", metavar="COL", help="Column that names a person, where people have several rows."),
    click.option(
        "--max-rows",
        "max_rows_per_unit",
        default=1,
        show_default=True,
        metavar="M",
        help="Rows kept per person, with --unit.",
    ),
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
        "--composition",
        metavar="RULE",
        help="pure, approx, zcdp, approx-zcdp, or pld for a --plan.  [default: what the total's kind says]",
    ),
    click.option(
        "--plan",
        multiple=True,
        metavar="N|TEXT",
        help="All releases of a pld account, to open it: 12 (priced like this one), or "
        "'3 x discrete-gaussian rho=0.05 tables=2'. Repeatable.",
    ),
)
"""What pays."""

END_OPTIONS: tuple[Decorator, ...] = (
    click.option("--out", type=click.Path(), metavar="FILE", help="Output: .csv or .parquet."),
    click.option("--force", is_flag=True, help="Replace an output that exists."),
    click.option(
        "--check",
        is_flag=True,
        help="Publish and spend nothing: tell which rows would be left out, and what it would cost. Exit code 2 where "
        "the release would be refused. INTERNAL.",
    ),
    click.option("--wait", default=30.0, show_default=True, metavar="S", help="Seconds to wait for a locked ledger."),
    JSON,
)
"""What is written, and how it is told."""


def notice(text: str) -> None:
    """A line for whoever waits at the terminal."""
    click.echo(f"epsilens: {text}", err=True)


def show_preflight(question: Question, source: Any, as_json: bool) -> None:
    """What the release would find, for whoever may see the data; refused, once all is told, where it would be."""
    from epsilens.cli.spelling import spelt
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.release.rehearsal import preflight
    from epsilens.report.words.preflight import preflight_blocks

    with working("Looking at the data"):
        found = preflight(question, source)
    if as_json:
        print_json(found.to_dict())
    else:
        context = click.get_current_context()
        group = context.find_root().command
        assert isinstance(group, click.Group)  # commands are called through it
        show_internal(preflight_blocks(found, lambda problem: spelt(problem, group, [str(context.info_name)])))
    if found.problems:  # a script that asks first must not go on
        raise found.problems[0]
