"""Spark: one quiet session per process, Parquet files and tables of its catalogue as Ibis tables.

The session is started when somebody first asks for it, on this machine unless ``spark_master`` says otherwise, and ends
with the process. A session that the process has already is used as it is: it knows tables that ours would not.

What a local Spark does stays on this machine: its ports are those of the loopback, there is no web page, and what it
spills lies in the private directory in which DuckDB spills. Its log goes nowhere: it may quote data.
"""

from __future__ import annotations

import atexit
import logging
import os
import re
import shutil
import signal
import subprocess
import sys
import threading
import uuid
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

from epsilens.errors import ParameterError, SourceError
from epsilens.table.engine import Engine
from epsilens.table.reading.embedded import spill_directory

CATALOGUE = "spark://catalogue"
"""The source whose tables are those that Spark's catalogue knows."""
_HOW = "run pip install 'epsilens[spark]'"
_STORED = r"^Relation .*\b(parquet|orc)$|^(RelationV2|InMemoryRelation|LocalRelation|HiveTableRelation)\b"
"""How Spark writes plans of rows that it reads by columns, or has already."""
_starting = threading.Lock()


def is_catalogue(url: str) -> bool:
    """Whether a URL names Spark's catalogue; any other one of its scheme is refused."""
    if url.partition("://")[0].lower() != "spark":
        return False
    if url.rstrip("/").lower() != CATALOGUE:
        raise SourceError(
            f"tables of Spark are read from {CATALOGUE}", remedy="where Spark itself is, says `spark_master`"
        )
    return True


def catalogue_table(engine: Engine, table: str) -> Any:
    """A table or view of Spark's catalogue."""
    from epsilens.table.reading.databases import named_table

    return named_table(_backend(session(engine)), table)


def parquet_relation(engine: Engine, paths: Sequence[Path], place: str) -> Any:
    """Parquet files as an Ibis table on Spark. The view that it is goes with the connection."""
    running = session(engine)
    backend, name = _backend(running), f"epsilens_{uuid.uuid4().hex}"
    try:
        # A URI, for Spark would take characters in names for patterns of files.
        found = running.read.option("mergeSchema", "false").parquet(*(_escaped(path) for path in paths))
        found.createTempView(name)
        relation = backend.table(name)
    except Exception as problem:
        if type(problem).__name__ != "AnalysisException":
            raise
        raise SourceError(
            f"{place} has a column of a type that Spark cannot read", remedy="let DuckDB read it: `engine=duckdb`"
        ) from None
    weakref.finalize(backend, _drop_view, running, name).atexit = False
    return relation


def _escaped(path: Path) -> str:
    text = str(path.resolve())
    return "".join(f"\\{character}" if character in "*?[]{},\\" else character for character in text)


def _drop_view(running: Any, name: str) -> None:
    with suppress(Exception):
        running.catalog.dropTempView(name)


@cache
def _backend_class() -> type[Any]:
    import ibis

    assert ibis.pyspark  # asking for it makes Ibis know the options of the backend
    from ibis.backends.pyspark import Backend

    class Spark(Backend):  # type: ignore[misc]
        """Ibis' own backend, which brings results here through pandas; as Arrow, whole numbers stay whole."""

        def to_pyarrow(self, expr: Any, /, *, params: Any = None, limit: Any = None, **_: Any) -> Any:
            from ibis.formats.pyarrow import PyArrowData

            table = expr.as_table()
            self._run_pre_execute_hooks(table)
            found = self._session.sql(self.compile(table, params=params, limit=limit)).toArrow()
            return expr.__pyarrow_result__(PyArrowData.convert_table(found, table.schema()))

    return Spark


def _backend(running: Any) -> Any:
    return _backend_class()().connect(running)


def as_ours(expression: Any) -> Any:
    """Somebody's Ibis table on our own backend of the same session, whose results come as Arrow tables."""
    theirs = expression.get_backend()
    if theirs.name != "pyspark" or isinstance(theirs, _backend_class()):
        return expression
    ours = _backend(theirs._session)
    ours.of = expression  # with the views that it is made of, which go when nobody refers to it

    def moved(node: Any, changed: Any) -> Any:
        new = node.__recreate__(changed) if changed else node
        return new.copy(source=ours) if getattr(node, "source", None) is theirs else new

    return expression.op().replace(moved).to_expr()


def session(engine: Engine) -> Any:
    """The Spark session of this process, started now unless there is one."""
    try:
        from pyspark.sql import SparkSession
    except ImportError:
        raise SourceError("Spark is not installed", remedy=_HOW) from None
    with _starting:
        running = SparkSession.getActiveSession() or SparkSession._instantiatedSession
        if running is not None and not _has_ended(running):
            _refuse_other_settings(running, engine)
            return running
        if shutil.which("java") is None and not os.environ.get("JAVA_HOME"):
            raise SourceError("Spark needs Java, which is not installed", remedy="install Java 17 or newer")
        try:
            return _started(engine)
        except (KeyboardInterrupt, ParameterError, SourceError):
            raise
        except Exception as problem:
            _end_process()
            where = f" at {engine.spark_master}" if engine.spark_master else ""
            raise SourceError(
                f"Spark{where} could not be started ({type(problem).__name__})",
                remedy="is Java 17 or newer installed, and is `spark_master` right?",
            ) from None


def _has_ended(running: Any) -> bool:
    context = running.sparkContext
    if context._jsc is None:
        return True
    try:
        return bool(context._jsc.sc().isStopped())
    except Exception:
        raise SourceError("Spark has ended in the middle of this program; start the program again") from None


def _refuse_other_settings(running: Any, engine: Engine) -> None:
    """A session cannot be given another master, memory or number of threads."""
    master = str(running.sparkContext.master)
    wished = _master(engine) if engine.spark_master or engine.threads else None
    memory = running.conf.get("spark.driver.memory", None)
    if wished not in (None, master) or (engine.memory_limit and _memory(engine) != memory):
        raise SourceError(
            f"this program has started a Spark ({master}) with other settings", remedy="stop it, or leave them out"
        )


def _master(engine: Engine) -> str:
    return engine.spark_master or f"local[{engine.threads or '*'}]"


def _memory(engine: Engine) -> str:
    return f"{max(engine.memory_bytes >> 20, 1)}m"


def _settings(engine: Engine, scratch: Path) -> dict[str, str]:
    """How a session of ours is configured; what a cluster is like is said where Spark is configured."""
    found = {
        "spark.master": _master(engine),
        "spark.app.name": "epsilens",
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC",
        "spark.sql.caseSensitive": "true",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }
    if engine.memory_limit is not None:
        found["spark.driver.memory"] = _memory(engine)
    if engine.is_local:
        found |= {
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.local.dir": str(scratch),
            "spark.sql.shuffle.partitions": str(4 * _threads(engine)),
            "spark.sql.warehouse.dir": str(scratch / "warehouse"),
            "spark.driver.extraJavaOptions": f"-Dderby.system.home={scratch} -XX:-UsePerfData",
        }
    return {name: value for name, value in found.items() if name not in _configured()}


def _threads(engine: Engine) -> int:
    """Of a local Spark: ``local[2]`` and ``local[2, 3]`` have two."""
    inside = _master(engine).partition("[")[2].split(",")[0].rstrip("] ")
    return int(inside) if inside.isdecimal() else os.cpu_count() or 1


@cache
def _configured() -> frozenset[str]:
    """Names that somebody has set in Spark's own configuration; where its catalogue is, for example."""
    folder = os.environ.get("SPARK_CONF_DIR") or os.path.join(os.environ.get("SPARK_HOME", ""), "conf")  # noqa: PTH118
    names = set()
    with suppress(OSError):
        for line in (Path(folder) / "spark-defaults.conf").read_text(encoding="utf-8").splitlines():
            if line.strip() and not line.lstrip().startswith("#"):
                names.add(line.replace("=", " ").split()[0])
    return frozenset(names - {"spark.master", "spark.ui.enabled", "spark.driver.memory", "spark.sql.caseSensitive"})


def _started(engine: Engine) -> Any:
    from pyspark import SparkConf, SparkContext
    from pyspark.java_gateway import launch_gateway
    from pyspark.sql import SparkSession

    scratch = spill_directory()
    scratch.mkdir(mode=0o700, parents=True, exist_ok=True)
    os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
    if engine.is_local:
        os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")
    configuration = SparkConf(loadDefaults=False)
    for name, value in _settings(engine, scratch).items():
        configuration.set(name, value)
    for logger in ("root", "py4j.clientserver", "py4j.java_gateway"):  # log what is interrupted, and data with it
        logging.getLogger(logger).addFilter(_is_not_of_the_bridge)
    with _quiet():
        atexit.register(_ended_at_exit, os.getpid(), scratch, engine.is_local)
        if SparkContext._gateway is None:
            streams: dict[str, Any] = {"stderr": subprocess.DEVNULL, "stdout": subprocess.DEVNULL}
            launch: Any = launch_gateway
            with _ctrl_c_later():
                gateway = launch(configuration, streams)
                SparkContext._ensure_initialized(gateway=gateway, conf=configuration)
        _hear_ctrl_c(SparkContext.getOrCreate(configuration))  # before the session, which takes a while
        return SparkSession.builder.config(conf=configuration).getOrCreate()


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C is heard when Java has started, which nobody could end before; the second one at once."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []

    def later(number: int, _frame: Any) -> None:
        if heard:
            raise KeyboardInterrupt
        heard.append(number)

    before = signal.signal(signal.SIGINT, later)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.SIG_DFL if before is None else before)
    if heard and callable(before):
        raise KeyboardInterrupt


def _hear_ctrl_c(context: Any) -> None:
    """Let Ctrl-C end what Spark is doing.

    Spark's own Python asks it to from within the very conversation that was interrupted, which breaks that one off.
    """
    if threading.current_thread() is not threading.main_thread():
        return

    def interrupted(_signal: int, _frame: Any) -> None:
        threading.Thread(target=_cancel, args=(context,), daemon=True).start()
        raise KeyboardInterrupt

    signal.signal(signal.SIGINT, interrupted)


def _is_not_of_the_bridge(record: logging.LogRecord) -> bool:
    return Path(record.pathname).parent.name != "py4j"


def _cancel(context: Any) -> None:
    with suppress(Exception):
        context.cancelAllJobs()


@contextmanager
def _quiet() -> Iterator[None]:
    """Without the warnings of Spark's own Python."""
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def _ended_at_exit(process: int, scratch: Path, is_local: bool) -> None:
    """End Spark with this process; a forked one, which leaves by the same door, must not end its parent's."""
    if os.getpid() != process:
        return
    if not is_local:  # a cluster is told, so that it gives our executors to others
        from pyspark.sql import SparkSession

        running: Any = SparkSession._instantiatedSession
        with suppress(Exception):
            running.stop()
    _end_process()
    shutil.rmtree(scratch, ignore_errors=True)


def _end_process() -> None:
    """End the Java process, whatever it is doing: nothing that a local Spark has is kept."""
    from pyspark import SparkContext

    gateway: Any = SparkContext._gateway
    process = getattr(gateway, "proc", None)
    if process is None:
        return
    with suppress(Exception):
        gateway._gateway_client.is_connected = False  # or objects that go later would be told to it, and complain
    with suppress(Exception):
        process.kill()
        process.wait(5)


def persisted(backend: Any, query: str) -> tuple[str, Callable[[], int], Callable[[], None]]:
    """A view of a query's result, which Spark keeps in memory and on disk: name, rows, and how to let go of it.

    It is made now, as DuckDB makes a table: what it is made of may be let go, or change. On this machine rows are kept
    as they are counted, in less than half of the time that it takes to keep them by columns. A cluster keeps columns,
    which are smaller, and makes those of a machine that is lost again.
    """
    name = f"epsilens_{uuid.uuid4().hex}"
    running = backend._session
    on_this_machine = _is_this_machine(running)
    if on_this_machine:
        kept = running.sql(query).localCheckpoint()
    else:
        kept = running.sql(query).persist()
        kept.count()
    kept.createTempView(name)

    def release() -> None:
        with suppress(Exception):
            running.catalog.dropTempView(name)
            if on_this_machine:  # rows of its own, not those of a plan that Spark knows
                kept._jdf.queryExecution().analyzed().rdd().unpersist(False)
            else:
                kept.unpersist()

    return name, lambda: int(kept.count()), release


def is_stored(backend: Any, query: str) -> bool:
    """Whether a query reads files by columns, or what Spark holds, and does nothing with the rows but choose some."""
    with suppress(Exception):  # a session on the other side of a network does not show its plans
        plan = backend._session.sql(query)._jdf.queryExecution().optimizedPlan()
        while plan.nodeName() in ("Project", "Filter"):
            plan = plan.children().head()
        return re.search(_STORED, str(plan.simpleString(5))) is not None
    return False


def _is_this_machine(running: Any) -> bool:
    with suppress(Exception):  # a session on the other side of a network has no context here
        return re.fullmatch(r"local(\[.*\])?", str(running.sparkContext.master)) is not None
    return False
