from __future__ import annotations

import math

import numpy as np
import pytest

from epsilens.avoidance import published
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import CellMoments
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.bias import (
    CLAIMS,
    Counts,
    Group,
    hidden_probability,
    merging_truth,
    proposition_1,
    suppression_bias,
    swapping_bias,
)
from epsilens.reproduce.verdicts import Row, judged


def row(where: str, data: Data | None = None) -> Row:
    return next(judged(claim, data or Data()) for claim in CLAIMS if claim.place.where == where)


def test_truths_by_hand() -> None:
    assert hidden_probability(1.0, 6, 6) == pytest.approx(0.5)
    assert hidden_probability(1.0, 6, 8) == pytest.approx(0.5 * math.exp(-1.0))
    assert suppression_bias(Counts(1.0, 6, (3, 6))) == pytest.approx([0.0, -1.5])
    group = Group(1.0, ((2, 0),))
    stays = math.e / (math.e + 1.0)
    assert swapping_bias(group) == pytest.approx([2 * stays - 2, 2 - 2 * stays])
    assert proposition_1(group) == pytest.approx(swapping_bias(group))
    assert merging_truth((2, 1, 0.3)) == pytest.approx(0.49)
    assert merging_truth((2, 3, 0.3)) == pytest.approx(0.0)


def test_verdicts(papers_data: Data) -> None:
    rows = [judged(claim, papers_data) for claim in CLAIMS]
    assert len(rows) == 8
    assert [(one.place, one.verdict, one.departs) for one in rows if not one.holds] == [
        ("Theorem 2, its worth", "false", "P2-13")
    ]
    assert all(text in rows[3].why for text in ("1,026.82", "22,855.64", "8,160"))


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "suppression_bias_bound", lambda counts, epsilon, k: 0.0)
    monkeypatch.setattr(published, "swapping_bias_l1", lambda counts, epsilon: 1.0)
    monkeypatch.setattr(published, "merge_bias", lambda counts, k, beta: np.array([0.5]))
    monkeypatch.setattr(published, "suppression_probabilities", lambda counts, epsilon, k: np.array([0.5]))
    zero = CellMoments(np.zeros(2), np.zeros(2))
    monkeypatch.setattr(DPSwapping, "moments", lambda self, source: zero)
    for where in ("Theorem 2", "Theorem 4", "Theorem 6", "Eq. (3)", "Proposition 1"):
        assert row(where).verdict == "false", where
    monkeypatch.setattr(published, "keep_probability", lambda epsilon, levels: 0.5)
    assert row("Eq. (4)").verdict == "false"
