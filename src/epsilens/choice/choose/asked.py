"""What is asked of a dial, refused in one line before any data is read where it makes no sense.

Most of a question can be judged by itself. Some of it depends on what the data are, a table of so many sensitive
attributes or a hierarchy of so many levels; that much is known from where they are to be read, so it is refused before
they are. Every refusal is written here, once, for whoever asks: a function call, a command, a page.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from epsilens.budget import NEIGHBOURS
from epsilens.checks import finite, one_of, positive, probability, whole
from epsilens.choice.aggregates import AnyAggregate, MeanRisk, PeopleAbove, aggregate
from epsilens.choice.publishing import BudgetOf, Publish, checked_publish
from epsilens.errors import ParameterError, speaking_of
from epsilens.homogeneity.measures import MEASURES, check_options, refuse_unknown_options
from epsilens.noise import MECHANISMS
from epsilens.noise.mechanisms import refuse_needless_delta

Parameter: TypeAlias = Literal["epsilon", "rho"]
PARAMETERS: tuple[Parameter, ...] = ("epsilon", "rho")
Attributes: TypeAlias = Literal["joint", "max", "sum"]
"""Several sensitive attributes: their combinations as one, or one risk each, of which the largest or the sum counts."""
POSTERIOR_MEASURES = {
    "posterior": "posterior",
    "posterior-ratio": "risk_ratio",
    "posterior-decision": "correct_decision",
}
"""The Bayesian adversary's expected posterior, that over the prior, and the probability of a right decision: each with
the name it has in the results of ``posterior``."""
ALL_MEASURES = (*MEASURES, *POSTERIOR_MEASURES)
OF_ATTRIBUTES = ("attributes", "publish", "budget_of")
"""Options of a table with several sensitive attributes, whatever the measure."""
OF_HIERARCHIES = ("attack", "rare", "shares")
"""Options that a hierarchy has and a table does not."""
DEFAULT_PRIOR = 0.5
DEFAULT_ATTACK = "unique-levels"


@dataclass(frozen=True)
class Shape:
    """What decides whether a question fits data: how many sensitive attributes a table has, or levels a hierarchy."""

    attributes: int = 1
    levels: int | None = None
    """None where the data are a table."""
    weight: float = 1.0
    """How much the most harmful value counts: no risk of a table is larger."""


@dataclass(frozen=True, kw_only=True)
class Asked:
    """Which risk, of which noise: everything that a dial is made of, except the data."""

    mechanism: str = "laplace"
    measure: str = "local"
    aggregate: AnyAggregate = field(default_factory=MeanRisk)
    delta: float | None = None
    neighbours: str = "add-remove"
    parameter: Parameter = "epsilon"
    options: Mapping[str, Any] = field(default_factory=dict)
    """Those of the measure: ``match``, ``alpha``, ``size_model``; ``attributes``, ``publish`` and ``budget_of`` of a
    table with several of them; ``prior`` of a posterior measure; ``attack``, ``rare`` and ``shares`` of a hierarchy."""

    def __post_init__(self) -> None:
        one_of("mechanism", self.mechanism, MECHANISMS)
        one_of("measure", self.measure, ALL_MEASURES)
        one_of("parameter", self.parameter, PARAMETERS)
        one_of("neighbours", self.neighbours, NEIGHBOURS)
        self._check_budget()
        self._check_options()
        if not self.posterior and MEASURES[self.measure].one_risk:
            self._refuse_order_statistics()

    @property
    def posterior(self) -> bool:
        """Whether the adversary is the Bayesian one, who knows everybody but the target."""
        return self.measure in POSTERIOR_MEASURES

    @property
    def prior(self) -> float:
        """What that adversary believed beforehand."""
        return float(self.options.get("prior", DEFAULT_PRIOR))

    @property
    def attack(self) -> str:
        """Which adversary looks at a hierarchy."""
        return str(self.options.get("attack", DEFAULT_ATTACK))

    @property
    def attributes(self) -> Attributes:
        """How the risks of several sensitive attributes of a table become one."""
        chosen: Attributes = self.options.get("attributes", "max" if self.publish == "separate" else "joint")
        return chosen

    @property
    def publish(self) -> Publish:
        """Whether several sensitive attributes are published as one table or each in its own."""
        chosen: Publish = self.options.get("publish", "joint")
        return chosen

    @property
    def budget_of(self) -> BudgetOf:
        """Whether the budget is that of each of several tables, or of all together."""
        chosen: BudgetOf = self.options.get("budget_of", "each")
        return chosen

    @property
    def of_measure(self) -> dict[str, Any]:
        """The options that the measure takes for itself."""
        return {name: value for name, value in self.options.items() if name not in OF_ATTRIBUTES}

    def fitting(self, shape: Shape) -> Asked:
        """The question, refused where data of this shape cannot answer it."""
        if shape.levels is None:
            self._fit_table(shape.attributes)
        else:
            self._fit_hierarchy(shape.levels)
        return self

    def ceiling(self, max_risk: float, shape: Shape | None = None) -> float:
        """``max_risk``, refused where the measure cannot have such a value."""
        value = finite("max_risk", max_risk)
        if self.measure == "posterior-ratio":
            if not 1 < value <= 1.0 / self.prior:
                raise ParameterError(
                    f"of 'posterior-ratio' must lie in (1, {1.0 / self.prior:g}], from nothing learnt to certainty at "
                    f"prior {self.prior:g}",
                    parameter="max_risk",
                    got=value,
                )
        elif self.attributes == "sum":
            if shape is not None and not 0 < value <= (most := shape.attributes * shape.weight):
                raise ParameterError(
                    f"of a sum over {shape.attributes} attributes must lie in (0, {most:g}]",
                    parameter="max_risk",
                    got=value,
                )
        elif shape is not None and shape.weight > 1 and not self.posterior:
            if not 0 < value <= shape.weight:
                raise ParameterError(
                    f"must lie in (0, {shape.weight:g}], up to how often the most harmful value counts",
                    parameter="max_risk",
                    got=value,
                )
        elif not 0 < value <= 1:
            raise ParameterError(
                "must lie in (0, 1]", parameter="max_risk", got=value, remedy="it is a probability, 0.3 for 30 %"
            )
        return value

    def ceiling_of_gain(self, max_gain: float) -> float:
        """The ceiling under which the adversary's expected posterior rises by at most ``max_gain`` above the prior."""
        gain = positive("max_gain", max_gain)
        if self.measure not in ("posterior", "posterior-ratio"):
            raise ParameterError(
                f"counts from the prior up, and the risk of {self.measure!r} is not a posterior",
                parameter="max_gain",
                remedy="take `measure=posterior`, or give `max_risk`",
            )
        if (most := self.prior + gain) > 1.0:
            raise ParameterError(
                f"must be at most {1.0 - self.prior:g}, from a prior of {self.prior:g} to certainty",
                parameter="max_gain",
                got=gain,
            )
        return most / self.prior if self.measure == "posterior-ratio" else most

    def _check_budget(self) -> None:
        mechanism = MECHANISMS[self.mechanism]
        if self.parameter == "rho":
            if not mechanism.has_rho:
                able = [f"`mechanism={name}`" for name, one in MECHANISMS.items() if one.has_rho]
                raise ParameterError(
                    f"mechanism {self.mechanism!r} has no rho",
                    remedy=f"choose epsilon instead, or take {' or '.join(able)}",
                )
            if self.delta is not None:
                raise ParameterError("belongs to epsilon; `rho` needs none, so leave it out", parameter="delta")
            return
        if self.delta is not None:
            probability("delta", self.delta)
            refuse_needless_delta([self.mechanism])
        mechanism.budget(0.5, self.delta)  # a missing delta must be refused before the long computation

    def _check_options(self) -> None:
        if not self.posterior:
            if "prior" in self.options:
                raise ParameterError(
                    f"is for posterior measures: the attacker of {self.measure!r} has none; leave it out",
                    parameter="prior",
                )
            self._refuse_of_hierarchies()
            check_options(self.measure, self.options, besides=OF_ATTRIBUTES)
        one_of("attributes", self.attributes, get_args(Attributes))
        self._check_publishing()
        if self._one_by_one and not (not self.posterior and MEASURES[self.measure].by_attribute):
            known = " and ".join(repr(name) for name, measure in MEASURES.items() if measure.by_attribute)
            if self.publish == "separate":
                raise ParameterError(
                    f"`attributes=joint`, the combination of what separate tables show, is known for measure {known} "
                    "only; take `attributes=max` or `attributes=sum`"
                )
            raise ParameterError(
                f"`attributes={self.attributes}` is known for measure {known} only; measure {self.measure!r} takes "
                "them jointly"
            )
        probability("prior", self.prior)
        if "rare" in self.options:
            whole("rare", self.options["rare"], 1)
        if "attack" in self.options:
            from epsilens.posterior.attacks import attack_named  # lazy: most questions are about tables

            attack_named(self.options["attack"])
        if self.options.get("shares") is not None:
            checked_shares(self.options["shares"])

    @property
    def _one_by_one(self) -> bool:
        """Whether attributes are read off a joint table, or their combination off separate ones."""
        return (self.attributes != "joint") == (self.publish == "joint")

    def _check_publishing(self) -> None:
        checked_publish(self.options.get("publish"), self.options.get("budget_of"))
        if "budget_of" in self.options and self.publish != "separate":
            raise ParameterError(
                "is about several tables; add `publish=separate`, or leave it out", parameter="budget_of"
            )
        if self.publish == "separate" and self.posterior:
            raise ParameterError(
                f"`publish=separate` is known for the measures of a table only; measure {self.measure!r} is about one "
                "count of a person"
            )

    def _refuse_of_hierarchies(self) -> None:
        for name in OF_HIERARCHIES:
            if name in self.options:
                raise ParameterError(
                    "belongs to a hierarchy of groups, and this is about a table; leave it out", parameter=name
                )

    def _refuse_order_statistics(self) -> None:
        if self.aggregate.needs_cells:
            raise ParameterError(
                f"measure {self.measure!r} gives one risk for the whole table, so it has no aggregate "
                f"{self.aggregate.name!r}; use `aggregate_by=mean`, or a measure with one risk per cell such as 'local'"
            )

    def _fit_table(self, attributes: int) -> None:
        self._refuse_of_hierarchies()
        if self.posterior:
            given = [name for name in self.options if name not in OF_ATTRIBUTES]  # said above to be joint
            refuse_unknown_options(f"measure {self.measure!r}", given, ("prior",))
            self._refuse_order_statistics()
        checked_publish(self.options.get("publish"), None, attributes)
        if self.attributes != "joint" and attributes < 2:
            raise ParameterError(f"`attributes={self.attributes}` needs several `sensitive` columns, and there is one")

    def _fit_hierarchy(self, levels: int) -> None:
        if not self.posterior:
            raise ParameterError(
                f"measure {self.measure!r} is one of a table; of a hierarchy there are {', '.join(POSTERIOR_MEASURES)}",
                remedy="take `measure=posterior-ratio`, for example",
            )
        known = ("attack", "prior", "rare", "shares")
        refuse_unknown_options(f"measure {self.measure!r} of a hierarchy", self.options, known)
        from epsilens.posterior.attacks import attack_named  # lazy: most questions are about tables

        if levels < (needed := attack_named(self.attack).levels_needed):
            raise ParameterError(f"`attack={self.attack}` needs a hierarchy of at least {needed} levels", got=levels)
        if self.options.get("shares") is not None:
            checked_shares(self.options["shares"], levels)


def chosen_aggregate(aggregate_by: str | AnyAggregate | None, max_people: int | None) -> AnyAggregate:
    """The aggregate that was asked for: by name, or as a number of people; not both."""
    if max_people is None:
        return MeanRisk() if aggregate_by is None else aggregate(aggregate_by)
    if aggregate_by is not None:
        raise ParameterError(
            "is an aggregate of its own: leave out `aggregate_by`, or `max_people`", parameter="max_people"
        )
    with speaking_of(limit="max_people"):
        return PeopleAbove(max_people)


def checked_shares(given: Sequence[float], levels: int | None = None) -> tuple[float, ...]:
    """Shares of a budget, one per level, in proportion to the numbers given: 1, 1, 2 is a quarter, a quarter, a half.

    A release divides its budget in the same way.
    """
    weights = tuple(positive("a share of the budget", share) for share in given)
    if levels is not None and len(weights) != levels:
        raise ParameterError(f"needs one number per level ({levels})", parameter="shares", got=len(weights))
    whole_budget = math.fsum(weights)
    if abs(whole_budget - 1.0) <= 1e-9:
        return weights
    return tuple(weight / whole_budget for weight in weights)


def checked_error(max_error: float | None) -> float | None:
    """The ceiling on the expected absolute error of a count, if there is one."""
    return None if max_error is None else positive("max_error", max_error)
