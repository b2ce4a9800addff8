"""``choose`` with a fixed epsilon: which delta keeps the risk at or below a ceiling."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import log_grid
from epsilens.checks import one_of, positive
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.asked import Asked, Shape, chosen_aggregate
from epsilens.choice.choose.at_budget import AtBudget, People
from epsilens.choice.choose.public_grid import roundest
from epsilens.choice.choose.two_parameters import DELTA_RANGE, DeltaChoice, choose_delta
from epsilens.choice.questions.choose import options_of_measure, read_data, shape_of
from epsilens.choice.questions.choose_people import people_of, told_of_people
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.notebook import brief
from epsilens.posterior.release_risk import refuse_several_rows
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations
from epsilens.table.to_read import HierarchyToRead, TableToRead

_SCANNED = 121


@dataclass(frozen=True, kw_only=True)
class Question:
    """A tolerable risk and an epsilon; the delta is looked for. ``data`` says where to read, unless they are given."""

    max_risk: float
    epsilon: float
    data: TableToRead | HierarchyToRead | None = None
    mechanism: str = "gaussian-analytic"
    measure: str = "local"
    aggregate_by: str | AnyAggregate | None = None
    max_people: int | None = None
    neighbours: str = "add-remove"
    match: str | None = None
    size_model: str | None = None
    alpha: str | tuple[float, ...] | None = None
    attributes: str | None = None
    prior: float | None = None
    attack: str | None = None
    rare: int | None = None
    family: int | None = None
    shares: Sequence[float] | None = None

    def __post_init__(self) -> None:
        positive("epsilon", self.epsilon)
        known = MECHANISMS[one_of("mechanism", self.mechanism, MECHANISMS)]
        if not known.has_delta:
            able = " or ".join(f"`mechanism={name}`" for name, one in MECHANISMS.items() if one.has_delta)
            raise ParameterError(
                f"with a fixed `epsilon` the delta is looked for, and mechanism {self.mechanism!r} has none",
                remedy=f"take {able}, or leave out `epsilon`",
            )
        if self.epsilon >= known.below:
            raise ParameterError(
                f"must be < {known.below:g} for mechanism {self.mechanism!r}", parameter="epsilon", got=self.epsilon
            )
        if isinstance(self.data, HierarchyToRead):
            refuse_several_rows(self.data.max_rows_per_unit)
        asked = self.asked if self.shape is None else self.asked.fitting(self.shape)
        asked.ceiling(self.max_risk, self.shape)

    @cached_property
    def asked(self) -> Asked:
        """What the dial is made of; its delta is any, for that is what is looked for."""
        return Asked(
            mechanism=self.mechanism,
            measure=self.measure,
            aggregate=chosen_aggregate(self.aggregate_by, self.max_people),
            delta=DELTA_RANGE[0],
            neighbours=self.neighbours,
            options=options_of_measure(self),
        )

    @property
    def shape(self) -> Shape | None:
        """What is known of the data that are to be read; None where they are given."""
        return shape_of(self.data)

    def read(self) -> FrequencyTable | Situations:
        """The data, from where the question says they are."""
        return read_data(self.data, self.rare or self.family)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """The deltas that keep the ceiling. They are computed from true data: internal, not for publication."""

    question: Question
    choice: DeltaChoice

    __repr__ = brief

    @property
    def delta(self) -> float | None:
        """The largest delta of the lowest safe range; None where no delta is safe."""
        return self.choice.delta

    def risk(self, delta: float) -> float:
        """The risk at a delta."""
        return self.choice.dial.at_delta(delta).risk(self.question.epsilon)

    @property
    def public_delta(self) -> float | None:
        """That delta rounded down, and looked at itself: its digits would say a little about the data."""
        if self.delta is None:
            return None
        return roundest(self.choice.safe_set[0], lambda delta: self.risk(delta) <= self.choice.max_risk)

    @property
    def exists(self) -> bool:
        """Whether some delta keeps the ceiling."""
        return self.delta is not None

    @cached_property
    def people(self) -> People:
        """Everybody whose risk counts, at any delta."""
        return people_of(self.choice.dial, self.choice.max_risk)

    def at(self, delta: float) -> AtBudget:
        """What a delta means for people."""
        return self.people.under(delta, self.choice.dial.at_delta(delta).noises(self.question.epsilon))

    @cached_property
    def taken(self) -> AtBudget | None:
        """What the delta to take means for people; None where there is none."""
        return None if self.delta is None else self.at(self.delta)

    @cached_property
    def table(self) -> tuple[AtBudget, ...]:
        """The delta to take, round ones, and the ends."""
        lowest = self.choice.safe_set[0].low if self.choice.safe_set else None
        others = [value for value in (self.delta, self.public_delta, lowest) if value is not None]
        wanted = dict.fromkeys((*others, DELTA_RANGE[0], 1e-9, 1e-6, 1e-3, DELTA_RANGE[1]))
        return tuple(
            self.taken if self.taken is not None and delta == self.delta else self.at(delta) for delta in sorted(wanted)
        )

    @property
    def curve(self) -> tuple[FloatArray, FloatArray]:
        """Deltas over the whole range, and the risk at each."""
        deltas = log_grid(*DELTA_RANGE, _SCANNED)
        return as_floats(deltas), as_floats([self.risk(delta) for delta in deltas])

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        dial, delta = self.choice.dial, self.delta
        people_above = None
        if delta is not None and self.question.max_people is not None:
            people_above = dial.at_delta(delta).people_above(self.question.epsilon, self.choice.max_risk)
        noises = () if delta is None else dial.at_delta(delta).noises(self.question.epsilon)
        return {
            "label": "internal",
            "people": dial.n_people,
            "cells": dial.n_cells,
            "mechanism": dial.mechanism,
            "measure": dial.measure,
            "attributes": dial.attributes,
            "attack": dial.attack,
            **({} if dial.asked.family == 1 else {"family": dial.asked.family}),
            "aggregate": dial.aggregate.name,
            "aggregate_words": dial.aggregate.words,
            "neighbours": dial.neighbours,
            "parameter": "delta",
            "epsilon": self.question.epsilon,
            "max_risk": self.choice.max_risk,
            "max_people": self.question.max_people,
            "safe_set": [{"low": safe.low, "high": safe.high} for safe in self.choice.safe_set],
            "delta": delta,
            "public_delta": self.public_delta,
            "risk": None if delta is None else self.risk(delta),
            "people_above": people_above,
            "error": expected_absolute_error(noises[0]) if noises else None,
            "noise": {"law": noises[0].name, "size": noises[0].size} if noises else None,
            "scanned_from": DELTA_RANGE[0],
            "scanned_to": DELTA_RANGE[1],
            "risk_at_least_delta": self.risk(DELTA_RANGE[0]),
            "risk_at_largest_delta": self.risk(DELTA_RANGE[1]),
            **told_of_people("delta", self.taken, self.table, self.people),
        }


def answer(question: Question, data: FrequencyTable | Situations | None = None) -> Answer:
    """The deltas for ``data``, or for the data that the question says where to read."""
    found = question.read() if data is None else data
    choice = choose_delta(
        found,
        question.epsilon,
        question.mechanism,
        question.max_risk,
        measure=question.measure,
        aggregate_by=question.aggregate_by,
        max_people=question.max_people,
        neighbours=question.neighbours,
        **options_of_measure(question),
    )
    return Answer(question=question, choice=choice)
