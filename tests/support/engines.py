"""The same people in a file, in Spark and in PostgreSQL, for whole runs of tests."""

from __future__ import annotations

import importlib.util
import os
import shutil
import socket
import subprocess
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.conftest import missing_component

PASSWORD = "swordfish-4711"

# A table with everything that engines like to disagree on: case, accents, blanks, nulls, negative and fractional
# numbers, values at bin bounds, codes with leading zeros, several rows per person.
ROWS: list[tuple[str | None, str | None, float | None, int | None, str | None, str, int]] = [
    (
        ["north", "North", "  élan ", "Zoo", "abc", "", None, "007"][i % 8],
        ["f", "m"][i % 2],
        None if i % 11 == 0 else (i % 37) * 0.1 - 1.3,
        None if i % 13 == 0 else (i * 7) % 90,
        ["flu", "Flu", "ok ", "ok", None][(i * i) % 5],
        f"p{i // 3}",
        i % 4,
    )
    for i in range(600)
]
COLUMNS = ("region", "sex", "dose", "age", "illness", "person", "weight")


def arrow_rows() -> Any:
    import pyarrow as pa

    types = [pa.string(), pa.string(), pa.float64(), pa.int64(), pa.string(), pa.string(), pa.int64()]
    columns = [pa.array(values, kind) for values, kind in zip(zip(*ROWS, strict=True), types, strict=True)]
    return pa.table(columns, names=list(COLUMNS))


@contextmanager
def spark_session() -> Iterator[Any]:
    """A Spark of this process, as commands start it."""
    if shutil.which("java") is None:
        missing_component("Java (for Spark) is missing on this machine")
    if importlib.util.find_spec("pyspark") is None:
        missing_component("pyspark is missing on this machine")
    from epsilens.table.engine import Engine
    from epsilens.table.reading import spark

    # Java compiles less, which is quicker for as few people as tests have. It ends with the process.
    os.environ.setdefault("JAVA_TOOL_OPTIONS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC")
    yield spark.session(Engine("spark", spark_master="local[2]"))


@dataclass(frozen=True)
class Cluster:
    """A PostgreSQL server of our own on this machine."""

    port: int
    programs: Path
    data: Path

    def url(self, password: str = PASSWORD, database: str = "registry", user: str = "reader") -> str:
        """Where commands find it."""
        return f"postgres://{user}:{password}@127.0.0.1:{self.port}/{database}"

    def asked(self, query: str) -> list[tuple[Any, ...]]:
        """What the owner is told, who may write."""
        import psycopg

        address = f"host=127.0.0.1 port={self.port} user=owner password={PASSWORD} dbname=registry"
        with psycopg.connect(address, autocommit=True) as connection:
            found = connection.execute(query)
            return found.fetchall() if found.description else []


@contextmanager
def postgres_cluster(home: Path) -> Iterator[Cluster]:
    """A server with the table ``health.people`` and its view ``people``, which ``reader`` may read."""
    if importlib.util.find_spec("psycopg") is None:
        missing_component("psycopg is missing on this machine")
    binaries = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    found = shutil.which("initdb")
    if not binaries and found is None:
        missing_component("PostgreSQL (initdb) is missing on this machine")
    programs = binaries[-1].parent if binaries else Path(str(found)).parent
    # The server refuses to run as root, and the unprivileged user cannot enter pytest's private directory.
    as_root = os.geteuid() == 0
    home = Path("/tmp") / f"epsilens-postgres-{uuid.uuid4().hex}" if as_root else home
    home.mkdir(exist_ok=True)
    if as_root:
        shutil.chown(home, "postgres")
    data = home / "data"

    def run(*command: str) -> None:
        user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []} if as_root else {}
        subprocess.run(
            command, check=True, capture_output=True, cwd=home, timeout=60, **user, env={"PATH": "/usr/bin:/bin"}
        )

    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    # A collation that does not compare code points, so that sorting by the server's order would show.
    run(
        str(programs / "initdb"),
        *("-D", str(data), "-U", "owner", "-A", "trust", "-E", "UTF8"),
        *("--locale=C", "--locale-provider=icu", "--icu-locale=en"),
    )
    settings = f"-p {port} -c listen_addresses=127.0.0.1 -c unix_socket_directories={home} -c fsync=off"
    run(str(programs / "pg_ctl"), "-D", str(data), "-o", settings, "-l", str(home / "log"), "-w", "start")
    try:
        _fill(port)
        (data / "pg_hba.conf").write_text("host all all 127.0.0.1/32 scram-sha-256\n")
        run(str(programs / "pg_ctl"), "-D", str(data), "reload")
        yield Cluster(port, programs, data)
    finally:
        run(str(programs / "pg_ctl"), "-D", str(data), "-m", "immediate", "-w", "stop")
        shutil.rmtree(home, ignore_errors=True)


def _fill(port: int) -> None:
    import psycopg

    with psycopg.connect(f"host=127.0.0.1 port={port} user=owner dbname=postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE registry")
        connection.execute(f"CREATE ROLE reader LOGIN PASSWORD '{PASSWORD}'")
        connection.execute(f"ALTER ROLE owner PASSWORD '{PASSWORD}'")
    with psycopg.connect(f"host=127.0.0.1 port={port} user=owner dbname=registry", autocommit=True) as connection:
        connection.execute("CREATE SCHEMA health")
        connection.execute(
            "CREATE TABLE health.people (region text, sex char(1), dose double precision, age int, illness text, "
            "person text, weight int)"
        )
        with connection.cursor().copy("COPY health.people FROM STDIN") as copy:
            for row in ROWS:
                copy.write_row(row)
        connection.execute("CREATE VIEW people AS SELECT * FROM health.people")
        connection.execute("GRANT USAGE ON SCHEMA health TO reader")
        connection.execute("GRANT SELECT ON health.people, people TO reader")
