from __future__ import annotations

import epsilens as el
from epsilens.choice.questions.assess import Question, assess
from epsilens.report.words.assess import summary
from epsilens.report.words.common import Text
from epsilens.report.words.falling import MIXED, RARER, falling_sentences, reason

MIXED_CELLS = el.FrequencyTable.from_counts([[4, 3], [2, 5], [6, 6]])


def test_it_says_why_a_risk_falls_and_only_where_it_does() -> None:
    found = assess(MIXED_CELLS, Question(epsilons=(1.0, 0.1), measures=("local", "expected", "hard")))
    high, low = (line.risks["local"] for line in reversed(found.lines))
    (said,) = falling_sentences(found, found.lines)
    numbers = f"The local risk falls from {100 * high:.1f} % at epsilon = 0.1 to {100 * low:.1f} % at epsilon = 1: "
    assert said == f"{numbers}{MIXED}. So does expected."
    assert Text(said) in summary(found)
    rising = assess(el.FrequencyTable.from_counts([[4, 0], [0, 5]]), Question(epsilons=(0.1, 1.0)))
    assert not list(falling_sentences(rising, rising.lines))


def test_both_averages_may_fall() -> None:
    found = assess(MIXED_CELLS, Question(epsilons=(0.1, 1.0), weightings=("people", "cells")))
    assert [said.split(" falls")[0] for said in falling_sentences(found, found.lines)] == [
        "The local risk (over people)", "The local risk (over cells)",
    ]  # fmt: skip


def test_the_reason_is_that_of_the_measure() -> None:
    assert (reason("local"), reason("published-expected"), reason("hard")) == (MIXED, MIXED, RARER)
