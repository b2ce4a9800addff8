"""What a ledger says."""

from __future__ import annotations

from pathlib import Path

from epsilens.accounting.account import Account
from epsilens.accounting.cost import cost_of
from epsilens.accounting.plan import ReleasePlan
from epsilens.budget import ApproxDP, PureDP
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.statement import Statement, Swept, swept_up
from epsilens.release.verified_ledger import LedgerVerified, verified_ledger
from epsilens.report.words.common import Grid, Heading, Note, Text, Verdict
from epsilens.report.words.ledger import (
    balance_words,
    entries_grid,
    entry_rows,
    left_words,
    promise_lines,
    spent_words,
    standing_blocks,
    statement_blocks,
    swept_lines,
    understood_words,
    unfinished_blocks,
    verified_lines,
)
from tests.support.ledgers import TENTH, opened_by_an_earlier_version, released, request_for


def test_balances_and_entries_in_words(tmp_path: Path) -> None:
    released(tmp_path)
    book = Ledger(tmp_path / "b.db")
    book.reserve(request_for())
    statement = Statement(book.chain())
    (told,) = unfinished_blocks(statement, "survey")
    assert isinstance(told, Verdict)
    assert told.text.startswith("1 release (to memory) was paid for and is not finished")
    assert unfinished_blocks(statement, "other") == []
    (account,) = statement.accounts
    assert balance_words(account) == "epsilon 0.2 spent of epsilon 1, epsilon 0.8 left (pure, add-remove; 2 releases)"
    what = [row[-1] for row in entry_rows(statement)]
    assert what[0] == "total epsilon 1, pure, add-remove"
    assert what[1].endswith(": discrete-laplace epsilon 0.1, rho 0.005 to o.csv")
    assert what[2].endswith(" is written")
    assert what[3].endswith(" to memory (not committed; counts as spent)")
    assert spent_words({"epsilon": "1", "delta": "0"}) == "epsilon 1"
    assert spent_words({"delta": "0.1", "epsilon": "1"}) == "epsilon 1, delta 0.1"
    assert left_words({"delta": "0.1", "epsilon": "0"}) == "epsilon 0, delta 0.1"
    assert promise_lines(account) == [
        "pure: epsilons add up; holds however each release is chosen after seeing earlier ones"
    ]
    blocks = statement_blocks(statement)
    assert blocks[:2] == [Heading(account["account"]), Text(balance_words(account), indent=2)]
    assert [block.text for block in blocks if isinstance(block, Note)][:-1] == promise_lines(account)
    assert blocks[-1] == Note(f"head {statement.chain.head}", indent=0)
    assert [block.text for block in blocks if isinstance(block, Text) and block.indent == 6] == what


def test_a_plan_in_words(tmp_path: Path) -> None:
    book = Ledger(tmp_path / "b.db")
    plan = ReleasePlan(((3, TENTH),))
    book.reserve(request_for(Account.opened("survey", ApproxDP(1.0, 1e-6), "add-remove", "pld", plan)))
    statement = Statement(book.chain())
    (account,) = statement.accounts
    assert balance_words(account).endswith("left (pld, add-remove; 1 of 3 planned releases)")
    assert promise_lines(account) == [
        "pld: privacy losses are convolved, for a plan of releases that is fixed when the account is opened; in any "
        "order",
        "  3 x epsilon 0.1: 1 used, 2 left",
    ]
    assert entry_rows(statement)[0][-1] == "total epsilon 1, delta 0.000001, pld, add-remove, a plan of 3 releases"
    assert verified_lines(verified_ledger(book.path))[1].endswith(
        "left of epsilon 1, delta 0.000001, 2 of 3 planned releases"
    )


def test_an_account_without_its_plan_is_told_as_one(tmp_path: Path) -> None:
    unplanned = Account.opened("survey", ApproxDP(1.0, 1e-6), "add-remove", "pld")
    book = opened_by_an_earlier_version(tmp_path / "b.db", unplanned)
    (account,) = Statement(book.chain()).accounts
    assert promise_lines(account) == [
        "opened without a plan by an earlier version; pld does not hold for budgets chosen after seeing outputs, so "
        "that all releases must stay within the total by adding up as well (epsilon 1, delta 0.000001 left)"
    ]
    (line,) = promise_lines({**account, "left_by_adding_up": None})
    assert line.endswith("(one release has no epsilon to add: nothing left)")


def test_a_ledger_that_is_whole(tmp_path: Path) -> None:
    released(tmp_path)
    verified = verified_ledger(tmp_path / "b.db")
    assert verified_lines(verified) == [
        f"{tmp_path / 'b.db'}: 3 entries, every hash holds (rows cut off together with the head show only against a "
        "card: --card).",
        "  survey: epsilon 0.9 left of epsilon 1",
    ]
    assert verified.to_dict()["ok"] is True
    against = LedgerVerified(verified.ledger, verified.statement, cards=1)
    assert verified_lines(against)[0].endswith("every hash holds.")


def test_what_was_swept(tmp_path: Path) -> None:
    released(tmp_path)
    release = Ledger(tmp_path / "b.db").chain().entries[1].body["release"]
    left = tmp_path / f".o.csv.{release}.tmp"
    left.write_text("noise")
    assert swept_lines(Swept(())) == ["No release left a temporary file."]
    assert swept_lines(swept_up(tmp_path / "b.db")) == [
        f"  {left}",
        "removed 1 temporary file that a crashed release left; what it reserved (entry 2) stays spent.",
    ]


def test_an_account_beside_a_release_is_exact_to_the_digit() -> None:
    account = Account.opened("survey", PureDP(1.0), "add-remove")
    grid, verdict, note = standing_blocks(account, [TENTH] * 9, TENTH)  # in binary 0.1 nine times and once is below 1
    assert isinstance(grid, Grid)
    assert grid.rows == [
        ("total", "1"),
        ("spent by 9 releases", "0.9"),
        ("left", "0.1"),
        ("this release asks for", "0.1"),
        ("left afterwards", "0"),
    ]
    assert verdict == Verdict("ok", "good", "the account can pay for this release")
    assert isinstance(note, Note)


def test_an_exhausted_account_says_what_is_asked_spent_and_left() -> None:
    account = Account.opened("survey", PureDP(1.0), "add-remove")
    grid, verdict, _ = standing_blocks(account, [TENTH] * 10, cost_of(PureDP(0.1)))
    assert isinstance(grid, Grid)
    assert grid.rows[1:] == [("spent by 10 releases", "1"), ("left", "0"), ("this release asks for", "0.1")]
    assert verdict == Verdict(
        "no",
        "bad",
        "the account cannot pay for this release: the budget of account 'survey' does not suffice: epsilon 0 left of "
        "1, this release asks for 0.1",
    )


def test_an_account_that_is_still_to_be_opened() -> None:
    account = Account.opened("survey", PureDP(1.0), "add-remove")
    grid, _ = standing_blocks(account, [], None, opens=True)
    assert isinstance(grid, Grid)
    assert grid.title == "Account 'survey' (this release would open it)"
    assert [row[0] for row in grid.rows] == ["total", "spent by 0 releases", "left"]


def test_whether_somebody_was_asked_what_the_budget_means() -> None:
    assert understood_words(None) == ""
    assert understood_words({"asked": False}) == ", check question turned off"
    assert understood_words({"asked": True, "tries": 2}) == ", check question answered at try 2"


def test_entries_as_a_table(tmp_path: Path) -> None:
    released(tmp_path)
    statement = Statement(Ledger(tmp_path / "b.db").chain())
    assert entries_grid(statement).rows == entry_rows(statement)
