"""Risks over tables that could have been observed instead of this one.

Local risk takes the table as it is. Here its counts, its label shares or its cell sizes are random too, under a model:

| measure            | counts given shares | shares             | size      |
|--------------------|---------------------|--------------------|-----------|
| expected           | multinomial         | the cell's own     | the cell's own |
| shrinkage          | multinomial         | Dirichlet          | the cell's own |
| marginal           | multinomial         | the cell's own     | a size law |
| marginal shrinkage | multinomial         | Dirichlet          | a size law |

All four are exact, for every law of noise: no simulation, no bound (P0-3). They are accurate to about 1e-15, as sums of
probabilities are: of a risk far below that (a large mixed cell under little noise) fewer digits are right, 12 at 1e-10
and 3 at 1e-34 (checked against enumerations with 50 digits). An empty cell has risk 0. A structural
zero has no chance and is never shown; among Dirichlet shares it is left out.

Where labels harm differently (``table.label_weights``) label k counts w_k times: risks are those of ``by_label.py``,
weighed and added up. The models of counts, shares and sizes are fitted to everybody, whatever harms them.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats, distinct_and_positions
from epsilens.checks import one_of
from epsilens.homogeneity.blockwise import hidden_zeros, ready_risks
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.models.by_label import (
    generic_labels,
    patterns_of_people,
    shrinkage_parts,
    with_random_size,
)
from epsilens.homogeneity.models.dirichlet import dirichlet_sizes
from epsilens.homogeneity.models.dirichlet_fits import resolved_alpha, resolved_shares
from epsilens.homogeneity.models.fits import resolved_sizes
from epsilens.homogeneity.models.multinomial import fixed_sizes
from epsilens.homogeneity.models.sizes import SizeModel, size_nodes, truncated_pmf
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.signature_risks import local_of
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.harm import canonical_weights, harm_differs, in_canonical_order

Risks: TypeAlias = Callable[[AnyNoise], FloatArray]


def expected(table: FrequencyTable, noise: AnyNoise, match: Match = "any") -> FloatArray:
    """Local risk per cell, expected over counts ~ multinomial(n_i, p_i) with the sample proportions p_i = n_ik / n_i.

    rho_i^e = E[sum_k m_k a(N_k) prod_{j != k} (1 - a(N_j))] with a(m) = P(noise >= 1/2 - m) and m_k = 1[N_k > 0]
    (``match="any"``) or N_k / n_i (``"share"``). For a homogeneous cell it is the local risk.

    Source: P0 Definition 7, Eq. (8)
    Departs from print (P0-1, P0-3): exact, where Eq. (14) prices every heterogeneous outcome as (n - 1, 1, 0, ...).
    """
    checked_table(table)
    checked_noise(noise)
    return _per_cell(table, lambda vectors, weights: expected_risks(vectors, match, weights), noise)


def shrinkage(
    table: FrequencyTable, noise: AnyNoise, alpha: npt.ArrayLike | str | None = None, match: Match = "any"
) -> FloatArray:
    """Expected risk per cell, with the label shares integrated over Dirichlet(alpha).

    rho_i^s = E[rho_i^e] over p_i ~ Dirichlet(alpha): counts are Dirichlet-multinomial, and the risk depends on the cell
    through its size only. ``alpha``: None fits it by maximum likelihood, ``"moments"`` by moments, or K numbers > 0.

    Source: P0 Definition 8, Eq. (9)
    Departs from print (P0-3, P0-6): exact, and fitted by estimates that exist.
    """
    checked_table(table)
    checked_noise(noise)
    parameters = resolved_alpha(table, alpha)
    return shrinkage_risks(table.count_vectors, parameters, match, table.label_weights)(noise)


def marginal(
    table: FrequencyTable,
    noise: AnyNoise,
    size_model: SizeModel | str = "poisson",
    match: Match = "any",
    size_fit: str = "ml",
) -> FloatArray:
    """Expected risk per cell, with the size integrated over a size law given n >= 1, since the cell exists.

    rho_i^m = sum over n >= 1 of f(n) rho^e(n, p_i) / P(n >= 1), with the cell's own sample proportions p_i.
    ``size_model``: a name, fitted truncated to n >= 1 (``size_fit``: by maximum likelihood, ``"moments"`` of the plain
    law, or ``"bayes"``), or a model such as ``PoissonSize(3.2)``, which may be written ``"poisson=3.2"``.

    Source: P0 Definition 9, Eq. (10)
    Departs from print (P0-5): Eqs. (16), (20), (25) and (29) weight the observed n_i by f(n_i) instead of averaging
    over n; ``published.marginal`` gives those.
    """
    checked_table(table)
    checked_noise(noise)
    law = resolved_sizes(table, size_model, size_fit).model
    return _per_cell(table, lambda vectors, weights: marginal_risks(vectors, law, match, weights), noise)


def marginal_shrinkage(
    table: FrequencyTable,
    noise: AnyNoise,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    match: Match = "any",
    size_fit: str = "ml",
) -> float:
    """The risk of a generic cell: size and label shares both integrated out.

    rho^ms = sum over n >= 1 of f(n) rho^s(n) / P(n >= 1). Where labels are impossible in some cells, the average over
    what is possible in the non-empty cells of the table.

    Source: P0 Definition 10, Eq. (11)
    Departs from print (P0-3): exact, where Eq. (17) is a bound that is none.
    """
    checked_table(table)
    checked_noise(noise)
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    parameters = resolved_alpha(table, alpha)
    law = resolved_sizes(table, size_model, size_fit).model
    return float(generic_risk(vectors, multiplicities, parameters, law, match, table.label_weights)(noise))


def expected_risks(
    vectors: IntArray, match: str, weights: FloatArray | None = None, zeros: IntArray | None = None
) -> Risks:
    """:func:`expected` for count vectors (cells, labels), made ready for any noise; ``weights`` of labels, 1 each.

    ``zeros`` says how many further labels of each vector nobody has.
    """
    one_of("match", match, get_args(Match))
    harm = np.broadcast_to(weights, vectors.shape) if harm_differs(weights) else None
    mixed = (vectors > 0).sum(axis=1) > 1
    counts = np.maximum(vectors[mixed], 0)
    ready = None
    if mixed.any():
        ready = fixed_sizes(counts.sum(axis=1), as_floats(counts), match, None if harm is None else harm[mixed])
    certain = local_of(
        vectors[~mixed], match, None if harm is None else harm[~mixed], None if zeros is None else zeros[~mixed]
    )
    empty = (vectors[mixed] == 0).sum(axis=1) + (0 if zeros is None else zeros[mixed])

    def risks(noise: AnyNoise) -> FloatArray:
        values = np.empty(len(vectors))
        values[~mixed] = certain(noise)
        if ready is not None:
            values[mixed] = ready(noise) * hidden_zeros(empty, noise)
        return values

    return risks


def marginal_risks(
    vectors: IntArray,
    law: SizeModel,
    match: str,
    weights: FloatArray | None = None,
    zeros: IntArray | None = None,
) -> Risks:
    """:func:`marginal` for count vectors (cells, labels), made ready for any noise; ``weights`` of labels, 1 each.

    ``zeros`` says how many further labels of each vector nobody has.
    """
    one_of("match", match, get_args(Match))
    harm = np.broadcast_to(weights, vectors.shape) if harm_differs(weights) else None
    occupied = np.flatnonzero(vectors.max(axis=1, initial=0) > 0)
    some = vectors[occupied]
    ready = with_random_size(some, law, match, None if harm is None else harm[occupied])
    empty = (some == 0).sum(axis=1) + (0 if zeros is None else zeros[occupied])

    def risks(noise: AnyNoise) -> FloatArray:
        values = np.zeros(len(vectors))
        values[occupied] = ready(noise) * hidden_zeros(empty, noise)
        return values

    return risks


def shrinkage_risks(
    vectors: CountVectors | IntArray, alpha: FloatArray, match: str, weights: FloatArray | None = None
) -> Risks:
    """:func:`shrinkage` for count vectors, made ready for any noise; labels and weights in the order of ``alpha``."""
    one_of("match", match, get_args(Match))
    harm = weights if harm_differs(weights) else None
    parts = shrinkage_parts(vectors, alpha, match)

    def risks(noise: AnyNoise) -> FloatArray:
        values = np.zeros(len(vectors))
        for rows, where, possible, ready in parts:
            by_size = ready(noise) if harm is None else ready.by_label(noise) @ harm[possible]
            values[rows] = by_size[where]
        return values

    return risks


def generic_risk(
    vectors: CountVectors | IntArray,
    multiplicities: IntArray,
    alpha: FloatArray,
    law: SizeModel,
    match: str,
    weights: FloatArray | None = None,
) -> Callable[[AnyNoise], float]:
    """:func:`marginal_shrinkage` for ordered signatures, made ready for any noise; ``weights`` of labels, 1 each."""
    one_of("match", match, get_args(Match))
    if harm_differs(weights):
        harm, by_label = weights, generic_labels(vectors, multiplicities, alpha, law, match)
        return lambda noise: float(by_label(noise)[0] @ harm)
    sizes, steps = size_nodes(law)
    chances = steps * truncated_pmf(law, sizes)
    patterns, shares = patterns_of_people(vectors, multiplicities)
    ready = [dirichlet_sizes(alpha[possible], sizes, match) for possible in patterns]

    def risk(noise: AnyNoise) -> float:
        by_pattern = [float(chances @ risks(noise)) for risks in ready]
        return float(shares @ by_pattern)

    return risk


def prepare_expected(table: FrequencyTable, match: str = "any") -> PreparedMeasure:
    """:func:`expected` on signatures: multinomial weights are computed once, each noise costs a few short products."""
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    risks = ready_risks(vectors, weights, lambda block, harm, zeros: expected_risks(block, match, harm, zeros))
    return PreparedMeasure("expected", vectors, multiplicities, risks, weights=table.label_weights)


def prepare_shrinkage(
    table: FrequencyTable, alpha: npt.ArrayLike | str | None = None, match: str = "any"
) -> PreparedMeasure:
    """:func:`shrinkage` on signatures."""
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    shares = resolved_shares(table, alpha)
    risks = shrinkage_risks(vectors, as_floats(shares.model.alpha), match, table.label_weights)
    return PreparedMeasure("shrinkage", vectors, multiplicities, risks, ordered=True, shares=shares)


def prepare_marginal(
    table: FrequencyTable, size_model: SizeModel | str = "poisson", match: str = "any", size_fit: str = "ml"
) -> PreparedMeasure:
    """:func:`marginal` on signatures."""
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    sizes = resolved_sizes(table, size_model, size_fit)
    law = sizes.model
    risks = ready_risks(vectors, weights, lambda block, harm, zeros: marginal_risks(block, law, match, harm, zeros))
    return PreparedMeasure("marginal", vectors, multiplicities, risks, sizes=sizes, weights=table.label_weights)


def prepare_marginal_shrinkage(
    table: FrequencyTable,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    match: str = "any",
    size_fit: str = "ml",
) -> PreparedMeasure:
    """:func:`marginal_shrinkage`: every signature has the risk of the generic cell, so every average is that risk."""
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    sizes, shares = resolved_sizes(table, size_model, size_fit), resolved_shares(table, alpha)
    alpha_fitted = as_floats(shares.model.alpha)
    risk = generic_risk(vectors, multiplicities, alpha_fitted, sizes.model, match, table.label_weights)
    return PreparedMeasure(
        "marginal-shrinkage",
        vectors,
        multiplicities,
        lambda noise: np.full(len(vectors), risk(noise)),
        ordered=True,
        sizes=sizes,
        shares=shares,
    )


def _per_cell(table: FrequencyTable, prepare: Callable[[IntArray, FloatArray], Risks], noise: AnyNoise) -> FloatArray:
    """Risks of all cells from those of the distinct vectors, in which labels that harm alike are sorted."""
    weights = table.label_weights
    distinct, positions = distinct_and_positions(in_canonical_order(table.vectors, weights))
    return prepare(distinct, canonical_weights(weights))(noise)[positions]
