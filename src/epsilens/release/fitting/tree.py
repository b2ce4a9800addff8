"""Tables of one release made to agree with each other. Post-processing: it costs no privacy.

Every table has noise of its own, so the marginal of one is not the other. Least squares finds the counts that agree
and are nearest to what was drawn; it is linear and unbiased, and no other such estimate has a smaller variance.

**Nested tables** (the levels of a hierarchy) form a tree of categories: ``consistency.py`` solves it in two passes. The
variance that is left follows the same two passes: with s the upward variances, S their sum over a family and V the
parent's final variance, a child has s (1 - s / S) + (s / S)^2 V, because the contrast within a family is uncorrelated
with its total.

**Any marginals of a complete product** of levels fall apart into uncorrelated components, one for each set A of
columns: the table summed over the other columns, less its own lower marginals (centred along every axis of A). A table
q that contains A shows that component with variance proportional to sigma_q^2 N_(q - A), where N counts the levels of
the columns summed over. So the best estimate averages the tables with weights inverse to that, and

    y_q = sum over A within q of component_A / N_(q - A),
    Var = sum over A within q of v_A prod_{i in A} (1 - 1 / n_i) / N_(q - A)^2,
    1 / v_A = sum over q that contain A of 1 / (sigma_q^2 N_(q - A)).

**Any marginals of a universe with structural zeros or paths**, and **non-negative ones that do not nest**, are fitted
by the cells of their common universe (``joint_fit.py``), up to the sizes that :func:`check_agreement` states.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.release.fitting.components import Tree, consistent_counts, projected_to_simplex, upward_variances
from epsilens.release.fitting.joint import (
    MAX_COUNTS,
    MAX_JOINT_CELLS,
    common_universe,
    least_squares,
    non_negative_fit,
)
from epsilens.release.universe import Universe

MAX_COLUMNS = 16  # 2^16 components


def nesting(universes: Sequence[Universe]) -> list[int] | None:
    """The order from the coarsest table to the finest in which each contains the one before; nothing if none does."""
    order = sorted(range(len(universes)), key=lambda i: len(universes[i].columns))
    chain = [set(universes[i].columns) for i in order]
    return order if all(a < b for a, b in itertools.pairwise(chain)) else None


def check_agreement(joint: Universe, universes: Sequence[Universe], non_negative: bool) -> None:
    """Refuse tables that are too many to be made to agree, before anything is spent on them."""
    columns = {name for universe in universes for name in universe.columns}
    if nesting(universes) is not None:
        return
    counts = sum(universe.n_cells for universe in universes)
    complete = all(universe.complete for universe in universes)
    if complete and len(columns) > MAX_COLUMNS:
        raise ParameterError(f"is offered for at most {MAX_COLUMNS} columns", parameter="consistent", got=len(columns))
    if not complete and counts > MAX_COUNTS:
        raise ParameterError(
            f"is offered for at most {MAX_COUNTS:,} counts in all across marginals that do not nest, with structural "
            f"zeros or paths, got {counts:,}",
            parameter="consistent",
            remedy="name fewer or smaller `marginals`, or release `levels` that nest",
        )
    if non_negative and (cells := common_universe(joint, universes).n_cells) > MAX_JOINT_CELLS:
        raise ParameterError(
            "`consistent` and `non_negative` marginals that do not nest are offered for at most "
            f"{MAX_JOINT_CELLS:,} cells of all their columns together, got {cells:,}",
            remedy="leave out one of the two, or release `levels` that nest",
        )


def consistent(
    joint: Universe, universes: Sequence[Universe], noisy: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Least-squares counts that agree across the tables, and the variance of each; ``joint`` has all their columns."""
    complete = all(universe.complete for universe in universes)
    if nesting(universes) is not None:
        return (_over_components if complete else _over_tree)(universes, noisy, variances)
    common = common_universe(joint, universes)
    # Structural zeros may tie tables together that have all their own cells, so the whole decides.
    if common.complete or (complete and sum(universe.n_cells for universe in universes) > MAX_COUNTS):
        return _over_components(universes, noisy, variances)
    return least_squares(common, universes, noisy, variances)


def non_negative(
    joint: Universe, universes: Sequence[Universe], consistent_tables: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], float | None]:
    """Tables that agree, made non-negative; where they do not nest, with how far from the nearest ones they may be."""
    if nesting(universes) is not None:
        return non_negative_top_down(universes, consistent_tables), None
    # The nearest to the consistent tables is the nearest to the noisy ones: what they differ by fits no table at all.
    return non_negative_fit(common_universe(joint, universes), universes, consistent_tables, variances)


def non_negative_top_down(universes: Sequence[Universe], consistent_tables: Sequence[FloatArray]) -> list[FloatArray]:
    """Nested tables that agree, made non-negative: from the top, each family is moved to the nearest non-negative
    counts that add up to their parent (a projection to the simplex); the coarsest table is clipped at 0.
    """
    order = nesting(universes) or []
    final: list[FloatArray] = [as_floats(table) for table in consistent_tables]
    final[order[0]] = np.maximum(final[order[0]], 0.0)
    for above, below in itertools.pairwise(order):
        _, parent = universes[below].marginal(universes[above].columns)
        children = np.zeros_like(final[below])
        by_parent = np.argsort(parent, kind="stable")
        families = np.split(by_parent, np.cumsum(np.bincount(parent, minlength=universes[above].n_cells))[:-1])
        for total, family in zip(final[above], families, strict=True):
            if total > 0.0:  # nobody above means nobody below
                children[family] = projected_to_simplex(final[below][family], total)
        final[below] = children
    return final


def _over_tree(
    universes: Sequence[Universe], noisy: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], list[FloatArray]]:
    order = nesting(universes) or []
    sizes = [universes[i].n_cells for i in order]
    starts = [0, *itertools.accumulate(sizes)]
    parents = np.full(starts[-1], -1, dtype=np.int64)
    above: list[IntArray] = []
    for depth, (coarse, fine) in enumerate(itertools.pairwise(order)):
        _, group = universes[fine].marginal(universes[coarse].columns)
        above.append(group)
        parents[starts[depth + 1] : starts[depth + 2]] = starts[depth] + group
    own = np.repeat([variances[i] for i in order], sizes)
    values = np.concatenate([noisy[i] for i in order])
    if sizes[0] > 1:  # several roots hang from one that was not measured
        parents[: sizes[0]] = len(parents)
        parents, own, values = np.append(parents, -1), np.append(own, np.inf), np.append(values, 0.0)
    tree = Tree(tuple(parents.tolist()))
    final = consistent_counts(tree, values, own)
    spread = upward_variances(tree, own)
    left = [spread[: sizes[0]]]  # the coarsest table learns only from below
    for depth, group in enumerate(above):
        s = spread[starts[depth + 1] : starts[depth + 2]]
        part = s / np.bincount(group, weights=s)[group]
        left.append(as_floats(s * (1.0 - part) + part**2 * left[-1][group]))
    counts: list[FloatArray] = [np.empty(0)] * len(order)
    spreads = list(counts)
    for depth, i in enumerate(order):
        counts[i], spreads[i] = final[starts[depth] : starts[depth + 1]], left[depth]
    return counts, spreads


def _over_components(
    universes: Sequence[Universe], noisy: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], list[FloatArray]]:
    size = {name: n for universe in universes for name, n in zip(universe.columns, universe.sizes, strict=True)}
    columns = list(size)
    # Axes in one common order, with columns that a table does not have as axes of length 1.
    tensors = [_tensor(universe, table, columns) for universe, table in zip(universes, noisy, strict=True)]
    sets = [frozenset(universe.columns) for universe in universes]
    components: dict[frozenset[str], tuple[FloatArray, float]] = {}
    for wanted in _subsets(sets):
        weights, shown = [], []
        for members, tensor, variance in zip(sets, tensors, variances, strict=True):
            if wanted <= members:
                weights.append(1.0 / (variance * _levels(members - wanted, size)))
                away = tuple(i for i, name in enumerate(columns) if name in members - wanted)
                shown.append(tensor.sum(axis=away, keepdims=True))
        average = sum(w * t for w, t in zip(weights, shown, strict=True)) / sum(weights)
        for axis, name in enumerate(columns):
            if name in wanted:
                average = average - average.mean(axis=axis, keepdims=True)
        components[wanted] = as_floats(average), 1.0 / sum(weights)
    counts, spreads = [], []
    for universe, members in zip(universes, sets, strict=True):
        total, variance = np.zeros([size[name] if name in members else 1 for name in columns]), 0.0
        for wanted, (component, spread) in components.items():
            if wanted <= members:
                rest = _levels(members - wanted, size)
                total = total + component / rest
                variance += spread * float(np.prod([1.0 - 1.0 / size[name] for name in wanted])) / rest**2
        own_order = [columns.index(name) for name in universe.columns]
        absent = [i for i, name in enumerate(columns) if name not in members]
        counts.append(as_floats(total.transpose(*own_order, *absent).reshape(-1)))
        spreads.append(np.full(universe.n_cells, variance))
    return counts, spreads


def _tensor(universe: Universe, table: FloatArray, columns: Sequence[str]) -> FloatArray:
    """The table with an axis for each of ``columns``, of length 1 where it does not have the column."""
    order = np.argsort([columns.index(name) for name in universe.columns])
    shape = [universe.sizes[universe.columns.index(name)] if name in universe.columns else 1 for name in columns]
    return as_floats(table.reshape(universe.sizes).transpose(order).reshape(shape))


def _subsets(sets: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    """Every subset of some of the sets, small ones first."""
    found = {
        frozenset(part)
        for members in sets
        for length in range(len(members) + 1)
        for part in itertools.combinations(sorted(members), length)
    }
    return sorted(found, key=lambda part: (len(part), sorted(part)))


def _levels(names: frozenset[str], size: dict[str, int]) -> float:
    return float(np.prod([float(size[name]) for name in names]))
