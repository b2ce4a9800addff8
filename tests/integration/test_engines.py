"""The same people read through DuckDB, Spark and PostgreSQL make the same table, letter by letter."""

from __future__ import annotations

import gc
import socket
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from epsilens.budget import PureDP
from epsilens.errors import DataError, SourceError
from epsilens.release import release_table, verify_card
from epsilens.release.verification import failures
from epsilens.table import Hierarchy, read_cells
from epsilens.table.bins import Quantiles
from epsilens.table.frequency import FrequencyTable
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading import store, vectors
from epsilens.table.reading.cells import cells_of
from epsilens.table.reading.moments import read_moments
from epsilens.table.reading.people import read_people
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.commands import eventually
from tests.support.engines import FRACTIONS, PASSWORD, Cluster, arrow_rows

pytestmark = pytest.mark.integration


SCHEMAS = {
    "plain": Schema(["region", "sex"], "illness"),
    "bins": Schema(["region", "dose"], "illness", bins={"dose": 0.1}),
    "edges": Schema(["age", "sex"], ["illness", "region"], bins={"age": [0, 18, 65]}),
    "quantiles": Schema(["age", "dose"], "illness", bins={"age": Quantiles(4), "dose": Quantiles(3)}),
    "universe": Schema(["sex"], "illness", universe={"illness": ["Flu", "flu", "ok", "(missing)", "plague"]}),
    "zeros": Schema(
        ["sex", "region"],
        ["illness", "age"],
        bins={"age": [18, 65]},
        universe={"illness": ["Flu", "flu", "ok", "(missing)", "plague"]},
        structural_zeros=[{"sex": "m", "illness": "plague"}, {"illness": "plague", "age": "< 18"}],
    ),
    "unit": Schema(["region", "sex"], "illness", unit="person", max_rows_per_unit=2),
    "where": Schema(
        ["region", "sex"], "illness", where=["age>=18", "age!=42|63.0", "region!=|Zoo", "dose<1.5", "illness!=Flu"]
    ),
    "where, codes and missing values": Schema(["sex"], "illness", where=["region=007|élan|", "dose!=0.2"]),
    "where, unit": Schema(["region"], "illness", unit="person", max_rows_per_unit=2, where="age<60", missing="drop"),
    "closed on the right": Schema(
        ["age", "dose"],
        "illness",
        bins={"age": {"width": 7, "closed": "right"}, "dose": {"width": 0.1, "closed": "right"}},
    ),
    "edges closed on the right": Schema(
        ["age"], "illness", bins={"age": {"edges": [7, 63], "closed": "right"}}, missing={"age": 7}
    ),
    "quantiles closed on the right": Schema(
        ["age"], "illness", bins={"age": Quantiles(4, "right")}, missing={"illness": "drop"}
    ),
    "copies": Schema(
        ["decade", "region"], "illness", bins={"decade": 10}, copies={"decade": "age"}, missing={"region": "nowhere"}
    ),
}

LISTED = ("edges", "zeros", "unit")
"""Schemas that are read with lists of labels too, as those with many labels are."""


def assert_same(ours: FrequencyTable, reference: FrequencyTable) -> None:
    assert ours.labels == reference.labels
    assert ours.label_values == reference.label_values
    assert ours.dropped_rows == reference.dropped_rows
    # Before the cells are fetched: limits must be served by the engine, in the same order.
    assert ours.cells(5) == {name: values[:5] for name, values in reference.cells().items()}
    for ordered in (True, False):
        for mine, theirs in zip(ours.signatures(ordered), reference.signatures(ordered), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(ours.vectors, reference.vectors)
    assert ours.cells() == reference.cells()
    kept = reference.quasi_identifiers[:1]
    np.testing.assert_array_equal(ours.marginal(kept).vectors, reference.marginal(kept).vectors)
    assert ours.marginal(kept).cells() == reference.marginal(kept).cells()
    np.testing.assert_array_equal(ours.marginal([]).vectors, reference.marginal([]).vectors)
    for name in reference.sensitive:
        np.testing.assert_array_equal(ours.attribute(name).vectors, reference.attribute(name).vectors)
    some = reference.signatures(ordered=True)[0][:2]
    cells, vectors = ours.cells_with(some, 3)
    expected_cells, expected_vectors = reference.cells_with(some, 3)
    assert cells == expected_cells
    np.testing.assert_array_equal(vectors, expected_vectors)


def assert_same_weights(source: Any, table: str | None = None) -> None:
    """Survey weights of rows that have one, added up per cell, also of cells with fewer columns."""
    schema = Schema(["region", "sex"], "illness", where="weight>=1")
    ours, reference = (
        read_table(one, schema, name, weight="weight") for one, name in ((source, table), (arrow_rows(), None))
    )
    for left, right in ((ours, reference), (ours.marginal(["sex"]), reference.marginal(["sex"]))):
        found, expected = left.weighted_cells, right.weighted_cells
        assert found is not None
        assert expected is not None
        assert found.vectors.tolist() == expected.vectors.tolist()
        assert found.weights.tolist() == expected.weights.tolist()
        assert found.multiplicities.tolist() == expected.multiplicities.tolist()


def fractions() -> Any:
    """A person for each of many odd numbers; the first has twins, who are told apart by what they have."""
    import pyarrow as pa

    numbers = [FRACTIONS[0], *FRACTIONS]
    return pa.table({"x": pa.array(numbers, pa.float64()), "s": ["a", *("b" for _ in FRACTIONS)]})


def assert_same_fractions(source: Any, table: str | None = None) -> None:
    """Fractions are known or learnt, and missing where they are written as what is declared to mean that."""
    for schema in (Schema(["x"], "s"), Schema(["s"], "x", missing_values=["inf", "1e-05", "1e+16"])):
        assert_same(read_table(source, schema, table), read_table(fractions(), schema))


def moments(source: Any, **options: Any) -> list[Any]:
    """Sums over at most two rows of each person, drawn by a salt."""
    query = MomentsQuery((Variable("age", 0, 90),), levels={"sex": ("f", "m")})
    bounded: dict[str, Any] = {"unit": "person", "max_rows_per_unit": 2, "missing": "exclude", "row_salt": "s"}
    return read_moments(source, query, **bounded, **options).canonical()


def assert_same_people(source: Any, table: str | None = None) -> None:
    """Cells, hierarchies and binned moments of ``source`` are those of the same people in DuckDB."""
    reference = arrow_rows()
    bounds: dict[str, Any] = {"unit": "person", "max_rows_per_unit": 2, "bins": {"age": 20, "dose": Quantiles(3)}}
    schema = Schema(["region", "age", "dose"], **bounds)
    ours, theirs = read_cells(source, schema, table, row_salt="s"), read_cells(reference, schema, row_salt="s")
    assert ours.fingerprint == theirs.fingerprint
    assert ours.dropped_rows == theirs.dropped_rows > 0
    groups: dict[str, Any] = {
        "levels": ["sex"],
        "characteristics": ["region", "age", "dose"],
        "row_salt": "s",
        **bounds,
    }
    ours_in_groups = Hierarchy.read(source, table=table, **groups)
    in_groups = Hierarchy.read(reference, **groups)
    assert ours_in_groups.dropped_rows == in_groups.dropped_rows
    for name in ("counts", "siblings", "cells"):
        np.testing.assert_array_equal(getattr(ours_in_groups.situations(), name), getattr(in_groups.situations(), name))
    query = MomentsQuery((Variable("dose", -1, 2),), groups={"age": ("[0, 20)", "[20, 40)", "[40, 60)")})
    bounds = {"unit": "person", "missing": "exclude", "row_salt": "s", "bins": {"age": 20}}
    found = read_moments(source, query, table=table, **bounds)
    assert found.canonical() == read_moments(reference, query, **bounds).canonical()
    assert_same_left_out(source, table)


def assert_same_left_out(source: Any, table: str | None) -> None:
    """A release from ``source`` leaves out the rows that it leaves out in DuckDB, and tells the same of them."""
    reference = arrow_rows()
    declared = Schema(
        ["region", "age"],
        "illness",
        unit="person",
        max_rows_per_unit=2,
        bins={"age": [18, 65]},
        universe={"region": ["abc", "north", "007"], "illness": ["flu", "ok", "(missing)"]},
        structural_zeros=[{"region": "abc", "illness": "flu"}],
    )
    people = [
        read_people(given, declared, where, row_salt="s", misfits="leave-out")
        for given, where in ((source, table), (reference, None))
    ]
    assert people[0].left_out == people[1].left_out
    assert people[0].left_out.rows > 0
    assert cells_of(people[0]).fingerprint == cells_of(people[1]).fingerprint
    for found in people:
        found.close()
    query = MomentsQuery((Variable("dose", -1, 2),), groups={"age": ("[0, 20)",)}, levels={"sex": ("f",)})
    bounds: dict[str, Any] = {"unit": "person", "row_salt": "s", "bins": {"age": 20}}
    for misfits in ("leave-out", "neutral"):
        ours = read_moments(source, query, table=table, misfits=misfits, **bounds)
        theirs = read_moments(reference, query, misfits=misfits, **bounds)
        assert (ours.canonical(), ours.left_out) == (theirs.canonical(), theirs.left_out)


# -- Spark ----------------------------------------------------------------------------------------------------------


def spark_source(spark: Any, path: Path) -> Any:
    import ibis

    spark.read.parquet(str(path)).createOrReplaceTempView(path.stem)
    return ibis.pyspark.connect(spark).table(path.stem)


@pytest.fixture(scope="module")
def spark_table(spark: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:
    import pyarrow.parquet as pq

    path = tmp_path_factory.mktemp("rows") / "people.parquet"
    pq.write_table(arrow_rows(), path)
    return spark_source(spark, path)


@pytest.mark.filterwarnings("default")  # Spark and its Arrow bridge warn about their own future
def test_spark_sums_the_rows_of_people_that_duckdb_sums(spark_table: Any) -> None:
    assert moments(spark_table) == moments(arrow_rows())


@pytest.mark.filterwarnings("default")  # Spark and its Arrow bridge warn about their own future
@pytest.mark.parametrize("name", SCHEMAS)
def test_spark_equals_duckdb(spark_table: Any, name: str) -> None:
    assert_same(
        read_table(spark_table, SCHEMAS[name], row_salt="s"), read_table(arrow_rows(), SCHEMAS[name], row_salt="s")
    )


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("name", LISTED)
def test_spark_lists_the_labels_of_cells_like_duckdb(
    spark_table: Any, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read_table(arrow_rows(), SCHEMAS[name], row_salt="s")
    monkeypatch.setattr(vectors, "FEW_LABELS", 1)
    assert_same(read_table(spark_table, SCHEMAS[name], row_salt="s"), expected)
    assert_same(read_table(arrow_rows(), SCHEMAS[name], row_salt="s"), expected)
    assert_same_weights(spark_table)
    monkeypatch.setattr(store, "MOST_SPELT_OUT", 0)
    assert_same(read_table(spark_table, SCHEMAS[name], row_salt="s"), expected)


@pytest.mark.filterwarnings("default")
def test_spark_adds_up_survey_weights_like_duckdb(spark_table: Any) -> None:
    assert_same_weights(spark_table)


@pytest.mark.filterwarnings("default")
def test_spark_writes_fractions_like_duckdb(spark: Any, tmp_path: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(fractions(), tmp_path / "x.parquet")
    assert_same_fractions(spark_source(spark, tmp_path / "x.parquet"))


@pytest.mark.filterwarnings("default")
def test_spark_reads_cells_and_hierarchies_like_duckdb(spark_table: Any) -> None:
    assert_same_people(spark_table)


@pytest.mark.filterwarnings("default")
def test_spark_counts_equal_duckdb(spark_table: Any) -> None:
    schema = Schema(["region"], "illness")
    assert_same(read_table(spark_table, schema, count="weight"), read_table(arrow_rows(), schema, count="weight"))


@pytest.mark.filterwarnings("default")
def test_spark_reads_the_adult_table(spark: Any, data_dir: Path) -> None:
    import ibis

    columns = ["age", "education", "race", "sex", "salary-class"]
    people = spark.read.csv(str(data_dir / "adult.csv"), header=True).select(*(f"`{name}`" for name in columns))
    people.createOrReplaceTempView("adult")
    schema = Schema(columns[:-1], "salary-class", bins={"age": 5})
    ours = read_table(ibis.pyspark.connect(spark).table("adult"), schema)
    assert_same(ours, read_table(data_dir / "adult.csv", schema))
    assert ours.n_records == 32_561


@pytest.mark.filterwarnings("default")
def test_spark_errors_name_the_column_and_the_count_only(spark_table: Any) -> None:
    with pytest.raises(DataError, match=r"'region' has bins, but \d+ of 600 values are not numbers") as caught:
        read_table(spark_table, Schema(["region"], "illness", bins={"region": 5}))
    assert "Zoo" not in str(caught.value)


# -- PostgreSQL -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SCHEMAS)
def test_postgres_equals_duckdb(postgres: Cluster, name: str) -> None:
    ours = read_table(postgres.url(), SCHEMAS[name], table="people", row_salt="s")
    assert_same(ours, read_table(arrow_rows(), SCHEMAS[name], row_salt="s"))


@pytest.mark.parametrize("name", LISTED)
def test_postgres_lists_the_labels_of_cells_like_duckdb(
    postgres: Cluster, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = read_table(arrow_rows(), SCHEMAS[name], row_salt="s")
    monkeypatch.setattr(vectors, "FEW_LABELS", 1)
    monkeypatch.setattr(store, "MOST_SPELT_OUT", 0)
    assert_same(read_table(postgres.url(), SCHEMAS[name], table="people", row_salt="s"), expected)
    assert_same(read_table(arrow_rows(), SCHEMAS[name], row_salt="s"), expected)
    assert_same_weights(postgres.url(), "people")


@pytest.mark.parametrize("name", SCHEMAS)
def test_postgres_that_keeps_nothing_equals_duckdb(postgres: Cluster, name: str) -> None:
    ours = read_table(postgres.url(user="guest"), SCHEMAS[name], table="people", row_salt="s")
    assert_same(ours, read_table(arrow_rows(), SCHEMAS[name], row_salt="s"))


def session_of(table: FrequencyTable) -> Any:
    assert isinstance(table.store, store.EngineStore)
    return table.store.relation.get_backend()


@pytest.mark.parametrize(("role", "keeps"), [("reader", True), ("guest", False), ("watcher", False)])
def test_postgres_keeps_groups_where_it_may_and_leaves_nothing(postgres: Cluster, role: str, keeps: bool) -> None:
    """And people who have all values, or lack some, are counted alike either way."""
    schema = Schema(["region", "dose", "age"], "illness", bins={"dose": 0.1})
    for chosen in (schema, replace(schema, where="region!=|Zoo")):
        table = read_table(postgres.url(user=role), chosen, table="people")
        session = session_of(table)
        assert session.may_keep == keeps
        temporary = "SELECT count(*) FROM pg_class WHERE relpersistence = 't' AND relkind = 'r'"
        assert (session.con.execute(temporary).fetchone()[0] > 0) == keeps
        assert_same(table, read_table(arrow_rows(), chosen))
        with pytest.raises(Exception, match="read-only transaction"), session.con.transaction():
            session.con.execute("CREATE TABLE public.intruder (x int)")
    del table, session
    gc.collect()
    eventually(lambda: not postgres.asked(f"SELECT FROM pg_stat_activity WHERE usename = '{role}'"))
    assert postgres.asked(temporary) == [(0,)]


def test_a_standby_of_postgres_equals_duckdb(postgres: Cluster) -> None:
    with postgres.standby() as follower:
        for name in ("bins", "edges", "unit", "where"):
            ours = read_table(follower.url(), SCHEMAS[name], table="people", row_salt="s")
            assert not session_of(ours).may_keep
            assert_same(ours, read_table(arrow_rows(), SCHEMAS[name], row_salt="s"))
            del ours


def test_postgres_writes_fractions_like_duckdb(postgres: Cluster) -> None:
    rows = ", ".join(f"('{row['x']}'::float8, '{row['s']}')" for row in fractions().to_pylist())
    postgres.asked(f"CREATE TABLE fractions AS SELECT * FROM (VALUES {rows}) AS v (x, s)")
    postgres.asked("GRANT SELECT ON fractions TO reader, guest")
    for user in ("reader", "guest"):
        assert_same_fractions(postgres.url(user=user), "fractions")


def test_postgres_adds_up_survey_weights_like_duckdb(postgres: Cluster) -> None:
    assert_same_weights(postgres.url(), "people")


def test_postgres_reads_cells_and_hierarchies_like_duckdb(postgres: Cluster) -> None:
    assert_same_people(postgres.url(), "people")


def test_rows_drawn_in_postgres_are_drawn_again_by_duckdb(postgres: Cluster, tmp_path: Path) -> None:
    """A release of people with several rows, from one engine, holds against the same data in another."""
    levels = {"sex": ["f", "m"], "illness": ["flu", "Flu", "ok", "(missing)"]}
    release_table(
        postgres.url(),
        "discrete-laplace",
        PureDP(1.0),
        tmp_path / "b.db",
        "registry",
        schema=Schema(["sex"], "illness", universe=levels, unit="person", max_rows_per_unit=2),
        total=PureDP(1.0),
        table="people",
        out=tmp_path / "o.csv",
    )
    checks = verify_card(tmp_path / "o.card.json", data=arrow_rows(), ledger=tmp_path / "b.db")
    assert all(check.holds for check in checks), list(failures(checks))


def test_postgres_sums_the_rows_of_people_that_duckdb_sums(postgres: Cluster) -> None:
    assert moments(postgres.url(), table="people") == moments(arrow_rows())


def test_postgres_counts_and_qualified_names(postgres: Cluster) -> None:
    schema = Schema(["region"], "illness")
    ours = read_table(postgres.url(), schema, table="health.people", count="weight")
    assert_same(ours, read_table(arrow_rows(), schema, count="weight"))


def test_postgres_session_cannot_write(postgres: Cluster) -> None:
    from epsilens.table.reading import databases

    relation = databases.connected_table(postgres.url(), "people")
    with pytest.raises(Exception, match="read-only transaction"):
        relation.get_backend().con.execute("CREATE TABLE public.intruder (x int)")


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"password": "wrong-secret"}, "refused the user name or password"),
        ({"user": "nobody-here"}, "refused the user name or password"),
        ({"database": "elsewhere"}, "has no such database"),
    ],
)
def test_postgres_refusals_do_not_repeat_the_password(postgres: Cluster, change: dict[str, str], says: str) -> None:
    with pytest.raises(SourceError, match=says) as caught:
        read_table(postgres.url(**change), SCHEMAS["plain"], table="people")
    assert PASSWORD not in str(caught.value)
    assert "wrong-secret" not in str(caught.value)
    assert caught.value.__suppress_context__


def test_postgres_suggests_the_nearest_table(postgres: Cluster) -> None:
    with pytest.raises(SourceError, match=r"no table 'peple'.*did you mean 'people'"):
        read_table(postgres.url(), SCHEMAS["plain"], table="peple")


def test_postgres_errors_hold_no_values(postgres: Cluster) -> None:
    with pytest.raises(DataError, match="are not numbers") as caught:
        read_table(postgres.url(), Schema(["region"], "illness", bins={"region": 5}), table="people")
    assert "Zoo" not in str(caught.value)


def test_unreachable_server_is_said_so() -> None:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with pytest.raises(SourceError, match="cannot be reached") as caught:
        read_table(f"postgres://reader:{PASSWORD}@127.0.0.1:{port}/registry", SCHEMAS["plain"], table="people")
    assert PASSWORD not in str(caught.value)
