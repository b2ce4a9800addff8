"""``epsilens card verify``."""

from __future__ import annotations

import click

from epsilens.cli.help_pages import Group
from epsilens.cli.options import JSON, engine_options


@click.group("card", cls=Group)
def command() -> None:
    """Verify a release card.

    \b
    Example:
      epsilens card verify released.card.json --ledger b.db
    """


@command.command("verify")
@click.argument("card", type=click.Path())
@click.option("--data", metavar="SOURCE", help="The data: is the sealed digest theirs?")
@click.option("--table", metavar="NAME", help="Table to read, when --data is a database URL.")
@engine_options
@click.option("--ledger", type=click.Path(), metavar="B.db", help="The ledger: are chain, commit and budget right?")
@click.option("--output", type=click.Path(), metavar="FILE", help="The output.  [default: the file beside the card]")
@JSON
def verify(
    card: str, data: str | None, table: str | None, ledger: str | None, output: str | None, as_json: bool
) -> None:
    """Recompute a card's budget, output hash, chain and digest.

    \b
    Example:
      epsilens card verify released.card.json --ledger b.db \\
        --data people.csv
    """
    from epsilens.cli.terminal import print_json, show
    from epsilens.release.verification import CardQuestion, card_answer
    from epsilens.report.words.card import check_blocks

    answer = card_answer(CardQuestion(card, data, ledger, output, table))
    if as_json:
        print_json(answer.to_dict())
    else:
        show(check_blocks(answer))
    if answer.problem is not None:
        raise answer.problem
