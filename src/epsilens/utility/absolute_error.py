"""How far published counts are from the truth, exactly, for any law of noise.

A published count is the true count plus noise, rounded half up and, where ``clipped``, raised to 0. What the noise
alone does is ``noise.absolute_error``; here are the counts of a table.
"""

from __future__ import annotations

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import positive
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.law import Noise, checked_noise
from epsilens.noise.published import overshoot_moments
from epsilens.table.declared_cells import declared_cells
from epsilens.table.frequency import FrequencyTable, checked_table


def expected_cell_errors(table: FrequencyTable, noise: Noise, clipped: bool = True) -> FloatArray:
    """The expected absolute error of every published count, cells x labels; 0 for a structural zero.

    E|max(0, x + Z) - x| = E|Z| - E max(0, -x - Z). Symbols: x are the counts, Z is the rounded ``noise``.

    Source: P0 section 5.3, cell by cell.
    Assumes noise that is symmetric about 0, and independent.
    """
    checked_table(table)
    checked_noise(noise)
    return _errors(table.vectors, noise, clipped)


def _errors(vectors: IntArray, noise: Noise, clipped: bool) -> FloatArray:
    counts = as_floats(np.maximum(vectors, 0))
    errors = np.full(counts.shape, expected_absolute_error(noise))
    if clipped:
        errors = errors - overshoot_moments(noise, counts, rounded=True)[0]
    return np.where(vectors < 0, 0.0, errors)


def mean_cell_error(table: FrequencyTable, noise: Noise, clipped: bool = True) -> float:
    """The average of :func:`expected_cell_errors` over all counts that may have people.

    Where a universe is declared those are its counts, as in a release; the ones in cells that nobody is in are 0 and
    have one error, so that they are counted and not listed.
    """
    checked_table(table)
    checked_noise(noise)
    counts, times = _counts(table)
    possible = int(times.sum())
    total = float(_errors(counts, noise, clipped) @ times)
    declared = declared_cells(table)
    if declared is None or not declared.further_counts:
        return total / possible
    at_zero = float(_errors(np.zeros(1, dtype=np.int64), noise, clipped)[0])
    return (total + declared.further_counts * at_zero) / (possible + declared.further_counts)


def share_off_by_more_than(table: FrequencyTable, noise: Noise, percent: float) -> float:
    """The expected share of counts above 0 whose published value is off by more than ``percent`` per cent.

    The average of P(|Z| > x percent / 100) over counts x > 0: P(|Z| >= floor(x percent / 100) + 1) for rounded noise,
    less where clipping at 0 brings a count back to within the bound (percent >= 100). Symbols: Z is the rounded noise.

    Source: P0 section 5.3, as a share of cells.
    Assumes counts that are rounded half up and clipped at 0.
    """
    checked_table(table)
    checked_noise(noise)
    share = positive("percent", percent) / 100.0
    found, times = _counts(table)
    counts, times = as_floats(found[found > 0]), times[found > 0]
    # a bound of 0.1 * 30 people is 3 people, whatever that product is in binary
    steps = np.floor(counts * share * (1.0 + 1e-12)) + 1.0
    one_side = noise.sf(steps - 0.5)
    both = one_side + np.where(steps > counts, 0.0, one_side)
    return float((both @ times) / times.sum())


def _counts(table: FrequencyTable) -> tuple[IntArray, IntArray]:
    """The different counts of all cells and labels, and how often each of them is there; structural zeros left out.

    An error depends on a count alone, so it is computed once for each of them, however many labels there are.
    """
    vectors, multiplicities = table.sparse_signatures()
    people = vectors.counts > 0
    counts, place = np.unique(vectors.counts[people], return_inverse=True)
    times = np.zeros(len(counts), dtype=np.int64)
    np.add.at(times, place, multiplicities[vectors.row_of[people]])
    return np.concatenate([[0], counts]), np.concatenate([[vectors.zeros @ multiplicities], times])
