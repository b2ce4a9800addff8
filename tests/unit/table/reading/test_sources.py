"""Every kind of source gives the same table; every way it can fail gives one line without people's values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epsilens.errors import ParameterError
from epsilens.table.reading import csv_files as csvfiles
from epsilens.table.reading import scans as engine
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import SCHEMA, TOKEN, arrow_rows, csv_text, refusal


@pytest.mark.parametrize("kind", ["InterruptException", "RuntimeError"])
def test_ctrl_c_while_duckdb_reads_is_no_bad_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    import duckdb

    def interrupted(*_: Any) -> Any:
        if kind == "RuntimeError":
            raise RuntimeError("Query interrupted")
        raise duckdb.InterruptException("Interrupted!")

    def reread(*_: Any) -> Any:
        raise AssertionError("the file is read once more")

    path = tmp_path / "people.csv"
    path.write_text(csv_text())
    monkeypatch.setattr(engine, "materialised_again", interrupted)
    monkeypatch.setattr(csvfiles, "refuse_malformed", reread)
    with pytest.raises(KeyboardInterrupt):
        read_table(path, SCHEMA)
    with pytest.raises(KeyboardInterrupt), reading("the file"):
        interrupted()


def test_unknown_columns_are_all_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(csv_text())
    message = refusal(path, Schema(["cod", "place"], "il"), count="n")
    lacks = "lacks 3 columns: 'cod' (did you mean 'code'?), 'il' (did you mean 'ill'?), 'n'"
    assert message == f"{path} {lacks} (its first line has 3 columns: is it a header?)"
    message = refusal(path, Schema(["Code"], "ILL"))
    lacks = "lacks 2 columns: 'Code' (did you mean 'code'?), 'ILL' (did you mean 'ill'?)"
    assert message == f"{path} {lacks} (its first line has 3 columns: is it a header?)"
    found = refusal(arrow_rows(), Schema(["cod"], "ill"))
    assert found == "the data frame has no column 'cod'; did you mean 'code'? (it has: code, place, ill)"


def test_a_first_line_that_may_be_a_person_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{TOKEN}1,1,{TOKEN}2\nu,2,q\n")
    ask = "its first line has 3 columns: is the first line a header?"
    assert refusal(path, Schema(["a"], "y")) == f"{path} has none of the columns 'a', 'y'; {ask}"
    assert ask in refusal(path, Schema([TOKEN[:-1]], "y"))


@pytest.mark.parametrize("first", [f"{TOKEN},a,1", f"a,{TOKEN},{TOKEN}", f"a{TOKEN},y,y", f"y{TOKEN}1;a;2"])
def test_nor_is_one_with_a_value_that_is_called_like_a_column(tmp_path: Path, first: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{first}\nu,2,q\n")
    message = refusal(path, Schema(["a"], "y"))
    assert "(its first line has 3 columns: is it a header?)" in message
    assert TOKEN not in message


def test_sources_that_make_no_sense(tmp_path: Path) -> None:
    assert "cannot read a int" in refusal(3)
    assert "table belongs to a database URL" in refusal(arrow_rows(), table="people")
    with pytest.raises(ParameterError, match="needs table, the name"):
        read_table("sqlite://x.db", SCHEMA)
    assert "needs table, the name" in refusal("postgres://me:pw@host/db")
    assert "download the file" in refusal("https://example.org/people.csv", table="x")
    for scheme in ("http", "s3"):
        message = refusal(f"{scheme}://example.org/people.csv")
        assert message == f"{scheme}:// addresses are not read; download the file and give its path"
    assert "does not exist" in refusal(f"sqlite://{tmp_path}/none.db", table="x")
    assert "does not exist" in refusal(f"duckdb://{tmp_path}/none.db", table="x")


def test_a_column_of_a_name_that_repeats_is_refused_in_every_kind_of_source(tmp_path: Path) -> None:
    twice = pa.Table.from_arrays([pa.array(list("abcd"))] * 4, names=["code", "place", "ill", " code "])
    pq.write_table(twice, tmp_path / "people.parquet")
    (tmp_path / "people.csv").write_text("code,place,ill,code\n1,2,3,4\n")
    for source in (twice, twice.to_pandas(), tmp_path / "people.parquet", tmp_path / "people.csv"):
        assert "has 2 columns named 'code'; give each a name of its own" in refusal(source)
    assert "has 2 columns named 'code'" in refusal(twice, Schema(["place"], "ill"))  # also where nobody asks for it


def test_a_url_that_names_no_file_says_how_it_is_written(tmp_path: Path) -> None:
    for scheme in ("sqlite", "duckdb"):
        how = f"write {scheme}://file.db for a file in this folder, {scheme}:///folder/file.db for one from the root"
        assert refusal(f"{scheme}:///nowhere", table="t") == f"/nowhere does not exist; {how}"
        assert refusal(f"{scheme}://", table="t") == f"the {scheme} URL names no file; {how}"
        assert refusal(f"{scheme}://{tmp_path}", table="t") == f"{tmp_path} is a folder, not a database; {how}"
        assert "names no file" in refusal(f"{scheme}://{'x' * 5_000}", table="t")
