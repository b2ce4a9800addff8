"""``choose``: which budget keeps the risk at or below a ceiling, and at which price."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from epsilens.checks import one_of, probability
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.beside.frontier import (
    LeverEffect,
    MatchedRisk,
    at_matched_risk,
    effects_of_levers,
    published_error,
)
from epsilens.choice.beside.profile_mechanisms import keeps_profile, profile_cap
from epsilens.choice.beside.profiles import RiskProfile, parse_profile
from epsilens.choice.beside.worst_case import WorstCase, worst_case_of, worst_case_permitted
from epsilens.choice.choose import choosing
from epsilens.choice.choose.asked import Asked, Shape, checked_error, chosen_aggregate
from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.dials import dial_of
from epsilens.choice.choose.risk_plane import RiskPlane, risk_plane
from epsilens.choice.fit_report import UsedLaw, used_laws
from epsilens.choice.publishing import published_cells
from epsilens.choice.questions.axes import checked_range
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS
from epsilens.posterior.release_risk import refuse_several_rows
from epsilens.table.frequency import FrequencyTable
from epsilens.table.harm import largest_weight
from epsilens.table.hierarchy import Situations
from epsilens.table.to_read import HierarchyToRead, TableToRead

OF_THE_MEASURE = (
    "match",
    "size_model",
    "size_fit",
    "alpha",
    "attributes",
    "prior",
    "attack",
    "rare",
    "shares",
    "publish",
    "budget_of",
)
"""Fields of a question that are options of its measure; None leaves one out."""


def shape_of(data: TableToRead | HierarchyToRead | None) -> Shape | None:
    """What is known of data before they are read; None where they are given instead."""
    if data is None:
        return None
    if isinstance(data, HierarchyToRead):
        return Shape(levels=len(data.levels))
    return Shape(attributes=len(data.schema.sensitive_columns), weight=largest_weight(data.harmful))


def read_data(data: TableToRead | HierarchyToRead | None, rare: int | None = None) -> FrequencyTable | Situations:
    """The data to choose for; of a hierarchy the people in cells of at most ``rare``."""
    if data is None:
        raise ParameterError("there are no data to choose for: give them, or say in `data` where they are")
    return data.read(rare or 1) if isinstance(data, HierarchyToRead) else data.read()


@dataclass(frozen=True, kw_only=True)
class Question:
    """A tolerable risk, of what and under which noise. ``data`` says where to read, unless the data are given."""

    max_risk: float = 0.0
    """The ceiling; 0 where ``max_gain`` says it."""
    max_gain: float | None = None
    """How far above the prior the adversary's expected posterior may rise, instead of ``max_risk``."""
    data: TableToRead | HierarchyToRead | None = None
    mechanism: str = "laplace"
    measure: str = "local"
    aggregate_by: str | AnyAggregate | None = None
    max_people: int | None = None
    max_error: float | None = None
    profile: str | RiskProfile | None = None
    """A risk profile that must hold as well."""
    delta: float | None = None
    rho: bool = False
    """Choose rho instead of epsilon."""
    neighbours: str = "add-remove"
    match: str | None = None
    size_model: str | None = None
    size_fit: str | None = None
    alpha: str | tuple[float, ...] | None = None
    attributes: str | None = None
    publish: str | None = None
    """Several sensitive attributes: one joint table, the default, or separate ones."""
    budget_of: str | None = None
    """Of separate tables: the budget is that of each, the default, or of all together."""
    prior: float | None = None
    attack: str | None = None
    rare: int | None = None
    shares: Sequence[float] | None = None
    against: str | None = None
    """A second mechanism, whose error is compared at the same risk."""
    epsilon_range: tuple[float, float] | None = None
    delta_range: tuple[float, float] | None = None
    """Where the plane of both parameters begins and ends."""
    levers: bool = False
    """Whether to say what coarser or fewer quasi-identifiers would do."""

    def __post_init__(self) -> None:
        if isinstance(self.data, HierarchyToRead):
            refuse_several_rows(self.data.max_rows_per_unit)
        asked = self.asked if self.shape is None else self.asked.fitting(self.shape)
        if self.max_gain is not None:
            ceiling = asked.ceiling_of_gain(self.max_gain)
            if self.max_risk not in (0.0, ceiling):
                raise ParameterError("give either `max_risk` or `max_gain`, and not both")
            object.__setattr__(self, "max_risk", ceiling)
        asked.ceiling(self.max_risk, self.shape)
        checked_error(self.max_error)
        if self.against is not None:
            if one_of("against", self.against, MECHANISMS) == self.mechanism:
                raise ParameterError(
                    f"names the mechanism itself, {self.against!r}; name another one", parameter="against"
                )
            _ = self.asked_against
        if self.levers and asked.posterior:
            raise ParameterError(
                f"`levers` change nothing for {self.measure!r}: a coarser table has the same risk; leave them out"
            )
        if self.profile is not None and self.rho:
            raise ParameterError("is stated in epsilon; leave out `rho`, or the profile", parameter="profile")
        if self.profile is not None and self.publish == "separate" and self.budget_of != "all":
            raise ParameterError(
                "is about all that is published of a person; add `budget_of=all`, or leave it out", parameter="profile"
            )
        _ = self.risk_profile
        if self.epsilon_range is not None:
            low, _ = checked_range("epsilon_range", self.epsilon_range)
            if low * math.e > (limit := MECHANISMS[self.mechanism].below):
                raise ParameterError(f"must begin below {limit / math.e:.3g}", parameter="epsilon_range", got=low)
        if self.delta_range is not None:
            for end in checked_range("delta_range", self.delta_range):
                probability("delta_range", end)

    @cached_property
    def asked(self) -> Asked:
        """What the dial is made of."""
        other_has_delta = self.against in MECHANISMS and MECHANISMS[self.against].has_delta
        own = self.mechanism not in MECHANISMS or MECHANISMS[self.mechanism].has_delta or not other_has_delta
        return Asked(
            mechanism=self.mechanism,
            measure=self.measure,
            aggregate=chosen_aggregate(self.aggregate_by, self.max_people),
            delta=self.delta if own else None,
            neighbours=self.neighbours,
            parameter="rho" if self.rho else "epsilon",
            options={name: getattr(self, name) for name in OF_THE_MEASURE if getattr(self, name) is not None},
        )

    @cached_property
    def asked_against(self) -> Asked | None:
        """The same of the second mechanism."""
        if self.against is None:
            return None
        delta = self.delta if MECHANISMS[self.against].has_delta else None
        return replace(self.asked, mechanism=self.against, delta=delta)

    @cached_property
    def risk_profile(self) -> RiskProfile | None:
        """The profile, parsed where it is a text."""
        return parse_profile(self.profile) if isinstance(self.profile, str) else self.profile

    @property
    def shape(self) -> Shape | None:
        """What is known of the data that are to be read; None where they are given."""
        return shape_of(self.data)

    def read(self) -> FrequencyTable | Situations:
        """The data, from where the question says they are."""
        return read_data(self.data, self.rare)


@dataclass(frozen=True, eq=False, kw_only=True)
class Answer:
    """The choice with its companions. It is computed from true data: internal, not for publication."""

    question: Question
    choice: BudgetChoice
    profile: dict[str, Any] | None = None
    """What the profile allows, where there is one."""
    profile_limit: float | None = None
    """The largest budget that the profile allows."""
    worst_case: WorstCase | None = None
    """None where no budget was chosen, and where the worst case is not known."""
    worst_case_at: float | None = None
    """At which budget: the one to take, or the one that the risk alone allows where nothing keeps all ceilings."""
    matched_risk: MatchedRisk | None = None
    lever_effects: tuple[LeverEffect, ...] = ()

    @property
    def budget(self) -> float | None:
        """The budget to take, which keeps every ceiling and the profile; None where there is none, or no need of it."""
        budget = self.choice.capped(math.inf if self.profile_limit is None else self.profile_limit)
        return None if budget is None or math.isinf(budget) else budget

    @cached_property
    def public_budget(self) -> float | None:
        """That budget, rounded down to a grid that was fixed beforehand; it keeps all of them when looked at itself."""
        profile = self.question.risk_profile
        if profile is None or self.profile_limit is None:
            return self.choice.public_budget
        return self.choice.public_budget_within(
            self.profile_limit, lambda value: keeps_profile(profile, self.choice.dial, value)
        )

    @cached_property
    def laws(self) -> tuple[UsedLaw, ...]:
        """The laws of sizes and shares that the measure rests on."""
        dial = self.choice.dial
        if dial.prepared is None or not isinstance(dial.data, FrequencyTable):
            return ()
        return tuple(used_laws(" x ".join(dial.data.sensitive), dial.data.labels, {dial.measure: dial.prepared}))

    @cached_property
    def plane(self) -> RiskPlane:
        """The risk over epsilon and delta, within the ranges that were asked for."""
        question = self.question
        return risk_plane(self.choice.dial, self.choice.max_risk, question.epsilon_range, question.delta_range)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        choice, question = self.choice, self.question
        plain = choice.to_dict() | {"aggregate_words": choice.dial.aggregate.words}
        if question.max_gain is not None:
            plain |= {"max_gain": question.max_gain, "prior": question.asked.prior}
        if isinstance(question.data, HierarchyToRead):
            plain["levels"] = list(question.data.levels)
        if choice.dial.attack is None:
            plain |= self._preview()
        if self.profile is not None:
            plain |= {
                "profile": self.profile,
                "combined_budget": self.budget,
                "public_budget": self.public_budget,
            }
        if choice.noises:
            plain["worst_case"] = None if self.worst_case is None else self._worst_case()
            if self.worst_case_at != choice.budget:
                plain["worst_case_at"] = self.worst_case_at
        if question.against is not None:
            plain["matched_risk"] = None if self.matched_risk is None else self.matched_risk.to_dict()
        if self.laws:
            plain["laws"] = [law.to_dict() for law in self.laws]
        if question.levers:
            plain["levers"] = [effect.to_dict() for effect in self.lever_effects]
        return plain

    def _preview(self) -> dict[str, Any]:
        """Which counts a release would publish, and how far they are off once none is below 0."""
        dial = self.choice.dial
        declared = published_cells(dial.table, dial.asked.publish)
        error = published_error(dial, self.choice.noises[0]) if self.choice.noises else None
        return {"universe": None if declared is None else declared.to_dict(), "published_error": error}

    def _worst_case(self) -> dict[str, Any]:
        assert self.worst_case is not None
        plain = self.worst_case.to_dict()
        return plain if _counted_once(self.choice) else plain | {"from": "epsilon alone"}


def answer(
    question: Question,
    data: FrequencyTable | Situations | None = None,
    progress: Callable[[int], None] | None = None,
) -> Answer:
    """The budget for ``data``, or for the data that the question says where to read, with all that was asked beside."""
    found = question.read() if data is None else data
    choice = choosing.chosen_budget(
        found, question.asked, question.max_risk, question.max_people, question.max_error, progress=progress
    )
    profile: dict[str, Any] | None = None
    limit: float | None = None
    if question.risk_profile is not None:
        limit, profile = profile_cap(question.risk_profile, choice.dial)
    matched = None
    if question.asked_against is not None:
        matched = at_matched_risk(choice.dial, dial_of(choice.dial.data, question.asked_against), choice.max_risk)
    effects = effects_of_levers(choice.dial, choice.finite_budget) if question.levers else ()
    budget = choice.capped(math.inf if limit is None else limit)
    at = choice.budget if budget is None or math.isinf(budget) else budget
    return Answer(
        question=question,
        choice=choice,
        profile=profile,
        profile_limit=limit,
        worst_case=_worst_case(choice, at) if choice.noises and at is not None else None,
        worst_case_at=at,
        matched_risk=matched,
        lever_effects=tuple(effects),
    )


def _counted_once(choice: BudgetChoice) -> bool:
    """Whether a person is in one count per level."""
    return choice.dial.attack is not None or choice.dial.table.max_rows_per_unit == 1


def _worst_case(choice: BudgetChoice, budget: float) -> WorstCase | None:
    """From the mechanism's own law where a person is in one count per level; else what a pure epsilon permits."""
    dial = choice.dial
    if _counted_once(choice):
        return worst_case_of(dial.noises(budget), dial.neighbours, dial.asked.prior)
    if dial.parameter == "rho" or MECHANISMS[dial.mechanism].has_delta:
        return None
    return worst_case_permitted(budget * math.fsum(dial.shares), dial.asked.prior)
