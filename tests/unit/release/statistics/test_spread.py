"""Declared statistics: what is refused, and how they are written down."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.release.statistics import (
    Covariance,
    CovarianceMatrix,
    Mean,
    PooledCovariance,
    PooledVariance,
    Proportion,
    Proportions,
    Statistic,
    Variance,
    statistic_from,
)
from epsilens.release.statistics.noise import RAISED
from epsilens.table.moments import MIDDLE, GroupSums, Moments, MomentsQuery, Variable
from tests.support.released_statistics import ALL


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Mean("a", 5, 5), "must be below its upper bound"),
        (lambda: Mean("a", math.nan, 5), "must be finite"),
        (lambda: Mean("", 0, 5), "named by a text"),
        (lambda: Variance("a", 0, math.inf), "must be finite"),
        (lambda: Covariance(("a",), (0,), (1,)), "needs two columns, got 1"),
        (lambda: Covariance(("a", "b"), (0, 0), (1,)), "upper must hold one bound for each of the 2 columns, got 1"),
        (lambda: Covariance(("a", "a"), (0, 0), (1, 1)), "names a column twice"),
        (lambda: Covariance("ab", (0, 0), (1, 1)), "columns of a covariance must be a list"),
        (lambda: CovarianceMatrix(["a", "b"], [0, 3], [1, 2]), "the lower bound of 'b' must be below"),
        (lambda: Proportions("s", ["x"]), "need 2 to 1000 levels, got 1"),
        (lambda: Proportions("s", ["x", "x"]), "lists a value twice"),
        (lambda: PooledVariance("a", 0, 1, "s", []), "at least one value"),
        (lambda: statistic_from({"kind": "meen"}), "did you mean 'mean'"),
        (lambda: statistic_from({"kind": "mean", "column": "a"}), "lower, upper not given"),
        (lambda: statistic_from({"kind": "mean", "col": "a"}), "got 'col'; did you mean 'column'"),
        (lambda: statistic_from([1]), 'an object with its "kind"'),
    ],
)
def test_declarations_that_hold_no_statistic(make: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        make()


@pytest.mark.parametrize("statistic", ALL, ids=lambda s: s.kind)
def test_a_declaration_can_be_written_down_and_read_again(statistic: Statistic) -> None:
    assert statistic_from(json.loads(json.dumps(statistic.to_dict()))) == statistic


# -- any data: fewer records than declared, groups of one or none, records that do not fit ----------------------------

Record = tuple[int, int, str, str]
"""Twice the values of a and b (0 and 2 are the bounds, 1 is the middle), a level, a group; a blank is none."""


def moments_of(query: MomentsQuery, records: Sequence[Record], least: int) -> Moments:
    """What reading these records would sum: bounds are 0 and 1."""

    def grid(record: Record, variable: Variable) -> int:
        a, b, _, _ = record
        return ((a if variable.column == "a" else b) - 1) * MIDDLE

    groups = []
    for group in {record[3] for record in records}:
        members = [record for record in records if record[3] == group]
        groups.append(
            GroupSums(
                {"g": group} if group else {},
                len(members),
                {v: sum(grid(record, v) for record in members) for v in query.all_variables},
                {(v, w): sum(grid(record, v) * grid(record, w) for record in members) for v, w in query.pairs},
            )
        )
    counts = {("s", level): sum(record[2] == level for record in records) for level in query.levels.get("s", ())}
    n = len(records)
    return Moments(query, n, 0, n, {}, {}, counts, tuple(groups), least=least)


UNIT_BOUNDS: list[Any] = [
    Mean("a", 0, 1), Proportion("s", "f"), Proportions("s", ("f", "m")), Variance("a", 0, 1),
    Covariance(("a", "b"), (0, 0), (1, 1)), CovarianceMatrix(("a", "b"), (0, 0), (1, 1)),
    PooledVariance("a", 0, 1, "g", ("p", "q")), PooledCovariance(("a", "b"), (0, 0), (1, 1), "g", ("p", "q")),
    PooledVariance("a", 0, 1, "g", ("p",)), PooledCovariance(("a", "b"), (0, 0), (1, 1), "g", ("p",)),
]  # fmt: skip


def kinds_of_records(statistic: Any, neutral: bool) -> list[Record]:
    """What a record can be, as far as the statistic looks; with ``neutral`` also one that does not fit."""
    columns = {v.column for v in statistic.query.all_variables}
    sides = [(0, 2) if name in columns else (0,) for name in ("a", "b")]
    levels = ("f", "m") if statistic.query.levels else ("",)
    groups = tuple(statistic.query.groups.get("g", ("",)))
    found: list[Record] = list(itertools.product(*sides, levels, groups))
    return [*found, (1, 1, "", "")] if neutral else found


@pytest.mark.parametrize("statistic", UNIT_BOUNDS, ids=lambda statistic: str(statistic.name))
def test_one_record_more_moves_any_data_by_at_most_the_sensitivity(statistic: Any) -> None:
    kinds = kinds_of_records(statistic, neutral=False)
    for least in (4, 5) if len(kinds) < 8 else (4,):  # more would take long
        bound = Fraction(statistic.sensitivity(least, "add-remove")) * RAISED
        largest = Fraction(0)
        for size in range(least + 2):
            for data in itertools.combinations_with_replacement(kinds, size):
                before = statistic.exact(moments_of(statistic.query, data, least))
                for record in kinds:
                    after = statistic.exact(moments_of(statistic.query, [*data, record], least))
                    largest = max(largest, sum((abs(x - y) for x, y in zip(before, after, strict=True)), Fraction(0)))
        assert 0 < largest <= bound


@pytest.mark.parametrize("statistic", UNIT_BOUNDS, ids=lambda statistic: str(statistic.name))
def test_one_record_replaced_moves_any_data_by_at_most_the_sensitivity(statistic: Any) -> None:
    kinds = kinds_of_records(statistic, neutral=True)
    n = 4
    bound = Fraction(statistic.sensitivity(n, "substitute")) * RAISED
    for others in itertools.combinations_with_replacement(kinds, n - 1):
        found = [statistic.exact(moments_of(statistic.query, [*others, record], 0)) for record in kinds]
        for before, after in itertools.combinations(found, 2):
            assert sum((abs(x - y) for x, y in zip(before, after, strict=True)), Fraction(0)) <= bound
