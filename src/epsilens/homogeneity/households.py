"""The homogeneity attack on households: whoever shares a label is given away by any one of their cells.

An attacker who knows that the members of a household share the sensitive value (a language, an income band, an
infection) looks at the cells of all of them. The members' cells are noised independently, so every further cell is a
further chance; members in the same cell have one chance together.

Let a_ij be the probability that cell i shows label j and no other, and u_i = 1 - sum over j of a_ij that it shows none
or several. A household whose members have label k, in cells 1, ..., c, is

- *disclosed* if at least one of its cells shows k alone: 1 - prod_i (1 - a_ik);
- *believed rightly* if some cell shows k alone and none shows another label alone: prod_i (u_i + a_ik) - prod_i u_i;
- *believed wrongly*, for another label j: prod_i (u_i + a_ij) - prod_i u_i, added up over j;
- *contradicted* if two cells show different labels, so that the attacker knows that something is off: all the rest, but
  for prod_i u_i, when nothing is shown.

These are computed by adding one cell after the other, so that all terms are positive and nothing cancels: with N, E_j
and C the probabilities that the cells so far show nothing, j only, and different labels, a further cell makes them
N u, E_j (u + a_j) + N a_j, and C + sum over j of E_j (a_1 + ... + a_K - a_j).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.homogeneity.shown import number_shown, shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief, one_line, rows_html
from epsilens.table.households import Households, Kinds

_AT_ONCE = 2_000_000
LARGEST_SIZE = 6
"""Households of this size and larger ones are told together."""


@dataclass(frozen=True)
class HouseholdShares:
    """What becomes of households, as shares; of the labels that harm nobody only ``contradicted`` speaks."""

    disclosed: float
    """At least one of their cells shows a single label, and it is theirs."""
    right: float
    """The same, and no other cell shows another one."""
    wrong: float
    """Some cell shows a single label that is not theirs, and no cell contradicts it."""
    contradicted: float
    """Two cells show different labels."""

    __repr__ = brief


@dataclass(frozen=True)
class SizeRow:
    """Households of one size (``size``, or that many and more): their risk, and that of their members as persons."""

    size: int
    households: int
    people: int
    persons: float
    shares: HouseholdShares

    __repr__ = brief


@dataclass(frozen=True, eq=False)
class HouseholdRisk:
    """The homogeneity attack on households, beside that on persons. Computed from true data: internal.

    ``persons`` is the share of people whose own cell shows a single label, and it is theirs. ``households`` are shares
    of the households that share a label; ``people`` shares of everybody, members of a household being disclosed with
    it; members of mixed households, who share nothing, count as persons.
    """

    persons: float
    households: HouseholdShares
    people: HouseholdShares
    by_size: tuple[SizeRow, ...]

    def __repr__(self) -> str:
        return one_line(self, f"{len(self.by_size)} sizes of households")

    def _repr_html_(self) -> str:
        rows: list[dict[str, Any]] = [
            {"size": row.size, "households": row.households, "persons": row.persons, **vars(row.shares)}
            for row in self.by_size
        ]
        return rows_html("The homogeneity attack on households", rows, internal=True)


def households(found: Households, noise: AnyNoise | None = None) -> HouseholdRisk:
    """What the homogeneity attack finds out about households; ``noise=None`` is the table as it is.

    With a_ij = P(cell i shows label j alone) and u_i = 1 - sum_j a_ij, a household with label k in the cells i is
    disclosed with probability 1 - prod_i (1 - a_ik), believed rightly with prod_i (u_i + a_ik) - prod_i u_i, wrongly
    with the sum over j != k of prod_i (u_i + a_ij) - prod_i u_i. Right and wrong labels that harm nobody
    (``label_weights`` of 0) are left out.

    Assumes noise that is independent between cells, and an attacker who knows the quasi-identifiers of all members.
    """
    if noise is not None:
        checked_noise(noise)
    alone, nothing = _cell_chances(found.vectors, noise)
    harms = found.label_weights > 0
    own = alone * harms
    person_risk = own[found.persons[:, 2], found.persons[:, 1]]
    parts = [(kinds, _of_kinds(kinds, alone, nothing, harms)) for kinds in found.kinds]

    def average(rows: Callable[[IntArray], BoolArray], by_people: bool) -> tuple[FloatArray, float]:
        total, weight = np.zeros(4), 0.0
        for kinds, shares in parts:
            times = kinds.times * (kinds.sizes if by_people else 1) * rows(kinds.sizes)
            total, weight = total + times @ shares, weight + float(times.sum())
        return total, weight

    of_houses, n_houses = average(lambda sizes: sizes > 0, False)
    of_people, _ = average(lambda sizes: sizes > 0, True)
    mixed = found.persons[:, 0] == 0
    lost = float(found.persons_times[mixed] @ person_risk[mixed])
    wrong = (alone @ harms)[found.persons[:, 2]] - person_risk
    astray = float(found.persons_times[mixed] @ wrong[mixed])
    of_people = of_people + np.array([lost, lost, astray, 0.0])
    everybody = float(found.persons_times.sum())
    return HouseholdRisk(
        float(found.persons_times @ person_risk) / everybody,
        _shares(of_houses, n_houses),
        _shares(of_people, everybody),
        tuple(_size_rows(found, person_risk, average)),
    )


def _size_rows(
    found: Households,
    person_risk: FloatArray,
    average: Callable[[Callable[[IntArray], BoolArray], bool], tuple[FloatArray, float]],
) -> list[SizeRow]:
    rows = []
    present = sorted({int(min(size, LARGEST_SIZE)) for kinds in found.kinds for size in np.unique(kinds.sizes)})
    for size in present:

        def chosen(sizes: IntArray, size: int = size) -> BoolArray:
            return np.asarray(sizes >= size if size == LARGEST_SIZE else sizes == size)

        total, houses = average(chosen, False)
        people = found.persons_times * chosen(found.persons[:, 0])
        rows.append(
            SizeRow(
                size,
                round(houses),
                int(people.sum()),
                float(people @ person_risk) / float(people.sum()),
                _shares(total, houses),
            )
        )
    return rows


def _shares(total: FloatArray, weight: float) -> HouseholdShares:
    return HouseholdShares(*(min(1.0, float(part)) for part in total / max(weight, 1.0)))


def _cell_chances(vectors: IntArray, noise: AnyNoise | None) -> tuple[FloatArray, FloatArray]:
    """P(cell i shows label j alone), and P(it shows none or several)."""
    if noise is None:
        shown = (vectors > 0).astype(np.float64)
        hidden = 1.0 - shown
    else:
        shown, hidden = shown_and_hidden(vectors, noise)
    none, _, more = number_shown(shown, hidden)
    return shown_alone(shown, hidden), none + more


def _of_kinds(kinds: Kinds, alone: FloatArray, nothing: FloatArray, harms: BoolArray) -> FloatArray:
    """Disclosed, right, wrong and contradicted, one row for every kind of household."""
    result = np.empty((len(kinds.times), 4))
    step = max(1, _AT_ONCE // alone.shape[1])
    for start in range(0, len(result), step):
        part = slice(start, start + step)
        result[part] = _outcomes(kinds.labels[part], kinds.cells[part], alone, nothing, harms)
    return result


def _outcomes(
    labels: IntArray, cells: IntArray, alone: FloatArray, nothing: FloatArray, harms: BoolArray
) -> FloatArray:
    """The recursion of the module's docstring, one cell of every household after the other."""
    rows = np.arange(len(labels))
    disclosed, silent, contradicted = np.zeros(len(rows)), np.ones(len(rows)), np.zeros(len(rows))
    one = np.zeros((len(rows), alone.shape[1]))
    for cell in cells.T:
        a, u = alone[cell], nothing[cell]
        own = a[rows, labels]
        disclosed = disclosed + (1.0 - disclosed) * own
        others = np.maximum(a.sum(axis=1, keepdims=True) - a, 0.0)
        contradicted = contradicted + np.einsum("ij,ij->i", one, others)
        one = one * (u[:, None] + a) + silent[:, None] * a
        silent = silent * u
    right = one[rows, labels] * harms[labels]
    wrong = np.maximum(one @ harms - right, 0.0)
    return np.stack([disclosed * harms[labels], right, wrong, contradicted], axis=1)
