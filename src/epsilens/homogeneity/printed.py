"""The printed measures by name, made ready for a table: those of P0, those of P1, and the thresholding of both.

P0's formulas price heterogeneous cells by what is called an upper bound; the exact risks that they claim to bound stand
beside them, so that every result can say in how many cells the bound is none. P1's Definition 3.3 counts a risk only
in cells that are homogeneous before sanitisation, which is P0's scenario 1: its formulas are equations.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity import published
from epsilens.homogeneity.blockwise import ready_risks
from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.models.dirichlet_fits import resolved_shares
from epsilens.homogeneity.models.expected import Risks, expected_risks, generic_risk, marginal_risks, shrinkage_risks
from epsilens.homogeneity.models.fits import resolved_sizes
from epsilens.homogeneity.models.sizes import SizeModel
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.published import BoundWarning, bound_warning
from epsilens.homogeneity.signature_risks import local_of, threshold_of
from epsilens.noise.law import AnyNoise
from epsilens.table.frequency import FrequencyTable


def warning_of(ready: PreparedMeasure, noise: AnyNoise) -> BoundWarning | None:
    """How often the printed bound is below the exact risk; None for measures that claim no bound."""
    if ready.exact_risks is None:
        return None
    cells = ready.multiplicities * (ready.cell_sizes > 0)
    return bound_warning(ready.exact_risks(noise) - ready.risks(noise), cells)


def prepare_local(table: FrequencyTable, version: str = "P0", as_printed: bool = False) -> PreparedMeasure:
    """:func:`published.local` on signatures."""

    def exact(vectors: IntArray) -> Risks:
        return lambda noise: local_risks(vectors, noise)

    return _prepared(
        "local", table, lambda vectors: published.local_formula(vectors, version, as_printed), exact, version
    )


def prepare_expected(table: FrequencyTable, version: str = "P0") -> PreparedMeasure:
    """:func:`published.expected` on signatures."""
    return _prepared(
        "expected",
        table,
        lambda vectors: published.expected_formula(vectors, version),
        lambda vectors: expected_risks(vectors, "any"),
        version,
    )


def prepare_shrinkage(
    table: FrequencyTable, alpha: npt.ArrayLike | str | None = None, version: str = "P0"
) -> PreparedMeasure:
    """:func:`published.shrinkage` on signatures."""
    shares = resolved_shares(table, alpha)
    parameters = as_floats(shares.model.alpha)
    return _prepared(
        "shrinkage",
        table,
        lambda vectors: published.shrinkage_formula(vectors, parameters, version),
        lambda vectors: shrinkage_risks(vectors, parameters, "any"),
        version,
        shares=shares,
    )


def prepare_marginal(
    table: FrequencyTable, size_model: SizeModel | str = "poisson", as_printed: bool = False, size_fit: str = "ml"
) -> PreparedMeasure:
    """:func:`published.marginal` on signatures."""
    sizes = resolved_sizes(table, size_model, size_fit, truncated=False)
    return _prepared(
        "marginal",
        table,
        lambda vectors: published.marginal_formula(vectors, sizes.model, as_printed),
        lambda vectors: marginal_risks(vectors, sizes.model, "any"),
        sizes=sizes,
    )


def prepare_marginal_shrinkage(
    table: FrequencyTable,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    version: str = "P0",
    size_fit: str = "ml",
) -> PreparedMeasure:
    """:func:`published.marginal_shrinkage`: the same for every signature."""
    sizes, shares = resolved_sizes(table, size_model, size_fit, truncated=False), resolved_shares(table, alpha)
    parameters = as_floats(shares.model.alpha)
    risk = published.generic_formula(table.n_labels, parameters, sizes.model, version)
    _, multiplicities = table.signatures(ordered=True)

    def exact(vectors: IntArray) -> Risks:
        true = generic_risk(vectors, multiplicities, parameters, sizes.model, "any")
        return lambda noise: np.full(len(vectors), true(noise))

    return _prepared(
        "marginal-shrinkage",
        table,
        lambda vectors: lambda noise: np.full(len(vectors), risk(noise)),
        exact,
        version,
        sizes=sizes,
        shares=shares,
    )


def prepare_hard(table: FrequencyTable) -> PreparedMeasure:
    """:func:`published.hard` on signatures."""
    return _thresholding(table, "hard")


def prepare_soft(table: FrequencyTable) -> PreparedMeasure:
    """:func:`published.soft` on signatures."""
    return _thresholding(table, "soft")


def prepare_p1_local(table: FrequencyTable) -> PreparedMeasure:
    """:func:`published.local` by P1: the probability of scenario 1, cell by cell.

    Source: P1 Definition 3.3; Eqs. (3.2), (3.5) and (3.11)
    """
    return prepare_local(table, "P1")


def prepare_p1_expected(table: FrequencyTable) -> PreparedMeasure:
    """:func:`published.expected` by P1.

    Source: P1 Eq. (A.1)
    """
    return prepare_expected(table, "P1")


def prepare_p1_shrinkage(table: FrequencyTable, alpha: npt.ArrayLike | str | None = None) -> PreparedMeasure:
    """:func:`published.shrinkage` by P1: Theorems 3.4, 3.7, 3.10 and 3.11, by the law of the noise.

    Source: P1 Eqs. (3.1), (3.4), (3.7) and (3.10)
    """
    return prepare_shrinkage(table, alpha, "P1")


def prepare_p1_marginal_shrinkage(
    table: FrequencyTable,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    size_fit: str = "ml",
) -> PreparedMeasure:
    """:func:`published.marginal_shrinkage` by P1: Corollaries 3.6, 3.9 and 3.13.

    Source: P1 Eqs. (3.3), (3.6) and (3.12)
    """
    return prepare_marginal_shrinkage(table, size_model, alpha, "P1", size_fit)


def _thresholding(table: FrequencyTable, rule: str) -> PreparedMeasure:
    vectors, multiplicities = table.sparse_signatures()
    homogeneous = vectors.positive == 1
    stays = ready_risks(vectors, None, lambda block, harm, zeros: local_of(block, "share", harm, zeros))
    beyond = ready_risks(
        vectors, None, lambda block, harm, zeros: threshold_of(block, rule, "thresholding", "share", harm, zeros)
    )

    def risks(noise: AnyNoise) -> FloatArray:
        return as_floats(np.where(homogeneous, stays(noise), 0.0) + beyond(noise))

    return PreparedMeasure(f"published-{rule}", vectors, multiplicities, risks)


def _prepared(
    measure: str,
    table: FrequencyTable,
    risks: Callable[[IntArray], Risks],
    exact: Callable[[IntArray], Risks],
    version: str = "P0",
    **laws: Any,
) -> PreparedMeasure:
    """The measure of this version on ordered signatures; only P0 claims bounds."""
    vectors, multiplicities = table.signatures(ordered=True)
    name = f"published-p1-{measure}" if version == "P1" else f"published-{measure}"
    beside = None if version == "P1" else lambda: exact(vectors)
    return PreparedMeasure(name, vectors, multiplicities, risks(vectors), ordered=True, exact=beside, **laws)
