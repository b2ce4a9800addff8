from __future__ import annotations

import math

import pytest

from epsilens.avoidance import published
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import privacy
from epsilens.reproduce.p2.privacy import (
    CLAIMS,
    Sampled,
    Suppressed,
    Swapped,
    apart_and_together,
    as_printed_5,
    lands_apart,
    sampling_truth,
    shared_threshold_truth,
    suppression_truth,
    swapping_truth,
)
from epsilens.reproduce.verdicts import Row, judged


def rows(data: Data) -> dict[tuple[str, str], Row]:
    return {(claim.place.where, claim.place.what): judged(claim, data) for claim in CLAIMS}


def test_golden_numbers_of_theorem_1() -> None:
    """Claimed .9442, exact .9284, at k = 6, B = 9 and epsilon = .5."""
    case = Suppressed(0.5, 6, 9)
    assert published.suppression_delta(*case) == pytest.approx(0.9442, abs=5e-5)
    assert suppression_truth(case) == pytest.approx(0.9284, abs=5e-5)
    assert suppression_truth(case) == pytest.approx(DPSuppression(6, 0.5).delta(bound=9), abs=1e-12)


def test_the_proof_of_theorem_1_looks_at_outputs_that_do_not_occur() -> None:
    row = rows(Data())["Theorem 1, proof", "how likely the outputs are that it looks at"]
    assert (row.verdict, row.departs, row.as_published) == ("misprint", "P2-14", 0.0)
    assert row.why.startswith("k / 2 in the place of T / 2: then it equals the truth in all of 12 cases")


def test_golden_numbers_of_theorem_3() -> None:
    """An output has probability .530 under one table and 0 under a neighbour, and .245 is claimed."""
    case = Swapped(0.5, 2)
    assert published.swapping_delta(0.5, 2) == pytest.approx(0.245, abs=5e-4)
    assert swapping_truth(case, "qid") == pytest.approx(0.530, abs=5e-4)
    assert swapping_truth(case, "substitute") == pytest.approx(1.0)
    assert lands_apart(case, -1.0) == pytest.approx(published.swapping_delta(0.5, 2))
    assert lands_apart(Swapped(0.5, 3), 1.0) == pytest.approx(swapping_truth(Swapped(0.5, 3), "qid"))
    assert lands_apart(Swapped(1.0, 9), 1.0) == pytest.approx(DPSwapping(1.0, 9).delta("qid"))


def test_deltas_of_the_tables_with_the_other_sign(monkeypatch: pytest.MonkeyPatch) -> None:
    """.889, .892, .908 and .970 where .868, .874, .899 and .969 are printed; nine races are swapped."""
    place = "Theorem 3, Tables 1 to 3", "the deltas of DP swapping for neighbours that differ in race"
    for epsilon, delta in ((0.5, 0.889), (1.0, 0.892), (2.0, 0.908), (4.0, 0.970)):
        assert apart_and_together(Swapped(epsilon, 9)) == pytest.approx(delta, abs=5e-4)
    row = rows(Data())[place]
    assert (row.verdict, row.departs) == ("misprint", "P2-3")
    assert row.printed == "0.868, 0.874, 0.899, 0.969 bound them"
    assert "0.8680 for 0.8894 at epsilon = 0.5" in row.why
    monkeypatch.setattr(privacy, "apart_and_together", lambda case: 0.86)
    assert rows(Data())[place].verdict == "confirmed"
    monkeypatch.setattr(privacy, "apart_and_together", lambda case: 0.99)
    assert rows(Data())[place].verdict == "false"


def test_golden_numbers_of_the_algorithms() -> None:
    """.7638 of Algorithm 2 at k = 6, B = 9 and epsilon = .5; rows of Algorithm 4 are randomised response."""
    assert shared_threshold_truth(Suppressed(0.5, 6, 9)) == pytest.approx(0.7638, abs=5e-5)
    assert swapping_truth(Swapped(0.5, 3), "qid", "algorithm-4") == pytest.approx(0.0, abs=1e-12)
    assert swapping_truth(Swapped(0.5, 3), "substitute", "algorithm-4") == pytest.approx(1.0)


def test_sampling_has_at_most_beta_and_the_theorem_more() -> None:
    case = Sampled(0.5, 0.3, 6)
    assert sampling_truth(case) <= 0.3 + 1e-12 <= as_printed_5(case)
    # one person, seen or not: what is seen of her in the one table is never seen of her in the other
    assert sampling_truth(Sampled(0.5, 0.3, 1)) == pytest.approx(0.3)


def test_verdicts(papers_data: Data) -> None:
    found = rows(papers_data)
    assert len(found) == len(CLAIMS) == 17
    wrong = {(where, row.verdict, row.departs) for (where, _), row in found.items() if not row.holds}
    assert wrong == {
        ("Lemma 1, proof", "misprint", "P2-14"),
        ("Theorem 1, its worth", "false", "P2-4"),
        ("Theorem 1, proof", "misprint", "P2-14"),
        ("Theorem 3", "false", "P2-3"),
        ("Theorem 3", "misprint", "P2-3"),
        ("Theorem 3", "false", "P2-9"),
        ("Theorem 3, Tables 1 to 3", "misprint", "P2-3"),
        ("Theorem 3, proof", "misprint", "P2-3"),
        ("Theorem 5, its worth", "false", "P2-4"),
        ("section 7, worth of the Gaussian deltas", "false", "P2-4"),
    }
    any_record = found["Theorem 3", "delta of DP swapping for any-record neighbours"]
    assert (any_record.verdict, any_record.exact) == ("false", 1.0)


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    mended = {
        "suppression_delta": ("Theorem 1", lambda epsilon, k, bound: 0.5),
        "swapping_delta": ("Theorem 3", lambda epsilon, levels: 1.0),
        "k_anonymity_delta": ("Theorem 5", lambda epsilon, bound, beta=None: 0.5 * -math.expm1(-epsilon)),
    }
    for name, (_, formula) in mended.items():
        monkeypatch.setattr(published, name, formula)
    found = rows(Data())
    assert found["Theorem 1", "delta of DP suppression"].verdict == "false"
    assert found["Theorem 3", "delta of DP swapping for any-record neighbours"].verdict == "confirmed"
    assert found["Theorem 5", "delta of DP k-anonymity"].verdict == "false"
    worth = next(what for where, what in found if where == "Theorem 5, its worth")
    assert found["Theorem 5, its worth", worth].verdict == "confirmed"


def test_the_worth_of_theorem_5_is_told_at_its_best_and_in_the_tables() -> None:
    (row,) = [row for (where, _), row in rows(Data()).items() if where == "Theorem 5, its worth"]
    assert "0.8647 (at B = 3, 0.8787 in the tables) against 0.3935 at epsilon = 0.5" in row.why
    assert not row.in_print


def test_the_end_of_the_proof_of_theorem_1_moves_with_its_formula(monkeypatch: pytest.MonkeyPatch) -> None:
    key = ("Theorem 1, proof", "its end, for two counts of B")
    assert rows(Data())[key].verdict == "confirmed"
    plain = published.suppression_delta
    monkeypatch.setattr(published, "suppression_delta", lambda *case: 1.001 * plain(*case))
    assert rows(Data())[key].verdict == "false"
