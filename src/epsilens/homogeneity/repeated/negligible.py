"""Which questions about releases fitted to one another have the answer 0, as far as numbers tell.

That all counts of a cell are hidden but those of one value is often less probable than what computing rounds off. A
bound tells so from a few sums of counts, without any of the work of the answer. Let a count be published as q, and
d = q - n how far from the true one. What is asked below it has, whatever q is, at most the probability

    B(s) exp(-s d), for every s >= 0.

Proof, from the leaves up. kappa parts share the gap D = d - sum of e_j, and their share is g only where
D < kappa (g + 1/2); there exp(s kappa (g + 1/2) - s D) > 1. So what is asked and the share g have together at most the
mean of this number times w_k(e_k + g) of every part k, where w_k(z) bounds what is asked of a part and below it that is
published as max(0, n_k + z). The noises are independent, and of all g

    B(s) = sum over g of exp(s kappa (g + 1/2)) prod over the parts of E[exp(s e_k) w_k(e_k + g)].

Let j = n_k + g. A part about which nothing is asked has w_k = 1, the factor E exp(s e). One that must be hidden has
L(j) = E[exp(s e); e <= -j]. Below another one B_k(t) is known already, and it deviates by max(e + j, 0) - n_k: the
factor is exp(t n_k) B_k(t) for some t >= 0, the same for all such parts, times U(j) = E exp(s e - t max(e + j, 0)), or
L(j) if it must be hidden as well. Of several releases fitted to one count, each is less probable alone, so the smallest
B(s) counts; B(0) is 1 at most, as a probability is. Last, a root has the chance E[exp(-s d) B(s)] over its own noise,
where it is hidden if it must be, and roots are independent.

Nothing of this needs to be looked up part by part: the sum of values of a curve is at most their number times its least
concave majorant at the mean (Jensen). log L and log U fall as j grows, log U by t at most per step, so that beyond the
noise's reach a majorant may go on as it ends.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.homogeneity.repeated.nodes import Fitted, Level, Required, kinds_of
from epsilens.noise.law import AnyNoise
from epsilens.noise.whole_number_sums import reach

TRACE = 1e-16
"""What is less probable is left out, so that no answer of a lineage misses more than this."""

_SLOPES = np.append(0.0, np.geomspace(1.5, 36.0, 7))
"""Values of s, in units of the reach of a law; with 0 probabilities are at most 1."""
_FURTHEST = 1 << 9
"""Where noise reaches further, nothing is left out."""
_FEW = 64
"""Kinds of cells; where there are fewer, nothing is left out. On so many it is tried which s are the best ones."""
_MOST_PEOPLE = 255
"""Of larger cells the bound is that of one with so many."""


class Some(NamedTuple):
    """For every cell how many parts, and how many people in them."""

    parts: IntArray
    people: IntArray


class Traces:
    """Bounds of what a lineage is asked.

    ``below`` says by level what is fitted to it, ``parts`` by level and label which labels are parts of it, and
    ``shares`` by level and kappa which shares of the gap occur.
    """

    def __init__(
        self,
        levels: Sequence[Level],
        below: Sequence[Sequence[tuple[int, Fitted]]],
        parts: Sequence[Sequence[Mapping[int, frozenset[int]]]],
        shares: Mapping[tuple[int, int], IntArray],
    ) -> None:
        self._below, self._parts = below, parts
        self._root = levels[0].noise
        reaches = [reach(level.noise) for level in levels]
        furthest = [max([far, *(reaches[i] for i, _ in fitted)]) for far, fitted in zip(reaches, below, strict=True)]
        self._slopes = [_SLOPES / far for far in furthest]
        self._usable = max(furthest) <= _FURTHEST
        self._sharing: dict[int, Sharing] = {}
        for level, fitted_levels in enumerate(below if self._usable else ()):
            for i, _ in fitted_levels:
                of_level = {kappa: some for (there, kappa), some in shares.items() if there == i}
                self._sharing[i] = Sharing(levels[i].noise, self._slopes[level], self._slopes[i], of_level)
        self._counts = [np.ascontiguousarray(level.vectors.T) for level in levels]
        self._whole: dict[tuple[int, frozenset[int]], Some] = {}
        self._best: dict[tuple[tuple[int, int], ...], list[IntArray]] = {}

    def possible(self, required: Required, kinds: IntArray) -> BoolArray:
        """For some kinds of cells whether the labels may be hidden with a probability that is more than a trace."""
        if not self._usable or len(kinds) < _FEW:
            return np.ones(len(kinds), dtype=bool)
        alike = tuple(sorted((level, len(labels)) for level, labels in required.items()))
        if alike not in self._best:
            self._best[alike] = self._best_slopes(required, kinds)
        return np.asarray(self._bound(required, kinds, self._best[alike]) > math.log(TRACE))

    def _best_slopes(self, required: Required, kinds: IntArray) -> list[IntArray]:
        """By level the place of the s with which most is a trace, tried on some kinds; others are bounds as well."""
        some = kinds[np.linspace(0, len(kinds) - 1, _FEW).astype(np.int64)]
        every = np.arange(len(_SLOPES))
        best = [every for _ in self._slopes]
        for level, fitted in enumerate(self._below):
            if fitted:
                tries = [[*best[:level], every[i : i + 1], *best[level + 1 :]] for i in every.tolist()]
                bounds = [np.maximum(self._bound(required, some, slopes), 2.0 * math.log(TRACE)) for slopes in tries]
                best = tries[int(np.argmin([bound.mean() for bound in bounds]))]
        return best

    def _bound(self, required: Required, kinds: IntArray, slopes: list[IntArray]) -> FloatArray:
        """The log of a bound, from the s at some places by level."""
        logs = np.zeros(len(kinds))
        for label, column in enumerate(self._counts[0]):
            must_hide = label in required.get(0, ())
            below = self._of_all_below(0, label, required, kinds, slopes)
            if below is not None or must_hide:
                counts = column[kinds]
                here = self._root_moments(counts, must_hide, slopes[0])
                if below is not None:
                    here += below
                logs += np.where(counts < 0, 0.0, np.minimum(here.min(axis=1), 0.0))
        return logs

    def _root_moments(self, counts: IntArray, must_hide: bool, slopes: IntArray) -> FloatArray:
        """Log E exp(-s d) of a root as (cells, s), where d may be what hides it only."""
        far = reach(self._root)
        every = np.arange(-1, far + 2)[:, None]  # of larger counts none is clipped
        z = np.arange(-far, far + 1.0)
        d = np.maximum(z, -every)
        mass = np.where((z <= -every) | (not must_hide), self._root.pmf(z), 0.0)
        found = [_log((np.exp(-s * d) * mass).sum(axis=1)) for s in self._slopes[0][slopes].tolist()]
        return as_floats(np.stack(found, axis=1)[np.minimum(counts, far + 1) + 1])

    def _of_all_below(
        self, level: int, label: int, required: Required, kinds: IntArray, slopes: list[IntArray]
    ) -> FloatArray | None:
        """Log B(s) of what is asked below a count as (cells, s); None where nothing is.

        Of several releases fitted to the count the one with the smallest bound counts.
        """
        found: FloatArray | None = None
        for below, fitted in self._below[level]:
            parts = self._parts[level][label].get(below, frozenset())
            if any(self._asked(below, part, required) for part in parts):
                kappas = fitted.kappa[kinds, label]
                one = self._of_parts(below, kappas, parts, required, kinds, slopes[level], slopes)
                found = one if found is None else np.minimum(found, one)
        return found

    def _asked(self, level: int, label: int, required: Required, only_below: bool = False) -> bool:
        parts = self._parts[level][label]
        return any(
            i in parts and not labels.isdisjoint(parts[i])
            for i, labels in required.items()
            if not only_below or i != level
        )

    def _of_parts(
        self,
        level: int,
        kappas: IntArray,
        parts: frozenset[int],
        required: Required,
        kinds: IntArray,
        above: IntArray,
        slopes: list[IntArray],
    ) -> FloatArray:
        """Log B(s) of what is asked about some parts of a count on one level, and below them."""
        must_hide = required.get(level, frozenset())
        deeper = [part for part in parts if self._asked(level, part, required, only_below=True)]
        logs: FloatArray | None = None
        for part in deeper:
            below = self._of_all_below(level, part, required, kinds, slopes)
            if below is not None:
                counts = self._counts[level][part][kinds, None]
                more = np.where(counts >= 0, below + counts * self._slopes[level][slopes[level]], 0.0)
                logs = more if logs is None else logs + more
        hidden = self._some(level, parts & must_hide, parts, kinds)
        shown = self._some(level, frozenset(deeper) - must_hide, parts, kinds)
        return self._sharing[level].bound(kappas, hidden, shown, logs, above, slopes[level])

    def _some(self, level: int, labels: frozenset[int], parts: frozenset[int], kinds: IntArray) -> Some:
        """How many of some labels may occur in cells, and how many people have them; of most of them what is left."""
        if 2 * len(labels) > len(parts):
            whole, others = self._all_of(level, parts), self._some(level, parts - labels, parts, kinds)
            return Some(whole.parts[kinds] - others.parts, whole.people[kinds] - others.people)
        number, people = np.zeros((2, len(kinds)), dtype=np.int64)
        for label in labels:
            counts = self._counts[level][label][kinds]
            number += counts >= 0
            people += np.maximum(counts, 0)
        return Some(number, people)

    def _all_of(self, level: int, parts: frozenset[int]) -> Some:
        """The same for all cells and all of these labels."""
        if (level, parts) not in self._whole:
            counts = self._counts[level][sorted(parts)]
            self._whole[level, parts] = Some((counts >= 0).sum(axis=0), np.maximum(counts, 0).sum(axis=0))
        return self._whole[level, parts]


class Sharing:
    """A bound for the parts that share the gap to a count, of one noise; ``slopes`` are s, ``deeper_slopes`` t.

    ``shares`` are the g that occur, by kappa.
    """

    def __init__(
        self, noise: AnyNoise, slopes: FloatArray, deeper_slopes: FloatArray, shares: Mapping[int, IntArray]
    ) -> None:
        self._slopes, self._deeper_slopes, self._shares = slopes, deeper_slopes, shares
        far = reach(noise)
        steps = np.arange(-far, far + 1.0)
        tilted = np.exp(slopes[:, None] * steps) * noise.pmf(steps)
        self._free = np.log(tilted.sum(axis=1))
        self._hidden = Curves(-far, _log(np.cumsum(tilted, axis=1)[:, ::-1]))
        """Log L, by s."""
        unclipped = np.maximum(steps + steps[:, None], 0.0)
        by_slope = [np.exp(-t * unclipped) @ tilted.T for t in deeper_slopes.tolist()]
        self._deeper = Curves(-far, _log(np.stack(by_slope, axis=2).transpose(1, 2, 0)))
        """Log U, by s and t."""
        self._known: dict[tuple[int, int], FloatArray] = {}

    def bound(
        self, kappas: IntArray, hidden: Some, deeper: Some, logs: FloatArray | None, s: IntArray, t: IntArray
    ) -> FloatArray:
        """Log B(s) as (cells, s), for the s and t at some places.

        ``hidden`` must be hidden, ``deeper`` need not, but something is asked below them. ``logs`` are t n + log B(t)
        of all below which something is asked, added up, as (cells, t).
        """
        if logs is None or not deeper.parts.any():
            found = self._of_hidden(kappas, hidden)[:, s]
            if logs is not None:
                found += logs.min(axis=1, keepdims=True)
        else:
            first, back = kinds_of([kappas, *hidden, *deeper])
            by_kind = self._of_kinds([column[first] for column in (kappas, *hidden, *deeper)], s, t)
            found = (by_kind[back] + logs[:, None, :]).min(axis=2)
        found[:, s == 0] = np.minimum(found[:, s == 0], 0.0)
        return found

    def _of_hidden(self, kappas: IntArray, hidden: Some) -> FloatArray:
        """For all s, where nothing is asked below any part: looked up by the number of people."""
        every = np.arange(_MOST_PEOPLE + 1)
        none = np.zeros_like(every)
        found = np.empty((len(kappas), len(self._slopes)))
        people = np.minimum(hidden.people, _MOST_PEOPLE)
        first, back = kinds_of([kappas, hidden.parts])
        for i, key in enumerate(zip(kappas[first].tolist(), hidden.parts[first].tolist(), strict=True)):
            if key not in self._known:
                kinds = [*(np.full_like(every, number) for number in key), every, none, none]
                self._known[key] = self._of_kinds(kinds, np.arange(len(self._slopes)), none[:1])[..., 0]
            if len(first) == 1:
                return self._known[key][people]
            there = back == i
            found[there] = self._known[key][people[there]]
        return found

    def _of_kinds(self, kinds: Sequence[IntArray], s: IntArray, t: IntArray) -> FloatArray:
        """The log of the sum over g without ``logs``, as (kinds, s, t).

        A kind is kappa, the number of parts that must be hidden, the people in them, and the same of deeper ones.
        """
        kappas, hidden, hiding, deeper, others = kinds
        found = np.full((len(kappas), len(s), len(t)), np.inf)  # where there is no gap, a part is as its parent is
        slopes = self._slopes[s][:, None, None]
        for kappa in np.unique(kappas[kappas > 1]).tolist():
            alike = np.flatnonzero(kappas == kappa)
            shares = self._shares[kappa]
            a, b = hidden[alike, None], deeper[alike, None]
            logs = slopes * kappa * (shares + 0.5) + (kappa - a - b) * self._free[s][:, None, None]
            logs = (logs + a * self._hidden.at(hiding[alike, None] / np.maximum(a, 1) + shares, s))[:, None]
            if b.any():
                logs = logs + b * self._deeper.at(others[alike, None] / np.maximum(b, 1) + shares, np.ix_(s, t))
            largest = logs.max(axis=-1, keepdims=True)
            sums = largest[..., 0] + np.log(np.exp(logs - largest).sum(axis=-1))
            found[alike] = np.broadcast_to(sums, (len(s), len(t), len(alike))).transpose(2, 0, 1)
        return found


class Curves:
    """The least concave majorants of values at whole numbers from ``first`` on (last axis), continued as they end."""

    def __init__(self, first: int, values: FloatArray) -> None:
        whole = np.array([_concave(row) for row in values.reshape(-1, values.shape[-1])]).reshape(values.shape)
        slopes = np.diff(whole, axis=-1)
        self._first, self._values = first, whole
        self._slopes = np.concatenate([slopes, slopes[..., -1:]], axis=-1)

    def at(self, x: FloatArray, which: IntArray | tuple[IntArray, ...]) -> FloatArray:
        """Some of the majorants at some numbers, as (majorants, numbers)."""
        values, slopes = self._values[which], self._slopes[which]
        place = np.clip(np.floor(x - self._first), 0, values.shape[-1] - 1).astype(np.int64)
        return as_floats(values[..., place] + (x - self._first - place) * slopes[..., place])


def _concave(values: FloatArray) -> FloatArray:
    hull: list[int] = []
    slopes = np.diff(values)
    if (np.diff(slopes) <= 0).all():
        return values
    for i in range(len(values)):
        while len(hull) > 1 and _turns_up(values, hull[-2], hull[-1], i):
            hull.pop()
        hull.append(i)
    return as_floats(np.interp(np.arange(len(values)), hull, values[hull]))


def _turns_up(values: FloatArray, before: int, last: int, now: int) -> bool:
    """Whether the middle one of three points lies on or below the line through the others."""
    return bool((values[last] - values[before]) * (now - before) <= (values[now] - values[before]) * (last - before))


def _log(values: FloatArray) -> FloatArray:
    """The logarithm; what is 0 counts as the least that there is."""
    return as_floats(np.log(np.maximum(values, np.finfo(np.float64).tiny)))
