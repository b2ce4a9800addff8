"""An engine is checked when it is described, and holds for what is read while it is used."""

from __future__ import annotations

from typing import Any

import pytest

from epsilens.errors import ParameterError
from epsilens.table.engine import Engine, engine_from, engine_in_use, overruled, using


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"name": "sparc"}, r"one of duckdb, spark; got 'sparc'; did you mean 'spark'\?"),
        ({"memory_limit": "lots"}, "must be a size such as 4GB or 512MiB"),
        ({"memory_limit": "4"}, "must be a size"),
        ({"memory_limit": "-4GB"}, "must be a size"),
        ({"memory_limit": "10KB"}, "at least 1MiB"),
        ({"memory_limit": "999999999999TB"}, "at most 1048576TiB"),
        ({"name": "spark", "spark_master": 3}, "must be text"),
        ({"threads": 0}, "must be >= 1"),
        ({"threads": 1.5}, "whole number"),
        ({"threads": 10**6}, "must be <= 4096"),
        ({"spark_master": "local[2]"}, "the engine is not Spark"),
        ({"name": "duckdb", "spark_master": "local[2]"}, "the engine is not Spark"),
        ({"name": "spark", "spark_master": " "}, "is empty"),
        ({"name": "spark", "spark_master": "local[2]", "threads": 2}, "leave one of them out"),
        ({"name": "spark", "spark_master": "yarn", "memory_limit": "4GB"}, "a cluster has limits of its own"),
    ],
)
def test_what_would_be_ignored_is_refused(given: dict[str, Any], says: str) -> None:
    with pytest.raises(ParameterError, match=says):
        Engine(**given)


@pytest.mark.parametrize(
    ("text", "size"), [("4GB", 4 * 10**9), ("512MiB", 2**29), (" 1.5 gib ", 3 * 2**29), ("2TB", 2 * 10**12)]
)
def test_sizes_are_those_of_their_units(text: str, size: int) -> None:
    assert Engine(memory_limit=text).memory_bytes == size


def test_nobody_is_in_use_until_somebody_is() -> None:
    assert engine_in_use() == Engine()
    with using("spark"):
        assert engine_in_use().is_spark
        with using(None):
            assert engine_in_use().is_spark
        with Engine("duckdb", threads=1).used():
            assert engine_in_use() == Engine("duckdb", threads=1)
        assert engine_in_use().is_spark
    assert engine_in_use() == Engine()


def test_an_engine_is_taken_out_of_parameters() -> None:
    given = {"source": "a.csv", "engine": "spark", "threads": 2, "memory_limit": None, "spark_master": None}
    assert engine_from(given) == Engine("spark", threads=2)
    assert given == {"source": "a.csv"}
    assert engine_from({"source": "a.csv"}) is None


def test_only_names_and_engines_are_engines() -> None:
    assert Engine.of(None) is None
    assert Engine.of("duckdb") == Engine("duckdb")
    with pytest.raises(ParameterError, match="must be the name of an engine"):
        Engine.of(3)  # type: ignore[arg-type]


def test_a_cluster_is_not_on_this_machine() -> None:
    assert Engine("spark").is_local
    assert Engine("spark", spark_master="local-cluster[2,1,1024]").is_local
    assert not Engine("spark", spark_master="spark://host:7077").is_local


LOCAL = {"engine": "spark", "spark_master": "local[2]", "memory_limit": "4GB"}
THREADS = {"engine": "spark", "threads": 2, "memory_limit": "4GB"}


@pytest.mark.parametrize(
    ("before", "given", "dropped"),
    [
        (LOCAL, {}, set()),
        (LOCAL, {"engine": "spark"}, set()),
        (LOCAL, {"engine": "duckdb"}, {"spark_master"}),
        (LOCAL, {"threads": "3"}, {"spark_master"}),
        (THREADS, {"spark_master": "local[1]"}, {"threads"}),
        (THREADS, {"spark_master": "yarn"}, {"threads", "memory_limit"}),
        (
            THREADS,
            {"spark_master": "yarn", "threads": "3"},
            {"memory_limit"},
        ),  # both are said: for the engine to refuse
        (LOCAL, {"source": "people.csv"}, set()),
        (LOCAL, {"source": "spark://catalogue"}, set()),
        (LOCAL, {"source": "sqlite://a.db"}, {"engine", "spark_master"}),
        (THREADS, {"source": "postgres://h/d"}, {"engine", "spark_master", "memory_limit", "threads"}),
    ],
)
def test_what_was_said_of_another_engine_does_not_stay(
    before: dict[str, Any], given: dict[str, Any], dropped: set[str]
) -> None:
    assert overruled(before, given) == dropped
