"""Who is shown as what: value by value, today and under noise, in a table of its own or among several.

"37.9 % of people are disclosed" says nothing of whether they are shown to be ill or to be healthy. So every number of
people disclosed is split by the value that they are shown with, and those shown wrongly are counted apart.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.choice.published_attributes import PublishedAttribute
from epsilens.homogeneity.by_value import BY_VALUE, PreparedValues, prepare_by_value
from epsilens.homogeneity.local import match_weights
from epsilens.homogeneity.repeated.attributes import attribute_groups, only_group_shown
from epsilens.homogeneity.shown import shown_alone, shown_and_hidden
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
from epsilens.table.diagnostics import Diagnostics
from epsilens.table.frequency import FrequencyTable, regrouped_vectors


@dataclass(frozen=True)
class ValueToday:
    """One value of a sensitive attribute in the table as it is."""

    value: str
    weight: float
    """How much it harms to be shown with it; 0: not at all."""
    people: int
    """How many people have it."""
    homogeneous_cells: int
    """In how many cells everybody has it."""
    disclosed: int
    """How many people are in those cells."""

    __repr__ = brief

    @property
    def harmful(self) -> bool:
        """Whether it harms anybody to be shown with it."""
        return self.weight > 0

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return asdict(self)


def values_today(table: FrequencyTable, diagnostics: Diagnostics) -> tuple[ValueToday, ...]:
    """For every value who has it, and who is disclosed to have it by the table as it is."""
    found = {disclosed.value: disclosed for disclosed in diagnostics.disclosed_by_value}
    return tuple(
        ValueToday(
            value,
            float(weight),
            int(people),
            found[value].cells if value in found else 0,
            found[value].people if value in found else 0,
        )
        for value, weight, people in zip(table.labels, table.label_weights, table.label_totals, strict=True)
    )


def measures_by_value(measures: Sequence[str]) -> tuple[str, ...]:
    """Those of the measures that tell values apart; the local one where none does, as printed formulas do not."""
    return tuple(name for name in measures if name in BY_VALUE) or ("local",)


def prepare_values(part: PublishedAttribute, measure: str = "local", **options: Any) -> PreparedValues:
    """Who is shown as what by a measure, however the attribute is published; ``options`` are those of the measure.

    What is not a table of its own has the local measure only, as it has no other.
    In a table of its own a value is shown alone if every other one is hidden; in a joint table of several attributes
    if every combination with another value is hidden; and a combination, read off separate tables, if each of them
    shows its own part alone. Combinations that nobody in the table has are not listed: they harm nobody rightly.
    """
    if part.own_table:
        return prepare_by_value(part.table, measure, **options)
    whole = part.whole
    vectors, multiplicities = whole.signatures(ordered=True)
    by_name = {name: list(attribute_groups(whole, name).values()) for name in whole.sensitive}
    own = vectors if part.combined else regrouped_vectors(vectors, by_name[part.name])
    share = match_weights(own, "share")

    def alone(noise: AnyNoise) -> FloatArray:
        if not part.combined:
            return only_group_shown(shown_and_hidden(vectors, noise)[1], by_name[part.name])
        together = np.ones(vectors.shape)
        for groups in by_name.values():
            of_value = np.empty(whole.n_labels, dtype=np.int64)
            for j, members in enumerate(groups):
                of_value[members] = j
            one = shown_alone(*shown_and_hidden(regrouped_vectors(vectors, groups), noise))
            together = together * one[:, of_value]
        return together

    def right_and_wrong(noise: AnyNoise) -> tuple[FloatArray, FloatArray]:
        shown = alone(noise)
        return as_floats(share * shown), as_floats((1.0 - share) * shown)

    if part.combined:
        return PreparedValues(whole.labels, whole.label_weights, vectors, multiplicities, right_and_wrong)
    labels = tuple(attribute_groups(whole, part.name))
    weights = dict(zip(part.table.labels, part.table.label_weights.tolist(), strict=True))
    return PreparedValues(
        labels, as_floats(np.array([weights[x] for x in labels])), vectors, multiplicities, right_and_wrong
    )
