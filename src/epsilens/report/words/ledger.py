"""What a ledger says: balances, entries, what is whole and what was swept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from epsilens.report.words.common import BLANK, Block, Heading, Note, Text, counted

if TYPE_CHECKING:
    from epsilens.release.ledger.chain import Chain, Entry
    from epsilens.release.ledger.statement import Statement, Swept
    from epsilens.release.verification import LedgerVerified


def balance_words(account: Mapping[str, Any]) -> str:
    """What an account has spent and what is left; its name comes before it."""
    total, spent, left = (spent_words(account[name]) for name in ("total", "spent", "left"))
    return (
        f"{spent} spent of {total}, {left} left ({account['composition']}, {account['neighbours']}; "
        f"{counted(account['releases'], 'release')})"
    )


def statement_blocks(statement: Statement) -> list[Block]:
    """Accounts with what is left, and entry by entry what was spent: exact numbers are long, so each has its line."""
    blocks: list[Block] = []
    for account in statement.accounts:
        blocks += [Heading(account["account"]), Text(balance_words(account), indent=2)]
    blocks.append(BLANK)
    for entry, time, kind, name, what in entry_rows(statement):
        blocks += [Text(f"{entry:>4}  {time}  {kind:<7}  {name}"), Text(what, indent=6)]
    return [*blocks, Note(f"head {statement.chain.head}", indent=0)]


def entry_rows(statement: Statement) -> list[tuple[str, str, str, str, str]]:
    """Each entry: its number, time, kind, account, and what it is in a few words."""
    return [
        (
            str(entry.number),
            entry.body["time"],
            entry.kind,
            entry.body["account"],
            _what(statement.chain, entry),
        )
        for entry in statement.chain.entries
    ]


def verified_lines(verified: LedgerVerified) -> list[str]:
    """That every hash holds, what that leaves open, and what the accounts have left."""
    beyond = "" if verified.cards else " (rows cut off together with the head show only against a card)"
    entries = len(verified.statement.chain.entries)
    return [
        f"{verified.ledger}: {counted(entries, 'entry', 'entries')}, every hash holds{beyond}.",
        *(
            f"  {account['account']}: {spent_words(account['left'])} left of {spent_words(account['total'])}"
            for account in verified.statement.accounts
        ),
    ]


def swept_lines(swept: Swept) -> list[str]:
    """Which temporary files were removed, and what stays spent."""
    from epsilens.release.ledger.leftovers import told

    if not swept.leftovers:
        return ["No release left a temporary file."]
    return [*(f"  {found.path}" for found in swept.leftovers), f"{told(list(swept.leftovers))}."]


def spent_words(amounts: Mapping[str, str]) -> str:
    """``epsilon 0.5, delta 0.000001``; a delta of 0 goes without saying."""
    return ", ".join(f"{name} {value}" for name, value in amounts.items() if value != "0" or len(amounts) == 1)


def _what(chain: Chain, entry: Entry) -> str:
    body = entry.body
    if entry.kind == "open":
        return f"total {spent_words(body['total'])}, {body['composition']}, {body['neighbours']}"
    if entry.kind == "commit":
        return f"release {body['release']} is written"
    cost = spent_words({name: body["cost"][name] for name in ("epsilon", "delta", "rho") if body["cost"][name]})
    state = "" if chain.commit_of(body["release"]) else " (not committed; counts as spent)"
    return f"release {body['release']}: {body.get('mechanism', '')} {cost} to {body.get('output') or 'memory'}{state}"
