"""A risk that can be dialled: one parameter of a mechanism in, the risk of a table or of a hierarchy out.

The parameter is epsilon (with delta fixed, where the mechanism has one) or rho. The attack is any homogeneity measure,
or the Bayesian adversary who knows everybody but the target: in a table who sees the target's noisy count
(``of_table``), in a hierarchy of groups who sees those of the groups above as well (``of_hierarchy``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.budget import ZCDP, Budget, count_sensitivity
from epsilens.choice.aggregates import AnyAggregate
from epsilens.choice.choose.asked import Asked, Parameter
from epsilens.choice.choose.steepness import Steepness
from epsilens.errors import ParameterError
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.noise import MECHANISMS, LaplaceNoise, Noise, calibrate
from epsilens.notebook import one_line
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations

UNPROTECTED = LaplaceNoise(1e-4)
"""Noise that rounding removes: its probability of reaching 1/2, e^-5000 / 2, is 0 to a double."""
_NEXT_TO_NONE = 1e-6  # of delta: an epsilon that adds nothing to it but the last digits
_DROWNS_ALL = 1e-60  # a delta whose own noise drowns every count there is


@dataclass(frozen=True, eq=False, kw_only=True)
class RiskDial:
    """The risk of a table or a hierarchy as a function of one parameter of the noise."""

    data: FrequencyTable | Situations
    asked: Asked
    kind_risks: Callable[[tuple[Noise, ...]], FloatArray]
    """One risk per kind of cell, from the noise of a published count at every level (of a table: at its only one)."""
    people: IntArray
    """People in each kind of cell."""
    cells: IntArray
    """Non-empty cells of each kind."""
    slope: float | None
    """A bound on |d risk / d log parameter|, where one is known."""
    limits: tuple[float, float]
    """The risk as the parameter tends to 0, and the risk without noise."""
    largest_count: int = 1
    """The count that noise must drown before nothing is left to see."""
    shares: tuple[float, ...] = (1.0,)
    """Which share of the budget each level gets, lowest level first; of a table published as several, each of these.
    They need not add up to 1 where the budget is that of each table."""
    attack: str | None = None
    """What the adversary looks at in a hierarchy; None in a table."""
    greatest: float = 1.0
    """No risk is larger than this: a probability is at most 1, a harm as much as the most harmful value counts."""
    too_wide: Callable[[tuple[Noise, ...], float], bool] | None = None
    """Whether this noise makes sums too long, or this many times too long; None where no noise does."""
    prepared: PreparedMeasure | None = None
    """The homogeneity measure made ready, with the laws that it rests on; None for the Bayesian adversary."""
    steepness: Steepness | None = None
    """Closer bounds on the average risk, per unit of the log of the noise's size, where they are known."""
    _seen: dict[float, float] = field(default_factory=dict, init=False, repr=False)
    _calibrated: dict[float, tuple[Noise, ...]] = field(default_factory=dict, init=False, repr=False)

    def __repr__(self) -> str:
        return one_line(self, f"{self.measure} risk", self.mechanism, f"{self.aggregate.name} by {self.parameter}")

    @property
    def mechanism(self) -> str:
        """The mechanism, by name."""
        return self.asked.mechanism

    @property
    def parameter(self) -> Parameter:
        """What is dialled: epsilon or rho."""
        return self.asked.parameter

    @property
    def delta(self) -> float | None:
        """The delta that stays fixed, where the mechanism has one."""
        return self.asked.delta

    @property
    def neighbours(self) -> str:
        """What the budget protects."""
        return self.asked.neighbours

    @property
    def measure(self) -> str:
        """The measure, by name."""
        return self.asked.measure

    @property
    def aggregate(self) -> AnyAggregate:
        """How the risks of cells become one number."""
        return self.asked.aggregate

    @property
    def attributes(self) -> str | None:
        """How the risks of several sensitive attributes of a table become one."""
        return self.asked.attributes if self.attack is None else None

    @property
    def publish(self) -> str | None:
        """How several sensitive attributes of a table are published; None where there is one, or a hierarchy."""
        return self.asked.publish if self.attack is None and len(self.table.sensitive) > 1 else None

    def at_delta(self, delta: float) -> RiskDial:
        """The same dial with another delta."""
        return replace(self, asked=replace(self.asked, delta=delta))

    @property
    def table(self) -> FrequencyTable:
        """The table, for what is only known of tables."""
        if isinstance(self.data, Situations):
            raise ParameterError("a hierarchy is not a table of counts; this is known of tables only")
        return self.data

    @property
    def n_people(self) -> int:
        """Everybody whose risk counts."""
        return int(self.people.sum())

    @property
    def n_cells(self) -> int:
        """The cells of the table; of a hierarchy those with people whose risk counts."""
        return int(self.cells.sum()) if isinstance(self.data, Situations) else self.data.n_cells

    def budget(self, value: float) -> Budget:
        """The budget at ``value`` of the parameter, over all levels."""
        if self.parameter == "rho":
            return ZCDP(value)
        return MECHANISMS[self.mechanism].budget(value, self.delta)

    def noises(self, value: float) -> tuple[Noise, ...]:
        """The noise of a published count at every level, lowest first, or in every table.

        At infinity it is noise that rounding removes.

        A level that gets the share s of the budget has the noise of a sensitivity that is s^-1 times as large for laws
        in l1 (epsilons add up), s^-1/2 times for those in l2: sensitivities add up in squares, as rho does.
        """
        if value not in self._calibrated:
            self._calibrated[value] = self._noises(value)
        return self._calibrated[value]

    def _noises(self, value: float) -> tuple[Noise, ...]:
        if math.isinf(value):
            return (UNPROTECTED,) * len(self.shares)
        norm = MECHANISMS[self.mechanism].norm
        rows = 1 if isinstance(self.data, Situations) else self.data.max_rows_per_unit
        moved, budget = count_sensitivity(self.neighbours, norm, rows), self.budget(value)
        by_share = {
            share: calibrate(self.mechanism, budget, sensitivity=moved / share ** (1.0 / norm))
            for share in set(self.shares)
        }
        return tuple(by_share[share] for share in self.shares)

    def noises_of_delta(self) -> tuple[Noise, ...] | None:
        """The noises as epsilon tends to 0, where a fixed delta alone allows for some; None where they grow for ever.

        (0, delta)-DP is total variation: Gaussian noise of sigma = 0.4 / delta has it, so a calibration that is exact
        tends to a finite scale, and counts far above it never drown. It is seen only where epsilon is far below delta,
        however small that is: an epsilon of a millionth of it changes the scale by less than that.
        """
        if self.delta is None or self.delta < _DROWNS_ALL:
            return None
        near, nearer = (self.noises(factor * self.delta) for factor in (10.0 * _NEXT_TO_NONE, _NEXT_TO_NONE))
        return nearer if nearer[0].size < 1.001 * near[0].size else None

    def noise(self, value: float) -> Noise:
        """The noise of a published count, of the lowest level where there are several."""
        return self.noises(value)[0]

    def risk(self, value: float) -> float:
        """The aggregate risk at ``value`` of the parameter; computed once, whoever asks."""
        if value not in self._seen:
            self._seen[value] = self.of_noise(*self.noises(value))
        return self._seen[value]

    def risks(self, values: Sequence[float]) -> FloatArray:
        """:meth:`risk` at several values, of which those that are not known yet are computed together."""
        new = [value for value in dict.fromkeys(values) if value not in self._seen]
        for value, found in zip(new, self.of_noises([self.noises(value) for value in new]), strict=True):
            self._seen[value] = found
        return as_floats([self._seen[value] for value in values])

    def of_noises(self, noises: Sequence[tuple[Noise, ...]]) -> Iterator[float]:
        """:meth:`of_noise` for several noises."""
        return (self.of_noise(*each) for each in noises)

    def place(self, value: float) -> float:
        """Where a value lies on the axis of :attr:`steepness`: minus the log of the noise's size."""
        return -math.log(self.noises(value)[0].size)

    def of_noise(self, *noises: Noise) -> float:
        """The aggregate risk under these noises, one per level."""
        return self.aggregate.value(self.kind_risks(noises), self.people, self.cells)

    def people_above(self, value: float, threshold: float) -> int:
        """How many people are at a risk above ``threshold`` at ``value`` of the parameter."""
        return int(self.people[self.kind_risks(self.noises(value)) > threshold].sum())

    @property
    def highest_valid(self) -> float:
        """The parameter must stay below this: the proof of a mechanism may hold for small epsilon only."""
        return MECHANISMS[self.mechanism].below if self.parameter == "epsilon" else math.inf

    def default_range(self) -> tuple[float, float]:
        """From where the largest count drowns in noise, or sums get too long, to where rounding removes the noise."""
        moved = count_sensitivity(
            self.neighbours,
            MECHANISMS[self.mechanism].norm,
            1 if isinstance(self.data, Situations) else self.data.max_rows_per_unit,
        )
        if self.attack is None:  # the budget of several tables together has to be larger to remove their noise
            moved /= min(self.shares) ** (1.0 / MECHANISMS[self.mechanism].norm)
        low, high = moved * min(1e-3, 0.02 / self.largest_count), 100.0 * moved
        if self.parameter == "rho":
            low, high = 0.5 * low**2, 0.5 * high**2
        if self.too_wide is not None:
            low, high = self._summable(low, 1.0), self._noiseless(low)
        return low, min(high, self.highest_valid * (1.0 - 1e-9))

    def lowest_possible(self, lowest: float) -> float:
        """How far below ``lowest`` a scan may go: as far as sums allow, but six orders of magnitude at most."""
        return min(lowest, self._summable(1e-6 * lowest, 3.0))

    def _summable(self, value: float, factor: float) -> float:
        """``value``, or the least larger one (up to some per cent) whose noise is not too large for exact sums."""
        if self.too_wide is None:
            return value
        while 2.0 * value < self.highest_valid and self.too_wide(self.noises(2.0 * value), factor):
            value *= 2.0
        while self.too_wide(self.noises(value), factor):
            value *= 1.1
            if value >= self.highest_valid:
                raise ParameterError(
                    f"mechanism {self.mechanism!r} needs more noise here, at every budget, than can be summed exactly; "
                    "take fewer levels or another mechanism"
                )
        return value

    def _noiseless(self, value: float) -> float:
        """A value, some per cent too large, at which no level's noise moves a count, but for a chance of 1e-17."""
        while value < self.highest_valid and max(noise.reach(1e-17) for noise in self.noises(value)) > 0:
            value *= 1.25
        return value
