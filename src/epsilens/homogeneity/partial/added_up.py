"""What somebody sees who knows only some quasi-identifiers, and adds up the noisy counts of a finer table.

Only the full table is published. Whoever does not know all of its columns adds up the noisy counts of all cells that
agree in what they do know, label by label. To label k, counted n_k there, come m_k draws of noise, m_k being how many
counts are added up; it is shown where n_k plus their sum is 1/2 or more. The sums of different labels are independent,
so a single label is shown, and somebody has it, with the probability of the local risk; but every count has the law of
its own m_k draws instead of that of one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import distinct_counts, shown_alone
from epsilens.noise.law import AnyNoise, Noise
from epsilens.noise.sum_law import sides_of_sums
from epsilens.notebook import brief


@dataclass(frozen=True, eq=False)
class AddedUpCounts:
    """Counts with the number of draws in each, every combination of the two once: a law is asked once for each."""

    terms: IntArray
    """Numbers of draws, ascending; 0 for a label that cannot occur."""
    counts: IntArray
    """The counts that go with them."""
    where: IntArray
    """For every count that was given, which of these it is."""

    __repr__ = brief

    @staticmethod
    def of(vectors: IntArray, parts: IntArray) -> AddedUpCounts:
        """Those of counts, an array of any shape, that are sums of ``parts`` counts each."""
        terms, counts = np.where(vectors >= 0, parts, 0), np.maximum(vectors, 0)
        most = int(counts.max(initial=0)) + 1
        if most * (int(terms.max(initial=0)) + 1) < 2**62:
            keys, where = np.unique(terms * most + counts, return_inverse=True)
            return AddedUpCounts(keys // most, keys % most, where.reshape(vectors.shape))
        pairs, where = np.unique(np.stack([terms.ravel(), counts.ravel()], axis=1), axis=0, return_inverse=True)
        return AddedUpCounts(pairs[:, 0], pairs[:, 1], where.reshape(vectors.shape))

    def shown_and_hidden(self, noise: Noise) -> tuple[FloatArray, FloatArray]:
        """P(n_k + the sum of its draws >= 1/2), and the opposite, for each combination; ``where`` finds them."""
        shown, hidden = np.zeros(len(self.terms)), np.ones(len(self.terms))
        there = self.terms > 0
        shown[there], hidden[there] = sides_of_sums(noise, self.terms[there], as_floats(0.5 - self.counts[there]))
        return shown, hidden


def added_up_risks(
    vectors: IntArray, sums: AddedUpCounts, noise: Noise, match: str = "any", weights: FloatArray | None = None
) -> FloatArray:
    """The probability, per cell of a marginal, that its summed counts show a single label and that label is right.

    With a_k = P(S_k >= 1/2 - n_k), S_k the sum of m_k draws of ``noise``: risk = sum over k of w_k a_k
    prod_{j != k} (1 - a_j), over the labels that somebody has. Symbols: n_k is ``vectors``, m_k the number of
    draws in ``sums``, which are those of the vectors, w_k is ``weights``.

    Source: P0 Definition 6, Eqs. (5) to (7), of a marginal; the law of S_k as in P4 Eq. (3.7).
    Assumes independent noise in every count of the table, and counts that are added up before they are rounded or
    clipped; of noise in whole numbers that makes no difference but for clipping.
    The paper's attacker knows every quasi-identifier; then every m_k is 1.
    """
    shown, hidden = sums.shown_and_hidden(noise)
    return alone_and_right(vectors, shown[sums.where], hidden[sums.where], match, weights)


def alone_and_right(
    vectors: IntArray,
    shown: FloatArray,
    hidden: FloatArray,
    match: str = "any",
    weights: FloatArray | None = None,
) -> FloatArray:
    """P(one label is shown, and somebody has it), each label counted by its weight."""
    harm = match_weights(vectors, match) * (1.0 if weights is None else weights)
    return as_floats((harm * shown_alone(shown, hidden)).sum(axis=-1))


def log_hidden(counts: IntArray, noises: Sequence[AnyNoise]) -> FloatArray:
    """Log h(n) - log h(0), h(n) = P(a count of n is published as 0): (noises, ...) in the shape of ``counts``.

    It is 0 for a count of nobody and for one that cannot occur, and never above 0.
    """
    distinct, where = distinct_counts(counts)
    logs = [np.where(distinct > 0, noise.logcdf(0.5 - distinct) - noise.logcdf(0.5), 0.0) for noise in noises]
    return np.stack([of_noise[where] for of_noise in logs])


def clipped_hidden(logs: FloatArray, parts: IntArray, noise: AnyNoise) -> FloatArray:
    """Log P(the label is hidden), per count of a marginal, where counts are added up as they are published.

    Published counts are rounded and raised to 0. A sum of such counts is 0 exactly where all of them are, so label k is
    hidden with probability prod over the cells i of h(n_ik), h(n) = P(n + noise < 1/2), the cells that nobody is in
    among them: the sum never needs to be convolved. Each factor is below 1: the more counts are added up, the more
    labels appear that nobody has. In logarithms that is

        m_k log h(0) + sum over the cells i in which somebody has k of (log h(n_ik) - log h(0)),

    all terms of which are below 0, so nothing cancels. Symbols: m_k, how many counts are added up, is ``parts``;
    ``logs`` are those of :func:`log_hidden` for this noise, added up.

    Source: P0 Definition 6, for a single count.
    Assumes independent noise in every count.
    """
    return as_floats(logs + parts * float(noise.logcdf(0.5)))


def clipped_risks(
    vectors: IntArray, hidden: FloatArray, match: str = "any", weights: FloatArray | None = None
) -> FloatArray:
    """:func:`added_up_risks` of clipped counts, from the logs of :func:`clipped_hidden`."""
    return alone_and_right(vectors, as_floats(-np.expm1(hidden)), np.exp(hidden), match, weights)
