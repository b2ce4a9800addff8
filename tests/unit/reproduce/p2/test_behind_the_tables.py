from __future__ import annotations

import numpy as np
import pytest

from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import behind_the_tables as behind
from epsilens.reproduce.p2.behind_the_tables import CLAIMS, cells_behind, one_threshold, without_income_as
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, known
from epsilens.reproduce.p2.swapped_means import of_swapping
from epsilens.reproduce.verdicts import judged

MODEL = "follows from another model than stated"


@pytest.mark.slow
def test_verdicts(papers_data: Data) -> None:
    rows = [judged(claim, papers_data) for claim in CLAIMS]
    assert [(row.place, row.verdict, row.departs) for row in rows] == [
        ("section C.1, Massachusetts", "confirmed", None),
        ("section C.1, Texas", "not reproducible", None),
        ("section C.1, Outlier", "not reproducible", None),
        ("section C.1, columns", "confirmed", None),
        ("section C.1, columns", MODEL, "P2-1"),
        ("section C.1, income", MODEL, "P2-1"),
        ("Algorithm 2", MODEL, "P2-5"),
        ("Algorithm 4", MODEL, "P2-5"),
    ]


def test_people_without_an_income_were_not_left_out(papers_data: Data) -> None:
    found = of_swapping(0.5, known(papers_data, MASSACHUSETTS, "nobody"), 60).l1
    assert 10_906.79 - found.high > 15 * found.standard_error


def test_how_they_were_counted_is_told_by_how_likely_print_is(monkeypatch: pytest.MonkeyPatch) -> None:
    distances = {"above": [1.0, 1.0], "below": [3.0, 3.0]}
    monkeypatch.setattr(behind, "_distances", lambda data, counted: distances[counted])
    assert not without_income_as(Data(), "below").holds
    assert without_income_as(Data(), "above").holds
    distances["below"] = [1.5, 1.0]  # hardly less likely
    assert without_income_as(Data(), "below").holds


def test_age_is_not_in_the_tables(papers_data: Data) -> None:
    assert not cells_behind(papers_data, "brackets").holds
    assert cells_behind(papers_data, "").holds


def test_a_shared_threshold_moves_all_counts_together() -> None:
    """Of counts 0 and 40 with k = 6 the one shows floor(T / 2), which is 2.5 on average, and the other itself."""
    found = one_threshold(np.array([0, 40]), 4.0)
    assert found.low == pytest.approx(2.5, abs=0.1)
    assert 0.01 < found.standard_error < 0.1


def test_areas_of_other_extracts(made_up: Data) -> None:
    texas, outlier = (judged(claim, made_up) for claim in CLAIMS[1:3])
    assert (texas.verdict, outlier.verdict) == ("confirmed", "confirmed")
