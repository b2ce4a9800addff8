"""The ledger's chain of entries: what an entry is, and how every hash is checked.

Entries are canonical JSON, each with the hash of itself and of the one before: hash = SHA-256(previous hash, newline,
body). The first one's predecessor is derived from the ledger's random id. So an edited, removed or inserted row breaks
the chain; rows cut off at the end leave an intact but shorter chain, which is why the ledger notes its own head and
every card prints the head at its release.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.errors import EpsilensError

APPLICATION = 0x45505349  # "EPSI", so that another program's SQLite file is not taken for a ledger
FORMAT = 1
SECRETS = ("salt", "row_salt")
"""What an entry holds that nobody but the ledger's owner may see."""


class LedgerError(EpsilensError):
    """A ledger that cannot be used as it stands."""


@dataclass(frozen=True)
class Entry:
    """One row of the ledger."""

    number: int
    body: Mapping[str, Any] = field(repr=False)  # it holds salts
    previous: str
    hash: str

    @property
    def kind(self) -> str:
        """``open``, ``reserve`` or ``commit``."""
        return str(self.body["kind"])

    @property
    def row_salt(self) -> str | None:
        """What chose the rows kept of people with too many; nothing where no rows had to be chosen."""
        return self.body.get("row_salt")

    @cached_property
    def cost(self) -> Cost:
        """What a reservation costs; equal ones are one object, since a ledger has many releases and few prices."""
        return _cost(json.dumps(self.body["cost"]))

    def to_dict(self) -> dict[str, Any]:
        """Plain values; a reservation's salts, which open the seal on the content, stay in the ledger."""
        shown = {name: value for name, value in self.body.items() if name not in SECRETS}
        return {"number": self.number, **shown, "previous": self.previous, "hash": self.hash}


@dataclass(frozen=True)
class Chain:
    """A ledger's id and its entries, verified."""

    ledger: str
    entries: tuple[Entry, ...]

    @property
    def head(self) -> str:
        """The hash of the last entry."""
        return self.entries[-1].hash if self.entries else first_hash(self.ledger)

    @cached_property
    def accounts(self) -> dict[str, Account]:
        """The accounts by name."""
        return {e.body["account"]: Account.from_dict(e.body) for e in self.entries if e.kind == "open"}

    def reservations(self, account: str) -> list[Entry]:
        """The account's reservations; each counts as spent."""
        return list(self._reservations.get(account, ()))

    def costs(self, account: str, before: int | None = None) -> list[Cost]:
        """What the account's reservations cost; ``before`` leaves out that entry and later ones."""
        return [e.cost for e in self._reservations.get(account, ()) if before is None or e.number < before]

    def reservation_of(self, release: str) -> Entry | None:
        """The reservation of a release."""
        return self._reserved.get(release)

    def commit_of(self, release: str) -> Entry | None:
        """The commit of a release, if it got that far."""
        return self._committed.get(release)

    @cached_property
    def _reservations(self) -> dict[str, list[Entry]]:
        """By account, in their order."""
        found: dict[str, list[Entry]] = {}
        for entry in self.entries:
            if entry.kind == "reserve":
                found.setdefault(entry.body["account"], []).append(entry)
        return found

    @cached_property
    def _reserved(self) -> dict[str, Entry]:
        return self._first("reserve")

    @cached_property
    def _committed(self) -> dict[str, Entry]:
        return self._first("commit")

    def _first(self, kind: str) -> dict[str, Entry]:
        """The first entry of that kind by its release."""
        return {e.body["release"]: e for e in reversed(self.entries) if e.kind == kind}


def first_hash(ledger: str) -> str:
    """What the first entry follows: a hash of the ledger's id."""
    return hashlib.sha256(f"epsilens ledger {ledger}".encode()).hexdigest()


def entry_hash(previous: str, body: str) -> str:
    """SHA-256 of the previous hash and the body as it is written."""
    return hashlib.sha256(f"{previous}\n{body}".encode()).hexdigest()


def canonical(body: Mapping[str, Any]) -> str:
    """JSON with sorted names and no blanks: one text for one content."""
    return json.dumps(body, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def verified(connection: sqlite3.Connection, path: Path) -> Chain:
    """The chain, after SQLite has checked its own pages, every hash recomputed."""
    identity = connection.execute("PRAGMA application_id").fetchone()[0]
    version = connection.execute("PRAGMA user_version").fetchone()[0]
    if identity != APPLICATION:
        raise LedgerError(f"{path} is not a ledger of Epsilens; nothing was read from it")
    if version != FORMAT:
        raise LedgerError(f"the ledger {path} has format {version}, this version of Epsilens knows {FORMAT}")
    if connection.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
        raise LedgerError(f"the ledger {path} is corrupted; restore it from a backup")
    meta = dict(connection.execute("SELECT name, value FROM meta").fetchall())
    if not {"ledger", "head_number", "head_hash"} <= set(meta):
        raise LedgerError(f"the ledger {path} has lost its head; restore it from a backup")
    rows = connection.execute("SELECT number, body, previous, hash FROM entries ORDER BY number").fetchall()
    previous, entries = first_hash(meta["ledger"]), []
    for expected, (number, text, before, own) in enumerate(rows, start=1):
        if number != expected:
            raise LedgerError(f"the ledger {path} was tampered with: entry {expected} is missing")
        if before != previous or own != entry_hash(previous, str(text)):
            raise LedgerError(
                f"the ledger {path} was tampered with: entry {number} does not follow from the one before"
            )
        try:
            body = json.loads(text)
            entry = Entry(number, body, before, own)
            _readable(entry)
        except (ValueError, KeyError, TypeError, ArithmeticError):
            raise LedgerError(f"the ledger {path} is corrupted: entry {number} cannot be read") from None
        entries.append(entry)
        previous = own
    if (str(len(entries)), previous) != (meta["head_number"], meta["head_hash"]):
        raise LedgerError(
            f"the ledger {path} was tampered with: it has {len(entries)} entries, and its head was entry "
            f"{meta['head_number']}; the last rows were cut off or added"
        )
    return Chain(meta["ledger"], tuple(entries))


def _readable(entry: Entry) -> None:
    """Refuse an entry that does not have what its kind needs."""
    if entry.kind == "open":
        Account.from_dict(entry.body)
    elif entry.kind == "reserve":
        _ = entry.cost, entry.body["salt"], entry.body["content"]
        hash((entry.body["account"], entry.body["release"]))  # what entries are found by
    elif entry.kind == "commit":
        hash((entry.body["account"], entry.body["release"]))
    else:
        raise KeyError("kind")


@lru_cache(maxsize=1024)
def _cost(text: str) -> Cost:
    """The cost that a ledger's text means."""
    return Cost.from_dict(json.loads(text))
