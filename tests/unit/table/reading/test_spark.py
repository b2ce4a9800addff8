"""What is known of Spark without starting one; what it reads is compared in tests/integration."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from epsilens.errors import ParameterError, SourceError
from epsilens.table.engine import Engine
from epsilens.table.reading import spark
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

SCHEMA = Schema(["a"], "s")


def test_only_the_catalogue_is_an_address_of_spark() -> None:
    assert spark.is_catalogue("spark://catalogue")
    assert not spark.is_catalogue("postgres://host/db")
    with pytest.raises(SourceError, match="tables of Spark are read from spark://catalogue"):
        spark.is_catalogue("spark://host:7077")


def test_a_spark_that_is_not_installed_is_said_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspark.sql", None)
    with pytest.raises(SourceError, match=r"Spark is not installed; run pip install 'epsilens\[spark\]'"):
        spark.session(Engine("spark"))


def test_a_local_spark_keeps_to_this_machine(tmp_path: Path) -> None:
    found = spark._settings(Engine("spark", threads=3, memory_limit="1GiB"), tmp_path)
    assert found["spark.master"] == "local[3]"
    assert found["spark.driver.memory"] == "1024m"
    assert found["spark.driver.bindAddress"] == found["spark.driver.host"] == "127.0.0.1"
    assert found["spark.ui.enabled"] == "false"
    assert found["spark.local.dir"] == str(tmp_path)
    assert found["spark.sql.shuffle.partitions"] == "12"


def test_a_cluster_is_not_told_where_it_keeps_things(tmp_path: Path) -> None:
    found = spark._settings(Engine("spark", spark_master="yarn"), tmp_path)
    assert found["spark.master"] == "yarn"
    assert "spark.local.dir" not in found
    assert "spark.driver.host" not in found


def test_what_is_configured_is_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "spark-defaults.conf").write_text("# c\nspark.sql.warehouse.dir /data\nspark.master=yarn\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(tmp_path))
    spark._configured.cache_clear()
    try:
        found = spark._settings(Engine("spark"), tmp_path)
    finally:
        spark._configured.cache_clear()
    assert "spark.sql.warehouse.dir" not in found
    assert found["spark.master"] == "local[*]"


def test_csv_is_not_handed_to_a_cluster(tmp_path: Path) -> None:
    path = tmp_path / "p.csv"
    path.write_text("a,s\n1,x\n2,y\n")
    with pytest.raises(SourceError, match="is CSV, which is read on this machine"):
        read_table(path, SCHEMA, engine=Engine("spark", spark_master="yarn"))


@pytest.mark.parametrize(
    ("source", "table", "engine", "says"),
    [
        ("postgres://h/d", "t", Engine("spark"), "is that of files; a database is read by its own engine"),
        ("sqlite://a.db", "t", Engine("duckdb"), "is that of files"),
        ("postgres://h/d", "t", Engine(threads=2), "threads is that of an engine on this machine"),
        ("spark://catalogue", "t", Engine("duckdb"), "must be spark"),
    ],
)
def test_an_engine_that_would_be_ignored_is_refused(source: str, table: str, engine: Engine, says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        read_table(source, SCHEMA, table, engine=engine)


def test_a_data_frame_is_not_for_spark() -> None:
    import pyarrow as pa

    frame = pa.table({"a": [1, 2], "s": ["x", "y"]})
    with pytest.raises(ParameterError, match="this is a data frame"):
        read_table(frame, SCHEMA, engine="spark")
    assert read_table(frame, SCHEMA, engine=Engine(threads=1, memory_limit="100MB")).n_records == 2
