"""Rescaling, projection and trees, against dense linear algebra, simulation and the published factor."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import optimize

from epsilens.errors import ParameterError
from epsilens.release.fitting.components import (
    Tree,
    combination_variance,
    consistent_counts,
    covering_variance,
    projected_to_simplex,
    range_variance,
    rescaled,
    upward_variances,
)

vectors = st.lists(st.floats(-5, 5), min_size=1, max_size=8)


@given(values=vectors, total=st.floats(0.1, 100))
def test_projection_is_the_nearest_point_of_the_simplex(values: list[float], total: float) -> None:
    nearest = projected_to_simplex(values, total)
    assert np.all(nearest >= 0)
    assert nearest.sum() == pytest.approx(total)
    np.testing.assert_allclose(projected_to_simplex(nearest, total), nearest, atol=1e-12)
    # optimality: the direction from the projection to the point makes no acute angle with any corner of the simplex
    direction = np.array(values) - nearest
    for corner in np.eye(len(values)) * total:
        assert direction @ (corner - nearest) <= 1e-9 * max(1.0, total**2)


def test_projection_agrees_with_a_general_solver() -> None:
    rng = np.random.default_rng(3)
    for _ in range(5):
        point = rng.normal(0.2, 0.5, 5)
        solved = optimize.minimize(
            lambda x, point=point: np.sum((x - point) ** 2),
            np.full(5, 0.2),
            bounds=[(0, None)] * 5,
            constraints={"type": "eq", "fun": lambda x: x.sum() - 1},
            options={"ftol": 1e-15},
        )
        np.testing.assert_allclose(projected_to_simplex(point), solved.x, atol=1e-6)


def test_rescaling() -> None:
    np.testing.assert_allclose(rescaled([[1, 3], [0, 0]]), [[0.25, 0.75], [0.5, 0.5]])
    np.testing.assert_allclose(rescaled([2.0, 2.0], total=10), [5, 5])
    with pytest.raises(ParameterError, match=r"needs values >= 0, got a negative one; clamp"):
        rescaled([0.5, -0.1])


@pytest.mark.parametrize("function", [rescaled, projected_to_simplex])
def test_bad_vectors(function: type) -> None:
    with pytest.raises(ParameterError, match=r"must be finite"):
        function([0.5, float("nan")])
    with pytest.raises(ParameterError, match=r"at least one category"):
        function([])
    with pytest.raises(ParameterError, match=r"total must be > 0"):
        function([0.5], total=0)


def design(tree: Tree) -> np.ndarray:
    """Nodes x leaves: which leaves a node counts."""
    return tree.totals(np.eye(len(tree.leaves))).T


@st.composite
def trees(draw: st.DrawFn) -> Tree:
    """Any shape: each new node hangs below an earlier one, then the numbers are shuffled."""
    size = draw(st.integers(1, 14))
    parents = [-1, *[draw(st.integers(0, v - 1)) for v in range(1, size)]]
    names = draw(st.permutations(range(size)))
    shuffled = [-1] * size
    for node, parent in enumerate(parents):
        shuffled[names[node]] = -1 if parent == -1 else names[parent]
    return Tree(tuple(shuffled))


@settings(max_examples=150, deadline=None)
@given(tree=trees(), seed=st.integers(0, 2**32 - 1))
def test_any_tree_any_variances_equal_generalised_least_squares(tree: Tree, seed: int) -> None:
    rng = np.random.default_rng(seed)
    variances = rng.uniform(0.1, 5.0, len(tree.parents))
    noisy = rng.normal(size=(3, len(tree.parents)))
    x = design(tree)
    weighted = x / variances[:, None]
    covariance = np.linalg.inv(x.T @ weighted)
    expected = noisy @ weighted @ covariance @ x.T
    final = consistent_counts(tree, noisy, variances)
    np.testing.assert_allclose(final, expected, atol=1e-9)
    for node, children in enumerate(tree.children):
        if children:
            np.testing.assert_allclose(final[:, node], final[:, list(children)].sum(axis=1), atol=1e-10)
    weights = rng.normal(size=len(tree.leaves))
    assert combination_variance(tree, weights, variances) == pytest.approx(weights @ covariance @ weights, rel=1e-9)


@pytest.mark.parametrize(("branching", "levels"), [(2, 2), (2, 5), (3, 3), (4, 3), (5, 2)])
def test_complete_trees_follow_the_closed_forms_of_hay(branching: int, levels: int) -> None:
    k, tree = branching, Tree.over(branching ** (levels - 1), branching)
    assert tree.levels == levels
    assert len(tree.parents) == (k**levels - 1) // (k - 1)
    noisy = np.random.default_rng(1).normal(size=len(tree.parents))
    # the two recurrences as published for a complete tree with equal variances
    height: dict[int, int] = {}
    z, h = noisy.copy(), noisy.copy()
    for node in reversed(tree.downwards):
        children = list(tree.children[node])
        height[node] = level = 1 + (height[children[0]] if children else 0)
        if children:
            own = (k**level - k ** (level - 1)) / (k**level - 1)
            z[node] = own * noisy[node] + (k ** (level - 1) - 1) / (k**level - 1) * z[children].sum()
    for node in tree.downwards:
        parent = tree.parents[node]
        h[node] = z[node] if parent < 0 else z[node] + (h[parent] - z[list(tree.children[parent])].sum()) / k
    np.testing.assert_allclose(consistent_counts(tree, noisy), h, atol=1e-12)
    spread = upward_variances(tree, 2.5)
    for node, level in height.items():
        assert spread[node] == pytest.approx(2.5 * k ** (level - 1) * (k - 1) / (k**level - 1), rel=1e-13)
    total = range_variance(tree, 0, len(tree.leaves) - 1, 2.5)
    assert total == pytest.approx(2.5 * k ** (levels - 1) * (k - 1) / (k**levels - 1), rel=1e-12)


@pytest.mark.parametrize(("branching", "levels"), [(2, 4), (2, 8), (2, 12), (3, 6), (8, 4)])
def test_consistency_reduces_range_sums_by_the_published_factor(branching: int, levels: int) -> None:
    k, tree = branching, Tree.over(branching ** (levels - 1), branching)
    last = len(tree.leaves) - 2  # all leaves but the two ends: the worst range for the plain tree
    plain, consistent = covering_variance(tree, 1, last), range_variance(tree, 1, last)
    assert plain == 2 * (levels - 1) * (k - 1) - k
    assert consistent / plain <= 3 / (2 * (levels - 1) * (k - 1) - k)
    rng = np.random.default_rng(levels)
    for _ in range(20):  # no range gets worse
        first, final = sorted(rng.integers(0, len(tree.leaves), 2).tolist())
        assert range_variance(tree, first, final) <= covering_variance(tree, first, final) + 1e-12


def test_variance_of_range_sums_in_simulation() -> None:
    tree, repeats = Tree.over(16), 20_000
    counts = np.arange(16.0)
    noise = np.random.default_rng(9).laplace(0.0, 2.0, (repeats, len(tree.parents)))
    leaves = consistent_counts(tree, tree.totals(counts) + noise)[:, list(tree.leaves)]
    for first, last in ((0, 15), (1, 14), (3, 9), (5, 5)):
        error = leaves[:, first : last + 1].sum(axis=1) - counts[first : last + 1].sum()
        exact = range_variance(tree, first, last, 8.0)
        spread = math.sqrt(float(np.mean(error**4)) / repeats)
        assert abs(np.mean(error**2) - exact) <= 5 * spread
        assert abs(error.mean()) <= 5 * math.sqrt(exact / repeats)


def test_public_total_and_unmeasured_nodes() -> None:
    star = Tree((-1, 0, 0, 0, 0))
    spread = np.array([0.0, 1, 1, 1, 1])
    noisy = np.array([10.0, 1, 2, 3, 8])
    np.testing.assert_allclose(consistent_counts(star, noisy, spread), [10, 0, 1, 2, 7])
    assert combination_variance(star, [1, 0, 0, 0], spread) == pytest.approx(1 - 1 / 4)
    assert combination_variance(star, [1, 1, 1, 1], spread) == pytest.approx(0.0, abs=1e-15)
    unmeasured_root = np.array([np.inf, 1, 1, 1, 1])
    np.testing.assert_allclose(consistent_counts(star, [np.nan, 1, 2, 3, 8], unmeasured_root), [14, 1, 2, 3, 8])
    unmeasured_leaf = np.array([2.0, 1, 1, 1, np.inf])
    np.testing.assert_allclose(consistent_counts(star, [14, 1, 2, 3, np.nan], unmeasured_leaf), [14, 1, 2, 3, 8])
    assert combination_variance(star, [0, 0, 0, 1], unmeasured_leaf) == pytest.approx(5.0)
    deep = Tree((-1, 0, 0, 1, 1))  # root: 1 (3, 4), 2
    inferred = consistent_counts(deep, [10.0, np.nan, 4.0, 2.0, np.nan], [0.5, np.inf, 0.5, 1.0, np.inf])
    np.testing.assert_allclose(inferred, [10, 6, 4, 2, 4])
    for bad in ([1.0, 1, 1, np.inf, np.inf], [np.inf, 1, 1, 1, np.inf]):
        with pytest.raises(ParameterError, match=r"neither measured nor inferable"):
            upward_variances(star, bad)


def test_shapes_of_balanced_trees() -> None:
    assert Tree.over(1).parents == (-1,)
    assert Tree.over(4).parents == (-1, 0, 0, 1, 1, 2, 2)
    for leaves in (2, 3, 5, 7, 10, 100):
        for branching in (2, 3, 7):
            tree = Tree.over(leaves, branching)
            assert len(tree.leaves) == leaves
            assert max(map(len, tree.children)) <= branching
            assert tree.levels == 1 + math.ceil(round(math.log(leaves, branching), 9))
            # leaves are in order: every node covers a run of them
            for row in design(tree):
                covered = np.flatnonzero(row)
                assert covered[-1] - covered[0] + 1 == covered.size


@pytest.mark.parametrize(
    ("parents", "message"),
    [
        ((), r"one root .*got 0"),
        ((-1, -1), r"one root .*got 2"),
        ((-1, 2, 1), r"got a cycle"),
        ((-1, 7), r"node numbers below 2"),
        ((-1, -3), r"a parent must be >= -1"),
        ((-1, 0.5), r"a parent must be a whole number"),
    ],
)
def test_bad_trees(parents: tuple[int, ...], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        Tree(parents)


def test_bad_requests() -> None:
    tree = Tree.over(4)
    with pytest.raises(ParameterError, match=r"7 nodes needs as many counts"):
        consistent_counts(tree, [1.0, 2.0])
    with pytest.raises(ParameterError, match=r"must be finite"):
        consistent_counts(tree, [np.nan, *[1.0] * 6])
    with pytest.raises(ParameterError, match=r"variances must be >= 0"):
        upward_variances(tree, -1.0)
    with pytest.raises(ParameterError, match=r"one variance or as many"):
        upward_variances(tree, [1.0, 2.0])
    with pytest.raises(ParameterError, match=r"within leaves 0 to 3, got 2 to 5"):
        range_variance(tree, 2, 5)
    with pytest.raises(ParameterError, match=r"4 leaves needs as many weights"):
        combination_variance(tree, [1.0])
    with pytest.raises(ParameterError, match=r"4 leaves needs as many values"):
        tree.totals([1.0])
    with pytest.raises(ParameterError, match=r"branching must be >= 2"):
        Tree.over(4, 1)
