"""Risks of cells of marginals as pairs, against full matrices and against all combinations of noise."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.homogeneity import single_labels
from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.partial.added_up import log_hidden
from epsilens.homogeneity.partial.seen import SeenCells
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from epsilens.table.marginal_cells import TableCells
from epsilens.table.marginal_counts import FullCounts, MarginalCounts, PairCounts
from tests.unit.homogeneity.partial.test_added_up import LAWS, TABLE, enumerated

NOISES: list[Noise] = [
    LaplaceNoise(0.4),
    LaplaceNoise(0.05),
    GaussianNoise(0.6),
    DiscreteLaplaceNoise(1.3),
    DiscreteGaussianNoise(0.5),
]
COLUMNS = ("a", "b", "c", "d")
SIZES = (12, 3, 2, 2)


def people(columns: int, universe: bool, seed: int) -> el.FrequencyTable:
    """People with 26 illnesses, most of which few people have; of the universe not every cell has people."""
    rng, number = np.random.default_rng(seed), 40 * columns
    rows = {
        name: rng.integers(0, size, number).astype(str) for name, size in zip(COLUMNS[:columns], SIZES, strict=False)
    }
    labels = [f"v{k:02}" for k in range(26)]
    others = np.where(rng.random(number - 24) < 0.7, 0, rng.integers(0, 24, number - 24))
    rows["ill"] = np.array(labels)[np.concatenate([np.arange(24), others])]
    declared = {name: [str(i) for i in range(size + 1)] for name, size in zip(COLUMNS[:columns], SIZES, strict=False)}
    schema = el.Schema(list(COLUMNS[:columns]), "ill", universe=declared | {"ill": labels} if universe else None)
    return el.read_table(pd.DataFrame(rows), schema)


def seen(cells: TableCells, columns: tuple[str, ...], noise: Noise, weights: FloatArray) -> list[FloatArray]:
    found = cells.with_values(log_hidden(cells.counts.each, [LaplaceNoise(7.0), noise])).marginal(columns)
    ready = SeenCells.of(found.counts, weights)
    return [ready.published(noise), ready.added_up(noise), ready.clipped(noise, 1)]


def in_full(cells: TableCells) -> TableCells:
    return replace(cells, counts=FullCounts.of_table(cells.counts.sparse.dense()))


@pytest.mark.parametrize("few_rows", [0, 64])
@pytest.mark.parametrize("universe", [False, True])
@pytest.mark.parametrize("columns", [1, 2, 3, 4])
def test_pairs_have_the_risks_of_full_matrices(
    columns: int, universe: bool, few_rows: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(single_labels, "_FEW_ROWS", few_rows)
    cells = TableCells.of(people(columns, universe, seed=columns))
    assert isinstance(cells.counts, PairCounts)
    labels, largest = cells.table.n_labels, np.zeros(3)
    for noise in NOISES:
        for size in range(columns + 1):
            for chosen in combinations(COLUMNS[:columns], size):
                for weights in (np.ones(labels), np.arange(labels) % 4 / 2.0):
                    found, expected = seen(cells, chosen, noise, weights), seen(in_full(cells), chosen, noise, weights)
                    for mine, theirs in zip(found, expected, strict=True):
                        np.testing.assert_allclose(mine, theirs, rtol=1e-12, atol=1e-300)
                    largest = np.maximum(largest, [risks.max() for risks in found])
    assert (largest > 1e-4).all()


@pytest.mark.parametrize("noise", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("columns", [(), ("a",), ("b",), ("a", "b")])
def test_pairs_against_all_combinations_of_noise(noise: Noise, columns: tuple[str, ...]) -> None:
    cells = TableCells.of(TABLE)
    cells = replace(cells, counts=PairCounts.of_table(cells.counts.sparse))
    _, summed, clipped = seen(cells, columns, noise, np.ones(2))
    group = cells.marginal(columns).group
    for i in range(len(summed)):
        rows = TABLE.counts[group == i].tolist()
        assert summed[i] == pytest.approx(enumerated(rows, noise, clipped=False), abs=2e-5)
        assert clipped[i] == pytest.approx(enumerated(rows, noise, clipped=True), abs=2e-5)


def test_cells_without_people_are_at_no_risk() -> None:
    counts = np.zeros((3, 30), dtype=np.int64)
    counts[1, 4] = 2
    table = el.FrequencyTable.from_counts(counts, [f"v{k}" for k in range(30)], {"a": ["x", "y", "z"]})
    cells = TableCells.of(table)
    assert isinstance(cells.counts, PairCounts)
    for risks in seen(cells, ("a",), LaplaceNoise(0.1), np.ones(30)):
        np.testing.assert_allclose(risks, local_risks(counts, LaplaceNoise(0.1)), rtol=1e-12)
        assert risks[[0, 2]].tolist() == [0.0, 0.0]


def test_sets_of_cells_one_after_another_have_the_risks_of_each() -> None:
    cells = TableCells.of(people(2, False, seed=8))
    several: list[MarginalCounts] = [cells.marginal(columns).counts for columns in ((), ("a",), ("a", "b"))]
    first, *others = several
    noise, weights = LaplaceNoise(0.3), np.ones(cells.table.n_labels)
    together = SeenCells.of(first.joined(others), weights)
    for name in ("published", "added_up"):
        apart = np.concatenate([getattr(SeenCells.of(one, weights), name)(noise) for one in several])
        np.testing.assert_allclose(getattr(together, name)(noise), apart, rtol=1e-13)
