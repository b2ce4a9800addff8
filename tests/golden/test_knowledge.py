"""Attackers who know only some of Adult's attributes."""

from __future__ import annotations

import math

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.knowing.answer import Knowledge, KnownSet


@pytest.fixture(scope="module")
def found(adult: el.FrequencyTable) -> Knowledge:
    return el.knowledge(adult, "laplace", [1.0, 2.0], share=0.2)


def known(found: Knowledge, *attributes: str) -> KnownSet:
    return next(one for one in found.sets if set(one.attributes) == set(attributes))


def test_who_is_disclosed_today(found: Knowledge) -> None:
    assert len(found.sets) == 63
    assert (found.people, found.everything.disclosed_today) == (27504, 11112)
    assert known(found, "age", "relationship").disclosed_today == 1642
    assert known(found, "sex").disclosed_today == 0
    sizes = [len(one.attributes) for one in found.enough.today]
    assert sizes == [4, 4, 4, 5, 5]


def test_after_noise(found: Knowledge) -> None:
    one = known(found, "age", "relationship", "education", "sex")
    risk = one.risks[0]
    assert risk.added_up == pytest.approx(0.2080, abs=5e-5)
    assert risk.published == pytest.approx(0.1797, abs=5e-5)
    assert found.clipped(one)[0] == pytest.approx(0.0372, abs=5e-5)
    assert found.everything.risks[0].added_up == pytest.approx(found.everything.risks[0].published, rel=1e-12)


def test_what_each_column_carries(found: Knowledge) -> None:
    shares = {one.column: one.due for one in found.columns}
    assert sum(share or 0.0 for share in shares.values()) == pytest.approx(11112)
    assert shares["age"] == pytest.approx(3197.0167, abs=1e-3)
    assert shares["sex"] == pytest.approx(651.2833, abs=1e-3)
    assert found.coarsenings[0].column == "age"


def test_simulated_releases_within_five_standard_errors(adult: el.FrequencyTable, found: Knowledge) -> None:
    columns, draws, rng = ("age", "relationship"), 120, np.random.default_rng(11)
    cells = adult.cells()
    keys = list(zip(*(cells[name] for name in columns), strict=True))
    place = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    group = np.array([place[key] for key in keys])
    true = np.stack([np.bincount(group, weights=column) for column in adult.counts.T], axis=1)
    people = true.sum(axis=1) / true.sum()
    shares = {"added_up": [], "added_up_clipped": []}  # type: dict[str, list[float]]
    for _ in range(draws):
        noisy = adult.counts + rng.laplace(0.0, 1.0, adult.counts.shape)
        for name, counts in (("added_up", noisy), ("added_up_clipped", np.maximum(np.floor(noisy + 0.5), 0.0))):
            shown = np.stack([np.bincount(group, weights=column) for column in counts.T], axis=1) >= 0.5
            right = (shown.sum(axis=1) == 1) & (shown & (true > 0)).any(axis=1)
            shares[name].append(float(people @ right))
    one = known(found, *columns)
    exact = {"added_up": one.risks[0].added_up, "added_up_clipped": found.clipped(one)[0]}
    for name, drawn in shares.items():
        error = float(np.std(drawn)) / math.sqrt(draws)
        assert abs(float(np.mean(drawn)) - (exact[name] or 0.0)) < 5.0 * error
