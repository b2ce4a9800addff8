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
from collections.abc import Iterable, Mapping, Sequence

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import TAIL, reach

fft = LaterModule("scipy.fft")

_MOST_WORK = 1 << 28
"""Shares of the gap times frequencies: some seconds for one parent."""
_FURTHEST = 1 << 15
"""How far published counts may lie from true ones."""
_LARGEST_CHUNK = 1 << 23
"""Complex numbers held at a time."""
_HANDY_CHUNK = 1 << 17
"""Complex numbers multiplied at a time: few enough for a processor's cache."""


class SharedGap:
    """A parent's ``kappa`` children under one noise, which share the gap to the parent's published count.

    ``parent_reach`` is how far the parent's published count may lie from its true one.
    """

    def __init__(self, noise: AnyNoise, kappa: int, parent_reach: int) -> None:
        self._kappa, self._parent_reach = kappa, parent_reach
        self._far = reach(noise)
        far_sum = sum_reach(noise, kappa)
        furthest = (parent_reach + far_sum) // kappa + 1
        # so long that no sum of noises comes round to where it would pass for another
        self._size = fft.next_fast_len(parent_reach + kappa * (furthest + 1) + far_sum + 1, real=True)
        self._frequencies = self._size // 2 + 1
        work = (2 * furthest + 1) * self._frequencies if kappa > 1 else 0
        if work > _MOST_WORK or parent_reach > _FURTHEST:
            raise ParameterError(
                f"the sum constraint is computed exactly for noise that reaches less far than "
                f"{max(self._far, parent_reach)} with {kappa} {'child' if kappa == 1 else 'children'}",
                remedy="use larger budgets, or simulate",
            )
        self._gaps = np.arange(-furthest, furthest + 1)
        self._mass = as_floats(noise.pmf(np.arange(-self._far, self._far + 1.0)))

    def expected(self, questions: Sequence[Sequence[int]], weights: Mapping[int, FloatArray]) -> list[FloatArray]:
        """E prod_k w_k(published_k - n_k) given q, for every q - n from -parent_reach to parent_reach.

        One answer per question. A question names the weights of those children that have one; ``weights`` has w_k(z)
        under each name for z from -R to R, values at R also beyond. They must allow for clipping themselves. With
        f_k(g, omega) = sum over e of P(e) w_k(e + g) exp(-i omega e), the transform of an answer in q - n is

            [sum over the kappa D with share 0 of exp(-i omega D)] f(omega)^free
                sum over g of exp(-i omega kappa g) prod_k f_k(g, omega).

        Source: P0 section 4.3.
        Assumes independent noise rounded half up; equal variances of the children, so equal shares of the gap;
        ``kappa`` counts the children that can occur: structural zeros get neither noise nor a share.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        everywhere = np.arange(-self._parent_reach, self._parent_reach + 1)
        if self._kappa == 1:  # the only part takes the whole gap: it is the parent
            return [_at(weights[q[0]], everywhere) if q else np.ones(len(everywhere)) for q in questions]
        shares = np.zeros(self._size)
        shares[np.arange(self._kappa) - self._kappa // 2] = 1.0  # D = kappa g + these: all D with the same g
        same_gap, free = fft.rfft(shares), fft.rfft(self._mass, self._size)
        places = (everywhere + self._kappa * self._far) % self._size  # every noise is counted from its lowest, -far
        sums = self._sums_over_gaps(questions, weights)
        sizes = np.array([len(question) for question in questions], dtype=np.int64)
        answers = np.empty((len(questions), len(everywhere)))
        at_once = max(1, _HANDY_CHUNK // self._frequencies)
        for size in np.unique(sizes).tolist():
            common = same_gap * _power(free, self._kappa - size)
            alike = np.flatnonzero(sizes == size)
            for first in range(0, len(alike), at_once):
                some = alike[first : first + at_once]
                laws = fft.irfft(sums[some] * common, self._size, axis=1)
                answers[some] = np.clip(laws[:, places], 0.0, 1.0)
        return list(answers)

    def _sums_over_gaps(self, questions: Sequence[Sequence[int]], weights: Mapping[int, FloatArray]) -> ComplexArray:
        """The last line of the formula, per question; some g at a time, for which every f_k is computed once.

        What a question has in common with the one before, from its beginning, is not multiplied again.
        """
        numbers = [tuple(Counter(question).items()) for question in questions]
        steps = {name: count for name, weight in weights.items() if (count := _step_at(weight)) is not None}
        others = {name: i for i, name in enumerate(name for name in weights if name not in steps)}
        most_hidden = [
            max((steps[name] for name in number if name in steps), default=None) for number in map(dict, numbers)
        ]
        sums = np.zeros((len(questions), self._frequencies), dtype=np.complex128)
        rows = min(_LARGEST_CHUNK // (len(others) + 1), max(_HANDY_CHUNK, 32 * self._frequencies)) // self._frequencies
        rows = max(rows, 1)
        roots = np.exp(-2j * np.pi * np.arange(self._size) / self._size)
        hidden = _HiddenTable(self._mass, self._size, steps.values())
        for first in range(0, len(self._gaps), rows):
            gaps = self._gaps[first : first + rows]
            # the angle is a whole number of 1 / size turns, so nothing is lost for large g
            turn = roots[(self._kappa * gaps % self._size)[:, None] * np.arange(self._frequencies) % self._size]
            tables = self._transforms([weights[name] for name in others], gaps)
            hidden.move_to(gaps)
            path: list[tuple[int, int]] = []
            products = [turn]
            for i, (number, most) in enumerate(zip(numbers, most_hidden, strict=True)):
                if most is not None and most + gaps[0] > self._far:
                    continue  # a child that must be hidden cannot be
                common = _common_beginning(path, number)
                del path[common:], products[common + 1 :]
                for name, times in number[common:]:
                    table = tables[others[name]] if name in others else hidden.at(steps[name])
                    products.append(products[-1] * (table if times == 1 else _power(table, times)))
                path.extend(number[common:])
                sums[i] += products[-1].sum(axis=0)
        return sums

    def _transforms(self, weights: Sequence[FloatArray], gaps: IntArray) -> ComplexArray:
        """f_k(g, omega) for some weights and some g, as (weights, g, omega); many transforms in one call."""
        points = np.arange(gaps[0] - self._far, gaps[-1] + self._far + 1)
        places = {known: np.clip(points, -known, known) + known for known in {len(w) // 2 for w in weights}}
        found = np.empty((len(weights), len(gaps), self._frequencies), dtype=np.complex128)
        at_once = max(1, _HANDY_CHUNK // (len(gaps) * self._frequencies))
        for first in range(0, len(weights), at_once):
            spread = np.stack([weight[places[len(weight) // 2]] for weight in weights[first : first + at_once]])
            windows = np.lib.stride_tricks.sliding_window_view(spread, len(self._mass), axis=1)
            found[first : first + at_once] = fft.rfft(windows * self._mass, self._size, axis=2)
        return found


class _HiddenTable:
    """f_k(g, omega) of counts n_k that must be hidden: it depends on n_k + g only, so one table serves all of them."""

    def __init__(self, mass: FloatArray, size: int, counts: Iterable[int]) -> None:
        self._mass, self._size = mass, size
        self._far = len(mass) // 2
        self._lowest, self._highest = min(counts, default=0), max(counts, default=0)
        self._first = 0
        self._table: ComplexArray = np.empty((0, size // 2 + 1), dtype=np.complex128)
        self._gaps: IntArray = np.empty(0, dtype=np.int64)

    def move_to(self, gaps: IntArray) -> None:
        """Prepare the rows for some g; where most are there already, keep them."""
        self._gaps = gaps
        first = int(np.clip(gaps[0] + self._lowest, -self._far, self._far + 1))
        last = int(np.clip(gaps[-1] + self._highest, -self._far, self._far + 1))
        if len(self._table) == 0:
            self._first = first
        have = self._first + len(self._table)
        kept = self._table[max(first - self._first, 0) :]
        new = np.arange(max(first, have), last + 1)
        # e <= -(n + g): the lowest far + 1 - (n + g) values of the noise
        below = np.arange(len(self._mass)) < (self._far + 1 - new)[:, None]
        rows = fft.rfft(np.where(below, self._mass, 0.0), self._size, axis=1)
        self._table, self._first = np.concatenate([kept, rows]), last + 1 - len(kept) - len(new)

    def at(self, count: int) -> ComplexArray:
        """The rows of one count."""
        first, last = count + int(self._gaps[0]), count + int(self._gaps[-1])
        if -self._far <= first and last <= self._far + 1:
            return self._table[first - self._first : last + 1 - self._first]
        return self._table[np.clip(np.arange(first, last + 1), -self._far, self._far + 1) - self._first]


def sum_reach(noise: AnyNoise, number: int) -> int:
    """A distance that the sum of ``number`` noises exceeds on either side with probability at most :data:`TAIL`.

    The smaller of ``number`` times the reach of one and Chernoff's bound, min over t of
    (number log E exp(t e) - log TAIL) / t.
    """
    far = reach(noise)
    if number <= 1 or far > _FURTHEST:
        return far * number
    steps = np.arange(-far, far + 1.0)
    slopes = np.geomspace(0.1, 60.0, 200) / far
    moments = np.maximum(*(np.exp(np.outer(sign * slopes, steps)) @ noise.pmf(steps) for sign in (1.0, -1.0)))
    chernoff = (number * np.log(moments) - math.log(TAIL)) / slopes
    return min(number * far, math.ceil(float(chernoff.min())))


def child_reach(noise: AnyNoise, kappa: int, parent_reach: int) -> int:
    """How far a fitted child's published count may lie from its true one.

    The difference is e_k (kappa - 1) / kappa - (the other noises) / kappa + (q - n) / kappa, rounded.
    """
    own = reach(noise) * (kappa - 1) + sum_reach(noise, kappa - 1)
    return (own + parent_reach) // kappa + 2


def _common_beginning(one: Sequence[object], other: Sequence[object]) -> int:
    """How many of the first entries of both are the same."""
    common = 0
    for here, there in zip(one, other, strict=False):
        if here != there:
            break
        common += 1
    return common


def _step_at(weight: FloatArray) -> int | None:
    """The n for which a weight is [z <= -n], if there is one: that of a count n that must be hidden."""
    ones = int(weight.sum())
    if 0 < ones < len(weight) and (weight[:ones] == 1.0).all() and not weight[ones:].any():
        return len(weight) // 2 + 1 - ones
    return None


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
