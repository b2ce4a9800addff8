"""A risk that disclosure avoidance systems are held to, and the largest epsilon at which each of them keeps it.

Risk need not rise with epsilon (P0-9), so epsilons are scanned from below (``safe_set``), and the upper end of the
lowest safe stretch is taken; a root finder on the whole range could miss it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.avoidance.catalogue import SYSTEMS, Settings, build
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System, several_releases
from epsilens.budget import log_grid
from epsilens.checks import finite, probability
from epsilens.choice.choose.safe_set import end_of_lowest_stretch
from epsilens.choice.system_risks import (
    homogeneity_of_release,
    homogeneity_risk,
    posterior_risk,
    refuse_unknown_risk,
)
from epsilens.errors import ParameterError

SCANNED = (0.01, 50.0, 38)
"""Epsilons that are scanned: from, to, how many."""
SIMULATED_RELEASES = 20


@dataclass(frozen=True)
class RiskCeiling:
    """A risk that every system must keep below: ``homogeneity`` or ``posterior``, with the adversary's ``prior``."""

    kind: str
    ceiling: float
    prior: float = 0.5

    def __post_init__(self) -> None:
        refuse_unknown_risk(self.kind)
        probability("the risk ceiling", self.ceiling)
        probability("prior", self.prior)

    @staticmethod
    def parse(text: str, prior: float = 0.5) -> RiskCeiling:
        """From ``homogeneity=0.1``."""
        kind, separator, value = text.partition("=")
        if not separator:
            raise ParameterError(f"must be KIND=RISK, such as homogeneity=0.1; got {text!r}", parameter="equal_risk")
        return RiskCeiling(kind.strip(), finite("the risk ceiling", value), prior)

    @property
    def name(self) -> str:
        """``homogeneity risk <= 0.1``."""
        return f"{self.kind} risk <= {self.ceiling:g}"

    def risk(self, system: System, histogram: Histogram, seed: int) -> float:
        """The risk of a system; simulated, always with the same random numbers, where there is no exact one."""
        if self.kind == "posterior":
            return posterior_risk(system, histogram, self.prior)
        exact = homogeneity_risk(system, histogram)
        if exact is not None:
            return exact
        rng = np.random.default_rng(seed)
        releases = several_releases(system, histogram, rng, SIMULATED_RELEASES)
        return float(np.mean([homogeneity_of_release(system, histogram, released) for released in releases]))

    def is_exact(self, system: System, histogram: Histogram) -> bool:
        """Whether the risk is computed and not simulated."""
        return self.kind == "posterior" or system.shown_probabilities(histogram) is not None


def largest_safe_epsilon(
    name: str, settings: Settings, histogram: Histogram, ceiling: RiskCeiling, seed: int = 2026
) -> float | None:
    """The upper end of the lowest stretch of epsilons at which the system keeps the risk; None where none does.

    For a system without epsilon: infinity if it keeps the risk as it is, else None.
    """

    def risk(epsilon: float) -> float:
        return ceiling.risk(build(name, epsilon, settings), histogram, seed)

    if not SYSTEMS[name].budgeted:
        return float("inf") if risk(1.0) <= ceiling.ceiling else None
    exact = ceiling.is_exact(build(name, 1.0, settings), histogram)
    return end_of_lowest_stretch(risk, ceiling.ceiling, log_grid(*SCANNED), exact)
