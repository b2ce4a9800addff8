"""Empirical risk: sanitise the table again and again, and count what an attacker sees.

Nothing here uses the formulas of the exact measures: noise is drawn, counts are rounded half up and clipped at 0, every
cell is sorted into its scenario. That makes it a check of those formulas, for any mechanism.

A table is simulated by its signatures. A signature that c cells share contributes c independent cells to every repeat.
Where the whole table would need more than ``max_draws`` noise values, only some of the cells of each frequent signature
are drawn and stand for all c of them. The mean stays unbiased; the standard error grows, and the one reported includes
it, because it is computed from the repeats as they were drawn. The standard deviation between releases, in contrast, is
that of the *whole* table: cells are independent, so it follows from the variances within the signatures.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import BoolArray, FloatArray, IntArray
from epsilens.budget import Budget
from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.homogeneity.average import cell_weights
from epsilens.homogeneity.local import SCENARIOS, match_weights
from epsilens.noise import MECHANISMS, calibrate
from epsilens.noise.law import AnyNoise, checked_noise
from epsilens.notebook import brief
from epsilens.table.frequency import FrequencyTable, checked_table

STATISTICS = (*SCENARIOS, "local", "local-share", "hard", "soft", "shown-right", "shown-wrong")
"""What is averaged over a sanitised table: the eight scenarios, whatever the labels harm; the homogeneity risk with
``match="any"`` and ``match="share"`` and the share of right guesses by plurality and by released proportions, where
labels count as often as they harm; the people whose cell shows a single label that harms, and it is theirs or not."""

_DRAWS_AT_A_TIME = 1 << 20


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
    """Cells of the table, and cells drawn per repeat; fewer where frequent signatures were sampled."""

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
    since it was last called; their total is ``repeats`` per budget. ``max_draws`` bounds the noise values per budget.

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

    With x_ir the statistic of cell i in repeat r and w_i its weight (people, or one per non-empty cell, over all):
    X_r = sum over i of w_i x_ir; mean = average of X_r; standard error = sd(X_r) / sqrt(R). If every cell is drawn, the
    standard deviation is that of X_r; otherwise sqrt(sum over signatures of c w^2 v), v the variance within.

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
    if max_draws < 1:
        raise ParameterError("must be >= 1", parameter="max_draws", got=max_draws)
    vectors, multiplicities, harm = table.harm_signatures()
    occupied = (vectors > 0).any(axis=1)
    vectors, multiplicities = vectors[occupied], multiplicities[occupied]
    weights = cell_weights(vectors, multiplicities, weighted)  # of all the cells of a signature together
    drawn = _cells_to_draw(multiplicities, max_draws // (repeats * vectors.shape[1]))
    per_repeat = np.zeros((repeats, len(STATISTICS)))
    within = np.zeros((len(vectors), len(STATISTICS)))
    done = 0
    blocks = list(_blocks(drawn, vectors.shape[1]))
    for index, (signature, block_drawn) in enumerate(blocks):
        cells = np.repeat(vectors[signature], block_drawn, axis=0)
        starts = np.concatenate([[0], np.cumsum(block_drawn)[:-1]])
        share, present = match_weights(cells, "share"), cells > 0
        cell_weight = np.repeat(weights[signature] / drawn[signature], block_drawn)
        sums, squares = np.zeros((len(signature), len(STATISTICS))), np.zeros((len(signature), len(STATISTICS)))
        step = max(1, _DRAWS_AT_A_TIME // cells.size)
        for first in range(0, repeats, step):
            count = min(step, repeats - first)
            seen = _seen(cells, present, share, harm, noise.sample((count, *cells.shape), rng))
            per_repeat[first : first + count] += np.einsum("c,rcs->rs", cell_weight, seen)
            sums += np.add.reduceat(seen.sum(axis=0), starts)
            squares += np.add.reduceat((seen**2).sum(axis=0), starts)
            if progress is not None and (finished := repeats * index + first + count) // len(blocks) > done:
                progress(finished // len(blocks) - done)
                done = finished // len(blocks)
        draws = (repeats * block_drawn)[:, None]
        np.add.at(within, signature, draws * np.maximum(squares / draws - (sums / draws) ** 2, 0.0))
    spread = per_repeat.std(axis=0, ddof=1)
    variance = within / (repeats * drawn - 1)[:, None]
    whole = np.array_equal(drawn, multiplicities)
    sd = spread if whole else np.sqrt((weights**2 / multiplicities) @ variance)
    return Simulation(
        repeats,
        weighted,
        per_repeat.mean(axis=0),
        sd,
        spread / math.sqrt(repeats),
        int(multiplicities.sum()),
        int(drawn.sum()),
    )


def _seen(cells: IntArray, present: BoolArray, share: FloatArray, harm: FloatArray, noise: FloatArray) -> FloatArray:
    """The statistics of every published cell, (repeats, cells, STATISTICS); ``harm`` is how much each label counts."""
    published = np.where(cells < 0, 0.0, np.maximum(np.floor(cells + noise + 0.5), 0.0))
    shown = published > 0
    labels = shown.sum(axis=-1)
    one, none, several = labels == 1, labels == 0, labels > 1
    right = one & (shown & present).any(axis=-1)
    wrong = one & ~right
    homogeneous = present.sum(axis=-1) == 1
    largest = shown & (published == published.max(axis=-1, keepdims=True))
    any_held = (shown & present) @ harm
    own = np.einsum("ck,rck->rc", share * harm, shown)
    plurality = np.einsum("ck,rck->rc", share * harm, largest) / np.maximum(largest.sum(axis=-1), 1)
    proportions = np.einsum("ck,rck->rc", share * harm, published) / np.maximum(published.sum(axis=-1), 1.0)
    theirs = np.einsum("ck,rck->rc", share * (harm > 0), shown)
    others = np.einsum("ck,rck->rc", (1.0 - share) * (harm > 0), shown)
    of_homogeneous = [outcome & homogeneous for outcome in (right, wrong, several, none)]
    of_heterogeneous = [outcome & ~homogeneous for outcome in (several, none, wrong, right)]
    alone = [np.where(one, number, 0.0) for number in (any_held, own, theirs, others)]
    columns = [*of_homogeneous, *of_heterogeneous, *alone[:2], plurality, proportions, *alone[2:]]
    return np.stack([column.astype(np.float64) for column in columns], axis=-1)


def _cells_to_draw(multiplicities: IntArray, affordable: int) -> IntArray:
    """Cells to draw per signature: all of them, or as many of each as keeps the total affordable, two at least."""
    if int(multiplicities.sum()) <= affordable:
        return multiplicities
    low, high = 2, max(2, int(multiplicities.max()))
    while low < high:  # the largest cap whose total is affordable
        middle = (low + high + 1) // 2
        low, high = (middle, high) if int(np.minimum(multiplicities, middle).sum()) <= affordable else (low, middle - 1)
    return np.minimum(multiplicities, low)


def _blocks(drawn: IntArray, labels: int) -> Iterator[tuple[IntArray, IntArray]]:
    """Signatures and how many of their cells to draw, in blocks that fit into memory; a large one is cut."""
    room = max(1, _DRAWS_AT_A_TIME // labels)
    signatures: list[int] = []
    numbers: list[int] = []
    for signature, number in enumerate(drawn.tolist()):
        left = number
        while left > 0:
            taken = min(left, room - sum(numbers)) if numbers else min(left, room)
            signatures.append(signature)
            numbers.append(taken)
            left -= taken
            if sum(numbers) >= room:
                yield np.array(signatures), np.array(numbers)
                signatures, numbers = [], []
    if numbers:
        yield np.array(signatures), np.array(numbers)


def _stream(seed: int, mechanism: str, budget: Budget) -> np.random.Generator:
    """A generator that belongs to this seed, mechanism and budget alone."""
    if not isinstance(seed, int) or seed < 0:
        raise ParameterError("must be a whole number >= 0", parameter="seed", got=seed)
    name = int.from_bytes(f"{mechanism}/{type(budget).__name__}".encode(), "big")
    bits = [int.from_bytes(struct.pack(">d", value), "big") for value in vars(budget).values()]
    return np.random.default_rng(np.random.SeedSequence([seed, name, *bits]))
