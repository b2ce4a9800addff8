from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4 import census_1940
from epsilens.reproduce.p4.setting import SIBLINGS
from epsilens.reproduce.verdicts import judged
from tests.support.claim_rows import CONFIRMED, FALSE, NOT_REPRODUCIBLE, counts, row_of, rows_of

TARGET = ("Institution", "Not Of Voting Age", "Hispanic", "White")


def write(path: Path, header: tuple[str, ...], rows: Sequence[tuple[object, ...]]) -> None:
    with path.open("w", newline="") as file:
        csv.writer(file).writerows([header, *rows])


def write_both(folder: Path) -> None:
    counted = [(*values, text) for values, text in census_1940.TABLE_3.items()]
    write(folder / "ed28-21.csv", (*census_1940.COLUMNS, "Count"), counted)
    usual = ("Household", "Of Voting Age", "Not Hispanic", "White")
    districts = [(f"39-{k}", *usual, 1080) for k in range(1, 29) if k != 14]
    here = [("39-14", *usual, 208), ("39-14", *TARGET, 1)]
    rest = 29_364 - sum(int(row[-1]) for row in [*districts, *here])
    write(
        folder / "granville1940.csv", ("ED", *census_1940.COLUMNS, "Count"), [*districts, *here, ("39-1", *usual, rest)]
    )


def test_printed_counts_wait_for_their_files() -> None:
    assert counts(census_1940) == {CONFIRMED: 4, NOT_REPRODUCIBLE: 10}
    needed = [row.needs for row in rows_of(census_1940) if row.needs]
    assert sorted(set(needed)) == ["ed28-21.csv", "granville1940.csv"]


def test_files_with_these_columns_are_counted(tmp_path: Path) -> None:
    write_both(tmp_path)
    rows = rows_of(census_1940, folder=tmp_path)
    assert {row.verdict for row in rows} == {CONFIRMED}
    assert row_of(census_1940, "section 4.3, other districts", folder=tmp_path).exact == SIBLINGS


def test_one_row_for_each_person_will_do_and_another_number_is_noticed(tmp_path: Path) -> None:
    people = [values for values, text in census_1940.TABLE_3.items() for _ in range(int(text))]
    write(tmp_path / "ed28-21.csv", census_1940.COLUMNS, [*people, next(iter(census_1940.TABLE_3))])
    data = Data(tmp_path)
    found = [judged(claim, data).verdict for claim in census_1940.CLAIMS if claim.place.where.startswith("Table 3")]
    assert found == [FALSE, CONFIRMED, CONFIRMED]


def test_a_file_without_the_columns(tmp_path: Path) -> None:
    write(tmp_path / "ed28-21.csv", ("HHGQ", "AGE"), [("Household", 30)])
    with pytest.raises(SourceError, match="needs a column 'VOTINGAGE'; name it as Table 3 does"):
        rows_of(census_1940, "Table 3", folder=tmp_path)
