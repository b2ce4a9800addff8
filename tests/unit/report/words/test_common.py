from __future__ import annotations

import epsilens as el
from epsilens.report.words import common as words


def test_nothing_is_called_certain_that_is_not() -> None:
    assert [words.percent(share) for share in (0.0, 1e-6, 0.9999, 1.0)] == ["0.0 %", "< 0.1 %", "> 99.9 %", "100.0 %"]


def test_shares_of_one_sentence_are_told_apart() -> None:
    assert words.finer_percent(0.01, 0.2) == ["1.0 %", "20.0 %"]
    assert words.finer_percent(0.0001, 0.0002, 0.0003) == ["0.01 %", "0.02 %", "0.03 %"]
    assert words.finer_percent(0.12341, 0.12342) == ["12.341 %", "12.342 %"]
    assert words.finer_percent(0.5, 0.5) == ["50.0 %", "50.0 %"]
    assert words.finer_percent(0.1, 0.1 + 1e-15) == ["10 %", "10 %"]  # there is no use in so many digits


def test_numbers_budgets_and_places() -> None:
    assert words.number(1234567) == "1,234,567"
    assert words.budget_text(el.ApproxDP(1.0, 1e-6)) == "epsilon = 1, delta = 1e-06"
    assert words.chart_written("c.svg") == "Chart written to c.svg (internal)."
