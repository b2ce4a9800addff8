"""Ledgers in tests: a small request, a release of nothing through the whole protocol, and what a vandal does."""

from __future__ import annotations

import dataclasses
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import BinaryIO

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.accounting.events import PureEvent
from epsilens.budget import PureDP
from epsilens.release.ledger.chain import Chain, Entry, verified
from epsilens.release.ledger.ledger import Ledger, Request, _append, _now
from epsilens.release.ledger.protocol import OutputFile, publish

TENTH = Cost(Decimal("0.1"), Decimal(0), Decimal("0.005"), (PureEvent(Decimal("0.1")),))
SURVEY = Account.opened("survey", PureDP(1.0), "add-remove")


def request_for(account: Account | None = SURVEY, name: str = "survey", content: bytes = b"people") -> Request:
    return Request(
        name, "add-remove", TENTH, {"mechanism": "discrete-laplace", "neighbours": "add-remove"}, content, account
    )


def edit(ledger: Ledger, *statements: str) -> None:
    """What somebody with the file and SQLite can do."""
    with closing(sqlite3.connect(ledger.path)) as connection:
        for trigger in ("entries_stay", "entries_last"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def opened_by_an_earlier_version(path: Path, account: Account) -> Ledger:
    """A ledger with an account that nobody could open today, such as one of pld without a plan."""
    ledger = Ledger(path)
    ledger._create()
    with ledger._writing() as connection:
        _append(
            connection, [], verified(connection, path).ledger, {"kind": "open", "time": _now(), **account.to_dict()}
        )
    return ledger


@contextmanager
def locked(ledger: Ledger) -> Iterator[None]:
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


CRASHING = """
import os, sys
from pathlib import Path
from tests.support.ledgers import released
released(Path(sys.argv[1]), lambda step: os._exit(9) if step == sys.argv[2] else None)
"""


def write(stream: BinaryIO, drawn: str, entry: Entry, chain: Chain, hashes: dict[str, str]) -> None:
    stream.write(f"{drawn} {entry.number} {sorted(hashes)}\n".encode())


def released(
    folder: Path,
    reached: Callable[[str], None] | None = None,
    force: bool = False,
    notice: Callable[[str], None] | None = None,
) -> None:
    files = [OutputFile("output", folder / "o.csv", write, 10_000), OutputFile("card", folder / "o.card.json", write)]
    plain = request_for()
    request = dataclasses.replace(plain, facts={**plain.facts, "output": "o.csv"})
    publish(Ledger(folder / "b.db", 0.3, notice), request, lambda: "counts", files, force, reached)
