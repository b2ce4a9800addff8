"""The demo population: the same people however they are asked for, plausible, and never half written."""

from __future__ import annotations

import errno
import hashlib
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from epsilens.errors import ParameterError, SourceError
from epsilens.table.demo import population as demo
from epsilens.table.demo.rates import CATEGORIES, GEOGRAPHY
from tests.support.demo import COLUMNS, ROWS, query


def plain(table: pa.Table) -> pa.Table:
    """The table with names in place of codes: two dictionaries may list the same names in another order."""
    numbers = {"person": pa.int64(), "age": pa.int32()}
    return table.cast(pa.schema([(name, numbers.get(name, pa.string())) for name in COLUMNS])).combine_chunks()


# --- the same people, however they are asked for ---


def test_is_the_same_at_every_call() -> None:
    assert plain(demo.population(5_000)) == plain(demo.population(5_000))


def test_is_the_same_in_every_version() -> None:
    # Documents quote numbers of this population. If it must change, then knowingly: this digest, and those numbers.
    digest = hashlib.sha256(repr(plain(demo.population(12_000)).to_pydict()).encode()).hexdigest()
    assert digest[:16] == "2519af166ae8aeca"


def test_another_seed_gives_other_people() -> None:
    ours, theirs = demo.population(5_000, seed=1), demo.population(5_000, seed=2)
    assert ours["person"] == theirs["person"]
    for name in COLUMNS[2:]:
        assert ours[name].to_pylist() != theirs[name].to_pylist(), name


@pytest.mark.parametrize("rows", [1, 2, 37, 9_999, 75_001])
def test_the_first_people_do_not_depend_on_how_many_follow(people: pa.Table, rows: int) -> None:
    assert plain(demo.population(rows)) == plain(people.slice(0, rows))


@pytest.mark.parametrize("batch_rows", [7_919, 40_000, 99_999, 1_000_000])
def test_people_do_not_depend_on_the_batch_size(people: pa.Table, batch_rows: int) -> None:
    rows = 100_000
    parts = list(demo.batches(rows, batch_rows=batch_rows))
    assert [part.num_rows for part in parts[:-1]] == [batch_rows] * (rows // batch_rows - (rows % batch_rows == 0))
    joined = pa.Table.from_batches(parts)
    assert plain(joined) == plain(people.slice(0, rows))


@pytest.mark.parametrize("rows", range(1, 11))
def test_small_sizes(rows: int, tmp_path: Path) -> None:
    assert [part.num_rows for part in demo.batches(rows, batch_rows=1)] == [1] * rows
    table = demo.population(rows)
    assert table["person"].to_pylist() == list(range(rows))
    demo.write_population(tmp_path / "p.parquet", rows)
    assert pq.read_table(tmp_path / "p.parquet").to_pylist() == table.to_pylist()


def test_columns_and_types(people: pa.Table) -> None:
    assert people.column_names == COLUMNS
    assert people.num_rows == ROWS
    assert people["person"].to_numpy().tolist() == list(range(ROWS))
    assert people.schema.field("person").type == pa.int64()
    assert pa.types.is_integer(people.schema.field("age").type)
    for name in (*GEOGRAPHY, *CATEGORIES):
        assert pa.types.is_dictionary(people.schema.field(name).type), name
        assert people.schema.field(name).type.value_type == pa.string(), name
        assert people[name].null_count == 0


def test_a_batch_names_only_places_that_someone_in_it_lives_in() -> None:
    for batch in demo.batches(30_000, batch_rows=7_000):
        for level in GEOGRAPHY:
            column = batch[level]
            assert sorted(column.dictionary.to_pylist()) == sorted(set(column.to_pylist())), level


# --- the file ---


def test_the_file_is_plain_strings_and_integers_to_an_engine(written: Path, people: pa.Table) -> None:
    types = {name: kind for name, kind, *_ in query(written, "SELECT column_name, column_type FROM (DESCRIBE people)")}
    assert types == {
        name: "BIGINT" if name == "person" else "INTEGER" if name == "age" else "VARCHAR" for name in COLUMNS
    }
    assert pq.read_schema(written).field("county").type == pa.string()
    assert plain(pq.read_table(written).slice(0, 50_000)) == plain(people.slice(0, 50_000))


def test_progress_adds_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(demo, "WRITE_ROWS", 1_000)
    seen: list[int] = []
    demo.write_population(tmp_path / "p.parquet", 2_500, progress=seen.append)
    assert seen == [1_000, 1_000, 500]
    assert pq.read_metadata(tmp_path / "p.parquet").num_rows == 2_500
    assert [path.name for path in tmp_path.iterdir()] == ["p.parquet"]


class StopError(Exception):
    """What a caller's progress function might raise."""


@pytest.mark.parametrize("failure", [StopError, KeyboardInterrupt, BrokenPipeError])
@pytest.mark.parametrize("earlier", [None, b"an earlier file"])
def test_a_failure_midway_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, failure: type[BaseException], earlier: bytes | None
) -> None:
    monkeypatch.setattr(demo, "WRITE_ROWS", 1_000)
    target = tmp_path / "p.parquet"
    if earlier is not None:
        target.write_bytes(earlier)
    during: list[int] = []

    def fail_at_the_second(rows: int) -> None:
        during.append(len(list(tmp_path.glob(".*.part"))))
        if len(during) == 2:
            raise failure

    with pytest.raises(failure):
        demo.write_population(target, 5_000, progress=fail_at_the_second)
    assert during == [1, 1]  # there was something to leave behind
    assert [path.read_bytes() for path in tmp_path.iterdir()] == ([] if earlier is None else [earlier])


@pytest.mark.parametrize("method", ["write_batch", "close"])
def test_a_full_disk_is_said_in_words_and_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    calls: list[int] = []
    original = getattr(pq.ParquetWriter, method)

    def full_once(self: Any, *args: Any, **kwargs: Any) -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise OSError(errno.ENOSPC, "No space left on device")
        return original(self, *args, **kwargs)

    monkeypatch.setattr(pq.ParquetWriter, method, full_once)
    with pytest.raises(SourceError, match="No space left"):
        demo.write_population(tmp_path / "p.parquet", 100)
    assert list(tmp_path.iterdir()) == []


# --- refusals ---


@pytest.mark.parametrize("rows", [0, -1, 1_000_000_001, 2.5, 10.0, "10", None, True, float("nan")])
def test_refuses_sizes_that_are_none(rows: Any, tmp_path: Path) -> None:
    for refused in (
        lambda: demo.population(rows),
        lambda: demo.batches(rows),  # at once, not at the first batch
        lambda: demo.write_population(tmp_path / "p.parquet", rows),
    ):
        with pytest.raises(ParameterError, match="rows must be a whole number"):
            refused()
    assert list(tmp_path.iterdir()) == []


def test_takes_any_kind_of_integer() -> None:
    assert demo.population(np.int32(3)).num_rows == 3  # type: ignore[arg-type]
    assert next(demo.batches(demo.MAX_ROWS, batch_rows=10)).num_rows == 10


@pytest.mark.parametrize(("name", "value"), [("seed", -1), ("seed", 0.5), ("batch_rows", 0), ("batch_rows", "many")])
def test_refuses_other_arguments(name: str, value: Any) -> None:
    with pytest.raises(ParameterError, match=f"{name} must be a whole number"):
        demo.batches(10, **{name: value})


def test_refuses_a_folder_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="folder does not exist"):
        demo.write_population(tmp_path / "missing" / "p.parquet", 10)
    (tmp_path / "file").write_text("")
    with pytest.raises(SourceError, match="folder does not exist"):
        demo.write_population(tmp_path / "file" / "p.parquet", 10)


def test_refuses_to_replace_what_is_not_a_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(SourceError, match="not a regular file"):
        demo.write_population(tmp_path / "folder", 10)
    assert [path.name for path in tmp_path.iterdir()] == ["folder"]


def test_refuses_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def denied(*args: Any, **kwargs: Any) -> None:  # not chmod: for root every folder is writable
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(pq, "ParquetWriter", denied)
    with pytest.raises(SourceError, match="Permission denied"):
        demo.write_population(tmp_path / "p.parquet", 10)
    assert list(tmp_path.iterdir()) == []


def test_people_in_csv_are_the_same_as_in_parquet(tmp_path: Path) -> None:
    for name in ("p.csv", "p.parquet", "p.PQ"):
        demo.write_population(tmp_path / name, 1_000, force=False)
    assert plain(csv.read_csv(tmp_path / "p.csv")) == plain(demo.population(1_000))
    assert plain(pq.read_table(tmp_path / "p.PQ")) == plain(demo.population(1_000))
    for name in ("p.txt", "p", "p.csv.gz"):
        with pytest.raises(ParameterError, match=r"path must end in \.csv or \.parquet"):
            demo.write_population(tmp_path / name, 10)
    assert len(list(tmp_path.iterdir())) == 3


def test_a_file_that_exists_stays_unless_it_is_to_be_replaced(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "p.csv"
    target.write_text("mine")
    for late in (False, True):
        if late:  # somebody takes the name while we write
            monkeypatch.setattr("os.path.lexists", lambda _path: False)
        with pytest.raises(SourceError, match=r"p\.csv exists; name another file, or use force to replace it"):
            demo.write_population(target, 10, force=False)
        assert target.read_text() == "mine"
        assert list(tmp_path.iterdir()) == [target]
    demo.write_population(target, 10, force=True)
    assert target.read_text().count("\n") == 11
