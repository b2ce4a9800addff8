from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest

from epsilens import sensitivity
from epsilens.reproduce.p3 import variances
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of, rows_of


def test_every_line_holds_but_the_largest_variance_of_an_odd_number() -> None:
    assert counts(variances) == {CONFIRMED: 19, FALSE: 2}
    row = row_of(variances, "section 2, Def 2, largest variance")
    assert (row.verdict, row.departs) == (FALSE, "P3-e")
    assert row_of(variances, "section 2, Def 2, largest variance as a bound").verdict == CONFIRMED
    assert len(rows_of(variances, "section 2, Def 1")) == 8
    assert len(rows_of(variances, "section 2, Def 2, line")) == 8


def test_another_sensitivity_and_another_variance_are_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = sensitivity.variance

    def smaller(*arguments: Any) -> float:
        return 0.9 * true(*arguments)

    monkeypatch.setattr(sensitivity, "variance", smaller)
    places = ("section 2, Def 1, sensitivity", "section 2, Def 2, sensitivity")
    assert [row_of(variances, place).verdict for place in places] == [FALSE, FALSE]
    monkeypatch.setattr(variances, "variance", lambda values: float(np.var(values)))
    assert {row.verdict for row in rows_of(variances, "section 2, Def 1, line", "section 2, Def 2, line")} == {FALSE}


@pytest.mark.parametrize("records", [2, 3, 4, 5])
def test_the_largest_variance_is_found_by_looking_at_all_corners(records: int) -> None:
    corners = itertools.product((0.0, 1.0), repeat=records)
    assert variances.largest_variance(records) == pytest.approx(max(float(np.var(c, ddof=1)) for c in corners))
