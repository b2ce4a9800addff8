from __future__ import annotations

import pytest

from epsilens.reproduce.p3 import pooled_covariance_cases
from epsilens.reproduce.p3.covariance_cases import Corner
from epsilens.reproduce.p3.pooled_covariance_cases import Group
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, OTHER_MODEL, counts, row_of, rows_of


def test_sizes_of_a_group_for_those_of_all() -> None:
    assert counts(pooled_covariance_cases) == {MISPRINT: 4, CONFIRMED: 16, OTHER_MODEL: 3}
    slips = {
        row.place: row.why.partition(":")[0] for row in rows_of(pooled_covariance_cases) if row.verdict == MISPRINT
    }
    assert slips == {
        "section 5, Def 2, (0, 0), first line": "n - 1 - J in the place of n1 - 1 - J",
        "section 5, Def 2, (0, 0), at k1 = n1 - 1": "n - J in the place of n1 - J",
        "section 5, Def 2, (0, 1), in bounds": "it holds of (c10, c21), with which it is exchanged (in all of 5 cases);"
        " as stated",
        "section 5, Def 2, (0, 1), first line": "n - 1 - J in the place of n1 - 1 - J",
    }


def test_intervals_of_the_first_term_are_those_at_two_of_its_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    row = row_of(pooled_covariance_cases, "section 5, Def 2, (1, 0), interval")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P3-f")
    assert str(row.exact).startswith("at n1 = 4, n = 6, J = 2 it goes from -0.09722 to 0.03472, and print has 0 to 0")
    monkeypatch.setitem(pooled_covariance_cases.INTERVALS, (1, 0), (-1, 1))
    assert row_of(pooled_covariance_cases, "section 5, Def 2, (1, 0), interval").verdict == CONFIRMED
    monkeypatch.setitem(pooled_covariance_cases.INTERVALS, (0, 0), (0, 0))
    assert row_of(pooled_covariance_cases, "section 5, Def 2, (0, 0), interval").verdict == FALSE


def test_another_sum_of_products_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pooled_covariance_cases, "products", lambda group: 1.0)
    assert {row.verdict for row in rows_of(pooled_covariance_cases, "section 5, Def 2, (1, 1)")} == {FALSE}


def test_the_first_term_of_a_record_like_all_others_is_nothing() -> None:
    alike = Group(Corner(4, 3, 3, 3), 9, 2)
    assert pooled_covariance_cases.term_1(alike, (1, 1)) == pytest.approx(0.0, abs=1e-15)
    assert pooled_covariance_cases.term_1(alike, (0, 0)) == pytest.approx(0.75 / 7)
