from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epsilens.posterior.postprocessing import PostprocessingRisk, postprocessing_risk
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import postprocessing
from epsilens.reproduce.p4.postprocessing import Split
from tests.support.claim_rows import CONFIRMED, FALSE, OTHER_MODEL, counts, row_of


@pytest.mark.slow
def test_what_holds_and_what_holds_against_all_raw_counts_only() -> None:
    assert counts(postprocessing) == {CONFIRMED: 4, OTHER_MODEL: 3, FALSE: 3}
    row = row_of(postprocessing, "Figure 12, left panel")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P4-7")
    assert row.exact == "at most +0.000314, at x2~ = 100 and rho = 0.09923"
    assert row_of(postprocessing, "section S6, omitted steps, other rho").departs == "P4-14"


def test_a_risk_that_is_too_high_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def higher(*arguments: Any, **more: Any) -> PostprocessingRisk:
        found = postprocessing_risk(*arguments, **more)
        return replace(found, posterior=found.posterior + 0.01)

    monkeypatch.setattr(postprocessing, "postprocessing_risk", higher)
    assert row_of(postprocessing, "Eq. (S6.8), marginal risk").verdict == FALSE
    assert row_of(postprocessing, "Figure 12, left panel").verdict == FALSE


def test_the_closed_form_and_its_rounding() -> None:
    split = Split(1, (2, -3), 4)
    assert postprocessing.least_squares(split) == pytest.approx(postprocessing.closed_form(1, -1, 4, 2))
    assert [postprocessing.processed(noisy, 0, 2, 3) for noisy in (-5, 0, 1, 2, 9)] == [0, 1, 1, 2, 2]


def test_figure_12() -> None:
    left, right = postprocessing.FIGURES[0].draw(Data()).panels
    assert len(left.series[0].x) == 100
    assert [series.name for series in right.series] == ["x2~ = 1", "x2~ = 10", "x2~ = 100", "without"]
