"""Section 4.2: Theorem 3 and Corollary 4, the risks under Gaussian noise."""

from __future__ import annotations

import itertools
import math
from functools import partial

from epsilens.budget import ApproxDP, ProbabilisticDP
from epsilens.homogeneity.local import scenario_probabilities
from epsilens.noise import GaussianNoise
from epsilens.noise.calibration import classic_gaussian_sigma, probabilistic_gaussian_sigma
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import ONE_APART, Case, cells_with_noise
from epsilens.reproduce.p0.enumeration import Cell, risk
from epsilens.reproduce.p0.homogeneous import corollary, ranges
from epsilens.reproduce.p0.takeaways import rises
from epsilens.reproduce.p0.theorems import theorem

P0 = partial(Place, "P0")
EPSILONS = (0.001, 0.01, 0.1, 0.3, 0.6, 0.9, 0.999)
LARGE = (0.001, 0.01, 0.1, 0.5, 1.0, 3.0, 10.0, 100.0)
DELTAS = (1e-6, 1e-4, 0.001, 0.01, 0.1)


def printed_e(case: Case) -> float:
    """E_i / 4, with the error function as print has it."""
    n, root = sum(case.cell), math.sqrt(2.0) * case.law.parameter
    first = (1.0 - math.erf((1.5 - n) / root)) * (1.0 + math.erf(-0.5 / root))
    return (first + (1.0 + math.erf((1.5 - n) / root)) * (1.0 + math.erf(0.5 / root))) / 4.0


def sigma(probabilistic: bool, epsilon: float, delta: float) -> float:
    """The sigma of either Gaussian mechanism."""
    if probabilistic:
        return probabilistic_gaussian_sigma(ProbabilisticDP(epsilon, delta), 1.0)
    return classic_gaussian_sigma(ApproxDP(epsilon, delta), 1.0)


def _monotone(_: Data) -> Finding:
    """Whether sigma falls, and the risk of homogeneous cells rises, with epsilon and with delta."""
    import numpy as np

    checked = 0
    for probabilistic, epsilons in ((False, EPSILONS), (True, LARGE)):
        paths = [[(e, d) for e in epsilons] for d in DELTAS] + [[(e, d) for d in DELTAS] for e in epsilons]
        for path, n, labels in itertools.product(paths, (1, 4), (2, 3)):
            sigmas = [sigma(probabilistic, *budget) for budget in path]
            cell: Cell = (n,) + (0,) * (labels - 1)
            risks = [float(scenario_probabilities(np.array([cell]), GaussianNoise(s))[0, 0]) for s in sigmas]
            checked += 1
            if not rises([-s for s in sigmas]) or not rises(risks):
                return Finding(False, f"along {path[0]} to {path[-1]} for n = {n} and K = {labels}")
    return Finding(True, f"along all of {checked} paths of growing epsilon or delta")


CLAIMS: tuple[Claim, ...] = (
    Formula(
        P0("Theorem 3, E_i", "P(a cell of n - 1 and 1 people shows one of two labels alone)"),
        "E_i / 4",
        printed_e,
        lambda case: risk(case.cell, case.law),
        [case for case in cells_with_noise("gaussian", ONE_APART) if case.labels == 2],
    ),
    *theorem("gaussian", [f"Eq. ({number})" for number in range(22, 27)]),
    Statement(
        P0("Theorem 3, epsilon and delta", "sigma and the risk of scenario 1 as epsilon or delta grows"),
        "sigma falls and the risk rises, for both Gaussian mechanisms",
        _monotone,
    ),
    *corollary("gaussian", [f"Eq. ({number})" for number in range(27, 31)]),
    *ranges("gaussian"),
)
