from __future__ import annotations

from collections.abc import Iterable

import pytest

from epsilens.avoidance import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.comparisons import CLAIMS, NOISE, won
from epsilens.reproduce.verdicts import judged

MODEL = "follows from another model than stated"


def test_verdicts(papers_data: Data) -> None:
    rows = [judged(claim, papers_data) for claim in CLAIMS]
    assert len(rows) == 7
    wrong = [row for row in rows if not row.holds]
    assert [(row.place, row.verdict, row.departs) for row in wrong] == [("section 7, data release", MODEL, "P2-16")]
    assert "980.81 of discrete Gaussian and 935.525 of DP suppression at epsilon = 0.5" in wrong[0].why


def test_what_needs_no_data_is_told_without() -> None:
    rows = [judged(claim, Data()) for claim in CLAIMS]
    assert sum(row.needs is None for row in rows) == 4
    assert {row.needs for row in rows} == {None, "ma2019.csv"}


@pytest.mark.parametrize(("columns", "holds"), [(("delta",), True), (("bias", "alpha"), False)])
def test_comparisons_of_printed_numbers(columns: Iterable[str], holds: bool) -> None:
    assert won(NOISE, "P2 Table 1", columns).holds == holds


def test_numbers_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(published.PUBLISHED_TABLE["dp-suppression"], 0.5, (0.999, 5000.0, 50.0))
    assert won(NOISE, "P2 Table 1", ("bias", "alpha")).holds
    monkeypatch.setitem(published.PUBLISHED_TABLE["laplace"], 4.0, (0.0, 50_000.0, 500.0))
    assert not won(NOISE[:1], "P2 Table 1", ("bias", "alpha")).holds
