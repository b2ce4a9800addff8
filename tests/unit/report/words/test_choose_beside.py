"""What else there is to know of a choice: other ceilings, and where less noise is safer."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

import epsilens as el
from epsilens.choice.questions.choose import Question, answer
from epsilens.report.words.choose_beside import both_ceilings, interval_text, limits
from epsilens.report.words.choose_terms import rounded_to_safety

TABLE = replace(
    el.FrequencyTable.from_counts([[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]], ["no", "yes"]),
    sensitive=("ill",),
)
BECAUSE = "because more noise makes more cells in which people differ look as if all of them had the same value"


def plain(**asked: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(json.dumps(answer(Question(**asked), TABLE).to_dict()))
    return found


@pytest.mark.parametrize("max_risk", [0.2, 0.345, 0.375, 0.4, 1.0])
def test_one_sentence_says_why_less_noise_is_safer(max_risk: float) -> None:
    found = plain(max_risk=max_risk)
    assert found["fall"]["risk_from"] > found["fall"]["risk_to"]
    said = limits(found)
    assert sum(BECAUSE in sentence for sentence in said) == 1


def test_a_small_fall_is_told_with_the_decimals_that_show_it() -> None:
    found = plain(max_risk=1.0)
    found["fall"] |= {"risk_from": 0.5, "risk_to": 0.49977}
    said = " ".join(limits(found))
    assert "the risk falls from 50.0 %" in said
    assert "to 49.98 % at epsilon" in said


def test_a_risk_that_only_rises_needs_no_reason() -> None:
    found = plain(max_risk=0.7, measure="posterior")
    assert found["fall"] is None
    assert "safer" not in " ".join(limits(found))


def test_what_needs_no_noise_is_never_said_alone() -> None:
    table = el.FrequencyTable.from_counts([[10, 6], [3, 3], [7, 9], [1, 1]] * 3)
    found = answer(Question(max_risk=0.2), table).to_dict()
    assert found["unprotected_is_safe"]
    assert len(found["safe_set"]) >= 1
    for sentence in limits(found):
        if "without noise meets" in sentence:
            assert "without noise there is no guarantee against others" in sentence


def test_wrong_labels_have_their_ceiling_in_words() -> None:
    kept = plain(max_risk=0.4, max_wrong=0.15)
    wrong, together = both_ceilings(kept)
    least = rounded_to_safety(kept["wrong_set"][0]["low"], up=True)
    asked = "t most 15 % of people wrongly shown with a harmful value"
    assert wrong == f"A{asked}: epsilon from {least} on keeps that."
    assert together == f"Both together: epsilon = {rounded_to_safety(kept['combined_budget'])}."
    three = both_ceilings(plain(max_risk=0.4, max_wrong=0.15, max_error=5.0))
    assert [sentence.split()[0] for sentence in three] == ["An", "At", "All"]
    torn = both_ceilings(plain(max_risk=0.4, max_wrong=0.001))
    assert torn == ["No epsilon meets the risk ceiling and at most 0.1 % of people wrongly shown with a harmful value."]


def test_intervals_are_told_on_the_safe_side() -> None:
    assert interval_text({"low": 0.0, "high": 1.23456}, "rho") == "rho up to 1.234"
    assert interval_text({"low": 1.23456, "high": None}, "rho") == "rho from 1.235 on"
    assert interval_text({"low": 0.0, "high": None}, "rho") == "any rho"
