"""Thresholding: the attacker who also reads cells that show several labels.

The homogeneity attack needs a cell that shows a single label. An attacker who is content with a good guess takes every
cell: where one label is shown it is the guess, where several are shown the guess is the plurality (*hard*) or a draw
from the released proportions (*soft*), where nobody is shown there is none. The risk is the probability that the guess
is right.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats, distinct_and_positions
from epsilens.checks import one_of
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.belief import Belief
from epsilens.homogeneity.blockwise import hidden_zeros, ready_risks
from epsilens.homogeneity.guesses import hard_guesses, soft_guesses
from epsilens.homogeneity.local import Match, match_weights, other_weights
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.homogeneity.signature_risks import threshold_of
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.harm import harm_differs

Rule: TypeAlias = Literal["hard", "soft"]
"""How a cell that shows several labels is read: plurality, or a draw from the released proportions."""

Part: TypeAlias = Literal["all", "homogeneity", "thresholding"]
"""Which released cells count: all, those that show one label, or those that show several."""

_GUESSES: dict[str, Callable[[IntArray, AnyNoise, IntArray | None], FloatArray]] = {
    "hard": hard_guesses,
    "soft": soft_guesses,
}


def hard(table: FrequencyTable, noise: AnyNoise, part: Part = "all", match: str = "share") -> FloatArray:
    """The probability, per cell, that guessing the largest published count is right; ties are drawn.

    risk = sum over k of w_k m_k P(k is guessed), with m_k = n_k / n for ``match="share"`` (a random member of the cell)
    or m_k = 1[n_k > 0] for ``match="any"``, and w_k = ``table.label_weights``, 1 unless harm was declared.
    ``part="thresholding"`` counts released cells with several labels only, ``part="homogeneity"`` those with one (then
    it is ``local``); the default is their sum.

    Source: P0 section 6 and S5, P1 section 5 and appendix E.
    Assumes independent noise per label; published counts are rounded half up and clipped at 0; a cell that shows
    nobody gives no guess. As the noise vanishes the risk tends to the share of the commonest label (``"share"``).
    Departs from print (P0-8): the figures there are simulations on a table whose cells are all taken to hold one label.
    """
    checked_table(table)
    checked_noise(noise)
    return _of_cells(table, noise, "hard", part, match)


def soft(table: FrequencyTable, noise: AnyNoise, part: Part = "all", match: str = "share") -> FloatArray:
    """The probability, per cell, that a guess drawn from the released proportions is right.

    risk = sum over k of w_k m_k E[M_k / (M_1 + ... + M_K)], M_k the published counts; w_k, m_k, ``part`` and ``match``
    as in :func:`hard`. As the noise vanishes the risk tends to the sum of the squared shares.

    Source: P0 section 6 and S5, P1 section 5 (footnote 3) and appendix E.
    Assumes what :func:`hard` assumes.
    Departs from print (P0-8): the figures there are simulations on a table whose cells are all taken to hold one label.
    """
    checked_table(table)
    checked_noise(noise)
    return _of_cells(table, noise, "soft", part, match)


def _of_cells(table: FrequencyTable, noise: AnyNoise, rule: str, part: str, match: str) -> FloatArray:
    ready = _prepared(table, rule, part, match)
    return ready.risks_of(table.count_vectors, noise)


def prepare_hard(table: FrequencyTable, part: Part = "all", match: str = "share") -> PreparedMeasure:
    """:func:`hard` on signatures."""
    return _prepared(table, "hard", part, match)


def prepare_soft(table: FrequencyTable, part: Part = "all", match: str = "share") -> PreparedMeasure:
    """:func:`soft` on signatures."""
    return _prepared(table, "soft", part, match)


def guess_probabilities(table: FrequencyTable, noise: AnyNoise, rule: Rule = "hard") -> FloatArray:
    """P(the attacker guesses label k), cells x labels; one minus the sum of a row is the probability of no guess."""
    checked_table(table)
    checked_noise(noise)
    one_of("rule", rule, get_args(Rule))
    return _on_sorted(table.vectors, lambda vectors: _GUESSES[rule](vectors, noise, None))


def threshold_belief(
    table: FrequencyTable, noise: AnyNoise | None = None, rule: Rule = "hard", part: Part = "all"
) -> Belief:
    """What following the rule gives the attacker, over people; ``noise=None`` is the table as it is.

    right = sum over cells of (n_i / n) sum over k of (n_ik / n_i) P(k is guessed), wrong likewise with 1 - n_ik / n_i;
    both over the labels k that harm (``table.label_weights``), as in ``belief``; precision = right / (right + wrong),
    to be held against ``guessing``, the share of the commonest label in the table.

    Source: P0 section 6.
    Departs from print (P0-10): the papers count right guesses and never wrong ones.
    """
    checked_table(table)
    if noise is not None:
        checked_noise(noise)
    one_of("rule", rule, get_args(Rule))
    one_of("part", part, get_args(Part))
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    people = cell_weights(vectors, multiplicities, weighted=True)
    harmful = weights > 0
    listed = np.bincount(vectors.row_of, harmful[vectors.labels], len(vectors))
    absent = np.where(vectors.sizes > 0, harmful.sum() - listed, 0.0)
    right = wrong = 0.0
    for plain in vectors.blocks():
        block = plain.with_a_zero()
        if noise is None:
            guesses = _undisturbed_guesses(block.vectors, rule, part)
        else:
            guesses = guesses_of(block.vectors, noise, rule, part, block.zeros)
        counted = np.where(block.vectors > 0, harmful[block.labels], 0.0)
        counted[:, -1] = absent[block.rows]
        own = people[block.rows]
        right += float(own @ (match_weights(block.vectors, "share") * counted * guesses).sum(axis=1))
        wrong += float(own @ (other_weights(block.vectors) * counted * guesses).sum(axis=1))
    return Belief(right=right, wrong=wrong, guessing=float(table.label_totals.max() / table.n_records))


def threshold_risks(
    vectors: IntArray,
    noise: AnyNoise,
    rule: str,
    part: str = "all",
    match: str = "share",
    weights: FloatArray | None = None,
    zeros: IntArray | None = None,
) -> FloatArray:
    """:func:`hard` or :func:`soft` for given count vectors (cells, labels); ``weights`` of labels, 1 by default.

    ``zeros`` says how many further labels of each vector nobody has.
    """
    one_of("rule", rule, get_args(Rule))
    one_of("part", part, get_args(Part))
    matched = match_weights(vectors, match)
    guesses = guesses_of(vectors, noise, rule, part, zeros)
    if not harm_differs(weights):
        return np.minimum(as_floats((matched * guesses).sum(axis=-1)), 1.0)
    return as_floats(np.minimum((matched * weights * guesses).sum(axis=-1), weights.max()))


def guesses_of(vectors: IntArray, noise: AnyNoise, rule: str, part: str, zeros: IntArray | None = None) -> FloatArray:
    """:func:`part_guesses` for labels in any order, evaluated once per distinct sorted vector."""
    if zeros is None:
        return _on_sorted(vectors, lambda distinct: part_guesses(distinct, noise, rule, part))
    both = np.concatenate([vectors, zeros[:, None]], axis=1)
    labels = vectors.shape[1]
    order = np.argsort(-vectors, axis=1, kind="stable")
    both[:, :labels] = np.take_along_axis(vectors, order, axis=1)
    distinct, back = distinct_and_positions(both)
    values = np.empty(vectors.shape)
    found = part_guesses(distinct[:, :labels], noise, rule, part, distinct[:, labels])
    np.put_along_axis(values, order, found[back], axis=1)
    return values


def part_guesses(vectors: IntArray, noise: AnyNoise, rule: str, part: str, zeros: IntArray | None = None) -> FloatArray:
    """P(the attacker guesses k and the released cell belongs to ``part``); ``zeros`` further labels have nobody.

    The cells with one label are known in closed form; what the sum over all cells has beyond them is thresholding,
    never negative.
    """
    alone = shown_alone(*shown_and_hidden(vectors, noise))
    if zeros is not None:
        alone = alone * hidden_zeros(zeros, noise)[:, None]
    if part == "homogeneity":
        return alone
    beyond = np.maximum(_GUESSES[rule](vectors, noise, zeros) - alone, 0.0)
    return beyond if part == "thresholding" else alone + beyond


def _prepared(table: FrequencyTable, rule: str, part: str, match: str) -> PreparedMeasure:
    one_of("part", part, get_args(Part))  # refuse wrong options before the long computation
    one_of("match", match, get_args(Match))
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    risks = ready_risks(
        vectors, weights, lambda block, harm, zeros: threshold_of(block, rule, part, match, harm, zeros)
    )
    return PreparedMeasure(rule, vectors, multiplicities, risks, weights=table.label_weights)


def _undisturbed_guesses(vectors: IntArray, rule: str, part: str) -> FloatArray:
    """The guesses from the true counts."""
    counts = np.maximum(vectors, 0)
    wanted = {"all": (1, counts.shape[-1]), "homogeneity": (1, 1), "thresholding": (2, counts.shape[-1])}[part]
    labels_shown = (counts > 0).sum(axis=-1)
    taken = (labels_shown >= wanted[0]) & (labels_shown <= wanted[1])
    weights = counts if rule == "soft" else (counts == counts.max(axis=-1, keepdims=True)) & (counts > 0)
    totals = weights.sum(axis=-1, keepdims=True)
    return np.where(taken[:, None], weights / np.maximum(totals, 1), 0.0)


def _on_sorted(vectors: IntArray, function: Callable[[IntArray], FloatArray]) -> FloatArray:
    """A label-blind function of count vectors, evaluated once per distinct sorted vector."""
    order = np.argsort(-vectors, axis=1, kind="stable")
    distinct, back = np.unique(np.take_along_axis(vectors, order, axis=1), axis=0, return_inverse=True)
    values = np.empty(vectors.shape)
    np.put_along_axis(values, order, function(distinct)[back.reshape(-1)], axis=1)
    return values
