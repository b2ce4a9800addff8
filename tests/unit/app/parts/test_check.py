"""The check question is asked until it is answered rightly."""

from __future__ import annotations

from epsilens.app.parts.check import Asked, is_turned_off
from epsilens.app.work import Work
from epsilens.choice.questions.dial_guarantee import guarantee_of_epsilon
from epsilens.report.words.check_question import check_question


def test_tries_are_counted_up_to_the_right_answer() -> None:
    question, asked = check_question(guarantee_of_epsilon(1.0)), Asked()
    for answer in (None, "73", "none", "27", "73"):
        asked.answer(question, answer)
    assert (asked.tries, asked.right) == (3, True)


def test_a_project_can_turn_it_off() -> None:
    work = Work()
    assert not is_turned_off(work)
    work.change("about", check_question=True)
    assert not is_turned_off(work)
    work.change("about", check_question=False)
    assert is_turned_off(work)
