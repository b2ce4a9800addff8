from __future__ import annotations

from dataclasses import replace

import pytest

from epsilens.posterior.single import ExpectedRisk, expected_single_level
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import figure3
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of, rows_of


def test_everything_about_decisions_holds() -> None:
    assert counts(figure3) == {CONFIRMED: 16}


def test_decisions_of_somebody_who_says_yes_more_often(monkeypatch: pytest.MonkeyPatch) -> None:
    def often(rho: float, prior: float) -> ExpectedRisk:
        found = expected_single_level(rho, prior)
        return replace(found, correct_decision=min(1.0, found.correct_decision + 0.05))

    monkeypatch.setattr(figure3, "expected_single_level", often)
    assert row_of(figure3, "Figure 3, rho = .5, p = 1/5", "right decisions").verdict == FALSE
    assert row_of(figure3, "Figure 3, p = 1/2, curve").verdict == FALSE
    assert {row.verdict for row in rows_of(figure3, "section 4.2, decisions")} == {FALSE}


def test_the_drawing() -> None:
    (panel,) = figure3.FIGURES[0].draw(Data()).panels
    assert len(panel.series) == 5
    assert list(panel.series[0].y) == sorted(float(value) for value in panel.series[0].y)
