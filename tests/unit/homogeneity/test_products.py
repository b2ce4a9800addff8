"""Labels that many vectors have in common, multiplied once."""

from __future__ import annotations

import numpy as np
import pytest

from epsilens.arrays import ComplexArray, FloatArray, IntArray
from epsilens.homogeneity.products import IMPOSSIBLE, SharedProducts, numbered, shared_products, symbols_of

RNG = np.random.default_rng(3)


def direct(
    vectors: IntArray, single: dict[tuple[int, float], complex], hidden: dict[int, complex], harm: FloatArray
) -> ComplexArray:
    """Sum over k of s_k prod_{j != k} h_j, label by label."""
    found = np.zeros(len(vectors), dtype=complex)
    for i, row in enumerate(vectors.tolist()):
        for k, count in enumerate(row):
            if count == IMPOSSIBLE:
                continue
            others = [hidden[other] for j, other in enumerate(row) if j != k and other != IMPOSSIBLE]
            found[i] += single[count, float(harm[i, k])] * np.prod(others)
    return found


@pytest.mark.parametrize("labels", [1, 2, 3, 8, 30])
@pytest.mark.parametrize("kind", [float, complex])
@pytest.mark.parametrize("weighted", [False, True])
def test_one_label_alone_is_the_sum_of_products(labels: int, kind: type, weighted: bool) -> None:
    vectors = RNG.integers(-1, 4, (50, labels))
    zeros = RNG.integers(0, 5, 50)
    weights = RNG.choice([0.0, 1.0, 2.5], vectors.shape) if weighted else None
    ready = shared_products(symbols_of(vectors, zeros, weights))
    symbols = ready.symbols
    draw = RNG.uniform(0.2, 1.0, (2, 6)) + (1j * RNG.uniform(-0.3, 0.3, (2, 6)) if kind is complex else 0.0)
    single_of, hidden_of = draw.astype(kind)
    single = single_of[symbols.counts] * symbols.harm
    hidden = hidden_of[symbols.counts]
    widest = int(zeros.max())
    full = np.concatenate([vectors, np.where(np.arange(widest) < zeros[:, None], 0, IMPOSSIBLE)], axis=1)
    harm = np.concatenate([np.ones(vectors.shape) if weights is None else weights, np.zeros((50, widest))], axis=1)
    by_count = {(c, w): single_of[c] * w for c in range(4) for w in (0.0, 1.0, 2.5)}
    wanted = direct(full, by_count, dict(enumerate(hidden_of[:4])), harm)
    found = ready.totals(
        np.repeat(single[:, None], 3, axis=1), np.repeat(hidden[:, None], 3, axis=1), np.array([1.0, 0.5, -0.25])
    )
    np.testing.assert_allclose(found, 1.25 * wanted.real, rtol=1e-13, atol=1e-14)
    if kind is float:
        np.testing.assert_allclose(ready.one(single, hidden), wanted.real, rtol=1e-13, atol=1e-14)


def test_vectors_share_what_they_have_in_common() -> None:
    vectors = -np.sort(-RNG.integers(0, 12, (20_000, 8)), axis=1)
    ready = shared_products(symbols_of(vectors))
    distinct = len(np.unique(vectors, axis=0))
    assert ready.ends is not None
    assert ready.beginnings.nodes + ready.ends.nodes < distinct / 10


def test_equal_counts_are_one_symbol() -> None:
    vectors = np.array([[3] + [1] * 4999, [2] * 2 + [1] * 4998, [0] * 5000])
    symbols = symbols_of(vectors)
    assert symbols.places.shape[1] <= 2
    ready = shared_products(symbols)
    shown = np.where(symbols.counts > 0, 0.5, 0.25)
    hidden = np.where(symbols.counts > 0, 0.9995, 0.9999)
    found = ready.one(shown, hidden)
    wanted = [5000 * 0.5 * 0.9995**4999, 5000 * 0.5 * 0.9995**4999, 5000 * 0.25 * 0.9999**4999]
    np.testing.assert_allclose(found, wanted, rtol=1e-12)


@pytest.mark.parametrize("rows", [0, 1])
def test_few_vectors_or_none(rows: int) -> None:
    vectors = np.full((rows, 3), 2)
    ready: SharedProducts = shared_products(symbols_of(vectors))
    one = np.full(len(ready.symbols.counts), 0.5)
    np.testing.assert_allclose(ready.one(one, one), np.full(rows, 3 * 0.125))
    np.testing.assert_allclose(ready.totals(one[:, None], one[:, None], np.ones(1)), np.full(rows, 3 * 0.125))


@pytest.mark.parametrize("scale", [1, 10**12])
def test_numbers_of_keys(scale: int) -> None:
    keys = RNG.integers(-1, 40, (30, 4)) * scale
    distinct, where = numbered(keys)
    np.testing.assert_array_equal(distinct, np.unique(keys))
    np.testing.assert_array_equal(distinct[where], keys)
    empty, nowhere = numbered(np.zeros((0, 4), dtype=np.int64))
    assert empty.shape == (0,)
    assert nowhere.shape == (0, 4)
