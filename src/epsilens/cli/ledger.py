"""``epsilens ledger show``, ``epsilens ledger verify`` and ``epsilens ledger sweep``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from epsilens.release.ledger.chain import Chain


@click.group("ledger")
def command() -> None:
    """Show or verify a budget ledger, or sweep up after crashed releases."""


@command.command("show")
@click.argument("ledger", type=click.Path())
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def show(ledger: str, as_json: bool) -> None:
    """What was spent, from which account, on what."""
    from epsilens.cli.terminal import console, counted, print_json
    from epsilens.release.ledger.ledger import Ledger

    chain = Ledger(ledger).chain()
    if as_json:
        print_json({**_summary(chain), "entries": [entry.to_dict() for entry in chain.entries]})
        return
    from rich.markup import escape
    from rich.table import Table

    out = console()
    for account in _summary(chain)["accounts"]:
        total, spent, left = (_amounts(account[name]) for name in ("total", "spent", "left"))
        out.print(
            f"[bold]{escape(account['account'])}[/bold]: {spent} spent of {total}, {left} left "
            f"({account['composition']}, {account['neighbours']}; {counted(account['releases'], 'release')})"
        )
    grid = Table(box=None)
    for heading in ("entry", "time", "kind", "account", "what"):
        grid.add_column(heading, justify="right" if heading == "entry" else "left")
    for entry in chain.entries:
        grid.add_row(
            str(entry.number),
            entry.body["time"],
            entry.kind,
            escape(entry.body["account"]),
            escape(_what(chain, entry)),
        )
    out.print(grid)
    out.print(f"[dim]head {chain.head}[/dim]")


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
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def verify(ledger: str, cards: tuple[str, ...], as_json: bool) -> None:
    """Recompute every hash and every account; an edited or removed row is an error."""
    from epsilens.cli.terminal import print_json
    from epsilens.release.ledger.ledger import Ledger
    from epsilens.release.verification import card_head

    chain = Ledger(ledger).chain()
    for card in cards:
        card_head(card, chain)
    summary = _summary(chain)
    if as_json:
        print_json({"ok": True, "cards": len(cards), **summary})
        return
    beyond = "" if cards else " (rows cut off together with the head show only against a card: --card)"
    click.echo(f"{ledger}: {len(chain.entries)} entries, every hash holds{beyond}.")
    for account in summary["accounts"]:
        click.echo(f"  {account['account']}: {_amounts(account['left'])} left of {_amounts(account['total'])}")


@command.command("sweep")
@click.argument("ledger", type=click.Path())
@click.argument("folders", nargs=-1, type=click.Path(), metavar="[FOLDER]...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def sweep(ledger: str, folders: tuple[str, ...], as_json: bool) -> None:
    """Remove temporary files (.tmp) that crashed releases left in FOLDERs.  [default: where the ledger is]

    Only drafts of this ledger's releases whose process has ended are removed, and drafts that were never written to.
    What such a release reserved stays spent.
    """
    from pathlib import Path

    from epsilens.cli.terminal import print_json
    from epsilens.errors import SourceError
    from epsilens.release.ledger.ledger import Ledger
    from epsilens.release.ledger.leftovers import told

    book = Ledger(ledger)
    book.chain()  # without a sound ledger nobody can tell whose files they are
    places = [Path(folder) for folder in folders] or [Path(ledger).parent]
    for place in places:
        if not place.is_dir():
            raise SourceError(f"there is no folder {place}")
    swept = book.swept(places)
    if as_json:
        print_json({"removed": [str(found.path) for found in swept]})
        return
    for found in swept:
        click.echo(f"  {found.path}")
    click.echo(f"{told(swept)}." if swept else "No release left a temporary file.")


def _summary(chain: Chain) -> dict[str, Any]:
    from epsilens.accounting.amounts import digits

    accounts = []
    for name, account in chain.accounts.items():
        costs = chain.costs(name)
        accounts.append(
            {
                **account.to_dict(),
                "spent": {key: digits(value) for key, value in account.spent(costs).items()},
                "left": {key: digits(value) for key, value in account.left(costs).items()},
                "releases": len(costs),
                "uncommitted": sum(
                    chain.commit_of(entry.body["release"]) is None for entry in chain.reservations(name)
                ),
            }
        )
    return {"ledger": chain.ledger, "head": chain.head, "accounts": accounts}


def _what(chain: Chain, entry: Any) -> str:
    """An entry in a few words."""
    body = entry.body
    if entry.kind == "open":
        return f"total {_amounts(body['total'])}, {body['composition']}, {body['neighbours']}"
    if entry.kind == "commit":
        return f"release {body['release']} is written"
    cost = _amounts({name: body["cost"][name] for name in ("epsilon", "delta", "rho") if body["cost"][name]})
    state = "" if chain.commit_of(body["release"]) else " (not committed; counts as spent)"
    return f"release {body['release']}: {body.get('mechanism', '')} {cost} to {body.get('output') or 'memory'}{state}"


def _amounts(amounts: dict[str, str]) -> str:
    return ", ".join(f"{name} {value}" for name, value in amounts.items() if value != "0" or len(amounts) == 1)
