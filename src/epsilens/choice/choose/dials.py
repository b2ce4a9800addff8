"""The dial of whatever data: of a table, or of the situations of a hierarchy."""

from __future__ import annotations

from typing import Any

from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.asked import Asked, Parameter
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.of_table import table_dial
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.table.hierarchy import Situations


def checked_data(data: object) -> FrequencyTable | Situations:
    """``data``, refused with the way to make them unless they are a table or the situations of a hierarchy."""
    return data if isinstance(data, Situations) else checked_table(data, "data")


def dial_of(data: FrequencyTable | Situations, asked: Asked) -> RiskDial:
    """The dial that was asked for; refused where the data cannot answer."""
    if isinstance(data, Situations):
        from epsilens.choice.choose.of_hierarchy import hierarchy_dial  # lazy: most dials are those of tables

        return hierarchy_dial(data, asked)
    return table_dial(data, asked)


def risk_dial(
    data: FrequencyTable | Situations,
    mechanism: str,
    aggregate: AnyAggregate,
    measure: str = "local",
    delta: float | None = None,
    neighbours: str = "add-remove",
    parameter: Parameter = "epsilon",
    **options: Any,
) -> RiskDial:
    """The dial of a table or of the situations of a hierarchy; ``options`` are those of :class:`Asked`."""
    checked_data(data)
    asked = Asked(
        mechanism=mechanism,
        measure=measure,
        aggregate=aggregate,
        delta=delta,
        neighbours=neighbours,
        parameter=parameter,
        options=options,
    )
    return dial_of(data, asked)
