from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.homogeneity.local import scenario_probabilities
from epsilens.reproduce.p0 import scenarios
from tests.support.judged import CONFIRMED, FALSE, OPEN, departing, rows_of, verdicts, verdicts_anew


def test_verdicts(data_dir: Path) -> None:
    rows = rows_of("p0.scenarios", data_dir)
    assert verdicts(rows) == {CONFIRMED: 17, FALSE: 3}
    assert rows["Scenario 8, when it is probable"].why.startswith("at most 7.5e-05 (counts (10, 10), epsilon = 1); ")
    assert departing(rows) == {"P0-1": {FALSE}, "P0-2": {FALSE}, "P0-22": {FALSE}}
    assert "up to 0.070 above what Eq. (7) gives" in rows["Eq. (6), good enough"].why
    assert (
        "(1, 1, 1), which are less unbalanced, with 0.3748" in rows["Scenario 8, unbalanced cells of three labels"].why
    )


def test_only_one_row_needs_data() -> None:
    rows = rows_of("p0.scenarios")
    assert [row.place for row in rows.values() if row.needs] == ["Eq. (6), good enough"]
    assert rows["Eq. (6), good enough"].verdict == OPEN


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    home = scenario_probabilities.__globals__
    right = home["shown_alone"]
    monkeypatch.setitem(home, "shown_alone", lambda shown, hidden: 0.999 * right(shown, hidden))
    changed = (f"Scenario {number}, its probability" for number in (1, 2, 7, 8))
    assert verdicts_anew("p0.scenarios", *changed, "Scenarios 1 to 4, all of them") == {FALSE}


def test_smaller_cells_make_scenario_8_probable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scenarios, "BALANCED", ((2, 2),))
    assert verdicts_anew("p0.scenarios", "Scenario 8, when it is probable") == {FALSE}
