from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from epsilens.reproduce.data import Data, Missing
from epsilens.reproduce.p0 import tables
from epsilens.table.frequency import FrequencyTable
from tests.support.judged import data_of


@pytest.mark.parametrize(
    ("table", "cells", "people", "labels"),
    [
        (tables.adult, 5009, 27504, 2),
        (tables.pairs, 5974, 27504, 2),
        (tables.bankruptcy, 103, 250, 2),
        (tables.subset, 78, 250, 3),
    ],
)
def test_the_papers_tables(
    data_dir: Path, table: Callable[[Data], FrequencyTable], cells: int, people: int, labels: int
) -> None:
    found = table(data_of(data_dir))
    assert (found.n_cells, found.n_records, found.n_labels) == (cells, people, labels)
    assert table(data_of(data_dir)) is found


def test_records_and_conditions(data_dir: Path) -> None:
    data = data_of(data_dir)
    assert tables.people_of_records(data) == 32561
    assert tables.people_of_records(data, *tables.UNITED_STATES) == 27504


@pytest.mark.parametrize(
    ("table", "file"),
    [
        (tables.adult, "adultcount.csv"),
        (tables.pairs, "adultcount.csv"),
        (tables.bankruptcy, "bankcount.csv"),
        (tables.subset, "FFcount.csv"),
        (tables.people_of_records, "adult.csv"),
    ],
)
def test_without_data_the_file_is_named(table: Callable[[Data], object], file: str) -> None:
    with pytest.raises(Missing) as missing:
        table(Data())
    assert missing.value.name == file


def test_a_small_joint_table() -> None:
    table = tables.joint_table([[2, 1, 0, 0]], ("first", "second"))
    assert table.label_values == (("no", "no"), ("no", "yes"), ("yes", "no"), ("yes", "yes"))
    assert table.attribute("first").counts.tolist() == [[3, 0]]
