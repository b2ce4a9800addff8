from __future__ import annotations

import pytest

from epsilens.arrays import FloatArray
from epsilens.noise import LaplaceNoise
from epsilens.reproduce.p0.takeaways import bracket, own, rises, shown_of
from tests.support.judged import CONFIRMED, FALSE, OTHER, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.takeaways")
    assert verdicts(rows) == {CONFIRMED: 11, OTHER: 4}
    assert departing(rows) == {"P0-4": {OTHER}, "P0-23": {OTHER}}
    assert "within 0.029 for n of 3 and more" in rows["Corollary 2, what decides"].why
    assert (
        "up to 0.211 for n = 1, 0.078 for n = 2, 0.029 for n = 3, 0.011 for n = 4"
        in rows["Corollary 2, what decides"].why
    )
    printed = [rows[f"Corollary 2, n >= {n}"] for n in (4, 3, 2)]
    assert [row.published for row in printed] == [0.985, 0.959, 0.888]
    assert [row.as_published for row in printed] == pytest.approx([0.98490, 0.95896, 0.88843], abs=5e-6)


def test_numbers_by_hand() -> None:
    assert own(1, 1.0) == pytest.approx(0.4854, abs=5e-5)
    assert own(2, 1.0) == pytest.approx(0.6190, abs=5e-5)
    assert bracket(2, 1e-9) == pytest.approx(1.0)
    assert shown_of(1, 1e-9) == pytest.approx(0.5)
    assert rises([0.0, 1.0, 1.0])
    assert not rises([1.0, 0.5])


def test_a_changed_law_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = LaplaceNoise.tail

    def thinner(self: LaplaceNoise, x: FloatArray) -> FloatArray:
        return 0.9 * right(self, x)

    monkeypatch.setattr(LaplaceNoise, "tail", thinner)
    assert verdicts_anew("p0.takeaways", "Corollary 2, floor", "Corollary 2, n >= 2") == {FALSE}
