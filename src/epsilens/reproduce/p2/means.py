"""The exact law of what print estimates: the mean error of a count in 200 releases, each independent of the others.

The errors of a release are multiples of a step (1 for whole counts), so that the sum of 200 of them has a law on the
whole numbers: a convolution. From these laws follow the expected l1 norm of the mean errors of all cells and the
expected spread between the largest and the smallest of them, which print calls bias and alpha.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.noise.law import Noise
from epsilens.reproduce.p2.extracts import Known
from epsilens.reproduce.p2.recodings import sums

stats = LaterModule("scipy.stats")

REPETITIONS = 200
FINENESS = 16
"""Steps in the scale of noise that is not rounded."""
_NEVER = 1e-18
_FAR = 12.0  # standard deviations


@dataclass(frozen=True)
class Expected:
    """What an estimate of print is on average, over everything that is not known, and its standard error."""

    low: float
    high: float
    standard_error: float


@dataclass(frozen=True, eq=False)
class Means:
    """Laws of the mean error of 200 releases, one row for each of the counts 0, 1, ..., and one for all larger ones.

    A column stands for a sum of the errors: ``first``, ``first`` + 1, ... steps.
    """

    masses: FloatArray
    first: int
    step: float

    @property
    def values(self) -> FloatArray:
        """The mean errors of the columns."""
        return (self.first + np.arange(self.masses.shape[1])) * self.step / REPETITIONS

    def of_counts(self, by_row: FloatArray, largest: int) -> FloatArray:
        """Something by row as something by count."""
        return by_row[np.minimum(np.arange(largest + 1), len(by_row) - 1)]

    def l1(self, table: Known) -> Expected:
        """The l1 norm of the mean errors: its expectation, and its standard error with everybody's race as it is.

        The errors of cells are independent, so that variances add up.
        """
        absolute, square = self.masses @ np.abs(self.values), self.masses @ self.values**2
        low, high = sums(self.of_counts(absolute, table.largest), table)
        variance = sums(self.of_counts(np.maximum(square - absolute**2, 0.0), table.largest), table)[1]
        return Expected(float(low), float(high), float(np.sqrt(variance)))

    def alpha(self, table: Known) -> Expected:
        """The spread of the mean errors, the largest less the smallest.

        E max = sum over thresholds of 1 - prod P(mean <= threshold), and likewise for the smallest. The largest and the
        smallest of independent errors are not negatively correlated, so that the variance of their difference is at
        most the sum of their variances; that is what the standard error is taken from.
        """
        most, least = (self._extreme(below, table) for below in (_cumulated, _from_above))
        unit = self.step / REPETITIONS
        error = unit * np.sqrt(most[2] + least[2])
        return Expected(unit * (most[0] + least[0]), unit * (most[1] + least[1]), float(error))

    def _extreme(self, cumulated: Callable[[FloatArray], FloatArray], table: Known) -> tuple[float, float, float]:
        """E of the largest sum (least and most) in steps from the first column's or, mirrored, from the last one's.

        And its variance. Whatever is a product over cells is a sum of logarithms, which has its extremes over races.
        """
        with np.errstate(divide="ignore"):
            logs = np.log(np.clip(cumulated(self.masses), 0.0, 1.0))
        low, high = (np.exp(ends) for ends in sums(self.of_counts(logs, table.largest), table))
        # a product of small probabilities makes the largest error large
        where = self.first if cumulated is _cumulated else -(self.first + self.masses.shape[1] - 1)
        means = [where + float((1.0 - law[:-1]).sum()) for law in (high, low)]
        masses = np.diff(0.5 * (low + high), prepend=0.0)
        places = np.arange(len(masses))
        centre = float(masses @ places)
        return means[0], means[1], float(masses @ (places - centre) ** 2)


def _cumulated(masses: FloatArray) -> FloatArray:
    return as_floats(np.cumsum(masses, axis=1))


def _from_above(masses: FloatArray) -> FloatArray:
    return as_floats(np.cumsum(masses[:, ::-1], axis=1))


def of_noise(noise: Noise, rounded: bool = True) -> Means:
    """Of noisy counts clipped at zero, rounded to whole people or (as good as) not rounded at all.

    Not to round is to round to a sixteenth of the scale: that changes the variance of the noise by a 6,000th.
    """
    step = 1.0 if rounded or noise.integer_valued else noise.size / FINENESS
    reach = int(np.ceil(noise.reach(_NEVER) / step))
    clipped = round(reach * step)  # counts from here on are never clipped
    sums_of = np.arange(-reach, reach + 1)
    plain = np.diff(noise.cdf((np.append(sums_of, reach + 1) - 0.5) * step))
    rows = []
    for count in range(clipped + 1):
        lowest = max(-round(count / step), -reach)
        error = plain.copy()
        error[lowest + reach] += error[: lowest + reach].sum()
        error[: lowest + reach] = 0.0
        rows.append(error)
    return _added_up(np.array(rows), -reach, step)


def of_suppression(epsilon: float, k: int, largest: int) -> Means:
    """Of Eq. (2): a count is off by k/2 - x in a binomial number of the 200 releases, k being even."""
    counts = np.arange(largest + 1)
    hidden = LaplaceNoise(2.0 / epsilon).cdf(k - counts)
    often = np.arange(REPETITIONS + 1)
    masses = stats.binom.pmf(often[None, :], REPETITIONS, np.where(hidden > _NEVER, hidden, 0.0)[:, None])
    happens = masses > _NEVER
    off = (k // 2 - counts)[:, None] * often[None, :]
    first, last = int(off[happens].min()), int(off[happens].max())
    table = np.zeros((len(counts), last - first + 1))
    rows = np.broadcast_to(counts[:, None], off.shape)
    np.add.at(table, (rows[happens], off[happens] - first), masses[happens])
    return Means(table, first, 1.0)


def _added_up(errors: FloatArray, lowest: int, step: float) -> Means:
    """The law of the sum of 200 errors, as far as it reaches; ``errors`` begin at ``lowest`` steps."""
    at = lowest + np.arange(errors.shape[1])
    mean = errors @ at
    deviation = np.sqrt(np.maximum(errors @ at**2 - mean**2, 0.0)).max()
    wide = int(np.ceil(_FAR * deviation * np.sqrt(REPETITIONS)))
    first, last = int(REPETITIONS * mean.min()) - wide, int(REPETITIONS * mean.max()) + wide
    length = 1 << int(np.ceil(np.log2(max(last - first + 1, errors.shape[1]))))
    circle = np.zeros((len(errors), length))
    circle[:, at % length] = errors
    added = np.fft.irfft(np.fft.rfft(circle, axis=1) ** REPETITIONS, length, axis=1)
    places: IntArray = np.arange(first, last + 1)
    return Means(np.maximum(added[:, places % length], 0.0), first, step)
