from __future__ import annotations

import pytest

from epsilens.reproduce.p3 import covariance_cases
from epsilens.reproduce.p3.covariance_cases import Corner
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, OTHER_MODEL, counts, row_of, rows_of


def test_four_cases_with_one_wrong_sign_and_three_conditions() -> None:
    assert counts(covariance_cases) == {CONFIRMED: 17, MISPRINT: 2, OTHER_MODEL: 1}
    assert row_of(covariance_cases, "section 3, Def 2, case 4, first line").why.startswith("a plus before the product")
    corners = row_of(covariance_cases, "section 3, Def 2, corners")
    assert (corners.verdict, corners.departs) == (OTHER_MODEL, "P3-f")
    assert "-0.08333" in str(corners.exact)


def test_another_covariance_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(covariance_cases, "covariance", lambda first, second: float(first.mean() + second.mean()))
    assert {row.verdict for row in rows_of(covariance_cases, "section 3, Def 2, case 1, second")} == {FALSE}


def test_records_of_a_corner() -> None:
    corner = Corner(6, 3, 2, 1)
    records = covariance_cases.records_of(corner)
    assert records.shape == (5, 2)
    assert records.sum(axis=0).tolist() == [3, 2]
    assert float((records[:, 0] * records[:, 1]).sum()) == 1
    assert len(list(covariance_cases.corners(3))) == len(set(covariance_cases.corners(3))) == 7
