"""P4, sections 1, 2 and 5: what rho means, and how the census divided it."""

from __future__ import annotations

import itertools
import math

import numpy as np

from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.posterior.census_2020 import CENSUS_2020, converted
from epsilens.reproduce.claims import Claim, Compute, Finding, Number, Reading, everywhere
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4.setting import RHO_BLOCK, discrete_gaussian, formula, number, statement
from epsilens.reproduce.printed import Printed

DELTA = 1e-10
GLOBAL_RHO = 2.56
TABLE_2 = {
    "nation": "0.0509",
    "state": "0.0505",
    "county": "0.0514",
    "tract": "0.0504",
    "block group": "0.2465",
    "block": "0.0992",
}
"""The last column; "block group" is the optimized one."""
RHOS = (0.05, 0.1, 0.5, 1.0, 2.56, 10.0)
ORDERS = (1.01, 1.5, 2.0, 5.0, 20.0)


def renyi(rho: float, order: float) -> float:
    """The divergence of that order between the noisy counts of two neighbours, by plain summation."""
    _, probabilities = discrete_gaussian(rho)
    here, there = probabilities[1:], probabilities[:-1]
    inside = (here > 0.0) & (there > 0.0)
    logs = order * np.log(here[inside]) + (1.0 - order) * np.log(there[inside])
    top = float(logs.max())
    return (top + math.log(math.fsum(np.exp(logs - top)))) / (order - 1.0)


def needed_epsilon(rho: float, delta: float) -> float:
    """The smallest epsilon at which the discrete Gaussian itself keeps to delta, by plain summation and bisection."""
    _, probabilities = discrete_gaussian(rho)
    here, there = probabilities[:-1], probabilities[1:]

    def exceeded(epsilon: float) -> bool:
        return math.fsum(np.maximum(0.0, here - math.exp(epsilon) * there)) > delta

    low, high = 0.0, 1.0
    while exceeded(high):
        high *= 2.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if exceeded(middle) else (low, middle)
    return high


def _divergence_of_pure(epsilon: float, order: float) -> float:
    """Of randomised response, between whose two inputs the divergence is the largest that epsilon-DP admits."""
    yes = 1.0 / (1.0 + math.exp(-epsilon))
    no = 1.0 - yes
    return math.log(yes**order * no ** (1.0 - order) + no**order * yes ** (1.0 - order)) / (order - 1.0)


def _epsilon(_: Data) -> float:
    return converted(GLOBAL_RHO, DELTA).published_epsilon


def _best_epsilon(_: Data) -> float:
    return converted(GLOBAL_RHO, DELTA).epsilon


def _understated(data: Data) -> Finding:
    """Whether the privacy is better than the epsilon that is quoted says."""
    quoted, needed = _epsilon(data), _best_epsilon(data)
    return Finding(needed < quoted, f"{quoted:.3f} is quoted, and {needed:.3f} will do at delta = {DELTA:g}")


def _composed(_: Data) -> float:
    return converted(sum(CENSUS_2020.level_rho(level) for level in CENSUS_2020.level_names), DELTA).published_epsilon


def _rho_of(level: str) -> Compute:
    return lambda _: CENSUS_2020.histogram_rho(level)


def _shares(_: Data) -> Finding:
    total = sum(level.share_of_total for level in CENSUS_2020.levels)
    return Finding(total == 1, f"they add up to {total}")


def _unbounded(_: Data) -> Finding:
    """No epsilon is enough: the loss of a noisy count grows with it."""
    losses = [float(DiscreteGaussianNoise(math.sqrt(0.5 / RHO_BLOCK)).log_ratio(k)) for k in (10.0, 100.0, 1000.0)]
    rising = all(later > 5.0 * earlier for earlier, later in itertools.pairwise(losses))
    return Finding(rising, "at noise of 10, 100 and 1,000 it is " + ", ".join(f"{loss:.4g}" for loss in losses))


def _stricter(_: Data) -> Finding:
    cases = list(itertools.product((0.1, 1.0, 3.0), ORDERS))
    return everywhere(
        cases,
        lambda case: _divergence_of_pure(*case) <= 0.5 * case[0] ** 2 * case[1] + 1e-12,
        lambda case: f"not at epsilon = {case[0]}, order {case[1]}",
    )


def _rounded_twice() -> Reading:
    """From the four digits of Table 2, half of the last one up."""
    in_table = Printed(TABLE_2["block group"]).value
    twice = math.floor(in_table * 1000.0 + 0.5) / 1000.0
    return Reading("when the .2465 of Table 2 is rounded once more", lambda _: twice, slip=True)


def rho_of_block(where: str) -> Number:
    """The rounded rho that later sections use."""
    return number(where, BLOCK, "0.099", _rho_of("block"))


def rho_of_group(where: str, printed: str) -> Number:
    """The same of the block group."""
    return number(where, GROUP, printed, _rho_of("block group"), "P4-11", readings=(_rounded_twice(),))


def epsilon_of_levels(where: str) -> Number:
    """The epsilon of the census, composed over its levels."""
    return number(where, "composed over six levels", "17.91", _composed, exact=_best_epsilon)


GROUP = "rho of the histogram of a block group"
BLOCK = "rho of the histogram of a block"

CLAIMS: list[Claim] = [
    number("section 1, epsilon", "of the census", "17.91", _epsilon, exact=_best_epsilon),
    number("section 1, ln 3", "the largest epsilon recommended", "1.10", lambda _: math.log(3.0)),
    statement(
        "section 2.1, pure and zero-concentrated",
        "epsilon-DP implies rho-zCDP with rho = epsilon^2 / 2",
        "whatever is epsilon-DP is zCDP too",
        _stricter,
    ),
    statement(
        "section 2.1, Gaussian noise",
        "the privacy loss of one noisy count",
        "Gaussian noise is possible under zCDP and not under pure DP",
        _unbounded,
    ),
    formula(
        "Theorem 1, conversion",
        "the epsilon of rho-zCDP at delta, beside the one that the discrete Gaussian needs",
        "epsilon = rho + 2 sqrt(rho log(1 / delta))",
        printed=lambda case: converted(*case).published_epsilon,
        true=lambda case: needed_epsilon(*case),
        cases=list(itertools.product(RHOS, (1e-3, 1e-6, 1e-10))),
        relation="is at least",
        told=lambda case: f"rho = {case[0]}, delta = {case[1]:g}",
    ),
    formula(
        "Definition 3, Eq. (2.1)",
        "the law of a noisy count",
        "P(x*) = exp(-rho (x* - x)^2) / sum over all whole numbers",
        printed=lambda case: float(
            np.exp(-case[0] * case[1] ** 2) / np.exp(-case[0] * np.arange(-400.0, 401.0) ** 2).sum()
        ),
        true=lambda case: float(DiscreteGaussianNoise(math.sqrt(0.5 / case[0])).pmf(case[1])),
        cases=list(itertools.product((0.02, 0.099, 0.5, 2.0, 5.0), range(7))),
        told=lambda case: f"rho = {case[0]}, x* - x = {case[1]}",
    ),
    formula(
        "Definition 3, privacy",
        "the Renyi divergence of the noisy counts of two neighbours",
        "rho times the order",
        printed=lambda case: case[0] * case[1],
        true=lambda case: renyi(*case),
        cases=list(itertools.product(RHOS, ORDERS)),
        relation="is at least",
        told=lambda case: f"rho = {case[0]}, order {case[1]}",
    ),
    statement("Table 2, shares of the levels", "what the six levels get together", "all of rho", _shares),
    *(number(f"Table 2, {level}", "rho of the histogram", text, _rho_of(level)) for level, text in TABLE_2.items()),
    number("section 2.3, rho of a block", "all its queries", "0.103", lambda _: CENSUS_2020.level_rho("block")),
    number("section 2.3, histogram of a block", BLOCK, "0.099", lambda _: CENSUS_2020.histogram_rho("block")),
    number("section 2.3, epsilon", "of rho = 2.56 at delta = 1e-10", "17.91", _epsilon, exact=_best_epsilon),
    statement(
        "section 5, epsilon", "the degree of privacy, by the 17.91 of Theorem 1", "it may be understated", _understated
    ),
]
