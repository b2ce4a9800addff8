"""One level: the adversary knows everybody in the group but one person, and sees one noisy count.

X_1 is the count of people with the target's characteristics: ``known`` without the target, ``known + 1`` with. All that
the noisy count tells is its log likelihood ratio, log f(x* - known - 1) - log f(x* - known), with f the probability of
the noise. Everything below depends on the noisy count only through noisy - known, so a target who is not unique
(``known`` > 0) is at exactly the risk of one who is.

**Families.** People who share what is to be learnt (a household, a school class) are there together or not at all, so
that the count is ``known`` or ``known`` + m, and the log likelihood ratio is log f(x* - known - m) - log f(x* - known).
That is the sum of m ratios of one person, at x*, x* - 1, ..., x* - m + 1, each of which is known without cancellation.
``family`` is m. The posterior of a family is the probability that all of them are there.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import finite, probability, whole
from epsilens.errors import ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise
from epsilens.notebook import brief, data_frame, facts_html, rows_html
from epsilens.posterior.noise_sums import decided, sum_over_noise
from epsilens.posterior.noises import countable, family_size, one_noise
from epsilens.posterior.odds import log_odds, tie_among
from epsilens.posterior.scenarios import FIVE_PRIORS, AttackScenario, scenario

optimize = LaterModule("scipy.optimize")
special = LaterModule("scipy.special")

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(12)
_ROUNDING = 1e-11
_LONGEST_SUM = 1_000  # members of a family whose ratios are added up one by one
_AT_ONCE = 10_000  # ratios that are computed in one go
_PANELS = np.concatenate([np.arange(0.0, 4.0, 0.25), np.arange(4.0, 44.0, 0.5)])  # in scales of the noise


class PosteriorProbability(float):
    """The adversary's posterior probability that the target is there: a float that remembers where it came from."""

    prior: float
    log_odds: float

    def __new__(cls, log_odds: float, prior: float) -> PosteriorProbability:
        """From the posterior log odds, so that values next to 0 and 1 keep their digits."""
        value = super().__new__(cls, special.expit(log_odds))
        value.log_odds, value.prior = float(log_odds), prior
        return value

    def __getnewargs__(self) -> tuple[float, float]:  # type: ignore[override]
        return self.log_odds, self.prior

    @property
    def posterior(self) -> float:
        """The probability itself."""
        return float(self)

    @property
    def risk_ratio(self) -> float:
        """R', the posterior over the prior."""
        return float(self) / self.prior

    @property
    def decides_present(self) -> bool:
        """The adversary's best guess under 0-1 loss; an even chance is not enough to say yes."""
        before = log_odds(self.prior)
        return self.log_odds > tie_among([before, self.log_odds - before])


@dataclass(frozen=True)
class ExpectedRisk:
    """What the adversary will believe on average over the noise, when the target is (or is not) there.

    ``posterior`` is the expected probability given to the target's presence, ``risk_ratio`` that over the prior,
    ``correct_decision`` the probability that the adversary's best guess is right. ``undecided`` is the probability
    that the evidence is exactly even; the adversary then says "not there", as in print. ``error`` bounds the numerical
    error.
    """

    posterior: float
    risk_ratio: float
    correct_decision: float
    prior: float
    present: bool
    undecided: float
    error: float

    __repr__ = brief
    _repr_html_ = facts_html


def log_likelihood_ratio(difference: npt.ArrayLike, noise: Noise, rounded: bool = True, family: int = 1) -> FloatArray:
    """Log f(difference - m) - log f(difference), where ``difference`` is noisy - known and f the law of the noise.

    m is ``family``, the people who are there together or not at all. ``rounded=False`` takes a continuous law as it
    is, with its density; otherwise counts are whole numbers.
    """
    points = as_floats(difference)
    if rounded or noise.integer_valued:
        if (points != np.floor(points)).any():
            raise ParameterError(
                "must be a whole number",
                parameter="noisy",
                remedy="of a count that was published unrounded, with continuous noise, say `rounded=False`",
            )
        law = CountNoise(noise)
        return _family_ratio(points, family, law.log_ratio, law.logpmf)
    return _family_ratio(points, family, noise.log_ratio, noise.logdensity)


def _family_ratio(
    points: FloatArray,
    family: int,
    ratio_of_one: Callable[[FloatArray], FloatArray],
    log_probability: Callable[[FloatArray], FloatArray],
) -> FloatArray:
    """The sum of the ratios of one person; of very many people the difference of the ends, where little cancels."""
    with np.errstate(over="ignore", invalid="ignore"):  # evidence beyond any number is certainty
        if family > _LONGEST_SUM:
            found = as_floats(log_probability(points - family) - log_probability(points))
        else:
            found = _window_sums(points, family, ratio_of_one)
    if family == 1 or not (beyond := np.isnan(found)).any():
        return found
    # both ends are beyond any number: the nearer one is certain
    return np.where(beyond, np.where(np.abs(points - family) < np.abs(points), np.inf, -np.inf), found)


def _window_sums(points: FloatArray, family: int, ratio_of_one: Callable[[FloatArray], FloatArray]) -> FloatArray:
    """The sum of the ratios at x, x - 1, ..., x - m + 1, at every point x.

    Points that follow one another share most of their ratios: each is computed once, and windows twice as long are
    sums of two, S_{a+b}(x) = S_a(x) + S_b(x - a), so that of m people about 2 log2(m) additions are left.
    """
    if family == 1:
        return ratio_of_one(points)
    if points.size * family <= _AT_ONCE:
        return as_floats(ratio_of_one(points[..., np.newaxis] - np.arange(family)).sum(axis=-1))
    if points.ndim != 1 or points.size < 2 or (np.diff(points) != 1.0).any():
        found = ratio_of_one(points)
        for others in range(1, family):
            found = found + ratio_of_one(points - others)
        return found
    ratios = ratio_of_one(np.concatenate([points[0] - np.arange(family - 1, 0, -1.0), points]))
    doubled, length, found, done = ratios, 1, np.zeros(0), 0  # [i] is the window that begins at place i
    for power in range(family.bit_length()):
        if power:
            doubled, length = doubled[:-length] + doubled[length:], 2 * length
        if family >> power & 1:
            if done:
                many = min(found.size, doubled.size - done)
                found = found[:many] + doubled[done : done + many]
            else:
                found = doubled
            done += length
    return found[: points.size]


def single_level(
    noisy: float,
    known: int = 0,
    rho: float | None = None,
    prior: float = 0.5,
    noise: Noise | None = None,
    rounded: bool = True,
    family: int = 1,
) -> PosteriorProbability:
    """The posterior probability that the target is counted, given the noisy count.

    p f(x* - x) / (p f(x* - x) + (1 - p) f(x* - x_{-t})) with x = x_{-t} + m. Symbols: x* is ``noisy``, x_{-t} is
    ``known``, p is ``prior``, m is ``family`` (1 in print), and f(k), proportional to exp(-rho k^2), is the law of the
    noise. R' is ``.risk_ratio`` and the decision ``.decides_present``.

    Source: P4 Eqs. (3.1), (3.2) and (3.5).
    Assumes that the adversary knows everybody in the group but the target, and that a family is there as a whole or
    not at all.
    """
    law, p, members = one_noise(rho, noise), probability("prior", prior), family_size(family)
    ratio = float(log_likelihood_ratio(beyond_known(noisy, known), law, rounded, members))
    return PosteriorProbability(log_odds(p) + ratio, p)


def beyond_known(noisy: float, known: int) -> float:
    """By how much the noisy count exceeds the people known of: an exact difference, of counts of any size."""
    count, others = finite("noisy", noisy), whole("known", known, 0)
    try:
        return count - others if count != math.floor(count) else float(int(count) - others)
    except OverflowError:
        raise ParameterError("is larger than any number of people", parameter="known") from None


def expected_single_level(
    rho: float | None = None,
    prior: float = 0.5,
    noise: Noise | None = None,
    rounded: bool = True,
    present: bool = True,
    family: int = 1,
) -> ExpectedRisk:
    """The adversary's posterior averaged over the noise, the ratio R, and the probability of a right decision.

    sum over x* of P(x* | x) P(X = x | x*), with x = x_{-t} + m; R is that over p; the decision is right with
    probability P(X* >= x~ | x), where x~ is the smallest noisy count with posterior above 1/2. Symbols: p is
    ``prior``, m is ``family`` (1 in print); the result does not depend on x_{-t}. ``present=False`` asks the same when
    the target is in truth not there: then the right decision is to say so.

    Source: P4 Eqs. (3.3), (3.4) and (3.6).
    Assumes the noisy count to be all that the adversary sees.
    """
    law, p, members = one_noise(rho, noise), probability("prior", prior), family_size(family)
    shift = float(members) if present else 0.0
    if not (rounded or law.integer_valued):
        points, weights = _quadrature(law, p, present, members)
    else:
        points, weights = sum_over_noise(law, family=members)
    ratio = log_likelihood_ratio(points + shift, law, rounded, members)
    odds, tie = log_odds(p) + ratio, tie_among(ratio)
    posterior = min(1.0, float(weights @ special.expit(odds)))
    if rounded or law.integer_valued:
        says_yes, undecided = decided(
            law, points, odds, tie, lambda z: log_odds(p) + log_likelihood_ratio(z + shift, law, family=members)
        )
    else:
        says_yes, undecided = float(weights[odds > tie].sum()), float(weights[np.abs(odds) <= tie].sum())
    says_yes = min(1.0, says_yes)
    right = says_yes if present else 1.0 - says_yes
    return ExpectedRisk(posterior, posterior / p, right, p, present, undecided, 1e-12)


def exceedance_single_level(
    threshold: float, rho: float | None = None, prior: float = 0.5, noise: Noise | None = None, family: int = 1
) -> float:
    """The probability, over the noise, that R' of a person (or a ``family``) who is there exceeds ``threshold``.

    P(R'(X*) > threshold | X = x), with R' the ratio of posterior and prior.

    Source: P4 Eq. (3.2).
    Assumes the noisy count to be all that the adversary sees.
    """
    law, p, members = one_noise(rho, noise), probability("prior", prior), family_size(family)
    if (bar := finite("threshold", threshold) * p) >= 1.0:
        return 0.0
    if bar <= 0.0:
        return 1.0
    points, _ = sum_over_noise(law, family=members)
    start = log_odds(p) - log_odds(bar)

    def evidence(z: FloatArray) -> FloatArray:
        return log_likelihood_ratio(z + members, law, family=members)

    ratio = evidence(points)
    above, _ = decided(law, points, start + ratio, tie_among(ratio), lambda z: start + evidence(z))
    return min(1.0, above)


@dataclass(frozen=True, eq=False)
class NoisyCountTable:
    """For each noisy count: how likely it is under the truth, and what the adversary concludes from it."""

    noisy: FloatArray
    probability: FloatArray
    posterior: FloatArray
    risk_ratio: FloatArray

    __repr__ = brief

    def to_rows(self) -> list[dict[str, float]]:
        """One plain dictionary per noisy count."""
        every = {name: values.tolist() for name, values in vars(self).items()}
        return [dict(zip(every, row, strict=True)) for row in zip(*every.values(), strict=True)]

    def to_pandas(self) -> Any:
        """A pandas data frame, one row per noisy count."""
        return data_frame(self.to_rows(), instead=".to_rows()")

    def _repr_html_(self) -> str:
        return rows_html("What each noisy count tells", self.to_rows())


def noisy_count_table(
    noisy: npt.ArrayLike,
    known: int = 0,
    rho: float | None = None,
    prior: float = 0.5,
    noise: Noise | None = None,
    present: bool = True,
    family: int = 1,
) -> NoisyCountTable:
    """What each noisy count would tell, and how often it occurs when the target is there.

    P(X* = x* | X = x), P(X = x | X* = x*), R'(x*), with x = ``known`` + ``family`` and x* running through ``noisy``.
    ``present=False`` says instead how often each occurs when the target is not there; what it tells is the same.

    Source: P4 Table 4 and Figure 1.
    Assumes that the target is there, or is not, as ``present`` says.
    Departs from print (P4-1): the printed probabilities are those given that the target is *not* there.
    """
    law, p, members = one_noise(rho, noise), probability("prior", prior), family_size(family)
    counts = as_floats(noisy)
    difference = counts - countable("known", known, 0)
    posterior = as_floats(special.expit(log_odds(p) + log_likelihood_ratio(difference, law, family=members)))
    with np.errstate(over="ignore"):  # a noisy count so far off that it never occurs
        likelihood = np.exp(CountNoise(law).logpmf(difference - (float(members) if present else 0.0)))
    return NoisyCountTable(counts, likelihood, posterior, posterior / p)


@dataclass(frozen=True)
class Fall:
    """A stretch of a curve along which rho grows and the ratio of posterior and prior falls."""

    prior: float
    from_rho: float
    to_rho: float
    from_ratio: float
    to_ratio: float

    __repr__ = brief
    _repr_html_ = facts_html


@dataclass(frozen=True, eq=False)
class BudgetCurve:
    """Expected risk against rho, for each of several priors: arrays of shape (priors, rhos)."""

    rho: FloatArray
    prior: FloatArray
    posterior: FloatArray
    risk_ratio: FloatArray
    correct_decision: FloatArray
    scenario: AttackScenario
    present: bool = True

    __repr__ = brief

    @property
    def falls(self) -> tuple[Fall, ...]:
        """Where the ratio falls as rho grows, by prior: every run of falling steps, from end to end."""
        found = []
        for p, ratio in zip(self.prior.tolist(), self.risk_ratio, strict=True):
            down = np.diff(ratio) < -_ROUNDING * ratio[:-1]
            turns = np.flatnonzero(np.diff(np.concatenate([[False], down, [False]]))).tolist()
            for i, j in zip(turns[::2], turns[1::2], strict=True):
                found.append(Fall(p, float(self.rho[i]), float(self.rho[j]), float(ratio[i]), float(ratio[j])))
        return tuple(found)

    def to_rows(self) -> list[dict[str, float]]:
        """One plain dictionary per prior and rho."""
        names = ("posterior", "risk_ratio", "correct_decision")
        return [
            {"prior": float(p), "rho": float(rho), **{name: float(getattr(self, name)[i, j]) for name in names}}
            for i, p in enumerate(self.prior)
            for j, rho in enumerate(self.rho)
        ]

    def to_pandas(self) -> Any:
        """A pandas data frame, one row per prior and rho."""
        return data_frame(self.to_rows(), instead=".to_rows()")

    def _repr_html_(self) -> str:
        return rows_html("Expected risk against rho", self.to_rows())


def single_level_curve(
    rho: Sequence[float] | FloatArray,
    priors: Sequence[float] = FIVE_PRIORS,
    scenario_name: str = "characteristics",
    present: bool = True,
    family: int = 1,
) -> BudgetCurve:
    """Expected posterior, ratio and right decisions of discrete Gaussian noise against rho, for several adversaries.

    :func:`expected_single_level` at each pair of p (``priors``) and rho, of a target (a person, or a ``family``) who is
    ``present`` or is not.

    Source: P4 Figures 2 and 3.
    Assumes one noisy count per adversary.
    Departs from print (P4-9): at small priors the ratio falls for a while as rho grows (``.falls``).
    """
    risks = [
        [expected_single_level(rho=float(value), prior=p, present=present, family=family) for value in rho]
        for p in priors
    ]
    return BudgetCurve(
        as_floats(rho),
        as_floats(priors),
        as_floats([[risk.posterior for risk in row] for row in risks]),
        as_floats([[risk.risk_ratio for risk in row] for row in risks]),
        as_floats([[risk.correct_decision for risk in row] for row in risks]),
        scenario(scenario_name),
        present,
    )


def _quadrature(noise: Noise, prior: float, present: bool, family: int) -> tuple[FloatArray, FloatArray]:
    """Points and weights with E g(Z) = sum of weight x g(point) for noise that is not rounded.

    The density is integrated panel by panel. Panels are a fraction of the noise's scale wide and meet wherever the
    integrand may have a kink or a jump: at 0, as many counts away as a family has members, and where the adversary's
    decision turns. In between the sum over the members is smooth.
    """
    scale = math.sqrt(noise.variance)
    shift = float(family) if present else 0.0

    def odds(z: float) -> float:
        return log_odds(prior) + float(log_likelihood_ratio(z + shift, noise, rounded=False, family=family))

    furthest = 45.0 * scale + family
    turn = (
        float(optimize.brentq(odds, -furthest, furthest, xtol=1e-14)) if odds(-furthest) * odds(furthest) < 0 else 0.0
    )
    anchors = as_floats([0.0, family - 2.0 * shift, turn])
    edges = np.unique((anchors[:, None] + scale * np.concatenate([-_PANELS[::-1], _PANELS])).ravel())
    half, middle = 0.5 * np.diff(edges), 0.5 * (edges[1:] + edges[:-1])
    points = middle[:, None] + half[:, None] * _NODES
    weights = half[:, None] * _WEIGHTS * noise.density(points)
    return points.ravel(), weights.ravel()
