"""Risk as a function of the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import Budget, PureDP
from epsilens.choice.published_attributes import PublishedAttribute
from epsilens.errors import counted
from epsilens.noise import LaplaceNoise
from epsilens.notebook import data_frame, one_line, rows_html
from epsilens.table.frequency import FrequencyTable, checked_table

WITHOUT_NOISE = LaplaceNoise(1e-4)
"""It moves a count with probability exp(-5000), which is 0 in floating point: nothing is rounded to another count."""


@dataclass(frozen=True, eq=False)
class RiskCurve:
    """One risk per budget."""

    mechanism: str
    measure: str
    weighted: bool
    budgets: tuple[Budget, ...]
    risks: FloatArray
    unprotected: float | None = None
    """The risk without noise: what the curve tends to as epsilon grows beyond all bounds, a value of its measure."""

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per budget, for JSON and charts."""
        return [
            {
                "mechanism": self.mechanism,
                "measure": self.measure,
                "average": "people" if self.weighted else "cells",
                **vars(budget),
                "risk": float(risk),
            }
            for budget, risk in zip(self.budgets, self.risks, strict=True)
        ]

    def to_pandas(self) -> Any:
        """A pandas data frame, one row per budget."""
        return data_frame(self.to_rows(), instead=".to_rows()")

    def __repr__(self) -> str:
        risk = f"{self.measure} risk, average over {'people' if self.weighted else 'cells'}"
        return one_line(self, risk, self.mechanism, counted(len(self.budgets), "budget"))

    def _repr_html_(self) -> str:
        return rows_html("Risk curve", self.to_rows(), internal=True)


def risk_curve(
    table: FrequencyTable,
    mechanism: str = "laplace",
    budgets: Sequence[Budget] | None = None,
    measure: str = "local",
    weighted: bool = True,
    neighbours: str = "add-remove",
    progress: Callable[[int], None] | None = None,
    part: PublishedAttribute | None = None,
    **options: Any,
) -> RiskCurve:
    """The average risk of ``table`` at each budget, exact.

    ``options`` go to the measure (``match="share"``, ``alpha=...``). Risk need not rise with the budget: noise can make
    a heterogeneous cell look homogeneous (P0-9). ``progress`` is called with 1 after each budget.
    ``part`` says how the table is published where it is one of several attributes.
    """
    checked_table(table)
    chosen = tuple(budgets) if budgets is not None else PureDP.grid(1e-3, 1e2, 101)
    alone = part or PublishedAttribute(" x ".join(table.sensitive), table, table, "joint")
    noises = [alone.noise(mechanism, budget, neighbours) for budget in chosen]
    prepared = alone.prepare(measure, **options)
    risks = np.empty(len(noises))
    for i, noise in enumerate(noises):
        risks[i] = prepared.average(noise, weighted)
        if progress is not None:
            progress(1)
    return RiskCurve(mechanism, measure, weighted, chosen, risks, prepared.average(WITHOUT_NOISE, weighted))
