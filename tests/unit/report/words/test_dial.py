"""The payload of the dial: all numbers and sentences, small, and without data where it is to be published."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions import dial
from epsilens.errors import ParameterError
from epsilens.notebook import INTERNAL
from epsilens.report.words.dial import merged, told
from epsilens.report.words.dial_sentences import PRIORS, Names
from epsilens.table.hierarchy import Situations

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]], ["no", "yes"]),
    sensitive=("planted",),
)


@pytest.fixture(scope="module")
def answer() -> dial.DialAnswer:
    return dial.answer(dial.Question(max_risk=0.4), TABLE)


@pytest.fixture(scope="module")
def payload(answer: dial.DialAnswer) -> dict[str, Any]:
    return told(answer, Names("Ana", "patients"))


def test_there_is_one_entry_per_budget_and_it_is_plain_json(answer: dial.DialAnswer, payload: dict[str, Any]) -> None:
    (one,) = payload["dials"]
    many = len(answer.lines)
    assert len(one["budgets"]) == len(one["budget_texts"]) == len(one["table"]["lines"]) == many
    assert len(payload["guarantees"][0]["lines"]) == len(payload["guarantees"][0]["spoken"]) == many
    assert len(payload["costs"][0]) == many
    text = json.dumps(payload, allow_nan=False)
    assert json.loads(text) == payload
    assert len(text) / many < 250_000 / 61
    assert (payload["internal"], payload["label"]) == (True, INTERNAL)


def test_numbers_are_those_of_the_answer_to_the_last_digit(answer: dial.DialAnswer, payload: dict[str, Any]) -> None:
    lines = payload["dials"][0]["table"]["lines"]
    assert [line["risk"] for line in lines] == [line.at.risk for line in answer.lines]
    assert [line["right"] for line in lines] == [line.shown[0].right for line in answer.lines]
    assert [line["if_so"] for line in payload["guarantees"][0]["lines"]] == [
        line.guarantee.right for line in answer.lines
    ]
    assert [line["error"] for line in payload["costs"][0]] == [line.cost.error for line in answer.lines]


def test_the_page_of_epsilon_1(payload: dict[str, Any]) -> None:
    one = payload["dials"][0]
    i = one["budget_texts"].index("1")
    line, found, cost = payload["guarantees"][0]["lines"][i], one["table"]["lines"][i], payload["costs"][0][i]
    assert payload["guarantees"][0]["spoken"][i] == "epsilon 1, 73 of 100"
    assert line["rows"] == ["27 of 100", "73 of 100"]
    assert line["belief_texts"][PRIORS.index(0.5)].startswith("A belief of 50 % can rise to 73 %")
    assert (line["weak"], line["weak_text"]) == (False, "")
    assert found["texts"][0] == "Risk: 35.6 %, the average risk over people (local); not above the ceiling of 40 %."
    assert found["texts"][1].startswith("Worst off: ")
    assert "patients" in found["shown_text"]
    assert sum(found["bands"]) == 45
    assert cost["interval"] == [9, 15]
    assert cost["dots"][9:11] == [12, 12]
    assert len(found["rows"]) == len(one["table"]["rows"])
    assert one["budget_texts"][one["start"]] == "1"
    assert one["table"]["chosen_text"] == "Go to epsilon 1, the round budget for the ceiling"


def test_whoever_believes_in_harm_is_held_against_guessing_harm() -> None:
    asked = told(dial.answer(dial.Question(max_risk=0.4), TABLE.with_harm("planted=yes")), Names("Ana", "people"))
    line = asked["dials"][0]["table"]["lines"][0]
    assert line["guessing"] == pytest.approx(12 / 45)
    assert line["believing_text"].endswith(
        "guessing the commonest harmful value is right 27 times in 100 and wrong 73."
    )


def test_what_holds_at_every_budget(payload: dict[str, Any]) -> None:
    table = payload["dials"][0]["table"]
    assert table["safe_text"].startswith("Safe set, the risk at or below 40 %: epsilon ")
    assert "Without noise: 51.1 %." in table["without_noise_sentence"]
    assert table["without_noise_sentence"].endswith("Without noise there is no guarantee against others.")
    assert [text for _, text in table["risk_ticks"]] == ["0 %", "20 %", "40 %", "60 %"]
    assert payload["dials"][0]["error_ticks"][0][1] == "0.001"
    assert "The error of a count falls from 100 to less than 0.001." in table["curve_text"]
    assert table["without_noise"] <= table["risk_ticks"][-1][0]


@pytest.mark.parametrize(
    ("max_risk", "said"),
    [(0.01, "No epsilon keeps the risk at or below 1 %"), (0.9, "epsilon of any size."), (None, "")],
)
def test_a_ceiling_may_be_out_of_reach_or_needless(max_risk: float | None, said: str) -> None:
    table = told(dial.answer(dial.Question(max_risk=max_risk), TABLE))["dials"][0]["table"]
    assert said in table["safe_text"]
    assert "needs no noise" not in table["without_noise_sentence"]  # 23 people are above every ceiling


def test_an_attack_needs_no_noise_only_where_nobody_is_above_the_ceiling() -> None:
    mixed = el.FrequencyTable.from_counts([[5, 4], [3, 6]], ["no", "yes"])
    table = told(dial.answer(dial.Question(max_risk=0.9), mixed))["dials"][0]["table"]
    assert "This attack needs no noise; without noise" in table["without_noise_sentence"]


def test_what_is_to_be_published_has_nothing_of_the_data(answer: dial.DialAnswer) -> None:
    public = told(answer, publishable=True)
    text = json.dumps(public)
    assert (public["internal"], public["dials"][0]["table"], public["dials"][0]["measure"]) == (False, None, None)
    assert "planted" not in text
    assert "INTERNAL:" not in text
    other = dial.answer(dial.Question(max_risk=0.45), el.FrequencyTable.from_counts([[1, 0], [70, 3]], ["a", "b"]))
    assert told(other, publishable=True) == public


def test_several_dials_share_what_is_the_same(payload: dict[str, Any]) -> None:
    names = Names("Ana", "patients")
    hard = told(dial.answer(dial.Question(max_risk=0.4, measure="hard"), TABLE), names)
    other = told(dial.answer(dial.Question(max_risk=0.4, mechanism="discrete-laplace"), TABLE), names)
    found = merged([payload, hard, other])
    assert [one["choice"]["measure"] for one in found["dials"]] == ["local", "hard", "local"]
    assert [(one["guarantee"], one["cost"]) for one in found["dials"]] == [(0, 0), (0, 0), (0, 1)]
    public = [told(dial.answer(dial.Question(measure=name), TABLE), publishable=True) for name in ("local", "hard")]
    assert merged(public) == public[0]
    assert merged([payload])["key"] == payload["key"] != found["key"]
    with pytest.raises(ParameterError, match="same people"):
        merged([payload, told(dial.answer(dial.Question(), TABLE))])
    with pytest.raises(ParameterError, match="no dial"):
        merged([])


def test_a_hierarchy_is_told_without_values_and_ratios_as_numbers() -> None:
    question = dial.Question(max_risk=1.5, measure="posterior-ratio", attack="single", max_people=1)
    found = told(dial.answer(question, Situations.of([[1, 2], [1, 5]], [1, 3])))
    table = found["dials"][0]["table"]
    assert "shown_text" not in table["lines"][0]
    assert (table["bands"], table["ceiling_text"]) == ([], "ceiling 1.5")
    assert table["risk_ticks"][0] == [1.0, "1"]
    assert any("every ceiling" in text for text in table["lines"][0]["texts"])
    assert "is in the data" in found["guarantees"][0]["setting"]
    assert "at most 1 person above 1.5" in table["safe_text"]
    assert table["subject"] == "2 people in 2 cells."


def test_mechanisms_are_told_apart() -> None:
    question = dial.Question(mechanism="gaussian", rho=True, neighbours="substitute", aggregate_by="max")
    one = told(dial.answer(question, TABLE))["dials"][0]
    assert one["choice"] == {
        "mechanism": "gaussian, by rho, substitute",
        "measure": "local, max",
        "attribute": "planted",
    }
    with_delta = told(dial.answer(dial.Question(mechanism="gaussian", delta=0.001), TABLE))["dials"][0]
    assert with_delta["choice"]["mechanism"] == "gaussian, delta 0.001"
    assert with_delta["noise"] == "Gaussian noise, add-remove neighbours, delta = 0.001."


def test_smaller_is_safer_where_the_safe_set_begins_at_nothing() -> None:
    safe = told(dial.answer(dial.Question(max_risk=0.5), TABLE))["dials"][0]["table"]["safe_text"]
    assert "up to" in safe or "every budget" in safe
    assert "Smaller is not safer" not in safe
