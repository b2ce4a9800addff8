"""Who is shown as what after several releases, and who is worst off: what stands beside the averages of a sequence."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import as_floats
from epsilens.choice.spread import Spread, spread
from epsilens.homogeneity.by_value import ShownValue, shown_values
from epsilens.homogeneity.repeated.cohort import Cohort
from epsilens.notebook import brief


@dataclass(frozen=True)
class AttributeShown:
    """One attribute of the people of a cohort after everything was published."""

    cohort: str
    attribute: str
    by_value: tuple[ShownValue, ...]
    """Shares of people for whom at least one release shows the value alone: those who have it, and those who do not.

    Several releases may show different values of one person, so that the shares of all values may exceed 1."""
    spread: Spread
    """The risks of single people."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "cohort": self.cohort,
            "attribute": self.attribute,
            "by_value": [entry.to_dict() for entry in self.by_value],
            "spread": self.spread.to_dict(),
        }


def shown_after_all(published: Cohort) -> tuple[AttributeShown, ...]:
    """Every attribute of the people of one cohort, after everything was ``published``.

    With P_iy = P(at least one release shows value y alone to whoever looks up cell i), right_y = sum over cells of
    n_iy P_iy / n and wrong_y likewise with n_i - n_iy; somebody who has y in cell i is at the risk w_y P_iy, with w_y
    how much y harms. Averaged over people that is the risk of :func:`epsilens.homogeneity.sequence` with
    ``match="share"``.

    Source: P0 section 4.3, value by value.
    """
    return tuple(_attribute(published, attribute) for attribute in published.attributes)


def _attribute(published: Cohort, attribute: str) -> AttributeShown:
    counts = np.maximum(published.counts[attribute], 0)
    values = published.values[attribute]
    chances = published.shown_alone(attribute)
    weights = published.harm[attribute]
    by_value = shown_values(values, as_floats(weights), counts, chances)
    return AttributeShown(published.name, attribute, by_value, spread((weights * chances).ravel(), counts.ravel()))
