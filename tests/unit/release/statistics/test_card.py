"""Cards of released statistics: their schema, their words, and every check of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import csv as arrow_csv

from epsilens.budget import ZCDP, PureDP
from epsilens.errors import EpsilensError
from epsilens.release.card_files import card_schema, schema_problem
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.statistics import Mean, Variance
from epsilens.release.statistics.card import STATISTICS_CARD_FORMAT
from epsilens.release.verification import card_head, failures, verify_card
from tests.unit.release.statistics.test_release import people, release
from tests.unit.release.tables.test_card import answers, changed


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arrow_csv.write_csv(people(), tmp_path / "people.csv")
    release(tmp_path, data=tmp_path / "people.csv", out=tmp_path / "all.csv", bounding="none")
    several: dict[str, Any] = {"unit": "who", "neighbours": "add-remove", "n": 10, "missing": {"a": 5}}
    release(
        tmp_path,
        [Mean("a", 0, 10)],
        PureDP(0.5),
        tmp_path / "people.csv",
        out=tmp_path / "one.parquet",
        account="visits",
        **several,
    )
    release(
        tmp_path,
        [Variance("a", 0, 10), Mean("b", -2, 2)],
        PureDP(0.5),
        tmp_path / "people.csv",
        out=tmp_path / "two.csv",
        bounding="truncated",
    )
    return tmp_path


@pytest.mark.parametrize("name", ["all", "one", "two"])
def test_a_card_that_fits_its_schema_and_holds(folder: Path, name: str) -> None:
    import jsonschema  # type: ignore[import-untyped]

    jsonschema.Draft202012Validator.check_schema(card_schema(STATISTICS_CARD_FORMAT))
    assert schema_problem(json.loads((folder / f"{name}.card.json").read_text())) is None
    checks = verify_card(folder / f"{name}.card.json", data=folder / "people.csv", ledger=folder / "b.db")
    assert all(check.holds for check in checks), list(failures(checks))
    assert set(answers(checks)) == {"form", "budget", "output", "ledger", "commit", "composition", "data"}
    assert "is this release" in card_head(folder / f"{name}.card.json", Ledger(folder / "b.db").chain())


def test_without_the_ledger_and_with_other_data(folder: Path) -> None:
    assert answers(verify_card(folder / "all.card.json", data=folder / "people.csv"))["data"] is True
    assert answers(verify_card(folder / "one.card.json", data=folder / "people.csv"))["data"] is None
    arrow_csv.write_csv(people().slice(2), folder / "fewer.csv")  # without one person
    for name in ("all", "one"):
        checks = verify_card(folder / f"{name}.card.json", data=folder / "fewer.csv", ledger=folder / "b.db")
        assert [check.what for check in checks if check.holds is False] == ["data"]


def grid(card: Any, position: int = 0) -> Any:
    return card["mechanism"]["statistics"][position]["grid"]


@pytest.mark.parametrize(
    ("change", "failing"),
    [
        (lambda c: grid(c)["law"].update(scale=grid(c)["law"]["scale"] / 2), {"budget", "commit"}),
        (lambda c: grid(c).update(sensitivity_in_steps=1), {"budget", "commit"}),
        (lambda c: c["mechanism"]["records"].update(n=100), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][1]["entries"][0].update(scale=1e-3), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][0]["budget"].update(epsilon=5.0), {"budget", "commit"}),
        (lambda c: c["mechanism"]["statistics"][0]["declared"].update(upper=5.0), {"budget", "ledger", "commit"}),
        (lambda c: c["budget"]["cost"].update(epsilon="0.1"), {"budget", "ledger", "commit"}),
        (lambda c: c["released"][0].update(value=5.0), {"output", "commit"}),
        (lambda c: c["composition"]["left"].update(epsilon="9.9"), {"commit", "composition"}),
        (lambda c: c["unit"].update(column="who"), {"ledger", "commit"}),
        (lambda c: c["ledger"].update(head="0" * 64), {"ledger", "commit"}),
        (lambda c: c["release"].update(time="2020-01-01T00:00:00Z"), {"commit"}),
    ],
)
def test_a_changed_card_does_not_pass(folder: Path, change: Any, failing: set[str]) -> None:
    checks = verify_card(changed(folder / "all.card.json", change), ledger=folder / "b.db")
    assert {check.what for check in checks if check.holds is False} == failing


def test_the_head_of_another_ledger_is_refused(folder: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    release(other)
    with pytest.raises(EpsilensError, match="the ledger is another one than the card names"):
        card_head(folder / "all.card.json", Ledger(other / "b.db").chain())


def test_the_readable_card_says_what_matters(folder: Path) -> None:
    text = (folder / "all.card.md").read_text()
    for words in ("mean(a)", "costs epsilon = 1.", "n = 40", "Missing values were refused", "surer than 73.1 %"):
        assert words in text
    assert "positive semidefinite" in text
    assert "1 releases from account `survey`" in text
    one = (folder / "one.card.md").read_text()
    assert "replaced by public values: `a` by 5" in one
    assert "at most 1 rows of each are counted, drawn at random where there are more" in one
    assert "Bias: towards the middle of the range" in one


def test_an_account_in_zcdp_says_what_it_means_in_epsilon_and_delta(tmp_path: Path) -> None:
    data = pa.table({"a": [1.0, 2.0, 3.0]})
    found = release(tmp_path, [Mean("a", 0, 10)], data=data, total=ZCDP(2.0))
    assert found.card["composition"]["converted"]["delta"] == 1e-6
    assert schema_problem(found.card) is None
