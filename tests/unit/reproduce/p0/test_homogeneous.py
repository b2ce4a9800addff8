from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.homogeneous import first_term_shrinkage, homogeneous_draw, stray_shrinkage
from epsilens.reproduce.p0.theorems import exact_shrinkage
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p0.homogeneous")
    assert verdicts(rows) == {CONFIRMED: 5, FALSE: 5, MISPRINT: 1}
    assert departing(rows) == {"P0-4": {FALSE}, "P0-5": {MISPRINT}, "P0-15": {FALSE}}
    assert rows["Corollary 2, range of the expected risk"].verdict == CONFIRMED


def test_the_second_term_is_not_zero_but_as_alpha_tends_to_0() -> None:
    law = Law("laplace", 0.001)
    case = Case(law, size=5, alpha=(1.0, 1.0))
    assert first_term_shrinkage(case) == pytest.approx(0.0837, abs=5e-5)
    assert exact_shrinkage(case) == pytest.approx(0.4171, abs=5e-5)
    fitted = Case(law, size=5, alpha=(1e-9, 1e-9))
    assert first_term_shrinkage(fitted) == pytest.approx(exact_shrinkage(fitted), abs=1e-7)


def test_the_stray_factor_is_none_where_the_beta_function_is_1() -> None:
    case = Case(Law("gaussian", 1.0), size=3, alpha=(1.0, 1.0))
    assert stray_shrinkage(case) == pytest.approx(homogeneous_draw(case), rel=1e-12)
    other = Case(Law("gaussian", 1.0), size=3, alpha=(0.4, 2.5))
    assert stray_shrinkage(other) != pytest.approx(homogeneous_draw(other), rel=1e-2)


def test_a_changed_formula_changes_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    right = published._homogeneous_draw
    monkeypatch.setattr(published, "_homogeneous_draw", lambda n, alpha: 0.99 * right(n, alpha))
    assert verdicts_anew("p0.homogeneous", "Eq. (19), first term", "Eq. (21), first term") == {FALSE}
