"""Fitted Dirichlet parameters: how the label shares vary between the cells of a table."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import ParameterError, counted, verb
from epsilens.homogeneity.fit import GIVEN, Fit
from epsilens.homogeneity.models.by_label import patterns_of
from epsilens.homogeneity.models.fits import METHODS, TINY
from epsilens.homogeneity.models.sizes import checked_alpha, log_rising
from epsilens.homogeneity.products import numbered
from epsilens.lazy import LaterModule
from epsilens.notebook import brief
from epsilens.table.count_vectors import STRUCTURAL_ZERO, CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table

special = LaterModule("scipy.special")

_MOST_BINS = 1 << 20  # of a histogram that is counted without sorting
_LARGEST_SUM = 1e6  # shares that vary less than that are the same in every cell
_LONGEST_STEP = 2.0  # in log alpha
_NO_SPREAD = (
    "the shares vary between cells no more than chance does: alpha tends to infinity, the same shares everywhere"
)
_NO_MIXTURE = (
    "no cell has two labels: alpha tends to 0 and every cell is homogeneous, with the label shares of the table "
    "(the sample proportions of each cell, as P1 section 3.2 falls back to)"
)


@dataclass(frozen=True)
class DirichletShares:
    """Label shares of a cell ~ Dirichlet(alpha)."""

    alpha: tuple[float, ...]

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class _Cells:
    """Non-empty cells by what is possible in them: how often a label has a count there, and how often a cell a size.

    A likelihood of Dirichlet-multinomial cells is a sum over labels and one over sizes, and so it depends on the cells
    through histograms alone. Counts are mostly small: a million cells have a few hundred distinct ones.
    """

    n_cells: float
    mixed: bool
    """Whether some cell has two labels."""
    patterns: FloatArray
    """(patterns, labels): 1 where a label is possible."""
    pattern: IntArray
    label: IntArray
    count: FloatArray
    times: FloatArray
    """Label ``label`` has ``count`` > 0 people in so many cells of ``pattern``."""
    pattern_of_size: IntArray
    size: FloatArray
    cells: FloatArray
    """So many cells of ``pattern_of_size`` have ``size`` people."""

    @staticmethod
    def of(vectors: CountVectors, multiplicities: IntArray, labels: IntArray) -> _Cells:
        """The histograms of the cells with people in them, of those ``labels``."""
        people, weights = vectors.sizes > 0, as_floats(multiplicities)
        possible, pattern_of = patterns_of(vectors)
        patterns = np.zeros((len(possible), vectors.n_labels))
        for row, some in zip(patterns, possible, strict=True):
            row[some] = 1.0
        place = np.zeros(vectors.n_labels, dtype=np.int64)
        place[labels] = np.arange(len(labels))
        counts, rows, number = vectors.counts, vectors.row_of, place[vectors.labels]
        if len(possible) > 1:
            number += pattern_of[rows] * len(labels)
        if (counts < 0).any():
            somebody = counts > 0
            counts, rows, number = counts[somebody], rows[somebody], number[somebody]
        pair, count, times = _tallied(number, counts, weights[rows])
        pattern_of_size, size, cells = _tallied(pattern_of[people], vectors.sizes[people], weights[people])
        return _Cells(
            float(weights[people].sum()),
            bool(len(counts) > np.count_nonzero(people)),  # as every cell with people in it has one label at least
            patterns[:, labels],
            pair // len(labels),
            pair % len(labels),
            count,
            times,
            pattern_of_size,
            size,
            cells,
        )

    @property
    def shares(self) -> FloatArray:
        """The label shares of all people."""
        totals = self.by_label(self.count)
        return as_floats(totals / totals.sum())

    def by_label(self, values: FloatArray) -> FloatArray:
        """Sums over cells, label by label, of values that belong to the counts."""
        return as_floats(np.bincount(self.label, self.times * values, self.patterns.shape[1]))


def _tallied(kinds: IntArray, numbers: IntArray, weights: FloatArray) -> tuple[IntArray, FloatArray, FloatArray]:
    """The distinct pairs of a kind and a number in order, and the sum of the weights, which are positive, of each."""
    width = int(numbers.max(initial=0)) + 1
    if (int(kinds.max(initial=0)) + 1) * width <= _MOST_BINS:
        sums = as_floats(np.bincount(kinds * width + numbers, weights))
        pairs: IntArray = np.flatnonzero(sums)
        return pairs // width, as_floats(pairs % width), sums[pairs]
    values, which = numbered(numbers)
    keys, where = numbered(kinds * len(values) + which)
    sums = as_floats(np.bincount(where, weights, len(keys)))
    return keys // len(values), as_floats(values[keys % len(values)]), sums


def fit_dirichlet(table: FrequencyTable, method: str = "ml") -> Fit[DirichletShares]:
    """Dirichlet parameters of the label shares, by maximum likelihood (``"ml"``) or by moments.

    ml: the maximum of sum over cells of log [Gamma(A) / Gamma(A + n) prod_k Gamma(alpha_k + n_k) / Gamma(alpha_k)],
    A = sum of alpha over the labels possible in the cell, by damped Newton steps in log alpha.
    moments: alpha = (1 / phi - 1) shares, phi the share of variance that lies between cells,
    (MSB - MSW) / (MSB + (c - 1) MSW) with MSB = sum_i n_i |p_i - shares|^2 / (N - 1), MSW = sum_i n_i (1 - |p_i|^2) /
    (n - N) and c = (n - sum_i n_i^2 / n) / (N - 1).

    Source: P0 section S2
    Departs from print (P0-6): the printed moments divide by zero for two labels, and equate the variance of a total
    with one between cells for more; the printed likelihood lacks the multinomial coefficient, which does not move its
    maximum.
    """
    checked_table(table)
    one_of("method", method, METHODS)
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    if not vectors.sizes.any():
        raise ParameterError("all cells are empty: `alpha` needs at least one cell with people in it")
    seen = np.zeros(vectors.n_labels, dtype=bool)
    seen[vectors.labels[vectors.counts > 0]] = True
    cells = _Cells.of(vectors, multiplicities, np.flatnonzero(seen))
    alpha = np.full(len(seen), TINY)
    if method == "ml":
        how, note = "maximum likelihood", ""
        alpha[seen], note = _most_likely(cells)
    else:
        how = "moments between cells"
        alpha[seen], note = _moments(vectors, multiplicities, cells)
    if not seen.all():
        missing = int((~seen).sum())
        whose = verb(missing, "has nobody: its", "have nobody: their")
        absent = f"{counted(missing, 'label')} {whose} alpha tends to 0"
        note = f"{note}; {absent}" if note else absent
    likelihood = _log_likelihood(alpha[seen], cells) + _log_coefficients(cells)
    n_cells = round(cells.n_cells)
    return Fit(DirichletShares(tuple(alpha.tolist())), how, likelihood, len(alpha), n_cells, bool(note), note)


def resolved_alpha(table: FrequencyTable, alpha: npt.ArrayLike | str | None) -> FloatArray:
    """``alpha`` checked, or fitted: by maximum likelihood for None, by moments for ``"moments"``."""
    if alpha is None or isinstance(alpha, str):
        return as_floats(resolved_shares(table, alpha).model.alpha)
    return checked_alpha(alpha, table.n_labels)


def resolved_shares(table: FrequencyTable, alpha: npt.ArrayLike | str | None) -> Fit[DirichletShares]:
    """The law of :func:`resolved_alpha` and how it was found; of one that was given, how likely the table is."""
    if alpha is None or isinstance(alpha, str):
        return fit_dirichlet(table, "ml" if alpha is None else one_of("alpha", alpha, METHODS))
    given = checked_alpha(alpha, table.n_labels)
    vectors, multiplicities = table.sparse_signatures(ordered=True)
    cells = _Cells.of(vectors, multiplicities, np.arange(vectors.n_labels))
    likelihood = _log_likelihood(given, cells) + _log_coefficients(cells)
    return Fit(DirichletShares(tuple(given.tolist())), GIVEN, likelihood, 0, round(cells.n_cells))


def _most_likely(cells: _Cells) -> tuple[FloatArray, str]:
    shares = cells.shares
    if not cells.mixed:
        return np.maximum(TINY * shares, 1e-300), _NO_MIXTURE
    logs = np.log(shares)  # start at A = 1
    height = _log_likelihood(np.exp(logs), cells)
    damping = 1e-3
    for _ in range(500):
        alpha = np.exp(logs)
        if alpha.sum() > _LARGEST_SUM:
            return alpha / alpha.sum() * _LARGEST_SUM, _NO_SPREAD
        slope, curvature = _slope_and_curvature(alpha, cells)
        if np.abs(slope).max() < 1e-12 * cells.n_cells:
            break
        scale = np.abs(curvature.diagonal) + 1e-12 * cells.n_cells
        improved = False
        while not improved and damping < 1e12:
            found = curvature.damped_step(damping * scale, slope)
            if found is not None:
                step = found * min(1.0, _LONGEST_STEP / float(np.abs(found).max()))
                ahead = _log_likelihood(np.exp(logs + step), cells)
                improved = ahead >= height
            damping *= 0.1 if improved else 10.0
        if not improved:
            break
        finished = float(np.abs(step).max()) < 1e-14
        logs, height, damping = logs + step, ahead, max(damping, 1e-12)
        if finished:
            break
    return np.exp(logs), ""


def _log_likelihood(alpha: FloatArray, cells: _Cells) -> float:
    """Without the multinomial coefficients; as sum of n_k log(alpha_k / A) plus what the spread between cells adds."""
    by = cells
    sums = by.patterns @ alpha
    own = alpha[by.label]
    per_label = by.count * np.log(own / sums[by.pattern]) + log_rising(own, by.count)
    per_cell = log_rising(sums[by.pattern_of_size], by.size)
    return float(by.times @ per_label - by.cells @ per_cell)


def _log_coefficients(cells: _Cells) -> float:
    """Log of the multinomial coefficients: constant in alpha, part of the likelihood."""
    return float(cells.cells @ special.gammaln(cells.size + 1.0) - cells.times @ special.gammaln(cells.count + 1.0))


@dataclass(frozen=True, eq=False)
class _Curvature:
    """Second derivatives of the log-likelihood in log alpha: diag(own) + alpha alpha' common."""

    alpha: FloatArray
    own: FloatArray
    common: FloatArray | float
    """A number where every label is possible in every cell, else a matrix."""

    @property
    def matrix(self) -> FloatArray:
        """The whole matrix."""
        return as_floats(np.diag(self.own) + np.outer(self.alpha, self.alpha) * self.common)

    @property
    def diagonal(self) -> FloatArray:
        """Its diagonal."""
        common = self.common if isinstance(self.common, float) else np.diag(self.common)
        return as_floats(self.own + self.alpha**2 * common)

    def damped_step(self, damping: FloatArray, slope: FloatArray) -> FloatArray | None:
        """The solution x of (diag(damping) - curvature) x = slope; None where that is not positive definite.

        For a number c > 0 the matrix is diag(d) - c alpha alpha', positive definite where all d > 0 and
        c alpha' diag(1/d) alpha < 1; a thousand labels are then solved at once (Sherman and Morrison 1950).
        """
        d = damping - self.own
        if isinstance(self.common, float):
            if (d <= 0).any():
                return None
            z, plain = self.alpha / d, slope / d
            left = 1.0 - self.common * float(self.alpha @ z)
            return None if left <= 0 else as_floats(plain + z * (self.common * float(self.alpha @ plain) / left))
        bend = np.diag(damping) - self.matrix
        if float(np.linalg.eigvalsh(bend)[0]) <= 0:
            return None
        return as_floats(np.linalg.solve(bend, slope))


def _slope_and_curvature(alpha: FloatArray, cells: _Cells) -> tuple[FloatArray, _Curvature]:
    """First and second derivatives of the log-likelihood in log alpha."""
    by = cells
    sums, own = (by.patterns @ alpha)[by.pattern_of_size], alpha[by.label]
    possible = by.patterns[by.pattern_of_size]
    common = by.cells * (special.digamma(sums + by.size) - special.digamma(sums))
    plain = by.by_label(special.digamma(own + by.count) - special.digamma(own)) - common @ possible
    bend = by.cells * (special.polygamma(1, sums) - special.polygamma(1, sums + by.size))
    steps = by.by_label(special.polygamma(1, own + by.count) - special.polygamma(1, own))
    together: FloatArray | float = float(bend.sum())
    if not possible.all():
        together = as_floats((possible * bend[:, None]).T @ possible)
    return alpha * plain, _Curvature(alpha, alpha**2 * steps + alpha * plain, together)


def _moments(vectors: CountVectors, multiplicities: IntArray, cells: _Cells) -> tuple[FloatArray, str]:
    """From the pairs (cell, label) that occur; whoever is without a label is in sum_i n_i shares_k^2 of the others."""
    seen = np.zeros(vectors.n_labels, dtype=bool)
    seen[vectors.labels[vectors.counts > 0]] = True
    impossible = (vectors.counts == STRUCTURAL_ZERO) & seen[vectors.labels]
    lacking = np.bincount(vectors.row_of[impossible], minlength=len(vectors)) > 0
    whole = vectors.take((vectors.sizes > 0) & ~lacking)
    weights, sizes = as_floats(multiplicities[(vectors.sizes > 0) & ~lacking]), as_floats(whole.sizes)
    n_cells, people = float(weights.sum()), float(weights @ sizes)
    if n_cells < 2:
        raise ParameterError(
            "moments need at least 2 non-empty cells in which every label is possible",
            got=float(n_cells),
            remedy="fit by maximum likelihood (`alpha=None`) or give `alpha`",
        )
    if not cells.mixed:
        return np.maximum(TINY * cells.shares, 1e-300), _NO_MIXTURE
    pairs = np.flatnonzero(whole.counts > 0)
    label, row, count = (np.cumsum(seen) - 1)[whole.labels[pairs]], whole.row_of[pairs], as_floats(whole.counts[pairs])
    own, size = weights[row], sizes[row]
    shares = np.bincount(label, own * count, int(seen.sum())) / people
    others = people - np.bincount(label, own * size, int(seen.sum()))
    apart = float((own * size) @ (count / size - shares[label]) ** 2) + float(others @ shares**2)
    between, within = apart / (n_cells - 1.0), float(own @ (count * (size - count) / size)) / (people - n_cells)
    typical = (people - float(weights @ sizes**2) / people) / (n_cells - 1.0)
    common = (between - within) / (between + (typical - 1.0) * within)
    if common <= 1.0 / (_LARGEST_SUM + 1.0):
        return np.maximum(_LARGEST_SUM * shares, TINY), _NO_SPREAD
    return np.maximum((1.0 / common - 1.0) * shares, TINY), ""
