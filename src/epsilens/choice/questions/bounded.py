"""What becomes of a statistic with known bounds under Laplace noise that must respect them: truncated or clamped?

Four ways to release the same number, whose true value lies in [lower, upper] and moves by at most ``sensitivity``
between neighbours:

* ``unbounded``: Laplace noise of scale D / epsilon as it falls, the benchmark;
* ``clamped``: the same noise, moved to the nearer bound (boundary-inflated); post-processing, so free;
* ``truncated, printed scale``: drawn again until inside, at the scale D / epsilon that print uses, which costs more
  than epsilon;
* ``truncated, corrected scale``: the same at the smallest scale that costs no more than epsilon.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import PureDP
from epsilens.checks import finite, positive
from epsilens.errors import ParameterError
from epsilens.noise import LaplaceNoise
from epsilens.noise.bounded_laplace import (
    ClampedLaplace,
    TruncatedLaplace,
    clamped_scale,
    truncated_epsilon,
    truncated_scale,
)

UNBOUNDED, CLAMPED = "unbounded", "clamped"
PRINTED, CORRECTED = "truncated, printed scale", "truncated, corrected scale"
WAYS = (UNBOUNDED, CLAMPED, PRINTED, CORRECTED)
WIDEST, NARROWEST = 1e100, 1e-100
"""Of bounds, sensitivity and noise: squares of what lies between are numbers."""
MOST_EPSILON, LEAST_EPSILON = 1e9, 1e-9
POINTS = 81
"""Of every curve, in even steps."""


@dataclass(frozen=True)
class Question:
    """True values of a statistic, its public bounds and sensitivity, and the noise: by epsilon, or by its scale."""

    values: tuple[float, ...]
    lower: float
    upper: float
    sensitivity: float
    epsilon: float | None = None
    scale: float | None = None
    """Of the unbounded noise, in the place of epsilon, which is then ``sensitivity / scale``."""

    def __post_init__(self) -> None:
        if not self.values:
            raise ParameterError("is missing: a true value of the statistic", parameter="values")
        if (self.epsilon is None) == (self.scale is None):
            raise ParameterError("give one of `epsilon` and `scale`: each follows from the other")
        for name in ("lower", "upper"):
            object.__setattr__(self, name, finite(name, getattr(self, name)))
        object.__setattr__(self, "sensitivity", positive("sensitivity", self.sensitivity))
        if self.scale is not None:
            epsilon = self.sensitivity / positive("scale", self.scale)
        else:
            assert self.epsilon is not None  # one of the two is given
            epsilon = positive("epsilon", self.epsilon)
        if not LEAST_EPSILON <= epsilon <= MOST_EPSILON:
            raise ParameterError(
                f"must lie between {LEAST_EPSILON:g} and {MOST_EPSILON:g}", parameter="epsilon", got=epsilon
            )
        object.__setattr__(self, "epsilon", epsilon)
        object.__setattr__(self, "scale", clamped_scale(PureDP(epsilon), self.sensitivity))
        self._refuse_extremes()
        for value in self.values:
            ClampedLaplace(value, self.noise_scale, self.lower, self.upper)

    def _refuse_extremes(self) -> None:
        sizes = (self.upper - self.lower, self.sensitivity, self.noise_scale)
        truncated_epsilon(1.0, self.sensitivity, self.lower, self.upper)  # refuses bounds that are none
        if not all(NARROWEST <= size <= WIDEST for size in sizes) or max(-self.lower, self.upper) > WIDEST:
            raise ParameterError(
                f"bounds, `sensitivity` and noise must be between {NARROWEST:g} and {WIDEST:g} in size",
                remedy="measure the statistic in other units",
            )

    @property
    def budget(self) -> PureDP:
        """The epsilon that was asked for."""
        assert self.epsilon is not None  # set at construction
        return PureDP(self.epsilon)

    @property
    def noise_scale(self) -> float:
        """The scale of the unbounded noise."""
        assert self.scale is not None  # set at construction
        return self.scale


@dataclass(frozen=True)
class Way:
    """A way to release, with the scale of its noise and what it costs."""

    name: str
    scale: float
    epsilon: float


@dataclass(frozen=True)
class Outcome:
    """What one way does to one true value."""

    value: float
    way: str
    mass_at_lower: float
    mass_at_upper: float
    drawn_again: float
    """How likely a draw falls outside and is repeated; 0 where nothing is."""
    mean: float
    bias: float
    standard_deviation: float
    mse: float
    low: float
    """Below it 2.5 % of the releases lie, and above ``high`` as many."""
    high: float

    @property
    def rmse(self) -> float:
        """The root of the mean squared error."""
        return math.sqrt(self.mse)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "rmse": self.rmse}


@dataclass(frozen=True)
class Answer:
    """What each way costs, and what it does to every true value."""

    question: Question
    ways: tuple[Way, ...]
    outcomes: tuple[Outcome, ...]

    @property
    def cost_of_print(self) -> float:
        """By which factor truncation at the printed scale costs more than it says."""
        return next(way.epsilon for way in self.ways if way.name == PRINTED) / self.question.budget.epsilon

    def curve(self) -> list[dict[str, Any]]:
        """Bias and mean squared error over the true value, for every way."""
        question = self.question
        at = np.linspace(question.lower, question.upper, POINTS)
        at[-1] = question.upper
        unbounded = float(LaplaceNoise(question.noise_scale).variance)
        rows = [{"value": float(t), "way": UNBOUNDED, "bias": 0.0, "mse": unbounded} for t in at]
        for way in self.ways[1:]:
            laws = [_law(question, way, float(t)) for t in at]
            rows += [{"value": law.centre, "way": way.name, "bias": law.bias, "mse": law.mse} for law in laws]
        return rows

    def densities(self) -> list[dict[str, Any]]:
        """The density of the release between its bounds, for every true value and bounded way."""
        question = self.question
        rows = []
        for value in dict.fromkeys(question.values):
            for way in self.ways[1:]:
                law = _law(question, way, value)
                for x, height in zip(points := _points(question, law), law.density(points), strict=True):
                    rows.append({"value": value, "way": way.name, "x": float(x), "density": float(height)})
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        question = self.question
        return {
            "label": "publishable",
            "lower": question.lower,
            "upper": question.upper,
            "sensitivity": question.sensitivity,
            "epsilon": question.epsilon,
            "printed_scale_costs_times_epsilon": self.cost_of_print,
            "ways": [vars(way) for way in self.ways],
            "outcomes": [outcome.to_dict() for outcome in self.outcomes],
            "curve": self.curve(),
            "densities": self.densities(),
        }


def answer(question: Question) -> Answer:
    """The four ways side by side.

    The cost of truncation is :func:`epsilens.noise.bounded_laplace.truncated_epsilon`, which nears twice D / b where
    the sensitivity is small against the noise; that of clamping is D / b.
    """
    budget, moved, scale = question.budget, question.sensitivity, question.noise_scale
    corrected = truncated_scale(budget, moved, question.lower, question.upper)
    ways = (
        Way(UNBOUNDED, scale, budget.epsilon),
        Way(CLAMPED, scale, budget.epsilon),
        Way(PRINTED, scale, truncated_epsilon(scale, moved, question.lower, question.upper)),
        Way(CORRECTED, corrected, truncated_epsilon(corrected, moved, question.lower, question.upper)),
    )
    values = tuple(dict.fromkeys(question.values))
    return Answer(question, ways, tuple(_outcome(question, way, value) for value in values for way in ways))


def _law(question: Question, way: Way, value: float) -> TruncatedLaplace | ClampedLaplace:
    kind = ClampedLaplace if way.name == CLAMPED else TruncatedLaplace
    return kind(value, way.scale, question.lower, question.upper)


def _outcome(question: Question, way: Way, value: float) -> Outcome:
    if way.name == UNBOUNDED:
        noise = LaplaceNoise(way.scale)
        reach = way.scale * math.log(20.0)  # P(|noise| > b log 20) = 1 / 20
        variance = float(noise.variance)
        return Outcome(
            value, way.name, 0.0, 0.0, 0.0, value, 0.0, math.sqrt(variance), variance, value - reach, value + reach
        )
    law = _law(question, way, value)
    clamped = isinstance(law, ClampedLaplace)
    return Outcome(
        value=value,
        way=way.name,
        mass_at_lower=law.mass_at_lower if isinstance(law, ClampedLaplace) else 0.0,
        mass_at_upper=law.mass_at_upper if isinstance(law, ClampedLaplace) else 0.0,
        drawn_again=0.0 if clamped else 1.0 - law.probability_inside,  # type: ignore[union-attr]
        mean=law.mean,
        bias=law.bias,
        standard_deviation=math.sqrt(max(law.variance, 0.0)),
        mse=law.mse,
        low=float(law.quantile(0.025)),
        high=float(law.upper_quantile(0.025)),
    )


def _points(question: Question, law: TruncatedLaplace | ClampedLaplace) -> FloatArray:
    """Where a density is drawn: in even steps, where most of the probability is, and at its peak; inside the bounds."""
    even = np.linspace(question.lower, question.upper, POINTS)
    dense = law.quantile(np.linspace(0.005, 0.995, POINTS))
    found = np.unique(np.concatenate([even, dense, [law.centre]]))
    if isinstance(law, ClampedLaplace):  # at the bounds themselves it has probabilities
        inside = found[(found > law.lower) & (found < law.upper)]
        ends = [np.nextafter(law.lower, law.upper), np.nextafter(law.upper, law.lower)]
        found = np.unique(np.concatenate([ends, inside]))
    return found
