"""What the curves of an assessment run along, and where each of them starts to rise faster."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias

from epsilens.budget import Budget, log_grid
from epsilens.checks import one_of, positive, probability
from epsilens.choice.knee import Knee, knee_of
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS, calibrate
from epsilens.notebook import brief

if TYPE_CHECKING:
    from epsilens.choice.published_attributes import PublishedAttribute
    from epsilens.homogeneity.prepared import PreparedMeasure

AXES = ("epsilon", "delta", "both")
AVERAGES = ("people", "cells")
"""Over whom a risk is averaged."""
DEFAULT_EPSILONS = (0.1, 0.5, 1.0, 2.0, 5.0)
DEFAULT_DELTAS = (1e-6, 1e-4, 1e-2)
"""Where delta is on an axis and none is given."""
CURVE_EPSILONS = (1e-3, 1e2, 101)
CURVE_DELTAS = (1e-8, 0.1, 57)
"""From where to where curves run, and in how many steps."""
SURFACE = (41, 29)
"""How many epsilons and deltas a surface has."""
_BELOW = 0.999  # of the epsilon that a mechanism must stay below


class Curved(Protocol):
    """What a question about curves says."""

    @property
    def mechanisms(self) -> tuple[str, ...]:
        """Which noises."""
        ...

    @property
    def epsilons(self) -> tuple[float, ...]:
        """The epsilons asked for; the usual ones where none is."""
        ...

    @property
    def weightings(self) -> tuple[str, ...]:
        """Over whom to average."""
        ...

    @property
    def neighbours(self) -> str:
        """What the budget protects."""
        ...

    @property
    def axis(self) -> str:
        """What curves run along."""
        ...

    @property
    def epsilon_range(self) -> tuple[float, float] | None:
        """Where the axis of epsilon begins and ends."""
        ...

    @property
    def delta_range(self) -> tuple[float, float] | None:
        """Where that of delta does."""
        ...

    @property
    def knee(self) -> bool:
        """Whether knees are looked for."""
        ...

    def deltas_of(self, mechanism: str) -> tuple[float | None, ...]:
        """The deltas that go with a mechanism."""
        ...


def check_axis(question: Curved) -> None:
    """Refuse an axis that a mechanism does not have, and a range of an axis that curves do not run along."""
    axis = one_of("axis", question.axis, AXES)
    for mechanism in question.mechanisms:
        if axis != "epsilon" and not MECHANISMS[mechanism].has_delta:
            raise ParameterError(f"`axis={axis}` needs a delta, and mechanism {mechanism!r} has none")
    if question.epsilon_range is not None:
        if axis == "delta":
            raise ParameterError("belongs to `axis=epsilon` or `axis=both`", parameter="epsilon_range")
        low, high = checked_range("epsilon_range", question.epsilon_range)
        for mechanism in question.mechanisms:
            limit = MECHANISMS[mechanism].below
            if low * math.e > limit:
                raise ParameterError(
                    f"must begin below {limit / math.e:.3g} for mechanism {mechanism!r}, which ends at {limit:g}",
                    parameter="epsilon_range",
                    got=low,
                )
            for end in (low, min(high, _BELOW * limit)):
                for delta in question.deltas_of(mechanism):
                    calibrate(mechanism, MECHANISMS[mechanism].budget(end, delta), question.neighbours)
    if question.delta_range is not None:
        if axis == "epsilon":
            raise ParameterError("belongs to `axis=delta` or `axis=both`", parameter="delta_range")
        for end in checked_range("delta_range", question.delta_range):
            probability("delta_range", end)
    if question.knee and axis != "epsilon":
        raise ParameterError("is looked for along epsilon; leave out `axis`", parameter="knee")


def families(question: Curved, mechanism: str) -> list[list[Budget]]:
    """The curves of one mechanism, each a list of budgets.

    Along epsilon there is one for every delta, along delta one for every epsilon, and over both a single one.
    """
    law = MECHANISMS[mechanism]
    epsilon_ends = question.epsilon_range or CURVE_EPSILONS[:2]
    delta_ends = question.delta_range or CURVE_DELTAS[:2]
    both = question.axis == "both"
    asked = question.epsilons or DEFAULT_EPSILONS
    along = log_grid(*epsilon_ends, SURFACE[0] if both else CURVE_EPSILONS[2])
    epsilons = [epsilon for epsilon in (asked if question.axis == "delta" else along) if epsilon < law.below]
    deltas = log_grid(*delta_ends, SURFACE[1] if both else CURVE_DELTAS[2])
    if both:
        return [[law.budget(epsilon, delta) for epsilon in epsilons for delta in deltas]]
    if question.axis == "delta":
        return [[law.budget(epsilon, delta) for delta in deltas] for epsilon in epsilons]
    return [[law.budget(epsilon, delta) for epsilon in epsilons] for delta in question.deltas_of(mechanism)]


@dataclass(frozen=True, eq=False)
class KneeLine:
    """The knee of one curve."""

    sensitive: str
    mechanism: str
    delta: float | None
    measure: str
    average: str
    knee: Knee

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {name: value for name, value in vars(self).items() if name != "knee"} | self.knee.to_dict()


Knees: TypeAlias = tuple[KneeLine, ...]


def knees_of(question: Curved, part: PublishedAttribute, prepared: Mapping[str, PreparedMeasure]) -> list[KneeLine]:
    """The knee of every risk of one sensitive attribute that the question asks about."""
    lowest, highest = question.epsilon_range or CURVE_EPSILONS[:2]
    found = []
    for mechanism in question.mechanisms:
        end = min(highest, _BELOW * MECHANISMS[mechanism].below)
        for delta in question.deltas_of(mechanism):
            for measure, ready in prepared.items():
                for average in question.weightings:

                    def risk(
                        epsilon: float,
                        mechanism: str = mechanism,
                        delta: float | None = delta,
                        ready: PreparedMeasure = ready,
                        weighted: bool = average == "people",
                    ) -> float:
                        budget = MECHANISMS[mechanism].budget(epsilon, delta)
                        return ready.average(part.noise(mechanism, budget, question.neighbours), weighted)

                    knee = knee_of(risk, lowest, end)
                    found.append(KneeLine(part.name, mechanism, delta, measure, average, knee))
    return found


def checked_range(name: str, ends: tuple[float, float]) -> tuple[float, float]:
    """The two ends of an axis with a log scale, refused unless they ascend and are a factor of e apart."""
    if len(ends) != 2:
        raise ParameterError("must be two numbers, from and to", parameter=name)
    low, high = (positive(name, end) for end in ends)
    if high < math.e * low * (1.0 - 1e-12):
        raise ParameterError(f"must ascend, and reach e times as far at least; got {low:g} to {high:g}", parameter=name)
    return low, high
