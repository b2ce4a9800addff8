"""Local risks and scenarios against an independent enumeration of every published cell, and against simulation."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.homogeneity import local, scenarios
from epsilens.noise import GaussianNoise, LaplaceNoise, Noise
from epsilens.noise.mechanisms import laws
from epsilens.table.frequency import FrequencyTable

WHOLE = [law.of_size(size) for law in laws().values() if law.integer_valued for size in (0.7, 1.3, 2.0)]
CONTINUOUS = [law.of_size(size) for law in laws().values() if not law.integer_valued for size in (0.4, 0.8, 3.0)]
CELLS = [(1, 0), (0, 4), (1, 1), (3, 1), (1, 1, 1), (2, 0, 0), (5, 0, 2), (0, 2, 1, 3), (6, 1, 0, 0), (40, 1, 0)]


def enumerated(cell: tuple[int, ...], noise: Noise) -> tuple[float, float, np.ndarray]:
    """Risk (any), risk (share) and scenario probabilities by summing over every combination of published counts."""
    reach = 60
    published = [
        {max(0, count + e): 0.0 for e in range(-reach, reach + 1)} for count in cell
    ]  # published count -> probability
    for law, count in zip(published, cell, strict=True):
        for e in range(-reach, reach + 1):
            law[max(0, count + e)] += float(noise.pmf(e))
    shown = [sum(p for value, p in law.items() if value > 0) for law in published]
    hidden = [law.get(0, 0.0) for law in published]
    present = [count > 0 for count in cell]
    probabilities = np.zeros(8)
    any_risk = share_risk = 0.0
    for pattern in itertools.product([False, True], repeat=len(cell)):
        p = float(np.prod([s if on else h for on, s, h in zip(pattern, shown, hidden, strict=True)]))
        labels = [k for k, on in enumerate(pattern) if on]
        homogeneous = sum(present) == 1
        if len(labels) == 1:
            right = present[labels[0]]
            any_risk += p * right
            share_risk += p * cell[labels[0]] / sum(cell)
            index = (0 if right else 1) if homogeneous else (7 if right else 6)
        elif labels:
            index = 2 if homogeneous else 4
        else:
            index = 3 if homogeneous else 5
        probabilities[index] += p
    return any_risk, share_risk, probabilities


@pytest.mark.parametrize("noise", WHOLE, ids=repr)
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_integer_noise_agrees_with_enumeration(cell: tuple[int, ...], noise: Noise) -> None:
    table = FrequencyTable.from_counts([cell])
    any_risk, share_risk, probabilities = enumerated(cell, noise)
    assert local(table, noise)[0] == pytest.approx(any_risk, abs=1e-12)
    assert local(table, noise, match="share")[0] == pytest.approx(share_risk, abs=1e-12)
    np.testing.assert_allclose(scenarios(table, noise)[0], probabilities, atol=1e-12)


@pytest.mark.parametrize("noise", CONTINUOUS, ids=repr)
@pytest.mark.parametrize("cell", CELLS, ids=str)
def test_continuous_noise_agrees_with_simulation(cell: tuple[int, ...], noise: Noise) -> None:
    repeats = 40_000
    table = FrequencyTable.from_counts([cell])
    draws = noise.sample((repeats, len(cell)), np.random.default_rng(sum(cell) + len(cell)))
    published = np.maximum(np.floor(np.array(cell) + draws + 0.5), 0)
    on = published > 0
    single = on.sum(axis=1) == 1
    only = on.argmax(axis=1)
    right = single & (np.array(cell)[only] > 0)
    outcome = np.select([right, single, on.sum(axis=1) > 1], [0, 1, 2], 3)
    if sum(count > 0 for count in cell) > 1:
        outcome = np.array([7, 6, 4, 5])[outcome]
    frequencies = np.bincount(outcome, minlength=8) / repeats
    exact = scenarios(table, noise)[0]
    assert np.all(np.abs(frequencies - exact) <= 5 * np.sqrt(exact * (1 - exact) / repeats) + 1e-12)
    assert local(table, noise)[0] == pytest.approx(exact[0] + exact[7], abs=1e-14)


tables = st.integers(2, 6).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 30), min_size=k, max_size=k), min_size=1, max_size=6).filter(
        lambda rows: any(any(row) for row in rows)
    )
)


@settings(max_examples=150)
@given(
    law=st.sampled_from(list(laws().values())), scale=st.floats(1e-3, 1e6), rows=tables, seed=st.integers(0, 2**32 - 1)
)
def test_laws_of_every_risk(law: Noise, scale: float, rows: list[list[int]], seed: int) -> None:
    noise = law.of_size(scale)
    table = FrequencyTable.from_counts(rows)
    risks, shares, probabilities = local(table, noise), local(table, noise, "share"), scenarios(table, noise)
    occupied = table.counts.sum(axis=1) > 0
    assert np.all((risks >= 0) & (risks <= 1 + 1e-15))
    assert np.all(shares <= risks + 1e-15)
    assert np.all(risks[~occupied] == 0)
    np.testing.assert_allclose(probabilities.sum(axis=1), occupied, atol=1e-12)
    permuted = np.array(rows)[:, np.random.default_rng(seed).permutation(table.n_labels)]
    np.testing.assert_allclose(local(FrequencyTable.from_counts(permuted), noise), risks, atol=1e-14)


def test_limits_of_no_privacy_and_of_no_information() -> None:
    rows = [[3, 0, 0], [1, 1, 0], [1, 1, 1]]
    table = FrequencyTable.from_counts(rows)
    np.testing.assert_allclose(local(table, LaplaceNoise(1e-3)), [1, 0, 0], atol=1e-12)
    # as epsilon -> 0 every label is shown with probability 1/2: the risk is |labels present| / 2^K, not 1 / 2^K
    np.testing.assert_allclose(local(table, LaplaceNoise(1e12)), np.array([1, 2, 3]) / 8, atol=1e-9)


def test_many_labels_neither_underflow_nor_divide_by_zero() -> None:
    rows = np.zeros((2, 1500), dtype=int)
    rows[0, 0] = 10**6
    rows[1, :3] = [10**6, 10**6, 1]
    risks = local(FrequencyTable.from_counts(rows), LaplaceNoise(0.05))
    assert risks[0] == pytest.approx((1 - 0.5 * np.exp(-10)) ** 1499, rel=1e-12)
    assert risks[1] == 0.0


def test_structural_zeros_are_never_shown() -> None:
    free = FrequencyTable.from_counts([[2, 1]])
    fenced = FrequencyTable.from_counts([[2, 1, 0]], structural_zeros=[[False, False, True]])
    noise = GaussianNoise(2.0)
    assert local(fenced, noise)[0] == pytest.approx(local(free, noise)[0], rel=1e-15)
    assert scenarios(fenced, noise)[0][6] == 0.0
