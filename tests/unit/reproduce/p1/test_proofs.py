from __future__ import annotations

import pytest

from epsilens.homogeneity import published
from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law
from epsilens.reproduce.p1.proofs import CLAIMS, by_factorials, by_moments, falling
from tests.support.judged import (
    CONFIRMED,
    FALSE,
    MISPRINT,
    departing,
    rows_of,
    verdict_if_scaled,
    verdicts,
    verdicts_anew,
)


def test_verdicts() -> None:
    rows = rows_of("p1.proofs")
    assert verdicts(rows) == {CONFIRMED: 6, MISPRINT: 2}
    assert departing(rows) == {"P0-7": {MISPRINT}}
    assert rows["Eq. (A.1), one set"].as_published == pytest.approx(0.750, abs=1e-3)
    assert rows["Eq. (A.1), one set"].exact == pytest.approx(0.250, abs=1e-3)


def test_falling_factorials() -> None:
    assert falling(5, 3) == 60
    case = Case(Law("laplace", 1.0), size=4, alpha=(1.0, 1.0))
    assert by_factorials(case) == by_moments(case) == pytest.approx(2 / 5)


def test_changed_formulas_change_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    for claim in CLAIMS:
        assert verdict_if_scaled(claim) == FALSE, claim.place.where
    right = published._homogeneous_chance
    monkeypatch.setattr(published, "_homogeneous_chance", lambda cells: 0.99 * right(cells))
    assert verdicts_anew("p1.proofs", "Eq. (A.1), one set", "Appendix D, one set") == {FALSE}
