"""``utility``: what noise does to counts and to the marginals of a table, at any budgets; no ceiling plays a part."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, get_args

import numpy as np

from epsilens.arrays import FloatArray
from epsilens.budget import Budget
from epsilens.checks import one_of, whole
from epsilens.choice.marginal_utility import BudgetUtility, MarginalUtility
from epsilens.choice.publishing import (
    BudgetOf,
    Publish,
    checked_publish,
    published_cells,
    published_tables,
    table_noise,
)
from epsilens.choice.whole_universe import MOST_COUNTS, over_universe, universe_shape
from epsilens.errors import DataError, ParameterError, counted
from epsilens.noise import MECHANISMS, Noise
from epsilens.noise.absolute_error import expected_absolute_error
from epsilens.noise.mechanisms import check_mechanisms
from epsilens.notebook import by_role, one_line, rows_html
from epsilens.table import FrequencyTable
from epsilens.table.declared_cells import DeclaredCells, declared_cells
from epsilens.table.to_read import TableToRead
from epsilens.utility.absolute_error import mean_cell_error, share_off_by_more_than
from epsilens.utility.complete_grid import grid_distances
from epsilens.utility.marginal_distance import Sanitised, all_marginals, distances_of, draws_of, margins_of
from epsilens.utility.margins import Marginal, Margins

DEFAULT_EPSILONS = (0.1, 0.5, 1.0, 2.0, 10.0)
DEFAULT_WAYS = (1, 2, 3)
MOST_MARGINALS = 5_000
MOST_FOUND = 1 << 24
"""So many counts of cells that exist are simulated; a declared universe has a bound of its own."""
_NUMBERS_DRAWN = 20_000_000  # for one budget, unless a number of releases is asked for
_MOST_REPETITIONS, _LEAST_REPETITIONS = 100, 10


@dataclass(frozen=True)
class Question:
    """Which noise, and which marginals: mechanisms x deltas x epsilons, and how the counts are published."""

    mechanisms: tuple[str, ...] = ("laplace",)
    epsilons: tuple[float, ...] = ()
    deltas: tuple[float, ...] = ()
    ways: tuple[int, ...] = ()
    """Marginals of so many columns; none named are those of one, two and three, as far as there are columns."""
    sanitised: Sanitised = "table"
    """Where the noise goes: into the table, whose marginals are sums, or into each marginal directly."""
    publish: Publish | None = None
    """Several sensitive attributes: one joint table, the default, or one table each."""
    budget_of: BudgetOf | None = None
    """Of several tables or marginals: epsilon is that of each, the default, or of all together."""
    keep_negative: bool = False
    """Whether counts below 0 stay, as in a release that does not move them."""
    repetitions: int | None = None
    """Simulated releases; by default 100, fewer where there are very many counts."""
    seed: int = 2026
    neighbours: str = "add-remove"
    data: TableToRead | None = None
    """Where the table is, unless it is given."""

    def __post_init__(self) -> None:
        if self.data is not None and self.data.harmful:
            raise ParameterError(
                "is about risks, and what a table is good for does not depend on it",
                parameter="harmful",
                remedy="leave it out, or ask for an assessment",
            )
        check_mechanisms(self.mechanisms, self.deltas)
        for mechanism in self.mechanisms:  # a budget that cannot be honoured must fail before any data is read
            for _, budget in self.budgets(mechanism):
                table_noise(mechanism, budget, self.neighbours)
        one_of("sanitised", self.sanitised, get_args(Sanitised))
        object.__setattr__(self, "ways", tuple(sorted({whole("ways", way, 1) for way in self.ways})))
        if self.repetitions is not None:
            whole("repetitions", self.repetitions, 2, "that many make a standard error")
        whole("seed", self.seed, 0)
        checked_publish(self.publish, self.budget_of)
        if self.data is not None:
            self.fitting(self.data.schema.qid_columns, self.data.schema.sensitive_columns)

    def fitting(self, quasi_identifiers: Sequence[str], sensitive: Sequence[str]) -> None:
        """Refuse what a table of these columns cannot answer."""
        checked_publish(self.publish, self.budget_of, len(sensitive))
        columns = len(quasi_identifiers) + (1 if self.publish == "separate" else len(sensitive))
        if self.ways and self.ways[-1] > columns:
            raise ParameterError(
                f"must be at most {columns}, the number of columns of a table", parameter="ways", got=self.ways[-1]
            )
        if (marginals := sum(math.comb(columns, way) for way in self.of_ways(columns))) > MOST_MARGINALS:
            raise ParameterError(
                f"make {marginals:,} marginals, and at most {MOST_MARGINALS:,} are looked at",
                parameter="ways",
                remedy="name smaller ones, or fewer columns",
            )
        if self.budget_of is not None and self.sanitised == "table" and self.publish != "separate":
            raise ParameterError(
                "is about several tables, and there is one",
                parameter="budget_of",
                remedy="leave it out, or take `sanitised=marginals` or `publish=separate`",
            )

    def of_ways(self, columns: int) -> tuple[int, ...]:
        """How many columns the marginals of a table of so many columns cross."""
        return self.ways or tuple(way for way in DEFAULT_WAYS if way <= columns)

    def budgets(self, mechanism: str) -> Iterator[tuple[float | None, Budget]]:
        """The budgets of a mechanism, each with its delta; usual epsilons that it cannot honour are left out."""
        known = MECHANISMS[mechanism]
        for delta in self.deltas if known.has_delta and self.deltas else (None,):
            for epsilon in self.epsilons or [e for e in DEFAULT_EPSILONS if e < known.below]:
                yield delta, known.budget(epsilon, delta)

    @property
    def steps(self) -> int:
        """How many budgets there are."""
        return sum(1 for mechanism in self.mechanisms for _ in self.budgets(mechanism))


@dataclass(frozen=True, eq=False)
class Answer:
    """The whole answer. It is computed from true data: internal, not for publication."""

    question: Question
    people: int
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    cells: int
    """Cells with people."""
    universe: DeclaredCells | None
    """The cells and counts of the declared universe, which the noise goes into; None where none is declared."""
    tables: int
    """How many tables, or marginals, are published."""
    repetitions: int | None
    """Simulated releases; None where the universe is too large to simulate."""
    lines: tuple[BudgetUtility, ...]

    def __repr__(self) -> str:
        return one_line(self, by_role(self.quasi_identifiers, self.sensitive), counted(len(self.lines), "budget"))

    def _repr_html_(self) -> str:
        rows = [
            {"table": line.table, "mechanism": line.mechanism, **vars(line.budget), **summary.to_dict()}
            for line in self.lines
            for summary in line.by_ways
        ]
        return rows_html("What noise does to marginals", rows, internal=True)

    @property
    def publish(self) -> Publish:
        """Whether several sensitive attributes are in one table or each in its own."""
        return self.question.publish or "joint"

    @property
    def budget_of(self) -> BudgetOf:
        """Whose budget epsilon is."""
        return self.question.budget_of or "each"

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        question = self.question
        return {
            "label": "internal",
            "people": self.people,
            "cells": self.cells,
            "universe": None if self.universe is None else self.universe.to_dict(),
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "publish": self.publish,
            "sanitised": question.sanitised,
            "tables": self.tables,
            "budget_of": self.budget_of,
            "negative_counts": "kept" if question.keep_negative else "raised to 0",
            "ways": [summary.ways for summary in self.lines[0].by_ways],
            "neighbours": question.neighbours,
            "repetitions": self.repetitions,
            "seed": question.seed,
            "budgets": [line.to_dict() for line in self.lines],
        }


def answer(
    question: Question, table: FrequencyTable | None = None, progress: Callable[[int], None] | None = None
) -> Answer:
    """What noise does to ``table``, or to the table that the question says where to read."""
    if table is None:
        if question.data is None:
            raise ParameterError("there is no table to look at: give one, or say in `data` where it is")
        table = question.data.read()
    question.fitting(table.quasi_identifiers, table.sensitive)
    universe = published_cells(table, question.publish)
    grids = [_Grid.of(part, question) for part in published_tables(table, question.publish)]
    tables = sum(len(grid.marginals) for grid in grids) if question.sanitised == "marginals" else len(grids)
    together = tables if question.budget_of == "all" else 1
    rng = np.random.default_rng(question.seed)
    lines = []
    for grid in grids:
        for mechanism in question.mechanisms:
            for _, budget in question.budgets(mechanism):
                noise = table_noise(mechanism, budget, question.neighbours, table.max_rows_per_unit, together)
                lines.append(_line(grid, question, mechanism, budget, noise, rng))
                if progress is not None:
                    progress(1)
    return Answer(
        question,
        table.n_records,
        table.quasi_identifiers,
        table.sensitive,
        table.n_cells,
        universe,
        tables,
        grids[0].repetitions,
        tuple(lines),
    )


@dataclass(frozen=True, eq=False)
class _Grid:
    """A table with every cell that gets noise, or its shape alone where these are too many to list."""

    table: FrequencyTable
    whole: FrequencyTable | None
    marginals: list[Marginal]
    repetitions: int | None
    margins: Margins | None = None
    """The marginals of ``whole``."""

    @staticmethod
    def of(table: FrequencyTable, question: Question) -> _Grid:
        columns = (*table.quasi_identifiers, *table.sensitive)
        marginals = all_marginals(columns, question.of_ways(len(columns)))
        declared = declared_cells(table)
        if declared is not None and declared.counts > MOST_COUNTS:
            return _Grid._of_shape(table, marginals, question, declared.counts)
        if declared is None and (found := table.n_cells * table.n_labels) > MOST_FOUND:
            raise DataError(
                f"{table.n_cells:,} cells by {table.n_labels:,} labels are {found:,} counts, and the marginals of at "
                f"most {MOST_FOUND:,} are simulated",
                remedy="merge rare values of the sensitive attribute or bin it, use fewer or coarser quasi-identifiers",
            )
        whole = over_universe(table)
        size = whole.n_cells * whole.n_labels
        usual = int(np.clip(_NUMBERS_DRAWN // size, _LEAST_REPETITIONS, _MOST_REPETITIONS))
        return _Grid(table, whole, marginals, question.repetitions or usual, margins_of(whole, marginals))

    @staticmethod
    def _of_shape(table: FrequencyTable, marginals: list[Marginal], question: Question, counts: int) -> _Grid:
        too_many = f"has {counts:,} counts, and at most {MOST_COUNTS:,} are simulated"
        joint = table.joint or table
        if joint.schema is not None and joint.schema.impossible:
            raise ParameterError(
                f"{too_many}; with structural zeros nothing is known of more",
                parameter="universe",
                remedy="declare fewer levels, or leave columns out",
            )
        if question.repetitions is not None:
            raise ParameterError(
                too_many,
                parameter="universe",
                remedy="leave out `repetitions`: the exact expectation is known of larger ones",
            )
        return _Grid(table, None, marginals, None)


def _line(
    grid: _Grid, question: Question, mechanism: str, budget: Budget, noise: Noise, rng: np.random.Generator
) -> BudgetUtility:
    table, of_cells = grid.table, question.sanitised == "table"
    marginals, medians = _marginals(grid, question, noise, rng)
    return BudgetUtility(
        " x ".join(table.sensitive),
        mechanism,
        budget,
        noise,
        expected_absolute_error(noise),
        mean_cell_error(table, noise) if of_cells else None,
        share_off_by_more_than(table, noise, 50.0) if of_cells else None,
        _empty_shown(grid, noise) if of_cells else None,
        marginals,
        medians,
    )


def _empty_shown(grid: _Grid, noise: Noise) -> float | None:
    """The expected number of cells without anybody that show somebody: 1 - P(Z < 1/2)^K for a cell of K counts."""
    hidden = float(noise.cdf(0.5))
    if grid.whole is None:  # no structural zeros
        declared = declared_cells(grid.table)
        assert declared is not None
        return declared.further_cells * -math.expm1(declared.counts // declared.cells * math.log(hidden))
    vectors, multiplicities = grid.whole.signatures()
    empty = np.maximum(vectors, 0).sum(axis=1) == 0
    if not empty.any():
        return None
    labels = (vectors[empty] >= 0).sum(axis=1)
    return float(multiplicities[empty] @ -np.expm1(labels * math.log(hidden)))


def _marginals(
    grid: _Grid, question: Question, noise: Noise, rng: np.random.Generator
) -> tuple[tuple[MarginalUtility, ...], dict[int, tuple[float, float]]]:
    """Every marginal, and in which range the median over those of so many columns lies in nine of ten releases."""
    sanitised = question.sanitised
    if grid.margins is None or grid.repetitions is None:
        shape = universe_shape(grid.table.joint or grid.table)
        shape = {name: shape[name] for name in (*grid.table.quasi_identifiers, *grid.table.sensitive)}
        of_shape = grid_distances(shape, grid.table.n_records, noise, grid.marginals, sanitised)
        return tuple(MarginalUtility(exact.marginal, exact.cells, exact.distance) for exact in of_shape), {}
    drawn = draws_of(grid.margins, noise, rng, sanitised, grid.repetitions, not question.keep_negative)
    expected = distances_of(grid.margins, noise, sanitised)
    ways = np.array([len(marginal) for marginal in grid.marginals])
    medians = {}
    for size in np.unique(ways).tolist():
        low, high = np.quantile(np.median(drawn[ways == size], axis=0), [0.05, 0.95])
        medians[size] = float(low), float(high)
    return tuple(
        MarginalUtility(exact.marginal, exact.cells, exact.distance, *_moments(row))
        for exact, row in zip(expected, drawn, strict=True)
    ), medians


def _moments(row: FloatArray) -> tuple[float, float, float, float, float]:
    sd = float(row.std(ddof=1))
    low, high = (float(value) for value in np.quantile(row, [0.05, 0.95]))
    return float(row.mean()), sd / math.sqrt(len(row)), sd, low, high
