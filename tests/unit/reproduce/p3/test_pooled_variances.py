from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from epsilens.reproduce.p3 import pooled_variances
from epsilens.sensitivity import published
from tests.support.claim_rows import CONFIRMED, FALSE, OTHER_MODEL, row_of, rows_of


@pytest.mark.slow
def test_every_line_holds_and_four_claims_do_not() -> None:
    rows = rows_of(pooled_variances)
    assert Counter(row.verdict for row in rows) == {FALSE: 3, OTHER_MODEL: 1, CONFIRMED: 17}
    differ = rows[0]
    assert (differ.place, differ.verdict, differ.departs) == ("introduction, pooled variance", OTHER_MODEL, "P3-b")
    assert "(they are the same at 0 of 4 sizes: 0.3333 and 0.25, 0.25 and 0.2222," in differ.why
    assert "as stated: they are the same at 6 of 6 sizes: 0.25, 0.2222," in differ.why
    false = {row.place: row.departs for row in rows if row.verdict == FALSE}
    assert false == {
        "section 4, Def 1, sensitivity, any attribute replaced": "P3-a",
        "section 4, Def 2, largest pooled variance": "P3-e",
        "section 4, Def 2, sensitivity, n = 2J": "P3-b",
    }


@pytest.mark.slow
def test_another_printed_formula_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    true = published.pooled_variance

    def smaller(*arguments: Any, **more: Any) -> float:
        return 0.5 * true(*arguments, **more)

    monkeypatch.setattr(published, "pooled_variance", smaller)
    assert row_of(pooled_variances, "section 4, Def 1, sensitivity").verdict == FALSE
    assert row_of(pooled_variances, "section 4, Def 2, sensitivity, n > 2J").verdict == FALSE
    assert row_of(pooled_variances, "section 4, Def 2, sensitivity, n = 2J, as a bound").verdict == FALSE


def test_pooling_by_its_definition() -> None:
    groups = [np.array([[0.0], [1.0]]), np.array([[0.0], [0.0], [3.0]])]
    assert pooled_variances.pooled(groups) == pytest.approx((0.5 + 6.0) / 3)
    assert pooled_variances.removed(groups) == pytest.approx(6.5 / 3 - 6.0 / 2)
    assert pooled_variances.largest_pooled_variance((2, 3)) == pytest.approx((0.5 + 2 / 3) / 3)
