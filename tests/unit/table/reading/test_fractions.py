from __future__ import annotations

import pyarrow as pa

from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.fractions import fraction_text
from epsilens.table.reading.relations import duckdb_relation
from tests.support.engines import FRACTIONS


def test_fractions_are_written_as_python_writes_them() -> None:
    engine = embedded_engine()
    numbers = pa.table({"x": pa.array(FRACTIONS, pa.float64())})
    engine.con.register("numbers", numbers)
    relation = duckdb_relation(engine, "numbers", arrow_schema=numbers.schema)
    written = relation.select(text=fraction_text(relation.x)).to_pyarrow().column("text").to_pylist()
    assert written == [repr(number) for number in FRACTIONS]
