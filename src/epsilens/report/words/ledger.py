"""What a ledger says: balances, entries, what is whole and what was swept."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from epsilens.report.words.common import counted

if TYPE_CHECKING:
    from epsilens.release.ledger.chain import Chain, Entry
    from epsilens.release.ledger.statement import Statement, Swept
    from epsilens.release.verification import LedgerVerified

ENTRY_HEADINGS = ("entry", "time", "kind", "account", "what")


def balance_words(account: Mapping[str, Any]) -> str:
    """What an account has spent and what is left; its name comes before it."""
    total, spent, left = (spent_words(account[name]) for name in ("total", "spent", "left"))
    return (
        f"{spent} spent of {total}, {left} left ({account['composition']}, {account['neighbours']}; "
        f"{counted(account['releases'], 'release')})"
    )


def entry_rows(statement: Statement) -> list[tuple[str, ...]]:
    """Each entry in a few words, by :data:`ENTRY_HEADINGS`."""
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
    beyond = "" if verified.cards else " (rows cut off together with the head show only against a card: --card)"
    entries = len(verified.statement.chain.entries)
    return [
        f"{verified.ledger}: {entries} entries, every hash holds{beyond}.",
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
