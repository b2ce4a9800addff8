"""What is asked about single children that share a gap: transforms of the chance that a child is as it should be.

    f_k(g, omega) = sum over e of P(e) w_k(e + g) exp(-i omega e)

for the noise e of a child, the share g of the gap and a weight w_k, for many weights, g and omega at a time.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray, IntArray, as_floats
from epsilens.lazy import LaterModule

fft = LaterModule("scipy.fft")

_LARGEST_CHUNK = 1 << 23
"""Complex numbers held at a time."""
_HANDY_CHUNK = 1 << 17
"""Complex numbers transformed at a time: few enough for a processor's cache."""

FREE = 0
"""The name of a child about which nothing is asked."""


def hidden_names(counts: IntArray) -> IntArray:
    """The names of children with these true counts that must be hidden."""
    return counts + 1


class GapTables:
    """f_k of some children by their names, in ascending order: :data:`FREE`, :func:`hidden_names`, rows of weights.

    A child about which nothing is asked has 1 instead: its transform does not depend on g, and is multiplied by later.
    Row i of ``weights``, called ``first_weight`` + i, has w(z) for z from -R to R; at R also beyond.
    """

    def __init__(self, mass: FloatArray, size: int, names: IntArray, weights: FloatArray, first_weight: int) -> None:
        self._mass, self._size = mass, size
        self._far = len(mass) // 2
        self._free = names[names == FREE]
        self._counts = names[(names != FREE) & (names < first_weight)] - 1
        self._weights = weights[names[names >= first_weight] - first_weight]
        self._gaps: IntArray = np.empty(0, dtype=np.int64)
        self._first = 0
        self._hidden: ComplexArray = np.empty((0, size // 2 + 1), dtype=np.complex128)
        self._deeper: ComplexArray = np.empty((0, 0, size // 2 + 1), dtype=np.complex128)

    def chunks(self, gaps: IntArray) -> Iterator[IntArray]:
        """Some g at a time, for which all transforms can be held."""
        frequencies = self._size // 2 + 1
        rows = max(
            1, min(_LARGEST_CHUNK // (len(self._weights) + 1), max(_HANDY_CHUNK, 32 * frequencies)) // frequencies
        )
        for first in range(0, len(gaps), rows):
            yield gaps[first : first + rows]

    def move_to(self, gaps: IntArray) -> None:
        """Prepare the tables for some g, one after another; of hidden counts most are there already."""
        self._gaps = gaps
        if len(self._counts):
            self._hide(gaps)
        self._deeper = self._transforms(gaps)

    def at(self, omegas: slice) -> ComplexArray:
        """(frequencies, names, g), for some frequencies."""
        frequencies = len(range(*omegas.indices(self._size // 2 + 1)))
        found = np.ones(
            (frequencies, len(self._free) + len(self._counts) + len(self._weights), len(self._gaps)),
            dtype=np.complex128,
        )
        counted = len(self._free) + len(self._counts)
        found[:, len(self._free) : counted] = self._hidden.T[omegas][:, self._places() - self._first]
        found[:, counted:] = self._deeper[:, :, omegas].transpose(2, 0, 1)
        return found

    def still(self, gaps: IntArray) -> FloatArray:
        """f_k(g, 0), the chance that a child is as it should be, as (names, g)."""
        self._gaps = gaps
        below = np.append(np.cumsum(self._mass)[::-1], 0.0)  # P(e <= -j) for j = -far, ..., far + 1
        found = np.ones((len(self._free) + len(self._counts) + len(self._weights), len(gaps)))
        counted = len(self._free) + len(self._counts)
        found[len(self._free) : counted] = below[self._places() + self._far]
        for row, windows in zip(found[counted:], self._windows(self._weights, gaps), strict=True):
            row[:] = windows @ self._mass
        return found

    def _places(self) -> IntArray:
        """N + g for every hidden count and g; out of the noise's reach nothing changes any more."""
        return np.asarray(np.clip(self._counts[:, None] + self._gaps, -self._far, self._far + 1))

    def _hide(self, gaps: IntArray) -> None:
        """The rows for every n + g: f_k depends on it only where a child must be hidden."""
        first, last = (
            int(edge)
            for edge in np.clip([gaps[0] + self._counts[0], gaps[-1] + self._counts[-1]], -self._far, self._far + 1)
        )
        if len(self._hidden) == 0:
            self._first = first
        have = self._first + len(self._hidden)
        kept = self._hidden[max(first - self._first, 0) :]
        new = np.arange(max(first, have), last + 1)
        # e <= -(n + g): the lowest far + 1 - (n + g) values of the noise
        below = np.arange(len(self._mass)) < (self._far + 1 - new)[:, None]
        rows = fft.rfft(np.where(below, self._mass, 0.0), self._size, axis=1)
        self._hidden, self._first = np.concatenate([kept, rows]), last + 1 - len(kept) - len(new)

    def _transforms(self, gaps: IntArray) -> ComplexArray:
        """f_k(g, omega) of the weights, as (weights, g, omega); many transforms in one call."""
        frequencies = self._size // 2 + 1
        found = np.empty((len(self._weights), len(gaps), frequencies), dtype=np.complex128)
        at_once = max(1, _HANDY_CHUNK // (len(gaps) * frequencies))
        for first in range(0, len(self._weights), at_once):
            windows = self._windows(self._weights[first : first + at_once], gaps)
            found[first : first + at_once] = fft.rfft(windows * self._mass, self._size, axis=2)
        return found

    def _windows(self, weights: FloatArray, gaps: IntArray) -> FloatArray:
        """w(e + g) as (weights, g, e)."""
        known = weights.shape[1] // 2
        points = np.arange(gaps[0] - self._far, gaps[-1] + self._far + 1)
        spread = weights[:, np.clip(points, -known, known) + known]
        return as_floats(np.lib.stride_tricks.sliding_window_view(spread, len(self._mass), axis=1))
