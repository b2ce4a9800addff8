from __future__ import annotations

import pytest

from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p0.two_labels import beta_share, equations, s1
from tests.support.judged import CONFIRMED, FALSE, MISPRINT, departing, rows_of, verdict_if_scaled, verdicts


def test_verdicts() -> None:
    rows = rows_of("p0.two_labels")
    assert verdicts(rows) == {CONFIRMED: 14, MISPRINT: 2}
    assert departing(rows) == {"P0-4": {MISPRINT}}
    wrong = {row.group for row in rows.values() if row.verdict == MISPRINT}
    assert wrong == {"Eq. (S1)", "Eq. (S9)"}


def test_numbers_by_hand() -> None:
    assert beta_share(3, (1.0, 1.0)) == pytest.approx(0.5)
    case = Case(Law("laplace", 1e-9), (1, 1))
    assert s1(case) == pytest.approx(0.5, abs=1e-8)


def test_a_changed_formula_changes_verdicts() -> None:
    for claim in equations("gaussian", [f"Eq. (S{number})" for number in range(6, 11)]):
        if claim.relation == "equals":
            assert verdict_if_scaled(claim) == FALSE, claim.place.where
