"""Several independent noisy counts of the same number: levels at which the target is unique, or repeated releases.

If every count equals X_1 plus noise of its own, their log likelihood ratios add: L = log p / (1 - p) + L_1 + ... + L_m.
Two exact tools follow from that alone.

**Expected posterior.** 1 / (1 + e^-L) = 1/2 + integral over t > 0 of sin(t L) / sinh(pi t) dt, so E = 1/2 + integral
of Im phi(t) / sinh(pi t) dt with phi(t) = E e^{itL}, a product of one factor per count. The integrand is even and
analytic for |Im t| < 1, so the trapezoidal rule converges geometrically. On the lines Im t = +-1/2, |sinh(pi t)| =
cosh(pi Re t), whose reciprocal integrates to 1; hence the error at step h is at most C / (e^{pi/h} - 1), C = E
e^{L/2} + E e^{-L/2}, and stopping at t = T leaves out at most e^{-pi T}. Both are chosen below ``error`` beforehand;
none of it is simulated.

**Decisions.** P(L > c): the values of L_1 + ... + L_j are enumerated for one half of the counts and for the other,
equal values merged, and the halves are paired by sorting one and searching it.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import numpy as np
from scipy import special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import finite, probability, whole
from epsilens.errors import ParameterError
from epsilens.noise import Noise
from epsilens.noise.law import checked_noise
from epsilens.noise.published import CountNoise, within_reach
from epsilens.notebook import brief, facts_html
from epsilens.posterior.noises import one_noise, several_noises
from epsilens.posterior.odds import TIE, log_odds
from epsilens.posterior.single import ExpectedRisk, PosteriorProbability, log_likelihood_ratio

_ERROR = 1e-11
_NEGLIGIBLE_ATOM = 1e-17
_MOST_STATES = 20_000_000


@dataclass(frozen=True, eq=False)
class EvidenceLaw:
    """The law of a log likelihood ratio over the noise: its distinct values in ascending order, and their weights."""

    values: FloatArray
    weights: FloatArray

    def plus(self, other: EvidenceLaw) -> EvidenceLaw:
        """The law of the sum of two independent ones."""
        if (states := len(self.values) * len(other.values)) > _MOST_STATES:
            raise ParameterError(
                f"decisions over this many different noises need {states} states, at most {_MOST_STATES} are tried",
                remedy="combine fewer levels or releases, or ask for the expected posterior only (`decisions=False`)",
            )
        values = np.add.outer(self.values, other.values).ravel()
        weights = np.multiply.outer(self.weights, other.weights).ravel()
        kept = weights > _NEGLIGIBLE_ATOM / max(len(values), 1)
        return merged(values[kept], weights[kept])

    def above(self, bars: FloatArray) -> FloatArray:
        """P(value > bar), ties not counted."""
        tails = np.append(np.cumsum(self.weights[::-1])[::-1], 0.0)
        return as_floats(tails[np.searchsorted(self.values, bars, side="right")])


def merged(values: FloatArray, weights: FloatArray) -> EvidenceLaw:
    """An evidence law from values in any order, those equal up to rounding put together."""
    order = np.argsort(values)
    values, weights = values[order], weights[order]
    starts = np.flatnonzero(np.append(True, np.diff(values) > TIE / 100.0))
    return EvidenceLaw(values[starts], np.add.reduceat(weights, starts))


def evidence(noise: Noise, present: bool = True) -> EvidenceLaw:
    """The law of one count's log likelihood ratio when the target is there (or is not)."""
    return _evidence(cast("Hashable", noise), present)


@lru_cache(maxsize=16)  # levels with the same noise have one and the same law
def _evidence(noise: Any, present: bool) -> EvidenceLaw:
    points, logpmf = within_reach(CountNoise(noise), 1e-16)
    ratio = log_likelihood_ratio(points + (1.0 if present else 0.0), noise)
    return merged(ratio, np.exp(logpmf))


def expected_combined(
    noises: Sequence[Noise], prior: float = 0.5, present: bool = True, decisions: bool = True
) -> ExpectedRisk:
    """Expected posterior and right decisions when several independent noisy counts all count the same people.

    E = 1/2 + integral over t > 0 of Im phi(t) / sinh(pi t) dt; phi(t) is the characteristic function of the posterior
    log odds. Symbols: one law per count in ``noises``, p is ``prior``. The numerical error is at most ``.error``.

    Source: P4 Eq. (S1.1) marginalised, and section S5.
    Assumes independent noise.
    Departs from print (P4-5): no simulation, and a stated error.
    """
    p = probability("prior", prior)
    laws = [evidence(checked_noise(noise, "noises"), present) for noise in noises]
    posterior = _mean_logistic(laws, log_odds(p))
    yes = even = math.nan
    if decisions:
        yes, yes_or_even = exceedance(laws, TIE - log_odds(p)), exceedance(laws, -TIE - log_odds(p))
        even = max(0.0, yes_or_even - yes)
    return ExpectedRisk(posterior, posterior / p, yes if present else 1.0 - yes, p, present, even, 4.0 * _ERROR)


def _mean_logistic(laws: Sequence[EvidenceLaw], shift: float) -> float:
    """E 1 / (1 + e^-(shift + sum of independent values)), by the trapezoidal rule of the module docstring."""
    log_bound = 0.0
    for sign in (0.5, -0.5):
        moments = [special.logsumexp(sign * law.values, b=law.weights) for law in laws]
        log_bound = max(log_bound, sign * shift + float(sum(moments)))
    step = math.pi / (math.log(2.0 / _ERROR) + log_bound)
    t = step * np.arange(1.0, math.ceil(-math.log(_ERROR) / math.pi / step) + 2)
    phi = np.exp(1j * t * shift)
    for same in {id(law): law for law in laws}.values():
        phi = phi * _characteristic(same, t) ** sum(law is same for law in laws)
    mean = shift + sum(float(law.values @ law.weights) for law in laws)
    integral = step * (0.5 * mean / math.pi + float(np.sum(phi.imag / np.sinh(math.pi * t))))
    return min(1.0, max(0.0, 0.5 + integral))


def _characteristic(law: EvidenceLaw, t: FloatArray) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """E e^{itL}, in slices that stay small however many values the law has."""
    size = max(1, 2_000_000 // len(law.values))
    parts = [np.exp(1j * np.outer(t[i : i + size], law.values)) @ law.weights for i in range(0, len(t), size)]
    return np.concatenate(parts)


def exceedance(laws: Sequence[EvidenceLaw], bar: float) -> float:
    """P(sum of independent values > bar)."""
    halves = [merged(np.zeros(1), np.ones(1)), merged(np.zeros(1), np.ones(1))]
    for law in sorted(laws, key=lambda law: -len(law.values)):
        smaller = int(len(halves[0].values) > len(halves[1].values))
        halves[smaller] = halves[smaller].plus(law)
    return min(1.0, float(halves[0].weights @ halves[1].above(bar - halves[0].values)))


def unique_at_levels(
    noisy: Sequence[float],
    known: int = 0,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
) -> PosteriorProbability:
    """The posterior of an adversary who knows that the target's other characteristics are unique at several levels.

    p prod f_i(x_i* - x) / (p prod f_i(x_i* - x) + (1 - p) prod f_i(x_i* - x_{-t})), x = x_{-t} + 1. Symbols: x_i* is
    ``noisy[i]``, x_{-t} is ``known``, f_i the noise of level i (lowest first), p is ``prior``.

    Source: P4 Eq. (S1.1).
    Assumes that the adversary knows the target to be unique at all these levels.
    """
    laws = several_noises(rho, noise, 1, "level")
    if len(noisy) != len(laws):
        raise ParameterError(f"must hold one count per level ({len(laws)})", parameter="noisy", got=len(noisy))
    p, k = probability("prior", prior), whole("known", known, 0)
    ratios = [
        float(log_likelihood_ratio(finite("noisy", count) - k, law)) for count, law in zip(noisy, laws, strict=True)
    ]
    return PosteriorProbability(log_odds(p) + sum(ratios), p)


def expected_unique_at_levels(
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
    present: bool = True,
    decisions: bool = True,
) -> ExpectedRisk:
    """Expected risk of a target known to be unique at as many levels as there are entries in ``rho``, lowest first.

    :func:`expected_combined` over the levels.

    Source: P4 Eq. (S1.1) and Figure 7.
    Assumes that the adversary knows the target to be unique at all these levels.
    Departs from print (P4-5): no simulation, and a stated error.
    """
    return expected_combined(several_noises(rho, noise, 1, "level"), prior, present, decisions)


def unique_levels_curve(
    rho: Sequence[float], priors: Sequence[float] = (1 / 2, 1 / 5, 1 / 10, 1 / 50, 1 / 864)
) -> dict[str, FloatArray]:
    """Expected risk against the number of levels at which the target is known to be unique, for several adversaries.

    Arrays of shape (priors, levels) from :func:`expected_unique_at_levels` on the first l entries of ``rho``.

    Source: P4 Figure 7.
    Assumes what :func:`expected_unique_at_levels` assumes.
    """
    laws = several_noises(rho, None, 1, "level")
    risks = [[expected_combined(laws[:levels], p) for levels in range(1, len(laws) + 1)] for p in priors]
    return {
        "levels": np.arange(1.0, len(laws) + 1),
        "prior": as_floats(priors),
        **{
            name: as_floats([[getattr(risk, name) for risk in row] for row in risks])
            for name in ("posterior", "risk_ratio", "correct_decision")
        },
    }


@dataclass(frozen=True)
class SequencePosterior:
    """After each of several releases: the posterior, and by what factor that release raised it."""

    posteriors: tuple[float, ...]
    ratios: tuple[float, ...]
    prior: float

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def posterior(self) -> float:
        """After the last release."""
        return self.posteriors[-1]

    @property
    def risk_ratio(self) -> float:
        """The product of the ratios: last posterior over first prior."""
        return self.posterior / self.prior


def sequence(
    noisy: Sequence[float],
    known: int = 0,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
) -> SequencePosterior:
    """The adversary's posterior after each of several releases of the same count.

    R'(x_1*, ..., x_m*) = prod_i R'(x_i* | x_1*, ..., x_{i-1}*): each posterior is the next prior. Symbols: x_i* is
    ``noisy[i]``, with the noise ``rho[i]`` or ``noise[i]``.

    Source: P4 Eqs. (S5.4) and (S5.8).
    Assumes that no release depends on an earlier one's noise.
    """
    laws = several_noises(rho, noise, 1, "release")
    if len(noisy) != len(laws):
        raise ParameterError(f"must hold one count per release ({len(laws)})", parameter="noisy", got=len(noisy))
    p, k = probability("prior", prior), whole("known", known, 0)
    steps = [float(log_likelihood_ratio(finite("noisy", x) - k, law)) for x, law in zip(noisy, laws, strict=True)]
    posteriors = special.expit(log_odds(p) + np.cumsum(steps))
    ratios = posteriors / np.append(p, posteriors[:-1])
    return SequencePosterior(tuple(posteriors.tolist()), tuple(ratios.tolist()), p)


def expected_sequence(
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
    present: bool = True,
    decisions: bool = True,
) -> ExpectedRisk:
    """Expected risk of several releases of the same count together: exact, not the product of their expected risks.

    :func:`expected_combined` over the releases; E of a product of ratios is not the product of their expectations.

    Source: P4 section S5.
    Assumes that no release depends on an earlier one's noise.
    """
    return expected_combined(several_noises(rho, noise, 1, "release"), prior, present, decisions)


def repeated(rho: float, times: int) -> tuple[Noise, ...]:
    """The same noise ``times`` over, for :func:`expected_sequence`."""
    return (one_noise(rho, None),) * whole("times", times, 1)
