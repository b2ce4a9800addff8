from __future__ import annotations

from typing import Any

import pytest

from epsilens.posterior.single import NoisyCountTable, noisy_count_table
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import table4
from tests.support.claim_rows import CONFIRMED, MISPRINT, OTHER_MODEL, counts, row_of, rows_of, unlike, verdicts


def test_the_table_but_for_its_column_of_probabilities() -> None:
    assert counts(table4) == {CONFIRMED: 51, MISPRINT: 7, OTHER_MODEL: 1}
    rows = [row for row in rows_of(table4) if row.verdict == MISPRINT]
    assert {row.departs for row in rows} == {"P4-1"}
    exact = [0.1777, 0.1609, 0.1195, 0.0728, 0.0363]
    assert [row.exact for row in rows[:5]] == [pytest.approx(value, abs=5e-5) for value in exact]


def test_its_numbers_are_those_of_the_unrounded_rho() -> None:
    row = row_of(table4, "Table 4, caption")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P4-11")
    assert str(row.exact).startswith("39 of 45 cells")


def test_twice_the_budget_changes_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdicts(table4)

    def doubled(noisy: Any, known: int = 0, rho: float = 1.0, **more: Any) -> NoisyCountTable:
        return noisy_count_table(noisy, known, 2.0 * rho, **more)

    monkeypatch.setattr(table4, "noisy_count_table", doubled)
    changed = unlike(before, verdicts(table4))
    assert sum("posterior, p" in name for name in changed) == 20
    assert sum("risk, p" in name for name in changed) == 25


def test_figure_1() -> None:
    drawing = table4.FIGURES[0].draw(Data())
    assert [panel.title for panel in drawing.panels] == ["posterior probability", "disclosure risk"]
    assert [len(panel.series) for panel in drawing.panels] == [5, 5]
    assert "0.525" in drawing.says
