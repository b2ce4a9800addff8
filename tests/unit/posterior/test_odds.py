from __future__ import annotations

import math

import pytest

from epsilens.posterior.odds import TIE, log_odds, tie_among


def test_log_odds_keep_their_digits_next_to_0_and_1() -> None:
    assert log_odds(0.5) == 0.0
    assert log_odds(0.2) == pytest.approx(-log_odds(0.8))
    assert log_odds(1e-300) == pytest.approx(-300 * math.log(10))
    assert 0 < TIE < log_odds(0.5 + 1e-8)


def test_a_tie_is_relative_to_evidence_that_is_small() -> None:
    assert tie_among([0.5, -3.0]) == TIE
    assert tie_among([1e-6, -2e-6]) == pytest.approx(2e-6**1.5 * TIE)
    assert tie_among([]) == 0.0
