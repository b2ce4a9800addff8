"""How a release is made: one card, made once, and the old calls with every keyword."""

from __future__ import annotations

import inspect
import json
from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import PureDP
from epsilens.release import release_table
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.ledger.protocol import STEPS
from epsilens.release.statistics import Mean, release_statistics
from epsilens.release.tables.question import Counting, Spending, TablesQuestion
from epsilens.release.tables.release import released
from epsilens.release.terms import Output, Payment, Understood
from epsilens.release.verification import verify_card
from epsilens.release.verified_ledger import verified_ledger
from tests.support import released_statistics, released_tables


@pytest.mark.parametrize("kind", ["tables", "statistics"])
@pytest.mark.parametrize("written", [True, False])
def test_a_card_is_made_once(
    kind: str, written: bool, people: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from epsilens.release.statistics import release as statistics
    from epsilens.release.tables import release as tables

    module: Any = tables if kind == "tables" else statistics
    name = "publishable_card" if kind == "tables" else "statistics_card"
    made: list[Any] = []
    real = getattr(module, name)

    def once(*arguments: Any) -> Any:
        made.append(real(*arguments))
        return made[-1]

    monkeypatch.setattr(module, name, once)
    out = tmp_path / "o.csv" if written else None
    answer: Any = (
        released_tables.release(people, tmp_path, out=out)
        if kind == "tables"
        else released_statistics.release(tmp_path, out=out)
    )
    assert len(made) == 1
    assert answer.card is made[0]
    if written:
        assert json.loads((tmp_path / "o.card.json").read_text()) == answer.card
        assert json.loads((tmp_path / "o.internal.json").read_text()) == answer.internal


def test_release_table_takes_every_keyword_it_ever_took(people: Path, tmp_path: Path) -> None:
    told: list[Any] = []
    given: dict[str, Any] = {
        "source": people,
        "mechanism": "laplace",
        "budget": PureDP(0.5),
        "ledger": tmp_path / "b.db",
        "account": "survey",
        "schema": released_tables.SCHEMA,
        "one_row_per_person": True,
        "cells_are_public": False,
        "paths": None,
        "total": PureDP(1.0),
        "composition": "pure",
        "plan": None,
        "neighbours": "substitute",
        "marginals": None,
        "levels": None,
        "hierarchy": ["region", "sex"],
        "tree": None,
        "branching": 2,
        "public_total": None,
        "shares": [1.0, 3.0],
        "threshold_delta": None,
        "rounded": True,
        "non_negative": True,
        "consistent": False,
        "confidence": 0.9,
        "allow_continuous": True,
        "out": tmp_path / "o.csv",
        "force": True,
        "table": None,
        "count": None,
        "wait": 5.0,
        "notice": told.append,
        "expects": told.append,
        "progress": told.append,
        "reached": told.append,
    }
    assert set(given) == set(inspect.signature(release_table).parameters)
    answer = release_table(**given)
    mechanism = answer.card["mechanism"]
    assert [table["name"] for table in mechanism["tables"]] == ["region x illness", "region x sex x illness"]
    assert [table["share"] for table in mechanism["tables"]] == ["0.25", "0.75"]
    assert (mechanism["name"], mechanism["neighbours"]) == ("laplace", "substitute")
    assert [step["step"] for step in answer.card["post_processing"]] == ["rounding", "non-negativity"]
    assert answer.card["intervals"]["confidence"] == 0.9
    assert [step for step in told if step in STEPS] == list(STEPS)
    assert told[2] == 16  # cells to be drawn: expected once the reservation stands
    assert Ledger(tmp_path / "b.db").chain().accounts["survey"].neighbours == "substitute"


def test_release_statistics_takes_every_keyword_it_ever_took(tmp_path: Path) -> None:
    told: list[str] = []
    given: dict[str, Any] = {
        "source": released_statistics.people(),
        "statistics": [Mean("a", 0, 10), Mean("b", -2, 2)],
        "budget": PureDP(0.5),
        "ledger": tmp_path / "b.db",
        "account": "survey",
        "n": 10,
        "neighbours": "add-remove",
        "one_row_per_person": False,
        "unit": "who",
        "max_rows_per_unit": 2,
        "shares": [3.0, 1.0],
        "bounding": "none",
        "missing": {"a": 5.0, "b": 0.0},
        "missing_values": ("?",),
        "confidence": 0.9,
        "total": PureDP(1.0),
        "composition": "pure",
        "plan": None,
        "out": tmp_path / "o.parquet",
        "force": True,
        "table": None,
        "wait": 5.0,
        "notice": told.append,
        "reached": told.append,
    }
    assert set(given) | {"bins", "where"} == set(inspect.signature(release_statistics).parameters)
    answer = release_statistics(**given)
    assert [part["share"] for part in answer.card["mechanism"]["statistics"]] == ["0.75", "0.25"]
    assert answer.card["unit"] == {"protects": "a person", "column": "who", "max_rows_per_person": 2}
    assert answer.card["missing"] == {"rule": {"a": 5.0, "b": 0.0}, "values": ["?"]}
    assert answer.card["intervals"]["confidence"] == 0.9
    assert told == list(STEPS)


@pytest.mark.parametrize(
    ("understood", "told"),
    [(None, None), (Understood(2), {"asked": True, "tries": 2}), (Understood(None), {"asked": False})],
)
def test_the_ledger_says_whether_the_check_question_was_answered(
    understood: Understood | None, told: object, people: Path, tmp_path: Path
) -> None:
    counting = Counting(released_tables.SCHEMA)
    question = TablesQuestion(
        counting,
        Spending(budget=PureDP(1.0)),
        counting.person(True, "add-remove"),
        Payment(tmp_path / "b.db", "survey", PureDP(2.0), understood=understood),
        output=Output(tmp_path / "o.csv"),
    )
    answer = released(question, people)
    assert answer.entry.body.get("check_question") == told
    assert verified_ledger(tmp_path / "b.db", [tmp_path / "o.card.json"]).cards == 1
    checks = verify_card(tmp_path / "o.card.json", people, tmp_path / "b.db")
    assert [check.holds for check in checks] == [True] * len(checks)
    assert "check_question" not in json.dumps(answer.card)  # about whoever releases, not about what is published
