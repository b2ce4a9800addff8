"""Risk as a function of the budget."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import Budget, PureDP
from epsilens.choice.falling import largest_fall
from epsilens.choice.published_attributes import PublishedAttribute
from epsilens.choice.spread import HALF
from epsilens.errors import counted
from epsilens.homogeneity.measures import MEASURES
from epsilens.noise import LaplaceNoise
from epsilens.notebook import data_frame, one_line, rows_html
from epsilens.table.frequency import FrequencyTable, checked_table

WITHOUT_NOISE = LaplaceNoise(1e-4)
"""It moves a count with probability exp(-5000), which is 0 in floating point: nothing is rounded to another count."""
SAME = 5e-13
"""Risks that differ by less are the same, as where they are spread over people: a half and its last digit is a half."""


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
    worst: FloatArray | None = None
    """The risk of the worst-off person at each budget; None where one risk holds for the whole table."""
    above_half: FloatArray | None = None
    """The share of people whose risk is above 50 %, whatever the average is over."""

    @property
    def falls(self) -> tuple[Budget, Budget] | None:
        """Between which budgets the risk falls furthest as they grow; None where it never falls."""
        ends = largest_fall(self.risks.tolist())
        return None if ends is None else (self.budgets[ends[0]], self.budgets[ends[1]])

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per budget, for JSON and charts."""
        beside = {name: values for name, values in self._beside().items() if values is not None}
        return [
            {
                "mechanism": self.mechanism,
                "measure": self.measure,
                "average": "people" if self.weighted else "cells",
                **vars(budget),
                "risk": float(risk),
                **{name: float(values[i]) for name, values in beside.items()},
            }
            for i, (budget, risk) in enumerate(zip(self.budgets, self.risks, strict=True))
        ]

    def _beside(self) -> dict[str, FloatArray | None]:
        return {"worst": self.worst, "above_half": self.above_half}

    def to_dict(self) -> dict[str, Any]:
        """The same in columns, which is shorter: one list per parameter of the budget, and one of the risks."""
        names = list(vars(self.budgets[0])) if self.budgets else []
        return {
            "mechanism": self.mechanism,
            "measure": self.measure,
            "average": "people" if self.weighted else "cells",
            **{name: [float(vars(budget)[name]) for budget in self.budgets] for name in names},
            "risk": [float(risk) for risk in self.risks],
            "unprotected": self.unprotected,
            **{name: None if values is None else values.tolist() for name, values in self._beside().items()},
        }

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
    (curve,) = risk_curves(table, mechanism, budgets, measure, (weighted,), neighbours, progress, part, **options)
    return curve


def risk_curves(
    table: FrequencyTable,
    mechanism: str = "laplace",
    budgets: Sequence[Budget] | None = None,
    measure: str = "local",
    weightings: Sequence[bool] = (True, False),
    neighbours: str = "add-remove",
    progress: Callable[[int], None] | None = None,
    part: PublishedAttribute | None = None,
    **options: Any,
) -> list[RiskCurve]:
    """:func:`risk_curve` averaged in several ways, over people (True) or over cells: the risks are computed once."""
    checked_table(table)
    chosen = tuple(budgets) if budgets is not None else PureDP.grid(1e-3, 1e2, 101)
    alone = part or PublishedAttribute(" x ".join(table.sensitive), table, table, "joint")
    noises = [alone.noise(mechanism, budget, neighbours) for budget in chosen]
    prepared = alone.prepare(measure, **options)
    weights = [prepared.weights_of_cells(weighted) for weighted in weightings]
    people, everybody = prepared.people, int(prepared.people.sum())
    somebody = None if people.all() else people > 0
    risks, beside = np.empty((len(weights), len(noises))), np.zeros((2, len(noises)))
    for i, of_cells in enumerate(prepared.risks_at(noises)):
        risks[:, i] = [float(weight @ of_cells) for weight in weights]
        if everybody:
            worst = of_cells.max() if somebody is None else of_cells[somebody].max()
            beside[:, i] = worst, people[of_cells > HALF + SAME].sum() / everybody
        if progress is not None:
            progress(1)
    unprotected = prepared.risks(WITHOUT_NOISE)
    worst, above_half = (None, None) if MEASURES[measure].one_risk else beside
    return [
        RiskCurve(mechanism, measure, weighted, chosen, risks[k], float(weights[k] @ unprotected), worst, above_half)
        for k, weighted in enumerate(weightings)
    ]
