"""What was found about a table: today, and line by line under every noise that was asked about."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import zip_longest
from typing import Any

from epsilens.budget import Budget, OfBudget
from epsilens.choice.beside_risks import BesideRisks
from epsilens.choice.households import HouseholdAssessment
from epsilens.choice.population_risks import AssessedPopulation
from epsilens.choice.publishing import Publish
from epsilens.choice.questions.assess_question import Question
from epsilens.choice.questions.axes import (
    DEFAULT_EPSILONS,
    Knees,
)
from epsilens.choice.spread import Spread
from epsilens.choice.values import ValueToday
from epsilens.errors import counted
from epsilens.homogeneity.belief import Belief
from epsilens.homogeneity.by_value import HarmShown, ShownValue, harm_shown
from epsilens.homogeneity.empirical import STATISTICS, Simulation
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import brief, by_role, one_line, rows_html
from epsilens.table import Diagnostics
from epsilens.table.declared_cells import DeclaredCells


@dataclass(frozen=True, eq=False)
class BudgetLine(OfBudget):
    """One sensitive attribute under one noise."""

    sensitive: str
    mechanism: str
    budget: Budget
    noise: Noise
    belief: Belief
    risks: dict[str, float]
    """Average risk by measure."""
    simulation: Simulation | None = None
    averages: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    """The risks for every average that was asked for, ``people`` or ``cells``; ``risks`` are those of the first."""
    simulations: Mapping[str, Simulation] = field(default_factory=dict)
    """The same of the simulation."""
    published: Publish | None = None
    """Of several attributes: whether this one is read off a joint table, or off tables of their own."""
    by_value_of: Mapping[str, tuple[ShownValue, ...]] = field(default_factory=dict)
    """Who is shown as what, in shares of people, by every measure that tells values apart."""
    spreads: Mapping[str, Spread] = field(default_factory=dict)
    """How the risk is spread over people, by measure; not of measures that have one risk for the whole table."""

    def __repr__(self) -> str:
        return one_line(self, self.sensitive, self.mechanism, repr(self.budget), f"{len(self.risks)} risks")

    @property
    def called(self) -> dict[str, Any]:
        """Mechanism and budget."""
        return {"mechanism": self.mechanism, **vars(self.budget)}

    @property
    def by_value_measure(self) -> str:
        """The measure that ``by_value`` is of."""
        return next(iter(self.by_value_of), "local")

    @property
    def by_value(self) -> tuple[ShownValue, ...]:
        """Who is shown as what by the first measure."""
        return next(iter(self.by_value_of.values()), ())

    @property
    def harm(self) -> HarmShown:
        """What all harmful values come to."""
        return harm_shown(self.by_value)

    @property
    def some_harmless(self) -> bool:
        """Whether there are values that harm nobody, so that not every value shown counts."""
        return any(value.weight == 0 for value in self.by_value)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "sensitive": self.sensitive,
            "mechanism": self.mechanism,
            "delta": None,
            **vars(self.budget),
            "noise": {"law": type(self.noise).__name__, **asdict(self.noise)},  # type: ignore[call-overload]
            "risks": self.risks,
            "right": self.belief.right,
            "wrong": self.belief.wrong,
            "precision": self.belief.precision,
            "guessing": self.belief.guessing,
            "simulation": {} if self.simulation is None else _simulated(self.simulation),
            "error": expected_absolute_error(self.noise),
            "by_value_measure": self.by_value_measure,
            "by_value": [value.to_dict() for value in self.by_value],
            **self._by_value_of(),
            **self.harm.to_dict(),
            "spread": {measure: found.to_dict() for measure, found in self.spreads.items()},
            **({} if self.published is None else {"published": self.published}),
            **self._by_average(),
        }

    def _by_value_of(self) -> dict[str, Any]:
        """Where several measures tell values apart, what each of them says."""
        if len(self.by_value_of) < 2:
            return {}
        of_all = {measure: [value.to_dict() for value in found] for measure, found in self.by_value_of.items()}
        return {"by_value_of": of_all}

    def _by_average(self) -> dict[str, Any]:
        """Where averages are taken in several ways, the risks of each."""
        if len(self.averages) < 2:
            return {}
        plain: dict[str, Any] = {"averages": {name: dict(risks) for name, risks in self.averages.items()}}
        if self.simulations:
            plain["simulations"] = {name: _simulated(drawn) for name, drawn in self.simulations.items()}
        return plain


def _simulated(drawn: Simulation) -> dict[str, dict[str, float]]:
    parts = ("mean", "sd", "standard_error")
    return {name: dict(zip(parts, drawn[name], strict=True)) for name in STATISTICS}


@dataclass(frozen=True, eq=False)
class OverallLine(OfBudget):
    """All sensitive attributes under one noise: the largest and the sum of their risks, cell by cell, averaged."""

    mechanism: str
    budget: Budget
    published: Publish
    largest: dict[str, float]
    """By measure: the bounded overall risk."""
    total: dict[str, float]
    """By measure: the unbounded one, which may exceed 1."""
    spreads: Mapping[str, Mapping[str, Spread]] = field(default_factory=dict)
    """How each of them, ``max`` and ``sum``, is spread over people, by measure that has a risk for every cell."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "mechanism": self.mechanism,
            **vars(self.budget),
            "published": self.published,
            "max": self.largest,
            "sum": self.total,
            "spread": {
                kind: {measure: found.to_dict() for measure, found in by_measure.items()}
                for kind, by_measure in self.spreads.items()
            },
        }


@dataclass(frozen=True, eq=False)
class AttributeToday:
    """One sensitive attribute of the unprotected table."""

    sensitive: str
    labels: int
    diagnostics: Diagnostics
    belief: Belief
    combined: bool = False
    """Whether it is the combination of several attributes."""
    by_value: tuple[ValueToday, ...] = ()
    """Who has each value, and who is disclosed to have it."""
    harm_declared: bool = False
    """Whether somebody said which values are harmful; otherwise all are but missing ones."""

    __repr__ = brief

    @property
    def harmful_people(self) -> int:
        """People in cells that show a single value, and a harmful one."""
        return sum(value.disclosed for value in self.by_value if value.harmful)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "sensitive": self.sensitive,
            "labels": self.labels,
            "guessing": self.belief.guessing,
            **self.diagnostics.to_dict(),
            "harm_declared": self.harm_declared,
            "harmful_people": self.harmful_people,
            "by_value": [value.to_dict() for value in self.by_value],
        }


@dataclass(frozen=True, eq=False)
class Assessment:
    """The whole answer. It contains exact risks of true data: internal, not for publication."""

    people: int
    """Records counted; people, unless a person may have several rows."""
    cells: int
    quasi_identifiers: tuple[str, ...]
    question: Question
    today: tuple[AttributeToday, ...]
    lines: tuple[BudgetLine, ...]
    dropped_rows: int = 0
    max_rows_per_unit: int = 1
    rows_not_selected: int = 0
    """Rows that conditions on rows, or missing values, left out."""
    beside: BesideRisks = field(default_factory=BesideRisks)
    """Sizes of cells, homogeneity, scenarios, laws, bounds, the riskiest cells."""
    knees: Knees = ()
    """Where each risk starts to rise faster, if that was asked for."""
    overall: tuple[OverallLine, ...] = ()
    """Of several sensitive attributes: their risks taken together."""
    universe: DeclaredCells | None = None
    """The cells and counts that a release adds noise to; None where no universe is declared."""
    population: AssessedPopulation | None = None
    """Where the table is a sample: what is at risk for people of the population."""
    households: HouseholdAssessment | None = None
    """The same attack on households; None where nothing says who lives with whom."""

    def __repr__(self) -> str:
        return one_line(
            self,
            by_role(self.quasi_identifiers, [a.sensitive for a in self.today]),
            self._counted,
            counted(len(self.lines), "budget"),
        )

    def _repr_html_(self) -> str:
        rows = [
            {
                "sensitive": line.sensitive,
                "mechanism": line.mechanism,
                **vars(line.budget),
                **{f"{measure} risk": risk for measure, risk in line.risks.items()},
                "shown, theirs": line.belief.right,
                "shown, wrong": line.belief.wrong,
                **{f"{measure}, worst off": found.worst for measure, found in line.spreads.items()},
                **{
                    f"{measure}, share above 50 %": found.above_half / max(found.people, 1)
                    for measure, found in line.spreads.items()
                },
            }
            for line in self.lines
        ]
        return rows_html(f"Assessment of {self._counted}", rows, internal=True)

    @property
    def _counted(self) -> str:
        whose = "person" if self.whom == "people" else "row"
        return f"{counted(self.people, whose)} in {counted(self.cells, 'cell')}"

    @property
    def left_out(self) -> dict[str, tuple[float, ...]]:
        """For every mechanism that is proved for small epsilon only, the usual epsilons that it cannot honour."""
        asked = self.question.epsilons or DEFAULT_EPSILONS
        by_mechanism = {
            name: tuple(epsilon for epsilon in asked if epsilon >= MECHANISMS[name].below)
            for name in self.question.mechanisms
        }
        return {name: values for name, values in by_mechanism.items() if values}

    @property
    def whom(self) -> str:
        """What is counted: people, or rows where a person may have several."""
        return "people" if self.max_rows_per_unit == 1 else "rows"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        left_out = {name: list(values) for name, values in self.left_out.items()}
        return {
            "label": "internal",
            **({"left_out": left_out} if left_out else {}),
            "people": self.people,
            "rows_per_person": self.max_rows_per_unit,
            "cells": self.cells,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": [attribute.sensitive for attribute in self.today],
            "neighbours": self.question.neighbours,
            "average": "people" if self.question.weighted else "cells",
            **({"averages": list(self.question.weightings)} if len(self.question.weightings) > 1 else {}),
            **({"deltas": list(self.question.deltas)} if len(self.question.deltas) > 1 else {}),
            "match": self.question.match,
            "dropped_rows": self.dropped_rows,
            "rows_not_selected": self.rows_not_selected,
            **self.beside.to_dict(),
            "today": [attribute.to_dict() for attribute in self.today],
            "budgets": [
                line.to_dict() | ({} if more is None else more.to_dict())
                for line, more in zip_longest(self.lines, self.beside.budgets)
            ],
            **({"knees": [knee.to_dict() for knee in self.knees]} if self.question.knee else {}),
            "universe": None if self.universe is None else self.universe.to_dict(),
            **({} if self.households is None else {"households": self.households.to_dict()}),
            **({} if self.population is None else {"population": self.population.to_dict()}),
            **self._several(),
        }

    def _several(self) -> dict[str, Any]:
        """What is said of several sensitive attributes only."""
        if not self.overall:
            return {}
        return {
            "publish": self.question.publish,
            "budget_of": self.question.budget_of or "each",
            "overall": [line.to_dict() for line in self.overall],
        }
