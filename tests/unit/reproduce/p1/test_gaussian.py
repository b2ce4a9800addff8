from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p1.gaussian")
    assert verdicts(rows) == {CONFIRMED: 7, MISPRINT: 3}
    assert departing(rows) == {"P0-7": {MISPRINT}}
    assert rows["Corollary 3.13, Poisson sizes"].why.startswith("lambda^n, and the sum from n = 1: then it equals")


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._homogeneous_draw
    monkeypatch.setattr(published, "_homogeneous_draw", lambda n, alpha: 0.99 * right(n, alpha))
    changed = ("Eq. (3.10), any number of labels", "Corollary 3.13, Poisson sizes")
    assert verdicts_anew("p1.gaussian", *changed) == {FALSE}
