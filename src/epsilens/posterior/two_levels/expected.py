"""Two levels, averaged over the noise: exact sums over the three noisy counts.

The log odds split as l1(x1*) + D(x2*, y*), with D of :mod:`~epsilens.posterior.two_levels.evidence`. So both the
expected posterior and decisions need one sum over the plane of (x2*, y*), of what is averaged over x1* as a function of
D. The published chain does not split; its transition probabilities are matrix products, one pair per x1*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.noise.published import NEGLIGIBLE, CountNoise
from epsilens.noise.sums import SumMethod, sum_approximation_error
from epsilens.notebook import brief, facts_html
from epsilens.posterior.odds import log_odds, tie_among
from epsilens.posterior.single import ExpectedRisk, log_likelihood_ratio
from epsilens.posterior.two_levels.averages import ChildEvidence
from epsilens.posterior.two_levels.evidence import blocks, parent_factors, plane_log_odds, refuse_too_many
from epsilens.posterior.two_levels.parent_priors import ParentPrior
from epsilens.posterior.two_levels.posterior import TwoLevelModel, two_level_model

special = LaterModule("scipy.special")

_UNDERFLOW = 1e-280
_MOST_CHAIN_STATES = 10_000_000
_MOST_CHAIN_TERMS = 300_000_000


@dataclass(frozen=True)
class ExpectedTwoLevel(ExpectedRisk):
    """Expected risk with the parent's and the siblings' counts, beside what the child's count alone would give.

    ``right_changes`` is the probability that the additional counts turn a wrong decision into a right one,
    ``wrong_changes`` the reverse; ``net_gain`` is their difference. ``sum_approximation_error`` is the total variation
    distance between the exact law of the siblings' noise and its discrete Gaussian approximation (nan for other
    laws).
    """

    correct_decision_alone: float
    right_changes: float
    wrong_changes: float
    sum_approximation_error: float
    law: str

    __repr__ = brief
    _repr_html_ = facts_html

    @property
    def net_gain(self) -> float:
        """How much more often the decision is right with the additional counts than without."""
        return self.right_changes - self.wrong_changes


def expected_two_level(
    parent: int,
    siblings: int,
    rho: tuple[float, float] | None = None,
    prior: float = 0.5,
    known: int = 0,
    parent_prior: ParentPrior | None = None,
    noise: tuple[Noise, Noise] | None = None,
    sum_law: SumMethod | None = None,
    published: bool = False,
    present: bool = True,
    family: int = 1,
) -> ExpectedTwoLevel:
    """The two-level adversary averaged over the noise: expected posterior, right decisions, changes of decision.

    sum over (x1*, x2*, y*) of f1(x1* - x1) f2(x2* - x2) fs(y* - (x2 - x1)) g(x1*, x2*, y*), with g the posterior of
    :func:`two_level`, or the indicator that it exceeds 1/2. Symbols: x2 is ``parent``, x1 is ``known`` + ``family``
    (``known`` if not ``present``), d is ``siblings``.

    Source: P4 Eqs. (3.3), (3.6) with section 3.2; Figures 4 to 6.
    Assumes what :func:`two_level` assumes.
    Departs from print (P4-2, P4-3): exact sums, and the model's own posterior; ``published=True`` averages the
    stationary law of the published chain instead.
    """
    model = two_level_model(rho, noise, siblings, parent_prior, sum_law, published, family)
    p, k = probability("prior", prior), whole("known", known, 0)
    child = k + model.family if present else k
    if whole("parent", parent, 0) < child:
        raise ParameterError(f"must not be below its child's count ({child})", parameter="parent", got=parent)
    seen = child_evidence(model, child - k, log_odds(p))
    if published:
        posterior, to_yes, to_no, undecided = _chain_averages(model, k, child, parent, seen)
    else:
        posterior, to_yes, to_no, undecided = _averages(model, k, child, parent, seen)
    posterior, yes_alone = min(1.0, posterior), seen.yes_alone
    yes = yes_alone + to_yes - to_no
    approximated = model.child.approximate_sum(siblings) is not None
    return ExpectedTwoLevel(
        posterior=posterior,
        risk_ratio=posterior / p,
        correct_decision=min(1.0, yes if present else 1.0 - yes),
        prior=p,
        present=present,
        undecided=undecided,
        error=5.0 * NEGLIGIBLE,
        correct_decision_alone=min(1.0, yes_alone if present else 1.0 - yes_alone),
        right_changes=to_yes if present else to_no,
        wrong_changes=to_no if present else to_yes,
        sum_approximation_error=sum_approximation_error(model.child, siblings) if approximated else float("nan"),
        law=model.law,
    )


def exceedance_two_level(
    threshold: float,
    parent: int,
    siblings: int,
    rho: tuple[float, float] | None = None,
    prior: float = 0.5,
    noise: tuple[Noise, Noise] | None = None,
    family: int = 1,
) -> float:
    """The probability, over the noise, that posterior / prior of a unique person who is there exceeds ``threshold``.

    P(R' > threshold | x1 = ``family``, x2 = ``parent``), with R' the ratio of :func:`two_level`'s posterior to p.

    Source: P4 Eq. (3.2) with section 3.2.
    Assumes what :func:`two_level` assumes.
    """
    model = two_level_model(rho, noise, siblings, None, None, False, family)
    p, m = probability("prior", prior), model.family
    if (bar := threshold * p) >= 1.0 or bar <= 0.0:
        return float(bar <= 0.0)
    seen = child_evidence(model, m, log_odds(p) - log_odds(bar))
    _, to_yes, to_no, _ = _averages(model, 0, m, whole("parent", parent, m), seen)
    return min(1.0, seen.yes_alone + to_yes - to_no)


def child_evidence(model: TwoLevelModel, more: int, start: float) -> ChildEvidence:
    """What the child's noisy count adds to log odds of ``start``, when it counts ``more`` people than are known.

    Refused where the noisy counts of parent and siblings that go with it would be too many.
    """
    refuse_too_many(2 * model.parent.reach(NEGLIGIBLE) + 1, 2 * model.siblings.reach(NEGLIGIBLE) + 1)
    reach = model.child.reach(NEGLIGIBLE)
    refuse_too_many(1, 2 * reach + 1)
    noise = np.arange(-reach, reach + 1.0)
    ratio = log_likelihood_ratio(noise + more, model.child, family=model.family)
    return ChildEvidence.of(start + ratio, np.exp(CountNoise(model.child).logpmf(noise)), tie_among(ratio))


def _averages(
    model: TwoLevelModel, known: int, child: int, parent: int, seen: ChildEvidence
) -> tuple[float, float, float, float]:
    """E posterior, P(no alone, yes with all counts), P(yes alone, no with all), P(exactly even)."""
    posterior = to_yes = to_no = even = 0.0
    alone = seen.yes_alone
    reaches = model.parent.reach(NEGLIGIBLE), model.siblings.reach(NEGLIGIBLE)
    for plane, weight in blocks(model, known, child, parent, *reaches):
        yes = seen.yes(plane)
        posterior += float((weight * seen.posterior(plane)).sum())
        to_yes += float((weight * np.maximum(yes - alone, 0.0)).sum())
        to_no += float((weight * np.maximum(alone - yes, 0.0)).sum())
        even += float((weight * (seen.yes_or_even(plane) - yes)).sum())
    return posterior, to_yes, to_no, even


def _chain_averages(
    model: TwoLevelModel, known: int, child: int, parent: int, seen: ChildEvidence
) -> tuple[float, float, float, float]:
    """The same for the stationary law of the published chain."""
    reaches = model.parent.reach(NEGLIGIBLE), model.siblings.reach(NEGLIGIBLE)
    refuse_too_many(2 * reaches[0] + 1, 2 * reaches[1] + 1, len(seen.odds), _MOST_CHAIN_STATES)
    eta2, etas = (np.arange(-reach, reach + 1.0) for reach in reaches)
    odds = _chain_odds(model, known, seen.odds, parent + eta2, (parent - child) + etas)
    plane_weight = np.exp(model.parent.logpmf(eta2))[:, None] * np.exp(model.siblings.logpmf(etas))
    weight = seen.weight[:, None, None] * plane_weight
    yes, alone = odds > seen.tie, (seen.odds > seen.tie)[:, None, None]
    return (
        float((weight * special.expit(odds)).sum()),
        float(weight[yes & ~alone].sum()),
        float(weight[~yes & alone].sum()),
        float(weight[np.abs(odds) <= seen.tie].sum()),
    )


def _chain_odds(
    model: TwoLevelModel, known: int, child_odds: FloatArray, noisy_parent: FloatArray, noisy_siblings: FloatArray
) -> FloatArray:
    """Log odds of the published chain's stationary law for every (x1*, x2*, y*); see ``two_levels._chain``."""
    refuse_too_many(len(noisy_parent), len(noisy_siblings), len(child_odds), _MOST_CHAIN_STATES)
    flows = []
    for child, sign in ((known, 1.0), (known + model.family, -1.0)):
        left, right, parents = parent_factors(model, child, noisy_parent, noisy_siblings)
        if not len(parents):
            raise DataError("the published chain cannot run: one of its two states leaves the parent no possible count")
        refuse_too_many(len(parents), len(noisy_siblings), len(child_odds), _MOST_CHAIN_TERMS)
        left = np.exp(left - left.max(axis=1, keepdims=True))
        right = np.exp(right - right.max(axis=0))
        difference = noisy_siblings - (parents[:, None] - known)
        step = model.siblings.logpmf(difference + model.family) - model.siblings.logpmf(difference)
        total = left @ right
        if not (total > _UNDERFLOW).all():
            raise DataError(
                "the published chain is computed for noisy counts that the parent's prior can explain",
                remedy="widen `parent_prior`",
            )
        flows.append(np.stack([left @ (right * special.expit(sign * (odds + step))) / total for odds in child_odds]))
    with np.errstate(divide="ignore"):
        return as_floats(np.log(flows[0]) - np.log(flows[1]))


@dataclass(frozen=True, eq=False)
class DecisionMap:
    """The adversary's decisions by noisy counts: axes child, parent, siblings. ``probability`` is under the truth."""

    child: FloatArray
    parent: FloatArray
    siblings: FloatArray
    present: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    present_alone: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    probability: FloatArray
    law: str

    __repr__ = brief
    _repr_html_ = facts_html


def decision_map(
    parent: int,
    siblings: int,
    rho: tuple[float, float],
    child_range: tuple[int, int] = (-1, 2),
    parent_range: tuple[int, int] = (-3, 5),
    siblings_range: tuple[int, int] = (-30, 30),
    prior: float = 0.5,
    known: int = 0,
    parent_prior: ParentPrior | None = None,
    published: bool = False,
    family: int = 1,
) -> DecisionMap:
    """Whether the adversary decides that the target is there, for every combination of noisy counts in a box.

    1[P(X_1 = k + m | x1*, x2*, y*) > 1/2], beside the same without x2* and y*; k is ``known``, m is ``family``.

    Source: P4 Figures 4, 10 and 11.
    Assumes what :func:`two_level` assumes; the probabilities assume that the target is there.
    Departs from print (P4-2): see :func:`two_level`.
    """
    model = two_level_model(rho, None, siblings, parent_prior, None, published, family)
    p, k = probability("prior", prior), whole("known", known, 0)
    if whole("parent", parent, 0) < (there := k + model.family):
        raise ParameterError(f"must not be below its child's count ({there})", parameter="parent", got=parent)
    x1, x2, y = (np.arange(low, high + 1.0) for low, high in (child_range, parent_range, siblings_range))
    child_odds = log_odds(p) + log_likelihood_ratio(x1 - k, model.child, family=model.family)
    if published:
        odds = _chain_odds(model, k, child_odds, x2, y)
    else:
        odds = child_odds[:, None, None] + plane_log_odds(model, k, x2, y)
    likelihood = (
        CountNoise(model.child).logpmf(x1 - there)[:, None, None]
        + model.parent.logpmf(x2 - parent)[:, None]
        + model.siblings.logpmf(y - (parent - there))
    )
    tie = tie_among(child_odds - log_odds(p))
    return DecisionMap(x1, x2, y, odds > tie, child_odds > tie, np.exp(likelihood), model.law)


def two_level_curve(
    parents: Sequence[int],
    siblings: int,
    rho: tuple[float, float],
    parent_rhos: Sequence[float] | None = None,
    prior: float = 0.5,
    published: bool = False,
    family: int = 1,
) -> dict[str, FloatArray]:
    """Right decisions and expected posterior against the parent's true count and its rho.

    :func:`expected_two_level` at each x2 of ``parents`` and each rho2 of ``parent_rhos`` (by default that of ``rho``
    only). Arrays of shape (parents, parent rhos).

    Source: P4 Figures 5 and 6.
    Assumes what :func:`two_level` assumes.
    Departs from print (P4-2): see :func:`two_level`.
    """
    budgets = list(parent_rhos) if parent_rhos is not None else [rho[1]]
    risks = [
        [
            expected_two_level(x2, siblings, (rho[0], budget), prior, published=published, family=family)
            for budget in budgets
        ]
        for x2 in parents
    ]
    columns = (
        "posterior",
        "risk_ratio",
        "correct_decision",
        "correct_decision_alone",
        "right_changes",
        "wrong_changes",
    )
    return {
        "parent": as_floats(parents),
        "parent_rho": as_floats(budgets),
        **{name: as_floats([[getattr(risk, name) for risk in row] for row in risks]) for name in columns},
    }
