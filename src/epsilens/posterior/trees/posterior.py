"""A whole tree: any number of levels, every group's own noisy count, exactly.

Counts add up from the lowest level (the leaves) to the top; each count may be published with noise, be known exactly
(an invariant), or be unpublished. Leaves other than the target's have a prior each; the target's leaf holds ``known``
people, or one more, or a family of m more, who are counted at every level above as well. Summing the leaves out from
the bottom up costs one convolution per group and is exact: messages are laws on runs of whole numbers
(:mod:`~epsilens.posterior.trees.messages`), computed once for each of the two hypotheses along the target's path and
once for everything else. What is cut off at the ends is bounded and reported; when the bound is not small enough, the
sum is redone with longer ends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import cast

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.checks import probability, whole
from epsilens.errors import DataError, ParameterError
from epsilens.noise import Noise
from epsilens.noise.published import CountNoise
from epsilens.notebook import brief, facts_html
from epsilens.posterior.noises import countable, family_size, several_noises
from epsilens.posterior.odds import log_odds
from epsilens.posterior.single import PosteriorProbability, log_likelihood_ratio
from epsilens.posterior.trees.fitting import fit_leaf_prior, refuse_uncountable
from epsilens.posterior.trees.leaf_messages import leaf_message
from epsilens.posterior.trees.leaf_priors import LeafPrior
from epsilens.posterior.trees.messages import Message, certain, fixed, impossible, observed, summed

_LOG_CUTS = (-69.0, -185.0, -600.0, -3_000.0, -20_000.0, -150_000.0, -1_500_000.0)
"""What may be left out, in nats: the deeper, the further may evidence lie from what priors expect."""
_GOOD_ENOUGH = 1e-13
_STILL_USABLE = 1e-8
_ROUNDING = 1e-15


@dataclass(frozen=True, eq=False)
class TreeShape:
    """Who adds up to whom: ``parents[l][i]`` is the position, in level l + 1, of the parent of group i of level l."""

    parents: tuple[IntArray, ...]
    n_leaves: int

    __repr__ = brief

    @staticmethod
    def of(parents: Sequence[npt.ArrayLike], n_leaves: int | None = None) -> TreeShape:
        """The shape, checked."""
        arrays = tuple(np.asarray(level, dtype=np.int64) for level in parents)
        leaves = len(arrays[0]) if arrays else whole("the number of leaves", n_leaves or 1, 1)
        for level, array in enumerate(arrays):
            if array.ndim != 1 or not len(array) or array.min() < 0:
                raise DataError(f"of level {level} must be a list of positions >= 0", parameter="parents")
            if level + 1 < len(arrays) and array.max() >= len(arrays[level + 1]):
                raise DataError(f"level {level} names a parent that level {level + 1} does not have")
        return TreeShape(arrays, leaves)

    @cached_property
    def sizes(self) -> tuple[int, ...]:
        """The number of groups per level, lowest first."""
        top = (int(self.parents[-1].max()) + 1,) if self.parents else ()
        return (self.n_leaves, *(len(array) for array in self.parents[1:]), *top)

    @cached_property
    def children(self) -> tuple[list[IntArray], ...]:
        """children[l][i]: the positions, in level l, of the children of group i of level l + 1."""
        out = []
        for array, size in zip(self.parents, self.sizes[1:], strict=True):
            order = np.argsort(array, kind="stable")
            out.append(np.split(order, np.searchsorted(array[order], np.arange(1, size))))
        return tuple(out)

    def path(self, leaf: int) -> tuple[int, ...]:
        """The positions of a leaf and of its ancestors, lowest first."""
        if not 0 <= leaf < self.n_leaves:
            raise ParameterError(f"must be a leaf's position, 0 to {self.n_leaves - 1}", parameter="target", got=leaf)
        steps = [leaf]
        for array in self.parents:
            steps.append(int(array[steps[-1]]))
        return tuple(steps)

    def totals(self, leaf_counts: npt.ArrayLike) -> list[FloatArray]:
        """The counts of every level from those of the leaves."""
        levels = [as_floats(leaf_counts)]
        for array, size in zip(self.parents, self.sizes[1:], strict=True):
            levels.append(as_floats(np.bincount(array, levels[-1], size)))
        return levels


@dataclass(frozen=True)
class TreePosterior:
    """What the adversary concludes from all noisy counts of a tree.

    ``rest_log_odds`` is what everything but the target's own noisy count adds to the log odds; ``error`` bounds the
    relative error of the odds from cutting off ends. ``leaf_prior`` is the prior of the other leaves, fitted or given;
    None where every leaf has its own.
    """

    posterior: float
    risk_ratio: float
    alone: PosteriorProbability
    rest_log_odds: float
    prior: float
    error: float
    leaf_prior: LeafPrior | None = None

    __repr__ = brief
    _repr_html_ = facts_html


@dataclass(frozen=True, eq=False)
class TreeModel:
    """The adversary's knowledge of a tree: its shape, the noises by level, the leaf priors, and the invariants."""

    shape: TreeShape
    noises: tuple[Noise, ...]
    leaf_priors: tuple[LeafPrior, ...]  # one for all leaves, or one per leaf
    invariants: tuple[Mapping[int, int], ...]
    target: int
    known: int
    family: int = 1

    def leaf_prior(self, leaf: int) -> LeafPrior:
        """The prior of one leaf."""
        return self.leaf_priors[0] if len(self.leaf_priors) == 1 else self.leaf_priors[leaf]

    def rest_log_odds(self, noisy: Sequence[FloatArray | None]) -> tuple[float, float]:
        """Log odds of the target being in its leaf, from all counts but its own, and their relative error."""
        error, largest = np.inf, 0.0
        for log_cut in _LOG_CUTS:
            absent, present, largest = _path_messages(self, noisy, log_cut)
            error = max(absent.lost, present.lost)
            if error <= _GOOD_ENOUGH:
                break
        if error > _STILL_USABLE:
            raise ParameterError(
                f"these noisy counts and invariants are less likely than e^{_LOG_CUTS[-1]:.0f} under the leaf priors "
                "given, too far out to be summed",
                remedy="widen the priors or check the counts",
            )
        if absent.impossible and present.impossible:
            raise DataError(
                "no counts of the leaves can explain these noisy counts and invariants under the leaf priors given, "
                "so the posterior is undefined",
                remedy="widen the priors or check the counts",
            )
        return present.log_mass - absent.log_mass, float(error) + _ROUNDING * (1.0 + largest)


def tree(
    noisy: Sequence[npt.ArrayLike | None],
    parents: Sequence[npt.ArrayLike],
    target: int = 0,
    known: int = 0,
    rho: Sequence[float] | None = None,
    prior: float = 0.5,
    leaf_prior: str | LeafPrior | Sequence[LeafPrior] = "poisson",
    invariants: Sequence[Mapping[int, int]] = (),
    noise: Sequence[Noise] | None = None,
    family: int = 1,
) -> TreePosterior:
    """The adversary's posterior given the noisy counts of every group of a tree.

    P(X_t = k | data) proportional to P(k) sum over leaf counts n of prod_leaves P(n_i) prod_groups f_l(x_g* - sum of
    the leaves below g). Symbols: X_t is the target leaf's count, k is ``known`` or ``known`` + ``family`` (a person by
    default, or as many people as are there together or not at all); ``noisy[l]`` holds
    x_g* of level l (lowest first; None or nan: not published) and f_l is its noise; ``parents[l][i]`` is the position
    of group i's parent; ``invariants[l]`` maps positions to counts that the adversary knows exactly. ``leaf_prior``
    is "poisson" or "negative-binomial" (fitted to the noisy leaves other than the target's), one law, or one per
    leaf.

    Source: P4 section 3.2, generalised to any number of levels with every sibling's own count.
    Assumes independent leaves a priori and independent noise.
    Departs from print (P4-6): a prior on each leaf, not on the siblings' sum, so it is not :func:`two_level` even
    with two levels.
    """
    laws = several_noises(rho, noise, 1, "level", most=len(noisy))
    if len(laws) != len(noisy) or len(parents) != len(noisy) - 1:
        raise ParameterError(
            f"a tree of {len(noisy)} levels needs {len(noisy)} of `rho` or `noise` and {len(noisy) - 1} lists of "
            f"`parents`, got {len(laws)} and {len(parents)}"
        )
    levels = [None if level is None else as_floats(level) for level in noisy]
    shape = TreeShape.of(parents, None if levels[0] is None else len(levels[0]))
    for number, (level, size) in enumerate(zip(levels, shape.sizes, strict=True)):
        if level is not None and level.shape != (size,):
            raise DataError(f"level {number} has {size} groups but {level.size} noisy counts")
        if level is not None:
            refuse_uncountable(level)
    model = tree_model(shape, laws, levels[0], target, known, leaf_prior, invariants, family)
    p = probability("prior", prior)
    own = levels[0][target] if levels[0] is not None else np.nan
    own_ratio = 0.0 if np.isnan(own) else float(_own_ratio(own, model))
    rest, error = model.rest_log_odds(levels)
    posterior = PosteriorProbability(log_odds(p) + own_ratio + rest, p)
    alone = PosteriorProbability(log_odds(p) + own_ratio, p)
    one_for_all = model.leaf_priors[0] if len(model.leaf_priors) == 1 else None
    return TreePosterior(posterior.posterior, posterior.risk_ratio, alone, rest, p, error, one_for_all)


def _own_ratio(own: float, model: TreeModel) -> FloatArray:
    """What the noisy count of the target's leaf tells."""
    return log_likelihood_ratio(own - model.known, model.noises[0], family=model.family)


def tree_model(
    shape: TreeShape,
    noises: tuple[Noise, ...],
    noisy_leaves: FloatArray | None,
    target: int,
    known: int,
    leaf_prior: str | LeafPrior | Sequence[LeafPrior],
    invariants: Sequence[Mapping[int, int]],
    family: int = 1,
) -> TreeModel:
    """The model from what a caller says; a family name is fitted to the noisy leaves other than the target's."""
    path = shape.path(whole("target", target, 0))
    priors: tuple[LeafPrior, ...]
    if isinstance(leaf_prior, str):
        others = np.delete(noisy_leaves, target) if noisy_leaves is not None else np.empty(0)
        if not len(others):
            raise DataError(
                f"there are no other noisy leaves to fit a {leaf_prior} prior to", remedy="give the `leaf_prior`"
            )
        priors = (fit_leaf_prior(others, noises[0], leaf_prior),)
    elif isinstance(leaf_prior, (list, tuple)):
        priors = tuple(leaf_prior)
    else:
        priors = (cast("LeafPrior", leaf_prior),)
    if len(priors) not in (1, shape.n_leaves):
        raise ParameterError(
            f"must be one law, or one per leaf ({shape.n_leaves})", parameter="leaf_prior", got=len(priors)
        )
    if len(invariants) > len(shape.sizes):
        raise ParameterError(
            f"are given per level, at most {len(shape.sizes)} of them", parameter="invariants", got=len(invariants)
        )
    padded = (*invariants, *({},) * (len(shape.sizes) - len(invariants)))
    for level, (facts, size) in enumerate(zip(padded, shape.sizes, strict=True)):
        for position, count in facts.items():
            whole(f"an invariant count of level {level}", count, 0)
            if not 0 <= position < size:
                raise DataError(
                    f"name group {position} of level {level}, which has {size} groups", parameter="invariants"
                )
    if path[0] in padded[0]:
        raise ParameterError(
            "cannot hold the target's own count: there would be nothing left to find out", parameter="invariants"
        )
    members = family_size(family)
    return TreeModel(shape, noises, priors, padded, target, countable("known", known, 0), members)


def _path_messages(
    model: TreeModel, noisy: Sequence[FloatArray | None], log_cut: float
) -> tuple[Message, Message, float]:
    """The two messages at the top of the target's tree, without and with the target; and the largest logarithm in it.

    What the groups beside the path weigh is a factor of both and left out, so that it takes no digits away.
    """
    path = model.shape.path(model.target)
    absent, present = certain(model.known), certain(model.known + model.family)
    cache: dict[tuple[LeafPrior, float | None], Message] = {}
    largest = 0.0
    for level in range(1, len(path)):
        siblings = [c for c in model.shape.children[level - 1][path[level]] if c != path[level - 1]]
        rest = summed([_subtree(model, noisy, level - 1, int(c), log_cut, cache) for c in siblings], log_cut)
        if not rest.impossible:
            rest = replace(rest, log_mass=0.0)
        absent = _evidence(model, noisy, level, path[level], summed([rest, absent], log_cut), log_cut)
        present = _evidence(model, noisy, level, path[level], summed([rest, present], log_cut), log_cut)
    for message in (absent, present, *cache.values()):
        largest = max(largest, abs(message.log_mass) if not message.impossible else 0.0)
    return absent, present, largest


def _subtree(
    model: TreeModel,
    noisy: Sequence[FloatArray | None],
    level: int,
    position: int,
    log_cut: float,
    cache: dict[tuple[LeafPrior, float | None], Message],
) -> Message:
    """The message of a group that does not contain the target: its count given all evidence below and on it."""
    if level:
        below = [
            _subtree(model, noisy, level - 1, int(c), log_cut, cache) for c in model.shape.children[level - 1][position]
        ]
        return _evidence(model, noisy, level, position, summed(below, log_cut), log_cut)
    prior, count = model.leaf_prior(position), _noisy_count(noisy, 0, position)
    if (known := model.invariants[0].get(position)) is not None:
        log_mass = float(prior.logpmf(as_floats([known]))[0])
        return replace(certain(known), log_mass=log_mass) if np.isfinite(log_mass) else impossible()
    key = (prior, None if np.isnan(count) else count)
    if key not in cache:
        cache[key] = leaf_message(prior, model.noises[0], count, log_cut)
    return cache[key]


def _evidence(
    model: TreeModel, noisy: Sequence[FloatArray | None], level: int, position: int, message: Message, log_cut: float
) -> Message:
    """The message of a group's count given what is published, or known, about that count itself."""
    if (known := model.invariants[level].get(position)) is not None:
        return fixed(message, known)
    count = _noisy_count(noisy, level, position)
    if np.isnan(count):
        return message
    return observed(message, CountNoise(model.noises[level]), count, log_cut)


def _noisy_count(noisy: Sequence[FloatArray | None], level: int, position: int) -> float:
    counts = noisy[level]
    return np.nan if counts is None else float(counts[position])
