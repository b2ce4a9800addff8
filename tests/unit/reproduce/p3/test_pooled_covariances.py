from __future__ import annotations

from collections import Counter
from typing import Any

import pytest

from epsilens.reproduce.p3 import pooled_covariances
from epsilens.sensitivity import published
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, row_of, rows_of


@pytest.mark.slow
def test_bounds_hold_and_equalities_do_not() -> None:
    rows = {row.place: row for row in rows_of(pooled_covariances)}
    assert Counter(row.verdict for row in rows.values()) == {CONFIRMED: 14, MISPRINT: 3, FALSE: 2}
    false = {row.place: row.departs for row in rows.values() if row.verdict == FALSE}
    assert false == {
        "section 5, Def 1, sensitivity, any attribute replaced": "P3-a",
        "section 5, Def 2, Eq. (5)": "P3-e",
    }
    assert rows["section 5, Def 2, line 4"].verdict == MISPRINT
    assert "sizes (3, 3): 0.1667 and 0.2222" in rows["introduction, pooled covariance"].why


@pytest.mark.slow
def test_a_bound_that_is_too_small_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = published.pooled_covariance

    def smaller(*arguments: Any, **more: Any) -> float:
        return 0.5 * true(*arguments, **more)

    monkeypatch.setattr(published, "pooled_covariance", smaller)
    assert row_of(pooled_covariances, "section 5, Def 2, Eq. (5) as a bound").verdict == FALSE
    assert row_of(pooled_covariances, "section 5, Def 2, final form as a bound").verdict == FALSE
    assert row_of(pooled_covariances, "section 5, Def 1, sensitivity").verdict == FALSE


def test_eq_5_at_the_sizes_of_the_golden_numbers() -> None:
    assert pooled_covariances.equation_5(3, 6, 2) == pytest.approx(0.2292, abs=5e-5)
