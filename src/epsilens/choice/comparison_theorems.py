"""Theorems 1 to 10 on a concrete table: what each of them says, what is true, and what it is worth.

A theorem *holds* where what it bounds is within the bound, or what it states is the value. It is *vacuous* where the
bound is no better than one that needs no theorem, and *false as printed* where the table, or another one, contradicts
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity
from epsilens.avoidance.catalogue import Settings
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import bias_l1, fairness
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.notebook import brief, facts_html

stats = LaterModule("scipy.stats")

HOLDS, FALSE, VACUOUS, SILENT = "holds", "false as printed", "vacuous", "does not apply"
COUNTEREXAMPLE = ((3, 10_000), 6, 0.5)
"""Counts, k and epsilon at which suppression is fairer than Laplace noise."""
_NO_BETTER = 1e-3  # a bound this close to the trivial one is no better
_ROUNDING = 1e-9


@dataclass(frozen=True)
class TheoremCheck:
    """What a theorem says of a table and what is true of it.

    ``printed`` is its value, ``exact`` what it is about, ``trivial`` what holds without it, where something does;
    ``symbols`` are the numbers that went in.
    """

    theorem: int
    about: str
    epsilon: float
    k: int | None
    printed: float | None
    exact: float | None
    verdict: str
    worth: str
    trivial: float | None = None
    symbols: Mapping[str, Any] = field(default_factory=dict, hash=False)

    __repr__ = brief
    _repr_html_ = facts_html

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {**vars(self), "symbols": dict(self.symbols)}


def theorems_of(
    histogram: Histogram, epsilons: Sequence[float], sizes: Sequence[int], settings: Settings, bound: int | None = None
) -> Iterator[TheoremCheck]:
    """Theorems 1 to 10 at each epsilon and k; ``bound`` is B, the largest count unless given.

    Source: P2 Theorems 1 to 10.
    """
    for epsilon in epsilons:
        for k in sizes:
            largest = max(histogram.largest, k + 1) if bound is None else bound
            found = [*_of_suppression(histogram, epsilon, k, largest), *_of_k_anonymity(histogram, epsilon, k, largest)]
            if k == sizes[0]:
                found += [*_of_swapping(histogram, epsilon, settings), _of_laplace(histogram, epsilon)]
            yield from sorted([*found, _ordering(histogram, epsilon, k, settings)], key=lambda check: check.theorem)
    yield counterexample()


def _bounded(printed: float, exact: float, trivial: float) -> str:
    if exact > printed + _ROUNDING * max(1.0, abs(exact)):
        return FALSE
    return VACUOUS if printed >= (1.0 - _NO_BETTER) * trivial else HOLDS


def _equal(printed: float, exact: float) -> str:
    return HOLDS if abs(printed - exact) <= _ROUNDING * max(1.0, abs(exact)) else FALSE


def _of_suppression(histogram: Histogram, epsilon: float, k: int, bound: int) -> Iterator[TheoremCheck]:
    """Theorems 1, 2 and 7.

    What holds without them: delta <= 1; |B_i| <= |k/2 - x_i|, since a probability is at most 1; and so the biases lie
    between min(0, k/2 - x_n) and max(0, k/2 - x_1).
    """
    system, x, half = DPSuppression(k, epsilon), as_floats(histogram.counts), 0.5 * k
    bias = system.bias(histogram)
    printed, exact = published.suppression_delta(epsilon, k, bound), system.delta("substitute", bound) or 0.0
    yield TheoremCheck(
        1, "delta of DP suppression", epsilon, k, printed, exact, _bounded(printed, exact, 1.0),
        "true and nearly tight, but the delta itself tends to 1 as B grows", 1.0, {"B": bound},
    )  # fmt: skip
    printed, exact = published.suppression_bias_bound(x, epsilon, k), bias_l1(bias)
    trivial = float(np.abs(half - x).sum())
    yield TheoremCheck(
        2, "bias of DP suppression, l1", epsilon, k, printed, exact, _bounded(printed, exact, trivial),
        "Cauchy and Schwarz; the sum of |k/2 - x| bounds it too, and the bias itself has a closed form", trivial,
    )  # fmt: skip
    printed, exact = published.suppression_fairness_bound(x, epsilon, k), fairness(bias)
    trivial = max(0.0, half - float(x.min())) + max(0.0, float(x.max()) - half)
    yield TheoremCheck(
        7, "alpha of DP suppression", epsilon, k, printed, exact, _bounded(printed, exact, trivial),
        "the distance from k/2 to the extreme counts bounds it too; exact alpha has a closed form", trivial,
    )  # fmt: skip


def _of_swapping(histogram: Histogram, epsilon: float, settings: Settings) -> Iterator[TheoremCheck]:
    """Theorems 3, 4 and 8.

    What holds without Theorem 8: B_i = n_Q (m_i - x_i) / (e^epsilon + n_Q - 1) with m_i the mean of a group of n_Q
    counts, one of which is x_i. So |m_i - x_i| <= (n_Q - 1) (x_n - x_1) / n_Q, and alpha is at most twice that.
    """
    levels = settings.levels or 0
    about = ("delta of DP swapping", "bias of DP swapping, l1", "alpha of DP swapping")
    if levels < 2:
        for theorem, what in zip((3, 4, 8), about, strict=True):
            yield TheoremCheck(theorem, what, epsilon, None, None, None, SILENT, "nothing can be swapped")
        return
    system, x = DPSwapping(epsilon, levels, settings.swap), as_floats(histogram.counts)
    axes = histogram.axes(settings.swap or histogram.quasi_identifiers)
    grouped = np.moveaxis(x, axes, range(-len(axes), 0)).reshape(-1, levels)
    bias, symbols = system.bias(histogram), {"n_Q": levels}
    printed, within = published.swapping_delta(epsilon, levels), system.delta("qid") or 0.0
    yield TheoremCheck(
        3, about[0], epsilon, None, printed, 1.0, FALSE,
        "false; the last sign must be +, and then it holds for neighbours that differ in swapped columns only",
        1.0, symbols | {"delta_qid": within},
    )  # fmt: skip
    printed, exact = published.swapping_bias_l1(grouped, epsilon), bias_l1(bias)
    yield TheoremCheck(
        4, about[1], epsilon, None, printed, exact, _equal(printed, exact), "the value itself", None, symbols
    )
    spread = float(x.max() - x.min())
    printed, exact = published.swapping_fairness_bound(x, epsilon, levels), fairness(bias)
    yield TheoremCheck(
        8, about[2], epsilon, None, printed, exact, _bounded(printed, exact, 2.0 * (levels - 1) / levels * spread),
        "n_Q - 1 may stand for its first n_Q, and exact alpha has a closed form",
        2.0 * (levels - 1) / levels * spread, symbols,
    )  # fmt: skip


def _of_k_anonymity(histogram: Histogram, epsilon: float, k: int, bound: int) -> Iterator[TheoremCheck]:
    """Theorems 5 and 6; the second as the sum over cells of how much likelier sampling makes a count below k."""
    system = DPKAnonymity(k, epsilon)
    printed, exact = published.k_anonymity_delta(epsilon, bound), system.beta
    yield TheoremCheck(
        5, "delta of DP k-anonymity", epsilon, k, printed, exact, _bounded(printed, exact, system.beta),
        "a person who is not sampled leaves no trace, so 1 - e^-epsilon will do at any epsilon", system.beta,
        {"B": bound},
    )  # fmt: skip
    merged = float(published.merge_bias(histogram.counts, k, system.beta).sum())
    yield TheoremCheck(
        6, "cells that sampling takes below k", epsilon, k, merged, sampled_below(histogram.counts, k, system.beta),
        _equal(merged, sampled_below(histogram.counts, k, system.beta)),
        "the value itself, of counts of a sample; which cells are merged depends on the classes", None,
        {"cells": int((np.asarray(histogram.counts) >= k).sum())},
    )  # fmt: skip


def sampled_below(counts: Any, k: int, beta: float) -> float:
    """The sum over cells of P(Bin(x_i, beta) < k) - 1[x_i < k], term by term from its definition."""
    sizes, cells = np.unique(np.asarray(counts, dtype=np.int64), return_counts=True)
    below = stats.binom.pmf(np.arange(k)[:, None], sizes, beta).sum(axis=0)
    return float(cells @ (below - (sizes < k)))


def _of_laplace(histogram: Histogram, epsilon: float) -> TheoremCheck:
    """Theorem 9, of counts that are clipped and not rounded.

    What holds without it: their bias is e^(-epsilon x / 2) / epsilon, which is at most 1 / epsilon.
    """
    x = as_floats(histogram.counts)
    printed, exact = published.laplace_fairness_bound(x, epsilon), fairness(_laplace(epsilon).bias(histogram))
    return TheoremCheck(
        9, "alpha of Laplace counts", epsilon, None, printed, exact, _bounded(printed, exact, 1.0 / epsilon),
        "1 / epsilon bounds it too, whatever the table", 1.0 / epsilon,
    )  # fmt: skip


def _ordering(histogram: Histogram, epsilon: float, k: int, settings: Settings) -> TheoremCheck:
    """Theorem 10 of this table: is Laplace noise fairer than both others, where the smallest count is in 2..k?"""
    x, levels = as_floats(histogram.counts), settings.levels or 0
    alphas = {"suppression": fairness(DPSuppression(k, epsilon).bias(histogram))}
    if levels >= 2:
        alphas["swapping"] = fairness(DPSwapping(epsilon, levels, settings.swap).bias(histogram))
    laplace, least = fairness(_laplace(epsilon).bias(histogram)), min(alphas.values())
    applies = 2 <= x.min() <= k
    verdict = SILENT if not applies else FALSE if laplace > least + _ROUNDING else HOLDS
    worth = "orders the bounds of Theorems 7 to 9 and not fairness"
    if not applies:
        worth += "; and it is about tables whose smallest count is between 2 and k"
    return TheoremCheck(
        10, "alpha of Laplace counts, not above the others'", epsilon, k, least, laplace, verdict, worth, None,
        {
            "smallest_count": int(x.min()),
            "alpha": alphas | {"laplace": laplace}, "bounds": _bounds(x, epsilon, k, levels),
        },
    )  # fmt: skip


def _bounds(x: FloatArray, epsilon: float, k: int, levels: int) -> dict[str, float]:
    swapping = {"swapping": published.swapping_fairness_bound(x, epsilon, levels)} if levels >= 2 else {}
    return {
        "suppression": published.suppression_fairness_bound(x, epsilon, k),
        **swapping,
        "laplace": published.laplace_fairness_bound(x, epsilon),
    }


def counterexample() -> TheoremCheck:
    """Theorem 10 is false of fairness: suppression is perfectly even where Laplace noise is not.

    Of x = (k/2, x_n) suppression replaces the first by itself and hides the second hardly ever: alpha is 0.

    Source: P2 Theorem 10.
    Departs from print (P2-6): the theorem orders bounds.
    """
    counts, k, epsilon = COUNTEREXAMPLE
    x = as_floats(counts)
    suppression = fairness(DPSuppression(k, epsilon).bias(x))
    laplace = fairness(_laplace(epsilon).bias(x))
    return TheoremCheck(
        10, f"the same for the counts {counts[0]:,} and {counts[1]:,}", epsilon, k, suppression, laplace, FALSE,
        "orders the bounds of Theorems 7 to 9 and not fairness", None,
        {
            "counts": list(counts), "smallest_count": counts[0],
            "alpha": {"suppression": suppression, "laplace": laplace}, "bounds": _bounds(x, epsilon, k, 0),
        },
    )  # fmt: skip


def _laplace(epsilon: float) -> NoisyCounts:
    return NoisyCounts(LaplaceNoise(2.0 / epsilon), rounded=False, epsilon=epsilon)
