from __future__ import annotations

import pytest

from epsilens.avoidance import published
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.system import CellMoments
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import algorithms
from epsilens.reproduce.p2.algorithms import CLAIMS, outside_interval, threshold_mean
from epsilens.reproduce.verdicts import judged


def verdicts() -> dict[str, str]:
    return {
        claim.place.where: judged(claim, Data()).verdict
        for claim in CLAIMS
        if claim.place.what != CLAIMS[-1].place.what
    }


def test_every_step_is_confirmed() -> None:
    rows = [judged(claim, Data()) for claim in CLAIMS]
    assert len(rows) == 8
    assert {row.verdict for row in rows} == {"confirmed"}


def test_truths() -> None:
    assert outside_interval(10**9) == pytest.approx(0.0455, abs=1e-4)  # two standard deviations
    # of a large count the threshold is never reached
    assert threshold_mean((4.0, 6, 60)) == pytest.approx(60.0, abs=1e-9)


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    import numpy as np

    monkeypatch.setattr(Suppression, "_suppressed", lambda self, counts: np.maximum(counts, 0.5 * self.k))
    monkeypatch.setattr(DPSuppression, "moments", lambda self, source: CellMoments(np.zeros(1), np.zeros(1)))
    monkeypatch.setattr(published, "sampling_probability", lambda epsilon: 0.5)
    monkeypatch.setattr(algorithms, "swapped_pairs", lambda share, rows: rows)
    monkeypatch.setattr(algorithms, "mixed_metric_points", lambda codes, columns: codes.astype(float))
    found = verdicts()
    for where in ("Algorithm 1", "Algorithm 2", "Algorithm 3", "section B.2"):
        assert found[where] == "false", where
    assert found["Algorithm 5"] == found["section C.1, numeric columns"] == "confirmed"
