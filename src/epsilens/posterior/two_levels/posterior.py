"""Two levels: the adversary also sees the noisy count of the parent group and the siblings' noisy total.

X_1 is the target group's count (``known``, or one more), X_2 the parent's, X_2 - X_1 the sum over the d siblings. The
posterior carries 1[X_2 >= X_1] for both values of X_1; X_2 is summed out, so nothing is simulated.

A family of m who are there together or not at all makes X_1 ``known`` or ``known`` + m; the parent counts them as well.

The published chain is another matter. Its X_1 step leaves 1[X_2 >= X_1] out: standing at X_2 = ``known`` it may still
draw X_1 = ``known`` + 1, which the model forbids. A two-state chain has a closed stationary law, and that is what
``published=True`` computes: what the paper's sampler converges to.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.checks import probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.published import CountLaw, CountNoise
from epsilens.noise.sums import SumMethod, noise_of_sum
from epsilens.notebook import brief, facts_html
from epsilens.posterior.noises import countable, family_size, several_noises
from epsilens.posterior.odds import log_odds
from epsilens.posterior.single import PosteriorProbability, log_likelihood_ratio
from epsilens.posterior.two_levels.parent_priors import ParentPrior, UniformParent, counts_of

special = LaterModule("scipy.special")

EXACT_LAW = "exact posterior"
CHAIN_LAW = "stationary law of the published chain, whose X1 step ignores that a parent counts at least its child"

_FAR = 1e-30
_LARGEST_FAMILY = 1_000
_WIDEST = 2_000_000


@dataclass(frozen=True)
class TwoLevelModel:
    """The noise of the child, of the parent and of the siblings' total, and the adversary's prior on the parent."""

    child: Noise
    parent: CountLaw
    siblings: CountLaw
    parent_prior: ParentPrior
    published: bool
    family: int = 1
    """By how much the child's count, and with it the parent's, is larger if the target is there."""

    @property
    def law(self) -> str:
        """Which law the numbers are of."""
        return CHAIN_LAW if self.published else EXACT_LAW


@dataclass(frozen=True)
class TwoLevelPosterior:
    """What the adversary concludes from three noisy counts.

    ``posterior`` is P(the target is there | data), ``parent_pmf`` the posterior of the parent's count, ``alone`` the
    posterior from the child's noisy count only. ``law`` says whether this is the model's posterior or the published
    chain's.
    """

    posterior: float
    risk_ratio: float
    alone: PosteriorProbability
    parent_pmf: dict[int, float]
    prior: float
    law: str

    __repr__ = brief
    _repr_html_ = facts_html


def two_level_model(
    rho: tuple[float, float] | None,
    noise: tuple[Noise, Noise] | None,
    siblings: int,
    parent_prior: ParentPrior | None,
    sum_law: SumMethod | None,
    published: bool,
    family: int = 1,
) -> TwoLevelModel:
    """The model from what a caller says; the published one approximates the siblings' noise unless told otherwise."""
    child, parent = several_noises(rho, noise, 2, "level", most=2)
    if whole("siblings", siblings, 0) == 0:
        raise ParameterError(
            "must be >= 1",
            parameter="siblings",
            got=0,
            remedy="an only child's parent counts the same people, so it is unique at both levels",
        )
    method: SumMethod = sum_law or ("approximate" if published else "exact")
    prior = parent_prior if parent_prior is not None else UniformParent()
    if (members := family_size(family)) > _LARGEST_FAMILY:
        raise ParameterError(
            f"must be at most {_LARGEST_FAMILY:,} where the level above is summed out", parameter="family", got=members
        )
    total = noise_of_sum(child, siblings, method)
    return TwoLevelModel(child, CountNoise(parent), total, prior, published, members)


def two_level(
    noisy: int,
    noisy_parent: int,
    noisy_siblings: int,
    siblings: int,
    rho: tuple[float, float] | None = None,
    prior: float = 0.5,
    known: int = 0,
    parent_prior: ParentPrior | None = None,
    noise: tuple[Noise, Noise] | None = None,
    sum_law: SumMethod | None = None,
    published: bool = False,
    family: int = 1,
) -> TwoLevelPosterior:
    """The adversary's posterior given the noisy counts of the group, of its parent and of its siblings' total.

    P(X_1 = k1, X_2 = k2 | data) is proportional to
    P(k1) P(k2 | k1) f1(x1* - k1) f2(x2* - k2) fs(y* - (k2 - k1)) 1[k2 >= k1]; X_2 is summed out. Symbols: x1*, x2*, y*
    are ``noisy``, ``noisy_parent``, ``noisy_siblings``; k1 is ``known`` or ``known`` + ``family`` (1 in print); f1, f2
    are the noises of the two levels (``rho``: child first) and fs that of a sum of ``siblings`` counts.

    Source: P4 Eqs. (3.8), (3.9) and (S3.4).
    Assumes independent noise and a prior on the siblings' *sum*, not on each sibling.
    Departs from print (P4-2, P4-3): the printed sampler drops 1[k2 >= k1] in its X_1 step; ``published=True`` gives its
    stationary law. No sampling either way.
    """
    model = two_level_model(rho, noise, siblings, parent_prior, sum_law, published, family)
    p, k = probability("prior", prior), whole("known", known, 0)
    x1, x2, y = (
        countable(name, count)
        for name, count in (("noisy", noisy), ("noisy_parent", noisy_parent), ("noisy_siblings", noisy_siblings))
    )
    child_odds = log_odds(p) + float(log_likelihood_ratio(x1 - k, model.child, family=model.family))
    parents = _parent_grid(model, k, x2, y)
    joint = np.stack([parent_weights(model, child, parents, x2, y) for child in (k, k + model.family)])
    top = joint.max(initial=-np.inf)
    if not np.isfinite(top):
        raise DataError(
            "no state of the parent can explain these noisy counts under the prior given, so the posterior is "
            "undefined",
            remedy="widen `parent_prior` or check the noisy counts",
        )
    totals = special.logsumexp(joint, axis=1)
    if published:
        odds, pmf = _chain(model, k, joint, totals, parents, y, child_odds)
    else:
        odds = child_odds + float(totals[1] - totals[0])
        relative = joint + np.asarray([0.0, child_odds])[:, None]
        pmf = np.exp(special.logsumexp(relative, axis=0) - special.logsumexp(relative))
    posterior = PosteriorProbability(odds, p)
    return TwoLevelPosterior(
        posterior.posterior,
        posterior.risk_ratio,
        PosteriorProbability(child_odds, p),
        {int(count): float(q) for count, q in zip(parents, pmf, strict=True) if q > 1e-16},
        p,
        model.law,
    )


def parent_weights(
    model: TwoLevelModel, child: int, parents: FloatArray, noisy_parent: int, noisy_siblings: int
) -> FloatArray:
    """Log of P(k2 | k1) f2(x2* - k2) fs(y* - (k2 - k1)) for every parent count k2, at child count k1."""
    prior = model.parent_prior.logpmf(parents, child)
    possible = np.isfinite(prior)
    weights = np.full(parents.shape, -np.inf)
    k2 = parents[possible]
    weights[possible] = prior[possible] + model.parent.logpmf(noisy_parent - k2)
    weights[possible] += model.siblings.logpmf(noisy_siblings - (k2 - child))
    return weights


def _parent_grid(model: TwoLevelModel, known: int, noisy_parent: int, noisy_siblings: int) -> FloatArray:
    """All parent counts that matter. f2 and fs fall away from x2* and y* + k1: their product has its mode between."""
    margin = model.parent.reach(_FAR)
    centres = (noisy_parent, noisy_siblings + known, noisy_siblings + known + model.family)
    return np.union1d(
        *(
            counts_of(model.parent_prior, child, min(centres), max(centres), margin, _WIDEST)
            for child in (known, known + model.family)
        )
    )


def _chain(
    model: TwoLevelModel,
    known: int,
    joint: FloatArray,
    totals: FloatArray,
    parents: FloatArray,
    noisy_siblings: int,
    child_odds: float,
) -> tuple[float, FloatArray]:
    """Log odds of X_1 and the law of X_2 under the stationary law of the published chain.

    From X_1 = k1 the chain draws X_2 from its (correct) conditional and then X_1 by the odds
    f1(x1* - k - m) fs(y* - (k2 - k - m)) / (f1(x1* - k) fs(y* - (k2 - k))), never asking whether k2 >= k1.
    """
    if not np.isfinite(totals).all():
        raise DataError("the published chain cannot run: one of its two states leaves the parent no possible count")
    conditional = joint - totals[:, None]
    reached = np.isfinite(conditional).any(axis=0)
    step = np.zeros(parents.shape)
    difference = noisy_siblings - (parents[reached] - known)
    step[reached] = model.siblings.logpmf(difference + model.family) - model.siblings.logpmf(difference)
    upwards = float(special.logsumexp(conditional[0] + special.log_expit(child_odds + step)))
    downwards = float(special.logsumexp(conditional[1] + special.log_expit(-child_odds - step)))
    stationary = special.log_expit([downwards - upwards, upwards - downwards])
    return upwards - downwards, np.exp(special.logsumexp(conditional + stationary[:, None], axis=0))
