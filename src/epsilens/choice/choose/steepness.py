"""How steep a homogeneity risk can be, and how sharply it can bend, whatever the table holds.

A scan over budgets may leave out a stretch only if nothing can hide there. Two numbers say so, both per unit of the
logarithm of the noise's size: a bound L on the slope of the risk, and a bound M on its second derivative. Between two
budgets w apart a risk differs from the straight line through their risks by M w^2 / 8 at most, and it is monotone where
the two risks differ by more than M w^2 / 2: then no crossing hides, and one that is there is the only one.

Where the bounds come from. What the attack sees of a cell is which labels are shown, each independently: label j with
probability a_j. The risk counts cells that show exactly one label, R being the set of those that are shown:

    g = sum over j of m_j P(R = {j}),  0 <= m_j <= 1.

It is linear in every a_j. Its derivative by a_j is m_j P0 - sum over r of m_r P(R' = {r}), with R' the labels shown
besides j, P0 = P(R' is empty) and P1 = P(R' is one label): between -P1 and P0. That by a_j and a_k lies between -2 P0
and P1, of the labels besides both. So with d the derivative by the log of the size

    |g'|  <= sum over j of |a_j'| P(at most one besides j is shown)
    |g''| <= sum over j of |a_j''| P(at most one besides j) + sum over pairs of |a_j'| |a_k'| max(2 P0, P1).

Labels that somebody has are hidden with probability 1/2 at most, since noise is symmetric: at most one of m such labels
is shown with probability (m + 1) / 2^m at most. So many labels with people add less, not more. Labels that nobody has
are all shown with the same probability a, and at most one of Z with (1 - a)^Z + Z a (1 - a)^(Z - 1): what they add is
the largest of a function of the size alone, which grows like the logarithm of Z.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise import Noise
from epsilens.notebook import brief
from epsilens.table.count_vectors import CountVectors

_STEP = 0.02  # of the log of the size, where the law's share of the bounds is looked for
_REACHES = (-6.0, 4.0)  # beyond, a label without people is shown or hidden as good as for certain, or half of the time
_SAFE_SIDE = 1.02  # differences instead of derivatives, and the largest of a grid
_ALL_ZEROS = 100  # up to here every number of labels without people is looked at
_MOST_HELD = 64  # beyond, labels with people add less than 1e-15


@dataclass(frozen=True)
class Steepness:
    """Bounds on the first and on the second derivative of a risk by the log of the noise's size."""

    slope: float
    bend: float | None
    """None where no bound is known: the law states none, or the risk has kinks."""

    __repr__ = brief

    def times(self, factor: float) -> Steepness:
        """The same of a risk that counts ``factor`` times."""
        return Steepness(factor * self.slope, None if self.bend is None else factor * self.bend)


def steepness_of_labels(law: Noise, labels: int, zeros_match: bool = False) -> Steepness | None:
    """The bounds for cells of up to ``labels`` labels, whichever of them have people; None where the law has none.

    They hold for averages over cells, and over counts that could have been.
    """
    if law.steepest is None:
        return None
    held = np.arange(1, min(labels, _MOST_HELD) + 1)
    zeros = np.unique(np.geomspace(_ALL_ZEROS, labels, 300).astype(np.int64)) if labels > _ALL_ZEROS else held[:0]
    zeros = np.concatenate([np.arange(min(labels, _ALL_ZEROS)), zeros[zeros < labels]])
    slopes, bends = _bounds(law, *np.broadcast_arrays(held[:, None], zeros[None, :]), zeros_match)
    allowed = held[:, None] + zeros[None, :] <= labels
    # from Z to a larger Z' that was not looked at, S1 and S2 grow by Z' / Z at most, S3 by its square or so
    ratio = 1.0 if labels <= _ALL_ZEROS else float((zeros[_ALL_ZEROS:] / zeros[_ALL_ZEROS - 1 : -1]).max())
    slope = ratio * float(slopes[allowed].max())
    return Steepness(slope, None if bends is None else ratio**3 * float(bends[allowed].max()))


def steepness_of_cells(
    law: Noise, vectors: CountVectors | IntArray, weights: FloatArray, zeros_match: bool = False
) -> Steepness | None:
    """The bounds for the average of cells with these counts; ``weights`` need not add up to 1."""
    if law.steepest is None:
        return None
    counts = CountVectors.of(vectors)
    held, zeros = counts.positive, counts.zeros
    kinds, where = np.unique(held * (vectors.shape[1] + 1) + zeros, return_inverse=True)
    shares = np.bincount(where.ravel(), weights=weights, minlength=len(kinds))
    of_kind, zeros_of_kind = np.divmod(kinds, vectors.shape[1] + 1)
    occupied = of_kind > 0
    slopes, bends = _bounds(law, of_kind[occupied], zeros_of_kind[occupied], zeros_match)
    shares = shares[occupied] / max(float(shares.sum()), 1e-300)
    return Steepness(float(shares @ slopes), None if bends is None else float(shares @ bends))


def _bounds(law: Noise, held: IntArray, zeros: IntArray, zeros_match: bool) -> tuple[FloatArray, FloatArray | None]:
    """(L, M) of cells in which ``held`` >= 1 labels have people and ``zeros`` could have; M None where unknown.

    Symbols: A1 and A2 are the law's own bounds on |a'| and |a''|; S1, S2 and S3 are the largest of Z |a'| q(Z - 1),
    Z |a''| q(Z - 1) and Z (Z - 1) a'^2 q(Z - 2) over all sizes, q(Z) = P(at most one of Z labels without people is
    shown). With m labels held,

        L = A1 m^2 / 2^(m-1) + S1 (m + 1) / 2^m
        M = A2 m^2 / 2^(m-1) + S2 (m + 1) / 2^m                                single labels
            + m (m - 1) A1^2 max(2, m - 1) / 2^(m-2)                           pairs of labels held
            + f S3 (m + 1) / 2^m + 2 f m A1 S1 m / 2^(m-1)                     pairs with labels that nobody has

    A label that nobody has and that cannot match adds nothing by being shown alone: then max(2 P0, P1) is max(P0, P1)
    at most and f = 1; otherwise (``zeros_match``) f = 2.
    """
    steepest, bend = law.steepest, law.sharpest_bend
    assert steepest is not None
    m, many = held.astype(np.float64), np.minimum(held, 1000).astype(np.float64)
    distinct, where = np.unique(zeros, return_inverse=True)
    first, second, pairs = (part[where].reshape(zeros.shape) for part in _of_zeros(law, tuple(distinct.tolist())))
    besides, all_held = m * 0.5 ** (many - 1.0), (m + 1.0) * 0.5**many
    slopes = as_floats(steepest * m * besides + first * all_held)
    if bend is None:
        return slopes, None
    factor = 2.0 if zeros_match else 1.0
    bends = bend * m * besides + second * all_held
    bends = bends + m * (m - 1.0) * steepest**2 * np.maximum(2.0, m - 1.0) * 0.5 ** (many - 2.0)
    bends = bends + factor * pairs * all_held + 2.0 * factor * m * steepest * first * besides
    return slopes, as_floats(bends)


@lru_cache(maxsize=64)
def _of_zeros(law: Noise, zeros: tuple[int, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """S1, S2 and S3 of :func:`_bounds` for each number of labels without people."""
    shown, slope, bend = _shown_without_people(law)
    found = np.zeros((3, len(zeros)))
    for i, number in enumerate(zeros):
        found[0, i] = (number * slope * _at_most_one(number - 1, shown)).max()
        found[1, i] = (number * bend * _at_most_one(number - 1, shown)).max()
        found[2, i] = (number * (number - 1) * slope**2 * _at_most_one(number - 2, shown)).max()
    first, second, third = _SAFE_SIDE * found
    return first, second, _SAFE_SIDE * third


def _at_most_one(number: int, shown: FloatArray) -> FloatArray:
    """P(at most one of so many labels is shown), each with probability ``shown``."""
    if number < 2:
        return np.ones_like(shown)
    hidden = 1.0 - shown
    return as_floats(hidden**number + number * shown * hidden ** (number - 1))


@lru_cache(maxsize=16)
def _shown_without_people(law: Noise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(a label without people is shown) for sizes all along the log axis, and its derivatives without their signs."""
    places = np.arange(_REACHES[0], _REACHES[1], _STEP)
    shown = as_floats([float(law.of_size(float(np.exp(place))).sf(0.5)) for place in places])
    slope = np.abs(shown[2:] - shown[:-2]) / (2.0 * _STEP)
    bend = np.abs(shown[2:] - 2.0 * shown[1:-1] + shown[:-2]) / _STEP**2
    return shown[1:-1], slope, bend
