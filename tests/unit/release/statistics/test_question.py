"""Questions about statistics: asked and checked without any data."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.release.statistics import Mean, Proportions
from epsilens.release.statistics.question import Bounding, Records, StatisticsQuestion
from epsilens.release.statistics.release import released
from epsilens.release.terms import Output, Payment, Person
from tests.support.released_statistics import NO_NOISE, ONE, people, release


def question(folder: Path = Path(), **changes: Any) -> StatisticsQuestion:
    given: dict[str, Any] = {
        "statistics": [Mean("a", 0, 10)],
        "budget": ONE,
        "person": Person(one_row_per_person=True),
        "payment": Payment(folder / "b.db", "survey", PureDP(1e10)),
        "records": Records(n=30),
        **changes,
    }
    return StatisticsQuestion(**given)


def test_a_question_knows_its_parts_without_data_and_does_not_change() -> None:
    asked = question(statistics=[Mean("a", 0, 10), Mean("b", 0, 1)], shares=[3, 1])
    assert [(str(share), part.epsilon) for share, part in asked.parts] == [("0.75", 0.75), ("0.25", 0.25)]
    assert asked.plans(30)[0].budget == PureDP(0.75)
    with pytest.raises(dataclasses.FrozenInstanceError):
        asked.budget = PureDP(2.0)  # type: ignore[misc]


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"statistics": []}, "^list the statistics to release"),
        (
            {"records": Records()},
            "the number of records is private: give n, .*neighbours='substitute'",
        ),
        (
            {"person": Person(one_row_per_person=True, neighbours="substitute"), "records": Records(missing="exclude")},
            r"needs neighbours='add-remove'; declare a public value in place of missing ones instead \(missing\)",
        ),
        (
            {"statistics": [Proportions("sex", ("f", "m"))], "choices": Bounding("truncated")},
            "truncation is for single numbers; use bounding='clamped', which is free",
        ),
        ({"budget": None}, "whose budget is epsilon alone; got none"),
    ],
)
def test_what_can_be_refused_without_data_is_refused_without_data(changes: dict[str, Any], said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        question(**changes)


def test_the_answer_is_that_of_the_call_with_keywords(tmp_path: Path) -> None:
    asked = question(tmp_path, budget=NO_NOISE, output=Output(tmp_path / "o.csv"))
    answer = released(asked, people())
    called = release(tmp_path, [Mean("a", 0, 10)], NO_NOISE, neighbours="add-remove", n=30)
    assert answer["mean(a)"].value == pytest.approx(called["mean(a)"].value, abs=1e-6)
    for name in ("mechanism", "budget", "unit", "missing", "intervals", "disclosure"):
        if name != "mechanism":
            assert answer.card[name] == called.card[name]
    assert answer.to_dict()["files"]["internal"] == str(tmp_path / "o.internal.json")
    assert answer.to_dict()["card"] is answer.card
