from __future__ import annotations

from typing import Any

import pytest

from epsilens import sensitivity
from epsilens.reproduce.p3 import means
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of, unlike, verdicts


def test_all_hold_but_a_vector_of_proportions_under_the_second_definition() -> None:
    assert counts(means) == {CONFIRMED: 9, FALSE: 1}
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
