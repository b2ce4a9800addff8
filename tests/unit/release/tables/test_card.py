from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import ApproxDP, PureDP
from epsilens.release import LedgerError, verify_card
from epsilens.release.card_files import CardError, card_schema, schema_problem
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.tables.card import schema_dict
from epsilens.release.tables.words import card_text
from epsilens.release.verification import Check, failures
from epsilens.table import Schema, read_table
from tests.unit.release.ledger.test_ledger import edit
from tests.unit.release.tables.test_release import LEVELS, SCHEMA, people, release

__all__ = ["people"]


@pytest.fixture
def folder(people: Path, tmp_path: Path) -> Path:
    release(people, tmp_path, out=tmp_path / "first.csv", budget=PureDP(0.5), non_negative=True)
    release(people, tmp_path, out=tmp_path / "second.csv", budget=PureDP(0.25), marginals=[["sex"], ["region", "sex"]])
    return tmp_path


def answers(checks: list[Check]) -> dict[str, bool | None]:
    return {check.what: check.holds for check in checks}


def changed(path: Path, change: Any) -> Path:
    card = json.loads(path.read_text())
    change(card)
    path.write_text(json.dumps(card))
    return path


def test_cards_fit_the_schema_that_is_shipped(folder: Path) -> None:
    import jsonschema  # type: ignore[import-untyped]

    jsonschema.Draft202012Validator.check_schema(card_schema())
    for name in ("first", "second"):
        card = json.loads((folder / f"{name}.card.json").read_text())
        assert schema_problem(card) is None
        assert card["label"] == "publishable"
        internal = json.loads((folder / f"{name}.internal.json").read_text())
        assert internal["label"] == "internal"
    del card["budget"]
    assert schema_problem(card) == "the card itself does not fit the schema (required)"


def test_the_publishable_card_has_no_confidential_fact(folder: Path) -> None:
    """Two data sets that differ in one person give cards that differ in nothing but noise, names and times."""
    other = folder / "other"
    other.mkdir()
    lines = (folder / "people.csv").read_text().splitlines()
    (other / "people.csv").write_text("\n".join(lines[:-20]) + "\n")
    release(other / "people.csv", other, out=other / "first.csv", budget=PureDP(0.5), non_negative=True)
    ours, theirs = (json.loads((f / "first.card.json").read_text()) for f in (folder, other))
    for card in (ours, theirs):
        for random in ("ledger", "content"):
            card.pop(random)
        card["output"].pop("sha256")
        card["release"] = {k: v for k, v in card["release"].items() if k in {"account", "tables"}}
    assert ours == theirs
    inside = json.loads((folder / "first.internal.json").read_text())
    assert inside["people_rows"] == 60
    assert set(inside["disclosure"][0]) >= {"before", "after", "local_risk_after"}


def test_the_readable_card_says_what_matters(folder: Path) -> None:
    first, second = ((folder / f"{name}.card.md").read_text() for name in ("first", "second"))
    for words in ("epsilon = 0.5", "add-remove", "12 cells", "non-negativity", "never be surer than 62.2 %"):
        assert words in first
    assert "2 releases from account `survey`" in second
    assert "epsilon 0.75 spent of epsilon 1000, epsilon 999.25 left" in second
    assert card_text(json.loads((folder / "second.card.json").read_text())) == second
    assert "all tables together" in second


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
    (said,) = failures(verify_card(folder / "first.card.json", data=folder / "none.csv", ledger=folder / "b.db"))
    assert "the data cannot be counted as the card declares" in said
    assert "none.csv" in said


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
    assert answers(verify_card(folder / "first.card.json", output=folder / "none.csv"))["output"] is False


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (lambda c: c["mechanism"]["tables"][0]["law"].update(scale=1.0), {"budget", "commit"}),
        (lambda c: c["mechanism"]["sensitivity"].update(value=2.0), {"budget", "commit"}),
        (lambda c: c["budget"]["cost"].update(epsilon="0.1"), {"budget", "ledger", "commit"}),
        (lambda c: c["composition"]["left"].update(epsilon="999.9"), {"commit", "composition"}),
        (lambda c: c["budget"]["cost"].update(rho="0.001"), {"budget", "ledger", "commit"}),
        (lambda c: c["mechanism"]["tables"][0].update(opendp_price=0.1), {"budget", "commit"}),
        (lambda c: c["mechanism"]["tables"][0].update(threshold=7, threshold_delta=1e-9), {"budget", "commit"}),
        (lambda c: c["ledger"].update(head="0" * 64), {"ledger", "commit"}),
        (lambda c: c["release"].update(time="2020-01-01T00:00:00Z"), {"commit"}),
    ],
)
def test_a_changed_card_does_not_pass(folder: Path, change: Any, failing: set[str]) -> None:
    checks = verify_card(changed(folder / "first.card.json", change), ledger=folder / "b.db")
    assert {check.what for check in checks if check.holds is False} == failing


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


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "is not a release card"),
        ('{"format": "other"}', "is not a release card"),
        ('{"format": []}', "is not a release card"),
        ('{"format": "epsilens-internal-assessment/1"}', "internal assessment"),
        ('{"format": "epsilens-release-card/1"}', "changed or is incomplete"),
        ('{"format": "epsilens-statistics-card/1"}', "changed or is incomplete"),
    ],
)
def test_what_is_not_a_card(tmp_path: Path, content: str, said: str) -> None:
    (tmp_path / "c.json").write_text(content)
    with pytest.raises(CardError, match=said):
        verify_card(tmp_path / "c.json")
    with pytest.raises(CardError, match="cannot read the card"):
        verify_card(tmp_path / "none.json")


def test_schemas_survive_being_written_down() -> None:
    for schema in (
        SCHEMA,
        Schema(
            ["age", "dose"], "y", bins={"age": [18], "dose": 0.25}, unit="p", max_rows_per_unit=3, missing_values="?"
        ),
        Schema(["a"], "y", universe={"a": [1, 2], "y": [True, False]}, structural_zeros=[{"a": 1, "y": True}]),
    ):
        assert Schema.from_dict(json.loads(json.dumps(schema_dict(schema)))) == schema


def test_a_thresholded_release_verifies_too(people: Path, tmp_path: Path) -> None:
    release(
        people,
        tmp_path,
        schema=Schema(["region", "sex"], "illness", universe={"region": LEVELS["region"]}),
        threshold_delta=1e-6,
        budget=PureDP(1.0),
        total=ApproxDP(2.0, 1e-5),
        composition="pld",
        out=tmp_path / "o.parquet",
    )
    checks = verify_card(tmp_path / "o.card.json", data=people, ledger=tmp_path / "b.db")
    assert all(check.holds for check in checks), list(failures(checks))
    assert "was not declared" in (tmp_path / "o.card.md").read_text()


@pytest.mark.parametrize("lower", [{"threshold": 3}, {"threshold_delta": 1e-12}, {"threshold": None}])
def test_a_threshold_that_shows_more_than_was_paid_for_does_not_pass_even_without_the_ledger(
    people: Path, tmp_path: Path, lower: dict[str, Any]
) -> None:
    release(
        people,
        tmp_path,
        schema=Schema(["region", "sex"], "illness"),
        threshold_delta=1e-6,
        budget=PureDP(1.0),
        total=ApproxDP(2.0, 1e-5),
        out=tmp_path / "o.csv",
    )
    card = tmp_path / "o.card.json"
    assert answers(verify_card(card))["budget"] is True
    card = changed(card, lambda c: c["mechanism"]["tables"][0].update(lower))
    assert answers(verify_card(card))["budget"] is False
