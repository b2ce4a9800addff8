from __future__ import annotations

import numpy as np
import pytest

from epsilens.errors import DataError
from epsilens.table import Cells, FrequencyTable
from epsilens.table.cells import MOST_PEOPLE, added_up, cell_names

TABLE = FrequencyTable.from_counts(
    [[3, 0], [1, 2], [0, 5]], ["no", "yes"], {"town": ["a", "a", "b"], "sex": ["f", "m", "f"]}
)


def test_a_table_made_by_hand_has_the_same_cells() -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["n", "p"])
    cells = Cells.of(table)
    assert cells.domain.columns == ("cell", "label")
    assert cells.counts.tolist() == [3, 1, 2]


def test_only_occupied_cells_are_there_with_their_levels() -> None:
    cells = Cells.of(TABLE)
    assert (cells.people, cells.counts.tolist()) == (11, [3, 1, 2, 5])
    levels = [
        tuple(found[code] for found, code in zip(cells.domain.levels, row, strict=True)) for row in cells.codes.tolist()
    ]
    assert levels == [("a", "f", "no"), ("a", "m", "no"), ("a", "m", "yes"), ("b", "f", "yes")]
    assert cell_names(TABLE) == (("town", "sex"), [["a", "a", "b"], ["f", "m", "f"]])


def test_a_marginal_has_the_same_people() -> None:
    towns = Cells.of(TABLE).marginal(["town"])
    assert (towns.people, towns.counts.tolist(), towns.domain.columns) == (11, [6, 5], ("town",))
    assert towns.fingerprint != Cells.of(TABLE).fingerprint


def test_every_cell_has_a_count_and_a_code_for_every_column() -> None:
    cells = Cells.of(TABLE)
    with pytest.raises(DataError, match="cells need a count and 3 codes each, got 3 counts"):
        Cells(cells.domain, cells.codes, cells.counts[:3])


def test_sums_of_counts_are_exact_up_to_where_they_are_cut_off() -> None:
    rng = np.random.default_rng(3)
    group = rng.integers(0, 4, 60)
    for top in (10, 2**26, 2**40, 2**51):
        counts = rng.integers(0, top, 60)
        exact = [sum(int(n) for n, g in zip(counts, group, strict=True) if g == wanted) for wanted in range(5)]
        assert added_up(group, counts, 5).tolist() == [min(total, MOST_PEOPLE) for total in exact]
    full = np.full(5_000, MOST_PEOPLE)
    assert added_up(np.zeros(5_000, dtype=np.int64), full, 1).tolist() == [MOST_PEOPLE]
    assert added_up(np.zeros(2, dtype=np.int64), np.array([MOST_PEOPLE - 1, 1]), 1).tolist() == [MOST_PEOPLE]
