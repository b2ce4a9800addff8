"""What is PostgreSQL's own: names of tables, and types of columns that no other engine has."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.errors import SourceError
from epsilens.table.reading import databases, postgres_tables
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.integration.test_engines import assert_same
from tests.support.engines import Cluster, arrow_rows

pytestmark = pytest.mark.integration

TABLES = """
DROP SCHEMA IF EXISTS "Odd Schema.x" CASCADE;
DROP TABLE IF EXISTS "in.parts" CASCADE;
CREATE SCHEMA "Odd Schema.x";
CREATE TABLE "Odd Schema.x"."the ""table"" there" AS SELECT * FROM health.people;
CREATE TABLE "in.parts" (LIKE health.people) PARTITION BY LIST (sex);
CREATE TABLE part_f PARTITION OF "in.parts" FOR VALUES IN ('f');
CREATE TABLE part_m PARTITION OF "in.parts" DEFAULT;
INSERT INTO "in.parts" SELECT * FROM health.people;
CREATE VIEW "looked at" AS SELECT a.* FROM "in.parts" a JOIN (SELECT DISTINCT sex FROM part_f) b ON true;
CREATE MATERIALIZED VIEW written AS SELECT * FROM "in.parts";
GRANT USAGE ON SCHEMA "Odd Schema.x" TO reader;
GRANT SELECT ON "Odd Schema.x"."the ""table"" there", "in.parts", "looked at", written TO reader;
"""
KINDS = """
DROP TABLE IF EXISTS kinds;
DROP TYPE IF EXISTS mood;
DROP DOMAIN IF EXISTS years;
DROP COLLATION IF EXISTS blind;
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE DOMAIN years AS int CHECK (value >= 0);
CREATE COLLATION blind (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
CREATE TABLE kinds (
    mood mood, spelt text COLLATE blind, padded char(9), age years, paid money, well boolean, place point
);
INSERT INTO kinds SELECT
    (ARRAY['sad', 'ok'])[1 + i % 2]::mood, (ARRAY['Flu', 'flu', 'ok'])[1 + i % 3], (ARRAY['a', 'ab'])[1 + i % 2],
    i % 7 * 10, i % 4, i % 2 = 0, point(i, i)
FROM generate_series(1, 200) i;
GRANT SELECT ON kinds TO reader;
"""


@pytest.mark.parametrize(
    "name",
    [
        'Odd Schema.x.the "table" there',
        '"Odd Schema.x"."the ""table"" there"',
        "looked at",
        "public.looked at",
        '"looked at"',
        "in.parts",
        "written",
    ],
)
def test_tables_and_views_of_any_name(postgres: Cluster, name: str) -> None:
    postgres.asked(TABLES)
    schema = Schema(["region", "sex"], "illness")
    assert_same(read_table(postgres.url(), schema, table=name), read_table(arrow_rows(), schema))


@pytest.mark.parametrize(
    ("qids", "label"),
    [(["mood", "spelt", "padded", "age", "paid"], "well"), (["well", "paid"], "spelt"), (["age"], "mood")],
)
def test_texts_that_are_none_are_grouped_letter_by_letter(postgres: Cluster, qids: list[str], label: str) -> None:
    """Enumerations, texts that ignore case or are padded, domains, money: as the same values written as texts."""
    import pyarrow as pa

    postgres.asked(KINDS)
    numbers = range(1, 201)
    same = pa.table(
        {
            "mood": [["sad", "ok"][i % 2] for i in numbers],
            "spelt": [["Flu", "flu", "ok"][i % 3] for i in numbers],
            "padded": [["a", "ab"][i % 2] for i in numbers],
            "age": [i % 7 * 10 for i in numbers],
            "paid": [i % 4 for i in numbers],
            "well": [i % 2 == 0 for i in numbers],
        }
    )
    schema = Schema(qids, label, bins={"age": 20} if "age" in qids else {})
    assert_same(read_table(postgres.url(), schema, table="kinds"), read_table(same, schema))


def test_values_with_quotes_and_backslashes_are_values(postgres: Cluster) -> None:
    """Also for a role whose sessions would take a backslash in a query for an escape."""
    import pyarrow as pa

    labels = ["ends with \\", "' OR true --", "\\'; SELECT 1; --", "%s {x} \\n"]
    listed = ", ".join("'" + label.replace("'", "''") + "'" for label in labels)
    postgres.asked(
        "DROP TABLE IF EXISTS slashed; CREATE TABLE slashed AS SELECT i % 3 AS known, "
        f"(ARRAY[{listed}])[1 + i % 4] AS learnt FROM generate_series(1, 60) i; GRANT SELECT ON slashed TO reader; "
        "ALTER ROLE reader SET standard_conforming_strings = off"
    )
    same = pa.table({"known": [i % 3 for i in range(1, 61)], "learnt": [labels[i % 4] for i in range(1, 61)]})
    schema = Schema(["known"], "learnt")
    try:
        assert_same(read_table(postgres.url(), schema, table="slashed"), read_table(same, schema))
    finally:
        postgres.asked("ALTER ROLE reader RESET standard_conforming_strings")


def test_a_connection_that_is_lost_while_a_name_is_looked_up_is_not_a_wrong_name(
    postgres: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_up = postgres_tables.table_called

    def lost(session: Any, table: str) -> Any:
        ((own,),) = session.con.execute("SELECT pg_backend_pid()").fetchall()
        postgres.asked(f"SELECT pg_terminate_backend({own})")
        return looked_up(session, table)

    monkeypatch.setattr(databases, "table_called", lost)
    with pytest.raises(SourceError, match="the connection to the database was lost"):
        read_table(postgres.url(), Schema(["age"], "sex"), table="health.people")
