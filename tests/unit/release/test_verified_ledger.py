"""Whether a ledger is whole, and holds the heads that cards print."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.accounting.account import Account
from epsilens.accounting.plan import ReleasePlan
from epsilens.budget import ApproxDP
from epsilens.errors import EpsilensError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.verified_ledger import verified_ledger
from tests.support.ledgers import TENTH, request_for
from tests.support.released_tables import release


def test_heads_on_cards_are_found_in_the_ledger(people: Path, tmp_path: Path) -> None:
    for name in ("o", "p"):
        release(people, tmp_path, out=tmp_path / f"{name}.csv")
    verified = verified_ledger(tmp_path / "b.db", [tmp_path / "o.card.json", tmp_path / "p.card.json"])
    assert verified.cards == 2
    assert verified.to_dict()["ok"] is True
    assert verified.to_dict()["head"] == Ledger(tmp_path / "b.db").chain().head
    (tmp_path / "other").mkdir()
    release(people, tmp_path / "other", out=tmp_path / "q.csv")
    with pytest.raises(EpsilensError, match=r"the ledger does not match the card .*q\.card\.json"):
        verified_ledger(tmp_path / "b.db", [tmp_path / "o.card.json", tmp_path / "q.card.json"])


def test_a_ledger_whose_account_was_overspent_does_not_hold(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    planned = Account.opened("survey", ApproxDP(2.0, 1e-6), "add-remove", "pld", ReleasePlan(((1, TENTH),)))
    book = Ledger(tmp_path / "b.db")
    book.reserve(request_for(planned))
    verified_ledger(book.path)
    monkeypatch.setattr(Account, "admit", lambda *_: None)  # somebody with another program
    book.reserve(request_for(None))
    with pytest.raises(EpsilensError, match=r"'survey' was overspent \(releases were made that are not in its plan"):
        verified_ledger(book.path)
