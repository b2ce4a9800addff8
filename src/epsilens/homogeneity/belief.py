"""Should the attacker believe a cell that shows a single label?

"Disclosed" is not "certain": the attacker sees one label, but cannot tell a cell that was homogeneous from one that the
noise made look so. What counts for people is how often the single label shown is *theirs*, how often it is not, and
whether believing it beats guessing the commonest label.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief, internal_facts_html
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
        checked_noise(noise)
    vectors, multiplicities, weights = table.harm_signatures()
    people = cell_weights(vectors, multiplicities, weighted=True)
    share = match_weights(vectors, "share")
    if noise is None:
        shown = (vectors > 0).astype(np.float64)
        alone = shown_alone(shown, 1.0 - shown)
    else:
        alone = shown_alone(*shown_and_hidden(vectors, noise))
    alone = alone * (weights > 0)
    return Belief(
        right=float(people @ np.einsum("ik,ik->i", share, alone)),
        wrong=float(people @ np.einsum("ik,ik->i", 1.0 - share, alone)),
        guessing=float(table.label_totals.max() / table.n_records),
    )
