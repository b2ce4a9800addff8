from __future__ import annotations

import pytest

from epsilens.noise import LaplaceNoise
from tests.support.judged import CONFIRMED, FALSE, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    assert verdicts(rows_of("p1.preliminaries")) == {CONFIRMED: 8}


def test_changed_formulas_change_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epsilens.sensitivity.counts.count_sensitivity", lambda *_: 1.0)
    monkeypatch.setattr(LaplaceNoise, "largest_loss", lambda self, moved=1: 2 * moved / self.scale)
    changed = ("Eq. (2.1), Laplace noise", "Definition 2.4, p = 1", "Definition 2.4, p = 2")
    assert verdicts_anew("p1.preliminaries", *changed) == {FALSE}
