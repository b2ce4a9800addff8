"""Several sensitive attributes in one published table.

A table of Y_1, ..., Y_q jointly has one count per combination of values. The attacker who wants Y_j reads off which of
its values occur among the combinations shown; a cell gives Y_j away when only one does. This is exact, and not the risk
of a separate table of Y_j: there one noise decides whether a value is shown, here one per combination.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations, product
from typing import Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.shown import shown_and_hidden
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.table.frequency import FrequencyTable, checked_table, regrouped_vectors

Overall: TypeAlias = Literal["max", "sum"]
"""How the risks of several attributes become one: the largest (bounded by 1) or their sum (unbounded)."""

MOST_ATTRIBUTES = 6
"""How many may be given away at once: their subsets are enumerated."""


def overall(risks: FloatArray, kind: Overall = "max") -> FloatArray:
    """One risk per cell from one per cell and attribute (cells, attributes).

    max: max over j of rho_j, the *bounded* measure; sum: sum over j of rho_j, the *unbounded* one.

    Source: P0 section 4.3.
    Assumes nothing; neither is the probability that some attribute is disclosed, which lies between them. Where values
    count more than once, so do the bounds.
    """
    one_of("overall", kind, get_args(Overall))
    if risks.ndim != 2 or risks.shape[1] == 0:
        raise ParameterError(f"must have the shape (cells, attributes), got {risks.shape}", parameter="risks")
    return as_floats(risks.max(axis=1) if kind == "max" else risks.sum(axis=1))


def attribute_risks(table: FrequencyTable, noise: AnyNoise, match: str = "any") -> FloatArray:
    """The local risk of every sensitive attribute of a jointly published table, (cells, attributes).

    With h_k = P(combination k is not shown) and G the combinations with Y_j = y:
    P(only y is shown) = (1 - prod_{k in G} h_k) prod_{k not in G} h_k, weighted over y as in ``local``, with the harm
    of each value of the attribute.

    Source: P0 section 4.3, Definition 6.
    Assumes one release of the joint table, independent noise per combination.
    Departs from print (P0-11): there each attribute is priced as if it were published in a table of its own.
    """
    checked_table(table)
    checked_noise(noise)
    _, hidden = shown_and_hidden(table.vectors, noise)
    columns = []
    for attribute in table.sensitive:
        groups = attribute_groups(table, attribute)
        weights = match_weights(regrouped_vectors(table.vectors, list(groups.values())), match)
        weights = weights * value_weights(table, attribute)
        columns.append((weights * only_group_shown(hidden, list(groups.values()))).sum(axis=1))
    return as_floats(np.stack(columns, axis=1))


def at_least_one_attribute(table: FrequencyTable, noise: AnyNoise, match: str = "any") -> FloatArray:
    """The probability, per cell, that a jointly published table gives away at least one attribute.

    Inclusion and exclusion over the subsets A of attributes: sum over A of (-1)^(|A| + 1) P(every attribute in A shows
    a single value, and it is right), where a set of values v of A is shown alone when a combination in its slab is
    shown and none outside. "Right": for ``match="share"`` a random member has all of v; for ``"any"`` each value of v
    is somebody's.

    Values that harm nobody are left out. Where some count more than once, several may be given away at the same time,
    and the worst of them counts: E[largest weight given away] = sum over the weights w in ascending order of (w - the
    weight before) P(a value that weighs w or more is given away).

    Source: P0 section 4.3.
    Assumes one release of the joint table.
    Departs from print (P0-11): there only the maximum and the sum are given.
    """
    checked_table(table)
    checked_noise(noise)
    if len(table.sensitive) > MOST_ATTRIBUTES:
        raise ParameterError(
            f"at most {MOST_ATTRIBUTES} sensitive attributes",
            got=len(table.sensitive),
            remedy="use the maximum and the sum for more",
        )
    vectors = table.vectors
    _, hidden = shown_and_hidden(vectors, noise)
    groups = {attribute: attribute_groups(table, attribute) for attribute in table.sensitive}
    harm = {attribute: value_weights(table, attribute) for attribute in table.sensitive}
    shares = match_weights(vectors, "share")
    one_of("match", match, ("any", "share"))

    def some_given_away(least: float) -> FloatArray:
        """P(at least one value that weighs so much is given away)."""
        heavy = {
            name: [members for members, w in zip(by_value.values(), harm[name], strict=True) if w >= least]
            for name, by_value in groups.items()
        }
        total = np.zeros(len(vectors))
        for chosen, sign in signed_subsets(table.sensitive):
            for values in product(*(heavy[attribute] for attribute in chosen)):
                slab = sorted(set.intersection(*(set(members) for members in values)))
                if not slab:
                    continue
                alone = only_group_shown(hidden, [slab])[:, 0]
                if match == "share":
                    weight = shares[:, slab].sum(axis=1)
                else:
                    held = [(vectors[:, members] > 0).any(axis=1) for members in values]
                    weight = np.logical_and.reduce(held).astype(np.float64)
                total += sign * weight * alone
        return np.clip(total, 0.0, 1.0)

    return worst_given_away(list(harm.values()), some_given_away, len(vectors))


def worst_given_away(
    weights: Sequence[FloatArray], some_given_away: Callable[[float], FloatArray], n_cells: int
) -> FloatArray:
    """E[the largest weight of what is given away], per cell, from P(something that weighs w or more is), per w.

    A harm H of weights 0 < w_1 < w_2 < ... has E[H] = sum of (w_i - w_(i - 1)) P(H >= w_i).
    """
    total, before = np.zeros(n_cells), 0.0
    for weight in np.unique(np.concatenate(weights)).tolist():
        if weight > 0:
            total, before = total + (weight - before) * some_given_away(weight), weight
    return total


def signed_subsets(attributes: Sequence[str]) -> list[tuple[tuple[str, ...], float]]:
    """The sets of one attribute or more, each with its sign in inclusion and exclusion."""
    return [
        (chosen, 1.0 if size % 2 else -1.0)
        for size in range(1, len(attributes) + 1)
        for chosen in combinations(attributes, size)
    ]


def attribute_groups(table: FrequencyTable, attribute: str) -> dict[str, list[int]]:
    """Which labels of the table carry each value of one attribute, values sorted."""
    position = table.sensitive.index(one_of("attribute", attribute, table.sensitive))
    groups: dict[str, list[int]] = {}
    for k, parts in enumerate(table.label_values):
        groups.setdefault(parts[position], []).append(k)
    return dict(sorted(groups.items()))


def value_weights(table: FrequencyTable, attribute: str) -> FloatArray:
    """How much each value of one attribute harms, in the order of :func:`attribute_groups`."""
    return as_floats([table.harm.weight(attribute, value) for value in attribute_groups(table, attribute)])


def only_group_shown(hidden: FloatArray, groups: list[list[int]]) -> FloatArray:
    """P(some label of the group is shown and none outside it), one column per group."""
    columns = []
    for members in groups:
        nothing, something = np.ones(len(hidden)), np.zeros(len(hidden))
        for k in members:  # adding up instead of 1 - product keeps the digits of a small probability
            something = something + nothing * (1.0 - hidden[:, k])
            nothing = nothing * hidden[:, k]
        outside = np.setdiff1d(np.arange(hidden.shape[1]), members)
        columns.append(something * hidden[:, outside].prod(axis=1))
    return as_floats(np.stack(columns, axis=1))


def value_counts(table: FrequencyTable, attribute: str) -> tuple[tuple[str, ...], IntArray]:
    """The values of one attribute and the count vectors by them."""
    groups = attribute_groups(table, attribute)
    return tuple(groups), regrouped_vectors(table.vectors, list(groups.values()))
