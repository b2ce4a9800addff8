from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import curves
from epsilens.reproduce.p2.curves import (
    anonymous,
    dp_swapped,
    epsilon_name,
    sampled,
    share_moved,
    simulated,
    suppressed,
    swapped,
)
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, TEXAS, histogram


def test_errors_of_massachusetts(papers_data: Data) -> None:
    """1,110 by Algorithm 1 with k = 6; DP swapping 12,160.76 at epsilon = .5, exactly."""
    assert suppressed(papers_data, MASSACHUSETTS, 6, None).error == 1110
    assert suppressed(papers_data, MASSACHUSETTS, 6, 0.5).error == pytest.approx(1026.82, abs=5e-3)
    assert dp_swapped(papers_data, MASSACHUSETTS, 0.5).error == pytest.approx(12_160.76, abs=5e-3)
    assert dp_swapped(papers_data, MASSACHUSETTS, 0.5).alpha == pytest.approx(474.78, abs=5e-3)
    assert swapped(papers_data, MASSACHUSETTS, 0.1).error == 0
    by_discrepancy = swapped(papers_data, MASSACHUSETTS, share_moved(0.5), "discrepancy")
    assert by_discrepancy.error == pytest.approx(10_900, rel=0.05)


def test_a_simulated_deviation_is_the_exact_one(made_up: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    table, system = histogram(made_up, TEXAS), av.DPSuppression(6, 0.5)
    found = simulated(table, system, 200)
    assert found.error == pytest.approx(system.absolute_errors(table).sum(), rel=0.02)
    exact = suppressed(made_up, TEXAS, 6, 0.5)
    assert found.error == pytest.approx(exact.error, rel=0.02)
    assert found.alpha >= 0.8 * exact.alpha


def test_against_the_sample_fewer_people_are_out_of_place(made_up: Data, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(curves.RELEASES, "k-anonymity", 5)
    assert sampled(made_up, TEXAS, 6, 0.5).error < anonymous(made_up, TEXAS, 6, 0.5).error
    assert anonymous(made_up, TEXAS, 6, None).error > 0


def test_names_and_shares() -> None:
    assert [epsilon_name(epsilon) for epsilon in (None, 0.5)] == ["traditional", "DP, epsilon = 0.5"]
    assert share_moved(0.5) == pytest.approx(1 - np.exp(0.5) / (np.exp(0.5) + 8))
