from __future__ import annotations

from typing import Any

import pytest

from epsilens.posterior import CENSUS_2020, expected_unique_at_levels
from epsilens.posterior.categories import ExpectedCategories, expected_categories
from epsilens.posterior.combined import unique_levels_curve
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import other_attacks
from tests.support.claim_rows import CONFIRMED, FALSE, OTHER_MODEL, counts, row_of, rows_of


def test_all_hold_but_the_attack_on_an_unknown_variable() -> None:
    assert counts(other_attacks) == {CONFIRMED: 23, OTHER_MODEL: 1}
    row = row_of(other_attacks, "section S1.2, unknown variable")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P4-12")
    assert str(row.exact).startswith("0.5453 for 0.5237")


def test_another_level_with_the_largest_rho_is_seen(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(other_attacks, "section S1.3, largest rho")
    assert (row.verdict, row.why[:20]) == (CONFIRMED, "rho is 0.0992, 0.246")
    monkeypatch.setattr(type(CENSUS_2020), "histogram_rhos", (0.3, 0.2, 0.1))
    assert row_of(other_attacks, "section S1.3, largest rho").verdict == FALSE


def test_two_values_are_added_up_over_all_noisy_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "section S1.2, unknown variable, ours"
    assert row_of(other_attacks, place).verdict == CONFIRMED
    lie = "section S1.2, a lie or a mistake"
    assert row_of(other_attacks, lie).why.startswith("0.5237 for 0.5237 in the main text")

    def sharper(own: int, prior: list[float], rho: float) -> ExpectedCategories:
        return expected_categories(own, prior, rho=1.01 * rho)

    monkeypatch.setattr(other_attacks, "expected_categories", sharper)
    assert row_of(other_attacks, place).verdict == FALSE
    assert row_of(other_attacks, lie).verdict == FALSE


def test_a_law_convolved_on_a_grid_agrees_with_the_integral() -> None:
    for levels in (1, 3, 6):
        exact = expected_unique_at_levels(CENSUS_2020.histogram_rhos[:levels], decisions=False).posterior
        assert other_attacks.averaged(levels, 0.5) == pytest.approx(exact, abs=1e-7)


def test_levels_the_other_way_round_change_the_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    def reversed_(rhos: Any, priors: Any) -> Any:
        return unique_levels_curve(rhos[::-1], priors)

    monkeypatch.setattr(other_attacks, "unique_levels_curve", reversed_)
    assert {row.verdict for row in rows_of(other_attacks, "Figure 7, first step")} == {FALSE}
    assert {row.verdict for row in rows_of(other_attacks, "Figure 7, p")} == {CONFIRMED}
    monkeypatch.setattr(other_attacks, "unique_at_levels", lambda noisy, known, rhos, prior: prior)
    assert row_of(other_attacks, "Eq. (S1.1), ours").verdict == FALSE


def test_figure_7() -> None:
    drawing = other_attacks.FIGURES[0].draw(Data())
    assert [len(panel.series) for panel in drawing.panels] == [5, 5]
    assert list(drawing.panels[0].series[0].x) == [1, 2, 3, 4, 5, 6]
