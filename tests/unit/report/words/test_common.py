from __future__ import annotations

import epsilens as el
from epsilens.report.words import common as words


def test_nothing_is_called_certain_that_is_not() -> None:
    shares = (0.0, 0.001, 0.5, 0.9999, 1.0)
    assert [words.whole_percent(share) for share in shares] == ["0 %", "< 1 %", "50 %", "> 99 %", "100 %"]
    assert [words.percent(share) for share in (0.0, 1e-6, 0.9999, 1.0)] == ["0.0 %", "< 0.1 %", "> 99.9 %", "100.0 %"]


def test_numbers_budgets_and_places() -> None:
    assert words.number(1234567) == "1,234,567"
    assert words.budget_text(el.ApproxDP(1.0, 1e-6)) == "epsilon = 1, delta = 1e-06"
    assert words.chart_written("c.svg") == "Chart written to c.svg (internal)."
