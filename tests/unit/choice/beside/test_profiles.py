from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.choice.beside.profiles import (
    RiskProfile,
    capped_profile,
    constant_profile,
    parse_profile,
    point_budget,
    profile_budget,
    worst_ratio,
)
from epsilens.errors import ParameterError

BOTH = ("substitute", "add-remove")


def test_the_numbers_of_the_paper() -> None:
    found = profile_budget(capped_profile(0.25, 3.0), "substitute")
    assert found.epsilon == pytest.approx(math.log(11 / 3), abs=1e-15)
    assert round(found.epsilon, 4) == 1.2993
    certified = profile_budget(capped_profile(0.25, 3.0), "substitute", certify=True)
    assert 0 <= found.epsilon - certified.epsilon < 1e-10
    # a grid of priors errs on the unsafe side
    grid = np.linspace(0.0, 1.0, 1001)[1:]
    unsafe = point_budget(grid, 1.0, np.maximum(0.25 / grid, 3.0), "substitute").min()
    assert round(float(unsafe), 4) == 1.3012
    two = profile_budget(capped_profile(0.25, 3.0, (0.0, 1.0), joint=True), "substitute")
    assert two.epsilon == pytest.approx(0.5 * math.log(2.75 / 0.75), abs=1e-15)
    assert profile_budget(constant_profile(3.0), "substitute").epsilon == pytest.approx(math.log(3.0))


@pytest.mark.parametrize("neighbours", BOTH)
@pytest.mark.parametrize("joint", [False, True])
def test_closed_forms_are_certified(neighbours: str, joint: bool) -> None:
    rng = np.random.default_rng(7)
    for _ in range(25):
        a, r = rng.uniform(0, 0.9), 1 + rng.exponential(2.0)
        profile = capped_profile(a, r, (0.0, 1.0) if joint else (1.0, 1.0), joint)
        closed, certified = (profile_budget(profile, neighbours, certify=c) for c in (False, True))
        assert closed.closed_form
        assert not certified.closed_form
        assert certified.epsilon <= closed.epsilon + 1e-14
        assert certified.epsilon == pytest.approx(closed.epsilon, abs=1e-9)
        p, q = closed.binding
        if p > 0 and q > 0:
            ceiling = float(np.asarray(profile.ratio(np.array(p), np.array(q))))
            assert worst_ratio(p, q, closed.epsilon, neighbours) == pytest.approx(ceiling)


def random_profile(rng: np.random.Generator) -> RiskProfile:
    """A falling profile >= 1: a maximum of powers of p and q, with steps, over a random range of q."""
    a, b, s, t = rng.uniform(0.02, 0.6), rng.uniform(0.02, 0.6), rng.uniform(0.3, 2.0), rng.uniform(0.0, 2.0)
    floor, step, at = 1.02 + rng.exponential(1.5), rng.exponential(1.0) * rng.integers(0, 2), rng.uniform(0.05, 0.95)
    low = rng.choice([0.0, rng.uniform(0.0, 1.0), 1.0])

    def ratio(p: object, q: object) -> object:
        p, q = np.asarray(p), np.asarray(q)
        return np.maximum(a / (p**s * q**t), np.maximum(b / q, floor)) + step * (p <= at)

    return RiskProfile(ratio, "random", (0.0, 1.0), (float(low), 1.0))  # type: ignore[arg-type]


STEPS = np.linspace(-1.0, 1.0, 9)


def brute_force(profile: RiskProfile, neighbours: str) -> float:
    """A fine grid, then ever finer ones around its best points: never below the infimum."""
    side = np.unique(np.r_[np.geomspace(1e-9, 1, 120), np.linspace(0.01, 1, 100)])
    low = profile.taking_part[0]
    qs = np.array([1.0]) if low == 1.0 else np.unique(np.clip(np.r_[side, low], max(low, 1e-9), 1.0))
    p, q = (x.ravel() for x in np.meshgrid(side, qs))

    def height(p: object, q: object) -> FloatArray:
        return np.asarray(point_budget(p, q, profile.ratio(p, q), neighbours))  # type: ignore[arg-type]

    values = height(p, q)
    best, least = float(values.min()), max(low, 1e-12)
    for i in np.argsort(values)[:3]:  # ever finer grids around the best point so far
        at_p, at_q, reach = p[i], q[i], 0.5
        for _ in range(40):
            near_p = np.clip(at_p * (1.0 + reach * STEPS), 1e-12, 1.0)
            near_q = np.clip(at_q * (1.0 + reach * STEPS), least, 1.0)
            heights = height(near_p[:, None], near_q[None, :])
            row, column = divmod(int(heights.argmin()), len(STEPS))
            at_p, at_q, reach = near_p[row], near_q[column], 0.6 * reach
            best = min(best, float(heights[row, column]))
    return best


@pytest.mark.slow
def test_two_hundred_random_profiles_from_the_safe_side() -> None:
    rng = np.random.default_rng(2026)
    slack = []
    for i in range(200):
        profile, neighbours = random_profile(rng), BOTH[i % 2]
        found = profile_budget(profile, neighbours)
        brute = brute_force(profile, neighbours)
        if brute > 15:  # the profile tolerates certainty: any large epsilon is safe, and the gap says that it is loose
            assert 5 < found.epsilon <= brute + found.gap
            continue
        assert found.epsilon <= brute + 1e-10
        assert found.gap < 1e-6
        slack.append(brute - found.epsilon)
    assert len(slack) > 150
    assert np.median(slack) < 1e-6
    assert max(slack) < 0.02  # what the brute force, not the certified minimum, leaves open


def test_profiles_that_rise_need_a_slope() -> None:
    def wavy(p: object, q: object) -> object:
        return 2.5 + np.sin(6.0 * np.asarray(p))

    found = profile_budget(RiskProfile(wavy, "wavy", slope=6.0), "substitute")  # type: ignore[arg-type]
    p = np.linspace(1e-6, 1, 1_000_001)
    brute = float(point_budget(p, 1.0, 2.5 + np.sin(6.0 * p), "substitute").min())
    assert found.epsilon <= brute + 1e-12
    assert found.epsilon == pytest.approx(math.log(2.5), abs=1e-9)  # the infimum, at p = 0, which no grid reaches
    assert found.epsilon == pytest.approx(brute, abs=1e-5)


@pytest.mark.parametrize("neighbours", BOTH)
def test_the_bound_is_the_worst_likelihood_ratio_of_the_mechanism(neighbours: str) -> None:
    """Over all outputs of two published counts, for somebody with the value, with another one, and away."""
    epsilon = 0.8
    noise = el.calibrate("discrete-laplace", el.PureDP(epsilon), neighbours)
    k = np.arange(-80, 81)
    law = noise.pmf(k)
    has_it, other, away = np.outer(np.roll(law, 1), law), np.outer(law, np.roll(law, 1)), np.outer(law, law)
    inner = (slice(2, -2), slice(2, -2))
    for p in (0.05, 0.3, 0.9):
        for q in (0.2, 0.7, 1.0):
            evidence = p * q + (1 - p) * q * (other / has_it)[inner] + (1 - q) * (away / has_it)[inner]
            worst = float((1.0 / evidence).max())
            bound = float(worst_ratio(p, q, epsilon, neighbours))
            assert worst <= bound + 1e-9
            if neighbours == "add-remove" or q == 1.0:
                assert worst == pytest.approx(bound, rel=1e-9)
    # q = 1 under add-remove: changing a label costs two steps
    assert worst_ratio(0.3, 1.0, epsilon, "add-remove") == pytest.approx(1 / (0.3 + 0.7 * math.exp(-1.6)))
    assert worst_ratio(0.3, 0.4, epsilon, "substitute") == pytest.approx(
        1 / (0.12 + 0.7 * math.exp(-0.8) + 0.3 * 0.6 * math.exp(-1.6))
    )


def test_reading_profiles() -> None:
    assert parse_profile("3").r == 3.0
    assert (parse_profile("max(0.25/p, 3)").a, parse_profile("max(.25/p,3)").joint) == (0.25, False)
    assert parse_profile("max(0.25/(pq),3)").taking_part == (0.0, 1.0)
    for text in ("foo", "max(p,3)", "", "max(0.25/p,3", "-3"):
        with pytest.raises(ParameterError, match="must read like"):
            parse_profile(text)
    for text, problem in (("max(2/p,3)", "in \\[0, 1\\)"), ("1", "> 1"), ("0.5", "> 1")):
        with pytest.raises(ParameterError, match=problem):
            parse_profile(text)


def test_impossible_profiles() -> None:
    with pytest.raises(ParameterError, match="allows no epsilon > 0"):
        profile_budget(RiskProfile(lambda p, q: np.where(p > 0.5, 1.0, 3.0), "1 above a half"))
    with pytest.raises(ParameterError, match="allows everything"):
        profile_budget(RiskProfile(lambda p, q: 1.0 / (p * q) + 1.0, "all", prior=(0.1, 1.0)))
    with pytest.raises(ParameterError, match="must ascend"):
        RiskProfile(lambda p, q: 3.0 + 0.0 * p, "range", prior=(0.5, 0.2))
    with pytest.raises(ParameterError, match="neighbours"):
        profile_budget(constant_profile(2.0), "twins")
