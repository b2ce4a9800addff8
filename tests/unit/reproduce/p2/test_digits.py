from __future__ import annotations

import pytest

from epsilens.avoidance import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.digits import CLAIMS, averages, multiples, one_way_of_writing, printed_numbers
from epsilens.reproduce.verdicts import judged

MODEL = "follows from another model than stated"


def test_multiples() -> None:
    assert multiples([763.775, 3.655, 342.885], 200) == 3
    assert multiples([763.775, 3.655, 342.885], 20) == 0
    assert multiples([2337.8, 22.65], 20) == 2


def test_verdicts() -> None:
    rows = [judged(claim, Data()) for claim in CLAIMS]
    assert [(row.verdict, row.departs) for row in rows] == [(MODEL, "P2-15"), (MODEL, "P2-15"), ("false", "P2-2")]
    assert "24 are multiples of 1/200, and all of 1/20" in rows[0].why
    assert rows[2].why == "0.86791 is printed as 0.868, and 0.87866 is printed as 0.878"


def test_numbers_of_other_systems_are_averages_of_200() -> None:
    assert averages(("laplace",), 200).holds
    assert not averages(("dp-k-anonymity",), 200).holds
    assert averages(("dp-k-anonymity",), 20).holds
    assert len(printed_numbers(("laplace", "dp-swapping"))) == 48


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    rounded = published.swapping_delta
    monkeypatch.setattr(
        published, "swapping_delta", lambda epsilon, levels: 0.0005 + rounded(epsilon, levels) // 1e-3 * 1e-3
    )
    monkeypatch.setattr(published, "discrete_gaussian_delta", lambda epsilon: 0.5)
    monkeypatch.setattr(published, "k_anonymity_delta", lambda epsilon, bound: 0.5)
    assert one_way_of_writing().holds
