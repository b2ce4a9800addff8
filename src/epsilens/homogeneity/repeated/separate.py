"""Several sensitive attributes, each published in a table of its own with the same quasi-identifiers.

Every table gets its own noise, so that in a cell the attributes are given away independently. Beside it stands what
one joint table of all of them (``attributes``) gives away of a single attribute: there a value is hidden only if all
combinations with it are.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import one_of
from epsilens.errors import DataError, ParameterError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.belief import Belief
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.attributes import (
    Overall,
    attribute_groups,
    attribute_risks,
    only_group_shown,
    overall,
    value_weights,
)
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.table.frequency import FrequencyTable, MemoryStore, checked_table, regrouped_vectors
from epsilens.table.harm import in_canonical_order

OverSeparate: TypeAlias = Literal["joint", "max", "sum"]
"""Their combination, read off all tables together; or one risk each, of which the largest or the sum counts."""


def prepare_separate(
    table: FrequencyTable,
    kind: OverSeparate = "max",
    measure: str = "local",
    ready: Mapping[str, PreparedMeasure] | None = None,
    **options: object,
) -> PreparedMeasure:
    """The risk of separate tables of the attributes of ``table``, on the signatures of the joint one.

    max over j of rho_j (bounded by 1), or sum over j of rho_j (bounded by the number of attributes), with rho_j the
    risk of attribute j in its own table, by any ``measure``; ``"joint"`` is :func:`combination_risks`. ``ready`` are
    the measures of the single attributes, where they are prepared already.

    Source: P0 section 4.3.
    Assumes independent noise in every table; all tables have the noise that the risk is asked for.
    """
    one_of("attributes", kind, get_args(OverSeparate))
    vectors, multiplicities = checked_table(table).signatures(ordered=True)
    kinds = replace(table, store=MemoryStore(vectors, {}), quasi_identifiers=(), joint=None)
    if kind == "joint":
        if measure != "local":
            raise ParameterError(
                f"the combination of what separate tables show is known for measure 'local' only, not {measure!r}"
            )
        match = str(options.get("match", "any"))
        one_of("match", match, ("any", "share"))
        return PreparedMeasure(
            "local, combination",
            vectors,
            multiplicities,
            lambda noise: combination_risks(kinds, noise, match),
            ordered=True,
        )
    how: Overall = "max" if kind == "max" else "sum"
    parts = []
    for name in table.sensitive:
        one = ready[name] if ready is not None else prepare(measure, table.attribute(name), **options)
        groups = list(attribute_groups(table, name).values())
        parts.append((one, _places(regrouped_vectors(vectors, groups), one)))

    def risks(noise: AnyNoise) -> FloatArray:
        return overall(as_floats(np.stack([one.risks(noise)[place] for one, place in parts], axis=1)), how)

    return PreparedMeasure(f"{measure}, {kind} of separate tables", vectors, multiplicities, risks, ordered=True)


def combination_risks(table: FrequencyTable, noise: AnyNoise, match: str = "any") -> FloatArray:
    """The probability, per cell, that separate tables show one value each and their combination is right.

    sum over combinations v of m_v prod_j P(table j shows v_j alone), with m_v = 1[n_v > 0] for ``match="any"`` and
    n_v / n for ``"share"``, the probability for a random member of the cell. A combination counts as often as the most
    harmful of its values.

    Source: P0 section 4.3, Definition 6.
    Assumes independent noise in every table, of one law.
    """
    checked_table(table)
    checked_noise(noise)
    weights = match_weights(table.vectors, match) * table.label_weights
    return as_floats((weights * _shown_together(table, _alone_by_attribute(table, noise))).sum(axis=1))


def combination_belief(table: FrequencyTable, noise: AnyNoise) -> Belief:
    """What believing separate tables that all show a single value tells of a person's combination of values.

    Combinations with a value that harms count, among those shown also the ones that no label of the joint table has:
    with S_j the probability that table j shows one value, and B_j that it is a harmful one, the tables show a harmful
    combination with probability sum over j of (S_1 - B_1) ... (S_(j-1) - B_(j-1)) B_j S_(j+1) ... S_q.
    """
    vectors, multiplicities = checked_table(table).signatures(ordered=True)
    kinds = replace(table, store=MemoryStore(vectors, {}), quasi_identifiers=(), joint=None)
    alone = _alone_by_attribute(kinds, noise)
    share = match_weights(vectors, "share") * (table.label_weights > 0)
    right = (share * _shown_together(kinds, alone)).sum(axis=1)
    harmless, shown = np.ones(len(vectors)), np.zeros(len(vectors))
    for name, by_value in alone.items():
        harms = value_weights(table, name) > 0
        one_harmless, one_harmful = by_value[:, ~harms].sum(axis=1), by_value[:, harms].sum(axis=1)
        shown = shown * by_value.sum(axis=1) + harmless * one_harmful
        harmless = harmless * one_harmless
    return _believed(table, vectors, multiplicities, right, np.maximum(shown - right, 0.0), table.label_totals)


def prepare_in_joint(table: FrequencyTable, attribute: str, match: str = "any") -> PreparedMeasure:
    """The local risk of one attribute in the joint table, on the signatures of that.

    Source: P0 section 4.3, Definition 6.
    Assumes what :func:`epsilens.homogeneity.repeated.attributes.attribute_risks` assumes, whose risks these are.
    """
    vectors, multiplicities = checked_table(table).signatures(ordered=True)
    kinds = replace(table, store=MemoryStore(vectors, {}), quasi_identifiers=(), joint=None)
    one_of("match", match, ("any", "share"))
    position = table.sensitive.index(one_of("attribute", attribute, table.sensitive))
    return PreparedMeasure(
        "local, in the joint table",
        vectors,
        multiplicities,
        lambda noise: attribute_risks(kinds, noise, match)[:, position],
        ordered=True,
    )


def belief_in_joint(table: FrequencyTable, attribute: str, noise: AnyNoise) -> Belief:
    """What believing a joint table that shows a single value of one attribute, a harmful one, gives the attacker."""
    vectors, multiplicities = checked_table(table).signatures(ordered=True)
    checked_noise(noise)
    groups = list(attribute_groups(table, attribute).values())
    _, hidden = shown_and_hidden(vectors, noise)
    alone = only_group_shown(hidden, groups) * (value_weights(table, attribute) > 0)
    share = match_weights(regrouped_vectors(vectors, groups), "share")
    totals = np.array([table.label_totals[members].sum() for members in groups])
    right = (share * alone).sum(axis=1)
    return _believed(table, vectors, multiplicities, right, ((1.0 - share) * alone).sum(axis=1), totals)


def _believed(
    table: FrequencyTable,
    vectors: IntArray,
    multiplicities: IntArray,
    right: FloatArray,
    wrong: FloatArray,
    totals: IntArray,
) -> Belief:
    people = cell_weights(vectors, multiplicities, weighted=True)
    return Belief(float(people @ right), float(people @ wrong), float(totals.max() / table.n_records))


def _alone_by_attribute(table: FrequencyTable, noise: AnyNoise) -> dict[str, FloatArray]:
    """For every attribute P(its own table shows this value alone), cells x values."""
    found = {}
    for name in table.sensitive:
        own = regrouped_vectors(table.vectors, list(attribute_groups(table, name).values()))
        found[name] = shown_alone(*shown_and_hidden(own, noise))
    return found


def _shown_together(table: FrequencyTable, alone: Mapping[str, FloatArray]) -> FloatArray:
    """P(every table shows its value of the combination alone), cells x labels of the joint table."""
    together = np.ones(table.vectors.shape)
    for name, by_value in alone.items():
        together = together * by_value[:, _column_of_label(table, name)]
    return together


def _column_of_label(table: FrequencyTable, attribute: str) -> IntArray:
    """For every label of the joint table the position of its value of one attribute."""
    place = np.empty(table.n_labels, dtype=np.int64)
    for j, members in enumerate(attribute_groups(table, attribute).values()):
        place[members] = j
    return place


def _places(rows: IntArray, ready: PreparedMeasure) -> IntArray:
    """For every row the signature that it is, as it stands or sorted among labels that harm alike."""
    known = {row.tobytes(): i for i, row in enumerate(np.ascontiguousarray(ready.vectors))}
    weights = np.ones(rows.shape[1]) if ready.weights is None else ready.weights
    wanted = np.ascontiguousarray(rows if ready.ordered else in_canonical_order(rows, weights))
    places = [known.get(row.tobytes(), -1) for row in wanted]
    if min(places, default=0) < 0:
        raise DataError("a measure must have a risk for every kind of cell of its table")
    return np.array(places, dtype=np.int64)
