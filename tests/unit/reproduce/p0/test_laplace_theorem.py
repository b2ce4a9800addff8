from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


@pytest.mark.slow
def test_verdicts() -> None:
    rows = rows_of("p0.laplace_theorem")
    assert verdicts(rows) == {MISPRINT: 3, FALSE: 5, CONFIRMED: 7}
    assert departing(rows) == {"P0-4": {MISPRINT}, "P0-1": {FALSE}, "P0-5": {MISPRINT, FALSE}}
    assert rows["Eq. (13), as a bound, two labels"].verdict == MISPRINT
    assert rows["Eq. (14), as a bound, two labels"].verdict == CONFIRMED


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._mixed
    monkeypatch.setattr(published, "_mixed", lambda n, labels, noise: 0.99 * right(n, labels, noise))
    changed = (f"Eq. ({number}), where every heterogeneous outcome is (n - 1, 1, 0, ...)" for number in range(13, 18))
    assert verdicts_anew("p0.laplace_theorem", *changed, "Eq. (15), as a bound, two labels") == {FALSE}
