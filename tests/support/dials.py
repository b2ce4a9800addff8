"""Small data to choose a budget for."""

from __future__ import annotations

from typing import Any

import epsilens as el
from epsilens.choice.aggregates import aggregate
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import risk_dial
from epsilens.table.hierarchy import Situations

CELLS = {"age": ["20", "20", "30", "30", "40"], "sex": ["f", "m", "f", "m", "f"]}


TABLE = el.FrequencyTable.from_counts([[3, 0, 0], [1, 2, 0], [0, 1, 4], [2, 2, 2], [0, 0, 1]], list("xyz"), CELLS)


PAIR = el.FrequencyTable.from_counts([[4, 0], [3, 3], [9, 8]], ["a", "b"])


# counts by level, lowest first; siblings; cells
HIERARCHY = Situations.of(
    [[1, 1, 1], [1, 1, 4], [1, 2, 4], [1, 6, 9], [1, 6, 6], [2, 3, 3], [1, 1, 1]], [3, 3, 3, 3, 1, 2, 0],
    [4, 7, 2, 9, 1, 5, 3],
)  # fmt: skip


def dial(attack: str, measure: str = "posterior-ratio", by: str = "mean", **options: Any) -> RiskDial:
    return risk_dial(
        HIERARCHY, "discrete-gaussian", aggregate(by), measure, None, "add-remove", "rho", attack=attack, **options
    )
