from __future__ import annotations

import pytest

from epsilens.noise.bounded_laplace import truncated_epsilon
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3 import bounded
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of


def test_what_bounds_cost() -> None:
    assert counts(bounded) == {FALSE: 2, CONFIRMED: 3}
    truncated = row_of(bounded, "title, truncated noise")
    assert (truncated.verdict, truncated.departs) == (FALSE, "P3-d")
    assert truncated.exact == pytest.approx(1.978, abs=5e-4)
    assert row_of(bounded, "title, noise moved to the bounds").verdict == CONFIRMED
    assert row_of(bounded, "section 6, rescaling").exact == pytest.approx(1.95, abs=5e-3)


def test_another_cost_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounded, "truncated_epsilon", lambda b, moved, low, high: moved / b)
    monkeypatch.setattr(bounded, "clamped_epsilon", lambda b, moved: 2.0 * moved / b)
    assert row_of(bounded, "title, truncated noise, ours").verdict == FALSE
    assert row_of(bounded, "title, noise moved to the bounds").verdict == FALSE


@pytest.mark.parametrize("case", [(0.2, 0.2), (5.0, 0.5), (1.0, 1.0)])
def test_what_is_searched_is_the_closed_form(case: tuple[float, float]) -> None:
    assert bounded.searched_truncated(case) == pytest.approx(truncated_epsilon(*case, 0.0, 1.0), rel=1e-9)
    assert bounded.searched_clamped(case) == pytest.approx(case[1] / case[0], rel=1e-9)


def test_figures_s1_and_s2() -> None:
    for figure in bounded.FIGURES:
        drawing = figure.draw(Data())
        assert [panel.y for panel in drawing.panels] == ["bias"] * 3 + ["RMSE"] * 3 + ["coverage"] * 3
        assert all(len(panel.series) == 4 for panel in drawing.panels)
        original, sanitized = drawing.panels[3].series[0], drawing.panels[3].series[2]
        assert float(sanitized.y[0]) > 2.0 * float(original.y[0])
