from __future__ import annotations

from typing import Any

import pytest

from epsilens import sensitivity
from epsilens.reproduce.p3 import covariances
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, counts, row_of, rows_of


def test_every_line_holds_but_for_slips_of_the_pen() -> None:
    assert counts(covariances) == {CONFIRMED: 14, MISPRINT: 3}
    slips = [row for row in rows_of(covariances) if row.verdict == MISPRINT]
    assert {row.departs for row in slips} == {"P3-f"}
    assert [row.why.partition(":")[0] for row in slips] == [
        "without the squares",
        "x'11 at the lower bound and the mean at the upper one",
        "over n",
    ]


def test_another_sensitivity_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = sensitivity.covariance

    def smaller(*arguments: Any) -> float:
        return 0.9 * true(*arguments)

    monkeypatch.setattr(sensitivity, "covariance", smaller)
    assert row_of(covariances, "section 3, Def 1, sensitivity").verdict == FALSE
    monkeypatch.setattr(covariances, "covariance", lambda first, second: float(first @ second))
    assert {row.verdict for row in rows_of(covariances, "section 3, Def 1, line")} == {FALSE}
