"""Should the attacker believe a cell that shows a single label?

"Disclosed" is not "certain": the attacker sees one label, but cannot tell a cell that was homogeneous from one that the
noise made look so. What counts for people is how often the single label shown is *theirs*, how often it is not, and
whether believing it beats guessing the commonest label.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import BoolArray, IntArray
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import match_weights, other_weights
from epsilens.homogeneity.single_labels import SingleLabels, WeighedLabels
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief, internal_facts_html
from epsilens.table.count_vectors import Block, CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table


@dataclass(frozen=True)
class Belief:
    """Shares of people, and what believing is worth."""

    right: float
    """Share of people whose cell shows a single label that harms, and it is theirs."""
    wrong: float
    """Share of people whose cell shows a single label that harms, and it is not theirs."""
    guessing: float
    """How often guessing the commonest label of the table is right."""

    __repr__ = brief
    _repr_html_ = internal_facts_html

    @property
    def precision(self) -> float:
        """How often the attacker's conclusion about a person, where there is one, is right."""
        return self.right / (self.right + self.wrong) if self.right + self.wrong > 0 else 0.0


def belief(table: FrequencyTable, noise: AnyNoise | None = None) -> Belief:
    """What believing single-label cells gives the attacker; ``noise=None`` is the table as it is.

    For a random person: right = sum over cells of (n_i / n) sum_k (n_ik / n_i) P(only k is shown), wrong likewise with
    1 - n_ik / n_i, both over the labels k that harm (``table.label_weights``): who is shown as something harmless is in
    neither. Source: P0 Eq. (7), weighted over people (P0-10).
    """
    checked_table(table)
    if noise is not None:
        return prepare_belief(table)(noise)
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    people = cell_weights(vectors, multiplicities, weighted=True)
    # a single label is shown where everybody has it, and then it is right
    alone = vectors.positive == 1
    single = vectors.take(alone)
    harmful = (single.counts > 0) & (weights[single.labels] > 0)
    return Belief(
        right=float(people[alone] @ np.bincount(single.row_of[harmful], minlength=len(single))),
        wrong=0.0,
        guessing=_guessing(table),
    )


def prepare_belief(table: FrequencyTable) -> Callable[[AnyNoise], Belief]:
    """:func:`belief` made ready for any noise: what does not depend on it is computed once for all budgets."""
    vectors, multiplicities, weights = table.sparse_harm_signatures()
    people = cell_weights(vectors, multiplicities, weighted=True)
    ready = _rightly_and_wrongly(vectors, weights > 0)

    def believed(noise: AnyNoise) -> Belief:
        right, wrong = ready(checked_noise(noise))
        return Belief(right=float(people @ right), wrong=float(people @ wrong), guessing=_guessing(table))

    return believed


def _guessing(table: FrequencyTable) -> float:
    return float(table.label_totals.max() / table.n_records)


def _rightly_and_wrongly(vectors: CountVectors, harmful: BoolArray) -> SingleLabels:
    """Sums over harmful labels k of n_k / n P(only k is shown), and of (1 - n_k / n) P(only k is shown)."""

    def nobodys(block: Block) -> IntArray:
        """How many harmful labels each vector could have and has not: those that it lists in no form are left."""
        held = vectors.take(block.rows)
        listed = np.bincount(held.row_of, harmful[held.labels], len(held)).astype(np.int64)
        return int(harmful.sum()) - np.where(held.sizes > 0, listed, int(harmful.sum()))

    return SingleLabels(
        vectors,
        [
            WeighedLabels(lambda block: match_weights(block.vectors, "share") * harmful[block.labels]),
            WeighedLabels(lambda block: other_weights(block.vectors) * harmful[block.labels], nobodys),
        ],
    )
