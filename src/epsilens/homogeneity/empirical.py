"""Empirical risk: sanitise the table again and again, and count what an attacker sees.

Nothing here uses the formulas of the exact measures. That makes it a check of those formulas, for any mechanism.

A table is simulated by its signatures. R releases of the c cells that share a signature are R c independent cells, all
alike, so what they show need not be drawn cell by cell:

- Which labels are shown: label by label, each of so many cells shows a label of count n with probability
  P(n + noise >= 1/2), so the number of those that do is binomial. Cells that show nothing yet, that show one label, and
  that show several are kept apart, and each of these groups is divided once more by every further label; labels that
  nobody has are alike, and divide them together. The numbers have the very law that drawing every cell gives.
- Guesses by plurality and by proportions depend on the published counts themselves: for these noise is drawn, counts
  are rounded half up and clipped at 0. Where all cells of all releases would need more than ``max_draws`` noise values,
  fewer are drawn, more of signatures with many people; with more signatures than draws, signatures are drawn too, as
  often as their share. The mean stays unbiased; the standard error grows, and the one reported includes it.

Cells are independent, so the standard deviation between releases follows from the variances within the signatures: it
is that of the *whole* table, however many cells were drawn.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.budget import Budget
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import SCENARIOS, match_weights
from epsilens.noise import MECHANISMS, calibrate
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief
from epsilens.table.count_vectors import CountVectors
from epsilens.table.frequency import FrequencyTable, checked_table

STATISTICS = (*SCENARIOS, "local", "local-share", "hard", "soft", "shown-right", "shown-wrong")
"""What is averaged over a sanitised table: the eight scenarios, whatever the labels harm; the homogeneity risk with
``match="any"`` and ``match="share"`` and the share of right guesses by plurality and by released proportions, where
labels count as often as they harm; the people whose cell shows a single label that harms, and it is theirs or not."""

_GUESSES = ("hard", "soft")
"""Those for which published counts are drawn; the others follow from which labels are shown."""
_BEFORE = STATISTICS.index(_GUESSES[0])
_FEWEST_CELLS = 4
_DRAWS_AT_A_TIME = 1 << 18  # published counts, which stay within a processor's cache
_NUMBERS_AT_A_TIME = 1 << 23  # of full rows


@dataclass(frozen=True, eq=False)
class Simulation:
    """Averages over the repeats of one noise; arrays follow :data:`STATISTICS`."""

    repeats: int
    weighted: bool
    mean: FloatArray
    sd: FloatArray
    """Standard deviation of the table's average from one release to the next."""
    standard_error: FloatArray
    """Standard error of ``mean``, including that of drawing only some cells."""
    cells: int
    cells_drawn: int
    """Cells of the table, and cells per repeat whose counts are drawn for the guesses; fewer where they are sampled."""

    __repr__ = brief

    def __getitem__(self, statistic: str) -> tuple[float, float, float]:
        """(mean, sd, standard error) of one statistic."""
        i = STATISTICS.index(one_of("statistic", statistic, STATISTICS))
        return float(self.mean[i]), float(self.sd[i]), float(self.standard_error[i])


@dataclass(frozen=True, eq=False)
class EmpiricalRisk:
    """One :class:`Simulation` per budget."""

    mechanism: str
    budgets: tuple[Budget, ...]
    simulations: tuple[Simulation, ...]

    __repr__ = brief

    def curve(self, statistic: str) -> tuple[FloatArray, FloatArray, FloatArray]:
        """(means, standard deviations, standard errors) of one statistic, one value per budget."""
        rows = np.array([simulation[statistic] for simulation in self.simulations])
        return rows[:, 0], rows[:, 1], rows[:, 2]

    def to_rows(self) -> list[dict[str, Any]]:
        """One plain dictionary per budget and statistic, for JSON and charts."""
        return [
            {
                "mechanism": self.mechanism,
                **vars(budget),
                "average": "people" if simulation.weighted else "cells",
                "repeats": simulation.repeats,
                "statistic": statistic,
                "mean": simulation[statistic][0],
                "sd": simulation[statistic][1],
                "standard_error": simulation[statistic][2],
            }
            for budget, simulation in zip(self.budgets, self.simulations, strict=True)
            for statistic in STATISTICS
        ]


def empirical(
    table: FrequencyTable,
    mechanism: str,
    budgets: Sequence[Budget],
    repeats: int = 500,
    seed: int = 0,
    neighbours: str = "add-remove",
    weighted: bool = True,
    max_draws: int = 50_000_000,
    progress: Callable[[int], None] | None = None,
) -> EmpiricalRisk:
    """Sanitise ``table`` ``repeats`` times at each budget: mean, spread and standard error of each statistic.

    A budget's random stream depends on the seed, the mechanism and the budget itself, not on its place in the list, so
    one budget gives the same numbers alone as among others. ``progress`` is called with the number of repeats done
    since it was last called; their total is ``repeats`` per budget. ``max_draws`` bounds the noise values per budget;
    besides, some binomial numbers per signature are drawn, about K^2 / 2 for K labels.

    The same seed gives the same numbers under the same version. Versions that drew every cell by itself gave other
    ones, which agree within the standard errors.

    Source: P0 section 5.2 (footnote 7), P1 section 4.
    Assumes independent noise per count; counts rounded half up and clipped at 0; structural zeros get no noise.
    """
    checked_table(table)
    one_of("mechanism", mechanism, MECHANISMS)
    chosen = tuple(budgets)
    if not chosen:
        raise ParameterError(
            "must hold at least one budget, got an empty list", parameter="budgets", remedy="give for example epsilon 1"
        )
    noises = [calibrate(mechanism, budget, neighbours, max_rows_per_unit=table.max_rows_per_unit) for budget in chosen]
    simulations = tuple(
        simulate(table, noise, repeats, _stream(seed, mechanism, budget), weighted, max_draws, progress)
        for budget, noise in zip(chosen, noises, strict=True)
    )
    return EmpiricalRisk(mechanism, chosen, simulations)


def simulate(
    table: FrequencyTable,
    noise: AnyNoise,
    repeats: int,
    rng: np.random.Generator,
    weighted: bool = True,
    max_draws: int = 50_000_000,
    progress: Callable[[int], None] | None = None,
) -> Simulation:
    """Sanitise ``table`` with ``noise`` ``repeats`` times; :func:`empirical` for a ready noise.

    With x the statistic of a cell of signature i, v_i its variance, c_i the cells that have the signature and w_i the
    weight of all of these (people, or one per non-empty cell, over all): mean = sum over i of w_i times the average of
    the R c_i cells; standard error^2 = sum over i of w_i^2 v_i / d_i with d_i the cells drawn, R c_i of them where none
    is left out; the variance between releases is the sum over i of w_i^2 v_i / c_i.

    Source: P1 section 4.
    """
    checked_table(table)
    checked_noise(noise)
    if not isinstance(repeats, int) or repeats < 2:
        raise ParameterError(
            "must be a whole number >= 2",
            parameter="repeats",
            got=repeats,
            remedy="a spread needs two repeats at least",
        )
    vectors, multiplicities, harm = table.sparse_harm_signatures()
    occupied = vectors.positive > 0
    vectors, multiplicities = vectors.take(occupied), multiplicities[occupied]
    if not isinstance(max_draws, int) or max_draws < (fewest := _FEWEST_CELLS * vectors.n_labels):
        raise ParameterError(
            f"must be a whole number >= {fewest}, {_FEWEST_CELLS} cells of {vectors.n_labels} labels",
            parameter="max_draws",
            got=max_draws,
        )
    cells = _Cells(vectors, multiplicities, cell_weights(vectors, multiplicities, weighted), harm, repeats)
    patterns = _patterns(cells, noise, rng)
    guesses, drawn = _guesses(cells, noise, rng, max_draws // vectors.n_labels, progress)
    mean, variance, error = np.concatenate([patterns[:, :_BEFORE], guesses, patterns[:, _BEFORE:]], axis=1)
    total = int(multiplicities.sum())
    return Simulation(
        repeats, weighted, mean, np.sqrt(variance), np.sqrt(error), total, min(total, -(-drawn // repeats))
    )


@dataclass(frozen=True, eq=False)
class _Cells:
    """The occupied signatures of a table, and how often they are published."""

    counts: CountVectors
    multiplicities: IntArray
    weights: FloatArray
    """Of all the cells of a signature together."""
    harm: FloatArray
    """How much each label counts."""
    repeats: int

    @cached_property
    def vectors(self) -> IntArray:
        """The counts as full rows: of a part of the cells, unless these are few."""
        return self.counts.dense()

    def some(self, rows: IntArray) -> _Cells:
        """Some of the signatures."""
        return _Cells(self.counts.take(rows), self.multiplicities[rows], self.weights[rows], self.harm, self.repeats)

    def parts(self) -> Iterator[_Cells]:
        """All of them, so many at a time that full rows fit into memory."""
        step = max(1, _NUMBERS_AT_A_TIME // self.counts.n_labels)
        for first in range(0, len(self.counts), step):
            yield self.some(np.arange(first, min(first + step, len(self.counts))))

    @property
    def share(self) -> FloatArray:
        """The share of the people of a cell who have each label."""
        return match_weights(self.vectors, "share")

    @property
    def published(self) -> IntArray:
        """How many cells of each signature all repeats publish."""
        return self.repeats * self.multiplicities

    def averages(self, sums: FloatArray, squares: FloatArray, drawn: IntArray) -> FloatArray:
        """(mean, variance between releases, squared standard error) of statistics, from sums over ``drawn`` cells."""
        means, number = sums / drawn[:, None], drawn[:, None]
        within = np.maximum(squares / number - means**2, 0.0) * (number / (number - 1))
        squared = self.weights**2
        return np.stack(
            [self.weights @ means, (squared / self.multiplicities) @ within, (squared / drawn) @ within], axis=0
        )


def _patterns(cells: _Cells, noise: AnyNoise, rng: np.random.Generator) -> FloatArray:
    """(mean, variance, squared error) of all that follows from which labels are shown, in the order of STATISTICS."""
    sums = [_sums_of_patterns(part, noise, rng) for part in cells.parts()]
    return cells.averages(
        np.concatenate([first for first, _ in sums]), np.concatenate([second for _, second in sums]), cells.published
    )


def _sums_of_patterns(cells: _Cells, noise: AnyNoise, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """Over all published cells of each signature: the sums of these statistics, and those of their squares."""
    alone, strange, none = _shown(cells, noise, rng)
    published, harmful = cells.published, cells.harm > 0
    right, wrong = alone.sum(axis=1), strange.sum(axis=1)
    several = published - right - wrong - none
    homogeneous = (cells.vectors > 0).sum(axis=1) == 1
    events = [np.where(homogeneous, number, 0) for number in (right, wrong, several, none)]
    events += [np.where(homogeneous, 0, number) for number in (several, none, wrong, right)]
    # what a cell counts for that shows label k alone, and one that shows a harmful label which nobody has
    share, anybody = cells.share, np.ones(cells.vectors.shape)
    worth = [(anybody * cells.harm, 0.0), (share * cells.harm, 0.0), (share * harmful, 0.0)]
    worth += [((1.0 - share) * harmful, 1.0)]
    counted = [(alone * label).sum(axis=1) + strange[:, 1] * stranger for label, stranger in worth]
    squares = [(alone * label**2).sum(axis=1) + strange[:, 1] * stranger for label, stranger in worth]
    return as_floats(np.stack([*events, *counted], axis=1)), as_floats(np.stack([*events, *squares], axis=1))


def _shown(cells: _Cells, noise: AnyNoise, rng: np.random.Generator) -> tuple[IntArray, IntArray, IntArray]:
    """Of all published cells of a signature: how many show only label k, only one that nobody has, and nothing at all.

    The first is (signatures, labels), the second (signatures, 2): harmless ones, and harmful ones.
    """
    vectors = cells.vectors
    none, alone = cells.published.copy(), np.zeros(vectors.shape, dtype=np.int64)
    for k in range(vectors.shape[1]):
        rows = np.flatnonzero(vectors[:, k] > 0)
        if len(rows):
            chance = noise.sf(0.5 - vectors[rows, k])
            before = np.flatnonzero(alone[rows].any(axis=0))
            alone[np.ix_(rows, before)] -= rng.binomial(alone[np.ix_(rows, before)], chance[:, None])
            alone[rows, k] = rng.binomial(none[rows], chance)
            none[rows] -= alone[rows, k]
    strange = np.zeros((len(vectors), 2), dtype=np.int64)
    hidden, shown = float(noise.cdf(0.5)), float(noise.sf(0.5))
    for kind in range(2):
        zeros = ((vectors == 0) & ((cells.harm > 0) == bool(kind))).sum(axis=1)
        if zeros.any():
            chance = -np.expm1(zeros * math.log1p(-shown))
            alone -= rng.binomial(alone, chance[:, None])
            strange -= rng.binomial(strange, chance[:, None])
            some = rng.binomial(none, chance)
            one = zeros * shown * hidden ** np.maximum(zeros - 1, 0)
            strange[:, kind] += rng.binomial(some, np.minimum(1.0, one / np.maximum(chance, 1e-300)))
            none -= some
    return alone, strange, none


def _guesses(
    cells: _Cells,
    noise: AnyNoise,
    rng: np.random.Generator,
    affordable: int,
    progress: Callable[[int], None] | None,
) -> tuple[FloatArray, int]:
    """(mean, variance, squared error) of the guesses, and how many cells were drawn, ``affordable`` at most."""
    drawn = _cells_to_draw(cells.published, cells.weights, affordable)
    if drawn is not None:
        found = np.zeros((2, len(drawn), len(_GUESSES)))
        for rows, values in _drawn_guesses(cells, noise, rng, np.repeat(np.arange(len(drawn)), drawn), progress):
            first, last = int(rows[0]), int(rows[-1]) + 1
            for j, value in enumerate(values):
                found[0, first:last, j] += np.bincount(rows - first, weights=value, minlength=last - first)
                found[1, first:last, j] += np.bincount(rows - first, weights=value**2, minlength=last - first)
        return cells.averages(found[0], found[1], drawn), int(drawn.sum())
    return _guesses_of_sample(cells, noise, rng, affordable // 2, progress), 2 * (affordable // 2)


def _guesses_of_sample(
    cells: _Cells, noise: AnyNoise, rng: np.random.Generator, pairs: int, progress: Callable[[int], None] | None
) -> FloatArray:
    """The same from two cells each of signatures that are drawn with replacement, as often as their weight.

    A pair (x, y) of a signature that is drawn with probability w_i has E[(x + y) / 2] = sum of w_i mu_i, and
    E[w_i (x - y)^2 / (2 c_i)] = sum of w_i^2 v_i / c_i: both are averages over pairs, and pairs are independent.
    """
    rows = np.sort(rng.choice(len(cells.weights), size=pairs, p=cells.weights))
    parts = [np.stack(values) for _, values in _drawn_guesses(cells, noise, rng, np.repeat(rows, 2), progress)]
    values = np.concatenate(parts, axis=1).reshape(len(_GUESSES), pairs, 2)
    means, halves = values.mean(axis=2), 0.5 * (values[..., 0] - values[..., 1]) ** 2
    variance = (halves * (cells.weights[rows] / cells.multiplicities[rows])).mean(axis=1)
    return np.stack([means.mean(axis=1), variance, means.var(axis=1, ddof=1) / pairs])


def _drawn_guesses(
    cells: _Cells, noise: AnyNoise, rng: np.random.Generator, rows: IntArray, progress: Callable[[int], None] | None
) -> Iterator[tuple[IntArray, list[FloatArray]]]:
    """The share of right guesses in a published cell of each of these signatures, in blocks that fit into memory."""
    n_labels, done = cells.counts.n_labels, 0
    step = max(2, _DRAWS_AT_A_TIME // n_labels // 2 * 2)
    for first in range(0, len(rows), step):
        block = rows[first : first + step]
        different, place = np.unique(block, return_inverse=True)
        some = cells.some(different)
        counts = np.ascontiguousarray(some.vectors.T, dtype=np.float64)
        worth = np.ascontiguousarray((some.share * some.harm).T)
        impossible = counts < 0
        published = noise.sample((n_labels, len(block)), rng)
        published += counts[:, place]
        published += 0.5
        np.floor(published, out=published)
        np.maximum(published, 0.0, out=published)
        if impossible.any():
            published[impossible[:, place]] = 0.0
        yield block, _right_guesses(published, worth[:, place])
        finished = cells.repeats * min(first + step, len(rows)) // len(rows)
        if progress is not None and finished > done:
            progress(finished - done)
            done = finished


def _right_guesses(published: FloatArray, worth: FloatArray) -> list[FloatArray]:
    """By plurality, evenly among the largest, and by published proportions; (labels, cells) in, one per cell out."""
    top = published.max(axis=0)
    largest = published == top
    plurality = np.where(top > 0, (worth * largest).sum(axis=0) / largest.sum(axis=0), 0.0)
    proportions = (worth * published).sum(axis=0) / np.maximum(published.sum(axis=0), 1.0)
    return [plurality, proportions]


def _cells_to_draw(published: IntArray, weights: FloatArray, affordable: int) -> IntArray | None:
    """Cells to draw per signature: all that are published, or in proportion to weights, two of each at least.

    None where not even two of each are affordable.
    """
    if int(published.sum()) <= affordable:
        return published
    if 2 * len(published) > affordable:
        return None
    low, high = 0.0, float((published / np.maximum(weights, 1e-300)).max())
    for _ in range(100):  # the most per unit of weight whose total is affordable
        middle = 0.5 * (low + high)
        cells = np.clip(np.floor(middle * weights), 2, published).sum()
        low, high = (middle, high) if cells <= affordable else (low, middle)
    return np.clip(np.floor(low * weights), 2, published).astype(np.int64)


def _stream(seed: int, mechanism: str, budget: Budget) -> np.random.Generator:
    """A generator that belongs to this seed, mechanism and budget alone."""
    if not isinstance(seed, int) or seed < 0:
        raise ParameterError("must be a whole number >= 0", parameter="seed", got=seed)
    name = int.from_bytes(f"{mechanism}/{type(budget).__name__}".encode(), "big")
    bits = [int.from_bytes(struct.pack(">d", value), "big") for value in vars(budget).values()]
    return np.random.default_rng(np.random.SeedSequence([seed, name, *bits]))
