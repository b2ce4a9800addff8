"""The risk of a whole tree, averaged over the noise.

Every draw of the noise gives an exact posterior. The target's own noisy count enters the log odds as a separate term,
so it is never drawn: each draw of all the other counts is averaged over it exactly. What is left of the Monte-Carlo
error is stated as a standard error.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.lazy import LaterModule
from epsilens.noise import Noise
from epsilens.notebook import brief, facts_html
from epsilens.posterior.noise_sums import TAIL, sum_over_noise
from epsilens.posterior.noises import family_size, several_noises
from epsilens.posterior.odds import log_odds, tie_among
from epsilens.posterior.single import log_likelihood_ratio
from epsilens.posterior.trees.leaf_priors import LeafPrior
from epsilens.posterior.trees.posterior import TreeShape, tree_model

special = LaterModule("scipy.special")

_LONGEST_REACH = 20_000
_MOST_DRAWS = 1_000_000


@dataclass(frozen=True)
class ExpectedTree:
    """Averages over the noise of a whole tree, with their standard errors; ``alone`` is exact."""

    posterior: float
    posterior_se: float
    risk_ratio: float
    correct_decision: float
    correct_decision_se: float
    posterior_alone: float
    correct_decision_alone: float
    prior: float
    present: bool
    repetitions: int

    __repr__ = brief
    _repr_html_ = facts_html


def expected_tree(
    leaf_counts: npt.ArrayLike,
    parents: Sequence[npt.ArrayLike],
    rng: np.random.Generator,
    target: int = 0,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    leaf_prior: str | LeafPrior | Sequence[LeafPrior] = "poisson",
    invariants: Sequence[Sequence[int]] = (),
    noise: Sequence[Noise] | None = None,
    present: bool = True,
    repetitions: int = 200,
    family: int = 1,
) -> ExpectedTree:
    """The expected posterior and right decisions of the tree's adversary, by averaging exact posteriors over the noise.

    1/R sum over draws r of sum over x_t* of f(x_t* - x_t) P(X_t = k + m | x_t*, other counts of draw r). Symbols:
    ``leaf_counts`` are the true counts (the target's leaf includes the target, if ``present``), so k is m less, m being
    ``family`` (1 by default);
    ``invariants[l]`` lists the groups of level l whose true count the adversary knows; R is ``repetitions``. A
    ``leaf_prior`` named by its family is fitted anew to every draw, as an adversary would.

    Source: P4 Eq. (3.3), generalised to a whole tree.
    Assumes what :func:`tree` assumes.
    """
    counts = as_floats(leaf_counts)
    if counts.ndim != 1 or not len(counts) or (counts < 0).any() or (counts != np.floor(counts)).any():
        raise DataError(
            "must be a list of whole numbers >= 0, one per group of the lowest level", parameter="leaf_counts"
        )
    shape = TreeShape.of(parents, len(counts))
    if shape.n_leaves != len(counts):
        raise DataError(f"must hold one count per leaf ({shape.n_leaves})", parameter="leaf_counts", got=len(counts))
    laws = several_noises(rho, noise, len(shape.sizes), "level", most=len(shape.sizes))
    p, path = probability("prior", prior), shape.path(whole("target", target, 0))
    members = family_size(family)
    there = members if present else 0
    known = int(counts[target]) - there
    if known < 0:
        whom = "nobody" if members == 1 else f"fewer than {members} people"
        raise DataError(
            f"the target's leaf counts {whom}, so the target cannot be there",
            remedy="say `present=False`, or another `target`",
        )
    truth = shape.totals(counts)
    facts: list[Mapping[int, int]] = [
        {int(group): int(truth[level][group]) for group in groups} for level, groups in enumerate(invariants)
    ]
    if laws[0].reach(TAIL) > _LONGEST_REACH:
        raise ParameterError(
            f"noise of the leaves that reaches further than {_LONGEST_REACH:,} is not averaged over",
            remedy="use a larger `rho`",
        )
    eta, weight = sum_over_noise(laws[0], family=members)
    ratio = log_likelihood_ratio(eta + there, laws[0], family=members)
    own_odds, tie = log_odds(p) + ratio, tie_among(ratio)
    if (draws := whole("repetitions", repetitions, 2)) > _MOST_DRAWS:
        raise ParameterError(f"must be at most {_MOST_DRAWS:,}", parameter="repetitions", got=draws)
    rest = np.empty(draws)
    for r in range(draws):
        noisy: list[FloatArray | None] = [
            level + np.floor(law.sample(len(level), rng) + 0.5) for level, law in zip(truth, laws, strict=True)
        ]
        model = tree_model(shape, laws, noisy[0], path[0], known, leaf_prior, facts, members)
        rest[r] = model.rest_log_odds(noisy)[0]
    posteriors = as_floats([weight @ special.expit(own_odds + more) for more in rest])
    right = as_floats([weight @ ((own_odds + more > tie) == present) for more in rest])
    alone = float(weight @ special.expit(own_odds))
    return ExpectedTree(
        posterior=float(posteriors.mean()),
        posterior_se=float(posteriors.std(ddof=1) / np.sqrt(draws)),
        risk_ratio=float(posteriors.mean()) / p,
        correct_decision=float(right.mean()),
        correct_decision_se=float(right.std(ddof=1) / np.sqrt(draws)),
        posterior_alone=alone,
        correct_decision_alone=float(weight @ ((own_odds > tie) == present)),
        prior=p,
        present=present,
        repetitions=draws,
    )
