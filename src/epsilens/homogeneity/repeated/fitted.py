"""A release and everything fitted to it: what they show together.

The published counts of a :class:`Lineage` are the nodes of trees. A root is published as max(0, n + e). Every release
fitted to another splits the other's counts further, by new attributes, by new quasi-identifiers or both, and shares the
gap among the parts (see ``shared_gap``). Given a published count, the releases fitted to it are independent of one
another, and so is what lies below different counts; so probabilities are computed from the leaves up.

Every question comes down to one probability: that *certain counts are all hidden* (published as 0). A node is known by
its level, its true count, whether it must be hidden, and the nodes below it that matter; equal nodes, of whatever cell
or label, are computed once. What cannot be but by a miracle is left out before (see ``negligible``).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray, as_floats
from epsilens.homogeneity.repeated.deviations import Deviation
from epsilens.homogeneity.repeated.gap_tables import FREE, hidden_names
from epsilens.homogeneity.repeated.negligible import TRACE, Traces
from epsilens.homogeneity.repeated.nodes import Fitted, Form, Level, Nodes, Required, kinds_of
from epsilens.homogeneity.repeated.shared_gap import SharedGap

_MOST_KNOWN = 1 << 24  # answers kept
_LARGEST_CHUNK = 1 << 23
"""Weights held at a time."""


class Lineage:
    """A root, level 0, and the levels fitted to it or to one another, each after the one it is fitted to."""

    def __init__(self, levels: Sequence[Level]) -> None:
        parts = [level.vectors for level in levels] + [level.fitted.kappa for level in levels if level.fitted]
        first, cell = kinds_of([column for part in parts for column in part.T])
        self.kind_of_cell: IntArray = cell
        """Cells with equal counts on all levels are of one kind."""
        self.n_kinds = len(first)
        self._levels = [_chosen(level, first) for level in levels]
        self._below: list[list[tuple[int, Fitted]]] = [[] for _ in levels]
        self._gaps: dict[tuple[int, int], SharedGap] = {}
        self._reach: list[int] = []
        self._prepare()
        self._parts = self._all_parts()
        self._nodes = [Nodes(far) for far in self._reach]
        self._first_deeper = [int(hidden_names(np.array(far + 1))) + 1 for far in self._reach]
        """The first name of a child with something to hide below it; lower ones are of counts that must be hidden."""
        self._leaves = [
            _hidden_names(level.vectors, far + 1) for level, far in zip(self._levels, self._reach, strict=True)
        ]
        """(labels, kinds) per level: the names of counts that must be hidden, where nothing is asked below them."""
        self._named: dict[tuple[int, int, frozenset[tuple[int, frozenset[int]]]], IntArray] = {}
        self._answered: dict[frozenset[tuple[int, frozenset[int]]], FloatArray] = {}
        self._of_one_level: dict[int, set[frozenset[int]]] = {}
        self._traces = Traces(
            self._levels, self._below, self._parts, {key: gap.shares for key, gap in self._gaps.items()}
        )

    def _prepare(self) -> None:
        """What is fitted to what, how far everything reaches, and how gaps are shared."""
        deviations: list[dict[int, Deviation]] = []
        for i, level in enumerate(self._levels):
            if level.fitted is None:
                deviations.append({0: Deviation.of_root(level.noise)})
            else:
                self._below[level.fitted.parent].append((i, level.fitted))
                above = Deviation.largest(list(deviations[level.fitted.parent].values()))
                deviations.append({})
                for kappa in np.unique(level.fitted.kappa[level.fitted.kappa > 0]).tolist():
                    self._gaps[i, kappa] = SharedGap(level.noise, kappa, above.far, above)
                    deviations[i][kappa] = above.of_child(level.noise, kappa)
            self._reach.append(max((deviation.far for deviation in deviations[i].values()), default=1))

    def _all_parts(self) -> list[list[dict[int, frozenset[int]]]]:
        """[level][label] -> which labels of each level are parts of it, itself included."""
        parts: list[list[dict[int, frozenset[int]]]] = [[] for _ in self._levels]
        for level in range(len(self._levels) - 1, -1, -1):
            for label in range(self._levels[level].vectors.shape[1]):
                found = {level: frozenset({label})}
                for below, fitted in self._below[level]:
                    for part in np.flatnonzero(fitted.parent_label == label).tolist():
                        for i, labels in parts[below][part].items():
                            found[i] = found.get(i, frozenset()) | labels
                parts[level].append(found)
        return parts

    def hidden(self, questions: Sequence[tuple[Required, IntArray]]) -> list[FloatArray]:
        """P(the labels ``required[level]`` are hidden on every level named), for some kinds of cells; per question.

        With w_v(q) = [q = 0 or v need not be hidden] prod over the levels fitted to v of E(prod_k w_k(Q_k) | q), over
        the children k of v on the level, published as Q_k: the product over roots of E w(Q). An answer of which a
        bound says that it is at most 1e-16 is 0 (the proof is in ``negligible``); what else an answer misses are the
        tails of laws beyond their reach, as small, and rounding.

        Source: P0 section 4.3.
        Assumes what ``shared_gap`` assumes, with the gap shared among all parts of a count that the fitted table lists
        and does not declare impossible, in all its cells.
        Departs from print (P0-11): there the constraint is mentioned and its effect is not computed.
        """
        found = [self._known_answers(required) for required, _ in questions]
        waiting: dict[Form, list[tuple[FloatArray, IntArray, IntArray]]] = {}
        for answers, (required, kinds) in zip(found, questions, strict=True):
            missing = kinds[np.isnan(answers[kinds])]
            possible = self._possible(required, missing)
            answers[missing] = possible
            for label in range(self._levels[0].vectors.shape[1]):
                nodes = self._nodes_of(0, label, required, missing[possible])
                if nodes is not None:
                    waiting.setdefault(nodes[0], []).append((answers, missing[possible], nodes[1]))
        for form, asked in waiting.items():
            values = self._values(form, np.concatenate([rows for _, _, rows in asked]))
            ends = np.cumsum([len(kinds) for _, kinds, _ in asked])[:-1]
            for (answers, kinds, _), some in zip(asked, np.split(values, ends), strict=True):
                answers[kinds] *= some
        return [answers[kinds] for answers, (_, kinds) in zip(found, questions, strict=True)]

    def _possible(self, required: Required, kinds: IntArray) -> BoolArray:
        """Where the labels may be hidden at all: where not even some of them are, nothing needs to be computed."""
        possible = np.ones(len(kinds), dtype=bool)
        for level, labels in required.items():
            for fewer in self._of_one_level.get(level, ()):
                if fewer <= labels and (known := self._answered.get(frozenset([(level, fewer)]))) is not None:
                    possible &= ~(known[kinds] <= TRACE)
        possible[possible] = self._traces.possible(required, kinds[possible])
        return possible

    def _known_answers(self, required: Required) -> FloatArray:
        """What is known already about every kind of cell, to be written into; NaN where nothing is.

        What nobody asked for longest is forgotten first.
        """
        key = frozenset(required.items())
        known = self._answered.pop(key, None)
        while self._answered and (len(self._answered) + 1) * self.n_kinds > _MOST_KNOWN:
            del self._answered[next(iter(self._answered))]
        if known is None and len(required) == 1:
            ((level, labels),) = required.items()
            self._of_one_level.setdefault(level, set()).add(labels)
        self._answered[key] = np.full(self.n_kinds, np.nan) if known is None else known
        return self._answered[key]

    def _values(self, form: Form, rows: IntArray) -> FloatArray:
        """E w(Q) of some roots of one form."""
        first, back = kinds_of(list(rows.T))
        far = self._reach[0]
        mass = as_floats(self._levels[0].noise.pmf(np.arange(-far, far + 1.0)))
        values = np.empty(len(first))
        at_once = max(1, _LARGEST_CHUNK // len(mass))
        for start in range(0, len(first), at_once):
            some = slice(start, start + at_once)
            values[some] = self._weights_of(0, form, rows[first[some]]) @ mass
        values[rows[first, -1] < 0] = 1.0
        return np.minimum(values, 1.0)[back]

    def _nodes_of(self, level: int, label: int, required: Required, kinds: IntArray) -> tuple[Form, IntArray] | None:
        """The nodes of one label on one level, for some kinds of cells; None where nothing is asked of any."""
        must_hide = label in required.get(level, ())
        below, columns = [], []
        asked = np.full(len(kinds), must_hide)
        for fitted_level, fitted in self._below[level]:
            names = self._names_of_parts(fitted_level, self._parts[level][label].get(fitted_level), required, kinds)
            if names is not None:
                below.append((fitted_level, len(names)))
                columns += [fitted.kappa[kinds, label], *names]
                asked |= names[-1] != FREE
        if not must_hide and not below:
            return None
        # a count out of the noise's reach is never clipped; what cannot occur is never shown, nor is any part of it
        counts = self._levels[level].vectors[kinds, label]
        rows = np.stack([*columns, np.minimum(counts, self._reach[level] + 1)], axis=1)
        rows[~asked | (counts < 0)] = (*[FREE] * len(columns), -1)
        return Form(must_hide, tuple(below)), rows

    def _names_of_parts(
        self, level: int, parts: frozenset[int] | None, required: Required, kinds: IntArray
    ) -> IntArray | None:
        """(parts, kinds): what is asked about some counts of a level, by name, in ascending order."""
        if not parts or not any(i in required for i in self._parts[level][next(iter(parts))]):
            return None
        deeper = [part for part in parts if self._asked_below(level, part, required)]
        leaves = [part for part in parts & required.get(level, frozenset()) if part not in deeper]
        names = [self._leaves[level][part][kinds] for part in leaves]
        names += [self._names(level, part, required, kinds) for part in deeper]
        if not names:
            return None
        ordered = np.sort(names, axis=0)
        ordered = ordered[(ordered != FREE).any(axis=1)]
        return ordered if len(ordered) else None

    def _asked_below(self, level: int, label: int, required: Required) -> bool:
        parts = self._parts[level][label]
        return any(i != level and i in parts and labels & parts[i] for i, labels in required.items())

    def _names(self, level: int, label: int, required: Required, kinds: IntArray) -> IntArray:
        """What is asked about the count of one label, below which something is asked, for some kinds of cells."""
        parts = self._parts[level][label]
        here = {i: labels & parts[i] for i, labels in required.items() if i in parts and labels & parts[i]}
        key = (level, label, frozenset(here.items()))
        if key not in self._named:
            if len(self._named) * self.n_kinds > _MOST_KNOWN:
                self._named.clear()
            self._named[key] = np.full(self.n_kinds, -1)
        named = self._named[key]
        missing = kinds[named[kinds] < 0]
        if len(missing):
            nodes = self._nodes_of(level, label, here, missing)
            named[missing] = FREE
            if nodes is not None:
                form, rows = nodes
                first, back = kinds_of(list(rows.T))
                numbers = self._nodes[level].numbers(form, rows[first]) + self._first_deeper[level]
                named[missing] = np.where(rows[first, -1] < 0, FREE, numbers)[back]
        return named[kinds]

    def _weights_of(self, level: int, form: Form, rows: IntArray) -> FloatArray:
        """w_v(max(0, n_v + z)) for z from -reach to reach of the level, for some nodes of one form."""
        far = self._reach[level]
        z = np.arange(-far, far + 1)
        counts = rows[:, -1:]
        weights = np.ones((len(rows), len(z)))
        for below, kappa, names in form.parts():
            answers = self._answers(below, rows[:, kappa], rows[:, names], len(z))
            weights *= np.take_along_axis(answers, np.maximum(z, -counts) + far, axis=1)
        if form.must_hide:
            weights[z > -counts] = 0.0
        return weights

    def _answers(self, level: int, kappas: IntArray, names: IntArray, length: int) -> FloatArray:
        """E(prod of the weights of the parts named | q) for q - n from minus to plus the reach of the level above."""
        nodes, first_deeper = self._nodes[level], self._first_deeper[level]
        for form, numbers, rows in nodes.without_weights(names[names >= first_deeper] - first_deeper):
            at_once = max(1, _LARGEST_CHUNK // nodes.weights.shape[1])
            for start in range(0, len(rows), at_once):
                some = slice(start, start + at_once)
                nodes.weigh(numbers[some], self._weights_of(level, form, rows[some]))
        answers = np.ones((len(names), length))
        asked = (names != FREE).any(axis=1)
        for kappa in np.unique(kappas[asked]).tolist():
            alike = np.flatnonzero(asked & (kappas == kappa))
            first, back = kinds_of(list(names[alike].T))
            found = self._gaps[level, kappa].expected(names[alike[first]], nodes.weights, first_deeper)
            answers[alike] = found[back]
        return answers


def _hidden_names(vectors: IntArray, most: int) -> IntArray:
    """(labels, kinds): what counts are called that must be hidden; what cannot occur is hidden anyway."""
    counts = np.ascontiguousarray(vectors.T)
    return np.where(counts < 0, FREE, hidden_names(np.minimum(counts, most)))


def _chosen(level: Level, rows: IntArray) -> Level:
    """The level seen from some cells only."""
    fitted = level.fitted
    if fitted is not None:
        fitted = Fitted(fitted.parent, fitted.parent_label, fitted.kappa[rows])
    return Level(level.noise, level.vectors[rows], fitted)
