from __future__ import annotations

import numpy as np
import pytest

from epsilens.avoidance import published
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.bias import Counts
from epsilens.reproduce.p2.fairness import CLAIMS, apart, between_2_and_k, bounds_of, clipping_bias, exact_of
from epsilens.reproduce.verdicts import Row, judged


def rows(data: Data) -> dict[tuple[str, str], Row]:
    return {(claim.place.where, claim.place.what): judged(claim, data) for claim in CLAIMS}


def test_golden_numbers_of_theorem_10() -> None:
    """The counts 3 and 10,000 with k = 6 and epsilon = .5: alpha is 0 with suppression, .945 with Laplace noise."""
    case = Counts(0.5, 6, (3, 10_000))
    assert case in between_2_and_k(10)
    exact = exact_of(case)
    assert exact.suppression == pytest.approx(0.0, abs=1e-12)
    assert exact.laplace == pytest.approx(0.945, abs=5e-4)
    bounds = bounds_of(case, 9)
    assert bounds.laplace <= min(bounds.suppression, bounds.swapping)


def test_tables_of_theorem_10_are_those_it_speaks_of() -> None:
    assert all(2 <= min(case.counts) <= case.k for case in between_2_and_k(100))


def test_truths_by_hand() -> None:
    assert apart(np.array([1.0, -2.0, 0.5])) == 3.0
    assert apart(np.array([1.0])) == 0.0
    assert clipping_bias(2.0, 0) == pytest.approx(0.5)


def test_verdicts(papers_data: Data) -> None:
    found = rows(papers_data)
    assert len(found) == len(CLAIMS) == 14
    wrong = {(where, row.verdict, row.departs) for (where, _), row in found.items() if not row.holds}
    assert wrong == {
        ("Theorem 7, proof", "false", "P2-14"),
        ("Theorem 7, its worth", "false", "P2-13"),
        ("Theorem 8, its worth", "false", "P2-13"),
        ("Theorem 9, its worth", "false", "P2-13"),
        ("Theorem 10", "follows from another model than stated", "P2-6"),
    }
    worth = " ".join(row.why for (where, _), row in found.items() if where.endswith("worth"))
    for number in ("901.76", "4.22", "509", "949.56", "474.78", "904.89", "254.50", "2.00"):
        assert number in worth
    tight = found["Theorem 7, proof", "that it is tight where the largest count is k/2"]
    assert (tight.as_published, tight.exact) == pytest.approx((5.3058, 4.7948), abs=1e-4)


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("suppression_fairness_bound", "swapping_fairness_bound", "laplace_fairness_bound"):
        monkeypatch.setattr(published, name, lambda *values: 0.0)
    found = {where: row.verdict for (where, _), row in rows(Data()).items()}
    assert {found[f"Theorem {number}"] for number in (7, 8, 9)} == {"false"}
    monkeypatch.setattr(published, "laplace_fairness_bound", lambda *values: 1e6)
    ordered = rows(Data())["Theorem 10", "that its bounds are in the order it says"]
    assert ordered.verdict == "false"
