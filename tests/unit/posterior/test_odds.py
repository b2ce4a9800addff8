from __future__ import annotations

import math

import pytest

from epsilens.posterior.odds import TIE, log_odds


def test_log_odds_keep_their_digits_next_to_0_and_1() -> None:
    assert log_odds(0.5) == 0.0
    assert log_odds(0.2) == pytest.approx(-log_odds(0.8))
    assert log_odds(1e-300) == pytest.approx(-300 * math.log(10))
    assert 0 < TIE < log_odds(0.5 + 1e-8)
