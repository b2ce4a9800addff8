"""Every kind of source gives the same table; every way it can fail gives one line without people's values."""

from __future__ import annotations

import gzip
import os
import sqlite3
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epsilens.errors import DataError, EpsilensError, ParameterError, SourceError
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Hierarchy
from epsilens.table.reading import csv_files as csvfiles
from epsilens.table.reading import frames
from epsilens.table.reading import people as engine
from epsilens.table.reading.embedded import embedded_engine, private_engine
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.sources import open_source, reading
from epsilens.table.reading.store import EngineStore
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SCHEMA = Schema(["code", "place"], "ill")
ROWS = [("007", "x, y", "flu"), ("7", "z", "ok"), ("007", "x, y", "ok"), ("007", "é", "flu")]
TOKEN = "zqx31337"  # a person's value, planted where an error might quote it


def expected() -> FrequencyTable:
    return FrequencyTable.from_counts(
        [[1, 1], [1, 0], [0, 1]], ["flu", "ok"], {"code": ["007", "007", "7"], "place": ["x, y", "é", "z"]}
    )


def assert_expected(table: FrequencyTable) -> None:
    assert table.labels == ("flu", "ok")
    assert table.cells() == expected().cells()
    np.testing.assert_array_equal(table.counts, expected().counts)


def csv_text(delimiter: str = ",", blank: str = "", end: str = "\n") -> str:
    lines = [delimiter.join(("code", f"{blank}place ", "ill"))]
    lines += [delimiter.join((code, f'{blank}"{place}"', f"{blank}{ill} ")) for code, place, ill in ROWS]
    return end.join(lines) + end


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("blank", ["", " "])
@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_csv_dialects(tmp_path: Path, delimiter: str, blank: str, end: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes(csv_text(delimiter, blank, end).encode())
    assert_expected(read_table(path, SCHEMA))


@pytest.mark.parametrize("name", ["a.csv", "a.txt", "a.tsv", "A.CSV", "odd [1] 'name'*.csv", "a.csv.gz"])
def test_csv_names_and_byte_order_mark(tmp_path: Path, name: str) -> None:
    content = b"\xef\xbb\xbf" + csv_text().encode()
    (tmp_path / name).write_bytes(gzip.compress(content) if name.endswith(".gz") else content)
    assert_expected(read_table(str(tmp_path / name), SCHEMA))


def test_csv_without_final_line_end_and_with_blank_lines(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(csv_text().replace("\n", "\n\n").rstrip())
    assert_expected(read_table(path, SCHEMA))


def test_csv_with_mixed_line_ends_is_read_by_python_instead(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    first, *rest = csv_text().splitlines()
    path.write_bytes("\n".join([first, "\r\n".join(rest[:2]), *rest[2:], ""]).encode())
    assert_expected(read_table(path, SCHEMA))


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
    monkeypatch.setattr(engine, "materialised", interrupted)
    monkeypatch.setattr(csvfiles, "refuse_malformed", reread)
    with pytest.raises(KeyboardInterrupt):
        read_table(path, SCHEMA)
    with pytest.raises(KeyboardInterrupt), reading("the file"):
        interrupted()


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("above", ["\n", "\r\n", "\r", "\n\n", "\r\n\r\n", " \t\n", "\n \r\n", "\r\n\n", "\ufeff\n"])
def test_blank_lines_above_the_header_make_nobody_of_it(tmp_path: Path, above: str, end: str) -> None:
    path = tmp_path / "people.csv"
    path.write_bytes((above + csv_text(end=end)).encode())
    assert_expected(read_table(path, SCHEMA))
    path.write_bytes((above + csv_text(blank="  ", end=end)).encode())  # which Python reads
    assert_expected(read_table(path, SCHEMA))


def test_blank_lines_above_the_header_may_differ_between_files(tmp_path: Path) -> None:
    first, *rest = csv_text().splitlines(keepends=True)
    (tmp_path / "a.csv").write_text(first + rest[0])
    (tmp_path / "b.csv").write_text("\n\n" + first + "".join(rest[1:]))
    assert_expected(read_table(tmp_path / "*.csv", SCHEMA))


@pytest.mark.parametrize("name", ["people.csv", "people.csv.gz"])
def test_quotes_behind_several_blanks_are_quotes(tmp_path: Path, name: str) -> None:
    def written(text: str) -> Path:
        (tmp_path / name).write_bytes(gzip.compress(text.encode()) if name.endswith(".gz") else text.encode())
        return tmp_path / name

    assert read_table(written('a,y\nx,  "p"\nz,q\nx,p\n'), Schema(["a"], "y")).labels == ("p", "q")
    assert read_table(written('a,y\nx,  "p, ""q"""\nz,q\n'), Schema(["a"], "y")).labels == ('p, "q"', "q")
    assert read_table(written('a,y\n   "x, z",p\nz,q\n'), Schema(["a"], "y")).cells()["a"] == ["x, z", "z"]
    # Here the parts of the quoted field would fill the place of the missing one.
    path = written(f'a,b,y\nx,1,p\nz,    "{TOKEN}, {TOKEN}"\n')
    assert refusal(path, Schema(["a"], "y")) == f"{path} line 3: expected 3 fields, found 2"
    assert read_table(written('a,y\nx,"""p"""\nz,"q  "\n'), Schema(["a"], "y")).labels == ('"p"', "q")


def test_detached_quotes_are_found_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "people.csv"
    monkeypatch.setattr(csvfiles, "BLOCK_BYTES", 2)
    for blanks in range(7):
        path.write_text(f'a,y\nx,{" " * blanks}"p"\nz,q\n')
        assert csvfiles.suits_duckdb([path], csvfiles.dialect_of(path)) == (blanks < 2)


def test_csv_fields_may_hold_quotes_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text('a,b\n"x ""y""\nz",1\nw,2\n')
    assert read_table(path, Schema(["a"], "b")).cells() == {"a": ["w", 'x "y"\nz']}


def test_column_names_that_differ_in_case_only(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text("a,A,b\n1,x,u\n2,x,v\n")
    assert read_table(path, Schema(["A"], "b")).n_cells == 1
    assert read_table(path, Schema(["a"], "b")).n_cells == 2


def test_repeated_names_are_numbered() -> None:
    assert csvfiles.unique_names([" FF", "FF ", "a", "FF", "FF_1"]) == ["FF", "FF_1", "a", "FF_2", "FF_1_1"]


def test_patterns_read_several_files(tmp_path: Path) -> None:
    header, *rows = csv_text().splitlines()
    for i, row in enumerate(rows):
        (tmp_path / f"part{i}.csv").write_text(f"{header}\n{row}\n")
    assert_expected(read_table(tmp_path / "part*.csv", SCHEMA))


def test_patterns_with_different_headers_are_refused(tmp_path: Path) -> None:
    (tmp_path / "part0.csv").write_text("code,place,ill\n1,2,3\n")
    (tmp_path / "part1.csv").write_text("code,ill,place\n1,2,3\n")
    with pytest.raises(SourceError, match=r"part1\.csv has another header"):
        read_table(tmp_path / "part*.csv", SCHEMA)


def test_patterns_of_two_kinds_are_refused(tmp_path: Path) -> None:
    (tmp_path / "part.csv").write_text(csv_text())
    write_parquet(tmp_path / "part.parquet")
    with pytest.raises(SourceError, match="matches CSV and Parquet"):
        read_table(tmp_path / "part.*", SCHEMA)


def arrow_rows() -> Any:
    import pyarrow as pa

    return pa.table(
        {name: list(values) for name, values in zip(("code", "place", "ill"), zip(*ROWS, strict=True), strict=True)}
    )


def write_parquet(path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(arrow_rows(), path)


def test_parquet_and_patterns_of_it(tmp_path: Path) -> None:
    write_parquet(tmp_path / "people.parquet")
    assert_expected(read_table(tmp_path / "people.parquet", SCHEMA))
    write_parquet(tmp_path / "more.parquet")
    assert read_table(tmp_path / "*.parquet", SCHEMA).n_records == 8


def test_arrow_frames() -> None:
    table = arrow_rows()
    assert_expected(read_table(table, SCHEMA))
    assert_expected(read_table(table.to_batches()[0], SCHEMA))
    assert_expected(read_table(table.to_reader(), SCHEMA))
    dictionary = table.set_column(0, "code", table.column(0).dictionary_encode())
    assert_expected(read_table(dictionary, SCHEMA))


def test_polars_frames() -> None:
    polars = pytest.importorskip("polars")
    frame = polars.from_arrow(arrow_rows())
    assert_expected(read_table(frame, SCHEMA))
    assert_expected(read_table(frame.lazy(), SCHEMA))
    assert_expected(read_table(frame.with_columns(polars.col("place").cast(polars.Categorical)), SCHEMA))


def test_pandas_frames() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(ROWS, columns=["code ", "place", "ill"], index=[5, 5, 6, 7])
    assert_expected(read_table(frame, SCHEMA))
    assert_expected(read_table(frame.astype({"place": "category"}), SCHEMA))
    assert_expected(read_table(frame.astype(object), SCHEMA))


def test_pandas_values_that_arrow_does_not_have() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(
        {"age": [1, 5, 12], "mixed": [1, "1", None], "ill": [True, False, True], "n": [1.0, None, 2.5]}
    )
    frame["band"] = pandas.cut(frame["age"], [0, 10, 20])
    frame[0] = "number as a name"
    table = read_table(frame, Schema(["band", "mixed", "n", "0"], "ill"))
    assert table.labels == ("false", "true")
    assert table.cells()["band"] == ["(0, 10]", "(0, 10]", "(10, 20]"]
    assert table.cells()["mixed"] == ["1", "1", "(missing)"]
    assert table.cells()["n"] == ["(missing)", "1", "2.5"]


def test_mixed_objects_are_written_like_other_values() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"x": [1, "1", 1.0, 2.5, True, None], "s": ["a", "b"] * 3})
    assert read_table(frame, Schema(["x"], "s")).cells()["x"] == ["(missing)", "1", "2.5", "true"]


def test_arrow_types_that_duckdb_does_not_have() -> None:
    import decimal

    import pyarrow as pa

    long = [decimal.Decimal(f"{digit}.50") for digit in (1, 2)]
    longer = [decimal.Decimal(10) ** 50, decimal.Decimal("1.50")]
    columns = {
        "half": pa.array(np.array([1, 2.5], dtype=np.float16)),
        "runs": pa.RunEndEncodedArray.from_arrays(pa.array([1, 2]), pa.array(["a", "b"])),
        "long": pa.array(long, pa.decimal256(60, 2)),
        "longer": pa.array(longer, pa.decimal256(60, 2)),
        "s": ["x", "y"],
    }
    table = read_table(pa.table(columns), Schema(["half", "runs", "long", "longer"], "s"))
    assert table.cells() == {"half": ["1", "2.5"], "runs": ["a", "b"], "long": ["1.5", "2.5"]} | {
        "longer": [f"1{'0' * 50}", "1.5"]
    }


def test_frames_with_repeated_names_follow_the_same_rule() -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["a", "x", 2], ["a", "y", 3]], columns=["q", "s", "s"])
    assert read_table(frame, Schema(["q"], "s"), count="s").counts.tolist() == [[2, 3]]


def test_an_ibis_memory_table_and_a_users_duckdb(tmp_path: Path) -> None:
    import duckdb
    import ibis

    assert_expected(read_table(ibis.memtable(arrow_rows()), SCHEMA))
    connection = duckdb.connect()
    connection.register("rows", arrow_rows())
    connection.execute("CREATE TABLE people AS SELECT * FROM rows")
    backend = ibis.duckdb.from_connection(connection)
    from epsilens.table.reading.relations import duckdb_relation

    table = read_table(duckdb_relation(backend, "people"), SCHEMA)
    assert_expected(table)
    leftovers = "SELECT count(*) FROM duckdb_tables() WHERE table_name LIKE 'epsilens%'"
    assert connection.execute(leftovers).fetchone() == (1,)
    del table
    assert connection.execute(leftovers).fetchone() == (0,)


def test_memory_tables_joined_to_a_users_duckdb() -> None:
    import ibis
    import pyarrow as pa

    connection = ibis.duckdb.connect()
    connection.con.register("people", arrow_rows())
    people = duckdb_relation(connection, "people")
    codes = ibis.memtable(pa.table({"code": ["007", "7"], "kind": ["agent", "other"]}))
    table = read_table(people.inner_join(codes, "code"), Schema(["kind"], "ill"))
    assert table.cells() == {"kind": ["agent", "other"]}


def test_an_unbound_ibis_table_is_refused() -> None:
    import ibis

    with pytest.raises(SourceError, match="not bound to a connection"):
        read_table(ibis.table({"code": "string", "place": "string", "ill": "string"}, name="t"), SCHEMA)


@pytest.fixture
def duckdb_url(tmp_path: Path) -> str:
    import duckdb

    path = tmp_path / "people.duckdb"
    with duckdb.connect(str(path)) as connection:
        connection.register("rows", arrow_rows())
        connection.execute("CREATE TABLE people AS SELECT * FROM rows")
        connection.execute("CREATE SCHEMA archive")
        connection.execute("CREATE TABLE archive.old AS SELECT * FROM rows")
    return f"duckdb://{path}"


def test_duckdb_files(duckdb_url: str) -> None:
    assert_expected(read_table(duckdb_url, SCHEMA, table="people"))
    assert_expected(read_table(duckdb_url, SCHEMA, table="archive.old"))
    with pytest.raises(SourceError, match=r"no table 'peeple'.*did you mean 'people'"):
        read_table(duckdb_url, SCHEMA, table="peeple")


def test_a_duckdb_file_is_free_once_it_is_read(duckdb_url: str) -> None:
    import duckdb

    def written() -> bool:
        with duckdb.connect(duckdb_url.removeprefix("duckdb://")) as connection:
            connection.execute("CREATE OR REPLACE TABLE ours AS SELECT 1 AS x")
        return True

    table = read_table(duckdb_url, SCHEMA, table="people")
    assert written()
    assert_expected(table)
    failures = []  # as a notebook keeps the last one
    for schema, name in ((SCHEMA, "peeple"), (Schema(["cod"], "ill"), "people"), (Schema(["code"], "x"), "ours")):
        with pytest.raises(EpsilensError) as caught:
            read_table(duckdb_url, schema, table=name)
        failures.append(caught)
        assert written()
    hierarchy = Hierarchy.read(duckdb_url, ["place"], ["ill"], table="people")
    assert written()
    assert hierarchy.situations() is not None


def test_a_duckdb_file_that_this_process_has_open(duckdb_url: str) -> None:
    import duckdb

    with duckdb.connect(duckdb_url.removeprefix("duckdb://")):
        assert "this process has it open" in refusal(duckdb_url, table="people")
    assert "among its 2 tables" in refusal(duckdb_url, table="nobody")


def test_what_was_read_of_a_frame_is_given_back() -> None:
    import pyarrow as pa

    frame = pa.table({"q": ["a", "b"], "s": ["x", "y"]})
    table = read_table(frame, Schema(["q"], "s"))
    assert isinstance(table.store, EngineStore)
    connection = table.store.relation.get_backend().con
    names = connection.execute("SELECT view_name FROM duckdb_views() WHERE view_name LIKE 'epsilens%'").fetchall()
    assert names == []
    opened = open_source(frame, ["q", "s"])  # this one is the caller's, who may read it again
    for _ in range(2):
        assert read_table(opened, Schema(["q"], "s")).n_records == 2


def test_sqlite_files(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE people (code TEXT, place TEXT, ill TEXT, extra BLOB)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?, NULL)", ROWS)
    connection.close()
    assert_expected(read_table(f"sqlite://{path}", SCHEMA, table="people"))
    with pytest.raises(SourceError, match="no table 'persons'"):
        read_table(f"sqlite://{path}", SCHEMA, table="persons")


def test_sqlite_tables_that_cannot_be_read_say_why_and_stay_unlocked(tmp_path: Path) -> None:
    path = tmp_path / "people.sqlite"
    schema = Schema(["a"], "s")
    connection = sqlite3.connect(path, timeout=0)
    connection.execute("CREATE TABLE blobs AS SELECT x'00' AS a, 'x' AS s")
    connection.execute("CREATE TABLE latin AS SELECT CAST(x'ff' AS TEXT) AS a, 'x' AS s")
    connection.execute("CREATE VIEW broken AS SELECT * FROM blobs, gone")
    connection.commit()
    failures = []  # as a notebook keeps the last one
    for name, says in (("blobs", "column 'a' holds binary"), ("latin", "not UTF-8"), ("broken", "cannot be read")):
        with pytest.raises(EpsilensError, match=says) as caught:
            read_table(f"sqlite://{path}", schema, table=name)
        failures.append(caught)
        connection.execute("CREATE TABLE again (x)")
        connection.execute("DROP TABLE again")
        connection.commit()
    connection.close()


def refusal(source: Any, schema: Schema = SCHEMA, **options: Any) -> str:
    """The one line that refuses this source; no chain of exceptions, no planted value."""
    with pytest.raises(EpsilensError) as caught:
        read_table(source, schema, **options).signatures()
    message = str(caught.value)
    assert "\n" not in message
    assert TOKEN not in message
    assert caught.value.__cause__ is None
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


@pytest.mark.parametrize("fields", ["1,2", "1,2,3,4", f"{TOKEN},2", f"1,{TOKEN},3,4,5"])
def test_ragged_csv_names_the_line_and_the_numbers_of_fields(tmp_path: Path, fields: str) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'code,place,ill\n"{TOKEN}\n{TOKEN}",b,c\n\n{fields}\n1,2,3\n')
    assert refusal(path) == f"{path} line 5: expected 3 fields, found {fields.count(',') + 1}"


def test_a_quote_that_is_never_closed(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f'code,place,ill\n1,2,3\n1,2,"{TOKEN}\n4,5,6\n')
    assert "a quoted field is never closed" in refusal(path)


def test_csv_that_is_not_utf8(tmp_path: Path) -> None:
    late = "code,place,ill\n" + f"1,2,{TOKEN}\n" * 20_000
    for name, content in {"a.csv": f"code,place,ill\n1,é{TOKEN},3\n", "b.csv": late + f"1,é{TOKEN},3\n"}.items():
        (tmp_path / name).write_bytes(content.encode("latin-1"))
        assert "is not UTF-8 text" in refusal(tmp_path / name)
    (tmp_path / "c.csv").write_bytes(csv_text().encode("utf-16"))
    assert "is not UTF-8 text" in refusal(tmp_path / "c.csv")


def test_files_with_nothing_in_them(tmp_path: Path) -> None:
    (tmp_path / "empty.csv").write_text("")
    (tmp_path / "blank.csv").write_text("\n\n")
    (tmp_path / "header.csv").write_text("code,place,ill\n")
    assert "is empty" in refusal(tmp_path / "empty.csv")
    assert "is empty" in refusal(tmp_path / "blank.csv")
    assert "header with 3 columns but no records" in refusal(tmp_path / "header.csv")
    assert "has no records" in refusal(arrow_rows().slice(0, 0))


def test_parquet_columns_that_differ_only_in_case(tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    for name in ("1.parquet", "2.parquet"):
        pq.write_table(pa.table({"A": ["x", "z"], "a": ["1", "2"], "y": ["p", "q"]}), tmp_path / name)
    for column, values in {"A": ["x", "z"], "a": ["1", "2"]}.items():
        assert read_table(tmp_path / "1.parquet", Schema([column], "y")).cells() == {column: values}
    assert "differ only in case" in refusal(tmp_path / "*.parquet", Schema(["a"], "y"))


def test_files_that_are_not_there(tmp_path: Path) -> None:
    assert refusal(tmp_path / "none.csv") == f"{tmp_path / 'none.csv'} does not exist"
    assert "is a directory" in refusal(tmp_path)
    assert "no file matches" in refusal(tmp_path / "*.csv")
    assert "the path is empty" in refusal("")


def test_files_of_another_kind(tmp_path: Path) -> None:
    (tmp_path / "people.xlsx").write_text(TOKEN)
    assert "is neither CSV" in refusal(tmp_path / "people.xlsx")
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


def test_permission_is_said_so_even_as_root(tmp_path: Path) -> None:
    assert "permission denied" in str(csvfiles.unreadable(tmp_path, PermissionError(13, "Permission denied")))


def test_unknown_columns_are_all_named(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(csv_text())
    message = refusal(path, Schema(["cod", "place"], "il"), count="n")
    lacks = "lacks 3 columns: 'cod' (did you mean 'code'?), 'il' (did you mean 'ill'?), 'n'"
    assert message == f"{path} {lacks} (it has: code, place, ill)"
    assert "did you mean 'code'?" in refusal(arrow_rows(), Schema(["cod"], "ill"))


def test_a_first_line_that_may_be_a_person_is_not_shown(tmp_path: Path) -> None:
    path = tmp_path / "people.csv"
    path.write_text(f"{TOKEN}1,1,{TOKEN}2\nu,2,q\n")
    ask = "its first line has 3 columns: is the first line a header?"
    assert refusal(path, Schema(["a"], "y")) == f"{path} has none of the columns 'a', 'y'; {ask}"
    assert ask in refusal(path, Schema([TOKEN[:-1]], "y"))


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


def test_databases_that_are_none(tmp_path: Path) -> None:
    (tmp_path / "fake.duckdb").write_text(TOKEN * 1000)
    assert "cannot be opened" in refusal(f"duckdb://{tmp_path}/fake.duckdb", table="x")
    message = refusal("postgre://me:hunter2@host/db", table="x")
    assert message == "postgre:// is not a database that Epsilens knows; did you mean 'postgres'?"


def test_a_missing_driver_is_named_with_its_extra(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "psycopg", None)
    monkeypatch.delitem(sys.modules, "ibis.backends.postgres", raising=False)
    import ibis

    monkeypatch.delitem(vars(ibis), "postgres", raising=False)
    message = refusal("postgres://me:hunter2@127.0.0.1/db", table="people")
    assert message == "the driver for postgres:// is not installed; run pip install 'epsilens[postgres]'"


def test_wrong_urls_do_not_repeat_the_password() -> None:
    for url in ("postgres://me:hunter2@127.0.0.1:1/db", "postgres://me:hunter2@127.0.0.1:port/db"):
        message = refusal(url, table="people")
        assert "hunter2" not in message


def test_the_embedded_engine_keeps_to_itself() -> None:
    embedded = embedded_engine()
    names = "'autoinstall_known_extensions', 'autoload_known_extensions', 'enable_progress_bar'"
    rows = embedded.con.execute(f"SELECT value FROM duckdb_settings() WHERE name IN ({names})").fetchall()
    assert [str(value).lower() for (value,) in rows] == ["false"] * 3


def test_connections_to_the_embedded_engine_do_not_see_each_other() -> None:
    one, other = embedded_engine(), embedded_engine()
    one.con.execute("CREATE TEMP TABLE mine AS SELECT 1 AS x")
    other.con.execute("CREATE TEMP TABLE mine AS SELECT 2 AS x")
    assert one.con.execute("SELECT x FROM mine").fetchall() == [(1,)]
    assert other.con.execute("SELECT x FROM mine").fetchall() == [(2,)]


def test_what_a_connection_made_goes_with_it() -> None:
    def in_use() -> int:
        return int(embedded_engine().con.execute("SELECT sum(memory_usage_bytes) FROM duckdb_memory()").fetchone()[0])

    before = in_use()
    connection = embedded_engine()
    connection.con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(500000)")
    assert in_use() > before + 10_000_000
    del connection
    assert in_use() < before + 1_000_000


def test_what_a_process_spilled_goes_when_it_ends(tmp_path: Path) -> None:
    code = """
from pathlib import Path
from epsilens.table.reading.embedded import embedded_engine
con = embedded_engine().con
con.execute("SET memory_limit = '40MB'; SET threads = 1")
con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(2000000)")
print(con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
assert Path(con.execute("SELECT current_setting('temp_directory')").fetchone()[0]).exists()
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    spill = Path(done.stdout.strip())
    assert spill.parent.parent == tmp_path
    assert not spill.exists()


@pytest.mark.skipif(not hasattr(os, "fork"), reason="this system does not fork")
def test_a_forked_process_reads_by_itself_and_leaves_its_parents_files_alone(tmp_path: Path) -> None:
    code = """
import os, sys, threading
from pathlib import Path
import pyarrow as pa
from epsilens.table.reading import store
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.tables import read_table
from epsilens.table.hierarchy import Hierarchy
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.schema import Schema
spill = Path(embedded_engine().con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
spill.mkdir()
held, done = threading.Event(), threading.Event()
def hold():
    with store._one_query_at_a_time:
        held.set()
        done.wait()
threading.Thread(target=hold).start()
held.wait()
child = os.fork()
if child == 0:
    table = read_table(pa.table({"q": ["a", "b"], "s": ["x", "y"]}), Schema(["q"], "s"))
    sys.exit(0 if table.n_cells == 2 else 1)
status = os.waitpid(child, 0)[1]
done.set()
print(status, spill.exists())
"""
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    done = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True, timeout=60
    )
    assert done.stdout.split() == ["0", "True"]


def test_an_engine_spills_in_private_and_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    embedded = private_engine()
    spill = Path(embedded.con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
    assert spill.parent.parent == tmp_path
    assert spill.parent.stat().st_mode & 0o077 == 0
    assert not spill.exists()  # so that a killed process leaves nothing behind
    embedded.con.execute("SET memory_limit = '40MB'; SET threads = 1")
    embedded.con.execute("CREATE TEMP TABLE much AS SELECT hash(range)::VARCHAR AS text FROM range(2000000)")
    assert spill.exists()
    del embedded
    assert not spill.exists()


def test_a_spill_directory_that_others_can_enter_is_not_used(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    taken = tmp_path / f"epsilens-{os.getuid()}"
    taken.mkdir()
    taken.chmod(0o755)
    embedded = private_engine()
    spill = Path(embedded.con.execute("SELECT current_setting('temp_directory')").fetchone()[0])
    assert spill.parent == tmp_path
    assert spill.stat().st_mode & 0o077 == 0
    del embedded
    assert not spill.exists()


def test_columns_that_cannot_be_counted() -> None:
    import pyarrow as pa

    nested = pa.table({"a": [[1], [2]], "b": ["x", "y"]})
    with pytest.raises(DataError, match="column 'a' has the type array"):
        read_table(nested, Schema(["a"], "b"))
    for kind in (pa.binary(), pa.binary_view(), pa.binary(1), pa.large_binary()):
        with pytest.raises(DataError, match=r"column 'a' has the type .*, which cannot be counted by value"):
            read_table(pa.table({"a": pa.array([b"1", b"2"], kind), "b": ["x", "y"]}), Schema(["a"], "b"))


def test_a_lazy_frame_of_a_file_that_is_not_there() -> None:
    polars = pytest.importorskip("polars")
    assert "could not be read" in refusal(polars.scan_csv(f"/nowhere/{TOKEN}.csv"))


def test_an_object_that_only_pretends_to_be_arrow() -> None:
    class Pretender:
        def __arrow_c_stream__(self, requested_schema: object = None) -> object:
            raise TypeError(TOKEN)

    assert frames.is_frame(Pretender())
    assert "could not be turned into an Arrow table" in refusal(Pretender())
