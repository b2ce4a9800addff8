from __future__ import annotations

import math

import pytest

from epsilens.avoidance import published
from epsilens.reproduce.p2 import proofs
from epsilens.reproduce.p2.privacy import Sampled, as_printed_5
from epsilens.reproduce.p2.proofs import Pair
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, OTHER_MODEL, counts, row_of

LAST_LINE = ("Theorem 5, proof", "its last line")


def test_verdicts() -> None:
    assert counts(proofs) == {OTHER_MODEL: 3, FALSE: 1, CONFIRMED: 1, MISPRINT: 1}
    assert row_of(proofs, *LAST_LINE).verdict == FALSE
    assert {claim.place.departs for claim in proofs.CLAIMS} == {"P2-3", "P2-4", "P2-13", "P2-14"}


def test_an_output_that_two_cells_in_one_place_give_may_come_of_one_cell() -> None:
    stays = math.exp(0.5) / (math.exp(0.5) + 1.0)
    pair = Pair(0.5, (1, 1), (2, 0))
    assert proofs.ratios_in_s(pair, together=False)[2, 0] == pytest.approx(1.0 - stays)
    assert set(proofs.ratios_in_s(pair, together=True).values()) == {1.0}
    assert sum(proofs.landings(0.5, (2, 0, 1), together=False).values()) == pytest.approx(1.0)
    why = row_of(proofs, "Theorem 3, proof").why
    assert "the output (2, 0) has a ratio of 0.3775, and e^-epsilon is 0.6065" in why


def test_both_counts_are_never_the_worst_at_once() -> None:
    case = Sampled(0.5, 0.1, 1)
    assert proofs.outside_of_s(case) == pytest.approx(0.1)
    assert as_printed_5(case) == pytest.approx(0.19)
    by_noise = Sampled(0.5, -math.expm1(-0.5), 9)
    assert (proofs.outside_of_s(by_noise), as_printed_5(by_noise)) == pytest.approx((0.8305, 0.8787), abs=5e-5)


def test_a_count_of_k_and_more_is_merged_beside_one_below() -> None:
    assert proofs.merged((7, 1), 6) == [True, True]
    assert proofs.merged((6, 6), 6) == [False, False]


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(published, "keep_probability", lambda epsilon, levels: 1.0 / levels)
    monkeypatch.setattr(proofs, "clipping_bias", lambda epsilon, count: 0.0)
    monkeypatch.setattr(proofs, "merged", lambda counts, k: [count < k for count in counts])
    monkeypatch.setattr(proofs, "as_printed_5", proofs.outside_of_s)
    assert row_of(proofs, "Theorem 9, proof").verdict == FALSE
    assert row_of(proofs, "section 5.3, error analysis").verdict == CONFIRMED
    assert row_of(proofs, "Theorem 3, proof").verdict == OTHER_MODEL
    monkeypatch.setattr(published, "k_anonymity_delta", lambda epsilon, bound, beta: 0.5)
    assert row_of(proofs, "Theorem 5").verdict == FALSE
