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

Labels that somebody has are hidden with probability 1/2 at most, since noise is symmetric, and as noise shrinks with at
most h, that of a label of one person: at most one of m such labels is shown with probability h^m + m (1 - h) h^(m-1)
at most. So many labels with people add less, not more. Labels that nobody has are all shown with the same probability
a, and at most one of Z with (1 - a)^Z + Z a (1 - a)^(Z - 1): what they add grows like the logarithm of Z, not like Z.
All of this falls as noise shrinks: a bound that holds from one size downwards is closer than one for all sizes.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.noise import Noise
from epsilens.notebook import one_line
from epsilens.table.count_vectors import CountVectors

_STEP = 0.02  # of the log of the size, where the law's share of the bounds is looked for
_REACHES = (
    -4.0,
    6.0,
)  # minus the log of the size: below, labels are shown half of the time, above, for certain or never
_COARSE = 10  # so many steps share a bound
_SAFE_SIDE = 1.02  # differences instead of derivatives, and the largest of a grid
_COUNTS = as_floats([1, 2, 3, 4, 6, 8, 12, 16, 32, 64])  # whose labels are looked at; larger ones change earlier
_ALL_ZEROS = 100  # up to here every number of labels without people is looked at
_MOST_HELD = 64  # beyond, labels with people add less than 1e-15


@dataclass(frozen=True, eq=False)
class Steepness:
    """Bounds on the first and on the second derivative of a risk by the log of the noise's size.

    They hold from a place upwards, a place being minus that log: row i from ``places[i]`` on, the first one everywhere.
    """

    places: FloatArray
    slopes: FloatArray
    bends: FloatArray | None
    """None where no bound is known: the law states none, or the risk has kinks."""

    def __repr__(self) -> str:
        return one_line(
            self, f"slope {self.slope:.4g}", f"bend {'unknown' if self.bend is None else f'{self.bend:.4g}'}"
        )

    @property
    def slope(self) -> float:
        """The bound on the slope that holds everywhere."""
        return float(self.slopes[0])

    @property
    def bend(self) -> float | None:
        """The bound on the second derivative that holds everywhere."""
        return None if self.bends is None else float(self.bends[0])

    def beyond(self, place: float) -> tuple[float, float | None]:
        """Both from this place upwards."""
        i = max(0, int(np.searchsorted(self.places, place, side="right")) - 1)
        return float(self.slopes[i]), None if self.bends is None else float(self.bends[i])

    def times(self, factor: float) -> Steepness:
        """The same of a risk that counts ``factor`` times."""
        return Steepness(self.places, factor * self.slopes, None if self.bends is None else factor * self.bends)


def steepness_of_labels(law: Noise, labels: int, zeros_match: bool = False) -> Steepness | None:
    """The bounds for cells of up to ``labels`` labels, whichever of them have people; None where the law has none.

    They hold for averages over cells, and over counts that could have been.
    """
    if law.steepest is None:
        return None
    held = np.arange(1, min(labels, _MOST_HELD) + 1)
    zeros = np.unique(np.geomspace(_ALL_ZEROS, labels, 100).astype(np.int64)) if labels > _ALL_ZEROS else held[:0]
    zeros = np.concatenate([np.arange(min(labels, _ALL_ZEROS)), zeros[zeros < labels]])
    pairs = np.array([(m, z) for m in held.tolist() for z in zeros.tolist() if m + z <= labels])
    # from Z to a larger Z' that was not looked at, S1 and S2 grow by Z' / Z at most, S3 by its square or so
    ratio = 1.0 if labels <= _ALL_ZEROS else float((zeros[_ALL_ZEROS:] / zeros[_ALL_ZEROS - 1 : -1]).max())
    places, slopes, bends = _bounds(law, pairs[:, 0], pairs[:, 1], zeros_match)
    return Steepness(places, ratio * slopes.max(axis=0), None if bends is None else ratio**3 * bends.max(axis=0))


def steepness_of_cells(
    law: Noise, vectors: CountVectors | IntArray, weights: FloatArray, zeros_match: bool = False
) -> Steepness | None:
    """The bounds for the average of cells with these counts; ``weights`` need not add up to 1."""
    if law.steepest is None:
        return None
    counts = CountVectors.of(vectors)
    kinds, where = np.unique(np.stack([counts.positive, counts.zeros], axis=1), axis=0, return_inverse=True)
    shares = np.bincount(where.ravel(), weights=weights, minlength=len(kinds))
    occupied = kinds[:, 0] > 0
    places, slopes, bends = _bounds(law, kinds[occupied, 0], kinds[occupied, 1], zeros_match)
    shares = shares[occupied] / max(float(shares.sum()), 1e-300)
    return Steepness(places, as_floats(shares @ slopes), None if bends is None else as_floats(shares @ bends))


def _bounds(
    law: Noise, held: IntArray, zeros: IntArray, zeros_match: bool
) -> tuple[FloatArray, FloatArray, FloatArray | None]:
    """Places, and from each of them upwards (L, M) of kinds of cells, kinds x places; M None where it is unknown.

    In a cell of each kind ``held`` >= 1 labels have people and ``zeros`` could have. Symbols, each the largest from a
    place upwards: A1 and A2 of |a'| and |a''|; S1, S2 and S3 of Z |a'| q(Z - 1), Z |a''| q(Z - 1) and
    Z (Z - 1) a'^2 q(Z - 2), with q(Z) = P(at most one of Z labels without people is shown); h of the probability that
    a label of one person is hidden, and p(m) = P(at most one of m labels that are hidden so often is shown). Then

        L = A1 m p(m - 1) + S1 p(m)
        M = A2 m p(m - 1) + S2 p(m)                          single labels
            + 2 m (m - 1) A1^2 p(m - 2)                      pairs of labels held; from 3 on p instead of 2 p
            + f S3 p(m) + 2 f m A1 S1 p(m - 1)               pairs with labels that nobody has

    max(2 P0, P1) <= P0 + P1 where P0 <= P1, and 2 P0 <= 2 h^(m-2) otherwise. A label that nobody has and that cannot
    match adds nothing by being shown alone: then max(P0, P1) takes its place and f = 1; otherwise (``zeros_match``)
    f = 2.
    """
    steep, bent, hidden = _of_held(law)
    distinct, where = np.unique(zeros, return_inverse=True)
    first, second, third = (part[where.ravel()] for part in _of_zeros(law, tuple(distinct.tolist())))
    m = held[:, None].astype(np.float64)
    all_held, besides, besides_two = (_at_most_one(np.maximum(m - k, 0.0), 1.0 - hidden) for k in range(3))
    slopes = as_floats(steep * m * besides + first * all_held)
    places = _places()[1:-1:_COARSE]
    if bent is None:
        return places, slopes, None
    factor = 2.0 if zeros_match else 1.0
    of_pairs = np.maximum(2.0 * hidden ** np.maximum(m - 2.0, 0.0), np.where(m > 2, besides_two, 0.0))
    bends = bent * m * besides + second * all_held + m * (m - 1.0) * steep**2 * of_pairs
    bends = bends + factor * third * all_held + 2.0 * factor * m * steep * first * besides
    return places, slopes, as_floats(bends)


@lru_cache(maxsize=64)
def _of_zeros(law: Noise, zeros: tuple[int, ...]) -> tuple[FloatArray, FloatArray, FloatArray]:
    """S1, S2 and S3 of :func:`_bounds` for each number of labels without people, numbers x places."""
    shown, slope, bend = (part[:, 0] for part in _shown(law))
    found = np.zeros((3, len(zeros), len(_places()[1:-1:_COARSE])))
    for i, number in enumerate(zeros):
        found[0, i] = _from_here_on(number * slope * _at_most_one(max(number - 1, 0), shown))
        found[1, i] = _from_here_on(number * bend * _at_most_one(max(number - 1, 0), shown))
        found[2, i] = _from_here_on(number * (number - 1) * slope**2 * _at_most_one(max(number - 2, 0), shown))
    return found[0], found[1], _SAFE_SIDE * found[2]


@lru_cache(maxsize=16)
def _of_held(law: Noise) -> tuple[FloatArray, FloatArray | None, FloatArray]:
    """A1, A2 and h of :func:`_bounds`; A2 None where the law states no bound."""
    hidden, slope, bend = _shown(law)
    assert law.steepest is not None
    steep = np.minimum(law.steepest, _from_here_on(slope.max(axis=1)))
    bent = None if law.sharpest_bend is None else np.minimum(law.sharpest_bend, _from_here_on(bend.max(axis=1)))
    return steep, bent, np.minimum(0.5, _from_here_on(hidden[:, 0]))


def _from_here_on(values: FloatArray) -> FloatArray:
    """The largest of all values from every so many of them onwards, on the safe side."""
    return as_floats(_SAFE_SIDE * np.maximum.accumulate(values[::-1])[::-1][::_COARSE])


def _at_most_one(number: FloatArray | int, shown: FloatArray) -> FloatArray:
    """P(at most one of so many labels is shown), each with probability ``shown``."""
    hidden, others = 1.0 - shown, np.maximum(np.asarray(number, dtype=np.float64) - 1.0, 0.0)
    return as_floats(np.where(np.asarray(number) < 2, 1.0, hidden**number + number * shown * hidden**others))


def _places() -> FloatArray:
    return np.arange(_REACHES[0], _REACHES[1], _STEP)


@lru_cache(maxsize=16)
def _shown(law: Noise) -> tuple[FloatArray, FloatArray, FloatArray]:
    """P(a label of n people is hidden) and its derivatives without signs, places x counts.

    The law is symmetric, so that for n = 1 it is P(a label of nobody is shown).
    """
    chances = as_floats([law.of_size(float(np.exp(-place))).sf(_COUNTS - 0.5) for place in _places()])
    slope = np.abs(chances[2:] - chances[:-2]) / (2.0 * _STEP)
    bend = np.abs(chances[2:] - 2.0 * chances[1:-1] + chances[:-2]) / _STEP**2
    return chances[1:-1], slope, bend
