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
    districts = [(f"39-{k}", *usual, 1070) for k in range(1, 29) if k != 14]
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


HEADER = ",".join((*census_1940.COLUMNS, "Count")) + "\n"
PERSON = "Household,Of Voting Age,Not Hispanic,White"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (f"{HEADER}{PERSON},x\n".encode(), "ed28-21.csv line 2: Count must be a whole number of people"),
        (f"{HEADER}{PERSON},-3\n".encode(), "line 2: Count must be a whole number"),
        (f"{HEADER}{PERSON},\n".encode(), "line 2: Count must be a whole number"),
        (f"{HEADER}{PERSON}\n".encode(), "line 2 has not as many fields as the header"),
        (f"{HEADER}{PERSON},3,4\n".encode(), "line 2 has not as many fields as the header"),
        (HEADER.encode(), "has a header but nobody below it"),
        (b"", "needs a column 'HHGQ'"),
        (HEADER.encode() + b"\xff\xfe,\x80\n", "is not UTF-8 text; save it as UTF-8"),
    ],
)
def test_what_is_no_such_file_is_said_in_one_line(tmp_path: Path, content: bytes, said: str) -> None:
    (tmp_path / "ed28-21.csv").write_bytes(content)
    with pytest.raises(SourceError, match=said) as found:
        rows_of(census_1940, "Table 3", folder=tmp_path)
    assert "\n" not in str(found.value)


def test_a_field_that_is_too_long_is_told_as_any_other_fault(tmp_path: Path) -> None:
    (tmp_path / "ed28-21.csv").write_text(f'{HEADER}"{"a" * 2_000}')
    before = csv.field_size_limit(1_000)  # which is the process's: whoever reads long lines raises it
    try:
        with pytest.raises(SourceError, match="is not a table: field larger than field limit"):
            rows_of(census_1940, "Table 3", folder=tmp_path)
    finally:
        csv.field_size_limit(before)


def test_a_mark_of_unicode_before_the_header_is_none_of_its_names(tmp_path: Path) -> None:
    (tmp_path / "ed28-21.csv").write_text(f"{HEADER}{PERSON},34\n", encoding="utf-8-sig")
    assert census_1940.counted(str(tmp_path / "ed28-21.csv"), census_1940.COLUMNS).total() == 34
