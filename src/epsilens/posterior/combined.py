"""Several independent noisy counts of the same number: levels at which the target is unique, or repeated releases.

If every count equals X_1 plus noise of its own, their log likelihood ratios add: L = log p / (1 - p) + L_1 + ... + L_m.
Two exact tools follow from that alone.

**Expected posterior.** 1 / (1 + e^-L) = 1/2 the integral over all t of e^{zL} / sin(pi z) dt with z = c + it, for any c
between 0 and 1 (at c = 0 that is 1/2 + integral over t > 0 of sin(t L) / sinh(pi t) dt). So E is the same integral of
M(z) / sin(pi z), M(z) = E e^{zL}, a product of one factor per count. The integrand is largest at t = 0, and c is taken
where that is smallest: then little cancels, and a posterior of 1e-300 keeps its digits. It is analytic for
0 < Re z < 1, so the trapezoidal rule converges geometrically: with h the step and d the distance of two lines from
c, the error is at most the sum over both of the integral of |M / sin|, over e^{2 pi d / h} - 1; stopping at t = T
leaves out at most e^{-pi T} M(c). Both are chosen below e^-36 of the integrand beforehand; none of it is simulated.

A family of m who are there together or not at all moves every count by m, and so every L_i is a sum of m ratios
(:mod:`~epsilens.posterior.single`); nothing else changes.

**Decisions.** P(L > c) is a sum over the values of L (:mod:`~epsilens.posterior.evidence_sums`).
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, cast

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.law import checked_noise
from epsilens.notebook import brief, facts_html
from epsilens.posterior.evidence_sums import EvidenceLaw as EvidenceLaw
from epsilens.posterior.evidence_sums import SumOfEvidence
from epsilens.posterior.evidence_sums import exceedance as exceedance
from epsilens.posterior.evidence_sums import merged as merged
from epsilens.posterior.noise_sums import decided, is_listed, listed_noise, sum_over_noise
from epsilens.posterior.noises import countable_noise, family_size, one_noise, several_noises
from epsilens.posterior.odds import log_odds, tie_among
from epsilens.posterior.scenarios import FIVE_PRIORS
from epsilens.posterior.single import ExpectedRisk, PosteriorProbability, beyond_known, log_likelihood_ratio

special = LaterModule("scipy.special")

_ERROR = 1e-12
_NATS = 36.0
_LINES = (0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.995)
_LONGEST_FOR_AVERAGES = 2_000
_PHASES_AT_ONCE = 500_000


def evidence(noise: Noise, present: bool = True, family: int = 1) -> EvidenceLaw:
    """The law of one count's log likelihood ratio when the target is there (or is not), all of its values listed."""
    if not is_listed(countable_noise(noise)):
        raise too_many_decisions()
    return _evidence(cast("Hashable", noise), present, False, family)


def evidence_for_averages(noise: Noise, present: bool = True, family: int = 1) -> EvidenceLaw:
    """The same with few values where the noise is wide, and weights with which averages of smooth functions are right.

    "Smooth" means: of the log likelihood ratio, which changes slowly where noise is wide.
    """
    return _evidence(cast("Hashable", countable_noise(noise)), present, True, family)


@lru_cache(maxsize=16)  # levels with the same noise have one and the same law
def _evidence(noise: Any, present: bool, for_averages: bool, family: int) -> EvidenceLaw:
    listed = listed_noise(noise) if not for_averages else sum_over_noise(noise, _LONGEST_FOR_AVERAGES, family)
    points, weights = listed
    ratio = log_likelihood_ratio(points + (float(family) if present else 0.0), noise, family=family)
    return replace(merged(ratio, weights), tie=tie_among(ratio))


def are_decided(noises: Sequence[Noise]) -> bool:
    """Whether right decisions from these counts together can be summed: one count, or noise narrow enough to list."""
    return len(noises) == 1 or all(is_listed(countable_noise(noise)) for noise in noises)


def too_many_decisions() -> ParameterError:
    """The refusal of decisions whose cases cannot be listed."""
    return ParameterError(
        "decisions from several counts with noise this wide have too many cases to be listed",
        remedy="use a larger `rho`, combine fewer levels or releases, or ask for the expected posterior only "
        "(`decisions=False`)",
    )


def expected_combined(
    noises: Sequence[Noise], prior: float = 0.5, present: bool = True, decisions: bool = True, family: int = 1
) -> ExpectedRisk:
    """Expected posterior and right decisions when several independent noisy counts all count the same people.

    E = 1/2 + integral over t > 0 of Im phi(t) / sinh(pi t) dt; phi(t) is the characteristic function of the posterior
    log odds. Symbols: one law per count in ``noises``, p is ``prior``, every count moves by ``family`` people
    (1 in print). The numerical error is at most ``.error``, or that times the posterior where the posterior is small;
    where decisions had to be rounded ``.error`` is theirs.

    Source: P4 Eq. (S1.1) marginalised, and section S5.
    Assumes independent noise.
    Departs from print (P4-5): no simulation, and a stated error.
    """
    p, members = probability("prior", prior), family_size(family)
    laws = [evidence_for_averages(checked_noise(noise, "noises"), present, members) for noise in noises]
    posterior = _mean_logistic(laws, log_odds(p))
    yes, even, error = math.nan, math.nan, 4.0 * _ERROR
    if decisions:
        yes, even, rounded = _decisions(noises, log_odds(p), present, members)
        error = max(error, rounded)
    return ExpectedRisk(posterior, posterior / p, yes if present else 1.0 - yes, p, present, even, error)


def _decisions(noises: Sequence[Noise], start: float, present: bool, family: int) -> tuple[float, float, float]:
    """P(start + all evidence > 0), P(it is even), and how far off these can be."""
    if len(noises) == 1:
        noise, shift = noises[0], float(family) if present else 0.0
        points, _ = sum_over_noise(noise, family=family)

        def odds(z: FloatArray) -> FloatArray:
            return start + log_likelihood_ratio(z + shift, noise, family=family)

        at_points = odds(points)
        yes, even = decided(noise, points, at_points, tie_among(at_points - start), odds)
        return yes, even, 0.0
    laws = [evidence(noise, present, family) for noise in noises]
    tie = max((law.tie for law in laws), default=0.0)
    together = SumOfEvidence.of(laws)
    (low, high), (low_or_even, _) = together.above(tie - start), together.above(-tie - start)
    return 0.5 * (low + high), max(0.0, low_or_even - high), 0.5 * (high - low)


def _mean_logistic(laws: Sequence[EvidenceLaw], shift: float) -> float:
    """E 1 / (1 + e^-(shift + sum of independent values)), by the trapezoidal rule of the module docstring.

    A single law is summed as it is. Where 1 - E is at most E e^{-z L} < e^-40 for some z in (0, 1] it is 0 to a double,
    and so is E below e^-800.
    """
    kinds = [(law, sum(other is law for other in laws)) for law in {id(law): law for law in laws}.values()]

    def log_moment(z: float) -> float:
        return z * shift + sum(times * law.log_moment(z) for law, times in kinds)

    if min(log_moment(-0.5), log_moment(-1.0)) < -40.0:
        return 1.0
    moments = {c: log_moment(c) for c in _LINES}
    if min(moments.values()) < -800.0:
        return 0.0
    if len(laws) == 1:
        return min(1.0, float(laws[0].weights @ special.expit(shift + laws[0].values)))
    line = min(_LINES, key=lambda c: moments[c] - math.log(math.sin(math.pi * c)))
    strip = 0.9 * min(line, 1.0 - line)
    sides = [log_moment(c) - math.log(math.sin(math.pi * c)) - moments[line] for c in (line - strip, line + strip)]
    step = 2.0 * math.pi * strip / (_NATS + math.log(2.0) + max(0.0, *sides))
    t = as_floats(step * np.arange(math.ceil((_NATS + 2.0) / math.pi / step) + 1))
    values = np.exp(1j * t * shift) / np.sin(math.pi * (line + 1j * t))
    for law, times in kinds:
        values = values * _characteristic(law, line, t) ** times
    integral = step * (0.5 * float(values.real[0]) + float(values.real[1:].sum()))
    return min(1.0, max(0.0, math.exp(moments[line]) * integral))


def _characteristic(
    law: EvidenceLaw, line: float, t: FloatArray
) -> np.ndarray[tuple[int, ...], np.dtype[np.complex128]]:
    """E e^{(c + it) L} / E e^{cL} for equidistant t from 0 on.

    e^{i (r + s) L} = e^{irL} e^{isL}: with r every m-th and s the first m of the t, all of them are one product of two
    small matrices. What is held at a time stays small however many values the law has.
    """
    values = law.clipped
    weights = law.weights * np.exp(line * values - law.log_moment(line))
    size = min(math.isqrt(len(t) - 1) + 1, max(1, _PHASES_AT_ONCE // len(values)))
    first, starts = np.exp(1j * np.outer(values, t[:size])), t[::size]
    parts = [
        (np.exp(1j * np.outer(starts[i : i + size], values)) * weights) @ first for i in range(0, len(starts), size)
    ]
    return np.concatenate(parts).ravel()[: len(t)]


def unique_at_levels(
    noisy: Sequence[float],
    known: int = 0,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
    family: int = 1,
) -> PosteriorProbability:
    """The posterior of an adversary who knows that the target's other characteristics are unique at several levels.

    p prod f_i(x_i* - x) / (p prod f_i(x_i* - x) + (1 - p) prod f_i(x_i* - x_{-t})), x = x_{-t} + m. Symbols: x_i* is
    ``noisy[i]``, x_{-t} is ``known``, f_i the noise of level i (lowest first), p is ``prior``, m is ``family`` (1 in
    print).

    Source: P4 Eq. (S1.1).
    Assumes that the adversary knows the target to be unique at all these levels.
    """
    laws = several_noises(rho, noise, 1, "level")
    if len(noisy) != len(laws):
        raise ParameterError(f"must hold one count per level ({len(laws)})", parameter="noisy", got=len(noisy))
    p, k, m = probability("prior", prior), whole("known", known, 0), family_size(family)
    ratios = [
        float(log_likelihood_ratio(beyond_known(count, k), law, family=m))
        for count, law in zip(noisy, laws, strict=True)
    ]
    return PosteriorProbability(log_odds(p) + sum(ratios), p)


def expected_unique_at_levels(
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
    present: bool = True,
    decisions: bool = True,
    family: int = 1,
) -> ExpectedRisk:
    """Expected risk of a target known to be unique at as many levels as there are entries in ``rho``, lowest first.

    :func:`expected_combined` over the levels, of a person or of a ``family``.

    Source: P4 Eq. (S1.1) and Figure 7.
    Assumes that the adversary knows the target to be unique at all these levels.
    Departs from print (P4-5): no simulation, and a stated error.
    """
    return expected_combined(several_noises(rho, noise, 1, "level"), prior, present, decisions, family)


def unique_levels_curve(
    rho: Sequence[float],
    priors: Sequence[float] = FIVE_PRIORS,
    present: bool = True,
    family: int = 1,
) -> dict[str, FloatArray]:
    """Expected risk against the number of levels at which the target is known to be unique, for several adversaries.

    Arrays of shape (priors, levels) from :func:`expected_unique_at_levels` on the first l entries of ``rho``, of a
    target (a person, or a ``family``) who is ``present`` or is not.

    Source: P4 Figure 7.
    Assumes what :func:`expected_unique_at_levels` assumes.
    """
    laws = several_noises(rho, None, 1, "level")
    risks = [
        [expected_combined(laws[:levels], p, present, family=family) for levels in range(1, len(laws) + 1)]
        for p in priors
    ]
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
    family: int = 1,
) -> SequencePosterior:
    """The adversary's posterior after each of several releases of the same count.

    R'(x_1*, ..., x_m*) = prod_i R'(x_i* | x_1*, ..., x_{i-1}*): each posterior is the next prior. Symbols: x_i* is
    ``noisy[i]``, with the noise ``rho[i]`` or ``noise[i]``; a count is that of the known people, with or without a
    ``family``.

    Source: P4 Eqs. (S5.4) and (S5.8).
    Assumes that no release depends on an earlier one's noise.
    """
    laws = several_noises(rho, noise, 1, "release")
    if len(noisy) != len(laws):
        raise ParameterError(f"must hold one count per release ({len(laws)})", parameter="noisy", got=len(noisy))
    p, k, m = probability("prior", prior), whole("known", known, 0), family_size(family)
    steps = [float(log_likelihood_ratio(beyond_known(x, k), law, family=m)) for x, law in zip(noisy, laws, strict=True)]
    posteriors = special.expit(log_odds(p) + np.cumsum(steps))
    ratios = posteriors / np.append(p, posteriors[:-1])
    return SequencePosterior(tuple(posteriors.tolist()), tuple(ratios.tolist()), p)


def expected_sequence(
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    noise: Sequence[Noise] | None = None,
    present: bool = True,
    decisions: bool = True,
    family: int = 1,
) -> ExpectedRisk:
    """Expected risk of several releases of the same count together: exact, not the product of their expected risks.

    :func:`expected_combined` over the releases; E of a product of ratios is not the product of their expectations.

    Source: P4 section S5.
    Assumes that no release depends on an earlier one's noise.
    """
    return expected_combined(several_noises(rho, noise, 1, "release"), prior, present, decisions, family)


def repeated(rho: float, times: int) -> tuple[Noise, ...]:
    """The same noise ``times`` over, for :func:`expected_sequence`."""
    return (one_noise(rho, None),) * whole("times", times, 1)
