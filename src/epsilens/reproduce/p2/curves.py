"""Errors and alphas of the traditional systems and of their DP versions: the curves of Figures 2, 3 and 6 to 9.

Print does not list the values on its axes; these thresholds and shares are ours.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.discrepancy import DiscrepancySwapping
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import Swapping
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import System, fairness, several_releases
from epsilens.reproduce.data import Data
from epsilens.reproduce.p2.extracts import Extract, histogram, race_column
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.section_3 import EPSILONS

THRESHOLDS = tuple(range(2, 21, 2))
SIZES = (2, 4, 6, 10, 20)
SHARES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.75, 1.0)
RELEASES = {"nearest": 10, "discrepancy": 100, "k-anonymity": 40}
"""Of what has no closed form."""
_SEED = 4


@dataclass(frozen=True)
class Deviation:
    """The expected l1 error of a release, and the spread of mean errors over cells."""

    error: float
    alpha: float


def suppressed(data: Data, extract: Extract, k: int, epsilon: float | None) -> Deviation:
    """Of suppression: by Algorithm 1 where there is no epsilon, else by Eq. (2)."""
    table = histogram(data, extract)
    if epsilon is None:
        bias = Suppression(k).moments(table).bias
        return Deviation(float(np.abs(bias).sum()), fairness(bias))
    system = DPSuppression(k, epsilon)
    return Deviation(float(system.absolute_errors(table).sum()), fairness(system.bias(table)))


def swapped(data: Data, extract: Extract, share: float, by: str = "nearest") -> Deviation:
    """Of races swapped with the nearest row (Algorithm 3, people), or by discrepancy (section 3, whole cells)."""
    race = (race_column(data, extract),)
    system: System = Swapping(share, race) if by == "nearest" else DiscrepancySwapping(share, race, unit="cells")
    key = ("P2", extract.name, "swapped", by, share)
    return data.once(key, lambda: simulated(histogram(data, extract), system, RELEASES[by]))


def dp_swapped(data: Data, extract: Extract, epsilon: float) -> Deviation:
    """Of DP swapping by Eq. (4), exactly."""
    table, system = histogram(data, extract), DPSwapping(epsilon, LEVELS, (race_column(data, extract),))
    errors = system.absolute_errors(table)
    return Deviation(math.nan if errors is None else float(errors.sum()), fairness(system.bias(table)))


def share_moved(epsilon: float) -> float:
    """The share of rows that DP swapping moves."""
    return 1.0 - published.keep_probability(epsilon, LEVELS)


def anonymous(data: Data, extract: Extract, k: int, epsilon: float | None) -> Deviation:
    """Of k-anonymity, or of a sample of it, against the table."""
    system: System = KAnonymity(k) if epsilon is None else DPKAnonymity(k, epsilon)
    key = ("P2", extract.name, "anonymous", k, epsilon)
    return data.once(key, lambda: simulated(histogram(data, extract), system, RELEASES["k-anonymity"]))


def sampled(data: Data, extract: Extract, k: int, epsilon: float) -> Deviation:
    """Of DP k-anonymity against who was sampled."""

    def find() -> Deviation:
        table, rng = histogram(data, extract), np.random.default_rng(_SEED)
        counts, system = np.asarray(table.counts, dtype=np.int64), KAnonymity(k)
        beta = DPKAnonymity(k, epsilon).beta

        def errors() -> Iterator[FloatArray]:
            for _ in range(RELEASES["k-anonymity"]):
                sample = rng.binomial(counts, beta)
                enough = sample.sum() >= k
                released = as_floats(system.release(table.released(sample), rng).counts) if enough else 0.0 * counts
                yield as_floats(released - sample)

        return _deviation(errors)

    return data.once(("P2", extract.name, "against the sample", k, epsilon), find)


def simulated(table: Histogram, system: System, releases: int) -> Deviation:
    """Of a system whose law is not known."""
    truth = as_floats(table.counts)

    def errors() -> Iterator[FloatArray]:
        for released in several_releases(system, table, np.random.default_rng(_SEED), releases):
            yield released - truth

    return _deviation(errors)


def _deviation(errors: Callable[[], Iterator[FloatArray]]) -> Deviation:
    total, mean, number = 0.0, np.zeros(1), 0
    for error in errors():
        total, mean, number = total + float(np.abs(error).sum()), mean + error, number + 1
    return Deviation(total / number, fairness(mean / number))


def epsilon_name(epsilon: float | None) -> str:
    """What a curve is called."""
    return "traditional" if epsilon is None else f"DP, epsilon = {epsilon:g}"


BUDGETS: tuple[float | None, ...] = (None, *EPSILONS)
