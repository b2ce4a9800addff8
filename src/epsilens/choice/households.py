"""The homogeneity attack on households at every budget of an assessment, and what it would cost to protect them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any

from epsilens.accounting.groups import noise_for_group
from epsilens.budget import Budget
from epsilens.errors import ParameterError, counted
from epsilens.homogeneity.households import HouseholdRisk, households
from epsilens.noise import Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import one_line, rows_html
from epsilens.table.households import Households
from epsilens.table.reading.households import check_household, read_households
from epsilens.table.to_read import TableToRead


@dataclass(frozen=True, eq=False)
class HouseholdLine:
    """The attack under one noise, and how far counts would be off if whole households were protected instead."""

    mechanism: str
    budget: Budget
    noise: Noise
    risk: HouseholdRisk
    error: float
    """How far a count is off on average."""
    error_of_households: float | None
    """The same where the budget is that of the largest household; None where the noise would be beyond any number."""

    def __repr__(self) -> str:
        return one_line(self, self.mechanism, repr(self.budget))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "mechanism": self.mechanism,
            **vars(self.budget),
            **_plain(self.risk),
            "error": self.error,
            "error_of_households": self.error_of_households,
        }


@dataclass(frozen=True, eq=False)
class HouseholdAssessment:
    """Households today and under every noise. Computed from true data: internal."""

    column: str
    """The column that says who lives with whom."""
    found: Households
    today: HouseholdRisk
    lines: tuple[HouseholdLine, ...]

    def __repr__(self) -> str:
        return one_line(self, counted(self.found.n_households, "household"), counted(len(self.lines), "budget"))

    def _repr_html_(self) -> str:
        rows = [
            {
                "mechanism": line.mechanism,
                **vars(line.budget),
                "persons": line.risk.persons,
                **vars(line.risk.households),
            }
            for line in self.lines
        ]
        return rows_html(f"The attack on {counted(self.found.n_households, 'household')}", rows, internal=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        found = self.found
        return {
            "column": self.column,
            "households": found.n_households,
            "mixed": found.mixed,
            "people_in_mixed": found.people_in_mixed,
            "people_without": found.without,
            "largest": found.largest,
            "today": _plain(self.today),
            "budgets": [line.to_dict() for line in self.lines],
        }


def _plain(risk: HouseholdRisk) -> dict[str, Any]:
    return {
        "persons": risk.persons,
        "households": asdict(risk.households),
        "people": asdict(risk.people),
        "by_size": [asdict(row) for row in risk.by_size],
    }


def check_household_question(data: TableToRead, column: str, publish: str | None = None) -> None:
    """Refuse, before anything is read, households that could not be assessed."""
    check_household(data.schema, column)
    if publish is not None:
        raise ParameterError("is about one table; leave out `publish`", parameter="household")


def households_to_assess(data: TableToRead, column: str) -> Households:
    """The households of the people in ``data``."""
    return read_households(data.source, data.schema, column, data.table, data.count, data.harmful)


def assess_households(
    column: str, found: Households, noises: Iterable[tuple[str, Budget, Noise]], neighbours: str = "add-remove"
) -> HouseholdAssessment:
    """The attack today and under every noise, each given with its mechanism and budget."""
    lines = tuple(
        HouseholdLine(
            mechanism,
            budget,
            noise,
            households(found, noise),
            expected_absolute_error(noise),
            _error_of_households(mechanism, budget, found.largest, neighbours),
        )
        for mechanism, budget, noise in noises
    )
    return HouseholdAssessment(column, found, households(found), lines)


def _error_of_households(mechanism: str, budget: Budget, largest: int, neighbours: str) -> float | None:
    try:
        return expected_absolute_error(noise_for_group(mechanism, budget, largest, neighbours))
    except ParameterError:
        return None
