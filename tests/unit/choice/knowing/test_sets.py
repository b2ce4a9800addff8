"""What every set of columns discloses."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.budget import PureDP
from epsilens.choice.knowing.answer import KnowledgeBudget
from epsilens.choice.knowing.beside import beside
from epsilens.choice.knowing.sets import KnownSets, _PeopleOfSets, in_chunks, marginals, set_numbers
from epsilens.table.marginal_cells import TableCells
from epsilens.table.marginal_counts import PairCounts

CELLS = {
    "age": ["20", "20", "30", "30", "40", "40"],
    "sex": ["f", "m", "f", "m", "f", "m"],
    "same": ["-"] * 6,
}
TABLE = el.FrequencyTable.from_counts([[4, 0], [1, 2], [12, 0], [0, 3], [5, 1], [0, 2]], ["ill", "well"], CELLS)
NOISE = el.LaplaceNoise(1.0)
BUDGETS = [KnowledgeBudget("laplace", PureDP(1.0), NOISE)]


def known(table: el.FrequencyTable = TABLE, largest: int = 3) -> KnownSets:
    return KnownSets(TableCells.of(table), table.quasi_identifiers, set_numbers(3, largest), BUDGETS)


def test_numbers_of_sets_go_by_size() -> None:
    assert set_numbers(3, 3) == [0, 1, 2, 4, 3, 5, 6, 7]
    assert set_numbers(3, 1) == [0, 1, 2, 4]


def test_marginals_published_and_disclosed_as_tables_of_their_own() -> None:
    found = known().sets
    assert len(found) == 8
    for size in range(4):
        for columns in combinations(TABLE.quasi_identifiers, size):
            one = next(one for one in found.values() if one.attributes == columns)
            table = TABLE.marginal(columns)
            risks = el.homogeneity.local(table, NOISE)
            sizes = table.counts.sum(axis=1)
            assert one.risks[0].published == pytest.approx(el.average(risks, table))
            assert one.risks[0].published_people.worst == pytest.approx(risks.max())
            assert one.risks[0].published_people.above_half == sizes[risks > 0.5].sum()
            assert one.disclosed_today == sizes[(table.counts > 0).sum(axis=1) == 1].sum()
            assert one.cells == table.n_cells
    every = found[7].risks[0]
    assert every.added_up == pytest.approx(every.published)
    assert found[1].counts_added_up == (2, 2)


def test_harmless_values_disclose_nothing() -> None:
    harmed = KnownSets(TableCells.of(TABLE.with_harm("label=ill")), TABLE.quasi_identifiers, [0, 7], BUDGETS).sets[7]
    assert harmed.disclosed_today == 4 + 12
    assert harmed.risks[0].published < known().sets[7].risks[0].published


def test_large_tables_are_left_to_the_engine() -> None:

    rows = [
        (*(CELLS[name][i] for name in CELLS), label)
        for i, counts in enumerate(TABLE.counts.tolist())
        for label, n in zip(TABLE.labels, counts, strict=True)
        for _ in range(n)
    ]
    read = el.read_table(pd.DataFrame(rows, columns=[*CELLS, "label"]), el.Schema(list(CELLS), "label"))
    there = KnownSets(TableCells.of(read, largest=1), read.quasi_identifiers, set_numbers(3, 3), BUDGETS)
    for number, one in known().sets.items():
        other = there.sets[number]
        assert (other.disclosed_today, other.cells) == (one.disclosed_today, one.cells)
        assert other.counts_added_up == one.counts_added_up
        assert other.risks[0].added_up == pytest.approx(one.risks[0].added_up)
    again = beside(there)
    assert again.clipped == {}
    assert [one.kind for one in again.coarsenings] == ["drop"] * 3
    assert all(one.levels == () for one in again.columns)
    assert sum(one.due or 0 for one in again.columns) == pytest.approx(there.sets[7].disclosed_today)


def test_progress_is_told_of_every_set() -> None:
    told: list[int] = []
    KnownSets(TableCells.of(TABLE), TABLE.quasi_identifiers, set_numbers(3, 3), BUDGETS, told.append)
    assert np.sum(told) == 8


def test_the_worst_off_are_at_no_less_than_the_average_however_small_it_is() -> None:
    table = el.FrequencyTable.from_counts([[9, 9], [8, 9]], ["p", "q"], {"a": ["u", "v"]})
    tiny = [KnowledgeBudget("laplace", PureDP(5.0), el.LaplaceNoise(0.2))]
    risk = KnownSets(TableCells.of(table), table.quasi_identifiers, [0, 1], tiny).sets[1].risks[0].published_people
    assert 0.0 < risk.average <= risk.worst < 1e-12


def test_nobody_is_below_the_average_and_worst_off() -> None:
    """A risk of 1e-18 on average has somebody who is at that risk or above it, and not at 0."""
    cells = {"age": ["20", "20", "30"], "sex": ["f", "m", "f"]}
    table = el.FrequencyTable.from_counts([[30, 20], [40, 20], [30, 30]], ["ill", "well"], cells)
    for one in el.knowledge(table, epsilon=[1.0, 2.0]).sets:
        for risk in one.risks:
            assert 0.0 < risk.added_up <= risk.added_up_people.worst * (1 + 1e-12)


@pytest.mark.parametrize("as_pairs", [False, True])
def test_marginals_do_not_depend_on_what_they_are_added_up_from(as_pairs: bool) -> None:
    cells = TableCells.of(TABLE)
    if as_pairs:
        cells = replace(cells, counts=PairCounts.of_table(cells.counts.sparse))
    values = np.arange(2.0 * cells.counts.each.size).reshape(2, *cells.counts.each.shape)
    cells = cells.with_values(values)
    for number, found in marginals(cells, TABLE.quasi_identifiers, set_numbers(3, 3), True):
        alone = cells.marginal(found.columns)
        assert found.columns == tuple(name for j, name in enumerate(CELLS) if number >> j & 1)
        assert found.counts.sparse.dense().tolist() == alone.counts.sparse.dense().tolist()
        assert found.counts.parts.tolist() == alone.counts.parts.tolist()
        assert found.counts.values is not None
        assert alone.counts.values is not None
        np.testing.assert_allclose(found.counts.values, alone.counts.values)
        assert found.counts.values.sum() == values.sum()


def test_chunks_have_everything_once() -> None:
    sizes = [1_500_000, 600_000, 3_000_000, 1, 2]
    assert list(in_chunks(sizes, int)) == [[1_500_000, 600_000], [3_000_000], [1, 2]]


def test_who_is_at_one_half_is_not_above_it() -> None:
    cells = TableCells.of(TABLE).marginal(("sex",))
    (found,) = _PeopleOfSets([cells]).of(np.array([0.5, 0.75]))
    assert found.above_half == cells.people[1]
    assert (found.worst, found.at_worst) == (0.75, cells.people[1])
