from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from epsilens.posterior.single import BudgetCurve, ExpectedRisk, expected_single_level, single_level_curve
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import table5
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, row_of, rows_of, unlike, verdicts


def test_table_5_holds_and_sentences_about_small_priors_do_not() -> None:
    rows = rows_of(table5)
    assert Counter(row.verdict for row in rows) == {CONFIRMED: 27, MISPRINT: 3, FALSE: 7}
    assert {row.verdict for row in rows if row.group == "Table 5"} == {CONFIRMED}
    false = {row.place: row.departs for row in rows if row.verdict == FALSE}
    assert false == {
        "Figure 2, p = 1/864": "P4-9",
        "Figure 2, rho below 0.25, p = 1/10": "P4-10",
        "Figure 2, rho below 0.25, p = 1/50": "P4-10",
        "Figure 2, rho below 0.25, p = 1/864": "P4-10",
        "Figure 2, rho from 0.25 to 5, p = 1/864": "P4-10",
        "Figure 2, rho above 5, p = 1/50": "P4-10",
        "Figure 2, rho above 5, p = 1/864": "P4-10",
    }
    (fall,) = [row for row in rows if row.place == "Figure 2, p = 1/864"]
    assert fall.why == "R is 53.646 at rho = 2.8 and 52.851 at 3.2"


def test_the_fourth_adversary_of_the_text_is_not_that_of_the_tables() -> None:
    row = row_of(table5, "section 4.2, fourth adversary")
    assert (row.verdict, row.departs) == (MISPRINT, "P4-11")
    assert "it gives a marginal posterior of 0.02416" in row.why
    assert "as stated: it gives a marginal posterior of 0.1168" in row.why
    fifth = row_of(table5, "section 4.2, fifth adversary")
    assert fifth.verdict == MISPRINT
    assert fifth.why.endswith("as stated: one of 864 is 0.001157, and 1/10 is 0.1")


def test_another_average_changes_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    places = ("Table 5", "section 4.2", "Figure 2, rho")
    before = verdicts(table5, *places)

    def sharper(rho: float, prior: float, **more: Any) -> ExpectedRisk:
        return expected_single_level(3.0 * rho, prior, **more)

    monkeypatch.setattr(table5, "expected_single_level", sharper)
    changed = unlike(before, verdicts(table5, *places))
    assert sum(name.startswith("Table 5") for name in changed) == 10
    assert "Figure 2, rho below 0.25, p = 1/5: what the adversary gleans" in changed


def test_curves_move_with_their_function(monkeypatch: pytest.MonkeyPatch) -> None:
    def sharper(rhos: tuple[float, ...], priors: tuple[float, ...]) -> BudgetCurve:
        return single_level_curve(tuple(1.001 * rho for rho in rhos), priors)

    monkeypatch.setattr(table5, "single_level_curve", sharper)
    assert row_of(table5, "Figure 2, ours").verdict == FALSE


def test_a_risk_that_hardly_rises_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "section 4.2, a larger rho"
    assert "1.09, 1.25, 1.35, 1.45, 1.49" in row_of(table5, place).why
    monkeypatch.setattr(table5, "expected_single_level", lambda rho, prior: expected_single_level(0.5 * rho, prior))
    assert row_of(table5, place).verdict == FALSE


def test_figure_2() -> None:
    drawing = table5.FIGURES[0].draw(Data())
    assert all(panel.log_x and panel.log_y and panel.verticals for panel in drawing.panels)
    assert [len(panel.series) for panel in drawing.panels] == [5, 5]
