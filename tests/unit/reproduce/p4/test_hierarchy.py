from __future__ import annotations

import math
from typing import Any

import pytest

from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level
from epsilens.reproduce.p4 import hierarchy
from tests.support.claim_rows import CONFIRMED, FALSE, OTHER_MODEL, counts, row_of, rows_of


def test_all_equations_hold_and_siblings_are_another_model() -> None:
    assert counts(hierarchy) == {CONFIRMED: 17, OTHER_MODEL: 1}
    assert row_of(hierarchy, "section 3.2, siblings").departs == "P4-6"


def test_the_sampler_of_print_is_not_the_posterior(monkeypatch: pytest.MonkeyPatch) -> None:
    def published(*arguments: Any, **more: Any) -> TwoLevelPosterior:
        return two_level(*arguments, **{**more, "published": True})

    monkeypatch.setattr(hierarchy, "two_level", published)
    assert row_of(hierarchy, "Eq. (S3.4), ours").verdict == FALSE
    monkeypatch.setattr(hierarchy, "sum_approximation_error", lambda noise, terms: float(terms))
    rows = rows_of(hierarchy, "Eq. (3.7)")
    assert [row.verdict for row in rows] == [FALSE, FALSE, FALSE]


def test_a_parent_never_counts_less_than_its_child() -> None:
    case = hierarchy.CASES[0]
    assert hierarchy.counted(case, case.known + 1, case.known) == 0.0
    assert hierarchy.counted(case, case.known + 1, case.known + 1) > 0.0
    assert 0.0 < hierarchy.counted_posterior(case) < 1.0
    assert hierarchy.our_posterior(case) == pytest.approx(hierarchy.counted_posterior(case), rel=1e-9)
    assert math.isfinite(hierarchy.our_posterior(hierarchy.CASES[-1]))
