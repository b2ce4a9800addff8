from __future__ import annotations

import math

import pytest

from epsilens.noise import LaplaceNoise
from epsilens.reproduce.p1 import preliminaries
from epsilens.reproduce.p1.preliminaries import beyond, largest_ratio, spared
from tests.support.judged import CONFIRMED, FALSE, OTHER, departing, rows_of, verdicts, verdicts_anew


def test_verdicts() -> None:
    rows = rows_of("p1.preliminaries")
    assert verdicts(rows) == {CONFIRMED: 8, OTHER: 2}
    assert departing(rows) == {"P0-24": {OTHER}}


def test_the_three_promises_of_randomised_response() -> None:
    first, second = (0.75, 0.25), (0.25, 0.75)
    assert largest_ratio(first, second) == pytest.approx(math.log(3.0))
    assert [each(first, second, 1.0) for each in (spared, beyond)] == pytest.approx([0.75 - 0.25 * math.e, 1.0])
    assert [each(first, second, 1.1) for each in (spared, beyond)] == [0.0, 0.0]


def test_changed_formulas_change_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epsilens.sensitivity.counts.count_sensitivity", lambda *_: 3.0)
    monkeypatch.setattr(LaplaceNoise, "largest_loss", lambda self, moved=1: 2 * moved / self.scale)
    changed = [row.place for row in rows_of("p1.preliminaries").values() if "sensitivity" in row.place]
    assert len(changed) == 4
    assert verdicts_anew("p1.preliminaries", "Eq. (2.1), Laplace noise", *changed) == {FALSE}
    monkeypatch.setattr(preliminaries, "spared", lambda first, second, epsilon: beyond(first, second, 2.0 * epsilon))
    assert verdicts_anew("p1.preliminaries", "Definitions 2.2 and 2.3, delta = 0") == {FALSE}
