"""Section S2: moments of the counts, and the estimates of alpha that print derives from them."""

from __future__ import annotations

import itertools
import math
from dataclasses import dataclass
from functools import partial

from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import MORE_ALPHAS, TWO_ALPHAS, listed
from epsilens.reproduce.p0.enumeration import Cell, dirichlet_moment, over_shares, tables, ways

P0 = partial(Place, "P0")
MOMENTS = "P0-6"
Alpha = tuple[float, ...]
SIZES = ((4, 4, 4), (2, 5, 1), (6, 6), (1, 1, 3, 7))
"""Sizes of the cells of small tables."""


@dataclass(frozen=True)
class Table:
    """Sizes of cells, and the Dirichlet law of their shares."""

    sizes: tuple[int, ...]
    alpha: Alpha

    def __str__(self) -> str:
        return f"sizes {listed(self.sizes)}, alpha = {listed(self.alpha)}"

    @property
    def total(self) -> int:
        """N."""
        return sum(self.sizes)

    @property
    def squares(self) -> int:
        """The sum of n_i^2."""
        return sum(n * n for n in self.sizes)


TWO = [Table(sizes, alpha) for sizes, alpha in itertools.product(SIZES, TWO_ALPHAS)]
MORE = [Table(sizes, alpha) for sizes, alpha in itertools.product(SIZES, MORE_ALPHAS)]


def cell_mean(size: int, alpha: Alpha, k: int = 0) -> float:
    """E(n_ik), by enumeration."""
    return over_shares(size, alpha, lambda cell: cell[k])


def cell_product(size: int, alpha: Alpha, j: int = 0, k: int = 0) -> float:
    """Cov(n_ij, n_ik), by enumeration."""
    return over_shares(size, alpha, lambda cell: cell[j] * cell[k]) - cell_mean(size, alpha, j) * cell_mean(
        size, alpha, k
    )


def total_variance(table: Table, k: int = 0) -> float:
    """Var(n_.k), by enumeration of every cell."""
    return math.fsum(cell_product(n, table.alpha, k, k) for n in table.sizes)


def total_covariance(table: Table) -> float:
    """Cov(n_.1, n_.2)."""
    return math.fsum(cell_product(n, table.alpha, 0, 1) for n in table.sizes)


def printed_variance(size: int, alpha: Alpha) -> float:
    """N a_1 a_2 (a_1 + a_2 + n) / ((a_1 + a_2)^2 (a_1 + a_2 + 1))."""
    a, b = alpha
    return size * a * b * (a + b + size) / ((a + b) ** 2 * (a + b + 1))


def rewritten_variance(size: int, alpha: Alpha) -> float:
    """N a_1 a_2 / (A (A + 1)) + n^2 a_1 a_2 / (A^2 (A + 1))."""
    a, b = alpha
    s = a + b
    return size * a * b / (s * (s + 1)) + size**2 * a * b / (s**2 * (s + 1))


def printed_total_variance(table: Table) -> float:
    """p_1 (1 - p_1) (sum n_i^2 + A n) / (1 + A)."""
    s = sum(table.alpha)
    p = table.alpha[0] / s
    return p * (1 - p) * (table.squares + s * table.total) / (1 + s)


def printed_total_covariance(table: Table) -> float:
    """- a_1 a_2 / A^2 (sum n_i^2 + A n) / (1 + A)."""
    s = sum(table.alpha)
    return -table.alpha[0] * table.alpha[1] / s**2 * (table.squares + s * table.total) / (1 + s)


def printed_alpha(table: Table, variance: float) -> float:
    """The estimate of alpha_1 from the share of the first label and the variance of its total."""
    p = table.alpha[0] / sum(table.alpha)
    below = variance - p * (1 - p) * table.total
    return (p * p * (1 - p) * table.squares - p * variance) / below if abs(below) > 1e-12 else math.nan


def undefined(_: Table) -> float:
    """What a formula gives that has a symbol without a meaning."""
    return math.nan


def alpha_with_p(table: Table) -> float:
    """The estimate of alpha_k with the variance that the total of a label truly has."""
    return printed_alpha(table, total_variance(table))


def mean_of_label(table: Table) -> float:
    """What the average count of the first label is expected to be, over N cells."""
    return table.total * table.alpha[0] / sum(table.alpha) / len(table.sizes)


def between_cells(table: Table) -> float:
    """The expectation of print's estimate of a variance of totals: of (M - 1)^-1 sum (n_ik - mean)^2."""
    m = len(table.sizes)
    own = math.fsum(cell_product(n, table.alpha, 0, 0) for n in table.sizes) / m
    p = table.alpha[0] / sum(table.alpha)
    mean = table.total / m
    return own + p * p * math.fsum((n - mean) ** 2 for n in table.sizes) / (m - 1)


def printed_pmf(case: tuple[Cell, Alpha]) -> float:
    """Print's probability of a count vector for K >= 2, without the multinomial coefficient."""
    cell, alpha = case
    logs = math.lgamma(sum(alpha)) - math.lgamma(sum(cell) + sum(alpha))
    logs += math.fsum(math.lgamma(n + a) - math.lgamma(a) for n, a in zip(cell, alpha, strict=True))
    return math.exp(logs)


def beta_binomial(case: tuple[Cell, Alpha]) -> float:
    """binom(n_i, n_i1) B(n_i1 + a_1, n_i - n_i1 + a_2) / B(a_1, a_2)."""
    from scipy import special

    (first, second), (a, b) = case
    return float(math.comb(first + second, first) * special.beta(first + a, second + b) / special.beta(a, b))


def drawn(case: tuple[Cell, Alpha]) -> float:
    """P(the count vector): its number of orders times the moment of the shares."""
    cell, alpha = case
    return ways(cell) * dirichlet_moment(cell, alpha)


def _told(case: tuple[Cell, Alpha]) -> str:
    return f"counts {listed(case[0])}, alpha = {listed(case[1])}"


def _size_told(case: tuple[int, Alpha]) -> str:
    return f"n = {case[0]}, alpha = {listed(case[1])}"


def exists(_: Data) -> Finding:
    """Whether print's estimate for K = 2 is a number with the variance that print puts in, n p (1 - p)."""

    def found(table: Table) -> float:
        p = table.alpha[0] / sum(table.alpha)
        return printed_alpha(table, table.total * p * (1 - p))

    return everywhere(
        TWO,
        lambda table: math.isfinite(found(table)),
        lambda table: f"at {table} the variance n p (1 - p) makes its denominator 0, as always",
    )


TWO_SIZES = [(n, alpha) for n in (1, 2, 5, 11) for alpha in TWO_ALPHAS]
MORE_SIZES = [(n, alpha) for n in (1, 2, 5) for alpha in (*TWO_ALPHAS, *MORE_ALPHAS)]
VECTORS = [(cell, alpha) for alpha in MORE_ALPHAS for cell in tables(4, len(alpha))]

CLAIMS: tuple[Claim, ...] = (
    Formula(
        P0("section S2, beta-binomial law", "P(n_i1) for K = 2"),
        "binom(n, n_1) B(...) / B(alpha)",
        beta_binomial,
        drawn,
        [(cell, alpha) for alpha in TWO_ALPHAS for cell in tables(5, 2)],
        told=_told,
    ),
    Formula(
        P0("section S2, mean for K = 2", "E(n_i1)"),
        "n_i alpha_1 / (alpha_1 + alpha_2)",
        lambda case: case[0] * case[1][0] / sum(case[1]),
        lambda case: cell_mean(*case),
        TWO_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, variance for K = 2", "Var(n_i1)"),
        "the variance of a beta-binomial law",
        lambda case: printed_variance(*case),
        lambda case: cell_product(*case),
        TWO_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, variance rewritten", "Var(n_i1) as a sum of two terms"),
        "in n_i and in n_i^2",
        lambda case: rewritten_variance(*case),
        lambda case: cell_product(*case),
        TWO_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, total for K = 2", "Var(n_1) of all cells"),
        "a sum over cells",
        lambda table: math.fsum(rewritten_variance(n, table.alpha) for n in table.sizes),
        total_variance,
        TWO,
    ),
    Formula(
        P0("section S2, alpha for K = 2", "alpha_1 from the variance that n_1 truly has"),
        "(p^2 (1 - p) sum n_i^2 - p s^2) / (s^2 - n p (1 - p))",
        lambda table: printed_alpha(table, total_variance(table)),
        lambda table: table.alpha[0],
        [table for table in TWO if max(table.sizes) > 1],
    ),
    Statement(
        P0(
            "section S2, alpha for K = 2 as estimated", "the estimate with s^2 = n p (1 - p), as print sets it", MOMENTS
        ),
        "alpha_1 and alpha_2 can be solved for",
        exists,
    ),
    Formula(
        P0("section S2, law for K >= 2", "P(n_i1, ..., n_iK)", MOMENTS),
        "ratios of gamma functions",
        printed_pmf,
        drawn,
        VECTORS,
        told=_told,
        mended=(("with the multinomial coefficient", lambda case: ways(case[0]) * printed_pmf(case)),),
    ),
    Formula(
        P0("section S2, mean for K >= 2", "E(n_ik)"),
        "n_i p_k",
        lambda case: case[0] * case[1][0] / sum(case[1]),
        lambda case: cell_mean(*case),
        MORE_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, variance for K >= 2", "Var(n_ik)"),
        "n_i p_k (1 - p_k) (n_i + A) / (1 + A)",
        lambda case: printed_total_variance(Table((case[0],), case[1])),
        lambda case: cell_product(*case),
        MORE_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, covariance for K >= 2", "Cov(n_ik, n_ij)"),
        "- n_i p_k p_j (n_i + A) / (1 + A)",
        lambda case: printed_total_covariance(Table((case[0],), case[1])),
        lambda case: cell_product(case[0], case[1], 0, 1),
        MORE_SIZES,
        told=_size_told,
    ),
    Formula(
        P0("section S2, variance of totals", "Var(n_.k)"),
        "p_k (1 - p_k) (sum n_i^2 + A n) / (1 + A)",
        printed_total_variance,
        total_variance,
        MORE,
    ),
    Formula(
        P0("section S2, covariance of totals", "Cov(n_.k, n_.j)"),
        "- alpha_k alpha_j / A^2 (sum n_i^2 + A n) / (1 + A)",
        printed_total_covariance,
        total_covariance,
        MORE,
    ),
    Formula(
        P0("section S2, estimate of a variance of totals", "Var(n_.k)", MOMENTS),
        "(M - 1)^-1 times the sum over cells of (n_ik - mean)^2, expected",
        between_cells,
        total_variance,
        MORE,
    ),
    Formula(
        P0("section S2, alpha for K >= 2", "alpha_k from the variance that n_.k truly has", MOMENTS),
        "(p^2 (1 - p) sum n_i^2 - p S) / (S - p (1 - theta) n)",
        undefined,
        lambda table: table.alpha[0],
        [table for table in MORE if max(table.sizes) > 1],
        mended=(("p in the place of theta, which is defined nowhere", alpha_with_p),),
    ),
    Formula(
        P0("section S2, mean count of a label", "the average of n_ik over the cells", MOMENTS),
        "the sum of n_ik over N cells, divided by M",
        undefined,
        lambda table: math.fsum(cell_mean(n, table.alpha) for n in table.sizes) / len(table.sizes),
        MORE,
        mended=(("N in the place of M, which is defined nowhere", mean_of_label),),
    ),
)
