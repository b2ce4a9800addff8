from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.beside.profile_mechanisms import ProfileNoise, profile_cap, profile_noise, profile_rho
from epsilens.choice.beside.profiles import (
    RiskProfile,
    capped_profile,
    profile_budget,
)
from epsilens.choice.choose.dials import risk_dial
from epsilens.errors import ParameterError
from epsilens.noise.loss import PrivacyLoss
from epsilens.noise.mechanisms import laws
from epsilens.noise.published import CountNoise
from epsilens.table.hierarchy import Situations

BOTH = ("substitute", "add-remove")


@pytest.mark.parametrize("law", list(laws()))
@pytest.mark.parametrize("neighbours", BOTH)
def test_noise_for_a_profile(law: str, neighbours: str) -> None:
    profile = capped_profile(0.25, 3.0)
    found = profile_noise(profile, law, 1e-2, neighbours)
    assert found.failure <= 1e-2
    share, error = simulated_failure(found, 0.25 / 3.0, np.random.default_rng(3), 200_000)
    assert abs(share - found.failure) < 5 * error + 1e-4
    if "laplace" in law:  # a bounded loss: the pure budget, and no failure at all
        assert found.failure == 0.0
        steps = 2.0 if neighbours == "substitute" else 1.0
        assert found.scale == pytest.approx(steps / found.allowed.epsilon, rel=1e-6)
    assert found.epsilon(1e-6) > 0
    assert found.to_dict()["law"] == type(found.noise).__name__


def test_rho_for_a_profile_is_safe_for_gaussian_noise() -> None:
    for profile in (capped_profile(0.25, 3.0), capped_profile(0.25, 3.0, (0.0, 1.0), joint=True)):
        for neighbours in BOTH:
            rho = profile_rho(profile, 1e-3, neighbours)
            sigma = (math.sqrt(2.0) if neighbours == "substitute" else 1.0) / math.sqrt(2.0 * rho)
            assert sigma >= profile_noise(profile, "gaussian", 1e-3, neighbours).scale * 0.99
    assert certain_only(capped_profile(0.25, 3.0, (0.0, 1.0), joint=True)).taking_part == (1.0, 1.0)


def test_gaussian_loss_tail_in_closed_form() -> None:
    from scipy import stats

    sigma = 40.0  # rounding to whole numbers hardly matters
    for moved in (1, 2):
        mu = math.sqrt(moved) / sigma
        for loss in (0.0, mu, 3 * mu):
            exact = stats.norm.sf(loss / mu - mu / 2)
            assert PrivacyLoss(el.GaussianNoise(sigma), moved).exceedance(loss) == pytest.approx(exact, abs=0.02)


def test_the_cap_of_a_dial() -> None:
    """Pure mechanisms: epsilon alone. Gaussian ones: the epsilon whose noise keeps the profile but for delta."""
    table = el.FrequencyTable.from_counts([[3, 0], [1, 2]])
    profile = capped_profile(0.25, 3.0)
    cap, said = profile_cap(profile, risk_dial(table, "laplace", MeanRisk()))
    assert cap == said["epsilon"] == profile_budget(profile).epsilon
    for mechanism in ("gaussian-analytic", "discrete-gaussian"):
        dial = risk_dial(table, mechanism, MeanRisk(), delta=1e-5)
        cap, said = profile_cap(profile, dial)
        law = "discrete-gaussian" if mechanism == "discrete-gaussian" else "gaussian"
        least = profile_noise(profile, law, 1e-5).scale
        assert vars(dial.noise(cap))["sigma"] == pytest.approx(least, rel=1e-9)
        assert vars(dial.noise(cap))["sigma"] >= least
        assert (said["epsilon"], said["scale"]) == (cap, least)
        assert said["failure"] <= 1e-5
    classic, _ = profile_cap(profile, risk_dial(table, "gaussian", MeanRisk(), delta=1e-12))
    assert classic < 1.0
    several = replace(table, max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="one count per person"):
        profile_cap(profile, risk_dial(several, "gaussian-analytic", MeanRisk(), delta=1e-5))
    with pytest.raises(ParameterError, match="take a smaller delta"):
        profile_cap(profile, risk_dial(table, "gaussian-analytic", MeanRisk(), delta=0.6))


@pytest.mark.parametrize("mechanism", ["gaussian-analytic", "discrete-gaussian"])
@pytest.mark.parametrize("neighbours", BOTH)
def test_the_cap_of_a_hierarchy(mechanism: str, neighbours: str) -> None:
    """The profile's ratio over both levels, simulated: exceeded as rarely as asked for, and hardly more rarely."""
    levels = risk_dial(
        Situations.of([[1, 2]], [1]), mechanism, MeanRisk(), "posterior", 0.01, neighbours, shares=(0.3, 0.7)
    )
    cap, said = profile_cap(capped_profile(0.25, 3.0), levels)
    rng = np.random.default_rng(5)
    loss = np.zeros(200_000)
    for noise, scale in zip(levels.noises(cap), said["scales"], strict=True):
        assert vars(noise)["sigma"] == scale
        law = CountNoise(noise)
        for _ in range(2):  # somebody with another label: two counts at each level
            z = np.floor(noise.sample(len(loss), rng) + 0.5)
            loss += law.logpmf(z) - law.logpmf(z + 1)
    p = said["binding_prior"]
    exceeded = (1.0 / (p + (1.0 - p) * np.exp(-loss)) > 3.0 * (1 + 1e-9)).mean()
    error = math.sqrt(said["failure"] / len(loss))
    assert said["failure"] <= 0.01
    assert exceeded <= said["failure"] + 4 * error
    assert exceeded >= 0.9 * said["failure"] - 4 * error


def certain_only(profile: RiskProfile) -> RiskProfile:
    """The same profile against an adversary who knows that the target takes part."""
    return replace(profile, taking_part=(1.0, 1.0))


def simulated_failure(
    found: ProfileNoise, p: float, rng: np.random.Generator, repetitions: int = 100_000
) -> tuple[float, float]:
    """How often the profile is exceeded at prior ``p`` (q = 1) in simulated releases, with its standard error."""
    law = CountNoise(found.noise)
    z = np.floor(found.noise.sample((repetitions, 2), rng) + 0.5)
    log_ratio = law.logpmf(z[:, 0] + 1) - law.logpmf(z[:, 0]) + law.logpmf(z[:, 1] - 1) - law.logpmf(z[:, 1])
    ratio = 1.0 / (p + (1.0 - p) * np.exp(log_ratio))
    ceiling = float(np.asarray(found.allowed.profile.ratio(np.array([p]), np.array([1.0])))[0])
    share = float((ratio > ceiling * (1.0 + 1e-9)).mean())
    return share, math.sqrt(max(share * (1.0 - share), 1e-300) / repetitions)
