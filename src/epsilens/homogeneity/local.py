"""Local risk: what the homogeneity attack finds in this very table, over the randomness of the noise alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.shown import number_shown, shown_alone, shown_and_hidden, zeros_shown
from epsilens.homogeneity.single_labels import SingleLabels, WeighedLabels
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.table.count_vectors import Block, CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.harm import harm_differs

Match: TypeAlias = Literal["any", "share"]
"""What a single label shown gives away: ``"any"``: the cell, if somebody has the label; ``"share"``: those who do."""

SCENARIOS = (
    "homogeneous, shows its own label",
    "homogeneous, shows another label",
    "homogeneous, shows several labels",
    "homogeneous, shows nobody",
    "heterogeneous, shows several labels",
    "heterogeneous, shows nobody",
    "heterogeneous, shows a label nobody has",
    "heterogeneous, shows a label somebody has",
)


def local(table: FrequencyTable, noise: AnyNoise, match: Match = "any") -> FloatArray:
    """The probability, per cell, that the published cell shows a single label and that label is right.

    With a_k = P(noise >= 1/2 - n_k):  risk = sum over k of m_k a_k prod_{j != k} (1 - a_j), where m_k = 1[n_k > 0] for
    ``match="any"`` and m_k = n_k / n for ``match="share"``, the probability for a random member of the cell. Where only
    some labels are harmful, label k counts w_k times (``table.label_weights``).

    Source: P0 Definition 6, Eqs. (5) to (7).
    Departs from print (P0-1, P0-2): there every heterogeneous cell is priced as (n - 1, 1, 0, ...) and the result is
    called an upper bound, which it is not for three labels or more; this is exact, for any law of noise.
    An empty cell has risk 0.
    """
    checked_table(table)
    checked_noise(noise)
    return ready_local(table.count_vectors, match, table.label_weights)(noise)


def local_risks(
    vectors: IntArray, noise: AnyNoise, match: str = "any", weights: FloatArray | None = None
) -> FloatArray:
    """:func:`local` for given count vectors (..., labels); ``weights`` say how much each label harms, 1 by default."""
    flat = vectors.reshape(-1, vectors.shape[-1])
    return ready_local(CountVectors.of(flat), match, weights)(noise).reshape(vectors.shape[:-1])


def ready_local(
    vectors: CountVectors, match: str = "any", weights: FloatArray | None = None
) -> Callable[[AnyNoise], FloatArray]:
    """:func:`local` for count vectors, made ready for any noise; ``weights`` of labels, 1 by default."""
    one_of("match", match, get_args(Match))

    def matched(block: Block) -> FloatArray | None:
        harm = weights[block.labels] if harm_differs(weights) else None
        if match == "any":
            return harm
        share = match_weights(block.vectors, match)
        return share if harm is None else as_floats(share * harm)

    ready = SingleLabels(vectors, [WeighedLabels(matched)])
    return lambda noise: ready(noise)[0]


def match_weights(vectors: IntArray, match: str) -> FloatArray:
    """m_k of :func:`local`: how much a cell loses when label k is the only one shown."""
    one_of("match", match, get_args(Match))
    if match == "any":
        return (vectors > 0).astype(np.float64)
    counts = np.maximum(vectors, 0)
    return as_floats(counts / np.maximum(counts.sum(axis=-1, keepdims=True), 1))


def other_weights(vectors: IntArray) -> FloatArray:
    """1 - n_k / n: how much of a cell label k is wrong about, when it is the only one shown; 0 in an empty cell."""
    counts = np.maximum(vectors, 0)
    sizes = counts.sum(axis=-1, keepdims=True)
    return as_floats((sizes - counts) / np.maximum(sizes, 1))


def scenarios(table: FrequencyTable, noise: AnyNoise) -> FloatArray:
    """The probabilities of the eight scenarios of a published cell, cells x 8 (see :data:`SCENARIOS`).

    A homogeneous cell is in scenarios 1 to 4, a heterogeneous one in 5 to 8; rows sum to 1, except that an empty cell
    has no scenario and a row of zeros. They are events, whatever the labels harm. Source: P0 section 3.2.
    """
    checked_table(table)
    checked_noise(noise)
    vectors = table.count_vectors
    found = np.empty((len(vectors), len(SCENARIOS)))
    for block in vectors.blocks():
        found[block.rows] = scenario_probabilities(block.vectors, noise, block.zeros)
    return found


def scenario_probabilities(vectors: IntArray, noise: AnyNoise, zeros: IntArray | None = None) -> FloatArray:
    """:func:`scenarios` for given count vectors; ``zeros`` says how many further labels of each nobody has."""
    shown, hidden = shown_and_hidden(vectors, noise)
    alone = shown_alone(shown, hidden)
    present = vectors > 0
    right = np.where(present, alone, 0.0).sum(axis=-1)
    wrong = np.where(present, 0.0, alone).sum(axis=-1)
    none, one, several = number_shown(shown, hidden)
    if zeros is not None:
        no_zero, one_zero, more_zeros = zeros_shown(zeros, noise)
        wrong = wrong * no_zero + none * one_zero
        right = right * no_zero
        several = several + one * (one_zero + more_zeros) + none * more_zeros
        none = none * no_zero
    labels_present = present.sum(axis=-1)
    homogeneous = (labels_present == 1).astype(np.float64)
    heterogeneous = (labels_present > 1).astype(np.float64)
    first_half = np.stack([right, wrong, several, none], axis=-1) * homogeneous[..., None]
    second_half = np.stack([several, none, wrong, right], axis=-1) * heterogeneous[..., None]
    return np.concatenate([first_half, second_half], axis=-1)


def scenario_shares(table: FrequencyTable, noise: AnyNoise, weighted: bool = True) -> FloatArray:
    """The eight probabilities of :func:`scenarios`, averaged over people (``weighted``) or over non-empty cells.

    They sum to 1. The first is P1's risk (Definition 3.3), the first and the last together are the local risk where all
    labels harm alike.

    Source: P0 section 3.2, averaged as in Eq. (12).
    """
    checked_table(table)
    checked_noise(noise)
    vectors, multiplicities = table.sparse_signatures()
    shares, weights = np.zeros(len(SCENARIOS)), cell_weights(vectors, multiplicities, weighted)
    for block in vectors.blocks():
        shares += weights[block.rows] @ scenario_probabilities(block.vectors, noise, block.zeros)
    return shares
