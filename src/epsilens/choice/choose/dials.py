"""The dial of whatever data: of a table, or of the situations of a hierarchy."""

from __future__ import annotations

from typing import Any

from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.asked import Asked, Parameter
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.of_table import table_dial
from epsilens.errors import ParameterError
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations


def dial_of(data: FrequencyTable | Situations, asked: Asked) -> RiskDial:
    """The dial that was asked for; refused where the data cannot answer."""
    if isinstance(data, Situations):
        from epsilens.choice.choose.of_hierarchy import hierarchy_dial  # lazy: most dials are those of tables

        return hierarchy_dial(data, asked)
    if isinstance(data, FrequencyTable):
        return table_dial(data, asked)
    raise ParameterError(
        f"a budget is chosen for a table of counts or the situations of a hierarchy, not for {type(data).__name__}; "
        "read the data with read_table first"
    )


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
