from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from epsilens.posterior.two_levels.expected import ExpectedTwoLevel, expected_two_level
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import figures5_6
from epsilens.reproduce.p4.setting import RHO_BLOCK, RHO_GROUP
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, OTHER_MODEL, row_of, rows_of


@pytest.mark.slow
def test_nearly_all_of_it_is_the_law_of_print_s_sampler() -> None:
    every = rows_of(figures5_6)
    assert Counter(row.verdict for row in every) == {OTHER_MODEL: 9, CONFIRMED: 4, FALSE: 1, MISPRINT: 2}
    rows = {row.place: row for row in every if row.group == "Figure 5"}
    assert rows["Figure 5, range"].exact == "from 31.82 % to 58.97 %"
    assert rows["Figure 5, x2 > 3"].as_published == pytest.approx(0.5906, abs=5e-5)
    assert rows["Figure 5, x2 > 3"].departs == "P4-13"


def test_even_chances_at_a_large_rho() -> None:
    row = row_of(figures5_6, "Figure 6, rho = 100")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P4-8")
    assert row.exact == pytest.approx(0.5868, abs=5e-5)
    assert row.as_published == pytest.approx(0.5927, abs=5e-5)


def test_without_print_s_sampler_nothing_explains_figure_5(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(*arguments: Any, published: bool = False) -> ExpectedTwoLevel:
        return expected_two_level(*arguments)

    monkeypatch.setattr(figures5_6, "expected_two_level", exact)
    for place in ("Figure 5, x2 = 1", "Figure 5, larger x2", "Figure 5, range", "section 5, hierarchical information"):
        assert row_of(figures5_6, place).verdict == FALSE, place
    monkeypatch.setattr(figures5_6, "from_draws", lambda parent: 0.58)
    assert row_of(figures5_6, "Figure 5, x2 > 3").verdict == FALSE


def test_more_draws_come_nearer_to_the_law() -> None:
    """With very many of them only ties are left to tell the two apart, and there are none here."""
    law = expected_two_level(4, 27, (RHO_BLOCK, RHO_GROUP), published=True).correct_decision
    apart = [abs(figures5_6.from_draws(4, draws=draws) - law) for draws in (1_000, 100_000, 1_000_000_000)]
    assert apart[0] > apart[1] > apart[2]
    assert apart[2] < 1e-6


@pytest.mark.slow
def test_figure_5() -> None:
    drawing = figures5_6.FIGURES[0].draw(Data())
    assert [len(panel.series) for panel in drawing.panels] == [1, 2]
    assert all(panel.mark == "point" for panel in drawing.panels)


@pytest.mark.slow
def test_figure_6() -> None:
    drawing = figures5_6.FIGURES[1].draw(Data())
    assert [len(panel.series) for panel in drawing.panels] == [3, 3]
