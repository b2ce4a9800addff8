"""The beginning of a report says what is decided and what happens otherwise, without a term that is not explained."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.choose import Question, answer
from epsilens.report.words.common import Text
from epsilens.report.words.decision import decision_blocks

TABLE = replace(el.FrequencyTable.from_counts([[5, 0], [0, 2], [10, 6]], ["no", "yes"]), sensitive=("ill",))
MIXED = replace(el.FrequencyTable.from_counts([[5, 3], [6, 2], [10, 6]], ["no", "yes"]), sensitive=("ill",))


def said(table: el.FrequencyTable, **asked: Any) -> list[str]:
    plain = answer(Question(**asked), table).to_dict()
    return [block.text for block in decision_blocks(plain, ["age", "sex"], ["ill"]) if isinstance(block, Text)]


def test_what_is_decided_and_what_happens_if_nothing_is_done() -> None:
    first, second, third = said(TABLE, max_risk=0.2)
    assert first.startswith("To decide: how much noise is added to the counts of 23 people by age, sex and ill before ")
    assert "before they are published. The number to decide on is epsilon" in first
    assert (
        second == "Without noise 7 of 23 people (30.4 %) would be shown with their ill to anybody who knows their "
        "age and sex."
    )
    assert third.startswith("If epsilon itself is to be published, take the round number ")


@pytest.mark.parametrize(
    ("table", "told"),
    [
        (
            TABLE.with_harm("ill=yes"),
            "Without noise 2 of 23 people (8.7 %) would be shown with a harmful value that",
        ),
        (MIXED, "Without noise nobody would be shown with their ill to anybody who knows their age and sex; other"),
    ],
)
def test_whom_nothing_done_would_show(table: el.FrequencyTable, told: str) -> None:
    assert said(table, max_risk=0.9)[1].startswith(told)
