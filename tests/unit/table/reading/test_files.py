"""Files by path and pattern; every way they can fail gives one line without people's values."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from epsilens.errors import SourceError
from epsilens.table.reading.sources import opened_source
from epsilens.table.reading.tables import read_table
from tests.support.reading import SCHEMA, TOKEN, arrow_rows, assert_expected, csv_text, refusal, write_parquet


def test_patterns_read_several_files(tmp_path: Path) -> None:
    header, *rows = csv_text().splitlines()
    for i, row in enumerate(rows):
        (tmp_path / f"part{i}.csv").write_text(f"{header}\n{row}\n")
    assert_expected(read_table(tmp_path / "part*.csv", SCHEMA))


def test_patterns_of_two_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "part.csv").write_text(csv_text())
    write_parquet(tmp_path / "part.parquet")
    with pytest.raises(SourceError, match="matches CSV and Parquet"):
        read_table(tmp_path / "part.*", SCHEMA)


def test_files_with_nothing_in_them(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "blank.csv").write_text("\n\n")
    (tmp_path / "header.csv").write_text("code,place,ill\n")
    assert "is empty" in refusal(tmp_path / "empty.csv")
    assert "is empty" in refusal(tmp_path / "blank.csv")
    assert "header with 3 columns but no records" in refusal(tmp_path / "header.csv")
    assert "has no records" in refusal(arrow_rows().slice(0, 0))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv") == f"{tmp_path / 'none.csv'} does not exist"
    assert "is a directory" in refusal(tmp_path)
    assert "no file matches" in refusal(tmp_path / "*.csv")
    assert "the path is empty" in refusal("")


def test_files_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "people.xlsx").write_text(TOKEN)
    said = refusal(tmp_path / "people.xlsx")
    assert "is neither CSV" in said
    assert "save a spreadsheet as 'CSV UTF-8'" in said
    (tmp_path / "people.parquet").write_text(csv_text())
    assert "is not a Parquet file" in refusal(tmp_path / "people.parquet")
    (tmp_path / "cut.parquet").write_bytes(b"PAR1" + TOKEN.encode() + b"PAR1")
    assert "could not be read" in refusal(tmp_path / "cut.parquet")
    (tmp_path / "people.csv.gz").write_text(csv_text())
    assert "damaged" in refusal(tmp_path / "people.csv.gz")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_files_without_permission(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(csv_text())
    path.chmod(0)
    assert "permission denied" in refusal(path)


def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a\n1\n2\n")

    def read_while_somebody_writes() -> None:
        with opened_source(path, ["a"]) as opened:
            assert opened.relation.count().to_pyarrow().as_py() == 2
            path.write_text("a\n1\n2\n3\n")

    with pytest.raises(SourceError, match="was written to while it was read"):
        read_while_somebody_writes()
