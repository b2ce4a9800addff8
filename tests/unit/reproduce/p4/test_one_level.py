from __future__ import annotations

import pytest

from epsilens.posterior.single import ExpectedRisk, expected_single_level
from epsilens.reproduce.p4 import one_level
from epsilens.reproduce.p4.one_level import Case
from tests.support.claim_rows import CONFIRMED, FALSE, counts, unlike, verdicts


def test_every_equation_holds() -> None:
    assert counts(one_level) == {CONFIRMED: 8}


def test_a_wrong_average_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    before = verdicts(one_level)

    def absent(rho: float, prior: float) -> ExpectedRisk:
        return expected_single_level(rho, prior, present=False)

    monkeypatch.setattr(one_level, "expected_single_level", absent)
    after = verdicts(one_level)
    changed = {"Eq. (3.3), marginal posterior", "Eq. (3.4), R", "Eq. (3.6), ours"}
    assert {name.split(":")[0] for name in unlike(before, after)} == changed
    assert set(after.values()) == {CONFIRMED, FALSE}


def test_what_is_counted() -> None:
    case = Case(0.5, 0.2, 0, 1)
    assert one_level.counted_posterior(case) == pytest.approx(one_level.printed_posterior(case), rel=1e-12)
    assert one_level.counted_decision(Case(0.5, 0.2)) == pytest.approx(0.3005, abs=5e-5)
    assert one_level.told(case) == "rho = 0.5, p = 0.2, known = 0, x* = 1"
