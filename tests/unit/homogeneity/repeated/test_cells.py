from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.cells import finest_of, rows_of
from epsilens.table.frequency import FrequencyTable

COARSE = FrequencyTable.from_counts([[3, 1], [2, 0]], cells={"sex": ["f", "m"]})
FINE = FrequencyTable.from_counts(
    [[1, 1], [2, 0], [2, 0]], cells={"sex": ["f", "f", "m"], "age": ["young", "old", "old"]}
)


def test_a_cell_is_found_by_the_columns_that_both_tables_have() -> None:
    assert finest_of([COARSE, FINE]) is FINE
    assert rows_of(FINE, COARSE).tolist() == [0, 0, 1]
    assert rows_of(FINE, FINE).tolist() == [0, 1, 2]


def test_tables_about_other_people_or_other_columns_are_refused() -> None:
    other = FrequencyTable.from_counts([[9, 1], [2, 0]], cells={"sex": ["f", "m"]})
    with pytest.raises(
        ParameterError, match=r"2 and 3 cells that do not agree; give disjoint people a different cohort"
    ):
        rows_of(FINE, other)
    place = FrequencyTable.from_counts([[5, 1]], cells={"place": ["here"]})
    with pytest.raises(ParameterError, match="'place' is not a quasi-identifier of the finest"):
        finest_of([FINE, place])
