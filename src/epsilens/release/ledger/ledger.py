"""The ledger: what was spent, in a file that only grows.

A SQLite file in WAL mode whose rows are hash-chained (``chain.py``). There are three kinds of entries: ``open`` (an
account with its total), ``reserve`` (a release's cost, before any noise is drawn) and ``commit`` (the release is
written). **A reservation counts as spent from its first instant, committed or not**: a crash can lose budget, never
gain it. Reserving reads the account and appends under one write lock (BEGIN IMMEDIATE), so processes that race cannot
overspend together.
"""

from __future__ import annotations

import contextlib
import math
import os
import secrets
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.parse import quote

from epsilens.accounting.account import Account
from epsilens.accounting.cost import Cost
from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.notebook import brief
from epsilens.release.ledger.chain import (
    APPLICATION,
    FORMAT,
    Chain,
    Entry,
    LedgerError,
    canonical,
    entry_hash,
    first_hash,
    verified,
)
from epsilens.release.ledger.durable import link_without_replacing, sync_folder
from epsilens.release.ledger.leftovers import Leftover, draft_path, sweep, sweep_ledger_drafts, told
from epsilens.release.ledger.seal import sealed

WAIT_SECONDS = 30.0
POLL_SECONDS = 0.05
LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
CORRUPTED = "it is corrupted or not a ledger; restore it from a backup"
REASONS = {
    "SQLITE_NOTADB": CORRUPTED,
    "SQLITE_CORRUPT": CORRUPTED,
    "SQLITE_ERROR": CORRUPTED,  # our statements are right, so the tables are not what they were
    "SQLITE_READONLY": "it is read-only",
    "SQLITE_FULL": "the disk is full",
    "SQLITE_IOERR": "the disk is full or fails",
    "SQLITE_CANTOPEN": "its folder cannot be written to",
}
"""What SQLite's errors mean here, by how their names begin."""

_TABLES = """
CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE entries (number INTEGER PRIMARY KEY, body TEXT NOT NULL, previous TEXT NOT NULL, hash TEXT NOT NULL);
CREATE TRIGGER entries_stay BEFORE UPDATE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never changed'); END;
CREATE TRIGGER entries_last BEFORE DELETE ON entries BEGIN SELECT RAISE(ABORT, 'entries are never removed'); END;
"""


@dataclass(frozen=True)
class Request:
    """What a release asks of the ledger."""

    account: str
    neighbours: str
    cost: Cost
    facts: Mapping[str, Any]
    """What is released, in public words: columns, mechanism, output. No data values."""
    fingerprint: bytes
    opening: Account | None = None
    """The account as it is to be opened, if it does not exist yet."""
    row_salt: str | None = field(default=None, repr=False)
    """What chose the rows kept of people with too many."""
    recount: Callable[[str], bytes] | None = None
    """The fingerprint of the same data with rows chosen by another salt; nothing where they cannot be read again."""
    former_fingerprints: tuple[bytes, ...] = ()
    """Those of the same content in ledgers that earlier versions wrote, where they were others."""

    __repr__ = brief


class Ledger:
    """A ledger file. ``notice`` is told when it is locked and has to be waited for (once), and what was swept."""

    def __init__(
        self, path: str | os.PathLike[str], wait: float = WAIT_SECONDS, notice: Callable[[str], None] | None = None
    ) -> None:
        if not 0 <= wait < math.inf:
            raise ParameterError("must be a number of seconds >= 0", parameter="wait", got=wait)
        self.path, self.wait, self.notice = Path(path), wait, notice

    def reserve(self, request: Request, release: str | None = None) -> tuple[Entry, Chain]:
        """Reserve the cost, or refuse; the entry, and the chain that ends with it. Opens the account if asked to.

        ``release`` is the id of the release, 16 hexadecimal digits; a fresh one by default.
        """
        if not self.path.exists():
            if request.opening is None:
                raise _no_ledger(self.path, request)
            request.opening.refuse_opening()
            request.opening.admit([], request.cost)  # a request that cannot be served leaves no file
            self._create()
        elif request.opening is not None:
            chain = self.chain()
            _refuse_known_people(chain, request)
            if request.account not in chain.accounts:
                request.opening.refuse_opening()  # a plan is composed before the ledger is locked
        with self._writing("; nothing was spent") as connection:
            chain = verified(connection, self.path)
            entries = list(chain.entries)
            account = _matching_account(chain, request, self.path)
            if account is None:
                assert request.opening is not None  # _matching_account refuses otherwise
                account = request.opening
                _refuse_known_content(chain, request)
                opening = {"kind": "open", "time": _now(), **account.to_dict()}
                entries.append(_append(connection, entries, chain.ledger, opening))
            account.admit(Chain(chain.ledger, tuple(entries)).costs(account.name), request.cost)
            salt = secrets.token_hex(32)
            body = {
                "kind": "reserve",
                "time": _now(),
                "release": release or secrets.token_hex(8),
                "account": account.name,
                "cost": request.cost.to_dict(),
                **request.facts,
                "salt": salt,
                "content": sealed(request.fingerprint, salt),
            }
            if request.row_salt is not None:
                body["row_salt"] = request.row_salt
            entries.append(_append(connection, entries, chain.ledger, body))
        return entries[-1], Chain(chain.ledger, tuple(entries))

    def refuse(self, request: Request) -> Chain | None:
        """Refuse what :meth:`reserve` would refuse now, and write nothing; the chain, where there is a ledger."""
        if not self.path.exists():
            if request.opening is None:
                raise _no_ledger(self.path, request)
            request.opening.refuse_opening()
            request.opening.admit([], request.cost)
            return None
        chain = self.chain()
        account = _matching_account(chain, request, self.path)
        if account is None:
            assert request.opening is not None  # _matching_account refuses otherwise
            _refuse_known_people(chain, request)
            _refuse_known_content(chain, request)
            request.opening.refuse_opening()
            account = request.opening
        account.admit(chain.costs(account.name), request.cost)
        return chain

    def commit(self, reservation: Entry, facts: Mapping[str, Any]) -> Entry:
        """Note that the reserved release is written, with the hashes of what was written."""
        with self._writing() as connection:
            chain = verified(connection, self.path)
            body = {
                "kind": "commit",
                "time": _now(),
                "release": reservation.body["release"],
                "account": reservation.body["account"],
                **facts,
            }
            return _append(connection, list(chain.entries), chain.ledger, body)

    def chain(self) -> Chain:
        """All entries, after checking every page and every hash. A broken chain is refused with the place of it."""
        with self._reading() as connection:
            return verified(connection, self.path)

    def swept(self, folders: Sequence[Path]) -> list[Leftover]:
        """Remove temporary files that crashed releases left in ``folders``, and say so."""
        found = sweep(folders, lambda: self.chain() if self.path.exists() else None)
        found += sweep_ledger_drafts(self.path)
        if found and self.notice is not None:
            self.notice(told(found))
        return found

    # -- connections --------------------------------------------------------------------------------------------------

    def _create(self) -> None:
        """A new ledger, made apart and then linked to its name: nobody ever sees half of one, or two."""
        draft = draft_path(self.path, secrets.token_hex(8))
        try:
            os.close(os.open(draft, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))  # it will hold salts: owner only
            with contextlib.closing(sqlite3.connect(draft, isolation_level=None)) as connection:
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute(f"PRAGMA application_id = {APPLICATION}")
                connection.execute(f"PRAGMA user_version = {FORMAT}")
                name = secrets.token_hex(16)
                connection.executescript("BEGIN;" + _TABLES)
                head = {"ledger": name, "head_number": "0", "head_hash": first_hash(name)}
                connection.executemany("INSERT INTO meta VALUES (?, ?)", list(head.items()))
                connection.execute("COMMIT")
            with contextlib.suppress(FileExistsError):  # another process was first: its ledger counts
                link_without_replacing(draft, self.path)
            sync_folder(self.path.parent)
        except (OSError, sqlite3.Error) as problem:
            raise LedgerError(f"cannot create the ledger {self.path}: {_reason(problem)}; nothing was spent") from None
        finally:
            for leftover in (draft, Path(f"{draft}-wal"), Path(f"{draft}-shm")):
                with contextlib.suppress(OSError):
                    leftover.unlink()

    @contextlib.contextmanager
    def _writing(self, otherwise: str = "") -> Iterator[sqlite3.Connection]:
        """A connection that holds the write lock; what happens in it is durable when it ends, or did not happen."""
        with self._refusing(otherwise), contextlib.closing(self._connected("rw")) as connection:
            # Even a pragma needs the file, which another process may hold while it closes or recovers the log.
            self._patiently(lambda: connection.execute("PRAGMA synchronous = FULL"))
            self._patiently(lambda: connection.execute("BEGIN IMMEDIATE"))
            try:
                yield connection
                self._patiently(lambda: connection.execute("COMMIT"))
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    connection.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _reading(self) -> Iterator[sqlite3.Connection]:
        with self._refusing():
            if not self.path.is_file():
                raise LedgerError(f"there is no ledger {self.path}")
            with contextlib.closing(self._readable()) as connection:
                yield connection

    def _readable(self) -> sqlite3.Connection:
        """A connection that reads one state of the file.

        It may write where we may, though it never does: who cannot write cannot take away the log and its index either,
        which SQLite makes beside the file for any reader, and would leave them behind.
        """
        connection = self._connected("rw" if os.access(self.path, os.W_OK) else "ro")
        try:
            self._patiently(lambda: connection.execute("PRAGMA query_only = ON"))
            connection.execute("BEGIN")
            self._patiently(lambda: connection.execute("SELECT count(*) FROM sqlite_master").fetchone())
            return connection
        except BaseException as problem:
            connection.close()
            # In a folder that we may not write to, SQLite cannot make its WAL index; nobody writes there either.
            lone = isinstance(problem, sqlite3.OperationalError) and "unable to open" in str(problem)
            journal = Path(f"{self.path}-wal")
            if not lone or (journal.exists() and journal.stat().st_size > 0):
                raise
        return self._connected("ro&immutable=1")

    def _connected(self, mode: str) -> sqlite3.Connection:
        address = f"file:{quote(str(self.path.resolve()))}?mode={mode}"
        return sqlite3.connect(address, uri=True, timeout=0.0, isolation_level=None)

    def _patiently(self, step: Callable[[], Any]) -> None:
        """Try until the lock is free, telling once that we wait, and give up cleanly after ``wait`` seconds."""
        deadline, told = time.monotonic() + self.wait, False
        while True:
            try:
                step()
                return
            except sqlite3.OperationalError as problem:
                if not _error_name(problem).startswith(LOCKED):
                    raise
                if time.monotonic() >= deadline:
                    raise LedgerError(
                        f"the ledger {self.path} is locked by another process; gave up after {self.wait:g} seconds"
                    ) from None
                if (
                    not told
                    and self.notice is not None
                    and time.monotonic() > deadline - self.wait + min(0.5, self.wait / 2)
                ):
                    told = True
                    self.notice(
                        f"the ledger {self.path} is locked by another process; waiting up to {self.wait:g} seconds"
                    )
                time.sleep(POLL_SECONDS)

    @contextlib.contextmanager
    def _refusing(self, otherwise: str = "") -> Iterator[None]:
        """SQLite's errors as one clear line; ``otherwise`` is what follows from them."""
        try:
            yield
        except (sqlite3.Error, UnicodeDecodeError) as problem:  # SQLite quotes damaged bytes, which are not text
            raise LedgerError(f"the ledger {self.path} cannot be used: {_reason(problem)}{otherwise}") from None


def _append(connection: sqlite3.Connection, entries: Sequence[Entry], ledger: str, body: Mapping[str, Any]) -> Entry:
    previous = entries[-1].hash if entries else first_hash(ledger)
    text = canonical(body)
    entry = Entry(len(entries) + 1, body, previous, entry_hash(previous, text))
    connection.execute("INSERT INTO entries VALUES (?, ?, ?, ?)", (entry.number, text, previous, entry.hash))
    head = {"head_number": str(entry.number), "head_hash": entry.hash}
    connection.executemany("UPDATE meta SET value = ? WHERE name = ?", [(v, k) for k, v in head.items()])
    return entry


def _no_ledger(path: Path, request: Request) -> LedgerError:
    return LedgerError(
        f"there is no ledger {path}", remedy=f"to open one for account {request.account!r}, declare its `total`"
    )


def _matching_account(chain: Chain, request: Request, path: Path) -> Account | None:
    """The account, which must be what the request takes it for; nothing where it is to be opened."""
    accounts = chain.accounts
    account = accounts.get(request.account)
    if account is None:
        if request.opening is None:
            known = ", ".join(map(repr, accounts)) or "none"
            hint = did_you_mean(request.account, accounts)
            raise LedgerError(
                f"the ledger {path} has no account {request.account!r} (it has: {known}){hint}; is it the ledger of "
                "another data set? To open the account here, declare its `total`"
            )
        return None
    if request.opening is not None:
        _refuse_changed(account, request.opening)
    if account.neighbours != request.neighbours:
        raise ParameterError(
            f"account {account.name!r} counts budgets about {account.neighbours} neighbours, this release is about "
            f"{request.neighbours}; budgets of different `neighbours` cannot be composed"
        )
    return account


def _refuse_changed(account: Account, declared: Account) -> None:
    """Refuse an account that is declared otherwise than it was opened; a plan need not be declared again."""
    before, now = account.to_dict(), declared.to_dict()
    if declared.plan is None and before["composition"] == now["composition"]:
        now = {**before, **now}
    for name in before | now:
        if before.get(name) != now.get(name):
            raise ParameterError(
                f"account {account.name!r} was opened with {name} {_said(account, name)}, got {_said(declared, name)}",
                remedy="it does not change afterwards",
            )


def _refuse_known_content(chain: Chain, request: Request) -> None:
    """A second account for the very same content would be a second budget for the same people."""
    for entry in chain.entries:
        if entry.kind == "reserve":
            for fingerprint in (request.fingerprint, *request.former_fingerprints):
                _refuse_same(entry, fingerprint)


def _refuse_known_people(chain: Chain, request: Request) -> None:
    """The same where rows were dropped at random: the data are counted again with the salts of earlier releases.

    Of every other account the last release is compared, before the ledger is locked, so that nobody waits for a scan.
    """
    if request.recount is None or request.account in chain.accounts:
        return
    for name in chain.accounts:
        alike = [entry for entry in chain.reservations(name) if entry.row_salt is not None and _alike(entry, request)]
        if alike:
            _refuse_same(alike[-1], request.recount(str(alike[-1].row_salt)))


def _alike(entry: Entry, request: Request) -> bool:
    """Whether an entry counts people as the request does; otherwise its content cannot be the same."""
    return ("tables" in entry.body) == ("tables" in request.facts) and all(
        entry.body.get(name) == request.facts.get(name) for name in ("unit", "rows_per_person")
    )


def _refuse_same(entry: Entry, fingerprint: bytes) -> None:
    if sealed(fingerprint, entry.body["salt"]) == entry.body["content"]:
        raise LedgerError(
            f"this very content was released from account {entry.body['account']!r} (entry {entry.number}); the "
            "same people have one budget: spend from that account"
        )


def _said(account: Account, name: str) -> str:
    """What an account says of itself under a name of its entry."""
    if name == "plan":
        return "none" if account.plan is None else account.plan.words()
    value = account.to_dict()[name]
    return ", ".join(f"{name} {amount}" for name, amount in value.items()) if isinstance(value, dict) else repr(value)


def _reason(problem: Exception) -> str:
    if isinstance(problem, OSError) and problem.strerror:
        return problem.strerror
    name = _error_name(problem)
    return next((words for beginning, words in REASONS.items() if name.startswith(beginning)), f"SQLite says {name}")


def _error_name(problem: Exception) -> str:
    """SQLite's name of an error; a text that cannot be decoded is none of SQLite's, and damaged."""
    return getattr(problem, "sqlite_errorname", "SQLITE_CORRUPT")


def _now() -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
