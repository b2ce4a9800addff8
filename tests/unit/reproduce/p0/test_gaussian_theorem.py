from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.gaussian_theorem")
    assert verdicts(rows) == {CONFIRMED: 12, MISPRINT: 6, FALSE: 10}
    assert departing(rows) == {
        "P0-1": {FALSE}, "P0-4": {MISPRINT, FALSE}, "P0-5": {MISPRINT, FALSE}, "P0-15": {FALSE}
    }  # fmt: skip
    assert rows["Eq. (28), first term"].why.startswith("2^K in the place of 4 B(alpha_1, alpha_2): then it equals")
    assert rows["Eq. (30), first term"].verdict == MISPRINT


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.99 * right(n, labels, noise))
    changed = ("Eq. (27), local", "Eq. (27), expected", "Eq. (28), first term", "Eq. (30), first term")
    assert verdicts_anew("p0.gaussian_theorem", *changed) == {FALSE}
