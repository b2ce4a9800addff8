from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from epsilens.reproduce.claims import Between
from epsilens.reproduce.data import Data, Missing
from epsilens.reproduce.p2.extracts import (
    MASSACHUSETTS,
    TEXAS,
    Known,
    by_race,
    histogram,
    known,
    most_and_least_even,
    race_column,
)
from tests.support.extracts import IPUMS, write_extract


def test_massachusetts_has_540_cells_and_724_people_whose_race_ipums_would_tell(papers_data: Data) -> None:
    table = histogram(papers_data, MASSACHUSETTS)
    assert (table.n_cells, table.n_records, table.largest) == (540, 7634, 509)
    assert int((np.asarray(table.counts) == 0).sum()) == 311
    found = known(papers_data, MASSACHUSETTS)
    assert (found.told.shape, found.others, int(found.together.sum()), found.largest) == ((60, 4), 5, 724, 509)
    assert found.told.sum() + found.together.sum() == 7634
    assert histogram(papers_data, MASSACHUSETTS, "brackets").n_cells == 2700
    assert histogram(papers_data, MASSACHUSETTS, without_income="nobody").n_records == 6514


def test_races_that_are_told_apart_are_those_of_both_codings(tmp_path: Path) -> None:
    write_extract(tmp_path, "tx2019", 3)
    data = Data(tmp_path)
    found, rows = known(data, TEXAS), by_race(histogram(data, TEXAS), "RAC1P")
    assert (
        found.told.tolist() == np.column_stack([rows[:, 0], rows[:, 1], rows[:, 2:5].sum(axis=1), rows[:, 7]]).tolist()
    )
    assert found.together.tolist() == rows[:, [5, 6, 8]].sum(axis=1).tolist()


def test_the_file_with_the_races_of_ipums_is_taken_where_it_is_there(tmp_path: Path) -> None:
    write_extract(tmp_path, "tx2019", 3)
    write_extract(tmp_path, "tx2019-ipums", 3, columns=IPUMS)
    data = Data(tmp_path)
    assert race_column(data, TEXAS) == "RACE"
    found = known(data, TEXAS)
    assert found.settled
    assert found.told.shape == (3 * 2 * 3 * 2, 9)
    assert found.value(1.0, 1.0) == 1.0


def test_without_a_file_its_name_is_told() -> None:
    with pytest.raises(Missing) as missing:
        known(Data(), MASSACHUSETTS)
    assert missing.value.name == "ma2019.csv"


def test_what_is_known_of_a_number() -> None:
    table = Known(np.array([[3, 0]]), np.array([7]), 3, TEXAS)
    value = table.value(1.0, 2.0)
    assert isinstance(value, Between)
    assert (value.low, value.high, value.needs) == (1.0, 2.0, "tx2019-ipums.csv")
    assert "7 people" in value.because
    even, alike = most_and_least_even(table)
    assert even.tolist() == [[3, 0, 3, 2, 2]]
    assert alike.tolist() == [[3, 0, 7, 0, 0]]
