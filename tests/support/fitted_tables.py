"""Noisy tables of a small universe, and their least squares by dense linear algebra."""

from __future__ import annotations

import numpy as np

from epsilens.release.fitting.fit import Fit
from epsilens.release.universe import Universe, declared_universe, public_schema
from epsilens.table import Schema

LEVELS = {"a": ["1", "2"], "b": ["x", "y", "z"], "y": ["n", "p", "q", "r"]}


RNG = np.random.default_rng(8)


def universe(**options: object) -> Universe:
    return declared_universe(public_schema(Schema(["a", "b"], "y", universe=LEVELS, **options)))  # type: ignore[arg-type]


def measured(
    whole: Universe, marginals: list[tuple[str, ...]]
) -> tuple[list[Universe], list[np.ndarray], list[np.ndarray]]:
    """The universes of the marginals, their matrices and a noisy measurement of each."""
    truth = RNG.poisson(3, whole.n_cells)
    universes, matrices, noisy = [], [], []
    for columns in marginals:
        small, group = whole.marginal(columns)
        matrix = np.zeros((small.n_cells, whole.n_cells))
        matrix[group, np.arange(whole.n_cells)] = 1.0
        universes.append(small)
        matrices.append(matrix)
        noisy.append(matrix @ truth + RNG.normal(0, 2, small.n_cells))
    return universes, matrices, noisy


def least_squares(
    matrices: list[np.ndarray], noisy: list[np.ndarray], variances: list[float]
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Generalised least squares by a pseudo-inverse over all cells."""
    stacked = np.vstack(matrices)
    weight = np.concatenate([np.full(len(n), 1 / v) for n, v in zip(noisy, variances, strict=True)])
    inverse = np.linalg.pinv(stacked.T @ (weight[:, None] * stacked))
    cells = inverse @ (stacked.T @ (weight * np.concatenate(noisy)))
    return [m @ cells for m in matrices], [np.diag(m @ inverse @ m.T) for m in matrices]


HOLES: list[object] = [
    [{"a": "1", "b": "y"}],
    [{"a": "1", "b": ["y", "z"]}, {"b": "x", "y": "n"}],
    [{"a": "1", "y": ["n", "p"]}, {"a": "2", "y": ["q", "r"]}],  # a follows from y: tables that are complete are tied
]


OVERLAPPING: list[list[tuple[str, ...]]] = [
    [("a", "b"), ("a", "y")],
    [("a",), ("y",), ("b",)],
    [("a", "b"), ("b", "y"), ("a", "y"), ()],
]


def assert_made_of_what_it_says(fit: Fit, universes: list[Universe], variances: list[float]) -> None:
    """The weights that a fit states are those with which every noisy count enters, found by fitting single ones."""
    sizes = [part.n_cells for part in universes]
    ones = np.split(np.eye(sum(sizes)), np.cumsum(sizes)[:-1], axis=1)
    entering = [table.T for table in fit.fitted(ones)]  # (cells of the table, all noisy counts)
    for kind in fit.alike():
        own = sum(float(n @ w**2) * v for w, n, v in zip(kind.weights, kind.times, variances, strict=True))
        for cell in kind.cells:
            rows = np.split(entering[kind.table][cell], np.cumsum(sizes)[:-1])
            for row, weights, times in zip(rows, kind.weights, kind.times, strict=True):
                stated = np.repeat(np.abs(weights), times.astype(int))
                np.testing.assert_allclose(np.sort(np.abs(row)), np.sort(stated), atol=1e-10)
            np.testing.assert_allclose(fit.variances[kind.table][cell], own, rtol=1e-6, atol=1e-12)
