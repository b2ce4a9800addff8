from __future__ import annotations

from typing import Any

import pytest

from epsilens import sensitivity
from epsilens.reproduce.p3 import definitions
from tests.support.claim_rows import CONFIRMED, FALSE, OTHER_MODEL, counts, row_of


def test_what_the_two_definitions_share_and_what_they_leave_open() -> None:
    assert counts(definitions) == {OTHER_MODEL: 2, CONFIRMED: 1}
    private = row_of(definitions, "introduction, Def 2 and n")
    assert (private.verdict, private.departs) == (OTHER_MODEL, "P3-d")
    same = row_of(definitions, "introduction, same results")
    assert (same.verdict, same.departs, same.exact) == (OTHER_MODEL, "P3-g", "histogram: 2 and 1")


def test_another_sensitivity_of_the_mean_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = sensitivity.mean

    def smaller(*arguments: Any) -> float:
        return 0.5 * true(*arguments)

    monkeypatch.setattr(sensitivity, "mean", smaller)
    assert row_of(definitions, "introduction, Def 2 and n").verdict == FALSE
