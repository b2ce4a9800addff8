"""A risk that can be dialled: one parameter of a mechanism in, the risk of a table out.

The parameter is epsilon (with delta fixed, where the mechanism has one) or rho. The attack is any homogeneity measure,
or the Bayesian adversary who knows everybody but the target and sees the target's noisy count.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from epsilens.budget import ZCDP, Budget, count_sensitivity
from epsilens.choice.aggregates import AnyAggregate
from epsilens.errors import ParameterError, one_of, probability
from epsilens.homogeneity.measures import MEASURES, prepare
from epsilens.noise import MECHANISMS, LaplaceNoise, Noise, calibrate
from epsilens.noise.law import FloatArray
from epsilens.table.frequency import FrequencyTable, IntArray

Parameter: TypeAlias = Literal["epsilon", "rho"]
PARAMETERS: tuple[Parameter, ...] = ("epsilon", "rho")
POSTERIOR_MEASURES = ("posterior", "posterior-ratio", "posterior-decision")
"""The Bayesian adversary's expected posterior, that over the prior, and the probability of a right decision."""
ALL_MEASURES = (*MEASURES, *POSTERIOR_MEASURES)

_ONE_RISK = ("marginal-shrinkage", "published-marginal-shrinkage", *POSTERIOR_MEASURES)
_SUMMED_OVER_COUNTS = ("hard", "soft", *POSTERIOR_MEASURES)
# Measures that are probabilities of what a cell shows, label by label: their slope has a bound.
_OF_WHAT_IS_SHOWN = ("local", "expected", "shrinkage", "marginal", "marginal-shrinkage")

UNPROTECTED = LaplaceNoise(1e-4)
"""Noise that rounding removes: its probability of reaching 1/2, e^-5000 / 2, is 0 to a double."""
DROWNED = LaplaceNoise(1e100)
"""Noise in which every count drowns: the limit of no budget at all."""

STEEPEST_LABEL = {
    "laplace": 0.185,
    "discrete-laplace": 0.2245,
    "gaussian": 0.2425,
    "gaussian-probabilistic": 0.2425,
    "gaussian-analytic": 0.2425,
    "discrete-gaussian": 0.345,
}
"""The most that P(a label is shown) changes per unit of the log of the noise's scale.

Laplace: max of u e^-u / 2 = 1 / (2 e). Gaussian: max of u phi(u) = phi(1). The discrete laws: at one person away, max
of x / (4 cosh^2(x / 2)) with x = 1 / scale, and max of 2 u e^-u / (1 + 2 e^-u)^2 with u = 1 / (2 sigma^2). The log of
the scale never moves more than the log of epsilon, and half as much as that of rho.
"""


@dataclass(frozen=True, eq=False)
class RiskDial:
    """The risk of a table as a function of one parameter of the noise."""

    table: FrequencyTable
    mechanism: str
    parameter: Parameter
    delta: float | None
    neighbours: str
    measure: str
    aggregate: AnyAggregate
    kind_risks: Callable[[Noise], FloatArray]
    """One risk per kind of cell."""
    people: IntArray
    """People in each kind of cell."""
    cells: IntArray
    """Non-empty cells of each kind."""
    slope: float | None
    """A bound on |d risk / d log parameter|, where one is known."""
    limits: tuple[float, float]
    """The risk as the parameter tends to 0, and the risk of the table without noise."""

    def budget(self, value: float) -> Budget:
        """The budget at ``value`` of the parameter."""
        if self.parameter == "rho":
            return ZCDP(value)
        return MECHANISMS[self.mechanism].budget(value, self.delta)

    def noise(self, value: float) -> Noise:
        """The noise at ``value`` of the parameter."""
        return calibrate(
            self.mechanism, self.budget(value), self.neighbours, rows_per_unit=self.table.max_rows_per_unit
        )

    def risk(self, value: float) -> float:
        """The aggregate risk at ``value`` of the parameter."""
        return self.of_noise(self.noise(value))

    def of_noise(self, noise: Noise) -> float:
        """The aggregate risk under ``noise``."""
        return self.aggregate.value(self.kind_risks(noise), self.people, self.cells)

    def people_above(self, noise: Noise, threshold: float) -> int:
        """How many people are at a risk above ``threshold``."""
        return int(self.people[self.kind_risks(noise) > threshold].sum())

    @property
    def highest_valid(self) -> float:
        """The parameter must stay below this: the proof of a mechanism may hold for small epsilon only."""
        return MECHANISMS[self.mechanism].below if self.parameter == "epsilon" else math.inf

    def default_range(self) -> tuple[float, float]:
        """From where the largest cell drowns in noise to where rounding removes the noise."""
        moved = count_sensitivity(self.neighbours, MECHANISMS[self.mechanism].norm, self.table.max_rows_per_unit)
        largest = 1 if self.measure in POSTERIOR_MEASURES else max(int(self.table.signatures()[0].max()), 1)
        low = moved * min(1e-3, 0.02 / largest)  # the adversary above looks at one person, whatever the cell
        high = 100.0 * moved
        if self.parameter == "rho":
            low, high = 0.5 * low**2, 0.5 * high**2
        return low, min(high, self.highest_valid * (1.0 - 1e-9))


def risk_dial(
    table: FrequencyTable,
    mechanism: str,
    aggregate: AnyAggregate,
    measure: str = "local",
    delta: float | None = None,
    neighbours: str = "add-remove",
    parameter: Parameter = "epsilon",
    prior: float = 0.5,
    **options: Any,
) -> RiskDial:
    """The dial of one table, mechanism and measure; ``options`` go to the measure.

    The slope bound: a risk is the probability of an event about which labels are shown, each independently with
    probability a_j, so |d risk| <= sum of |d a_j|; per label that is :data:`STEEPEST_LABEL` at most, and averages and
    order statistics of such risks are no steeper.
    """
    one_of("mechanism", mechanism, MECHANISMS)
    one_of("measure", measure, ALL_MEASURES)
    one_of("parameter", parameter, PARAMETERS)
    if aggregate.needs_cells and measure in _ONE_RISK:
        raise ParameterError(
            f"measure {measure!r} gives one risk for the whole table, so it has no aggregate {aggregate.name!r}; "
            "use aggregate='mean', or a measure with one risk per cell such as 'local'"
        )
    if parameter == "rho" and ZCDP not in MECHANISMS[mechanism].rules:
        raise ParameterError(f"mechanism {mechanism!r} has no rho; use parameter='epsilon', or 'discrete-gaussian'")
    if parameter == "epsilon":
        MECHANISMS[mechanism].budget(0.5, delta)  # a missing delta must be refused before the long computation
    if measure in POSTERIOR_MEASURES:
        if options:
            raise ParameterError(f"measure {measure!r} takes prior and no other option, got {', '.join(options)}")
        risks, people, cells = _posterior(table, measure, probability("prior", prior))
    else:
        ready = prepare(measure, table, **options)
        sizes = np.maximum(ready.vectors, 0).sum(axis=1)
        risks, people, cells = ready.risks, sizes * ready.multiplicities, ready.multiplicities * (sizes > 0)
    slope = STEEPEST_LABEL[mechanism] * table.n_labels if measure in _OF_WHAT_IS_SHOWN else None
    if slope is not None and parameter == "rho":
        slope *= 0.5
    dial = RiskDial(
        table,
        mechanism,
        parameter,
        delta,
        neighbours,
        measure,
        aggregate,
        risks,
        people,
        cells,
        slope,
        (math.nan, math.nan),
    )
    object.__setattr__(dial, "limits", _limits(dial, prior))
    return dial


def _posterior(
    table: FrequencyTable, measure: str, prior: float
) -> tuple[Callable[[Noise], FloatArray], IntArray, IntArray]:
    """The adversary who knows everybody but the target: everybody is at the same risk, whatever their cell."""
    from epsilens.posterior.single import expected_single_level

    field = {"posterior": "posterior", "posterior-ratio": "risk_ratio", "posterior-decision": "correct_decision"}

    def risks(noise: Noise) -> FloatArray:
        return np.array([float(getattr(expected_single_level(noise=noise, prior=prior), field[measure]))])

    return risks, np.array([table.n_records]), np.array([table.n_cells])


def _limits(dial: RiskDial, prior: float) -> tuple[float, float]:
    """The risks at both ends of the dial.

    With a fixed delta some Gaussian calibrations reach a finite scale as epsilon tends to 0, and that is their limit.
    """
    if dial.measure in POSTERIOR_MEASURES:
        # without information the adversary keeps the prior, and says "there" only if that is above an even chance
        start = {"posterior": prior, "posterior-ratio": 1.0, "posterior-decision": float(prior > 0.5)}[dial.measure]
        return start, 1.0 / prior if dial.measure == "posterior-ratio" else 1.0
    unprotected = dial.of_noise(UNPROTECTED)
    tiny, tinier = (math.sqrt(dial.noise(epsilon).variance) for epsilon in (1e-7, 1e-8))
    if tinier < 1.001 * tiny:
        return dial.risk(1e-8), unprotected
    if dial.measure in _SUMMED_OVER_COUNTS:  # no limit in closed form: a scale far beyond the largest cell
        return dial.risk(dial.default_range()[0]), unprotected
    return dial.of_noise(DROWNED), unprotected
