"""What an engine keeps: whole numbers in 64 bits, compiled once for one form, gone when nobody refers to it."""

from __future__ import annotations

import gc
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from epsilens.table.reading import scratch
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.relations import duckdb_relation

ROWS = pa.table({"q": ["b", "a", "b", "c"], "n": pa.array([2**40, 1, 2**40, 3], pa.int64())})


@pytest.fixture
def people() -> Any:
    engine = embedded_engine()
    engine.con.register("scratch_people", ROWS)
    return duckdb_relation(engine, "scratch_people", arrow_schema=ROWS.schema)


def kept_for(people: Any) -> set[str]:
    found = people.get_backend().con.execute("SELECT table_name FROM duckdb_tables()").fetchall()
    return {name for (name,) in found if name.startswith("epsilens_")}


def summed(people: Any) -> Any:
    return people.group_by("q").aggregate(n=people.n.sum())


def test_a_result_is_kept_in_64_bits_for_as_long_as_somebody_refers_to_it(people: Any) -> None:
    before = kept_for(people)
    relation, kept = scratch.materialised(summed(people), as_they_are=["q"])
    assert kept is not None
    assert kept.rows == 3
    assert kept_for(people) - before == {kept.name}
    whole = kept.fetched()
    assert whole.schema.field("n").type == pa.int64()  # DuckDB adds up in 128 bits
    assert sorted(whole.to_pylist(), key=lambda row: row["q"]) == [
        {"q": "a", "n": 1}, {"q": "b", "n": 2**41}, {"q": "c", "n": 3},
    ]  # fmt: skip
    assert scratch.fetched(relation).num_rows == 3
    del relation, whole, kept
    gc.collect()
    assert kept_for(people) == before


def test_what_is_dropped_goes_at_once(people: Any) -> None:
    before = kept_for(people)
    _, kept = scratch.materialised(summed(people))
    assert kept is not None
    kept.drop()
    assert kept_for(people) == before


def test_who_interrupts_while_a_table_is_dropped_is_heard(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted:
        def execute(self, query: str) -> None:
            raise duckdb.InterruptException("Interrupted!")  # what DuckDB makes of Ctrl-C

    _, kept = scratch.materialised(summed(people))
    assert kept is not None
    monkeypatch.setattr(people.get_backend(), "con", Interrupted())
    with pytest.raises(KeyboardInterrupt):
        kept.drop()


def test_a_view_is_staged_and_not_counted(people: Any) -> None:
    relation, view = scratch.staged(summed(people))
    assert view is not None
    assert view.rows == 0
    assert scratch.fetched(relation).num_rows == 3
    assert view.name not in kept_for(people)


def test_one_form_is_compiled_once_whatever_its_table_is_called(people: Any) -> None:
    built: list[str] = []
    found = []
    for smallest in ("a", "b"):
        _, kept = scratch.materialised(people.filter(people.q >= smallest))
        assert kept is not None

        def build(kept: scratch.Scratch = kept) -> Any:
            built.append(kept.name)
            return kept.relation.aggregate(n=kept.relation.n.sum(), rows=kept.relation.count())

        again, _ = scratch.materialised_again(("a form of this test", 1), kept.relation.get_backend(), build, of=kept)
        found.append(scratch.fetched(again).to_pylist()[0])
        assert scratch.first_row_again(("a form of this test", 2), kept, build) == found[-1]
    assert found == [{"n": 2**41 + 4, "rows": 4}, {"n": 2**41 + 3, "rows": 3}]
    assert len(built) == 2  # once for either form, not once for either table


def test_compiled_queries_do_not_pile_up(people: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scratch, "MOST_QUERIES", 3)
    monkeypatch.setattr(scratch, "_queries", {})
    engine = people.get_backend()
    for number in range(8):
        scratch.materialised_again(("piled", number), engine, lambda: summed(people))
        assert 0 < len(scratch._queries) <= 3
    scratch.materialised_again(None, engine, lambda: summed(people))
    assert ("piled", 7) in scratch._queries
    assert None not in scratch._queries


def test_duckdb_keeps_and_a_table_of_it_is_not_asked_before_it_is_grouped(people: Any) -> None:
    assert scratch.keeps(people.get_backend())
    assert not scratch.is_stored(people)  # that is a question to servers
