from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from epsilens import sensitivity
from epsilens.reproduce.claims import Formula
from epsilens.reproduce.data import Data
from epsilens.reproduce.p3 import means
from epsilens.reproduce.verdicts import judged
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, counts, row_of, rows_of, unlike, verdicts


def test_all_hold_but_a_vector_of_proportions_under_the_second_definition_and_two_slips() -> None:
    assert counts(means) == {CONFIRMED: 7, FALSE: 1, MISPRINT: 2}
    row = row_of(means, "section 1, vector of proportions, Def 2")
    assert (row.verdict, row.departs) == (FALSE, "P3-c")
    assert row.why == "at n = 2 and 2 categories it is 0.5, and 1 is true"


def test_half_a_sensitivity_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdicts(means)
    true_mean, true_histogram = sensitivity.mean, sensitivity.histogram

    def half(*arguments: Any) -> float:
        return 0.5 * true_mean(*arguments)

    monkeypatch.setattr(sensitivity, "mean", half)
    monkeypatch.setattr(sensitivity, "histogram", lambda neighbours: 2.0 * true_histogram(neighbours))
    changed = {name.split(":")[0] for name in unlike(before, verdicts(means))}
    assert changed == {
        "section 1, mean, Def 1",
        "section 1, mean, Def 2",
        "section 1, histogram, Def 1",
        "section 1, histogram, Def 2",
    }


def test_the_last_record_is_one_of_those_that_are_left() -> None:
    rows = rows_of(means, "section 1, mean, Def 2, ")
    assert [(row.verdict, row.departs) for row in rows] == [(MISPRINT, "P3-f")] * 2
    zero_one_one = np.array([[0.0], [1.0], [1.0]])
    derived = next(claim for claim in means.CLAIMS if claim.place.where == rows[0].place)
    assert isinstance(derived, Formula)
    assert derived.printed(zero_one_one) == 0.0
    assert derived.true(zero_one_one) == pytest.approx(-1 / 3)
    unmended = replace(derived, mended=())
    assert judged(unmended, Data()).verdict == FALSE
    assert str(rows[1].why).startswith("with x_1 for x_n: then it equals the truth in all of 6 cases")
