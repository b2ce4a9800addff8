"""One question before budget is spent."""

from __future__ import annotations

import pytest

from epsilens.choice.questions.dial_guarantee import guarantee_of_epsilon
from epsilens.report.words.check_question import check_question
from epsilens.report.words.dial_sentences import Names


def test_the_question_is_about_the_numbers_of_the_sentence() -> None:
    found = check_question(guarantee_of_epsilon(1.0))
    assert found.sentence == (
        "Ana is in the table, or is not. Somebody who knows everybody else sees what is published and decides which. "
        "If Ana is not in the table: of 100 possible releases, 27 make the attacker believe that Ana is in it, 73 do "
        "not. If Ana is in the table: of 100 possible releases, 73 make the attacker believe that Ana is in it, 27 do "
        "not."
    )
    assert found.question == (
        "So, if Ana is not in the table: in how many of 100 possible releases would the attacker believe that Ana is "
        "in it?"
    )
    assert found.options == ("none", "27", "73", "all 100")
    assert found.options[found.right] == "27"


@pytest.mark.parametrize(
    ("epsilon", "options", "answer"),
    [
        (0.001, ("none", "25", "50", "all 100"), "50"),  # both worlds look alike
        (0.1, ("none", "48", "52", "all 100"), "48"),
        (5.0, ("none", "1", "99", "all 100"), "1"),
        (10.0, ("fewer than 1", "25", "50", "more than 99"), "fewer than 1"),
        (700.0, ("fewer than 1", "25", "50", "more than 99"), "fewer than 1"),  # 1 to a double, and yet not certain
    ],
)
def test_there_are_four_different_answers_and_one_is_right(
    epsilon: float, options: tuple[str, ...], answer: str
) -> None:
    found = check_question(guarantee_of_epsilon(epsilon), Names("Bo"))
    assert found.options == options
    assert found.options[found.right] == answer
    assert "Bo" in found.sentence


def test_where_somebody_is_known_to_be_in_the_data() -> None:
    found = check_question(guarantee_of_epsilon(1.0), neighbours="substitute")
    assert "If Ana's record is another one: of 100 possible releases, 27 make the attacker believe" in found.sentence
    assert found.question.startswith("So, if Ana's record is another one: in how many of 100 possible releases")
