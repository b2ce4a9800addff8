"""What every kind of release keeps, whichever are registered."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema  # type: ignore[import-untyped]
import pyarrow as pa
import pytest

from epsilens.budget import PureDP
from epsilens.release.card_files import card_schema, schema_problem
from epsilens.release.kind import Kind
from epsilens.release.kinds import KINDS
from epsilens.release.ledger.ledger import Ledger
from epsilens.release.statistics import Mean, Proportions, Statistic
from epsilens.release.statistics.question import Records, StatisticsQuestion
from epsilens.release.tables.question import Counting, Spending, TablesQuestion, Wanted
from epsilens.release.terms import NOBODY, Output, Payment, Person
from epsilens.release.verification import failures, verify_card
from epsilens.table import Schema

PEOPLE = pa.table({"a": [i % 7 for i in range(30)], "sex": ["fm"[i % 2] for i in range(30)]})
ONE_ROW = Person(one_row_per_person=True)


def tables(payment: Payment, output: Output) -> TablesQuestion:
    schema = Schema(["a"], "sex", universe={"a": list(range(7)), "sex": ["f", "m"]})
    wanted = Wanted(marginals=[["a"], ["sex"]])
    return TablesQuestion(Counting(schema), Spending(budget=PureDP(0.5)), ONE_ROW, payment, wanted, output=output)


def statistics(payment: Payment, output: Output) -> StatisticsQuestion:
    wanted: list[Statistic] = [Mean("a", 0, 6), Proportions("sex", ("f", "m"))]
    return StatisticsQuestion(wanted, PureDP(0.5), ONE_ROW, payment, records=Records(n=20), output=output)


SAMPLES: dict[type, Callable[[Payment, Output], Any]] = {TablesQuestion: tables, StatisticsQuestion: statistics}
"""A question of every kind. A kind without one fails here: write one down."""


@pytest.fixture(params=KINDS.values(), ids=lambda kind: kind.card_format)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def made(kind: Kind, tmp_path: Path) -> tuple[Any, Any, Path]:
    """A question of the kind, its answer, and the folder."""
    payment = Payment(tmp_path / "b.db", "survey", PureDP(2.0))
    asked = SAMPLES[kind.question](payment, Output(tmp_path / "o.csv"))
    return asked, kind.answered(asked, PEOPLE, NOBODY), tmp_path


def test_a_question_is_frozen_and_has_the_terms(kind: Kind, made: tuple[Any, Any, Path]) -> None:
    asked = made[0]
    assert isinstance(asked.person, Person)
    assert isinstance(asked.output, Output)
    with pytest.raises(dataclasses.FrozenInstanceError):
        asked.payment = None


def test_the_card_fits_the_schema_of_its_format_and_says_it_for_people(kind: Kind, made: tuple[Any, Any, Path]) -> None:
    _, answer, folder = made
    schema = card_schema(kind.card_format)
    jsonschema.Draft202012Validator.check_schema(schema)
    assert schema["properties"]["format"]["const"] == kind.card_format == answer.card["format"]
    assert schema_problem(answer.card) is None
    assert kind.words(answer.card) == (folder / "o.card.md").read_text()
    assert json.loads(json.dumps(answer.to_dict()))["card"] == answer.card


def test_the_card_is_confirmed_by_ledger_output_and_data(kind: Kind, made: tuple[Any, Any, Path]) -> None:
    folder = made[2]
    checks = verify_card(folder / "o.card.json", data=PEOPLE, ledger=folder / "b.db")
    assert list(failures(checks)) == []
    assert all(check.holds for check in checks)


def test_the_card_names_what_the_reservation_names(kind: Kind, made: tuple[Any, Any, Path]) -> None:
    _, answer, folder = made
    body = Ledger(folder / "b.db").chain().entries[1].body
    subject = kind.subject(answer.card)
    assert subject
    assert {name: body[name] for name in subject} == subject
    assert kind.budget_problem(answer.card) is None
    assert answer.card["budget"]["cost"][kind.currency(answer.card)] == "0.5"
    assert kind.output_problem(answer.card, folder / "o.csv") is None


def test_the_same_data_have_the_same_fingerprint_and_others_do_not(kind: Kind, made: tuple[Any, Any, Path]) -> None:
    card = made[1].card
    assert kind.unreadable(card) is None
    first = kind.recounted(card, PEOPLE, None, None)
    assert kind.recounted(card, PEOPLE, None, None) == first
    assert kind.recounted(card, PEOPLE.slice(1), None, None) != first
