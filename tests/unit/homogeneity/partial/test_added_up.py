"""Noisy counts added up, against all combinations of noise."""

from __future__ import annotations

import itertools
import math
from dataclasses import replace

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.homogeneity.partial.added_up import (
    AddedUpCounts,
    added_up_risks,
    clipped_hidden,
    clipped_risks,
    log_hidden,
)
from epsilens.noise import DiscreteGaussianNoise, DiscreteLaplaceNoise, LaplaceNoise, Noise
from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.marginal_cells import MarginalCells, TableCells
from epsilens.table.marginal_counts import FullCounts

CELLS = {"a": ["x", "x", "y"], "b": ["1", "2", "1"]}
TABLE = el.FrequencyTable.from_counts([[1, 0], [2, 0], [1, 1]], ["no", "yes"], CELLS)
LAWS: list[Noise] = [DiscreteLaplaceNoise(0.35), DiscreteGaussianNoise(0.5)]


def enumerated(counts: list[list[int]], noise: Noise, clipped: bool) -> float:
    """P(one label of the summed cells is shown, and somebody has it), over all noise of all cells and labels."""
    values = np.arange(-4.0, 5.0)
    mass = noise.pmf(values)
    totals = [sum(column) for column in zip(*counts, strict=True)]
    shown = []
    for column in zip(*counts, strict=True):
        p = 0.0
        for draws in itertools.product(range(len(values)), repeat=len(column)):
            published = [n + values[i] for n, i in zip(column, draws, strict=True)]
            summed = sum(max(0.0, n) for n in published) if clipped else sum(published)
            p += (summed >= 0.5) * math.prod(mass[i] for i in draws)
        shown.append(p)
    return sum(
        shown[k] * math.prod(1.0 - p for j, p in enumerate(shown) if j != k) for k, n in enumerate(totals) if n > 0
    )


def marginal(table: el.FrequencyTable, columns: tuple[str, ...], noise: Noise) -> tuple[MarginalCells, FullCounts]:
    cells = TableCells.of(table)
    found = cells.with_values(log_hidden(cells.counts.each, [noise])).marginal(columns)
    assert isinstance(found.counts, FullCounts)
    return found, found.counts


def risks_added_up(counts: FullCounts, noise: Noise) -> FloatArray:
    return added_up_risks(counts.vectors, AddedUpCounts.of(counts.vectors, counts.parts), noise)


def risks_clipped(counts: FullCounts, noise: Noise) -> FloatArray:
    assert counts.values is not None
    return clipped_risks(counts.vectors, clipped_hidden(counts.values[0], counts.parts, noise))


@pytest.mark.parametrize("noise", LAWS, ids=lambda law: law.name)
@pytest.mark.parametrize("columns", [(), ("a",), ("b",), ("a", "b")])
def test_against_all_combinations_of_noise(noise: Noise, columns: tuple[str, ...]) -> None:
    found, counts = marginal(TABLE, columns, noise)
    summed, clipped = risks_added_up(counts, noise), risks_clipped(counts, noise)
    for i in range(len(counts)):
        rows = TABLE.counts[found.group == i].tolist()
        assert summed[i] == pytest.approx(enumerated(rows, noise, clipped=False), abs=2e-5)
        assert clipped[i] == pytest.approx(enumerated(rows, noise, clipped=True), abs=2e-5)


def test_all_columns_known_is_the_local_risk() -> None:
    noise = LaplaceNoise(1.0)
    _, counts = marginal(TABLE, ("a", "b"), noise)
    assert risks_added_up(counts, noise) == pytest.approx(el.homogeneity.local(TABLE, noise))


def test_simulation_within_five_standard_errors() -> None:
    noise, draws, rng = LaplaceNoise(0.9), 60_000, np.random.default_rng(7)
    _, counts = marginal(TABLE, ("a",), noise)
    each = TABLE.counts + noise.sample((draws, *TABLE.counts.shape), rng)
    for published, risks in (
        (each, risks_added_up(counts, noise)),
        (np.maximum(np.floor(each + 0.5), 0.0), risks_clipped(counts, noise)),
    ):
        for i, members in enumerate(([0, 1], [2])):
            shown = published[:, members].sum(axis=1) >= 0.5
            right = (shown.sum(axis=1) == 1) & (shown & (counts.vectors[i] > 0)).any(axis=1)
            assert abs(right.mean() - risks[i]) < 5.0 * math.sqrt(risks[i] * (1.0 - risks[i]) / draws)


def test_cells_of_the_universe_that_nobody_is_in_are_added_up_too() -> None:
    schema = el.Schema(["a", "b"], "ill", universe={"a": ["x", "y"], "b": ["1", "2", "3"]})
    people = el.FrequencyTable.from_counts([[1, 1], [1, 0]], ["no", "yes"], {"a": ["x", "y"], "b": ["1", "2"]})
    table, noise = replace(people, sensitive=("ill",), schema=schema), DiscreteLaplaceNoise(0.35)
    risks = risks_clipped(marginal(table, ("a",), noise)[1], noise)
    for i, filled in enumerate(([1, 1], [1, 0])):
        assert risks[i] == pytest.approx(enumerated([filled, [0, 0], [0, 0]], noise, clipped=True), abs=2e-5)


def test_weights_and_what_cannot_occur() -> None:
    vectors, parts = np.array([[3, STRUCTURAL_ZERO, 1]]), np.array([[2, 0, 2]])
    noise = LaplaceNoise(1.0)
    shown = [float(el.noise.LaplaceNoise(1.0).exact_sum(2).sf(0.5 - n)) for n in (3, 1)]
    alone = np.array([shown[0] * (1 - shown[1]), shown[1] * (1 - shown[0])])
    sums = AddedUpCounts.of(vectors, parts)
    assert added_up_risks(vectors, sums, noise) == pytest.approx([alone.sum()])
    assert added_up_risks(vectors, sums, noise, weights=np.array([0.0, 1.0, 3.0])) == pytest.approx([3 * alone[1]])
    assert added_up_risks(vectors, sums, noise, "share") == pytest.approx([alone @ [0.75, 0.25]])


def test_a_law_is_asked_once_for_every_count_and_number_of_draws() -> None:
    sums = AddedUpCounts.of(np.array([[1, 2], [2, 1], [1, 2]]), np.array([[3, 3], [3, 3], [4, 3]]))
    assert list(zip(sums.terms.tolist(), sums.counts.tolist(), strict=True)) == [(3, 1), (3, 2), (4, 1)]
    assert sums.where.tolist() == [[0, 1], [1, 0], [2, 1]]
    many = AddedUpCounts.of(np.array([[2**52, 1]]), np.array([[2**40, 1]]))
    assert sorted(many.terms.tolist()) == [1, 2**40]
