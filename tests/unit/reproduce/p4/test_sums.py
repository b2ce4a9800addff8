from __future__ import annotations

import pytest

from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import sums
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of, rows_of


def test_all_of_it_holds() -> None:
    assert counts(sums) == {CONFIRMED: 8}
    assert row_of(sums, "section S2, s above .5").why == "at most 1.02e-03, at s = 0.5"


def test_a_variance_that_is_the_parameter_itself_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(DiscreteGaussianNoise, "variance", property(lambda noise: noise.sigma**2 + 0.01))
    assert row_of(sums, "Figure 8, variance").verdict == FALSE
    assert [row.verdict for row in rows_of(sums, "section S2")] == [FALSE, FALSE]


def test_a_sum_that_is_not_near_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sums, "sum_approximation_error", lambda noise, terms: 0.1)
    assert row_of(sums, "Proposition 1, sums").verdict == FALSE


def test_figures_8_and_9() -> None:
    eight, nine = (figure.draw(Data()) for figure in sums.FIGURES)
    assert [series.name for series in eight.panels[0].series] == ["variance", "s itself"]
    titles = ["rho = 0.099, n = 27", "rho = 0.099, n = 5", "rho = 1, n = 27", "rho = 1, n = 5"]
    assert [panel.title for panel in nine.panels] == titles
    for panel in nine.panels:
        assert sum(float(y) for y in panel.series[0].y) == pytest.approx(1.0, abs=2e-3)
        assert [-float(x) for x in panel.series[0].x[::-1]] == [float(x) for x in panel.series[0].x]
