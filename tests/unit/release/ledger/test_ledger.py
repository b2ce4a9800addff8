from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.cost import Cost
from epsilens.accounting.events import PureEvent
from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.release.ledger.chain import LedgerError
from epsilens.release.ledger.ledger import Ledger, Request

TENTH = Cost(Decimal("0.1"), Decimal(0), Decimal("0.005"), (PureEvent(Decimal("0.1")),))
SURVEY = Account.opened("survey", PureDP(1.0), "add-remove")


def request_for(account: Account | None = SURVEY, name: str = "survey", content: bytes = b"people") -> Request:
    return Request(
        name, "add-remove", TENTH, {"mechanism": "discrete-laplace", "neighbours": "add-remove"}, content, account
    )


@pytest.fixture
def ledger(tmp_path: Path) -> Ledger:
    book = Ledger(tmp_path / "b.db", wait=0.3)
    for _ in range(3):
        entry, _ = book.reserve(request_for())
        book.commit(entry, {"hashes": {}})
    return book


def edit(ledger: Ledger, *statements: str) -> None:
    """What somebody with the file and SQLite can do."""
    with closing(sqlite3.connect(ledger.path)) as connection:
        for trigger in ("entries_stay", "entries_last"):
            connection.execute(f"DROP TRIGGER IF EXISTS {trigger}")
        for statement in statements:
            connection.execute(statement)
        connection.commit()


@contextmanager
def locked(ledger: Ledger) -> Iterator[None]:
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield
        other.execute("ROLLBACK")


def test_reservations_count_committed_or_not(ledger: Ledger) -> None:
    ledger.reserve(request_for())
    chain = ledger.chain()
    assert [entry.kind for entry in chain.entries] == ["open", *["reserve", "commit"] * 3, "reserve"]
    assert SURVEY.left(chain.costs("survey")) == {"epsilon": Decimal("0.6")}
    assert chain.commit_of(chain.entries[-1].body["release"]) is None


def test_the_budget_admits_exactly_ten(ledger: Ledger) -> None:
    for _ in range(7):
        ledger.reserve(request_for(None))
    before = len(ledger.chain().entries)
    with pytest.raises(BudgetExceededError, match=r"epsilon 0 left of 1, this release asks for 0\.1"):
        ledger.reserve(request_for(None))
    assert len(ledger.chain().entries) == before


def test_sqlite_itself_refuses_to_change_or_remove_entries(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path)) as connection:
        for statement in ("UPDATE entries SET body = '{}' WHERE number = 2", "DELETE FROM entries WHERE number = 2"):
            with pytest.raises(sqlite3.IntegrityError, match="entries are never"):
                connection.execute(statement)


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("UPDATE entries SET body = replace(body, '0.1', '0.01') WHERE number = 4", "entry 4 does not follow"),
        ("UPDATE entries SET hash = lower(hex(randomblob(32))) WHERE number = 4", "entry 4 does not follow"),
        ("DELETE FROM entries WHERE number = 4", "entry 4 is missing"),
        ("DELETE FROM entries WHERE number = 1", "entry 1 is missing"),
        ("DELETE FROM entries WHERE number = 7", "it has 6 entries, and its head was entry 7"),
        ("INSERT INTO entries VALUES (8, '{}', 'a', 'b')", "entry 8 does not follow"),
        ("DELETE FROM meta", "has lost its head"),
        ("UPDATE meta SET value = 'f00d' WHERE name = 'ledger'", "entry 1 does not follow"),
        ("PRAGMA application_id = 7", "not a ledger of Epsilens"),
        ("PRAGMA user_version = 9", "format 9"),
        ("DROP TABLE entries", "corrupted"),
    ],
)
def test_every_kind_of_tampering_shows_and_nothing_more_is_spent(ledger: Ledger, statement: str, said: str) -> None:
    edit(ledger, statement)
    for use in (ledger.chain, lambda: ledger.reserve(request_for())):
        with pytest.raises(LedgerError, match=said):
            use()


def test_a_forged_tail_passes_alone_but_not_against_the_head_on_a_card(ledger: Ledger) -> None:
    printed = ledger.chain().entries[-2]
    edit(
        ledger,
        "DELETE FROM entries WHERE number > 5",
        "UPDATE meta SET value = '5' WHERE name = 'head_number'",
        "UPDATE meta SET value = (SELECT hash FROM entries WHERE number = 5) WHERE name = 'head_hash'",
    )
    chain = ledger.chain()
    assert printed.hash not in {entry.hash for entry in chain.entries}


@pytest.mark.parametrize("damage", ["garbage", "truncated", "empty", "overwritten"])
def test_a_damaged_file_is_one_clear_line(ledger: Ledger, damage: str) -> None:
    raw = ledger.path.read_bytes()
    damaged = {
        "garbage": b"no ledger at all " * 300,
        "truncated": raw[: len(raw) // 2],
        "empty": b"",
        "overwritten": raw[:4096] + bytes(4096) + raw[8192:],
    }[damage]
    for leftover in ledger.path.parent.glob("b.db-*"):
        leftover.unlink()
    ledger.path.write_bytes(damaged)
    for use in (ledger.chain, lambda: ledger.reserve(request_for())):
        with pytest.raises(LedgerError) as problem:
            use()
        assert "\n" not in str(problem.value)
    assert ledger.path.read_bytes() == damaged


def damaged_at(ledger: Ledger, text: bytes, instead: bytes) -> None:
    """Overwrite bytes of the file where some text stands in it."""
    for leftover in ledger.path.parent.glob("b.db-*"):
        leftover.unlink()
    raw = ledger.path.read_bytes()
    place = raw.index(text)
    ledger.path.write_bytes(raw[:place] + instead + raw[place + len(instead) :])


@pytest.mark.parametrize("text", [b"CREATE TABLE entries", b"entries_stay", b"SELECT RAISE", b'"kind":"reserve"'])
def test_bytes_that_are_no_text_are_one_clear_line(ledger: Ledger, text: bytes) -> None:
    damaged_at(ledger, text, b"\xff\xfe\xff")
    for use in (ledger.chain, lambda: ledger.reserve(request_for())):
        with pytest.raises(LedgerError, match="it is corrupted or not a ledger; restore it from a backup"):
            use()


def test_nothing_is_spent_from_a_file_whose_pages_are_damaged_while_its_entries_are_not(ledger: Ledger) -> None:
    raw = bytearray(ledger.path.read_bytes())
    raw[36:40] = (1).to_bytes(4, "big")  # the header counts free pages that there are not
    for leftover in ledger.path.parent.glob("b.db-*"):
        leftover.unlink()
    ledger.path.write_bytes(raw)
    with pytest.raises(LedgerError, match="is corrupted; restore it from a backup"):
        ledger.reserve(request_for())
    assert ledger.path.read_bytes() == raw


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("SQLITE_FULL", "the disk is full; nothing was spent"),
        ("SQLITE_IOERR_SHMSIZE", "the disk is full or fails; nothing was spent"),
        ("SQLITE_READONLY_DIRECTORY", "it is read-only; nothing was spent"),
        ("SQLITE_MISUSE", "SQLite says SQLITE_MISUSE; nothing was spent"),
    ],
)
def test_what_sqlite_stumbles_over_is_told_in_words(
    ledger: Ledger, monkeypatch: pytest.MonkeyPatch, name: str, said: str
) -> None:
    problem = sqlite3.OperationalError("in words that change")
    problem.sqlite_errorname = name

    def refuse(_mode: str) -> sqlite3.Connection:
        raise problem

    request = request_for(None)
    monkeypatch.setattr(ledger, "_connected", refuse)
    with pytest.raises(LedgerError, match=f"cannot be used: {said}"):
        ledger.reserve(request)


def test_a_locked_ledger_is_waited_for_with_a_message_and_then_given_up(ledger: Ledger) -> None:
    told: list[str] = []
    impatient = Ledger(ledger.path, wait=0.4, notice=told.append)
    with locked(ledger), pytest.raises(LedgerError, match=r"gave up after 0\.4 seconds"):
        impatient.reserve(request_for())
    assert len(told) == 1
    assert "waiting up to 0.4 seconds" in told[0]
    assert len(ledger.chain().entries) == 7
    impatient.reserve(request_for())


def test_a_lock_that_is_released_in_time_does_no_harm(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path, isolation_level=None, check_same_thread=False)) as other:
        other.execute("BEGIN IMMEDIATE")
        timer = threading.Timer(0.3, lambda: other.execute("ROLLBACK"))
        timer.start()
        Ledger(ledger.path, wait=20.0).reserve(request_for())
        timer.join()
    assert len(ledger.chain().entries) == 8


def test_a_missing_ledger_or_account_needs_a_total(tmp_path: Path, ledger: Ledger) -> None:
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "none.db").reserve(request_for(None))
    assert not (tmp_path / "none.db").exists()
    with pytest.raises(LedgerError, match=r"no account 'survay'.*did you mean 'survey'.*another data set"):
        ledger.reserve(request_for(None, "survay"))
    with pytest.raises(LedgerError, match="there is no ledger"):
        Ledger(tmp_path / "none.db").chain()


def test_an_account_does_not_change_once_it_is_open(ledger: Ledger) -> None:
    more = Account.opened("survey", PureDP(2.0), "add-remove")
    with pytest.raises(ParameterError, match="opened with total epsilon 1, got epsilon 2"):
        ledger.reserve(request_for(more))
    with pytest.raises(ParameterError, match="different neighbours cannot be composed"):
        ledger.reserve(replace(request_for(None), neighbours="substitute"))


def test_changed_content_keeps_spending_and_the_same_content_gets_no_second_account(ledger: Ledger) -> None:
    ledger.reserve(request_for(content=b"other people"))
    assert len(ledger.chain().reservations("survey")) == 4
    second = Account.opened("fresh budget", PureDP(1.0), "add-remove")
    with pytest.raises(LedgerError, match="very content was released from account 'survey'"):
        ledger.reserve(request_for(second, "fresh budget"))
    ledger.reserve(request_for(second, "fresh budget", b"somebody else"))
    assert set(ledger.chain().accounts) == {"survey", "fresh budget"}


def test_the_ledger_shows_no_salt_and_is_its_owners(ledger: Ledger) -> None:
    assert all("salt" not in entry.to_dict() for entry in ledger.chain().entries)
    assert ledger.path.stat().st_mode & 0o077 == 0
    seals = [entry.body["content"] for entry in ledger.chain().reservations("survey")]
    assert len(set(seals)) == len(seals)  # the same content never looks the same twice


def test_a_folder_that_cannot_be_written_to(tmp_path: Path) -> None:
    with pytest.raises(LedgerError, match=r"cannot create the ledger .*; nothing was spent"):
        Ledger(tmp_path / "nowhere" / "b.db").reserve(request_for())


def test_threads_that_race_get_exactly_what_the_budget_admits(tmp_path: Path) -> None:
    outcomes: list[bool] = []

    def spend() -> None:
        try:
            Ledger(tmp_path / "race.db", wait=30.0).reserve(request_for())
            outcomes.append(True)
        except BudgetExceededError:
            outcomes.append(False)

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == [False] * 6 + [True] * 10
    assert len(Ledger(tmp_path / "race.db").chain().reservations("survey")) == 10
