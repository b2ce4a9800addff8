"""The noise that the adversary faces: how wide one draw is, and what a sum of draws is like."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.checks import one_of, whole
from epsilens.choice.questions.posterior.budgets import at_least_one
from epsilens.errors import ParameterError
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.published import NEGLIGIBLE
from epsilens.noise.sums import noise_of_sum, sum_approximation_error
from epsilens.posterior.noises import one_noise

CHARTS = ("variance", "sum")
MOST_TERMS = 10_000
_MOST_VALUES = 200_000
_DRAWN = 4.0  # standard deviations of a sum, on either side
_MOST_DRAWN = 100  # values of a sum, on either side
_SCALES = (0.05, 50.0, 121)  # of the curve of variances: as far as the law is seen to be discrete, and further


@dataclass(frozen=True)
class Question:
    """Discrete Gaussian noise of each budget, one draw and sums of so many ``terms``."""

    rho: tuple[float, ...] = (0.099, 1.0)
    terms: tuple[int, ...] = (5, 27)

    def __post_init__(self) -> None:
        at_least_one("rho", self.rho)
        at_least_one("terms", self.terms)
        for budget in self.rho:
            one_noise(budget, None)
        object.__setattr__(self, "terms", tuple(whole("terms", terms, 1) for terms in self.terms))
        for terms in self.terms:
            if terms > MOST_TERMS:
                raise ParameterError(f"must be at most {MOST_TERMS:,}", parameter="terms", got=terms)


@dataclass(frozen=True)
class OneDraw:
    """How wide noise is: ``scale`` is s = 1 / (2 rho) = sigma^2, which the variance falls short of."""

    rho: float
    scale: float
    sigma: float
    variance: float


@dataclass(frozen=True, eq=False)
class SumOfDraws:
    """The exact law of a sum beside the discrete Gaussian DG(0, d / (2 rho)) that stands for it in print.

    ``distance`` is their total variation distance; ``values``, ``exact`` and ``approximate`` are the two laws where
    they are not negligible.
    """

    rho: float
    terms: int
    distance: float
    variance: float
    approximate_variance: float
    values: FloatArray
    exact: FloatArray
    approximate: FloatArray

    @property
    def largest_difference(self) -> float:
        """Of the two probabilities of one value."""
        return float(np.abs(self.exact - self.approximate).max())

    def drawn(self) -> SumOfDraws:
        """The same about the middle, for a chart."""
        reach = min(_MOST_DRAWN, max(1, math.ceil(_DRAWN * math.sqrt(self.approximate_variance))))
        shown = np.abs(self.values) <= reach
        laws = (self.values[shown], self.exact[shown], self.approximate[shown])
        return SumOfDraws(self.rho, self.terms, self.distance, self.variance, self.approximate_variance, *laws)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; the laws about their middle."""
        shown = self.drawn()
        return {
            "rho": self.rho,
            "terms": self.terms,
            "distance": self.distance,
            "largest_difference": self.largest_difference,
            "variance": self.variance,
            "approximate_variance": self.approximate_variance,
            "values": shown.values.tolist(),
            "exact": shown.exact.tolist(),
            "approximate": shown.approximate.tolist(),
        }


@dataclass(frozen=True, eq=False)
class Answer:
    """Variances of one draw, and sums of several, by budget."""

    question: Question
    draws: tuple[OneDraw, ...]
    sums: tuple[SumOfDraws, ...]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "label": "publishable",
            "draws": [asdict(draw) for draw in self.draws],
            "sums": [total.to_dict() for total in self.sums],
        }


def variance_curve() -> list[OneDraw]:
    """The variance against s, log-spaced, for a chart.

    sum over k of k^2 P(k), P(k) proportional to exp(-k^2 / (2 s)).

    Source: P4 Figure 8.
    """
    return [_one_draw(0.5 / float(scale)) for scale in np.geomspace(*_SCALES)]


def answer(question: Question) -> Answer:
    """The variances and the sums, the number of terms running fastest."""
    sums = tuple(_sum(rho, terms) for rho in question.rho for terms in question.terms)
    return Answer(question, tuple(_one_draw(rho) for rho in question.rho), sums)


def checked_charts(names: tuple[str, ...]) -> tuple[str, ...]:
    """What to draw."""
    return tuple(dict.fromkeys(one_of("chart", name, CHARTS) for name in names))


def _one_draw(rho: float) -> OneDraw:
    law = one_noise(rho, None)
    assert isinstance(law, DiscreteGaussianNoise)
    return OneDraw(rho, 0.5 / rho, law.sigma, law.variance)


def _sum(rho: float, terms: int) -> SumOfDraws:
    law = one_noise(rho, None)
    exact, rough = noise_of_sum(law, terms), noise_of_sum(law, terms, "approximate")
    reach = max(exact.reach(NEGLIGIBLE), rough.reach(NEGLIGIBLE))
    if reach > _MOST_VALUES:
        raise ParameterError(
            f"a sum of {terms:,} draws at rho {rho:g} takes {2 * reach + 1:,} values, more than are listed",
            remedy="take a larger `rho`, or fewer `terms`",
        )
    values = np.arange(-reach, reach + 1.0)
    single = law.approximate_sum(terms)
    assert single is not None
    return SumOfDraws(
        rho,
        terms,
        sum_approximation_error(law, terms),
        terms * law.variance,
        single.variance,
        values,
        np.exp(exact.logpmf(values)),
        np.exp(rough.logpmf(values)),
    )
