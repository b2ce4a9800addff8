"""Spark and PostgreSQL: reading a table and its risk, against the same bare query on the same engine"""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

import epsilens as el
from benchmarks import careful, people
from benchmarks.harness import Setting, by_turns, n_cores
from benchmarks.outcome import Comparison, Missing, Outcome

WITHIN = 2.0
ROWS = (1_000_000, 10_000_000)
SCHEMA = el.Schema(people.QIDS, people.SENSITIVE, bins={"age": 10})
EPSILONS = (0.1, 1.0, 5.0)
Signatures = tuple[np.ndarray, np.ndarray]


def run(setting: Setting) -> Iterator[Outcome]:
    warnings.simplefilter("ignore")  # Spark and its Arrow bridge warn about their own future
    if shutil.which("java") is None or importlib.util.find_spec("pyspark") is None:
        yield Missing("Spark (local[2]) against the same query", "pyspark or Java is not here")
    else:
        yield from _on_spark(setting)
    programs = _postgres_programs()
    if programs is None or importlib.util.find_spec("psycopg") is None:
        yield Missing("PostgreSQL against the same query", "psycopg or the PostgreSQL server is not here")
    else:
        with cluster(programs) as port:
            yield from _on_postgres(setting, port)


def _compared(
    setting: Setting, name: str, rows: int, ours: Callable[[], np.ndarray], bare: Callable[[], Signatures]
) -> Outcome:
    timed = by_turns(ours, bare, setting.size(3, 1), 60.0)
    risks = careful.curve_of(*timed.theirs, [careful.laplace(1.0 / epsilon) for epsilon in EPSILONS])
    return Comparison(
        name,
        peer="the same engine: one GROUP BY with filtered counts, one of the signatures",
        target=1.0 / WITHIN,
        difference=float(np.abs(risks - timed.ours).max()),
        tolerance=1e-12,
        threads=n_cores(),
        size=rows,
        note="the engine is up already; difference: of the risks",
        **timed.seconds,
    )


def _risks(table: el.FrequencyTable) -> np.ndarray:
    return el.risk_curve(table, "laplace", [el.PureDP(epsilon) for epsilon in EPSILONS]).risks


def _on_spark(setting: Setting) -> Iterator[Outcome]:
    import ibis
    from pyspark.sql import SparkSession

    os.environ["PYSPARK_PYTHON"] = sys.executable
    scratch = setting.folder / "spark"
    session = (
        SparkSession.builder.master("local[2]")
        .appName("epsilens-bench")
        .config("spark.ui.enabled", "false")
        .config("spark.driver.bindAddress", "127.0.0.1")
        .config("spark.driver.host", "127.0.0.1")
        .config("spark.driver.memory", "4g")
        .config("spark.sql.shuffle.partitions", "4")
        .config("spark.local.dir", str(scratch))
        .config("spark.sql.warehouse.dir", str(scratch / "warehouse"))
        .config("spark.driver.extraJavaOptions", f"-Dderby.system.home={scratch}")
        .config("spark.sql.execution.arrow.pyspark.enabled", "true")
        .getOrCreate()
    )
    session.sparkContext.setLogLevel("OFF")
    backend = ibis.pyspark.connect(session)

    def bare() -> Signatures:
        keys = "region, floor(age / 10), sex, race, education"
        cells = people.bare_cells("people", keys).replace("GROUP BY ALL", f"GROUP BY {keys}")
        vectors = ", ".join(f"c{k}" for k in range(len(people.LABELS)))
        found: Any = session.sql(f"SELECT {vectors}, count(*) AS cells FROM ({cells}) GROUP BY {vectors}").toPandas()
        matrix = found.to_numpy()
        return matrix[:, :-1], matrix[:, -1]

    for rows in ROWS if not setting.quick else (2_000,):
        pattern = people.people(setting.folder, rows)
        session.read.parquet(str(Path(pattern).parent)).createOrReplaceTempView("people")
        if rows == ROWS[0] or setting.quick:
            bare()  # what Spark compiles first is not the question
        yield _compared(
            setting,
            f"Spark (local[2], Parquet), {rows:,} rows: read_table of an Ibis table, and the risk",
            rows,
            lambda: _risks(el.read_table(backend.table("people"), SCHEMA)),
            bare,
        )
    session.stop()


def _on_postgres(setting: Setting, port: int) -> Iterator[Outcome]:
    import psycopg

    address = f"host=127.0.0.1 port={port} user=owner dbname=postgres"
    for rows in ROWS if not setting.quick else (2_000,):
        csv = people.written(
            setting.folder / f"postgres-{rows}.csv",
            f"FROM {people.parquet(people.people(setting.folder, rows))}",
            form="csv",
        )
        with psycopg.connect(address, autocommit=True) as connection:
            connection.execute("DROP TABLE IF EXISTS people")
            connection.execute(
                "CREATE TABLE people (region int, age int, sex text, race text, education int, disease text)"
            )
            with (
                connection.cursor().copy("COPY people FROM STDIN (FORMAT csv, HEADER)") as copy,
                csv.open("rb") as stream,
            ):
                while part := stream.read(1 << 20):
                    copy.write(part)
            connection.execute("VACUUM ANALYZE people")
        csv.unlink()

        def bare() -> Signatures:
            keys = "region, age / 10, sex, race, education"
            cells = people.bare_cells("people", keys).replace("GROUP BY ALL", "GROUP BY 1, 2, 3, 4, 5")
            vectors = ", ".join(f"c{k}" for k in range(len(people.LABELS)))
            with psycopg.connect(address, autocommit=True) as connection:
                connection.execute("SET work_mem = '1GB'")
                connection.execute(f"CREATE TEMP TABLE cells AS {cells}")
                query = f"SELECT {vectors}, count(*) FROM cells GROUP BY {vectors}"
                matrix: np.ndarray = np.array(connection.execute(query).fetchall())
            return matrix[:, :-1], matrix[:, -1]

        yield _compared(
            setting,
            f"PostgreSQL, {rows:,} rows: read_table of a database URL, and the risk",
            rows,
            lambda: _risks(el.read_table(f"postgres://owner@127.0.0.1:{port}/postgres", SCHEMA, table="people")),
            bare,
        )


def _postgres_programs() -> Path | None:
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    return binaries[-1].parent if binaries else Path(found).parent if found else None


@contextmanager
def cluster(programs: Path) -> Iterator[int]:
    """A server of our own on a free port, removed at the end; it refuses to run as root, so root lends a user."""
    as_root = os.geteuid() == 0
    home = Path(tempfile.mkdtemp(prefix="epsilens-postgres-"))
    home.chmod(0o755)
    if as_root:
        shutil.chown(home, "postgres")
    data = home / "data"

    def run(*command: str | Path) -> None:
        user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if as_root else {}
        subprocess.run(
            [str(word) for word in command],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=home,
            timeout=60,
            **user,
            env={"PATH": "/usr/bin:/bin"},
        )

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    run(programs / "initdb", *("-D", data, "-U", "owner", "-A", "trust", "-E", "UTF8", "--locale=C"))
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c fsync=off"
    settings += " -c max_parallel_workers_per_gather=1 -c shared_buffers=1GB -c work_mem=256MB"
    try:
        run(programs / "pg_ctl", "-D", data, "-o", settings, "-l", home / "log", "-w", "start")
        yield port
    finally:
        run(programs / "pg_ctl", "-D", data, "-m", "immediate", "-w", "stop")
        shutil.rmtree(home, ignore_errors=True)
