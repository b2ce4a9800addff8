"""Who is shown as what under models of counts, against enumeration of all counts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from epsilens.arrays import FloatArray
from epsilens.homogeneity.models import multinomial as kernels
from epsilens.homogeneity.models.by_label import (
    LabelRisks,
    expected_labels,
    generic_labels,
    local_labels,
    marginal_labels,
    shrinkage_labels,
)
from epsilens.homogeneity.models.dirichlet import dirichlet_sizes
from epsilens.homogeneity.models.expected import expected_risks, marginal_risks, shrinkage_risks
from epsilens.homogeneity.models.sizes import FixedSize, NegativeBinomialSize, PoissonSize, SizeModel, truncated_pmf
from epsilens.noise import DiscreteLaplaceNoise, GaussianNoise, LaplaceNoise, Noise
from tests.unit.homogeneity.enumeration import (
    dirichlet_multinomial,
    enumerated_labels,
    multinomial,
    shown_labels,
)

NOISES: list[Noise] = [LaplaceNoise(0.8), DiscreteLaplaceNoise(0.6), GaussianNoise(2.0)]
VECTORS = np.array([[3, 0, 1], [1, 2, 0], [0, 0, 5], [2, 1, 2], [1, -1, 2], [0, 4, -1], [0, 0, 0]])
ALPHA = np.array([0.4, 1.3, 0.9])


def check(found: LabelRisks, noise: Noise, wanted: Sequence[tuple[Any, Any]]) -> None:
    """Right and wrong labels of all rows, and nothing for the empty cell."""
    for wrong in (False, True):
        values = found(noise, wrong)
        np.testing.assert_allclose(values[: len(wanted)], [pair[wrong] for pair in wanted], rtol=1e-9, atol=1e-15)
        assert not values[len(wanted) :].any()


def possible(row: FloatArray) -> list[bool]:
    return [bool(count >= 0) for count in row]


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_local_and_expected_labels(noise: Noise) -> None:
    rows = VECTORS[:-1]
    counts = [np.maximum(row, 0).tolist() for row in rows]
    check(
        local_labels(VECTORS, "share"),
        noise,
        [shown_labels(c, noise, possible(row)) for c, row in zip(counts, rows, strict=True)],
    )
    wanted = [
        enumerated_labels(sum(c), multinomial([n / sum(c) for n in c]), 3, noise, possible(row))
        for c, row in zip(counts, rows, strict=True)
    ]
    check(expected_labels(VECTORS, "share"), noise, wanted)


@pytest.mark.parametrize("law", [FixedSize(4), PoissonSize(0.9), NegativeBinomialSize(2.0, 0.4)], ids=repr)
def test_marginal_labels(law: SizeModel) -> None:
    noise, largest = DiscreteLaplaceNoise(0.6), 13
    wanted = []
    for row in VECTORS[:-1]:
        shares = np.maximum(row, 0) / np.maximum(row, 0).sum()
        sizes = [4] if isinstance(law, FixedSize) else range(1, largest)
        parts = [enumerated_labels(n, multinomial(shares.tolist()), 3, noise, possible(row)) for n in sizes]
        chances = truncated_pmf(law, np.array(sizes))
        wanted.append((chances @ [part[0] for part in parts], chances @ [part[1] for part in parts]))
    found = marginal_labels(VECTORS, law, "share")
    for wrong in (False, True):
        np.testing.assert_allclose(found(noise, wrong)[:-1], [pair[wrong] for pair in wanted], rtol=0, atol=2e-8)


@pytest.mark.parametrize("noise", NOISES, ids=repr)
def test_shrinkage_and_generic_labels(noise: Noise) -> None:
    wanted = []
    for row in VECTORS[:-1]:
        can = np.flatnonzero(row >= 0)
        right, wrong = np.zeros(3), np.zeros(3)
        found = enumerated_labels(
            int(np.maximum(row, 0).sum()), dirichlet_multinomial(ALPHA[can].tolist()), len(can), noise
        )
        right[can], wrong[can] = found
        wanted.append((right, wrong))
    check(shrinkage_labels(VECTORS, ALPHA, "share"), noise, wanted)
    generic = generic_labels(VECTORS[:4], np.array([1, 2, 1, 1]), ALPHA, FixedSize(4), "share")
    check(generic, noise, [enumerated_labels(4, dirichlet_multinomial(ALPHA.tolist()), 3, noise)])


def test_a_generic_cell_has_the_labels_of_each_kind_of_cell_as_often_as_there_are_such_cells() -> None:
    noise, law = LaplaceNoise(3.0), PoissonSize(20.0)
    vectors, cells = np.array([[3, 0, 1], [1, 2, 1], [1, -1, 2]]), np.array([2, 4, 1])
    mixed = generic_labels(vectors, cells, ALPHA, law, "share")(noise)
    whole = generic_labels(vectors[:2], cells[:2], ALPHA, law, "share")(noise)
    some = generic_labels(vectors[2:], cells[2:], ALPHA, law, "share")(noise)
    np.testing.assert_allclose(mixed, (6 * whole + some) / 7, rtol=1e-12)


def test_a_large_generic_cell_is_that_of_every_size() -> None:
    """Few sizes stand for all of a large law."""
    noise, law, sizes = LaplaceNoise(30.0), PoissonSize(7e4), np.arange(68_500, 71_500)
    found = generic_labels(np.array([[3, 0, 1]]), np.ones(1, dtype=np.int64), ALPHA, law, "share")(noise)
    each = dirichlet_sizes(ALPHA, sizes, "share").by_label(noise)
    np.testing.assert_allclose(found[0], truncated_pmf(law, sizes) @ each, rtol=1e-6)


@pytest.mark.parametrize("match", ["any", "share"])
@pytest.mark.parametrize("noise", [LaplaceNoise(3.0), GaussianNoise(90.0)], ids=repr)
def test_labels_add_up_to_the_risk_of_the_cell(match: str, noise: Noise) -> None:
    """Circles of many sizes, pairs, cells one by one, long series: what the risk of a cell is summed up from."""
    rows = np.array([[30, 20, 9, 0], [900, 40, 0, 0], [3000, 3, 2, 1], [1, 1, 1, 1]])
    np.testing.assert_allclose(
        expected_labels(rows, match)(noise).sum(axis=1), expected_risks(rows, match)(noise), rtol=0, atol=1e-13
    )
    law, alpha = NegativeBinomialSize(0.7, 9.0), np.array([0.1, 2.0, 0.5, 7.0])
    np.testing.assert_allclose(
        marginal_labels(rows, law, match)(noise).sum(axis=1),
        marginal_risks(rows, law, match)(noise),
        rtol=0,
        atol=1e-13,
    )
    np.testing.assert_allclose(
        shrinkage_labels(rows, alpha, match)(noise).sum(axis=1),
        shrinkage_risks(rows, alpha, match)(noise),
        rtol=1e-11,
    )


def test_who_is_shown_right_or_wrong_is_everybody_in_a_cell_that_shows_one_label() -> None:
    """The weights N_k / n and 1 - N_k / n add up to 1, and n times the latter are the people with other labels."""
    rows, noise = np.array([[30, 20, 9], [40, 2, 1], [2, 2, 2]]), GaussianNoise(12.0)
    for row, right, wrong in zip(
        rows,
        expected_labels(rows, "share")(noise),
        expected_labels(rows, "share")(noise, wrong=True),
        strict=True,
    ):
        size, shares = int(row.sum()), row / row.sum()
        sums = np.zeros(3)
        for first in range(size + 1):  # the counts of three labels, two of which are free
            second = np.arange(size - first + 1)
            counts = np.stack([np.full(len(second), first), second, size - first - second])
            logs = (counts * np.log(shares)[:, None]).sum(axis=0)
            ways = [math.lgamma(size + 1) - sum(math.lgamma(c + 1) for c in column) for column in counts.T]
            shown, hidden = noise.sf(0.5 - counts), noise.cdf(0.5 - counts)
            alone = np.stack([shown[k] * np.delete(hidden, k, axis=0).prod(axis=0) for k in range(3)])
            sums += alone @ np.exp(logs + ways)
        np.testing.assert_allclose(right + wrong, sums, rtol=1e-10, atol=1e-15)


def test_a_small_side_keeps_its_digits() -> None:
    """Nearly everybody has one label, the noise is short: what is shown wrongly is tiny, and not what is left over."""
    noise = LaplaceNoise(0.05)
    wrong = shrinkage_labels(np.array([[40, 1]]), np.array([30.0, 0.01]), "share")(noise, wrong=True)[0]
    wanted = enumerated_labels(41, dirichlet_multinomial([30.0, 0.01]), 2, noise)[1]
    np.testing.assert_allclose(wrong, wanted, rtol=1e-9)
    assert wrong[0] < 1e-8
    paired = expected_labels(np.array([[40, 1]]), "share")(noise, wrong=True)[0]
    np.testing.assert_allclose(paired, enumerated_labels(41, multinomial([40 / 41, 1 / 41]), 2, noise)[1], rtol=1e-9)


def test_huge_sizes_agree_with_series(monkeypatch: pytest.MonkeyPatch) -> None:
    noise, sizes = LaplaceNoise(3.0), np.array([400, 700])
    for alpha in (np.array([0.6]), np.array([0.6, 1.1]), np.array([0.6, 1.1, 0.2])):
        for wrong in (False, True):
            by_series = dirichlet_sizes(alpha, sizes, "share").by_label(noise, wrong)
            with monkeypatch.context() as patch:
                patch.setattr("epsilens.homogeneity.models.dirichlet._LARGEST_SERIES", 300)
                by_sums = dirichlet_sizes(alpha, sizes, "share").by_label(noise, wrong)
                patch.setattr("epsilens.homogeneity.models.dirichlet._MOST_NUMBERS", 3)
                by_longer_series = dirichlet_sizes(alpha, sizes, "share").by_label(noise, wrong)
            np.testing.assert_allclose(by_sums, by_series, rtol=1e-11)
            np.testing.assert_allclose(by_longer_series, by_series, rtol=1e-11)


@pytest.mark.parametrize("wrong", [False, True])
@pytest.mark.parametrize("noise", [LaplaceNoise(2.0), GaussianNoise(60.0)], ids=repr)
def test_cells_one_by_one_agree_with_cells_together(wrong: bool, noise: Noise, monkeypatch: pytest.MonkeyPatch) -> None:
    rows = np.array([[900, 40, 0, 0], [500, 400, 0, 0], [5000, 3, 2, 1], [70, 70, 60, 3], [9, 9, 9, 9]])
    together = expected_labels(rows, "share")(noise, wrong)
    monkeypatch.setattr(kernels, "_MOST_SHARED", 1)
    np.testing.assert_allclose(expected_labels(rows, "share")(noise, wrong), together, rtol=0, atol=1e-13)
