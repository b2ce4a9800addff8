from __future__ import annotations

import numpy as np
import pytest

from epsilens.avoidance import published
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.noise import DiscreteGaussianNoise
from epsilens.noise.divergence import noise_delta
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2 import section_3
from epsilens.reproduce.p2.section_3 import (
    CLAIMS,
    gaussian_epsilon_needed,
    largest_log_ratio,
    never_new_values,
    no_guarantee,
    over_all_events,
    same_law,
    same_release,
    shares_its_threshold,
)
from epsilens.reproduce.verdicts import Row, judged

MODEL = "follows from another model than stated"


def row(where: str, data: Data | None = None) -> Row:
    return next(judged(claim, data or Data()) for claim in CLAIMS if claim.place.where.startswith(where))


def test_verdicts_that_need_no_data() -> None:
    found = {claim.place.where: judged(claim, Data()) for claim in CLAIMS}
    assert len(found) == len(CLAIMS) == 18
    assert {where for where, one in found.items() if one.needs} == {"Algorithm 3", "section 3, k-anonymity"}
    departs = {where: (one.verdict, one.departs) for where, one in found.items() if not one.holds and not one.needs}
    assert departs == {
        "section 3, discrete Gaussian noise": (MODEL, "P2-14"),
        "section 3, swapping": ("false", "P2-10"),
        "Algorithm 1": ("false", "P2-5"),
        "Algorithm 2": ("false", "P2-5"),
        "section 5.1": (MODEL, "P2-5"),
        "Algorithm 4": ("false", "P2-5"),
    }


def test_verdicts_on_massachusetts(papers_data: Data) -> None:
    swapping, anonymity = row("Algorithm 3", papers_data), row("section 3, k-anonymity", papers_data)
    assert (swapping.verdict, swapping.departs) == (MODEL, "P2-10")
    assert str(swapping.exact).endswith("the l1 error is 0")
    assert (anonymity.verdict, anonymity.departs) == ("false", "P2-11")
    assert "leaves out 158 and has 77 classes" in anonymity.why


def test_the_gaussian_of_the_text_needs_its_variance() -> None:
    needed = gaussian_epsilon_needed(1.0, 1e-3)
    assert noise_delta(DiscreteGaussianNoise(1.0), needed, 2) == pytest.approx(1e-3, rel=1e-6)
    wrong = row("section 3, discrete Gaussian noise")
    assert "14.21 by the formula and 15.64 in truth" in str(wrong.exact)


def test_checks_see_what_is_wrong() -> None:
    assert not same_release(lambda x: x, lambda x: x + (x > 3)).holds
    assert not same_law(DPSuppression(6, 1.0), DPSuppression(6, 2.0), (((1, 2),),)).holds
    assert same_law(DPSuppression(6, 1.0), DPSuppression(6, 1.0), (((1, 2),),)).holds
    assert shares_its_threshold("equation-2").holds
    assert not no_guarantee((DPSuppression(2, 1.0),)).holds
    assert never_new_values().holds
    assert over_all_events((np.array([0.5, 0.5]), np.array([0.0, 1.0]), 0.0)) == 0.5
    assert largest_log_ratio(0.7) == pytest.approx(0.7)


def test_formulas_that_move_move_verdicts(monkeypatch: pytest.MonkeyPatch) -> None:
    claimed = published.discrete_gaussian_text_epsilon
    monkeypatch.setattr(published, "discrete_gaussian_text_epsilon", lambda e, d: 0.1 * claimed(e, d))
    assert row("section 3, discrete Gaussian noise").verdict == "false"
    monkeypatch.setattr(Suppression, "_suppressed", lambda self, counts: np.maximum(counts, 0.5 * self.k))
    assert row("Algorithm 1").verdict == "confirmed"
    monkeypatch.setattr("epsilens.noise.laplace.LaplaceNoise.logdensity", lambda self, x: -np.abs(x) / self.scale * 1.1)
    assert row("section 3, Laplace noise").verdict == "false"


def test_the_epsilon_of_the_text_is_the_least_over_all_orders(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "section 3, epsilon of discrete"
    assert row(place).verdict == "confirmed"
    plain = published.discrete_gaussian_text_epsilon
    monkeypatch.setattr(published, "discrete_gaussian_text_epsilon", lambda *case: 1.0001 * plain(*case))
    assert row(place).verdict == "false"


def test_the_delta_of_noise_is_added_up_over_pairs_of_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    place = "section 3, delta of discrete"
    assert row(place).verdict == "confirmed"
    monkeypatch.setattr(section_3, "noise_delta", lambda *case: 1.001 * noise_delta(*case))
    assert row(place).verdict == "false"
