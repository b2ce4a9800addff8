"""What columns and levels carry, clipped counts, and tables with coarser columns."""

from __future__ import annotations

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.knowing.beside import beside
from epsilens.choice.knowing.sets import KnownSets, set_numbers
from epsilens.table.marginal_cells import TableCells
from tests.unit.choice.knowing.test_sets import BUDGETS, NOISE, TABLE, known


def test_clipped_counts_of_the_full_table_are_those_published() -> None:
    for largest in (3, 1):
        sets = known(largest=largest)
        clipped = beside(sets).clipped
        assert set(clipped) == {*sets.sets, 7}
        assert clipped[7][0] == pytest.approx(known().sets[7].risks[0].published)
        assert all(0.0 <= risk <= 1.0 for risks in clipped.values() for risk in risks)


def test_columns_and_levels_share_what_is_disclosed() -> None:
    worths = {one.column: one for one in beside(known()).columns}
    total = known().sets[7].disclosed_today
    assert sum(one.due or 0.0 for one in worths.values()) == pytest.approx(total)
    assert worths["same"].due == pytest.approx(0.0, abs=1e-12)
    for one in worths.values():
        assert sum(level.due for level in one.levels) == pytest.approx(one.due, abs=1e-9)
        assert sum(level.people for level in one.levels) == TABLE.n_records
    full = known().sets[7].risks[0].added_up - known().sets[0].risks[0].added_up
    assert sum(one.after_noise[0][0] for one in worths.values()) == pytest.approx(full)
    assert [one.due for one in beside(known(largest=2)).columns] == [None] * 3


def test_a_column_coarsened_or_left_out() -> None:
    found = {(one.kind, one.column): one for one in beside(known()).coarsenings}
    assert set(found) == {("coarsen", "age"), ("drop", "age"), ("drop", "sex"), ("drop", "same")}
    pairs = el.FrequencyTable.from_counts([[16, 0], [1, 5], [5, 1], [0, 2]])
    coarse = found["coarsen", "age"]
    assert (coarse.levels_before, coarse.levels_after, coarse.disclosed_today) == (3, 2, 18)
    assert coarse.published[0] == pytest.approx(el.average(el.homogeneity.local(pairs, NOISE), pairs))
    limited = {(one.kind, one.column): one for one in beside(known(largest=1)).coarsenings}
    for key, one in found.items():
        assert limited[key].disclosed_today == one.disclosed_today
        assert limited[key].published == pytest.approx(one.published)


def test_a_coarser_cell_may_have_labels_that_are_impossible_where_people_are() -> None:
    rows = {"a": ["u", "v", "v", "w", "w", "w"], "b": ["x", "y", "y", "x", "y", "x"], "d": list("pqpqpq")}
    schema = el.Schema(
        quasi_identifiers=["a", "b"],
        sensitive="d",
        universe={"a": ["u", "v", "w"], "b": ["x", "y"], "d": ["p", "q"]},
        structural_zeros=[{"a": ["u"], "b": ["x"], "d": ["q"]}],
    )
    table = el.read_table(pd.DataFrame(rows), schema)
    found = KnownSets(TableCells.of(table), table.quasi_identifiers, set_numbers(2, 2), BUDGETS)
    merged = next(one for one in beside(found).coarsenings if one.kind == "coarsen" and one.column == "a")
    # u and v become one level; of (u or v, x) one p is counted, and (v, x), which nobody is in, may have a q
    noise = el.FrequencyTable.from_counts([[1, 0], [1, 1], [0, 2], [1, 0]], ["p", "q"])
    assert merged.published[0] == pytest.approx(el.average(el.homogeneity.local(noise, NOISE), noise))
