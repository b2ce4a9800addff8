from __future__ import annotations

from typing import Any

import pytest

from epsilens.posterior.two_levels.posterior import TwoLevelPosterior, two_level
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import tables7_8
from tests.support.claim_rows import (
    CONFIRMED,
    FALSE,
    MONTE_CARLO,
    NOT_REPRODUCIBLE,
    OTHER_MODEL,
    counts,
    row_of,
    rows_of,
)


def test_print_has_the_law_of_its_sampler() -> None:
    assert counts(tables7_8) == {CONFIRMED: 10, OTHER_MODEL: 7, NOT_REPRODUCIBLE: 2}
    row = row_of(tables7_8, "Table 7, k1 = 1")
    assert (row.verdict, row.departs) == (OTHER_MODEL, "P4-2")
    assert row.exact == pytest.approx(0.5033, abs=5e-5)
    assert row.as_published == pytest.approx(0.5777, abs=5e-5)
    assert row.standard_error == pytest.approx(0.0058, abs=5e-5)


def test_noise_too_large_for_one_sample_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    assert row_of(tables7_8, "Table 6, noisy counts").why.startswith("noise of this size or more has a probability of")
    monkeypatch.setattr(tables7_8, "TRUE", (8, 1, 0))
    assert row_of(tables7_8, "Table 6, noisy counts").verdict == FALSE


def test_shares_of_the_same_draws_are_of_the_same_law(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not tables7_8._drawn_from_posterior(Data())
    for count, published in ((1, 0.3950), (4, 0.0404)):
        row = row_of(tables7_8, f"Table 8, k2 = {count}")
        assert row.verdict == OTHER_MODEL
        assert row.as_published == pytest.approx(published, abs=5e-5)
    monkeypatch.setitem(tables7_8.TABLE_8, 0, "12.5 %")
    assert tables7_8._drawn_from_posterior(Data())
    assert row_of(tables7_8, "Table 8, k2 = 4").verdict == MONTE_CARLO


def test_without_its_sampler_nothing_explains_table_7(monkeypatch: pytest.MonkeyPatch) -> None:
    def exact(*counts: Any, published: bool = False) -> TwoLevelPosterior:
        assert published in (True, False)
        return two_level(*counts)

    monkeypatch.setattr(tables7_8, "two_level", exact)
    assert [row.verdict for row in rows_of(tables7_8, "Table 7")] == [FALSE, FALSE]
    assert row_of(tables7_8, "section 4.3, Table 7, size").verdict == FALSE
    assert row_of(tables7_8, "section 3.2, sampler").verdict == FALSE
