"""What post-processing does to the risk: a parent's count is fixed first, and the children are made to add up to it.

Two steps are offered. ``"simplified"`` spreads the gap evenly over the children, then clips and rounds each on its
own. ``"constrained"`` is least squares under both constraints: non-negative children that sum to the parent, x_i =
max(z_i - tau, 0), then rounded so that the sum stays right. All noisy counts z_i are whole, so all positive x_i have
the same fraction; rounding up as many of them as the sum needs, drawn by lot, rounds each up with probability equal
to its fraction. Hence for the target's child

P(shown >= j | z_1) = integral over u in (0, 1) of P(x_1 >= j - 1 + u | z_1) du = E clip((s - j + 1 - A) / (N + 1), 0,
1),

with s the parent's shown count, N the number of siblings with z_i >= z_1 - j + 1 and A the sum of their excesses. The
joint law of (A, N) is a convolution over siblings: an exact law, without simulating a single release.

Whether post-processing raises risk is measured against the raw counts that the step used. The expected posterior of a
target who is there cannot rise (it is an f-divergence of what is seen, and those fall under any processing), and we
check it. It *can* exceed the risk from the child's raw count alone, because the step mixes in the siblings; and the
probability of a right decision about somebody who is there can rise as well, at the expense of those who are not.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import one_of, probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.published import NEGLIGIBLE, CountNoise, within_reach
from epsilens.noise.sums import SumMethod, noise_of_sum
from epsilens.notebook import brief, facts_html, rows_html
from epsilens.posterior.categories import expected_share
from epsilens.posterior.noises import one_noise
from epsilens.posterior.odds import log_odds, tie_among
from epsilens.posterior.single import expected_single_level
from epsilens.posterior.two_levels.expected import expected_two_level
from epsilens.posterior.two_levels.parent_priors import PointParent

special = LaterModule("scipy.special")

Step: TypeAlias = Literal["simplified", "constrained"]

_MOST_SHOWN = 1_000_000
_MOST_SIBLINGS = 1_000_000
_MOST_STATES = 20_000_000


@dataclass(frozen=True)
class PostprocessingRisk:
    """Risk from the child's post-processed count, beside the risks from raw counts.

    ``posterior`` and ``correct_decision`` are averages when the target is there; ``raw_posterior`` is from all raw
    counts that the step used, ``raw_posterior_child`` from the child's alone. ``overall_accuracy`` averages right
    decisions over a target who is there with probability ``prior``.
    """

    step: Step
    shown_parent: int
    posterior: float
    raw_posterior: float
    raw_posterior_child: float
    correct_decision: float
    raw_correct_decision_child: float
    overall_accuracy: float
    prior: float

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def risk_ratio(self) -> float:
        """Expected posterior over prior."""
        return self.posterior / self.prior

    @property
    def raises_risk(self) -> bool:
        """Whether the expected posterior exceeds that from all raw counts: it should never."""
        return self.posterior > self.raw_posterior + 1e-10

    @property
    def exceeds_child_alone(self) -> bool:
        """Whether it exceeds that from the child's raw count alone, which it may."""
        return self.posterior > self.raw_posterior_child + 1e-10


def postprocessing_risk(
    shown_parent: int,
    siblings: int,
    rho: float | None = None,
    prior: float = 0.5,
    parent: int = 1,
    known: int = 0,
    step: Step = "simplified",
    noise: Noise | None = None,
    sum_law: SumMethod = "exact",
    sibling_counts: Sequence[int] | None = None,
) -> PostprocessingRisk:
    """The expected posterior of an adversary who sees the child's count after post-processing.

    sum over x~1 of P(X_1 = x_1 | x~1, x~2) P(x~1 | x_1, x~2). Symbols: x~2 is ``shown_parent``, taken as given; the
    adversary knows the parent's true count x2 (``parent``), so that without the target in the child one sibling holds
    one person more. ``sibling_counts`` (default: none but the first has anybody) matter to ``"constrained"`` only.

    Source: P4 Eqs. (S6.2) to (S6.8).
    Assumes that x~2 carries no information, and that of the children only x~1 is looked at.
    Departs from print (P4-3): the siblings' noise is exact unless ``sum_law="approximate"``; halves round up.
    """
    law, p = one_noise(rho, noise), probability("prior", prior)
    one_of("step", step, get_args(Step))
    shown, d, k = whole("shown_parent", shown_parent, 0), whole("siblings", siblings, 1), whole("known", known, 0)
    rest = whole("parent", parent, 0) - k - 1
    if rest < 0:
        raise ParameterError(f"must not be below its child's count ({k + 1})", parameter="parent", got=parent)
    _refuse_too_many(max(shown, 1), _MOST_SHOWN, "shown_parent")
    _refuse_too_many(d, _MOST_SIBLINGS, "siblings")
    others = list(sibling_counts) if sibling_counts is not None else [rest] + [0] * (d - 1)
    if len(others) != d or sum(others) != rest or min(others) < 0:
        raise DataError(
            f"must be {d} counts >= 0 that sum to {rest}, the parent's count without the child's",
            parameter="sibling_counts",
        )
    if step == "simplified":
        present, absent = (_simplified(law, d, shown, k + j, parent - k - j, sum_law) for j in (1, 0))
        raw = expected_two_level(
            parent, d, noise=(law, law), prior=p, known=k, parent_prior=PointParent(parent), sum_law=sum_law
        ).posterior
    else:
        present = _constrained(law, shown, k + 1, Counter(others))
        absent = _one_elsewhere(law, shown, k, others)
        raw = expected_share(law, math.log(p), np.full(1, math.log1p(-p) - math.log(d)), np.full(1, d))[0]
    seen = (present > 0) | (absent > 0)
    with np.errstate(divide="ignore"):
        odds = log_odds(p) + np.log(present[seen]) - np.log(absent[seen])
    posterior = float(present[seen] @ special.expit(odds))
    tie = tie_among(odds[np.isfinite(odds)] - log_odds(p))
    yes, yes_absent = float(present[seen][odds > tie].sum()), float(absent[seen][odds > tie].sum())
    alone = expected_single_level(prior=p, noise=law)
    return PostprocessingRisk(
        step,
        shown,
        posterior,
        raw,
        alone.posterior,
        yes,
        alone.correct_decision,
        p * yes + (1.0 - p) * (1.0 - yes_absent),
        p,
    )


def _refuse_too_many(value: int, most: int, name: str) -> None:
    if value > most:
        raise ParameterError(f"must be at most {most:,}, since every case of post-processing is listed", parameter=name)


def _refuse_wide(states: float, most: int) -> None:
    if states > most:
        raise ParameterError(
            f"post-processing has {states:.2g} cases at this size, more than the {most:.0g} that are listed",
            remedy="use a larger `rho`, fewer `siblings`, or a smaller count of the parent",
        )


def _simplified(noise: Noise, d: int, shown: int, child: int, others: int, sum_law: SumMethod) -> FloatArray:
    """P(x~1 = 0 .. shown) for f(x1*, y*, x~2) = clip(round((d x1* + x~2 - y*) / (d + 1)), 0, x~2)."""
    total = noise_of_sum(noise, d, sum_law)
    _refuse_wide(noise.reach(NEGLIGIBLE) * (shown + 1.0), _MOST_STATES)
    _refuse_wide(total.reach(NEGLIGIBLE), _MOST_STATES)
    eta, logpmf = within_reach(CountNoise(noise), NEGLIGIBLE)
    eta_sum, logpmf_sum = within_reach(total, NEGLIGIBLE)
    below = np.append(0.0, np.cumsum(np.exp(logpmf_sum)))  # P(sum of noise <= -reach - 1 + i)
    # shown >= j means that the gap d x1* + x~2 - y* is at least (2 j - 1) (d + 1) / 2, rounded up
    bars = -((1 - 2 * np.arange(1, shown + 1)) * (d + 1) // 2)
    highest = (d * (child + eta) + shown - others).astype(np.int64)[:, None] - bars
    at_least = np.exp(logpmf) @ below[np.clip(highest - int(eta_sum[0]) + 1, 0, len(below) - 1)]
    everything = float(np.exp(logpmf).sum() * below[-1])
    return as_floats(np.maximum(-np.diff(np.concatenate([[everything], at_least, [0.0]])), 0.0))


def _constrained(noise: Noise, shown: int, child: int, sibling_counts: Counter[int]) -> FloatArray:
    """P(x~1 = 0 .. shown) after constrained least squares and sum-preserving rounding."""
    if shown == 0:
        return np.ones(1)
    bars_needed = 2.0 * noise.reach(NEGLIGIBLE) + 1.0 + shown
    _refuse_wide(bars_needed * (sum(sibling_counts.values()) + 1.0) * (shown + 1.0), _MOST_STATES)
    eta, logpmf = within_reach(CountNoise(noise), NEGLIGIBLE)
    z = (child + eta).astype(np.int64)
    bars = np.arange(z[0] - shown + 1, z[-1] + 1)  # z_1 - j + 1 for every z_1 and every j = 1 .. shown
    rivals = _rivals(noise, bars, sibling_counts, shown)
    number = np.arange(rivals.shape[1])
    excess = np.arange(shown + 1)
    at_least = np.ones(shown + 2)
    at_least[-1] = 0.0
    weight = np.exp(logpmf)
    for j in range(1, shown + 1):
        share = np.clip((shown - j + 1 - excess[None, :]) / (number[:, None] + 1.0), 0.0, 1.0)
        by_bar = np.einsum("bna,na->b", rivals, share)
        at_least[j] = float(weight @ by_bar[z - j + 1 - bars[0]])
    at_least[0] = float(weight.sum())
    return as_floats(np.maximum(-np.diff(at_least), 0.0))


def _one_elsewhere(noise: Noise, shown: int, child: int, others: Sequence[int]) -> FloatArray:
    """The same when the target is in one of the siblings, each equally likely."""
    total = np.zeros(shown + 1)
    for count, times in Counter(others).items():
        moved = Counter(others)
        moved.subtract([count])
        moved.update([count + 1])
        total += times * _constrained(noise, shown, child, +moved)
    return total / len(others)


def _rivals(
    noise: Noise, bars: np.ndarray[tuple[int], np.dtype[np.int64]], counts: Counter[int], most: int
) -> FloatArray:
    """P(N = n, A = a) for a <= ``most``, by bar: how many siblings reach the bar, and the sum of their excesses.

    The largest group of equal siblings is binomial in N with convolution powers of one excess; the others are added
    one by one.
    """
    (main, times), *smaller = counts.most_common()
    below, reach = _one_rival(noise, bars, main, most)
    law = np.zeros((len(bars), sum(counts.values()) + 1, most + 1))
    power, scale = np.zeros((len(bars), most + 1)), np.zeros(len(bars))
    power[:, 0] = 1.0
    n_all = np.arange(times + 1)
    log_choose = special.gammaln(times + 1) - special.gammaln(n_all + 1) - special.gammaln(times - n_all + 1)
    for n in range(times + 1):  # powers of the excess next to their largest entry, so that none underflows
        law[:, n] = np.exp(log_choose[n] + special.xlogy(times - n, below) + scale)[:, None] * power
        power = _convolved(power[:, None, :], reach)[:, 0]
        largest = np.where((top := power.max(axis=1)) > 0.0, top, 1.0)
        power, scale = power / largest[:, None], scale + np.where(top > 0.0, np.log(largest), -np.inf)
    for count, more in smaller:
        below, reach = _one_rival(noise, bars, count, most)
        for _ in range(more):
            joined = below[:, None, None] * law
            joined[:, 1:] += _convolved(law[:, :-1], reach)
            law = joined
    return law


def _one_rival(
    noise: Noise, bars: np.ndarray[tuple[int], np.dtype[np.int64]], count: int, most: int
) -> tuple[FloatArray, FloatArray]:
    """P(count + noise < bar), and P(count + noise = bar + a) for a = 0 .. ``most``."""
    law = CountNoise(noise)
    below = noise.cdf(bars - count - 0.5)
    return as_floats(below), np.exp(law.logpmf(bars[:, None] - count + np.arange(most + 1)))


def _convolved(law: FloatArray, step: FloatArray) -> FloatArray:
    """Convolution along the last axis, cut to its length; ``step`` has one row per bar."""
    out = np.zeros_like(law)
    for a in range(law.shape[-1]):
        out[..., a:] += step[:, None, a : a + 1] * law[..., : law.shape[-1] - a]
    return out


@dataclass(frozen=True)
class PostprocessingCheck:
    """Risks with and without post-processing over a grid, and whether "it does not raise risk" held everywhere."""

    rows: tuple[PostprocessingRisk, ...]
    rhos: tuple[float, ...]

    __repr__ = brief

    def _repr_html_(self) -> str:
        return rows_html("Does post-processing change the risk?", [vars(row) for row in self.rows])

    @property
    def never_raises_risk(self) -> bool:
        """Against all raw counts that the step used."""
        return not any(row.raises_risk for row in self.rows)

    @property
    def largest_increase(self) -> float:
        """The largest expected posterior with, less that without post-processing; negative when it always fell."""
        return max(row.posterior - row.raw_posterior for row in self.rows)

    @property
    def verdict(self) -> str:
        """What was found, in words."""
        beyond = sum(row.exceeds_child_alone for row in self.rows)
        decided = sum(row.correct_decision > row.raw_correct_decision_child + 1e-10 for row in self.rows)
        claim = "held" if self.never_raises_risk else "FAILED"
        return (
            f"Post-processing does not raise the expected posterior: {claim} over {len(self.rows)} cases against all "
            f"raw counts (largest change {self.largest_increase:+.2e}). It exceeded the child's raw count alone in "
            f"{beyond} of them, and made a right decision about a person who is there more likely in {decided}."
        )


def postprocessing_check(
    shown_parents: Sequence[int],
    siblings: int,
    rhos: Sequence[float],
    prior: float = 0.5,
    steps: Sequence[Step] = ("simplified", "constrained"),
) -> PostprocessingCheck:
    """Risk with and without post-processing for every shown parent count, rho and step.

    :func:`postprocessing_risk` over a grid: x~2 runs through ``shown_parents``, rho_1 through ``rhos``.

    Source: P4 section S6 and Figure 12.
    Assumes what :func:`postprocessing_risk` assumes.
    """
    grid = [(step, rho, shown) for step in steps for rho in rhos for shown in shown_parents]
    rows = tuple(postprocessing_risk(shown, siblings, rho, prior, step=step) for step, rho, shown in grid)
    return PostprocessingCheck(rows, tuple(rho for _, rho, _ in grid))
