"""Counts adjusted so that children add up to a parent published before.

The curator published the parent's count q, adds noise e_k to each of its kappa children and shares the gap evenly, the
least squares adjustment for equal variances: child k becomes n_k + e_k + D / kappa with D = q - sum over j of
(n_j + e_j); then it is rounded half up and clipped at 0. All noise is rounded to whole numbers first, so child k is
published as max(0, n_k + e_k + g) with the *same* whole number g = floor(D / kappa + 1/2) for every child. Given g the
children depend on one another only through the sum of their noises, which a product of generating functions follows:
the whole law is a finite sum over g, found by FFT for every q at once.

Rounding and clipping come last, so the counts finally printed may miss the parent: by a few units, or by more where
several children are clipped.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from functools import partial
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
from scipy import fft

from epsilens.errors import ParameterError
from epsilens.homogeneity.whole_number_sums import TAIL, reach
from epsilens.noise.law import FloatArray, Noise, as_floats
from epsilens.table.frequency import IntArray

ComplexArray = npt.NDArray[np.complex128]

Entry = TypeVar("Entry", bound=np.generic)

_MOST_WORK = 1 << 28
"""Shares of the gap times frequencies: some ten seconds for one parent."""
_LARGEST_CHUNK = 1 << 21
_LARGEST_CACHE = 1 << 24


class TableCache(Generic[Entry]):
    """Tables that are needed again and again, forgotten all at once when they have grown too large."""

    def __init__(self) -> None:
        self._tables: dict[Hashable, npt.NDArray[Entry]] = {}
        self._entries = 0

    def get(self, key: Hashable, make: Callable[[], npt.NDArray[Entry]]) -> npt.NDArray[Entry]:
        """The table of ``key``, made if it is not there."""
        if key not in self._tables:
            table = make()
            if self._entries + table.size > _LARGEST_CACHE:
                self._tables.clear()
                self._entries = 0
            self._tables[key] = table
            self._entries += table.size
        return self._tables[key]


class SharedGap:
    """A parent's ``kappa`` children under one noise, which share the gap to the parent's published count.

    ``parent_reach`` is how far the parent's published count may lie from its true one.
    """

    def __init__(
        self, noise: Noise, kappa: int, parent_reach: int, cache: TableCache[np.complex128] | None = None
    ) -> None:
        self._kappa, self._parent_reach = kappa, parent_reach
        self._cache, self._mine = (cache if cache is not None else TableCache()), object()
        self._far = reach(noise)
        far_sum = sum_reach(noise, kappa)
        furthest = (parent_reach + far_sum) // kappa + 1
        self._gaps = np.arange(-furthest, furthest + 1)
        # so long that no sum of noises comes round to where it would pass for another
        self._size = fft.next_fast_len(parent_reach + kappa * (furthest + 1) + far_sum + 1, real=True)
        self._frequencies = self._size // 2 + 1
        if kappa > 1 and len(self._gaps) * self._frequencies > _MOST_WORK:
            raise ParameterError(
                f"the sum constraint is computed exactly for noise that reaches less far than {self._far} with "
                f"{kappa} children; use larger budgets, or simulate"
            )
        self._mass = as_floats(noise.pmf(np.arange(-self._far, self._far + 1.0)))
        shares = np.zeros(self._size)
        shares[np.arange(kappa) - kappa // 2] = 1.0  # D = kappa g + these: all D with the same g
        self._one_gap = fft.rfft(shares)
        self._free = fft.rfft(self._mass, self._size)

    def expected(self, children: Iterable[tuple[Hashable, FloatArray]]) -> FloatArray:
        """E prod_k w_k(published_k - n_k) given q, for every q - n from -parent_reach to parent_reach.

        ``children`` are those with a weight: (a name under which it is remembered, w_k), with w_k(z) given for z from
        -R to R, values at R also beyond; w_k must allow for clipping itself. With
        f_k(g, omega) = sum over e of P(e) w_k(e + g) exp(-i omega e), the transform of the answer in q - n is

            [sum over the kappa D with share 0 of exp(-i omega D)] f(omega)^free
                sum over g of exp(-i omega kappa g) prod_k f_k(g, omega).

        Source: P0 section 4.3.
        Assumption: independent noise rounded half up; equal variances of the children, so equal shares of the gap;
        ``kappa`` counts the children that can occur: structural zeros get neither noise nor a share.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        weighted = list(children)
        if self._kappa == 1:  # the only part takes the whole gap: it is the parent
            everywhere = np.arange(-self._parent_reach, self._parent_reach + 1)
            return np.ones(len(everywhere)) if not weighted else _at(weighted[0][1], everywhere)
        weights = dict(weighted)
        number = Counter(name for name, _ in weighted)
        total = np.zeros(self._frequencies, dtype=np.complex128)
        rows = max(1, _LARGEST_CHUNK // self._frequencies)
        for first in range(0, len(self._gaps), rows):
            part = slice(first, first + rows)
            product = self._kept("turn", part, self._turns)
            for name, weight in weights.items():
                table = self._kept(name, part, partial(self._transforms, weight))
                product = product * _power(table, number[name])
            total += product.sum(axis=0)
        total *= self._one_gap * _power(self._free, self._kappa - len(weighted))
        answer = fft.irfft(total, self._size)
        # every noise was counted from its lowest value, -far
        places = np.arange(-self._parent_reach, self._parent_reach + 1) + self._kappa * self._far
        return as_floats(np.clip(answer[places % self._size], 0.0, 1.0))

    def _kept(self, name: Hashable, part: slice, make: Callable[[slice], ComplexArray]) -> ComplexArray:
        if part.start == 0 and part.stop >= len(self._gaps):
            return self._cache.get((self._mine, name), lambda: make(part))
        return make(part)

    def _turns(self, part: slice) -> ComplexArray:
        """exp(-i omega kappa g): the angle is a whole number of 1 / size turns, so nothing is lost for large g."""
        roots = np.exp(-2j * np.pi * np.arange(self._size) / self._size)
        steps = (self._kappa * self._gaps[part]) % self._size
        return np.asarray(roots[steps[:, None] * np.arange(self._frequencies) % self._size])

    def _transforms(self, weight: FloatArray, part: slice) -> ComplexArray:
        """f_k(g, omega), up to the factor for counting e from -far, for some g."""
        gaps = self._gaps[part]
        spread = _at(weight, np.arange(gaps[0] - self._far, gaps[-1] + self._far + 1))
        windows = np.lib.stride_tricks.sliding_window_view(spread, 2 * self._far + 1)
        return np.asarray(fft.rfft(windows * self._mass, self._size, axis=1))


def sum_reach(noise: Noise, number: int) -> int:
    """A distance that the sum of ``number`` noises exceeds on either side with probability at most :data:`TAIL`.

    The smaller of ``number`` times the reach of one and Chernoff's bound, min over t of
    (number log E exp(t e) - log TAIL) / t.
    """
    far = reach(noise)
    if number <= 1:
        return far * number
    steps = np.arange(-far, far + 1.0)
    slopes = np.geomspace(0.1, 60.0, 200) / far
    moments = np.maximum(*(np.exp(np.outer(sign * slopes, steps)) @ noise.pmf(steps) for sign in (1.0, -1.0)))
    chernoff = (number * np.log(moments) - math.log(TAIL)) / slopes
    return min(number * far, math.ceil(float(chernoff.min())))


def child_reach(noise: Noise, kappa: int, parent_reach: int) -> int:
    """How far a fitted child's published count may lie from its true one.

    The difference is e_k (kappa - 1) / kappa - (the other noises) / kappa + (q - n) / kappa, rounded.
    """
    own = reach(noise) * (kappa - 1) + sum_reach(noise, kappa - 1)
    return (own + parent_reach) // kappa + 2


def _at(weight: FloatArray, points: IntArray) -> FloatArray:
    """A weight given from -R to R, at some points; beyond R as at R."""
    known = len(weight) // 2
    return weight[np.clip(points, -known, known) + known]


def _power(table: ComplexArray, exponent: int) -> ComplexArray:
    """Repeated squaring, much faster than the power of a complex number."""
    result: ComplexArray | None = None
    while exponent:
        if exponent & 1:
            result = table if result is None else result * table
        exponent >>= 1
        if exponent:
            table = table * table
    return np.ones_like(table) if result is None else result
