"""Engines that fail, data that change and people who lose patience, while a command runs."""

from __future__ import annotations

import json
import os
import resource
import shutil
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.conftest import missing_component
from tests.support.commands import children_of, command_of, complaint, ended, eventually, spilt, started
from tests.support.engines import Cluster

pytestmark = pytest.mark.integration

ROLES = ["--qid", "a,b", "--sensitive", "s"]
RELEASE = [
    *("--table", "slow", "--columns", "sex,illness", "--universe", "u.json", "--epsilon", "0.5", "--out", "o.csv"),
    *("--one-row-per-person", "--ledger", "b.db", "--account", "a", "--total-epsilon", "1"),
]
SLOW = "SELECT pid FROM pg_stat_activity WHERE usename = 'reader' AND wait_event = 'PgSleep'"


@pytest.fixture(scope="module")
def many_cells(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A million people, each in a cell of their own."""
    import duckdb

    path = tmp_path_factory.mktemp("many") / "people.parquet"
    rows = "SELECT (range * 7919) % 1000003 AS a, (range * 31) % 977 AS b, range % 5 AS s FROM range(1000000)"
    duckdb.sql(f"COPY ({rows}) TO '{path}'")
    return path


@pytest.fixture
def slow(postgres: Cluster) -> Cluster:
    """A view that takes half a minute to read, and one that takes no time."""
    postgres.asked(
        "CREATE OR REPLACE VIEW slow AS SELECT * FROM health.people WHERE pg_sleep(0.05)::text IS NOT NULL; "
        "GRANT SELECT ON slow TO reader"
    )
    return postgres


# -- Memory and disk ------------------------------------------------------------------------------------------------


def test_what_does_not_fit_in_memory_is_spilt_and_the_result_is_the_same(many_cells: Path, tmp_path: Path) -> None:
    words = ["assess", str(many_cells), *ROLES, "--json", "--threads", "1", "--memory-limit"]
    told = []
    for limit in ("2GB", "48MiB"):
        with started([*words, limit], tmp_path) as process:
            told.append(ended(process))
    assert told[0] == told[1]
    assert told[0][0] == 0
    assert spilt(tmp_path) == []


def test_too_little_memory_is_said_in_a_line(many_cells: Path, tmp_path: Path) -> None:
    words = ["assess", str(many_cells), *ROLES, "--memory-limit", "5MB", "--threads", "1"]
    with started(words, tmp_path) as process:
        code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert "does not fit in memory and could not be spilt to disk; raise --memory-limit" in complaint(err)
    assert spilt(tmp_path) == []


def test_a_disk_that_is_full_is_said_in_a_line(many_cells: Path, tmp_path: Path) -> None:
    """A disk of two megabytes where nobody may mount one: no file above a megabyte."""
    words = ["assess", str(many_cells), *ROLES, "--memory-limit", "40MiB", "--threads", "1"]
    mount = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o size=2m tmpfs "{tmp_path}"']
    options: dict[str, Any] = {"before": [*mount[:-1], f'{mount[-1]} && exec "$@"', "sh"]}
    if shutil.which("unshare") is None or subprocess.run(mount, capture_output=True, check=False).returncode:
        options = {"preexec_fn": lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 20, 1 << 20))}
    with started(words, tmp_path, **options) as process:
        code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert "could not be read: " in complaint(err)
    assert "disk" in err
    assert spilt(tmp_path) == []


# -- Connections ----------------------------------------------------------------------------------------------------


def test_a_connection_that_is_lost_is_said_in_a_line(slow: Cluster, tmp_path: Path) -> None:
    words = ["assess", slow.url(), "--table", "slow", "--qid", "sex", "--sensitive", "illness", "--cells", "c.csv"]
    with started(words, tmp_path) as process:
        eventually(lambda: slow.asked(SLOW))
        slow.asked("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
        code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert complaint(err) == "table 'slow' could not be read: the connection to the database was lost; run it again"
    assert list(tmp_path.glob("*.csv")) == []


def test_a_release_whose_connection_is_lost_spends_and_writes_nothing(slow: Cluster, tmp_path: Path) -> None:
    (tmp_path / "u.json").write_text(json.dumps({"sex": ["f", "m"], "illness": ["flu", "ok"]}))
    with started(["release", slow.url(), *RELEASE], tmp_path) as process:
        eventually(lambda: slow.asked(SLOW))
        slow.asked("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'reader'")
        code, out, err = ended(process)
    assert (code, out) == (2, "")
    assert "the connection to the database was lost" in complaint(err)
    assert [path.name for path in tmp_path.glob("o.*")] == []
    assert not (tmp_path / "b.db").exists()  # the account is opened when there is something to pay


def test_a_table_that_grows_between_two_queries_is_read_as_it_was(postgres: Cluster) -> None:
    schema = Schema(["sex"], "illness")
    before = read_table(postgres.url(), schema, "people").n_records
    table = read_table(postgres.url(), schema, "people")
    postgres.asked("INSERT INTO health.people SELECT * FROM health.people LIMIT 100")
    try:
        assert table.n_records == before
        assert int(table.signatures()[0].sum()) > 0
        assert read_table(postgres.url(), schema, "people").n_records == before + 100
    finally:
        postgres.asked("DELETE FROM health.people WHERE ctid IN (SELECT ctid FROM health.people OFFSET 600)")
    assert read_table(postgres.url(), schema, "people").n_records == before


# -- Ctrl-C ---------------------------------------------------------------------------------------------------------


def test_ctrl_c_ends_a_query_of_postgres(slow: Cluster, tmp_path: Path) -> None:
    words = ["assess", slow.url(), "--table", "slow", "--qid", "sex", "--sensitive", "illness"]
    with started(words, tmp_path) as process:
        eventually(lambda: slow.asked(SLOW))
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process, 15)
    assert (code, out, complaint(err)) == (130, "", "interrupted")
    eventually(lambda: not slow.asked("SELECT pid FROM pg_stat_activity WHERE usename = 'reader'"), 15)


def test_ctrl_c_ends_a_query_of_duckdb_and_what_it_spilt(many_cells: Path, tmp_path: Path) -> None:
    words = ["assess", str(many_cells), *ROLES, "--memory-limit", "48MiB", "--threads", "1"]
    with started(words, tmp_path) as process:
        eventually(lambda: spilt(tmp_path))
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process, 15)
    assert (code, out, complaint(err)) == (130, "", "interrupted")
    assert spilt(tmp_path) == []


@pytest.mark.parametrize("later", [0.0, 0.2, 0.5, 1.5])
def test_ctrl_c_ends_all_processes_of_a_comparison(people: Path, tmp_path: Path, later: float) -> None:
    """A terminal sends it to all of them: at their beginning, while Python starts, and when they work."""
    words = ["compare", str(people), "--qid", "block_group,age,sex", "--bins", "age=10", "--sensitive", "disease"]
    with started([*words, "--repetitions", "4000", "--jobs", "2"], tmp_path, start_new_session=True) as process:
        others = eventually(lambda: children_of(process.pid, "spawn_main"))
        time.sleep(later)
        os.killpg(process.pid, signal.SIGINT)
        code, out, err = ended(process, 15)
    assert (code, out, complaint(err)) == (130, "", "interrupted")
    eventually(lambda: not any("spawn_main" in command_of(pid) for pid in others), 15)


# -- Spark ----------------------------------------------------------------------------------------------------------


def needs_spark() -> None:
    import importlib.util

    if shutil.which("java") is None or importlib.util.find_spec("pyspark") is None:
        missing_component("Spark or Java is missing on this machine")


def test_ctrl_c_ends_spark(many_cells: Path, tmp_path: Path) -> None:
    needs_spark()
    words = ["assess", str(many_cells), *ROLES, "--engine", "spark", "--threads", "1", "--memory-limit", "600MiB"]
    with started(words, tmp_path) as process:
        java = eventually(lambda: children_of(process.pid, "SparkSubmit"))
        eventually(lambda: list(tmp_path.glob("epsilens-*/*/blockmgr-*/*/*")))  # it shuffles
        process.send_signal(signal.SIGINT)
        code, out, err = ended(process, 30)
    assert (code, out, complaint(err)) == (130, "", "interrupted")
    assert [pid for pid in java if "SparkSubmit" in command_of(pid)] == []
    assert spilt(tmp_path) == []


@pytest.mark.parametrize("later", [0.0, 0.5, 1.0, 1.5, 2.0, 2.5])
def test_ctrl_c_of_a_terminal_ends_spark_while_it_starts(many_cells: Path, tmp_path: Path, later: float) -> None:
    """It reaches Java as well, and Python in the middle of a conversation with it."""
    needs_spark()
    words = ["assess", str(many_cells), *ROLES, "--engine", "spark", "--threads", "1"]
    with started(words, tmp_path, start_new_session=True) as process:
        java = eventually(lambda: children_of(process.pid, "SparkSubmit"))
        time.sleep(later)
        os.killpg(process.pid, signal.SIGINT)
        code, out, err = ended(process, 30)
    assert (code, out, complaint(err)) == (130, "", "interrupted")
    eventually(lambda: not any("SparkSubmit" in command_of(pid) for pid in java), 15)  # it may just be starting
    assert spilt(tmp_path) == []


def test_a_spark_executor_that_is_killed_changes_nothing_or_fails_cleanly(many_cells: Path, tmp_path: Path) -> None:
    """A cluster of processes on this machine, one of which is killed while it counts."""
    needs_spark()
    import pyspark

    home = tmp_path / "spark"  # a worker writes into Spark's own folder
    home.mkdir()
    for path in Path(pyspark.__file__).parent.iterdir():
        (home / path.name).symlink_to(path)
    words = ["assess", str(many_cells), *ROLES, "--json", "--epsilon", "1"]
    with started(words, tmp_path) as process:
        expected = ended(process)[1]
    cluster = ["--engine", "spark", "--spark-master", "local-cluster[2,1,1024]"]
    with started([*words, *cluster], tmp_path, environment={"SPARK_HOME": str(home)}) as process:
        executors = eventually(lambda: children_of(process.pid, "CoarseGrainedExecutorBackend"))
        eventually(lambda: list(tmp_path.glob("**/shuffle_*.data")) or process.poll() is not None)
        os.kill(executors[0], signal.SIGKILL)
        code, out, err = ended(process)
    assert spilt(tmp_path) == []
    if code == 0:
        assert json.loads(out) == json.loads(expected)
    else:
        assert (code, out) == (2, "")
        assert "could not be read" in complaint(err)
