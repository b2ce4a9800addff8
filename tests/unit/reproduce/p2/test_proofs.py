from __future__ import annotations

import math
from types import SimpleNamespace

import pytest

from epsilens.avoidance import published
from epsilens.reproduce.p2 import proofs
from epsilens.reproduce.p2.privacy import Sampled, as_printed_5
from epsilens.reproduce.p2.proofs import Pair, Samples
from tests.support.claim_rows import CONFIRMED, FALSE, MISPRINT, OTHER_MODEL, counts, row_of, verdicts

LAST_LINE = ("Theorem 5, proof", "its last line")


def test_verdicts() -> None:
    assert counts(proofs) == {OTHER_MODEL: 3, FALSE: 1, CONFIRMED: 6, MISPRINT: 1}
    assert row_of(proofs, *LAST_LINE).verdict == FALSE
    assert {claim.place.departs for claim in proofs.CLAIMS} == {None, "P2-3", "P2-4", "P2-13", "P2-14"}


def test_an_output_that_two_cells_in_one_place_give_may_come_of_one_cell() -> None:
    stays = math.exp(0.5) / (math.exp(0.5) + 1.0)
    pair = Pair(0.5, (1, 1), (2, 0))
    assert proofs.ratios_in_s(pair, together=False)[2, 0] == pytest.approx(1.0 - stays)
    assert set(proofs.ratios_in_s(pair, together=True).values()) == {1.0}
    assert sum(proofs.landings(0.5, (2, 0, 1), together=False).values()) == pytest.approx(1.0)
    why = row_of(proofs, "Theorem 3, proof").why
    assert "the output (2, 0) has a ratio of 0.3775, and e^-epsilon is 0.6065" in why


def test_the_likelihood_of_a_sample_of_two_cells() -> None:
    case = Samples(0.25, (1, 2), (1, 1))
    under_one = 0.25 * (2 * 0.25 * 0.75)
    under_other = (2 * 0.25 * 0.75) * 0.25
    assert proofs.likelihood_ratio(case) == pytest.approx(under_one / under_other)
    assert proofs.printed_ratio(case) == pytest.approx(1.0)
    assert proofs.printed_ratio(Samples(0.25, (3, 2), (2, 1))) == pytest.approx(2.0 * 0.5)


def test_two_counts_are_hidden_at_most_e_epsilon_times_as_likely() -> None:
    assert proofs.hidden(1.0, 6, 6) == pytest.approx(0.5)
    assert proofs.most_by_hiding((1.0, 6)) == pytest.approx(math.exp(0.5), rel=0.05)  # one count does not move it


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
    assert set(verdicts(proofs, "Theorem 9, proof").values()) == {FALSE}
    assert row_of(proofs, "section 5.3, error analysis").verdict == CONFIRMED
    assert row_of(proofs, "Theorem 3, proof").verdict == OTHER_MODEL
    monkeypatch.setattr(proofs, "hidden", lambda epsilon, k, count: 0.5 ** (0.1 * epsilon * count**2))
    assert row_of(proofs, "Theorem 1, proof").verdict == FALSE
    assert row_of(proofs, "Theorem 7, proof").verdict == FALSE
    monkeypatch.setattr(published, "k_anonymity_delta", lambda epsilon, bound, beta: 0.5)
    assert row_of(proofs, "Theorem 5").verdict == FALSE
    real = proofs.stats.binom
    binom = SimpleNamespace(cdf=real.cdf, pmf=lambda sampled, people, beta: [1.0, 20.0 ** people[1]])
    monkeypatch.setattr(proofs, "stats", SimpleNamespace(binom=binom))
    found = verdicts(proofs, "Theorem 5, proof")
    assert [verdict for claim, verdict in found.items() if "its last line" not in claim] == [FALSE, FALSE]
