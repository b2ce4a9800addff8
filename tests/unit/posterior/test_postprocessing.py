"""Post-processing: both steps against simulation, and the claim that it does not raise risk."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens import posterior
from epsilens.errors import DataError, ParameterError
from epsilens.noise import DiscreteGaussianNoise, LaplaceNoise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.posterior.postprocessing import _constrained, _simplified

Counts = npt.NDArray[np.float64]


def constrained_release(noisy: Counts, shown: int, rng: np.random.Generator) -> Counts:
    """Projection onto {x >= 0, sum x = shown} by sorting, then rounding up as many as the sum needs, by lot."""
    size = noisy.shape[1]
    descending = -np.sort(-noisy, axis=1)
    gap = np.cumsum(descending, axis=1) - shown
    last = (descending - gap / np.arange(1, size + 1) > 0).sum(axis=1) - 1
    tau = gap[np.arange(len(noisy)), last] / (last + 1)
    projected = np.maximum(noisy - tau[:, None], 0.0)
    floor = np.floor(projected + 1e-9)
    needed = np.rint(shown - floor.sum(axis=1)).astype(int)
    lots = np.where(projected - floor > 1e-9, rng.random(noisy.shape), 2.0)
    return np.asarray(floor + (lots.argsort(axis=1).argsort(axis=1) < needed[:, None]))


@pytest.mark.parametrize(
    ("shown", "child", "others"), [(3, 1, [0, 0, 0]), (5, 2, [1, 0, 0, 2]), (1, 0, [1] + [0] * 9), (12, 1, [0] * 27)]
)
def test_the_constrained_law_is_that_of_the_release(shown: int, child: int, others: list[int]) -> None:
    rng = np.random.default_rng(4)
    noise, draws = DiscreteGaussianNoise(1.3), 60_000
    noisy = np.array([child, *others]) + noise.sample((draws, len(others) + 1), rng)
    released = constrained_release(noisy, shown, rng)
    assert (released.sum(axis=1) == shown).all()
    seen = np.bincount(released[:, 0].astype(int), minlength=shown + 1) / draws
    law = _constrained(noise, shown, child, Counter(others))
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    assert np.all(np.abs(seen - law) <= 5 * np.sqrt(law * (1 - law) / draws) + 1e-4)


def test_the_simplified_law_is_that_of_the_release() -> None:
    rng = np.random.default_rng(9)
    noise, d, shown, draws = DiscreteGaussianNoise(1.6), 5, 4, 60_000
    child = 1 + noise.sample(draws, rng)
    siblings = 2 + noise.sample((draws, d), rng).sum(axis=1)
    mean = (d * child + shown - siblings) / (d + 1)
    released = np.clip(np.floor(mean + 0.5), 0, shown)
    law = _simplified(noise, d, shown, 1, 2, "exact")
    seen = np.bincount(released.astype(int), minlength=shown + 1) / draws
    assert np.all(np.abs(seen - law) <= 5 * np.sqrt(law * (1 - law) / draws) + 1e-4)


def test_two_children_by_enumeration() -> None:
    noise, shown, prior = DiscreteGaussianNoise(0.9), 2, 0.3
    points, logpmf = within_reach(CountNoise(noise), 1e-13)
    laws = []
    for child in (1, 0):
        law = np.zeros(shown + 1)
        for (z1, w1), (z2, w2) in itertools.product(zip(points, np.exp(logpmf), strict=True), repeat=2):
            x = float(
                np.clip((shown + (child + z1) - (1 - child + z2)) / 2, 0, shown)
            )  # the projection for two children
            up = x - np.floor(x)
            law[int(x)] += w1 * w2 * (1 - up)
            if up:
                law[int(x) + 1] += w1 * w2 * up
        laws.append(law)
    direct = float((laws[0] * prior * laws[0] / (prior * laws[0] + (1 - prior) * laws[1])).sum())
    ours = posterior.postprocessing_risk(shown, 1, noise=noise, prior=prior, step="constrained")
    assert ours.posterior == pytest.approx(direct, abs=1e-11)
    yes = laws[0][prior * laws[0] > (1 - prior) * laws[1]].sum()
    assert ours.correct_decision == pytest.approx(yes, abs=1e-11)


@given(
    shown=st.integers(0, 12),
    siblings=st.integers(1, 12),
    rho=st.floats(0.02, 3.0),
    prior=st.floats(0.02, 0.98),
    step=st.sampled_from(["simplified", "constrained"]),
)
@settings(max_examples=40, deadline=None)
def test_post_processing_never_raises_the_expected_posterior(
    shown: int, siblings: int, rho: float, prior: float, step: str
) -> None:
    ours = posterior.postprocessing_risk(shown, siblings, rho, prior, step=step)  # type: ignore[arg-type]
    assert prior - 1e-10 <= ours.posterior <= ours.raw_posterior + 1e-10
    assert not ours.raises_risk
    assert ours.overall_accuracy >= max(prior, 1 - prior) - 1e-10


def test_the_verdict_is_reported() -> None:
    check = posterior.postprocessing_check([0, 1, 100], 27, [0.05, 0.099])
    assert check.never_raises_risk
    assert check.largest_increase < 0
    assert "held over 12 cases" in check.verdict
    assert any(row.exceeds_child_alone for row in check.rows)
    assert any(row.correct_decision > row.raw_correct_decision_child for row in check.rows)
    assert check.rhos[:4] == (0.05, 0.05, 0.05, 0.099)


def test_a_parent_shown_empty_tells_nothing() -> None:
    ours = posterior.postprocessing_risk(0, 5, 0.3, 0.2, step="constrained")
    assert ours.posterior == pytest.approx(0.2, abs=1e-12)
    assert posterior.postprocessing_risk(3, 5, noise=LaplaceNoise(1.0), step="constrained").risk_ratio > 1


def test_bad_input() -> None:
    with pytest.raises(ParameterError, match="must not be below its child's"):
        posterior.postprocessing_risk(1, 3, 0.1, parent=1, known=1)
    with pytest.raises(DataError, match="3 counts >= 0 that sum to 1"):
        posterior.postprocessing_risk(1, 3, 0.1, parent=2, sibling_counts=[1, 1, 0])
    with pytest.raises(ParameterError, match="did you mean 'constrained'"):
        posterior.postprocessing_risk(1, 3, 0.1, step="constraint")  # type: ignore[arg-type]
    some = posterior.postprocessing_risk(4, 3, 0.1, parent=4, known=1, sibling_counts=[1, 1, 0], step="constrained")
    assert 0.5 < some.posterior < some.raw_posterior


def test_a_thousand_siblings_and_no_more_cases_than_fit() -> None:
    many = posterior.postprocessing_risk(5, 1_500, 0.5, step="constrained")  # binomial(1500, 750) is beyond a double
    fewer = posterior.postprocessing_risk(5, 1_000, 0.5, step="constrained")
    assert many.prior < many.posterior < fewer.posterior
    for step in ("simplified", "constrained"):
        with pytest.raises(ParameterError, match="must be at most 1,000,000"):
            posterior.postprocessing_risk(5, 10**9, 0.5, step=step)
        with pytest.raises(ParameterError):
            posterior.postprocessing_risk(10**5, 27, 1e-12, step=step)
