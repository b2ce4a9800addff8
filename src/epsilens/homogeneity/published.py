"""The papers' own formulas, under names that say so; the right risks are ``local``, ``expected``, ``shrinkage``, ...

All of them are built from two prices. With h(m) = P(noise < 1/2 - m), a = 1 - h and K labels,

    own(n)   = h(0)^(K-1) a(n)                                   a homogeneous cell shows its own label (Scenario 1),
    mixed(n) = h(0)^(K-2) [a(n-1) h(1) + h(n-1) a(1)], n >= 2    a cell (n-1, 1, 0, ...) shows one of its two labels
                                                                 alone (Scenario 8).

For Laplace noise of scale 1 / epsilon, h(0) = 1 - e^(-epsilon/2) / 2, a(n) = 1 - e^((1/2-n) epsilon) / 2 and the
bracket is (e^(-epsilon/2) + e^((3/2-n) epsilon) - e^((1-n) epsilon)) / 2, the papers' form; for Gaussian noise h(0) =
(1 + erf(1 / (2 sqrt 2 sigma))) / 2 and so on. Written with the cdf, each formula holds for every law of noise, and
one function is the Laplace theorem, the Gaussian theorem and their corollaries for K = 2 and for homogeneous cells at
once.

``mixed`` is called an upper bound for every heterogeneous cell. With two labels present it is one: the bracket for
counts (c, n-c) is 1/2 - 2 u(c) u(n-c) with u = 1/2 - h, and u is concave for a symmetric unimodal law, so the product
is smallest for (n-1, 1). For three labels or more it is none (P0-1): (1, 1, 1) has risk 3/8 as epsilon tends to 0,
and the formula says 2/8. So each result carries a :class:`BoundWarning` that counts the cells whose exact risk is
above the formula. A label that is impossible in a cell is not counted in that cell's K.

The papers know no harm: every label counts once here, missing values too, whatever was declared of the table, and the
exact risks beside the formulas count them so as well.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.homogeneity.local import local as exact_local
from epsilens.homogeneity.models.dirichlet_fits import resolved_alpha
from epsilens.homogeneity.models.expected import Risks
from epsilens.homogeneity.models.expected import expected as exact_expected
from epsilens.homogeneity.models.expected import marginal as exact_marginal
from epsilens.homogeneity.models.expected import marginal_shrinkage as exact_marginal_shrinkage
from epsilens.homogeneity.models.expected import shrinkage as exact_shrinkage
from epsilens.homogeneity.models.fits import resolved_sizes
from epsilens.homogeneity.models.sizes import SizeModel, log_rising, plain_pmf, size_nodes
from epsilens.homogeneity.thresholding import threshold_risks
from epsilens.noise.gaussian import GaussianNoise
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable, checked_table
from epsilens.table.harm import Harm

Version: TypeAlias = Literal["P0", "P1"]
"""P0 prices homogeneous and heterogeneous cells. P1's Definition 3.3 counts a risk only in cells that are homogeneous
in the original table: the ``mixed`` term is dropped, and the formula is an equation, not a bound."""

_ROUNDING = 1e-12


@dataclass(frozen=True)
class BoundWarning:
    """How often a published bound is none."""

    cells_above: int
    """Non-empty cells whose exact risk is above the published bound."""
    n_cells: int
    largest_excess: float
    """By how much at most."""

    def __bool__(self) -> bool:
        return self.cells_above > 0

    def __str__(self) -> str:
        if not self:
            return f"the published bound holds in all {self.n_cells} cells"
        return (
            f"the published bound is below the exact risk in {self.cells_above} of {self.n_cells} cells, "
            f"by up to {self.largest_excess:.3g}"
        )


@dataclass(frozen=True, eq=False)
class PublishedRisk:
    """Published risks, usable wherever an array is, and what is wrong with them."""

    measure: str
    risks: FloatArray
    warning: BoundWarning | None
    """None where the paper claims no bound."""

    __repr__ = brief

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        return np.array(self.risks, dtype=dtype) if copy or dtype is not None else self.risks

    def __float__(self) -> float:
        return float(self.risks)

    def __len__(self) -> int:
        return len(self.risks)


def local(table: FrequencyTable, noise: AnyNoise, version: Version = "P0", as_printed: bool = False) -> PublishedRisk:
    """The published local risk: own(n_i) for a homogeneous cell, mixed(n_i) for a heterogeneous one (P1: 0).

    Covers Theorems 1 and 3, Corollaries 2 and 4, S1 and S6; P1 Corollaries 3.5, 3.8 and 3.12 where all cells are
    homogeneous.

    Source: P0 Eqs. (13), (18), (22), (27), (S1) and (S6); P1 Eqs. (3.2), (3.5) and (3.11)
    Departs from print (P0-4): (13) multiplies the second term by h(0)^(K-1) once more, and (22) by (1 + erf)^(K-1) =
    (2 h(0))^(K-1); ``as_printed=True`` keeps that, (22) for Gaussian noise and (13) for any other. (S1) has the factor
    of (13) and lacks 1/2. The values .985, .959, .888 printed after Corollary 2 need epsilon >= 1.
    """
    checked_table(table)
    checked_noise(noise)
    risks = local_formula(table.vectors, version, as_printed)(noise)
    return _checked("published-local", table, risks, version, lambda alike: exact_local(alike, noise))


def expected(table: FrequencyTable, noise: AnyNoise, version: Version = "P0") -> PublishedRisk:
    """The published expected risk: q_i own(n_i) + (1 - q_i) mixed(n_i), q_i = sum_k (n_ik / n_i)^n_i (P1: first term).

    q_i is the chance that a multinomial draw with the cell's proportions is homogeneous. Covers Theorems 1 and 3 and
    S2, S7; in P1 its proof's equation (A.1) with the sample proportions.

    Source: P0 Eqs. (14), (18), (23), (27), (S2) and (S7); P1 Eq. (A.1)
    """
    checked_table(table)
    checked_noise(noise)
    risks = expected_formula(table.vectors, version)(noise)
    return _checked("published-expected", table, risks, version, lambda alike: exact_expected(alike, noise))


def shrinkage(
    table: FrequencyTable, noise: AnyNoise, alpha: npt.ArrayLike | str | None = None, version: Version = "P0"
) -> PublishedRisk:
    """The published shrinkage risk: A_i own(n_i) + (1 - A_i) mixed(n_i) (P1: first term).

    A_i = sum_k Gamma(A) Gamma(alpha_k + n_i) / (Gamma(A + n_i) Gamma(alpha_k)), A = sum alpha: the chance that a
    Dirichlet-multinomial draw is homogeneous. ``alpha`` as in :func:`epsilens.homogeneity.shrinkage`; where all cells
    are homogeneous the fit makes A_i = 1, which is P1's Corollaries 3.5, 3.8 and 3.12.

    Source: P0 Eqs. (15), (19), (24), (28), (S3) and (S8); P1 Eqs. (3.1), (3.4), (3.7) and (3.10)
    Departs from print (P0-4): (28) prints 4 B(alpha_1, alpha_2) in place of 2^K, left over from K = 2. The range
    (2^-K, 1) of Corollaries 2 and 4 does not hold for this measure, since A_i < 1.
    """
    checked_table(table)
    checked_noise(noise)
    parameters = resolved_alpha(table, alpha)
    risks = shrinkage_formula(table.vectors, parameters, version)(noise)
    return _checked(
        "published-shrinkage", table, risks, version, lambda alike: exact_shrinkage(alike, noise, parameters)
    )


def marginal(
    table: FrequencyTable,
    noise: AnyNoise,
    size_model: SizeModel | str = "poisson",
    as_printed: bool = False,
    size_fit: str = "ml",
) -> PublishedRisk:
    """The published marginal risk: f(n_i) times the published expected risk of the cell.

    f is the size law, fitted to all cells without truncation as in the paper (for Poisson its rate is the mean size);
    ``size_fit`` as in :func:`epsilens.homogeneity.fit_sizes`.

    Source: P0 Eqs. (16), (20), (25), (29), (S4) and (S9)
    Departs from print (P0-4): (S9) drops f(n_i) from its second term; ``as_printed=True`` keeps that.
    Kept as printed (P0-5): this is not Definition 9, an expectation over n, which
    :func:`epsilens.homogeneity.marginal` computes.
    """
    checked_table(table)
    checked_noise(noise)
    law = resolved_sizes(table, size_model, size_fit, truncated=False).model
    risks = marginal_formula(table.vectors, law, as_printed)(noise)
    return _checked("published-marginal", table, risks, "P0", lambda alike: exact_marginal(alike, noise, law))


def marginal_shrinkage(
    table: FrequencyTable,
    noise: AnyNoise,
    size_model: SizeModel | str = "poisson",
    alpha: npt.ArrayLike | str | None = None,
    version: Version = "P0",
    size_fit: str = "ml",
) -> PublishedRisk:
    """The published risk of a generic cell: sum over n >= 1 of f(n) [A_n own(n) + (1 - A_n) mixed(n)] (P1: first term).

    f is the plain size law, as in :func:`marginal`, so its mass at 0 counts as no risk.

    Source: P0 Eqs. (17), (21), (26), (30), (S5) and (S10); P1 Eqs. (3.3), (3.6) and (3.12)
    Departs from print (P0-4): (30) prints 4 B(alpha_1, alpha_2) in place of 2^K and lacks the power K - 1.
    Departs from print (P0-7): P1's sums start at n = 0, where A_0 = K counts an empty cell K times; here n >= 1. P1's
    negative binomial coefficient and its lambda^-n for the Poisson law are mended in the size models.
    """
    checked_table(table)
    checked_noise(noise)
    parameters = resolved_alpha(table, alpha)
    law = resolved_sizes(table, size_model, size_fit, truncated=False).model
    risk = generic_formula(table.n_labels, parameters, law, version)(noise)
    warning = None
    if version == "P0":
        excess = exact_marginal_shrinkage(_counting_alike(table), noise, law, parameters) - risk
        warning = bound_warning(np.array([excess]), np.ones(1, dtype=np.int64))
    return PublishedRisk("published-marginal-shrinkage", as_floats(risk), warning)


def hard(table: FrequencyTable, noise: AnyNoise) -> FloatArray:
    """The published combined risk: homogeneous cells that stay so, plus the plurality where several labels are shown.

    A cell contributes P(scenario 1) and, for every member, the probability that several labels are shown and the
    plurality is the member's own. A heterogeneous cell that comes out with a single label counts nothing, whether that
    label is right (scenario 8) or not.

    Source: P1 Definition 3.3 with section 5 and appendix E.
    Assumes that ties, on which the print is silent, are drawn.
    """
    checked_table(table)
    checked_noise(noise)
    return threshold_formula(table.vectors, noise, "hard")


def soft(table: FrequencyTable, noise: AnyNoise) -> FloatArray:
    """The published combined risk: :func:`hard` with released proportions in place of the plurality.

    Source: P1 Definition 3.3 with section 5 (footnote 3) and appendix E.
    Assumes that a member's risk is the released proportion of the member's own label.
    """
    checked_table(table)
    checked_noise(noise)
    return threshold_formula(table.vectors, noise, "soft")


def threshold_formula(vectors: IntArray, noise: AnyNoise, rule: str) -> FloatArray:
    """:func:`hard` or :func:`soft` for given count vectors."""
    homogeneous = (vectors > 0).sum(axis=-1) == 1
    stays = threshold_risks(vectors, noise, rule, "homogeneity", "share")
    return np.where(homogeneous, stays, 0.0) + threshold_risks(vectors, noise, rule, "thresholding", "share")


def _counting_alike(table: FrequencyTable) -> FrequencyTable:
    """The same table where every label counts once, as in print."""
    values = zip(*table.label_values, strict=True)
    once = {name: dict.fromkeys(found, 1.0) for name, found in zip(table.sensitive, values, strict=True)}
    return replace(table, harm=Harm(once))


def _checked(
    name: str,
    table: FrequencyTable,
    risks: FloatArray,
    version: str,
    exact_risks: Callable[[FrequencyTable], FloatArray],
) -> PublishedRisk:
    """The result, with the cells counted where the exact risk is above it."""
    if version == "P1":
        return PublishedRisk(name, risks, None)
    cells = (table.vectors.max(axis=1) > 0).astype(np.int64)
    return PublishedRisk(name, risks, bound_warning(exact_risks(_counting_alike(table)) - risks, cells))


def bound_warning(excess: FloatArray, cells: IntArray) -> BoundWarning:
    """The warning for exact risks that exceed a published bound by so much, in so many cells each."""
    above = excess > _ROUNDING
    largest = float(excess[cells > 0].max(initial=0.0))
    return BoundWarning(int(cells[above].sum()), int(cells.sum()), max(largest, 0.0))


def _own(n: FloatArray, labels: FloatArray, noise: AnyNoise) -> FloatArray:
    """Scenario 1 of the module docstring, 0 for an empty cell."""
    return np.where(n >= 1, noise.cdf(0.5) ** np.maximum(labels - 1.0, 0.0) * noise.sf(0.5 - n), 0.0)


def _mixed(n: FloatArray, labels: FloatArray, noise: AnyNoise) -> FloatArray:
    """Scenario 8 of the module docstring."""
    others = n - 1.0
    bracket = noise.sf(0.5 - others) * noise.cdf(-0.5) + noise.cdf(0.5 - others) * noise.sf(-0.5)
    return np.where((n >= 2) & (labels >= 2), noise.cdf(0.5) ** np.maximum(labels - 2.0, 0.0) * bracket, 0.0)


def _sizes_and_labels(vectors: IntArray) -> tuple[FloatArray, FloatArray]:
    """n_i and the number of labels that are possible in the cell."""
    return as_floats(np.maximum(vectors, 0).sum(axis=1)), as_floats((vectors != STRUCTURAL_ZERO).sum(axis=1))


def _two_terms(n: FloatArray, labels: FloatArray, homogeneous: FloatArray, version: str) -> Risks:
    """Chance of a homogeneous draw times own, plus (P0 only) chance of a heterogeneous one times mixed."""
    one_of("version", version, get_args(Version))
    heterogeneous = (1.0 - homogeneous) * (version == "P0")
    return lambda noise: homogeneous * _own(n, labels, noise) + heterogeneous * _mixed(n, labels, noise)


def local_formula(vectors: IntArray, version: str, as_printed: bool = False) -> Risks:
    """:func:`local` for given count vectors, made ready for any noise."""
    n, labels = _sizes_and_labels(vectors)
    homogeneous = as_floats((vectors > 0).sum(axis=1) <= 1)
    plain = _two_terms(n, labels, homogeneous, version)
    if not as_printed:
        return plain
    return lambda noise: plain(noise) * np.where(homogeneous == 1, 1.0, _stray(noise) ** (labels - 1.0))


def _stray(noise: AnyNoise) -> float:
    """What stands before both terms of Eq. (13); in Eq. (22), of Gaussian noise, twice that: its 2^K counts once."""
    return float(noise.cdf(0.5)) * (2.0 if isinstance(noise, GaussianNoise) else 1.0)


def _homogeneous_chance(vectors: IntArray) -> FloatArray:
    """Sum_k (n_ik / n_i)^n_i."""
    counts = np.maximum(vectors, 0)
    sizes = counts.sum(axis=1, keepdims=True)
    with np.errstate(under="ignore"):
        return as_floats(((counts / np.maximum(sizes, 1)) ** np.maximum(sizes, 1)).sum(axis=1))


def expected_formula(vectors: IntArray, version: str = "P0") -> Risks:
    """:func:`expected` for given count vectors, made ready for any noise."""
    return _two_terms(*_sizes_and_labels(vectors), _homogeneous_chance(vectors), version)


def _homogeneous_draw(n: FloatArray, alpha: FloatArray) -> FloatArray:
    """A_n of :func:`shrinkage`, for sizes n and one row of alpha per size; alpha = 0 is a label left out."""
    total = np.maximum(alpha.sum(axis=1, keepdims=True), 1e-300)
    sizes = n[:, None]
    possible = np.where(alpha > 0, alpha, 1.0)
    with np.errstate(under="ignore"):
        logs = log_rising(possible, sizes) - log_rising(total, sizes) + sizes * np.log(possible / total)
        return as_floats(np.where(alpha > 0, np.exp(logs), 0.0).sum(axis=1))


def shrinkage_formula(vectors: IntArray, alpha: FloatArray, version: str = "P0") -> Risks:
    """:func:`shrinkage` for given count vectors (labels in the order of ``alpha``), made ready for any noise."""
    n, labels = _sizes_and_labels(vectors)
    return _two_terms(n, labels, _homogeneous_draw(n, np.where(vectors != STRUCTURAL_ZERO, alpha, 0.0)), version)


def marginal_formula(vectors: IntArray, law: SizeModel, as_printed: bool = False) -> Risks:
    """:func:`marginal` for given count vectors and a law of sizes, made ready for any noise."""
    n, labels = _sizes_and_labels(vectors)
    homogeneous, size_chance = _homogeneous_chance(vectors), plain_pmf(law, n)
    second_chance = 1.0 if as_printed else size_chance
    return lambda noise: (
        size_chance * homogeneous * _own(n, labels, noise)
        + second_chance * (1.0 - homogeneous) * _mixed(n, labels, noise)
    )


def generic_formula(
    n_labels: int, alpha: FloatArray, law: SizeModel, version: str = "P0"
) -> Callable[[AnyNoise], float]:
    """:func:`marginal_shrinkage` for so many labels and a law of sizes, made ready for any noise."""
    sizes, weights = size_nodes(law)
    n = as_floats(sizes)
    draws = _homogeneous_draw(n, np.broadcast_to(alpha, (len(n), n_labels)))
    terms = _two_terms(n, np.full(len(n), float(n_labels)), draws, version)
    chances = weights * plain_pmf(law, n)
    return lambda noise: float(chances @ terms(noise))


published_hard, published_soft = hard, soft
"""Their names in the room, where ``hard`` and ``soft`` are the corrected ones."""
