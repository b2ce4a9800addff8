"""``epsilens ledger show``, ``epsilens ledger verify`` and ``epsilens ledger sweep``."""

from __future__ import annotations

import click

from epsilens.cli.help_pages import Group
from epsilens.cli.options import JSON


@click.group("ledger", cls=Group)
def command() -> None:
    """Show or verify a budget ledger, or sweep up after crashed releases.

    \b
    Examples:
      epsilens ledger show b.db
      epsilens ledger verify b.db --card released.card.json
    """


@command.command("show")
@click.argument("ledger", type=click.Path())
@JSON
def show(ledger: str, as_json: bool) -> None:
    """What was spent, from which account, on what.

    \b
    Example:
      epsilens ledger show b.db
    """
    from epsilens.cli.terminal import print_json
    from epsilens.cli.terminal import show as show_blocks
    from epsilens.release.ledger.ledger import Ledger
    from epsilens.release.ledger.statement import Statement
    from epsilens.report.words.ledger import statement_blocks

    statement = Statement(Ledger(ledger).chain())
    if as_json:
        print_json(statement.to_dict())
        return
    show_blocks(statement_blocks(statement))


@command.command("verify")
@click.argument("ledger", type=click.Path())
@click.option(
    "--card",
    "cards",
    multiple=True,
    type=click.Path(),
    metavar="CARD.json",
    help="A release card whose printed head must be in the ledger: shows rows cut off at the end. Repeatable.",
)
@JSON
def verify(ledger: str, cards: tuple[str, ...], as_json: bool) -> None:
    """Recompute every hash and every account; an edited or removed row is an error.

    \b
    Example:
      epsilens ledger verify b.db --card released.card.json
    """
    from epsilens.cli.terminal import print_json, show_lines
    from epsilens.release.verified_ledger import verified_ledger
    from epsilens.report.words.ledger import verified_lines

    verified = verified_ledger(ledger, cards)
    if as_json:
        print_json(verified.to_dict())
        return
    show_lines(verified_lines(verified))


@command.command("sweep")
@click.argument("ledger", type=click.Path())
@click.argument("folders", nargs=-1, type=click.Path(), metavar="[FOLDER]...")
@JSON
def sweep(ledger: str, folders: tuple[str, ...], as_json: bool) -> None:
    """Remove temporary files (.tmp) that crashed releases left beside the ledger, or in FOLDERs.

    Only drafts of this ledger's releases whose process has ended are removed, and drafts that were never written to.
    What such a release reserved stays spent.

    \b
    Example:
      epsilens ledger sweep b.db
    """
    from epsilens.cli.terminal import print_json, show_lines
    from epsilens.release.ledger.statement import swept_up
    from epsilens.report.words.ledger import swept_lines

    swept = swept_up(ledger, folders)
    if as_json:
        print_json(swept.to_dict())
        return
    show_lines(swept_lines(swept))
