"""What a ledger says of its accounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.accounting.account import Account
from epsilens.accounting.cost import cost_of
from epsilens.accounting.plan import ReleasePlan
from epsilens.budget import ZCDP, ApproxDP
from epsilens.errors import SourceError
from epsilens.release.ledger.chain import LedgerError
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.statement import Statement, balance, left_by_adding_up, swept_up
from tests.support.ledgers import SURVEY, TENTH, opened_by_an_earlier_version, request_for


def test_a_balance_is_exact_to_the_digit() -> None:
    assert balance(SURVEY, [TENTH] * 3) == {
        "account": "survey",
        "composition": "pure",
        "total": {"epsilon": "1"},
        "neighbours": "add-remove",
        "spent": {"epsilon": "0.3"},
        "left": {"epsilon": "0.7"},
        "releases": 3,
    }


def test_a_balance_tells_what_is_used_of_a_plan() -> None:
    plan = ReleasePlan(((4, TENTH),))
    told = balance(Account.opened("survey", ApproxDP(3.0, 1e-6), "add-remove", "pld", plan), [TENTH])
    assert told["plan"] == [{"releases": 4, "used": 1, "cost": TENTH.to_dict()}]


def test_what_is_left_of_an_account_without_its_plan_by_adding_up(tmp_path: Path) -> None:
    unplanned = Account.opened("survey", ApproxDP(1.0, 1e-6), "add-remove", "pld")
    book = opened_by_an_earlier_version(tmp_path / "b.db", unplanned)
    book.reserve(request_for(None))
    (account,) = Statement(book.chain()).accounts
    assert (account["adaptive"], account["left_by_adding_up"]) == (False, {"epsilon": "0.9", "delta": "0.000001"})
    assert left_by_adding_up(unplanned, [cost_of(ZCDP(0.1))]) is None


def test_a_statement_tells_what_was_reserved_and_never_committed(ledger: Ledger) -> None:
    ledger.reserve(request_for())
    chain = ledger.chain()
    statement = Statement(chain)
    (account,) = statement.accounts
    assert account["adaptive"] is True
    assert "left_by_adding_up" not in account
    assert (account["releases"], account["uncommitted"], account["left"]) == (4, 1, {"epsilon": "0.6"})
    plain = statement.to_dict()
    assert {name: plain[name] for name in ("ledger", "head")} == {"ledger": chain.ledger, "head": chain.head}
    assert len(plain["entries"]) == 8
    assert not [entry for entry in plain["entries"] if "salt" in entry]


def test_sweeping_needs_a_sound_ledger_and_folders_that_exist(ledger: Ledger, tmp_path: Path) -> None:
    left = tmp_path / f".o.csv.{ledger.chain().entries[1].body['release']}.tmp"
    assert swept_up(ledger.path).to_dict() == {"removed": []}
    with pytest.raises(SourceError, match="there is no folder"):
        swept_up(ledger.path, [tmp_path / "none"])
    left.write_text("kept")
    with pytest.raises(LedgerError, match="there is no ledger"):
        swept_up(tmp_path / "none.db", [tmp_path])
    assert left.exists()
