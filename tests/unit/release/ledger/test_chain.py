"""The chain: every kind of tampering shows."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import Any

import pytest

from epsilens.release.ledger.chain import Chain, Entry, LedgerError
from epsilens.release.ledger.ledger import Ledger
from tests.support.ledgers import edit, request_for


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


def _long_chain(releases: int, prices: tuple[str, ...]) -> Chain:
    """A chain of many reservations at few prices, of which every other one is committed."""
    entries = [Entry(1, {"kind": "open"}, "", "")]
    for i in range(releases):
        cost: dict[str, Any] = {"epsilon": prices[i % len(prices)], "delta": "0", "rho": None, "events": []}
        reserved = {"kind": "reserve", "account": "people", "release": f"{i:016x}", "cost": cost}
        entries.append(Entry(len(entries) + 1, reserved, "", ""))
        if i % 2:
            entries.append(Entry(len(entries) + 1, {"kind": "commit", "release": f"{i:016x}"}, "", ""))
    return Chain("ledger", tuple(entries))


def test_entries_are_looked_at_once_however_many_releases_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    chain = _long_chain(400, ("0.1", "0.2"))
    looks = 0
    own = vars(Entry)["kind"].fget
    assert own is not None

    def counted(entry: Entry) -> str:
        nonlocal looks
        looks += 1
        return str(own(entry))

    monkeypatch.setattr(Entry, "kind", property(counted))
    found = [chain.commit_of(f"{i:016x}") for i in range(400)]
    assert [entry is not None for entry in found] == [i % 2 == 1 for i in range(400)]
    assert [chain.reservation_of(f"{i:016x}") for i in range(400)] == chain.reservations("people")
    assert chain.reservation_of("none") is None
    assert len(chain.costs("people")) == 400
    assert len(chain.costs("people", before=3)) == 1
    assert looks <= 3 * len(chain.entries)  # not releases times entries


def test_equal_prices_of_a_ledger_are_one_object() -> None:
    assert len({id(cost) for cost in _long_chain(100, ("0.1", "0.2")).costs("people")}) == 2
