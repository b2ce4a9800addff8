from __future__ import annotations

import pytest

from epsilens.noise import LaplaceNoise
from epsilens.reproduce.p0.mechanisms import chance_of_loss, exact_delta, largest_laplace_loss, least_sigma, moves
from tests.support.judged import CONFIRMED, FALSE, OTHER, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.mechanisms")
    assert verdicts(rows) == {CONFIRMED: 6, OTHER: 3}
    assert departing(rows) == {"P0-13": {OTHER}, "P0-24": {OTHER}}
    exchanged = [row for row in rows.values() if row.departs == "P0-24"]
    assert [row.exact for row in exchanged] == pytest.approx([2.0, 2**0.5])
    assert [row.printed for row in exchanged] == ["1", "1"]


def test_delta_is_not_the_probability_of_a_violation() -> None:
    sigma = least_sigma((1.0, 0.01), probabilistic=False)
    assert exact_delta(1.0, sigma) == pytest.approx(0.01, rel=1e-9)
    assert chance_of_loss(1.0, sigma) == pytest.approx(0.0695, abs=5e-5)
    assert "probability 0.002188" in rows_of("p0.mechanisms")["Eq. (1), meaning of delta"].why


def test_the_truths() -> None:
    assert [moves(1), moves(2), moves(1, added=False)] == [1.0, 1.0, 2.0]
    assert moves(2, added=False) == pytest.approx(2**0.5)
    assert largest_laplace_loss(0.7) == pytest.approx(0.7)
    assert chance_of_loss(0.5, least_sigma((0.5, 0.1), probabilistic=True)) == pytest.approx(0.1, rel=1e-9)


def test_changed_formulas_change_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epsilens.sensitivity.counts.count_sensitivity", lambda *_: 3.0)
    monkeypatch.setattr(LaplaceNoise, "largest_loss", lambda self, moved=1: 2 * moved / self.scale)
    changed = [row.place for row in rows_of("p0.mechanisms").values() if "sensitivity" in row.place]
    assert len(changed) == 4
    assert verdicts_anew("p0.mechanisms", "Eq. (1), Laplace noise", *changed) == {FALSE}
