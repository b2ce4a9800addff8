"""What a choice says of people, whatever was chosen: a short answer, a table of budgets, who is shown as what."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from epsilens.choice.choose.at_budget import AtBudget, People
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.published_attributes import published_attributes
from epsilens.choice.values import prepare_values
from epsilens.homogeneity.by_value import prepare_by_value
from epsilens.table.frequency import FrequencyTable


def people_of(dial: RiskDial, ceiling: float | None) -> People:
    """Everybody behind a dial, with who is shown as what.

    Where risks are those of attributes, so are the values; otherwise they are the labels of the table.
    """
    if dial.attack is not None or dial.asked.posterior:
        return People(dial, ceiling)
    if dial.asked.publish != "separate" and dial.asked.attributes == "joint":
        return People(dial, ceiling, (prepare_by_value(dial.table),))
    parts = published_attributes(dial.table, dial.asked.publish)
    return People(dial, ceiling, tuple(prepare_values(part) for part in parts if not part.combined))


def told_of_people(parameter: str, taken: AtBudget | None, table: Sequence[AtBudget], people: People) -> dict[str, Any]:
    """Plain values for JSON: the short answer, the table, the spread, who is shown as what, and what counts as harm.

    ``taken`` is what the chosen budget means, None where there is none.
    """
    of_values = bool(people.values)
    return {
        "answer": short_answer(parameter, taken),
        "table": [row.to_dict(parameter) for row in table],
        "spread": None if taken is None or taken.spread is None or taken.of_ratios else taken.spread.to_dict(),
        "by_value": [value.to_dict() for value in taken.by_value] if taken is not None and of_values else None,
        "harmful": harmful_values(people.dial.table) if of_values else None,
    }


def short_answer(parameter: str, taken: AtBudget | None) -> dict[str, Any]:
    """Which budget, at which risk and price; all null where no budget exists."""
    row = {} if taken is None else taken.to_dict(parameter)
    beside = ("worst", "above_half", "above_ceiling", "harmful_right", "harmful_wrong")
    return {
        "exists": taken is not None,
        "without_noise": taken is not None and math.isinf(taken.budget),
        "parameter": parameter,
        "budget": row.get(parameter),
        "risk": row.get("risk"),
        "price": row.get("error"),
        **{name: row.get(name) for name in beside},
    }


def harmful_values(table: FrequencyTable) -> dict[str, Any]:
    """Which values count as harm, with their weights, which do not, and whether that was declared."""
    all_values: list[dict[str, Any]] = [
        {"attribute": name, "value": value, "weight": table.harm.weight(name, value)}
        for i, name in enumerate(table.sensitive)
        for value in sorted({parts[i] for parts in table.label_values})
    ]
    return {
        "declared": bool(table.harm.weights),
        "values": [value for value in all_values if value["weight"] > 0],
        "others": [value for value in all_values if value["weight"] == 0],
    }
