"""``epsilens card verify``."""

from __future__ import annotations

import click


@click.group("card")
def command() -> None:
    """Verify a release card."""


@command.command("verify")
@click.argument("card", type=click.Path())
@click.option("--data", metavar="SOURCE", help="The data: is the sealed digest theirs?")
@click.option("--table", metavar="NAME", help="Table to read, when --data is a database URL.")
@click.option("--ledger", type=click.Path(), metavar="B.db", help="The ledger: are chain, commit and budget right?")
@click.option("--output", type=click.Path(), metavar="FILE", help="The output.  [default: the file beside the card]")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def verify(
    card: str, data: str | None, table: str | None, ledger: str | None, output: str | None, as_json: bool
) -> None:
    """Recompute a card's budget, output hash, chain and digest."""
    from epsilens.cli.terminal import print_json
    from epsilens.errors import EpsilensError
    from epsilens.release.verification import failures, verify_card

    checks = verify_card(card, data, ledger, output, table)
    failed = list(failures(checks))
    if as_json:
        rows = [{"check": check.what, "holds": check.holds, "words": check.words} for check in checks]
        print_json({"ok": not failed, "checks": rows})
    else:
        marks = {True: "ok", False: "FAILED", None: "not checked"}
        for check in checks:
            click.echo(f"{marks[check.holds]:>11}  {check.what}: {check.words}")
    if failed:
        raise EpsilensError(f"the card {card} does not hold: {'; '.join(failed)}")
    unanswered = [check.words for check in checks if check.what == "data" and check.holds is None]
    if data is not None and unanswered:
        raise EpsilensError(f"the data were not compared (--data, --ledger): {unanswered[0]}")
