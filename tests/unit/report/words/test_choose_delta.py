from __future__ import annotations

from dataclasses import replace

import epsilens as el
from epsilens.choice.questions.choose_delta import Question, answer
from epsilens.report.words.choose import rounded_to_safety
from epsilens.report.words.choose_answer import short_blocks
from epsilens.report.words.choose_delta import delta_sentences, summary, worded
from epsilens.report.words.common import Text

TABLE = replace(el.FrequencyTable.from_counts([[3, 0], [0, 5], [1, 0], [2, 2], [7, 1]]), sensitive=("ill",))


def told(
    max_risk: float, mechanism: str = "gaussian-probabilistic", epsilon: float = 1.0, max_people: int | None = None
) -> str:
    found = answer(Question(max_risk=max_risk, epsilon=epsilon, mechanism=mechanism, max_people=max_people), TABLE)
    plain = worded(found)
    assert plain["sentences"] == delta_sentences(found.to_dict())
    short = short_blocks(plain)
    assert summary(found)[: len(short)] == short
    first = summary(found)[len(short) + 1]
    assert isinstance(first, Text)
    assert first.text == plain["sentences"][0]
    return " ".join(plain["sentences"])


def test_the_delta_is_told_with_what_it_means() -> None:
    found = answer(Question(max_risk=0.45, epsilon=1.0, mechanism="gaussian-probabilistic"), TABLE)
    text = told(0.45)
    assert found.delta is not None
    assert (
        f"The largest of the lowest range is delta = {rounded_to_safety(found.delta)}: the risk is 45.0 % there" in text
    )
    assert "the probability with which somebody may learn more than epsilon = 1 allows" in text
    assert "customary to take less than 1 in 21" in text
    assert f"round it down to {found.public_delta:g}" in text
    assert "by how much the promise of epsilon = 1 may fail" in told(0.45, "gaussian-analytic")


def test_no_delta_and_any_delta() -> None:
    assert told(0.1).startswith("No delta from 1e-12 to 0.5 keeps the average risk over people (local)")
    assert "at this epsilon the ceiling does not decide about delta" in told(1.0)
    assert "Nobody exceeds" in told(1.0, max_people=3) or "exceed" in told(1.0, max_people=3)


def test_smaller_is_not_always_safer() -> None:
    mixed = replace(el.FrequencyTable.from_counts([[1, 1], [2, 1], [5, 0], [3, 2]]), sensitive=("ill",))
    found = answer(Question(max_risk=0.44, epsilon=1.0, mechanism="gaussian-probabilistic"), mixed)
    low = found.choice.safe_set[0].low
    assert low > 1e-12
    text = " ".join(delta_sentences(found.to_dict()))
    assert f"Smaller is not safer here: below {rounded_to_safety(low, up=True)} the risk rises" in text
    assert "does not decide about delta" not in text
