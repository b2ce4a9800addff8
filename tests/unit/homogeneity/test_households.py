"""The homogeneity attack on households."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from epsilens.homogeneity.belief import belief
from epsilens.homogeneity.households import LARGEST_SIZE, households
from epsilens.homogeneity.shown import shown_and_hidden
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.frequency import FrequencyTable
from epsilens.table.households import Households, Members

VECTORS = np.array([[2, 0, 1], [0, 1, 0], [1, 1, 1], [0, 0, 3]])


def of(rows: list[tuple[int, int, int, int]], weights: tuple[float, ...] = (1.0, 1.0, 1.0)) -> Households:
    household, cell, label, people = np.array(rows, dtype=np.int64).T
    members = Members(household, cell, label, people, np.zeros(len(rows), dtype=bool))
    return Households.of(VECTORS, members, ("a", "b", "c"), np.array(weights))


def enumerated(cells: list[int], label: int, noise: Noise) -> tuple[float, float, float, float]:
    """Every combination of labels that all cells may show, one by one."""
    shown, hidden = shown_and_hidden(VECTORS, noise)
    disclosed = right = wrong = contradicted = 0.0
    for pattern in itertools.product(*(itertools.product((0, 1), repeat=3) for _ in cells)):
        chance = 1.0
        singles = set()
        for cell, seen in zip(cells, pattern, strict=True):
            chance *= float(np.prod(np.where(seen, shown[cell], hidden[cell])))
            if sum(seen) == 1:
                singles.add(seen.index(1))
        disclosed += chance * (label in singles)
        right += chance * (singles == {label})
        wrong += chance * (len(singles) == 1 and label not in singles)
        contradicted += chance * (len(singles) > 1)
    return disclosed, right, wrong, contradicted


@pytest.mark.parametrize("noise", [DiscreteLaplaceNoise(1.0), GaussianNoise(0.8), LaplaceNoise(3.0)], ids=repr)
@pytest.mark.parametrize(("cells", "label"), [([0], 0), ([0, 2], 0), ([3, 2, 0], 2), ([1, 2], 1)])
def test_every_outcome_is_enumerated(noise: Noise, cells: list[int], label: int) -> None:
    found = of([(7, cell, label, 1) for cell in cells])
    shares = households(found, noise).households
    expected = enumerated(cells, label, noise)
    assert (shares.disclosed, shares.right, shares.wrong, shares.contradicted) == pytest.approx(expected, rel=1e-12)


def test_members_of_one_cell_have_one_chance_together() -> None:
    alone, together = of([(1, 3, 2, 1)]), of([(1, 3, 2, 3)])
    noise = DiscreteLaplaceNoise(1.0)
    assert households(alone, noise).households == households(together, noise).households


def test_mixed_households_count_as_persons_and_persons_are_those_of_the_table() -> None:
    rows = [(1, 0, 0, 2), (1, 2, 2, 1), (2, 0, 2, 1), (2, 3, 2, 3), (3, 1, 1, 1), (3, 2, 1, 1), (4, 2, 0, 1)]
    found, noise = of(rows), DiscreteLaplaceNoise(1.0)
    assert (found.mixed, found.people_in_mixed) == (1, 3)
    risk = households(found, noise)
    table = FrequencyTable.from_counts(VECTORS)
    assert risk.persons == pytest.approx(belief(table, noise).right, rel=1e-12)
    assert risk.people.disclosed >= risk.persons
    assert [row.size for row in risk.by_size] == [1, 2, 4]
    assert sum(row.people for row in risk.by_size) == found.n_people - 3
    today = households(found)
    assert today.persons == pytest.approx(belief(table).right)
    assert today.households.disclosed == pytest.approx(2 / 3)  # by cells 1 and 3, which are homogeneous
    assert today.households.wrong == today.households.contradicted == 0.0


def test_members_of_mixed_households_are_shown_rightly_and_wrongly_as_persons_are() -> None:
    noise = DiscreteLaplaceNoise(1.0)
    people = households(of([(1, 0, 0, 2), (1, 2, 2, 1)]), noise).people
    two, one = enumerated([0], 0, noise), enumerated([2], 2, noise)
    expected = [(2 * a + b) / 3 for a, b in zip(two, one, strict=True)]
    assert [people.disclosed, people.right, people.wrong] == pytest.approx(expected[:3], rel=1e-12)


def test_values_that_harm_nobody_are_not_disclosed() -> None:
    rows = [(1, 0, 0, 2), (2, 0, 2, 1), (2, 3, 2, 3)]
    noise = DiscreteLaplaceNoise(1.0)
    found = households(of(rows, (0.0, 1.0, 2.0)), noise)
    assert found.by_size[0].shares.disclosed == 0.0
    assert found.by_size[1].shares.disclosed > 0.0
    assert found.by_size[0].shares.wrong < households(of(rows), noise).by_size[0].shares.wrong + 1e-15
    assert found.by_size[0].shares.wrong > 0.0


def test_a_simulation_agrees_within_its_error() -> None:
    rng, noise = np.random.default_rng(3), DiscreteLaplaceNoise(1.0)
    cells, label, draws = [0, 2, 3], 2, 20_000
    exact = households(of([(1, cell, label, 1) for cell in cells]), noise).households
    seen = VECTORS[cells] + noise.sample((draws, 3, 3), rng) >= 0.5
    single = np.where(seen.sum(axis=2) == 1, seen.argmax(axis=2), -1)
    theirs, other = (single == label).any(axis=1), ((single >= 0) & (single != label)).any(axis=1)
    for share, hits in ((exact.disclosed, theirs), (exact.right, theirs & ~other)):
        assert abs(hits.mean() - share) < 5 * np.sqrt(share * (1 - share) / draws)


def test_large_households_are_told_together() -> None:
    found = of([(1, 3, 2, 9), (2, 0, 0, 8)])
    assert [row.size for row in households(found, LaplaceNoise(1.0)).by_size] == [LARGEST_SIZE]
    assert "sizes of households" in repr(households(found))
    assert "INTERNAL" in households(found)._repr_html_()
