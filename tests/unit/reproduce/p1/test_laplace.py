from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p1.laplace")
    assert verdicts(rows) == {CONFIRMED: 13, MISPRINT: 6, FALSE: 1}
    assert departing(rows) == {"P0-7": {MISPRINT, FALSE}}
    assert rows["Corollary 3.6, negative binomial sizes"].why.startswith(
        "binom(n + lambda - 1, n), and the sum from n = 1"
    )
    assert "at epsilon = 1.5 it is -0.089 times f(0); 2 log 2 is 1.386" in rows["Eq. (3.3), its first term"].why


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.99 * right(n, labels, noise))
    changed = ("Eq. (3.2), homogeneous sets", "Eq. (3.4), any number of labels", "Eq. (3.3), sum over sizes")
    assert verdicts_anew("p1.laplace", *changed) == {FALSE}
