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
ROLES = ("reader", "guest", "watcher")
"""Who may make temporary tables, who may not, and whom the server takes for somebody who only reads."""

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
FRACTIONS = [
    0.1,
    -0.3,
    0.001,
    0.00099,
    1e-4,
    -9.99e-5,
    1e-5,
    2.5e-7,
    1e-300,
    1 / 3,
    12345678.9,
    -1e7 - 0.5,
    2**50 + 0.125,
]
FRACTIONS += [1e15, 1.5e15, 2.0**53, -9.99e15, 1e16, 1e17, 1.5e100, -1e300, float("inf"), -float("inf")]
"""Numbers that engines write in ways of their own."""
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

    def run(self, program: str, *words: str, **environment: str) -> None:
        """Run one of the server's programs, as somebody whom the server lets run it."""
        user: dict[str, Any] = {"user": "postgres", "group": "postgres", "extra_groups": []}
        subprocess.run(
            [str(self.programs / program), *words],
            check=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.data.parent,
            timeout=60,
            **(user if os.geteuid() == 0 else {}),
            env={"PATH": "/usr/bin:/bin", **environment},
        )

    @contextmanager
    def running(self) -> Iterator[Cluster]:
        """The server, for as long as it runs."""
        settings = f"-p {self.port} -c listen_addresses=127.0.0.1 -c fsync=off"
        settings += f" -c unix_socket_directories={self.data.parent}"
        log = str(self.data.with_suffix(".log"))
        self.run("pg_ctl", "-D", str(self.data), "-o", settings, "-l", log, "-w", "start")
        try:
            yield self
        finally:
            self.run("pg_ctl", "-D", str(self.data), "-m", "immediate", "-w", "stop")

    @contextmanager
    def standby(self) -> Iterator[Cluster]:
        """Another server that follows this one and lets nobody write."""
        follower = Cluster(_free_port(), self.programs, self.data.with_name("standby"))
        address = f"host=127.0.0.1 port={self.port} user=owner"
        self.run("pg_basebackup", "-R", "-c", "fast", "-D", str(follower.data), "-d", address, PGPASSWORD=PASSWORD)
        with follower.running():
            yield follower

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
    home = Path("/tmp") / f"epsilens-postgres-{uuid.uuid4().hex}" if os.geteuid() == 0 else home
    home.mkdir(exist_ok=True)
    if os.geteuid() == 0:
        shutil.chown(home, "postgres")
    cluster = Cluster(_free_port(), programs, home / "data")
    # A collation that does not compare code points, so that sorting by the server's order would show.
    cluster.run(
        *("initdb", "-D", str(cluster.data), "-U", "owner", "-A", "trust", "-E", "UTF8"),
        *("--locale=C", "--locale-provider=icu", "--icu-locale=en"),
    )
    try:
        with cluster.running():
            _fill(cluster.port)
            allowed = ("all all", "replication owner")
            lines = [f"host {who} 127.0.0.1/32 scram-sha-256\n" for who in allowed]
            (cluster.data / "pg_hba.conf").write_text("".join(lines))
            cluster.run("pg_ctl", "-D", str(cluster.data), "reload")
            yield cluster
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def _fill(port: int) -> None:
    import psycopg

    with psycopg.connect(f"host=127.0.0.1 port={port} user=owner dbname=postgres", autocommit=True) as connection:
        connection.execute("CREATE DATABASE registry")
        for role in ROLES:
            connection.execute(f"CREATE ROLE {role} LOGIN PASSWORD '{PASSWORD}'")
        connection.execute("ALTER ROLE watcher SET default_transaction_read_only = on")
        connection.execute("REVOKE TEMPORARY ON DATABASE registry FROM PUBLIC")
        connection.execute("GRANT TEMPORARY ON DATABASE registry TO reader, watcher")
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
        connection.execute(f"GRANT USAGE ON SCHEMA health TO {', '.join(ROLES)}")
        connection.execute(f"GRANT SELECT ON health.people, people TO {', '.join(ROLES)}")
