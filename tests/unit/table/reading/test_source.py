"""An opened source gives back what it holds, and knows how many rows it has."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from epsilens.table.reading.people import read_people
from epsilens.table.reading.sources import open_source, opened_source
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema


def test_what_was_read_of_a_frame_is_given_back() -> None:
    import pyarrow as pa

    frame = pa.table({"q": ["a", "b"], "s": ["x", "y"]})
    people = read_people(frame, Schema(["q"], "s"))
    connection = people.relation.get_backend().con
    names = connection.execute("SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'epsilens%'").fetchall()
    assert names == []
    opened = open_source(frame, ["q", "s"])  # this one is the caller's, who may read it again
    for _ in range(2):
        assert read_table(opened, Schema(["q"], "s")).n_records == 2


def test_who_interrupts_while_a_source_is_closed_is_heard() -> None:
    def interrupted() -> None:
        raise duckdb.InterruptException("Interrupted!")

    def failed() -> None:
        raise duckdb.CatalogException("there is no such view")

    source = open_source(pa.table({"q": ["a"]}), ["q"])
    replace(source, release=failed).close()  # it goes with the engine in any case
    with pytest.raises(KeyboardInterrupt):
        replace(source, release=interrupted).close()


def test_how_many_rows_a_source_has_is_known_before_they_are_read(tmp_path: Path) -> None:
    rows = pa.table({"q": ["a"] * 100, "s": ["x", "y"] * 50})
    for i in range(2):
        pq.write_table(rows, tmp_path / f"p{i}.parquet")
    (tmp_path / "p.csv").write_text("q,s\n" + "a,x\n" * 100)
    for source, number in ((rows, 100), (tmp_path / "p0.parquet", 100), (tmp_path / "*.parquet", 200)):
        with opened_source(source, ["q", "s"]) as found:
            assert found.has_rows is not None
            assert (found.has_rows(number), found.has_rows(number + 1)) == (True, False)
    with opened_source(tmp_path / "p.csv", ["q", "s"]) as found:  # of its size
        assert found.has_rows is not None
        assert (found.has_rows(12), found.has_rows(13)) == (True, False)
