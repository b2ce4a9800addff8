"""The dial: what every budget of a public grid means, for the guarantee, for the people of a table and for its counts.

All answers are exact. They are few enough to travel with a page, which then needs nobody to ask.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from epsilens.checks import whole
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose import choosing
from epsilens.choice.choose.asked import Asked, Shape, checked_error, chosen_aggregate
from epsilens.choice.choose.at_budget import AtBudget, People
from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.dials import dial_of
from epsilens.choice.choose.safe_set import Interval
from epsilens.choice.choose.solving import solved
from epsilens.choice.questions import choose
from epsilens.choice.questions.choose import options_of_measure, read_data, shape_of
from epsilens.choice.questions.choose_people import people_of
from epsilens.choice.questions.dial_cost import Cost, cost
from epsilens.choice.questions.dial_grid import nearest, public_budgets, with_others
from epsilens.choice.questions.dial_guarantee import Guarantee, guarantee
from epsilens.errors import ParameterError
from epsilens.homogeneity.by_value import harm_shown
from epsilens.noise import MECHANISMS
from epsilens.notebook import brief, one_line
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations
from epsilens.table.to_read import HierarchyToRead, TableToRead

PUBLIC_COUNT = 12
"""The count whose noise is shown where nobody names another one: it belongs to no table."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """Which risk, of which noise, with which ceilings. ``data`` says where to read, unless the data are given."""

    data: TableToRead | HierarchyToRead | None = None
    mechanism: str = "laplace"
    measure: str = "local"
    aggregate_by: str | AnyAggregate | None = None
    max_risk: float | None = None
    """The ceiling; None where there is none, and then no safe set."""
    max_people: int | None = None
    max_error: float | None = None
    delta: float | None = None
    rho: bool = False
    """Dial rho instead of epsilon."""
    neighbours: str = "add-remove"
    match: str | None = None
    size_model: str | None = None
    size_fit: str | None = None
    alpha: str | tuple[float, ...] | None = None
    attributes: str | None = None
    publish: str | None = None
    budget_of: str | None = None
    prior: float | None = None
    attack: str | None = None
    rare: int | None = None
    family: int | None = None
    shares: Sequence[float] | None = None
    budgets: tuple[float, ...] = ()
    """Declared budgets that must be on the dial; it begins at the first of them."""
    example_count: int = PUBLIC_COUNT
    """The count whose noise is shown. A public number: what is published names it."""

    def __post_init__(self) -> None:
        asked = self.asked if self.shape is None else self.asked.fitting(self.shape)
        if self.max_risk is not None:
            asked.ceiling(self.max_risk, self.shape)
        checked_error(self.max_error)
        whole("example_count", self.example_count, 0)
        for budget in with_others((), self.budgets):
            if not self.rho:
                MECHANISMS[self.mechanism].budget(budget, self.delta)

    @cached_property
    def asked(self) -> Asked:
        """What the dial is made of."""
        return Asked(
            mechanism=self.mechanism,
            measure=self.measure,
            aggregate=chosen_aggregate(self.aggregate_by, self.max_people),
            delta=self.delta,
            neighbours=self.neighbours,
            parameter="rho" if self.rho else "epsilon",
            options=options_of_measure(self),
        )

    @property
    def shape(self) -> Shape | None:
        """What is known of the data that are to be read; None where they are given."""
        return shape_of(self.data)

    def read(self) -> FrequencyTable | Situations:
        """The data, from where the question says they are."""
        return read_data(self.data, self.rare or self.family)


@dataclass(frozen=True)
class Shown:
    """Who is shown as what of one attribute (or of all jointly), in shares of people. Internal."""

    attribute: str
    right: float
    """Share of people whose cell shows one harmful value only, and it is theirs."""
    wrong: float
    """The same, and it is not theirs."""
    guessing: float
    """How often guessing the commonest harmful value is right: as `right` and `wrong`, it is about these alone."""

    __repr__ = brief

    @property
    def believing(self) -> float | None:
        """How often believing such a cell is right; None where none is shown."""
        shown = self.right + self.wrong
        return self.right / shown if shown > 0 else None


@dataclass(frozen=True)
class PublicLine:
    """One budget of the dial, as far as it follows from declarations alone."""

    budget: float
    guarantee: Guarantee
    cost: Cost

    __repr__ = brief


@dataclass(frozen=True)
class Line(PublicLine):
    """One budget of the dial. Computed from true data: internal."""

    at: AtBudget
    shown: tuple[Shown, ...]
    """Of every attribute; empty where the attack is not about values."""
    keeps: bool | None
    """Whether this budget keeps every ceiling; None where there is none."""

    __repr__ = brief


@dataclass(frozen=True, eq=False, kw_only=True)
class DialAnswer:
    """All lines of a dial with what holds for all of them. Computed from true data: internal, not for publication."""

    question: Question
    dial: RiskDial
    lines: tuple[Line, ...]
    safe_set: tuple[Interval, ...]
    """All budgets that keep the ceiling of the risk; empty where there is none, and where none keeps it."""
    floor: float
    """The least risk over all budgets."""
    floor_at: float
    """Where: 0 is the limit of no budget at all, inf the table without noise."""
    without_noise: AtBudget
    shown_without_noise: tuple[Shown, ...]
    chosen: float | None = None
    """The round budget that was chosen for the ceilings; None where there is none, or no need of it."""
    several_ceilings: bool = False
    """Whether a budget must keep more than the ceiling of the risk."""

    def __repr__(self) -> str:
        return one_line(
            self, self.dial.mechanism, f"{self.dial.measure} risk", f"{len(self.lines)} budgets of {self.parameter}"
        )

    @property
    def parameter(self) -> str:
        """What is dialled: epsilon or rho."""
        return self.dial.parameter

    @property
    def start(self) -> int:
        """The place where the dial begins: a declared budget, the chosen one, or the one nearest to 1 (rho: 0.1)."""
        budgets = tuple(line.budget for line in self.lines)
        return nearest(budgets, _beginning(self.question, self.chosen))

    @cached_property
    def public_lines(self) -> tuple[PublicLine, ...]:
        """The whole public grid and the declared budgets, without anything that was computed from true data."""
        known = {line.budget: PublicLine(line.budget, line.guarantee, line.cost) for line in self.lines}
        wanted = with_others(_grid(self.dial), self.question.budgets)
        return tuple(known.get(budget) or _public_line(self.dial, budget) for budget in wanted)

    @property
    def public_start(self) -> int:
        """The place where a published dial begins: a declared budget, or the one nearest to 1 (rho: 0.1)."""
        return nearest(tuple(line.budget for line in self.public_lines), _beginning(self.question, None))

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        name = self.parameter
        return {
            "label": "internal",
            "mechanism": self.dial.mechanism,
            "measure": self.dial.measure,
            "aggregate": self.dial.aggregate.name,
            "neighbours": self.dial.neighbours,
            "parameter": name,
            "delta": self.dial.delta,
            "people": self.dial.n_people,
            "cells": self.dial.n_cells,
            "max_risk": self.question.max_risk,
            "safe_set": [{"low": i.low, "high": None if math.isinf(i.high) else i.high} for i in self.safe_set],
            "floor": self.floor,
            "floor_at": None if math.isinf(self.floor_at) else self.floor_at,
            "unprotected": self.without_noise.risk,
            "chosen": self.chosen,
            "lines": [
                line.at.to_dict(name)
                | {
                    "convinced_if_there": line.guarantee.right,
                    "convinced_if_not": line.guarantee.wrong,
                    "half_width": line.cost.half_width,
                    "keeps": line.keeps,
                }
                for line in self.lines
            ],
        }


def answer(
    question: Question,
    data: FrequencyTable | Situations | None = None,
    progress: Callable[[int], None] | None = None,
) -> DialAnswer:
    """The dial of ``data``, or of the data that the question says where to read."""
    found = question.read() if data is None else data
    asked = question.asked
    if question.max_risk is None:
        dial = dial_of(found, asked)
        scan = solved(dial, dial.greatest, progress=progress)  # no ceiling cuts it: only the least risk is looked for
        return _answered(question, people_of(dial, None), (), (scan.floor, scan.floor_at), None, None, progress)
    choice = choosing.chosen_budget(
        found,
        asked,
        question.max_risk,
        question.max_people,
        question.max_error,
        remedies=False,
        progress=progress,
    )
    people = people_of(choice.dial, choice.max_risk)
    return _of_choice(question, choice, people, choice.public_budget, progress)


def answer_of(
    chosen: choose.Answer,
    budgets: tuple[float, ...] = (),
    example_count: int = PUBLIC_COUNT,
    progress: Callable[[int], None] | None = None,
) -> DialAnswer:
    """The dial of a choice that was made already: nothing is scanned again."""
    asked = chosen.question
    same = {name: getattr(asked, name) for name in Question.__dataclass_fields__ if hasattr(asked, name)}
    question = Question(**same, budgets=budgets, example_count=example_count)
    cap = math.inf if chosen.profile_limit is None else chosen.profile_limit
    return _of_choice(question, chosen.choice, chosen.people, chosen.public_budget, progress, cap)


def _of_choice(
    question: Question,
    choice: BudgetChoice,
    people: People,
    chosen: float | None,
    progress: Callable[[int], None] | None,
    cap: float = math.inf,
) -> DialAnswer:
    allowed = choice.admissible(cap)
    several = len({choice.safe_set, allowed}) > 1 or choice.max_error is not None or choice.max_people is not None
    found = _answered(question, people, choice.safe_set, (choice.floor, choice.floor_at), chosen, allowed, progress)
    return replace(found, several_ceilings=several)


def _answered(
    question: Question,
    people: People,
    safe_set: tuple[Interval, ...],
    floor: tuple[float, float],
    chosen: float | None,
    allowed: tuple[Interval, ...] | None,
    progress: Callable[[int], None] | None,
) -> DialAnswer:
    dial = people.dial
    others = [*question.budgets] if chosen is None else [*question.budgets, chosen]
    guesses = _guesses(people)

    def shown_at(at: AtBudget) -> tuple[Shown, ...]:
        parts, begin = list[Shown](), 0
        for (name, guessing), ready in zip(guesses.items(), people.values, strict=True):
            harm = harm_shown(at.by_value[begin : (begin := begin + len(ready.labels))])
            parts.append(Shown(name, harm.right, harm.wrong, guessing))
        return tuple(parts)

    def line(budget: float) -> Line:
        public, at = _public_line(dial, budget), people.at(budget)
        keeps = None if allowed is None else any(budget in interval for interval in allowed)
        if allowed is None and question.max_error is not None:
            keeps = public.cost.error <= question.max_error
        if progress is not None:
            progress(1)
        return Line(budget, public.guarantee, public.cost, at, shown_at(at), keeps)

    possible = _possible(dial, with_others(_grid(dial), others))
    bare = people.at(math.inf)
    return DialAnswer(
        question=question,
        dial=dial,
        lines=tuple(line(budget) for budget in possible),
        safe_set=safe_set,
        floor=floor[0],
        floor_at=floor[1],
        without_noise=bare,
        shown_without_noise=shown_at(bare),
        chosen=chosen,
    )


def _grid(dial: RiskDial) -> tuple[float, ...]:
    return public_budgets(dial.parameter == "rho", dial.highest_valid)


def _possible(dial: RiskDial, budgets: tuple[float, ...]) -> tuple[float, ...]:
    """The budgets whose noise can be summed exactly."""
    if dial.too_wide is None:
        return budgets
    lowest = dial.default_range()[0]
    if lowest > budgets[-1]:
        raise ParameterError(
            f"no {dial.parameter} up to {budgets[-1]:g} has noise that can be summed exactly here",
            remedy="take fewer levels or another mechanism",
        )
    return tuple(budget for budget in budgets if budget >= lowest)


def _public_line(dial: RiskDial, budget: float) -> PublicLine:
    """What follows from declarations: mechanism, budget, neighbours, rows of a person, shares of levels."""
    noises = dial.noises(budget)
    rows = 1 if isinstance(dial.data, Situations) else dial.data.max_rows_per_unit
    promised = guarantee(
        dial.mechanism,
        budget,
        noises,
        dial.neighbours,
        delta=dial.delta,
        rho=dial.parameter == "rho",
        shares=dial.shares,
        rows=rows,
    )
    return PublicLine(budget, promised, cost(noises[0]))


def _guesses(people: People) -> dict[str, float]:
    """How often guessing the commonest harmful value is right, of every attribute whose values are shown."""
    if not people.values:
        return {}
    table = people.dial.table
    parts = {" x ".join(table.sensitive): table}
    if len(people.values) > 1:
        parts = {name: table.attribute(name) for name in table.sensitive}
    harmful = {name: part.label_totals[part.label_weights > 0] for name, part in parts.items()}
    return {name: float(harmful[name].max(initial=0) / part.n_records) for name, part in parts.items()}


def _beginning(question: Question, chosen: float | None) -> float:
    if question.budgets:
        return question.budgets[0]
    return chosen or (0.1 if question.rho else 1.0)
