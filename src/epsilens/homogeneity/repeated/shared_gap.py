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

import numpy as np

from epsilens.arrays import ComplexArray, FloatArray, IntArray, as_floats
from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.deviations import Deviation, sum_reach
from epsilens.homogeneity.repeated.gap_tables import FREE, GapTables
from epsilens.homogeneity.repeated.halves import Halves
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
_HANDY_CHUNK = 1 << 19
"""Complex numbers multiplied at a time."""
_TRACE = 0.01 * TAIL
"""What a share of the gap may contribute and yet be left out."""


class SharedGap:
    """A parent's ``kappa`` children under one noise, which share the gap to the parent's published count.

    ``parent_reach`` is how far the parent's published count may lie from its true one; its ``deviation``, if it is
    given, tells how probably, so that shares of the gap that never occur are left out.
    """

    def __init__(self, noise: AnyNoise, kappa: int, parent_reach: int, deviation: Deviation | None = None) -> None:
        self._kappa, self._parent_reach = kappa, parent_reach
        self._far = reach(noise)
        far_sum = sum_reach(noise, kappa)
        furthest = (parent_reach + far_sum) // kappa + 1
        if deviation is not None and kappa > 1 and max(parent_reach, self._far) <= _FURTHEST:
            furthest = min(furthest, deviation.furthest_share(noise, kappa))
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
        self.shares: IntArray = np.arange(-furthest, furthest + 1)
        """Every g that occurs."""
        far = self._far if kappa > 1 else 0  # an only part's noise changes nothing, however far it reaches
        self._mass = as_floats(noise.pmf(np.arange(-far, far + 1.0)))

    def expected(self, questions: IntArray, weights: FloatArray, first_weight: int) -> FloatArray:
        """E prod_k w_k(published_k - n_k) given q, for every q - n from -parent_reach to parent_reach.

        One row per question, which names what is asked about the children, in any order: :data:`FREE` nothing,
        :func:`hidden_names` that a child is hidden, w(z) = [z <= -n], and ``first_weight`` + i the row i of
        ``weights``, w(z) for z from -R to R, values at R also beyond. They must allow for clipping themselves. With
        f_k(g, omega) = sum over e of P(e) w_k(e + g) exp(-i omega e), the transform of an answer in q - n is

            [sum over the kappa D with share 0 of exp(-i omega D)] f(omega)^free
                sum over g of exp(-i omega kappa g) prod_k f_k(g, omega).

        Source: P0 section 4.3.
        Assumes independent noise rounded half up; equal variances of the children, so equal shares of the gap;
        ``kappa`` counts the children that can occur: structural zeros get neither noise nor a share.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        everywhere = np.arange(-self._parent_reach, self._parent_reach + 1)
        ordered = np.sort(questions, axis=1)
        if self._kappa == 1:  # the only part takes the whole gap: it is the parent
            return self._of_the_only_part(ordered[:, -1], weights, first_weight)
        shares = np.zeros(self._size)
        shares[np.arange(self._kappa) - self._kappa // 2] = 1.0  # D = kappa g + these: all D with the same g
        same_gap, free = fft.rfft(shares), fft.rfft(self._mass, self._size)
        places = (everywhere + self._kappa * self._far) % self._size  # every noise is counted from its lowest, -far
        sizes = (ordered != FREE).sum(axis=1)
        answers = np.empty((len(ordered), len(everywhere)))
        at_once = max(1, _LARGEST_CHUNK // self._size)
        for first in range(0, len(ordered), at_once):
            some = slice(first, first + at_once)
            laws = self._sums_over_gaps(ordered[some], weights, first_weight)
            for size in np.unique(sizes[some]).tolist():
                laws[sizes[some] == size] *= same_gap * _power(free, self._kappa - size)
            answers[some] = fft.irfft(laws, self._size, axis=1)[:, places]
        return np.clip(answers, 0.0, 1.0, out=answers)

    def _of_the_only_part(self, names: IntArray, weights: FloatArray, first_weight: int) -> FloatArray:
        """What is asked about it, for every deviation of its parent."""
        z = np.arange(-self._parent_reach, self._parent_reach + 1)
        answers = np.where((names == FREE)[:, None], 1.0, z <= 1 - names[:, None])
        deeper = names >= first_weight
        known = weights.shape[1] // 2
        answers[deeper] = weights[names[deeper] - first_weight][:, np.clip(z, -known, known) + known]
        return as_floats(answers)

    def _sums_over_gaps(self, questions: IntArray, weights: FloatArray, first_weight: int) -> ComplexArray:
        """The last line of the formula, per question; some g and some omega at a time."""
        names, place = np.unique(questions, return_inverse=True)
        halves = Halves(place.reshape(questions.shape))
        tables = GapTables(self._mass, self._size, names, weights, first_weight)
        sums = np.zeros((len(questions), self._frequencies), dtype=np.complex128)
        roots = np.exp(-2j * np.pi * np.arange(self._size) / self._size)
        for gaps in tables.chunks(self._gaps_that_matter(halves, tables)):
            tables.move_to(gaps)
            at_once = max(1, _HANDY_CHUNK // ((halves.number + len(names)) * len(gaps)))
            for first in range(0, self._frequencies, at_once):
                omegas = slice(first, first + at_once)
                # the angle is a whole number of 1 / size turns, so nothing is lost for large g
                steps = np.arange(self._frequencies)[omegas, None] * (self._kappa * gaps % self._size)
                sums[:, omegas] += halves.sums(tables.at(omegas), roots[steps % self._size])
        return sums

    def _gaps_that_matter(self, halves: Halves, tables: GapTables) -> IntArray:
        """The g with which some answer may be more than a trace; with a large one nothing is hidden."""
        there = np.flatnonzero(halves.largest(tables.still(self.shares)) > _TRACE)
        return self.shares[there[0] : there[-1] + 1] if len(there) else self.shares[:0]


def _power(values: ComplexArray, exponent: int) -> ComplexArray:
    """Repeated squaring, much faster than the power of a complex number."""
    result: ComplexArray | None = None
    while exponent:
        if exponent & 1:
            result = values if result is None else result * values
        exponent >>= 1
        if exponent:
            values = values * values
    return np.ones_like(values) if result is None else result
