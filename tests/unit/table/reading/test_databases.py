"""Databases: the table of a URL, let go of once it is read, or why not, without password and data."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epsilens.errors import EpsilensError, SourceError
from epsilens.table.hierarchy import Hierarchy
from epsilens.table.reading import databases
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import SCHEMA, TOKEN, arrow_rows, assert_expected, refusal


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


@pytest.mark.parametrize(
    ("url", "file"),
    [
        ("duckdb:///abs/a.db", "/abs/a.db"),
        ("duckdb://rel/a.db", "rel/a.db"),
        ("sqlite://a%20b.db?mode=ro", "a b.db"),
        ("DuckDB://a.db", "a.db"),
    ],
)
def test_files_of_urls(url: str, file: str) -> None:
    assert databases.is_url(url)
    assert databases.file_of(url) == Path(file)
    assert databases.scheme_of(url) == url.partition(":")[0].lower()


def test_paths_are_not_urls() -> None:
    for path in ("people.csv", "/a/b.csv", "C:\\people.csv", "a:b/c", "://x"):
        assert not databases.is_url(path)


@pytest.mark.parametrize(
    ("problem", "says"),
    [
        ("FATAL: password authentication failed for user me", "refused the user name or password"),
        ('FATAL: database "db" does not exist', "has no such database"),
        ("connection refused", "cannot be reached"),
        ("connection timeout expired", "cannot be reached"),
        ("some mishap with zqx31337", "cannot be opened (RuntimeError); check the URL"),
    ],
)
def test_causes_are_said_in_our_words(monkeypatch: pytest.MonkeyPatch, problem: str, says: str) -> None:
    import ibis

    asked: list[str] = []

    def connect(url: str) -> None:
        asked.append(url)
        raise RuntimeError(problem)

    monkeypatch.setattr(ibis, "connect", connect)
    message = refusal("postgres://me:hunter2@host:5433/db", table="people")
    assert message.startswith(f"the postgres database at host:5433 {says}")
    assert "hunter2" not in message
    assert asked == ["postgres://me:hunter2@host:5433/db?connect_timeout=10"]
