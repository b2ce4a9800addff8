"""Which engine reads a table, and how much memory and how many threads it may take: never a matter of the result.

The same table comes out of every engine, letter by letter. So an engine is not part of any question: it holds for
whatever is read while it is :meth:`~Engine.used`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

from epsilens.checks import one_of, whole
from epsilens.errors import ParameterError

ENGINES = ("duckdb", "spark")
_UNITS = {"kb": 10**3, "mb": 10**6, "gb": 10**9, "tb": 10**12, "kib": 2**10, "mib": 2**20, "gib": 2**30, "tib": 2**40}
_SIZE = re.compile(r"\s*(\d{1,12}(?:\.\d{1,6})?)\s*([kmgt]i?b)\s*", re.IGNORECASE | re.ASCII)
LEAST_MEMORY, MOST_MEMORY = 2**20, 2**60
MOST_THREADS = 4_096


@dataclass(frozen=True)
class Engine:
    """Who reads files: the embedded DuckDB (``duckdb``, the default) or ``spark``; and with how much of the machine.

    ``memory_limit`` (4GB, 512MiB) and ``threads`` are those of the embedded DuckDB, which spills to disk what does not
    fit, or of a Spark on this machine. ``spark_master`` names another Spark, or how many threads it has: ``local[2]``.
    """

    name: str | None = None
    memory_limit: str | None = None
    threads: int | None = None
    spark_master: str | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            one_of("engine", self.name, ENGINES)
        if self.memory_limit is not None and self.memory_bytes < LEAST_MEMORY:
            raise ParameterError("must be at least 1MiB", parameter="memory_limit", got=self.memory_limit)
        if self.memory_bytes > MOST_MEMORY:
            raise ParameterError("must be at most 1048576TiB", parameter="memory_limit", got=self.memory_limit)
        if self.threads is not None:
            threads = whole("threads", self.threads, 1)
            if threads > MOST_THREADS:
                raise ParameterError(f"must be <= {MOST_THREADS}", parameter="threads", got=threads)
            object.__setattr__(self, "threads", threads)
        if self.spark_master is not None:
            self._check_master()

    def _check_master(self) -> None:
        if self.name != "spark":
            raise ParameterError(
                "says where Spark is, and the engine is not Spark",
                parameter="spark_master",
                remedy="say `engine=spark`, or leave it out",
            )
        if not isinstance(self.spark_master, str):
            raise ParameterError("must be text such as local[2]", parameter="spark_master", got=self.spark_master)
        if not self.spark_master.strip():
            raise ParameterError("is empty; name a master such as local[2]", parameter="spark_master")
        if self.threads is not None:
            raise ParameterError(
                "are those of a Spark on this machine, and `spark_master` says how many it has; leave one of them out",
                parameter="threads",
            )
        if self.memory_limit is not None and not self.is_local:
            raise ParameterError(
                "is that of an engine on this machine; a cluster has limits of its own",
                parameter="memory_limit",
                remedy="leave it out, or set spark.executor.memory where Spark is configured",
            )

    @staticmethod
    def of(given: Engine | str | None) -> Engine | None:
        """An engine, or one by its name."""
        if given is None or isinstance(given, Engine):
            return given
        if not isinstance(given, str):
            raise ParameterError("must be the name of an engine, or an Engine", parameter="engine")
        return Engine(given)

    @property
    def memory_bytes(self) -> int:
        """The limit in bytes; 0 where there is none."""
        if self.memory_limit is None:
            return 0
        found = _SIZE.fullmatch(str(self.memory_limit))
        if found is None:
            rule = "must be a size such as 4GB or 512MiB"
            raise ParameterError(rule, parameter="memory_limit", got=self.memory_limit)
        return int(float(found[1]) * _UNITS[found[2].lower()])

    @property
    def is_spark(self) -> bool:
        """Whether Spark reads files."""
        return self.name == "spark"

    @property
    def is_local(self) -> bool:
        """Whether it is on this machine, so that it sees files that are made here."""
        return self.spark_master is None or self.spark_master.strip().startswith("local")

    @contextmanager
    def used(self) -> Iterator[None]:
        """Whatever is read in the meantime, in this thread, is read by this engine."""
        token = _used.set(self)
        try:
            yield
        finally:
            _used.reset(token)


_used: ContextVar[Engine | None] = ContextVar("epsilens_engine", default=None)


def engine_in_use() -> Engine:
    """The engine that somebody chose for what is read now; one without any wishes where nobody did."""
    return _used.get() or Engine()


@contextmanager
def using(engine: Engine | str | None) -> Iterator[None]:
    """As :meth:`Engine.used`; None leaves the engine that is in use."""
    chosen = Engine.of(engine)
    if chosen is None:
        yield
        return
    with chosen.used():
        yield


def engine_from(given: dict[str, Any]) -> Engine | None:
    """The engine that parameters describe, taken out of them; None where they say nothing of one."""
    values = {name: given.pop(name, None) for name in ("engine", "memory_limit", "threads", "spark_master")}
    if all(value is None for value in values.values()):
        return None
    return Engine(values.pop("engine"), **values)


def overruled(before: Mapping[str, Any], given: Mapping[str, Any]) -> set[str]:
    """The parameters of an engine, said ``before``, that do not belong to what is ``given`` now.

    Another engine is not where Spark was, another Spark has threads of its own, and a database reads itself.
    """
    found: set[str] = set()
    if given.get("engine", before.get("engine")) != before.get("engine"):
        found.add("spark_master")
    if (master := given.get("spark_master")) is not None:
        found |= {"threads"} if str(master).strip().startswith("local") else {"threads", "memory_limit"}
    elif given.get("threads") is not None:
        found.add("spark_master")
    scheme, is_address, _ = str(given.get("source", "")).partition("://")
    if is_address and scheme.lower() != "spark":
        found |= {"engine", "spark_master"}
        if scheme.lower() not in ("duckdb", "sqlite"):
            found |= {"memory_limit", "threads"}
    return found - given.keys()
