"""Verifying cards: what holds, what does not, and what it takes to tell."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from epsilens.accounting.account import Account
from epsilens.budget import ApproxDP, PureDP
from epsilens.errors import EpsilensError
from epsilens.release import LedgerError, verify_card
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.verification import failures
from epsilens.release.verified_ledger import verified_ledger
from epsilens.table import Schema, read_table
from tests.support.cards import answers
from tests.support.ledgers import edit, opened_by_an_earlier_version
from tests.support.released_tables import LEVELS, release


def test_a_card_that_holds(folder: Path) -> None:
    for name in ("first", "second"):
        checks = verify_card(folder / f"{name}.card.json", data=folder / "people.csv", ledger=folder / "b.db")
        assert all(check.holds for check in checks), list(failures(checks))
    bare = answers(verify_card(folder / "first.card.json"))
    assert bare == {"form": True, "budget": True, "output": True, "ledger": None, "data": None}


def test_the_seal_opens_with_the_ledger_or_the_internal_assessment_only(folder: Path) -> None:
    card, data = folder / "first.card.json", folder / "people.csv"
    assert answers(verify_card(card, data=data))["data"] is True
    (folder / "first.internal.json").unlink()
    assert answers(verify_card(card, data=data))["data"] is None
    assert answers(verify_card(card, data=data, ledger=folder / "b.db"))["data"] is True


def test_rows_drawn_at_random_are_drawn_again_with_the_ledger_only(people: Path, tmp_path: Path) -> None:
    schema = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")
    for name in ("o", "p"):
        release(people, tmp_path, schema=schema, one_row_per_person=False, out=tmp_path / f"{name}.csv")
    salts = [entry.row_salt for entry in Ledger(tmp_path / "b.db").chain().reservations("survey")]
    assert len(set(salts)) == 2
    for name in ("o", "p"):
        card = tmp_path / f"{name}.card.json"
        with_ledger = verify_card(card, data=people, ledger=tmp_path / "b.db")
        assert all(check.holds for check in with_ledger), list(failures(with_ledger))
        (said,) = (check.words for check in verify_card(card, data=people) if check.what == "data")
        assert said.endswith("the ledger of the release alone can draw the same again; give it")
    told = [path.read_text() for path in tmp_path.glob("*.*") if path.suffix in {".csv", ".json", ".md"}]
    told.append(json.dumps([entry.to_dict() for entry in Ledger(tmp_path / "b.db").chain().entries]))
    assert len(told) == 10
    assert not any(str(salt) in text for salt in salts for text in told)
    assert "drawn at random where there are more" in (tmp_path / "o.card.md").read_text()


def test_a_release_of_before_there_were_salts_for_rows_is_told_apart(people: Path, tmp_path: Path) -> None:
    """Ledgers written earlier open as ever; only the rows drawn then cannot be drawn again."""
    schema = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")
    table = dataclasses.replace(read_table(people, schema), row_salt=None)
    release(table, tmp_path, schema=schema, one_row_per_person=False, out=tmp_path / "o.csv")
    chain = Ledger(tmp_path / "b.db").chain()
    assert "row_salt" not in chain.entries[1].body
    checks = answers(verify_card(tmp_path / "o.card.json", data=people, ledger=tmp_path / "b.db"))
    assert [what for what, holds in checks.items() if not holds] == ["data"]
    assert checks["data"] is None


def test_data_that_cannot_be_read_are_not_blamed_on_the_card(folder: Path) -> None:
    card = folder / "first.card.json"
    mistyped: list[dict[str, Any]] = [
        {"data": folder / "none.csv"},
        {"output": folder / "none.csv"},
        {"ledger": folder / "none.db"},
    ]
    for named in mistyped:
        with pytest.raises(EpsilensError, match=r"none\.(csv|db)") as problem:
            verify_card(card, **{"ledger": folder / "b.db", **named})
        assert "hold" not in str(problem.value)
    with pytest.raises(EpsilensError, match="table belongs to a database URL"):
        verify_card(card, data=folder / "people.csv", table="people")
    (folder / "other.csv").write_text("region,sex\nnorth,f\n")
    (said,) = failures(verify_card(card, data=folder / "other.csv", ledger=folder / "b.db"))
    assert "the data cannot be counted as the card declares" in said


def test_another_ledger_is_one_failure(folder: Path, people: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    schema = Schema(["region", "sex"], "illness", universe=LEVELS, unit="person")
    release(
        people, tmp_path / "elsewhere", schema=schema, one_row_per_person=False, out=tmp_path / "elsewhere" / "o.csv"
    )
    other = tmp_path / "elsewhere" / "b.db"
    checks = verify_card(folder / "first.card.json", data=folder / "people.csv", ledger=other)
    assert list(failures(checks)) == ["ledger: the ledger is another one than the card names"]
    assert [check.what for check in checks if check.holds is None] == ["commit", "composition"]


def test_other_data_do_not_pass(folder: Path) -> None:
    text = (folder / "people.csv").read_text()
    (folder / "people.csv").write_text(text.replace("north,f,no", "south,f,no", 1))
    checks = answers(verify_card(folder / "first.card.json", data=folder / "people.csv", ledger=folder / "b.db"))
    assert checks["data"] is False


def test_a_changed_output_does_not_pass(folder: Path) -> None:
    (folder / "first.csv").write_text((folder / "first.csv").read_text() + "\n")
    assert answers(verify_card(folder / "first.card.json"))["output"] is False
    (folder / "first.csv").unlink()
    assert answers(verify_card(folder / "first.card.json"))["output"] is None


def test_rows_cut_off_the_ledger_show_against_the_card(folder: Path) -> None:
    last = len(Ledger(folder / "b.db").chain().entries)
    for cut in (1, 2):
        edit(
            Ledger(folder / "b.db"),
            f"DELETE FROM entries WHERE number > {last - cut}",
            f"UPDATE meta SET value = '{last - cut}' WHERE name = 'head_number'",
            f"UPDATE meta SET value = (SELECT hash FROM entries WHERE number = {last - cut}) WHERE name = 'head_hash'",
        )
        checks = answers(verify_card(folder / "second.card.json", ledger=folder / "b.db"))
        assert checks["commit"] is False
        assert checks["ledger"] is (cut == 1)  # with one row cut, the reservation is still there
    assert all(c.holds is not False for c in verify_card(folder / "first.card.json", ledger=folder / "b.db"))


def test_an_edited_ledger_is_an_error(folder: Path) -> None:
    edit(Ledger(folder / "b.db"), "UPDATE entries SET body = replace(body, '0.5', '0.4') WHERE number = 2")
    with pytest.raises(LedgerError, match="tampered"):
        verify_card(folder / "first.card.json", ledger=folder / "b.db")


def test_a_thresholded_release_verifies_too(people: Path, tmp_path: Path) -> None:
    release(
        people,
        tmp_path,
        schema=Schema(["region", "sex"], "illness", universe={"region": LEVELS["region"]}),
        threshold_delta=1e-6,
        budget=PureDP(1.0),
        total=ApproxDP(2.0, 1e-5),
        composition="pld",
        plan=1,
        out=tmp_path / "o.parquet",
    )
    checks = verify_card(tmp_path / "o.card.json", data=people, ledger=tmp_path / "b.db")
    assert all(check.holds for check in checks), list(failures(checks))
    assert "was not declared" in (tmp_path / "o.card.md").read_text()


def test_the_plan_on_a_card_is_that_of_the_ledger(people: Path, tmp_path: Path) -> None:
    terms = {"budget": PureDP(0.5), "total": ApproxDP(2.0, 1e-6), "composition": "pld", "plan": 3}
    for name in ("o", "p"):
        release(people, tmp_path, out=tmp_path / f"{name}.csv", **terms)
        checks = verify_card(tmp_path / f"{name}.card.json", data=people, ledger=tmp_path / "b.db")
        assert all(check.holds for check in checks), list(failures(checks))
    assert verified_ledger(tmp_path / "b.db").statement.accounts[0]["plan"][0]["used"] == 2
    path = tmp_path / "p.card.json"
    honest = json.loads(path.read_text())
    for change in ({"releases": 4}, {"used": 1}, None):
        card = json.loads(json.dumps(honest))
        if change is None:
            del card["composition"]["plan"]
        else:
            card["composition"]["plan"][0].update(change)
        path.write_text(json.dumps(card))
        checks = verify_card(path, ledger=tmp_path / "b.db")
        (said,) = (check.words for check in checks if check.what == "composition" and check.holds is False)
        assert said == "the account's plan were otherwise at that time, by the ledger"


def test_cards_of_an_account_without_its_plan_hold_as_ever(people: Path, tmp_path: Path) -> None:
    opened_by_an_earlier_version(tmp_path / "b.db", Account.opened("survey", ApproxDP(2.0, 1e-6), "add-remove", "pld"))
    release(people, tmp_path, budget=PureDP(0.5), total=None, out=tmp_path / "o.csv")
    path = tmp_path / "o.card.json"
    assert all(check.holds for check in verify_card(path, data=people, ledger=tmp_path / "b.db"))
    card = json.loads(path.read_text())
    del card["composition"]["left_by_adding_up"]  # as earlier versions wrote it
    path.write_text(json.dumps(card))
    assert answers(verify_card(path, ledger=tmp_path / "b.db"))["composition"] is True
    card["composition"]["left_by_adding_up"] = {"epsilon": "1.9", "delta": "0.000001"}
    path.write_text(json.dumps(card))
    assert answers(verify_card(path, ledger=tmp_path / "b.db"))["composition"] is False
