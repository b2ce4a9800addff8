from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from epsilens.posterior.combined import SequencePosterior, sequence
from epsilens.reproduce.p4 import composition
from tests.support.claim_rows import CONFIRMED, FALSE, counts, row_of


def test_risks_multiply_as_print_says() -> None:
    assert counts(composition) == {CONFIRMED: 7}


def test_a_release_that_is_forgotten_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    def forgetful(noisy: Any, known: int = 0, rho: Any = None, prior: float = 0.5) -> SequencePosterior:
        found = sequence(noisy, known, rho, prior)
        return replace(found, posteriors=found.posteriors[:-1])

    monkeypatch.setattr(composition, "sequence", forgetful)
    assert row_of(composition, "Eq. (S5.4), ours").verdict == FALSE
    assert row_of(composition, "section 5, several releases").verdict == FALSE


def test_step_by_step_is_the_same_as_all_at_once() -> None:
    for case in composition.CASES[:12]:
        belief, ratio = composition.step_by_step(case)
        assert belief == pytest.approx(composition.counted(case), rel=1e-12)
        assert ratio == pytest.approx(belief / case.prior, rel=1e-12)
