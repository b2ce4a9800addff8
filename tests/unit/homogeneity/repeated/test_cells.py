from __future__ import annotations

import pytest

from epsilens.errors import ParameterError
from epsilens.homogeneity.repeated.cells import finest_of, holding_rows, rows_of, together
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


def test_together_adds_up_cells_labels_and_impossible_counts() -> None:
    one = FrequencyTable.from_counts([[1, 2], [0, 1]], ["a", "b"], {"sex": ["f", "m"]}, [[False, False], [True, False]])
    two = FrequencyTable.from_counts([[4, 0], [5, 0]], ["b", "c"], {"sex": ["m", "x"]}, [[False, False], [False, True]])
    whole, parts = together({"one": one, "two": two})
    assert whole.labels == ("a", "b", "c")
    assert whole.cells() == {"sex": ["f", "m", "x"]}
    assert whole.vectors.tolist() == [[1, 2, 0], [0, 5, 0], [0, 5, -1]]
    assert parts["one"].vectors.tolist() == [[1, 2, 0], [-1, 1, 0]]
    assert holding_rows(two, whole).tolist() == [1, 2]
    with pytest.raises(ParameterError, match="must count the people of each"):
        holding_rows(whole, one)
    with pytest.raises(ParameterError, match="at least one cohort"):
        together({})
    with pytest.raises(ParameterError, match="must have named cells"):
        together({"one": FrequencyTable.from_counts([[1, 2]])})
    with pytest.raises(ParameterError, match="same quasi-identifiers"):
        together({"one": one, "two": FrequencyTable.from_counts([[1, 2]], None, {"age": ["1"]})})
