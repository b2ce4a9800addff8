"""Curves of risks against epsilon, and what makes one S-shaped. The deltas are those of the authors' public code.

Print says in words what can be measured. A difference is slight, or risks are alike, where they differ by .05 at most,
which is the difference that print itself calls slight (section 5.2); an end of a curve is reached within .02, a fifth
of the distance of the marks on print's axis.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.budget import ApproxDP, ProbabilisticDP, PureDP
from epsilens.noise import LaplaceNoise, Noise, calibrate
from epsilens.reproduce.claims import Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0 import tables

if TYPE_CHECKING:
    from epsilens.table.frequency import FrequencyTable

Mechanism: TypeAlias = Literal["laplace", "gaussian", "probabilistic"]
TITLES: dict[Mechanism, str] = {
    "laplace": "Laplace",
    "gaussian": "Gaussian, (epsilon, delta)-DP",
    "probabilistic": "Gaussian, (epsilon, delta)-pDP",
}
EPSILONS = as_floats(10.0 ** np.linspace(-3.0, 2.0, 101))
BELOW_ONE = as_floats(10.0 ** np.linspace(-3.0, -0.0005, 61))
"""Where the classic Gaussian mechanism has a proof."""
SLIGHT = 0.05
REACHED = 0.02
FAR = 1e6
"""Stands for an epsilon that tends to infinity; its inverse for one that tends to 0."""
AVERAGES = {False: "cells", True: "people"}
FEW = (0.001, 0.01, 0.1)
MORE = (0.00003, *FEW)
STEEPER_AGAIN = 0.05
"""Of the greatest slope: by how much a slope may rise once more that nobody would see in a picture."""
FLAT = 0.1
"""Of the greatest slope: what counts as flat at the ends of a curve."""


@dataclass(frozen=True)
class Experiment:
    """A table of print, with the measure that print applies to it."""

    name: str
    table: Callable[[Data], FrequencyTable]
    measure: str
    deltas: tuple[float, ...]
    exact: str = "local"
    """Our own measure for the same."""

    def risks(self, data: Data, noises: Sequence[Noise], weighted: bool, exact: bool = False) -> FloatArray:
        """The average risk under each noise."""
        ready = tables.ready(data, self.table(data), self.exact if exact else self.measure)
        return as_floats([ready.average(noise, weighted) for noise in noises])

    def at(self, data: Data, noise: Noise, weighted: bool, exact: bool = False) -> float:
        """The average risk under one noise."""
        return float(self.risks(data, [noise], weighted, exact)[0])


ADULT = Experiment("Adult", tables.adult, "published-local", MORE)
PAIRS = Experiment("Adult, pairs", tables.pairs, "published-local", MORE)
BANKRUPTCY = Experiment("Bankruptcy", tables.bankruptcy, "published-local", FEW)
SUBSET = Experiment("Bankruptcy subset, local", tables.subset, "published-local", FEW)
SUBSET_EXPECTED = Experiment("Bankruptcy subset, expected", tables.subset, "published-expected", FEW, "expected")
DESCRIBED = (ADULT, BANKRUPTCY, SUBSET, SUBSET_EXPECTED)
"""The experiments as print describes them."""
AS_PRINTED = (PAIRS, BANKRUPTCY, SUBSET, SUBSET_EXPECTED)
"""The experiments as print computed them."""


@dataclass(frozen=True)
class Curve:
    """Average risks against epsilon."""

    epsilons: FloatArray
    risks: FloatArray

    @property
    def slopes(self) -> FloatArray:
        """Per unit of log epsilon, between neighbouring points."""
        return as_floats(np.diff(self.risks) / np.diff(np.log(self.epsilons)))

    @property
    def steepest(self) -> float:
        """The epsilon at which the curve rises most."""
        k = int(np.argmax(self.slopes))
        return float(np.sqrt(self.epsilons[k] * self.epsilons[k + 1]))

    def at(self, epsilon: float) -> float:
        """The risk at the nearest epsilon."""
        return float(self.risks[np.argmin(np.abs(np.log(self.epsilons / epsilon)))])


def noise_of(mechanism: Mechanism, epsilon: float, delta: float | None = None) -> Noise:
    """What a mechanism adds to each count."""
    if mechanism == "laplace":
        return calibrate("laplace", PureDP(epsilon))
    assert delta is not None
    return calibrate("gaussian", (ApproxDP if mechanism == "gaussian" else ProbabilisticDP)(epsilon, delta))


def deltas_of(experiment: Experiment, mechanism: Mechanism) -> tuple[float | None, ...]:
    """The deltas that print draws."""
    return (None,) if mechanism == "laplace" else experiment.deltas


def curve(
    data: Data,
    experiment: Experiment,
    mechanism: Mechanism,
    delta: float | None,
    weighted: bool,
    exact: bool = False,
) -> Curve:
    """The curve of an experiment, computed once."""

    def found() -> Curve:
        epsilons = BELOW_ONE if mechanism == "gaussian" else EPSILONS
        noises = [noise_of(mechanism, float(epsilon), delta) for epsilon in epsilons]
        return Curve(epsilons, experiment.risks(data, noises, weighted, exact))

    return data.once(("curve", experiment, mechanism, delta, weighted, exact), found)


def curves(data: Data, experiment: Experiment, mechanism: Mechanism, weighted: bool) -> dict[float | None, Curve]:
    """One curve for each delta."""
    return {delta: curve(data, experiment, mechanism, delta, weighted) for delta in deltas_of(experiment, mechanism)}


def all_curves(
    data: Data, experiments: Sequence[Experiment], mechanisms: Sequence[Mechanism]
) -> list[tuple[str, Curve]]:
    """Every curve of some experiments and mechanisms, with what it is of."""
    return [
        (
            f"{experiment.name}, over {AVERAGES[weighted]}, {TITLES[mechanism]}"
            + ("" if delta is None else f", delta = {delta:g}"),
            found,
        )
        for experiment in experiments
        for weighted in AVERAGES
        for mechanism in mechanisms
        for delta, found in curves(data, experiment, mechanism, weighted).items()
    ]


def worst_of(found: Sequence[tuple[str, Curve]], how: Callable[[Curve], float]) -> tuple[float, str]:
    """The largest of a number of each curve, and whose it is."""
    values = [how(each) for _, each in found]
    k = int(np.argmax(values))
    return values[k], found[k][0]


def limit(experiment: Experiment, weighted: bool, small: bool, exact: bool, data: Data) -> float:
    """The average risk as epsilon tends to 0 (``small``) or to infinity."""
    return experiment.at(data, LaplaceNoise(FAR if small else 1.0 / FAR), weighted, exact)


def s_shaped(found: Curve) -> Finding:
    """Whether a curve never falls, is flat at both ends, and becomes steeper once and flatter once in between."""
    slopes, top = found.slopes, float(found.slopes.max())
    if float(slopes.min()) < -1e-9:
        return Finding(False, falls(found))
    if top < 1e-9:
        return Finding(False, f"it does not rise but stays at {found.risks[0]:.4f}")
    if max(slopes[0], slopes[-1]) > FLAT * top:
        end = found.epsilons[0] if slopes[0] > slopes[-1] else found.epsilons[-1]
        return Finding(False, f"it still rises at epsilon = {end:.3g}, where it ends")
    peak = int(np.argmax(slopes))
    again = max(_recovery(slopes[: peak + 1][::-1]), _recovery(slopes[peak:]))
    if again > STEEPER_AGAIN * top:
        return Finding(False, f"it becomes steeper twice: the second time by {again / top:.0%} of its greatest slope")
    return Finding(
        True,
        f"from {found.risks[0]:.3f} to {found.risks[-1]:.3f}, most steeply at epsilon = {found.steepest:.2g}",
    )


def falls(found: Curve) -> str:
    """Between which two points a curve falls most."""
    depth = np.maximum.accumulate(found.risks) - found.risks
    low = int(np.argmax(depth))
    before = int(np.argmax(found.risks[: low + 1]))
    return (
        f"it falls from {found.risks[before]:.4f} (epsilon = {found.epsilons[before]:.3g}) to {found.risks[low]:.4f} "
        f"({found.epsilons[low]:.3g}), and ends at {found.risks[-1]:.4f}"
    )


def _recovery(slopes: FloatArray) -> float:
    """By how much slopes that should fall rise again."""
    return float((slopes - np.minimum.accumulate(slopes)).max())
