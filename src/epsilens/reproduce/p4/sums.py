"""P4, section S2, Figures 8 and 9: sums of discrete Gaussian noises."""

from __future__ import annotations

import itertools
import math

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.noise.discrete_gaussian import DiscreteGaussianNoise
from epsilens.noise.sums import noise_of_sum, sum_approximation_error
from epsilens.posterior.noises import one_noise
from epsilens.reproduce.claims import Claim, Finding
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p4.setting import Check, discrete_gaussian, formula, statement

RHOS, TERMS = (0.099, 1.0), (27, 5)
"""Of the rows and the columns of Figure 9."""
SCALES = tuple(np.geomspace(0.05, 20.0, 121).tolist())
SEEN = 0.01
"""Of the highest bar: what can be seen in a histogram."""
_DRAWN = 3.5  # standard deviations


def variance(scale: float) -> float:
    """Of one noise, by plain summation."""
    values, probabilities = discrete_gaussian(0.5 / scale)
    return math.fsum(values**2 * probabilities)


def _laws(rho: float, terms: int) -> tuple[FloatArray, FloatArray, FloatArray]:
    """The whole numbers, how likely the sum is to be each of them, and the same of one discrete Gaussian."""
    noise = one_noise(rho, None)
    reach = math.ceil(8.0 * math.sqrt(0.5 * terms / rho))
    values = np.arange(-reach, reach + 1.0)
    exact, rough = noise_of_sum(noise, terms), noise_of_sum(noise, terms, "approximate")
    return values, np.exp(exact.logpmf(values)), np.exp(rough.logpmf(values))


def _departs_less(low: float, high: float, most: float) -> Check:
    def check(_: Data) -> Finding:
        scales = np.linspace(low, high, 201)
        departures = [abs(DiscreteGaussianNoise(math.sqrt(s)).variance - s) for s in scales]
        worst = int(np.argmax(departures))
        return Finding(departures[worst] < most, f"at most {departures[worst]:.2e}, at s = {scales[worst]:.4g}")

    return check


def _apart(rho: float, terms: int) -> float:
    """The largest difference of two bars, next to the highest."""
    _, exact, rough = _laws(rho, terms)
    return float(np.abs(exact - rough).max() / exact.max())


def _extremely_well(_: Data) -> Finding:
    found = {(rho, terms): _apart(rho, terms) for rho in RHOS for terms in TERMS}
    worst = max(found, key=lambda case: found[case])
    return Finding(
        found[worst] < SEEN, f"at most {100.0 * found[worst]:.2f} %, at rho = {worst[0]:g} and n = {worst[1]}"
    )


def _small_and_large(_: Data) -> Finding:
    apart = _apart(1.0, 5)
    return Finding(
        apart < SEEN, f"{100.0 * apart:.2f} % at rho = 1 and n = 5 ({100.0 * _apart(5.0, 5):.0f} % at rho = 5)"
    )


def _proposition(_: Data) -> Finding:
    cases = list(itertools.product((0.1, 0.3, 0.5, 0.7, 0.9, 0.99), (20, 27, 100, 1000)))
    found = {case: sum_approximation_error(one_noise(case[0], None), case[1]) for case in cases}
    worst = max(found, key=lambda case: found[case])
    seen = f"the distance is at most {found[worst]:.1e}, at rho = {worst[0]:g} and n = {worst[1]}"
    return Finding(found[worst] < 1e-3, seen)


def _normal(_: Data) -> Finding:
    """Each probability beside the normal density, next to the highest."""
    worst = (0.0, 0.0, 0)
    for rho, terms in itertools.product(RHOS, TERMS):
        values, exact, _rough = _laws(rho, terms)
        square = terms * variance(0.5 / rho)
        density = np.exp(-0.5 * values**2 / square) / math.sqrt(2.0 * math.pi * square)
        worst = max(worst, (float(np.abs(exact - density).max() / exact.max()), rho, terms))
    return Finding(worst[0] < SEEN, f"at most {100.0 * worst[0]:.2f} %, at rho = {worst[1]:g} and n = {worst[2]}")


def _normal_as_discrete(_: Data) -> Finding:
    """The discrete Gaussian of that parameter beside the normal density, where the parameter is well above 1."""
    worst = (0.0, 0.0)
    for square in (2.0, 5.0, 13.5, 136.0):
        reach = math.ceil(8.0 * math.sqrt(square))
        values = np.arange(-reach, reach + 1.0)
        pmf = DiscreteGaussianNoise(math.sqrt(square)).pmf(values)
        density = np.exp(-0.5 * values**2 / square) / math.sqrt(2.0 * math.pi * square)
        worst = max(worst, (float(np.abs(pmf - density).max() / pmf.max()), square))
    return Finding(worst[0] < SEEN, f"at most {100.0 * worst[0]:.1e} %, at a parameter of {worst[1]:g}")


def _variances(_: Data) -> Drawing:
    values = [DiscreteGaussianNoise(math.sqrt(s)).variance for s in SCALES]
    series = [Series("variance", SCALES, values), Series("s itself", SCALES, SCALES)]
    lines = [("rho = 1", 0.5)]
    panel = Panel(
        "variance of one noise", "s = 1 / (2 rho)", "variance", series, log_x=True, log_y=True, verticals=lines
    )
    small = DiscreteGaussianNoise(math.sqrt(0.1)).variance
    half = DiscreteGaussianNoise(math.sqrt(0.5)).variance
    says = (
        f"At s = .5, where rho = 1, the variance is {half:.4f}; at s = .1 it is {small:.4f}, far below s. "
        "From s = .5 on no difference can be seen."
    )
    return Drawing("P4", "Figure 8", "the variance of the discrete Gaussian", [panel], says, columns=1)


def _histograms(_: Data) -> Drawing:
    panels = []
    for rho, terms in itertools.product(RHOS, TERMS):
        values, exact, rough = _laws(rho, terms)
        kept = np.abs(values) <= _DRAWN * math.sqrt(0.5 * terms / rho)
        x = values[kept].tolist()
        series = [
            Series("sum of noises", x, as_floats(exact[kept]).tolist()),
            Series("one discrete Gaussian", x, as_floats(rough[kept]).tolist()),
        ]
        panels.append(Panel(f"rho = {rho:g}, n = {terms}", "value", "probability", series, "step"))
    apart = {(rho, terms): _apart(rho, terms) for rho in RHOS for terms in TERMS}
    says = "; ".join(
        f"at rho = {rho:g} and n = {terms} bars differ by at most {100.0 * value:.1g} % of the highest"
        for (rho, terms), value in apart.items()
        if value > 1e-12
    )
    return Drawing(
        "P4", "Figure 9", "sums of noises", panels, f"{says[0].upper()}{says[1:]}; at rho = 0.099 by nothing."
    )


CLAIMS: list[Claim] = [
    formula(
        "Figure 8, variance",
        "of the discrete Gaussian against its parameter s",
        "sum of k^2 P(k)",
        printed=lambda s: DiscreteGaussianNoise(math.sqrt(s)).variance,
        true=variance,
        cases=SCALES[::4],
        told=lambda s: f"s = {s:.4g}",
    ),
    statement(
        "section S2, s above .5", "how far the variance is from s", "less than .002", _departs_less(0.5, 5.0, 0.002)
    ),
    statement(
        "section S2, s above 1", "how far the variance is from s", "less than 1e-6", _departs_less(1.0, 5.0, 1e-6)
    ),
    statement(
        "Eq. (S2.1), normal law",
        "a sum of noises",
        "about normal with n times the variance (within 1 % of the mode)",
        _normal,
    ),
    statement(
        "Eq. (S2.2), discrete law",
        "a normal law of large variance",
        "about the discrete Gaussian (within 1 % of the mode)",
        _normal_as_discrete,
        "P4-3",
    ),
    statement(
        "Proposition 1, sums",
        "rho below 1, many terms",
        "one discrete Gaussian in good approximation (distance below .001)",
        _proposition,
        "P4-3",
    ),
    statement(
        "Figure 9, fit",
        "the sum beside one discrete Gaussian",
        "extremely good in all four panels (within 1 % of the highest bar)",
        _extremely_well,
        "P4-3",
    ),
    statement(
        "Figure 9, few terms",
        "small n and large rho",
        "quite accurate still (within 1 % of the highest bar)",
        _small_and_large,
        "P4-3",
    ),
]
FIGURES = [Figure("P4", "Figure 8", _variances), Figure("P4", "Figure 9", _histograms)]
