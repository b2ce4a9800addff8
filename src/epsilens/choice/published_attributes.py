"""What is given away of each of several sensitive attributes, and of all, by tables published jointly or separately."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from epsilens.budget import Budget
from epsilens.choice.choose.of_table import prepare_attributes
from epsilens.choice.publishing import BudgetOf, Publish, table_noise
from epsilens.homogeneity.belief import Belief, belief, prepare_belief
from epsilens.homogeneity.by_value import ShownValue, belief_from
from epsilens.homogeneity.measures import prepare
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.repeated.attributes import Overall
from epsilens.homogeneity.repeated.separate import (
    belief_in_joint,
    combination_belief,
    prepare_in_joint,
    prepare_separate,
)
from epsilens.noise import Noise
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class PublishedAttribute:
    """One sensitive attribute, or the combination of all, and the tables in which it is published."""

    name: str
    table: FrequencyTable
    """The people by this attribute alone."""
    whole: FrequencyTable
    """The people by all attributes."""
    published: Publish
    """Whether it is read off one joint table, or off tables of their own."""
    tables: int = 1
    """How many tables share a budget."""

    __repr__ = brief

    @property
    def combined(self) -> bool:
        """Whether it is the combination of several attributes."""
        return len(self.table.sensitive) > 1

    @property
    def own_table(self) -> bool:
        """Whether a table of exactly these labels is published."""
        return len(self.whole.sensitive) == 1 or self.combined == (self.published == "joint")

    def noise(self, mechanism: str, budget: Budget, neighbours: str) -> Noise:
        """The noise of a count at this budget."""
        return table_noise(mechanism, budget, neighbours, self.whole.max_rows_per_unit, self.tables)

    def prepare(self, measure: str, **options: Any) -> PreparedMeasure:
        """The measure made ready; of what is not a table of its own there is the local risk."""
        if self.own_table:
            return prepare(measure, self.table, **options)
        if self.combined:
            return prepare_separate(self.whole, "joint", measure, **options)
        return prepare_in_joint(self.whole, self.name, **options)

    def beliefs(self, noises: Iterable[AnyNoise]) -> list[Belief]:
        """:meth:`belief` of each noise; what they share is held no longer than it takes."""
        return list(map(prepare_belief(self.table) if self.own_table else self.belief, noises))

    def belief(self, noise: AnyNoise, shown: Iterable[ShownValue] | None = None) -> Belief:
        """What believing single values gives the attacker; ``shown`` who is shown as what, where that is known."""
        if self.own_table:
            return belief(self.table, noise) if shown is None else belief_from(self.table, shown)
        return combination_belief(self.whole, noise) if self.combined else belief_in_joint(self.whole, self.name, noise)


def published_attributes(
    table: FrequencyTable, publish: Publish | None = None, budget_of: BudgetOf | None = None
) -> Iterator[PublishedAttribute]:
    """Each sensitive attribute and, where there are several, their combination.

    Where ``publish`` does not say how, attributes are in tables of their own, and their combination is in a joint one.
    """
    several = len(table.sensitive) > 1
    tables = len(table.sensitive) if budget_of == "all" else 1
    for name in table.sensitive:
        yield PublishedAttribute(name, table.attribute(name), table, publish or "separate", tables)
    if several:
        yield PublishedAttribute(" x ".join(table.sensitive), table, table, publish or "joint", tables)


def prepare_overall(
    table: FrequencyTable,
    kind: Overall,
    publish: Publish | None,
    measure: str,
    ready: Mapping[str, PreparedMeasure],
    match: str = "any",
) -> PreparedMeasure:
    """The largest or the sum of the attributes' risks, cell by cell, from the ``ready`` measure of each attribute.

    max over j of rho_j, the bounded measure, or sum over j of rho_j, the unbounded one; rho_j is the risk of attribute
    j in a table of its own (as in print) or, with ``publish="joint"``, in the joint table.

    Source: P0 section 4.3.
    Assumes what ``prepare_separate`` and ``attribute_risks`` assume.
    """
    if publish == "joint":
        return prepare_attributes(table, kind, match)
    return prepare_separate(table, kind, measure, ready)
