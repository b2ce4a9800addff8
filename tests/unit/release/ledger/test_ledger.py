from __future__ import annotations

import sqlite3
import threading
from contextlib import closing
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

import pytest

from epsilens.accounting.account import Account, BudgetExceededError
from epsilens.accounting.cost import cost_of
from epsilens.accounting.plan import ReleasePlan
from epsilens.budget import ApproxDP, PureDP
from epsilens.errors import ParameterError
from epsilens.release.ledger.chain import LedgerError
from epsilens.release.ledger.ledger import Ledger
from tests.support.ledgers import SURVEY, TENTH, locked, opened_by_an_earlier_version, request_for

PLANNED = Account.opened("survey", ApproxDP(3.0, 1e-6), "add-remove", "pld", ReleasePlan(((10, TENTH),)))


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


@pytest.mark.parametrize("opening", [SURVEY, PLANNED], ids=["budget", "plan"])
def test_threads_that_race_get_exactly_what_the_account_admits(tmp_path: Path, opening: Account) -> None:
    outcomes: list[bool] = []

    def spend() -> None:
        try:
            Ledger(tmp_path / "race.db", wait=30.0).reserve(request_for(opening))
            outcomes.append(True)
        except BudgetExceededError:
            outcomes.append(False)

    threads = [threading.Thread(target=spend) for _ in range(16)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=60)
    assert sorted(outcomes) == [False] * 6 + [True] * 10
    chain = Ledger(tmp_path / "race.db").chain()
    assert len(chain.reservations("survey")) == 10
    assert chain.accounts["survey"] == opening  # its plan is in the ledger


def test_content_that_an_earlier_version_digested_otherwise_has_one_budget_too(ledger: Ledger) -> None:
    other = Account.opened("other", PureDP(1.0), "add-remove")
    again = replace(request_for(other, "other", content=b"digested anew"), former_fingerprints=(b"people",))
    with pytest.raises(LedgerError, match="this very content was released from account 'survey'"):
        ledger.reserve(again)
    ledger.reserve(replace(again, former_fingerprints=()))  # nobody would know without


def test_a_plan_is_declared_once_and_does_not_change(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "b.db")
    book.reserve(request_for(PLANNED))
    book.reserve(request_for(PLANNED))
    book.reserve(request_for(replace(PLANNED, plan=None)))  # its total may be repeated without it
    book.reserve(request_for(None))
    more = replace(PLANNED, plan=ReleasePlan(((20, TENTH),)))
    with pytest.raises(ParameterError, match=r"opened with plan 10 x epsilon 0\.1, got 20 x epsilon 0\.1; it does not"):
        book.reserve(request_for(more))
    with pytest.raises(ParameterError, match="opened with composition 'pld', got 'approx'"):
        book.reserve(request_for(replace(PLANNED, rule="approx", plan=None)))
    with pytest.raises(BudgetExceededError, match=r"10 x epsilon 0\.1 \(6 left\); this one, epsilon 0\.2, has no"):
        book.reserve(replace(request_for(None), cost=cost_of(PureDP(0.2))))
    assert len(book.chain().reservations("survey")) == 4


@pytest.mark.parametrize("exists", [False, True])
def test_an_account_that_must_not_be_opened_leaves_no_trace(tmp_path: Path, exists: bool) -> None:
    book = Ledger(tmp_path / "b.db")
    if exists:
        book.reserve(request_for(Account.opened("other", PureDP(1.0), "add-remove"), "other", b"others"))
    with pytest.raises(ParameterError, match="holds only for releases that were all planned"):
        book.reserve(request_for(replace(PLANNED, plan=None)))
    with pytest.raises(BudgetExceededError, match=r"does not fit its total: 10 x epsilon 0\.1 cost epsilon 0\.9"):
        book.reserve(request_for(replace(PLANNED, total=ApproxDP(0.5, 1e-6))))
    assert book.path.exists() == exists
    assert not exists or len(book.chain().entries) == 2


def test_an_account_without_its_plan_opens_as_ever_and_spends_by_adding_up(tmp_path: Path) -> None:
    unplanned = Account.opened("survey", ApproxDP(0.3, 1e-6), "add-remove", "pld")
    book = opened_by_an_earlier_version(tmp_path / "b.db", unplanned)
    for opening in (None, unplanned, None):
        book.reserve(request_for(opening))
    with pytest.raises(BudgetExceededError, match=r"opened without a plan by .* epsilon 0 left of 0\.3"):
        book.reserve(request_for(None))
    assert book.chain().accounts["survey"].unplanned
    assert len(book.chain().reservations("survey")) == 3


def test_reading_leaves_nothing_beside_the_ledger(ledger: Ledger) -> None:
    before = ledger.path.read_bytes()
    assert ledger.chain().entries
    assert [path.name for path in ledger.path.parent.glob("b.db*")] == ["b.db"]
    assert ledger.path.read_bytes() == before


def test_reading_takes_nothing_away_from_who_writes(ledger: Ledger) -> None:
    with closing(sqlite3.connect(ledger.path, isolation_level=None)) as writer:
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("INSERT INTO meta VALUES ('note', 'x')")
        assert len(ledger.chain().entries) == 7  # what is committed
        writer.execute("COMMIT")
        assert Path(f"{ledger.path}-wal").exists()  # the log is the writer's
        ledger.chain()
        assert writer.execute("SELECT value FROM meta WHERE name = 'note'").fetchone() == ("x",)
    assert [path.name for path in ledger.path.parent.glob("b.db*")] == ["b.db"]


def test_a_reader_cannot_write(ledger: Ledger) -> None:
    with ledger._reading() as connection, pytest.raises(sqlite3.OperationalError, match="readonly"):
        connection.execute("INSERT INTO meta VALUES ('note', 'x')")
