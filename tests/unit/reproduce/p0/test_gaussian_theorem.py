from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.theorems import exact_local, printed_local
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


@pytest.mark.slow
def test_verdicts() -> None:
    rows = rows_of("p0.gaussian_theorem")
    assert verdicts(rows) == {CONFIRMED: 13, MISPRINT: 5, FALSE: 10}
    assert departing(rows) == {
        "P0-1": {FALSE}, "P0-4": {MISPRINT, FALSE}, "P0-5": {MISPRINT, FALSE}, "P0-15": {FALSE}
    }  # fmt: skip
    assert rows["Eq. (28), first term"].why.startswith("2^K in the place of 4 B(alpha_1, alpha_2): then it equals")
    assert rows["Eq. (30), first term"].verdict == MISPRINT


@pytest.mark.slow
def test_the_literal_factor_of_eq_22_only_makes_it_larger() -> None:
    rows = rows_of("p0.gaussian_theorem")
    assert rows["Eq. (22), as a bound, two labels"].verdict == CONFIRMED
    assert printed_local(Case(Law("gaussian", 1000.0), (1, 1)), as_printed=True) == pytest.approx(0.5002, abs=5e-5)
    three = Case(Law("gaussian", 1000.0), (1, 1, 1))
    assert printed_local(three, as_printed=True) == pytest.approx(0.2503, abs=5e-5)
    assert exact_local(three) == pytest.approx(0.3749, abs=5e-5)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._own
    monkeypatch.setattr(published, "_own", lambda n, labels, noise: 0.99 * right(n, labels, noise))
    changed = ("Eq. (27), local", "Eq. (27), expected", "Eq. (28), first term", "Eq. (30), first term")
    assert verdicts_anew("p0.gaussian_theorem", *changed) == {FALSE}
