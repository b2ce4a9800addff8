"""Two levels, averaged over the noise: exact sums over the three noisy counts.

The log odds split as l1(x1*) + D(x2*, y*), with D = log S_1 - log S_0 and
S_j = sum over k2 of P(k2 | known + j) f2(x2* - k2) fs(y* - k2 + known + j): one matrix product per j. So decisions need
the plane of (x2*, y*) only, and expected posteriors one more vectorised sum over x1*. The published chain does not
split, but its transition probabilities are matrix products as well, one pair per x1*.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import special

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.noise import Noise
from epsilens.noise.published import NEGLIGIBLE, CountLaw, CountNoise, within_reach
from epsilens.noise.sums import SumMethod, sum_approximation_error
from epsilens.notebook import brief, facts_html
from epsilens.posterior.odds import TIE, log_odds
from epsilens.posterior.single import ExpectedRisk, log_likelihood_ratio
from epsilens.posterior.two_levels.parent_priors import ParentPrior, UniformParent
from epsilens.posterior.two_levels.posterior import TwoLevelModel, two_level_model

_TINY = 1e-270
_MOST_STATES = 1_000_000_000
_MOST_PLANE_STATES = 30_000_000
_BLOCK = 2_000_000


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


@dataclass(frozen=True, eq=False)
class _Truth:
    """The noisy counts that can occur, with their probabilities, when the counts are what they are."""

    child: FloatArray
    child_weight: FloatArray
    parent: FloatArray
    siblings: FloatArray
    plane_weight: FloatArray  # (parent, siblings)


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
) -> ExpectedTwoLevel:
    """The two-level adversary averaged over the noise: expected posterior, right decisions, changes of decision.

    sum over (x1*, x2*, y*) of f1(x1* - x1) f2(x2* - x2) fs(y* - (x2 - x1)) g(x1*, x2*, y*), with g the posterior of
    :func:`two_level`, or the indicator that it exceeds 1/2. Symbols: x2 is ``parent``, x1 is ``known`` + 1
    (``known`` if not ``present``), d is ``siblings``.

    Source: P4 Eqs. (3.3), (3.6) with section 3.2; Figures 4 to 6.
    Assumes what :func:`two_level` assumes.
    Departs from print (P4-2, P4-3): exact sums, and the model's own posterior; ``published=True`` averages the
    stationary law of the published chain instead.
    """
    model = two_level_model(rho, noise, siblings, parent_prior, sum_law, published)
    p, k = probability("prior", prior), whole("known", known, 0)
    child = k + 1 if present else k
    if whole("parent", parent, 0) < child:
        raise ParameterError(f"must not be below its child's count ({child})", parameter="parent", got=parent)
    truth = _truth(model, child, parent)
    child_odds = log_odds(p) + log_likelihood_ratio(truth.child - k, model.child)
    alone = child_odds > TIE
    if published:
        odds = _chain_odds(model, k, child_odds, truth.parent, truth.siblings)
        says_yes = odds > TIE
        even = np.abs(odds) <= TIE
        weight = truth.child_weight[:, None, None] * truth.plane_weight
        posterior = float((weight * special.expit(odds)).sum())
        to_yes = float(weight[says_yes & ~alone[:, None, None]].sum())
        to_no = float(weight[~says_yes & alone[:, None, None]].sum())
        undecided = float(weight[even].sum())
    else:
        plane = plane_log_odds(model, k, truth.parent, truth.siblings)
        kept = truth.plane_weight > NEGLIGIBLE / truth.plane_weight.size
        difference, weight = plane[kept], truth.plane_weight[kept]
        posterior = _mean_posterior(truth.child_weight, child_odds, weight, difference)
        to_yes, to_no, undecided = _changes(truth.child_weight, child_odds, weight, difference)
    yes_alone = float(truth.child_weight[alone].sum())
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
) -> float:
    """The probability, over the noise, that posterior / prior of a unique person who is there exceeds ``threshold``.

    P(R' > threshold | x1 = 1, x2 = ``parent``), with R' the ratio of :func:`two_level`'s posterior to p.

    Source: P4 Eq. (3.2) with section 3.2.
    Assumes what :func:`two_level` assumes.
    """
    model = two_level_model(rho, noise, siblings, None, None, False)
    p = probability("prior", prior)
    if (bar := threshold * p) >= 1.0 or bar <= 0.0:
        return float(bar <= 0.0)
    truth = _truth(model, 1, whole("parent", parent, 1))
    child_odds = log_odds(p) - log_odds(bar) + log_likelihood_ratio(truth.child, model.child)
    plane = plane_log_odds(model, 0, truth.parent, truth.siblings).ravel()
    to_yes, to_no, _ = _changes(truth.child_weight, child_odds, truth.plane_weight.ravel(), plane)
    return min(1.0, float(truth.child_weight[child_odds > TIE].sum()) + to_yes - to_no)


def _truth(model: TwoLevelModel, child: int, parent: int) -> _Truth:
    eta1, log1 = within_reach(CountNoise(model.child))
    eta2, log2 = within_reach(model.parent)
    etas, logs = within_reach(model.siblings)
    refuse_too_many(len(eta1), len(eta2), len(etas), _MOST_PLANE_STATES if model.published else _MOST_STATES)
    plane = np.exp(log2)[:, None] * np.exp(logs)
    return _Truth(child + eta1, np.exp(log1), parent + eta2, (parent - child) + etas, plane)


def refuse_too_many(child: int, parent: int, siblings: int, most: int = _MOST_STATES) -> None:
    """Refuse sums over more combinations of noisy counts than fit."""
    points = child * parent * siblings
    if points > most or parent * siblings > _MOST_PLANE_STATES:
        raise ParameterError(
            f"noise this large makes {points} combinations of noisy counts, too many to sum",
            remedy="with so small a budget the posterior hardly differs from the prior, so use a larger `rho`",
        )


def plane_log_odds(
    model: TwoLevelModel,
    known: int,
    noisy_parent: FloatArray,
    noisy_siblings: FloatArray,
    wanted: npt.NDArray[np.bool_] | None = None,
) -> FloatArray:
    """D(x2*, y*) of the module docstring: what the parent and the siblings add to the log odds.

    Outside of ``wanted`` a value that underflowed may be nan.
    """
    if model.parent_prior == UniformParent():
        # one child more is then one noisy person less in the parent: both sums are rows of one plane
        longer = np.append(noisy_parent[0] - 1.0, noisy_parent)
        both = _plane_sum(model, known, longer, noisy_siblings)
        sums = [both[1:], both[:-1]]
    else:
        sums = [_plane_sum(model, known + j, noisy_parent, noisy_siblings) for j in (0, 1)]
    lost = (sums[0] < _TINY) & (sums[1] < _TINY)
    if wanted is not None:
        lost &= wanted
    with np.errstate(divide="ignore", invalid="ignore"):
        plane = np.log(sums[1]) - np.log(sums[0])
    if lost.any():
        for i, j in np.argwhere(lost):
            plane[i, j] = _one_plane_point(model, known, noisy_parent[i], noisy_siblings[j])
    return as_floats(plane)


def _grid(model: TwoLevelModel, child: int, noisy_parent: FloatArray, noisy_siblings: FloatArray) -> FloatArray:
    """The parent counts that matter for any of the noisy counts: between x2* and y* + k1, and a margin around."""
    low, high = model.parent_prior.support(child)
    if high is not None:
        return np.arange(low, high + 1, dtype=np.float64)
    margin = model.parent.reach(1e-20)
    bottom = min(noisy_parent.min(), noisy_siblings.min() + child) - margin
    top = max(low, noisy_parent.max(), noisy_siblings.max() + child) + margin
    return np.arange(max(low, bottom), top + 1.0)


def _plane_sum(model: TwoLevelModel, child: int, noisy_parent: FloatArray, noisy_siblings: FloatArray) -> FloatArray:
    """S_j on the plane; noise depends on differences only, so each law is evaluated once per difference."""
    parents = _grid(model, child, noisy_parent, noisy_siblings)
    if not len(parents):
        return np.zeros((len(noisy_parent), len(noisy_siblings)))
    prior = np.exp(model.parent_prior.logpmf(parents, child))
    return (prior * _toeplitz(model.parent, noisy_parent, parents)) @ _toeplitz(
        model.siblings, parents - child, noisy_siblings
    )


def _toeplitz(law: CountLaw, rows: FloatArray, columns: FloatArray) -> FloatArray:
    """The law's probabilities of row - column, for runs of consecutive whole numbers."""
    lowest = rows[0] - columns[-1]
    differences = np.arange(lowest, rows[-1] - columns[0] + 1.0)
    values = np.exp(law.logpmf(differences))
    windows = np.lib.stride_tricks.sliding_window_view(values, len(columns))
    return np.ascontiguousarray(windows[:, ::-1])  # a product of strided views would not use the fast routines


def _one_plane_point(model: TwoLevelModel, known: int, noisy_parent: float, noisy_siblings: float) -> float:
    """One point of the plane in logarithms, for noisy counts that the prior finds all but impossible."""
    totals = []
    for child in (known, known + 1):
        parents = _grid(model, child, as_floats([noisy_parent]), as_floats([noisy_siblings]))
        weights = model.parent_prior.logpmf(parents, child) + model.parent.logpmf(noisy_parent - parents)
        totals.append(float(special.logsumexp(weights + model.siblings.logpmf(noisy_siblings - (parents - child)))))
    if np.isinf(totals).all():
        raise DataError(
            "some noisy counts that can occur have no explanation under the parent's prior",
            remedy="widen `parent_prior`",
        )
    return totals[1] - totals[0]


def _mean_posterior(child_weight: FloatArray, child_odds: FloatArray, weight: FloatArray, plane: FloatArray) -> float:
    """Sum of the two weights times 1 / (1 + e^-(l1 + D)); the exponential factorises, so no exp per term."""
    total, size = 0.0, max(1, _BLOCK // len(child_odds))
    for start in range(0, len(plane), size):
        block = slice(start, start + size)
        with np.errstate(over="ignore", invalid="ignore"):
            odds_against = np.outer(np.exp(-child_odds), np.exp(-plane[block]))
            # 0 x infinity: both counts are all but certain, of opposite things; redo those by their sum
            if (unclear := np.isnan(odds_against)).any():
                odds_against[unclear] = np.exp(-(child_odds[:, None] + plane[block])[unclear])
            total += float(child_weight @ (1.0 / (1.0 + odds_against)) @ weight[block])
    return total


def _changes(
    child_weight: FloatArray, child_odds: FloatArray, weight: FloatArray, plane: FloatArray
) -> tuple[float, float, float]:
    """P(no alone, yes with all counts), P(yes alone, no with all), P(exactly even); by sums over sorted l1."""
    order = np.argsort(child_odds)
    above = np.append(np.cumsum(child_weight[order][::-1])[::-1], 0.0)  # P(l1 >= the i-th)
    ascending = child_odds[order]
    yes = above[np.searchsorted(ascending, TIE - plane, side="right")]
    yes_or_even = above[np.searchsorted(ascending, -TIE - plane, side="left")]
    yes_alone = above[np.searchsorted(ascending, TIE, side="right")]
    to_yes, to_no = np.maximum(yes - yes_alone, 0.0), np.maximum(yes_alone - yes, 0.0)
    return float(weight @ to_yes), float(weight @ to_no), float(weight @ (yes_or_even - yes))


def _chain_odds(
    model: TwoLevelModel, known: int, child_odds: FloatArray, noisy_parent: FloatArray, noisy_siblings: FloatArray
) -> FloatArray:
    """Log odds of the published chain's stationary law for every (x1*, x2*, y*); see ``two_levels._chain``."""
    flows = []
    for child, sign in ((known, 1.0), (known + 1, -1.0)):
        parents = _grid(model, child, noisy_parent, noisy_siblings)
        if not len(parents):
            raise DataError("the published chain cannot run: one of its two states leaves the parent no possible count")
        left = np.exp(model.parent_prior.logpmf(parents, child)) * _toeplitz(model.parent, noisy_parent, parents)
        right = _toeplitz(model.siblings, parents - child, noisy_siblings)
        difference = noisy_siblings - (parents[:, None] - known)
        step = model.siblings.logpmf(difference + 1.0) - model.siblings.logpmf(difference)
        total = left @ right
        if (total < _TINY).any():
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
) -> DecisionMap:
    """Whether the adversary decides that the target is there, for every combination of noisy counts in a box.

    1[P(X_1 = k + 1 | x1*, x2*, y*) > 1/2], beside the same without x2* and y*; k is ``known``.

    Source: P4 Figures 4, 10 and 11.
    Assumes what :func:`two_level` assumes; the probabilities assume that the target is there.
    Departs from print (P4-2): see :func:`two_level`.
    """
    model = two_level_model(rho, None, siblings, parent_prior, None, published)
    p, k = probability("prior", prior), whole("known", known, 0)
    if whole("parent", parent, 0) < k + 1:
        raise ParameterError(f"must not be below its child's count ({k + 1})", parameter="parent", got=parent)
    x1, x2, y = (np.arange(low, high + 1.0) for low, high in (child_range, parent_range, siblings_range))
    child_odds = log_odds(p) + log_likelihood_ratio(x1 - k, model.child)
    if published:
        odds = _chain_odds(model, k, child_odds, x2, y)
    else:
        odds = child_odds[:, None, None] + plane_log_odds(model, k, x2, y)
    likelihood = (
        CountNoise(model.child).logpmf(x1 - k - 1.0)[:, None, None]
        + model.parent.logpmf(x2 - parent)[:, None]
        + model.siblings.logpmf(y - (parent - k - 1.0))
    )
    return DecisionMap(x1, x2, y, odds > TIE, child_odds > TIE, np.exp(likelihood), model.law)


def two_level_curve(
    parents: Sequence[int],
    siblings: int,
    rho: tuple[float, float],
    parent_rhos: Sequence[float] | None = None,
    prior: float = 0.5,
    published: bool = False,
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
        [expected_two_level(x2, siblings, (rho[0], budget), prior, published=published) for budget in budgets]
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
