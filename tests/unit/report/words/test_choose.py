"""The words of a choice need nothing but the JSON of the answer; case by case they are checked with the command."""

from __future__ import annotations

import json

import pytest

import epsilens as el
from epsilens.choice.questions.choose import Question, answer
from epsilens.report.words.choose import (
    choice_sentences,
    nothing_to_export,
    rounded_to_safety,
    script_written,
    summary,
    worded,
)
from epsilens.report.words.choose_answer import short_blocks
from epsilens.report.words.common import BLANK, Note, Text

TABLE = el.FrequencyTable.from_counts(
    [[5, 0], [3, 0], [0, 2], [8, 0], [10, 6], [0, 1], [4, 0], [3, 3]],
    ["low", "high"],
    {"age": [str(20 + 10 * (i // 2)) for i in range(8)], "sex": ["f", "m"] * 4},
)


def test_the_sentences_are_those_of_the_json() -> None:
    found = answer(Question(max_risk=0.4, profile="max(0.25/p,3)", levers=True), TABLE)
    plain = worded(found)
    assert plain == found.to_dict() | {"sentences": choice_sentences(json.loads(json.dumps(found.to_dict())))}
    short = short_blocks(plain)
    blocks = summary(found)
    assert blocks[: len(short)] == short
    what, *others = blocks[len(short) :]
    assert what == Note("local: the chance that a cell shows one value only and somebody there has it.")
    said = [block.text for block in others if isinstance(block, Text) and block != BLANK]
    assert said == plain["sentences"]  # another budget than the risk alone allows: nothing is left out
    alone = answer(Question(max_risk=0.4), TABLE)
    told = [block.text for block in summary(alone)[len(short) :] if isinstance(block, Text) and block != BLANK]
    first, *rest = worded(alone)["sentences"]
    assert told[1:] == rest
    assert first.startswith(f"{told[0]} The largest is epsilon = ")  # the rest of it stands above
    assert plain["sentences"][0].startswith("To keep the average risk over people (local) at or below 40.0 %")


def test_what_is_not_there_is_said() -> None:
    none = answer(Question(max_risk=0.01), TABLE)
    assert nothing_to_export(none).startswith("there is no budget to export: no epsilon keeps the average risk")
    assert script_written("r.py") == "Script written to r.py; it holds no counts. Read its first lines before use."
    endless = answer(Question(max_risk=1.0, against="discrete-laplace"), TABLE)
    said = " ".join(worded(endless)["sentences"])
    assert "no noise is needed" in said
    assert "This attack needs none; without noise there is no guarantee against others." in said
    assert "The errors are not compared" in said


def test_no_sentence_contradicts_itself() -> None:
    """A ceiling of 41.15 % was met by 41.2 %."""
    met = worded(answer(Question(max_risk=0.4115), TABLE))
    assert met["risk"] == pytest.approx(0.4115, abs=1e-12)
    assert "at or below 41.15 %" in met["sentences"][0]
    assert "the risk is 41.15 % there" in met["sentences"][0]
    ratio = worded(answer(Question(max_risk=1.00049, measure="posterior-ratio"), TABLE))
    assert "at or below 1.00049" in ratio["sentences"][0]
    assert "the risk is 1.00049 there" in ratio["sentences"][0]


def test_both_ceilings_are_kept_by_what_is_offered() -> None:
    alone = answer(Question(max_risk=0.4), TABLE)
    assert alone.choice.budget is not None
    assert alone.choice.error is not None
    bound = 1.02 * alone.choice.error
    found = answer(Question(max_risk=0.4, max_error=bound), TABLE)
    said = worded(found)
    assert found.budget == said["combined_budget"] == alone.choice.budget
    assert f"Both together: epsilon = {rounded_to_safety(said['combined_budget'])}." in said["sentences"]
    assert found.public_budget is not None
    assert found.choice.keeps(found.public_budget)
    assert f"round it down to {found.public_budget:g}," in " ".join(said["sentences"])
    torn = answer(Question(max_risk=0.4, max_error=0.5 * bound), TABLE)
    assert (torn.budget, torn.public_budget, worded(torn)["combined_budget"]) == (None, None, None)
    assert "round it down" not in " ".join(worded(torn)["sentences"])
    assert nothing_to_export(torn).startswith("there is no budget to export: no epsilon meets both the risk ceiling")
    three = worded(answer(Question(max_risk=0.4, max_error=bound, profile="50"), TABLE))
    assert f"All together: epsilon = {rounded_to_safety(three['combined_budget'])}." in three["sentences"]
    none = answer(Question(max_risk=0.4, max_error=bound, profile="1.01"), TABLE)
    assert nothing_to_export(none).endswith("no budget meets the risk ceiling, the error ceiling and the profile")


@pytest.mark.parametrize(
    ("value", "up", "text"), [(0.0, False, "0"), (1.23456, False, "1.234"), (1.23456, True, "1.235")]
)
def test_ends_are_rounded_to_the_safe_side(value: float, up: bool, text: str) -> None:
    assert rounded_to_safety(value, up) == text
