"""Tables of one release made to agree with each other. Post-processing: it costs no privacy.

Every table has noise of its own, so the marginal of one is not the other. Least squares finds the counts that agree
and are nearest to what was drawn; it is linear and unbiased, and no other such estimate has a smaller variance.

- **Nested tables** (the levels of a hierarchy): ``nested.py``, in two passes.
- **Any marginals of a complete product** of levels: ``products.py``, by uncorrelated components.
- **Any marginals of a universe with structural zeros or paths**, and **non-negative ones that do not nest**:
  ``joint.py``, by the cells of their common universe, up to the sizes that :func:`check_agreement` states.
- **A public total** that all of them add up to: ``known_total.py``, beside either of the first two.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import ParameterError
from epsilens.release.fitting.components import projected_to_simplex, rescaled
from epsilens.release.fitting.fit import Fit
from epsilens.release.fitting.joint import (
    MAX_COUNTS,
    MAX_JOINT_CELLS,
    JointFit,
    common_universe,
    non_negative_fit,
)
from epsilens.release.fitting.known_total import EXACT, KnownTotal
from epsilens.release.fitting.nested import NestedFit
from epsilens.release.fitting.products import ProductFit
from epsilens.release.universe import Universe

MAX_COLUMNS = 16  # 2^16 components


def nesting(universes: Sequence[Universe]) -> list[int] | None:
    """The order from the coarsest table to the finest in which each contains the one before; nothing if none does."""
    order = sorted(range(len(universes)), key=lambda i: len(universes[i].columns))
    chain = [set(universes[i].columns) for i in order]
    return order if all(a < b for a, b in itertools.pairwise(chain)) else None


def check_agreement(
    joint: Universe, universes: Sequence[Universe], non_negative: bool, public_total: int | None = None
) -> None:
    """Refuse tables that are too many to be made to agree, before anything is spent on them."""
    columns = {name for universe in universes for name in universe.columns}
    if public_total is not None and any(not universe.columns for universe in universes):
        raise ParameterError(
            "says how many people there are, so that a table of everybody would spend budget on what is known",
            parameter="public_total",
            remedy="leave that table out",
        )
    if public_total is not None and not _nests_or_is_complete(joint, universes):
        raise ParameterError(
            "is offered for tables that nest, and for marginals without structural zeros or paths",
            parameter="public_total",
            remedy="leave it out, or release `levels` that nest",
        )
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


def _nests_or_is_complete(joint: Universe, universes: Sequence[Universe]) -> bool:
    return nesting(universes) is not None or common_universe(joint, universes).complete


def least_squares(
    joint: Universe,
    universes: Sequence[Universe],
    variances: Sequence[float],
    public_total: float | None = None,
) -> Fit:
    """The fit of tables with these noise variances, up to a common factor; ``joint`` has all their columns.

    With a ``public_total`` they add up to it.
    """
    if public_total is not None:
        everybody = joint.marginal(())[0]
        fit = least_squares(joint, [*universes, everybody], [*variances, EXACT * min(variances)])
        return KnownTotal(fit, public_total)
    complete = all(universe.complete for universe in universes)
    if (order := nesting(universes)) is not None:
        return ProductFit(universes, variances) if complete else NestedFit(universes, variances, order)
    common = common_universe(joint, universes)
    # Structural zeros may tie tables together that have all their own cells, so the whole decides.
    if common.complete or (complete and sum(universe.n_cells for universe in universes) > MAX_COUNTS):
        return ProductFit(universes, variances)
    return JointFit(common, universes, variances)


def consistent(
    joint: Universe, universes: Sequence[Universe], noisy: Sequence[FloatArray], variances: Sequence[float]
) -> tuple[list[FloatArray], list[FloatArray]]:
    """Least-squares counts that agree across the tables, and the variance of each; ``joint`` has all their columns."""
    fit = least_squares(joint, universes, variances)
    return fit.fitted(noisy), fit.variances


def non_negative(
    joint: Universe,
    universes: Sequence[Universe],
    consistent_tables: Sequence[FloatArray],
    variances: Sequence[float],
    public_total: float | None = None,
) -> tuple[list[FloatArray], float | None]:
    """Tables that agree, made non-negative; where they do not nest, with how far from the nearest ones they may be.

    Those with a ``public_total`` still add up to it: nested ones below it, others multiplied to it in the end.
    """
    if public_total is not None:
        everybody, total = joint.marginal(())[0], np.array([float(public_total)])
        if nesting(universes) is not None:
            return non_negative_top_down([*universes, everybody], [*consistent_tables, total])[:-1], None
        found, off = non_negative(joint, universes, consistent_tables, variances)
        return [rescaled(table, public_total) if public_total else 0.0 * table for table in found], off
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
