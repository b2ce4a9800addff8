"""What an assessment says beside the average risks: about cells, about scenarios, about laws and printed bounds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from epsilens.choice.cell_risks import RiskyCells, riskiest_cells
from epsilens.choice.fit_report import UsedLaw, used_laws
from epsilens.errors import counted
from epsilens.homogeneity.local import SCENARIOS, scenario_shares
from epsilens.homogeneity.measures import MEASURES
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.homogeneity.printed import warning_of
from epsilens.homogeneity.published import BoundWarning
from epsilens.noise.law import AnyNoise
from epsilens.notebook import one_line
from epsilens.table.cell_sizes import CellSizes
from epsilens.table.diagnostics import HomogeneityClasses
from epsilens.table.frequency import FrequencyTable


@dataclass(frozen=True, eq=False)
class BesideBudget:
    """One sensitive attribute under one noise."""

    bounds: dict[str, BoundWarning]
    """By printed measure that claims a bound, in how many cells it is none."""
    scenarios: dict[str, float] | None = None
    """The average probability of each of the eight scenarios, where they were asked for."""

    def __repr__(self) -> str:
        return one_line(self, counted(len(self.bounds), "bound"))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; nothing where nothing was asked for."""
        bounds = {"bounds": {name: asdict(found) for name, found in self.bounds.items()}} if self.bounds else {}
        return bounds | ({} if self.scenarios is None else {"scenarios": self.scenarios})


@dataclass(frozen=True, eq=False)
class BesideAttribute:
    """One sensitive attribute under all noises."""

    sensitive: str
    budgets: tuple[BesideBudget, ...]
    laws: tuple[UsedLaw, ...] = ()
    """The laws of sizes and shares that the measures rest on."""
    riskiest: RiskyCells | None = None
    """The riskiest cells, where they were asked for."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, counted(len(self.budgets), "budget"))


@dataclass(frozen=True, eq=False)
class BesideRisks:
    """All that stands beside the risks of a table."""

    attributes: tuple[BesideAttribute, ...] = ()
    cell_sizes: CellSizes | None = None
    homogeneity: HomogeneityClasses | None = None
    """Complete and partial homogeneity (P0 Definitions 4 and 5)."""

    def __repr__(self) -> str:
        return one_line(self, counted(len(self.attributes), "attribute"))

    @property
    def budgets(self) -> list[BesideBudget]:
        """One for each attribute and noise, in this order."""
        return [budget for attribute in self.attributes for budget in attribute.budgets]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, without those of single budgets."""
        laws = [law.to_dict() for attribute in self.attributes for law in attribute.laws]
        listed = [attribute.riskiest for attribute in self.attributes if attribute.riskiest is not None]
        return {
            **({} if self.cell_sizes is None else {"cell_sizes": self.cell_sizes.to_dict()}),
            **({} if self.homogeneity is None else {"homogeneity": self.homogeneity.to_dict()}),
            **({"laws": laws} if laws else {}),
            **({"riskiest": [cell for found in listed for cell in found.to_dict()]} if listed else {}),
        }


def beside_attribute(
    table: FrequencyTable,
    sensitive: str,
    prepared: Mapping[str, PreparedMeasure],
    noises: Sequence[tuple[dict[str, Any], AnyNoise]],
    weighted: bool = True,
    scenarios: bool = False,
    riskiest: int = 0,
) -> BesideAttribute:
    """What stands beside the risks of one attribute; each noise comes with its mechanism and budget.

    The riskiest cells are those at the budget nearest to epsilon 1, the one that sentences speak of.
    """
    budgets = []
    for _, noise in noises:
        bounds = {name: bound for name, ready in prepared.items() if (bound := warning_of(ready, noise)) is not None}
        shares = scenario_shares(table, noise, weighted).tolist() if scenarios else None
        budgets.append(BesideBudget(bounds, None if shares is None else dict(zip(SCENARIOS, shares, strict=True))))
    cells = None
    if riskiest:
        by_cell = {name: ready for name, ready in prepared.items() if not MEASURES[name].one_risk}
        ranked_by = min(range(len(noises)), key=lambda i: abs(noises[i][0]["epsilon"] - 1.0))
        cells = riskiest_cells(table, sensitive, by_cell, noises, ranked_by, riskiest)
    return BesideAttribute(sensitive, tuple(budgets), tuple(used_laws(sensitive, table.labels, prepared)), cells)
