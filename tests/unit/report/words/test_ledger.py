"""What a ledger says."""

from __future__ import annotations

from pathlib import Path

from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.statement import Statement, Swept, swept_up
from epsilens.release.verification import LedgerVerified, verified_ledger
from epsilens.report.words.common import Heading, Note, Text
from epsilens.report.words.ledger import (
    balance_words,
    entry_rows,
    spent_words,
    statement_blocks,
    swept_lines,
    verified_lines,
)
from tests.support.ledgers import released, request_for


def test_balances_and_entries_in_words(tmp_path: Path) -> None:
    released(tmp_path)
    book = Ledger(tmp_path / "b.db")
    book.reserve(request_for())
    statement = Statement(book.chain())
    (account,) = statement.accounts
    assert balance_words(account) == "epsilon 0.2 spent of epsilon 1, epsilon 0.8 left (pure, add-remove; 2 releases)"
    what = [row[-1] for row in entry_rows(statement)]
    assert what[0] == "total epsilon 1, pure, add-remove"
    assert what[1].endswith(": discrete-laplace epsilon 0.1, rho 0.005 to o.csv")
    assert what[2].endswith(" is written")
    assert what[3].endswith(" to memory (not committed; counts as spent)")
    assert spent_words({"epsilon": "1", "delta": "0"}) == "epsilon 1"
    blocks = statement_blocks(statement)
    assert blocks[:2] == [Heading(account["account"]), Text(balance_words(account), indent=2)]
    assert blocks[-1] == Note(f"head {statement.chain.head}", indent=0)
    assert [block.text for block in blocks if isinstance(block, Text) and block.indent == 6] == what


def test_a_ledger_that_is_whole(tmp_path: Path) -> None:
    released(tmp_path)
    verified = verified_ledger(tmp_path / "b.db")
    assert verified_lines(verified) == [
        f"{tmp_path / 'b.db'}: 3 entries, every hash holds (rows cut off together with the head show only against a "
        "card).",
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
