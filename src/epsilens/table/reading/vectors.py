"""From people by cell and label to one row per cell with a count column per label."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any

from epsilens.table.reading.store import Scratch, materialised

PIVOT_FROM = 20
"""With more labels than this DuckDB pivots: 300 filtered sums take it longer than a pivot of 5,000 labels."""


def count_vectors(peopled: Any, n_qids: int, values: Sequence[tuple[str, ...]]) -> tuple[Any, Scratch | None]:
    """Cells ``q<i>`` with the count ``c<k>`` of each label, whose sensitive values are ``values[k]``.

    ``peopled`` has columns ``q<i>``, ``s<j>`` and ``people``, and no group without people: these make no cells.
    """
    keys = [f"q{i}" for i in range(n_qids)]
    if len(values) > PIVOT_FROM and peopled.get_backend().name == "duckdb":
        scratch = _pivoted(peopled, keys, values)
        return scratch.relation, scratch
    return materialised(_filtered_sums(peopled, keys, values), as_they_are=keys)


def _filtered_sums(peopled: Any, keys: Sequence[str], values: Sequence[tuple[str, ...]]) -> Any:
    """A filtered sum per label: what every engine can do."""
    sums = {}
    for k, parts in enumerate(values):
        same = peopled.s0 == parts[0]
        for j, part in enumerate(parts[1:], start=1):
            same &= peopled[f"s{j}"] == part
        sums[f"c{k}"] = peopled.people.sum(where=same).fill_null(0)
    return peopled.group_by(list(keys)).aggregate(**sums)


def _pivoted(peopled: Any, keys: Sequence[str], values: Sequence[tuple[str, ...]]) -> Scratch:
    """DuckDB's own pivot, by codes ``c<k>`` because values as column names would clash where only case differs."""
    import ibis
    import pyarrow as pa

    backend = peopled.get_backend()
    sensitive = [f"s{j}" for j in range(len(values[0]))]
    codes = [f"c{k}" for k in range(len(values))]
    columns = {name: pa.array([parts[j] for parts in values], pa.string()) for j, name in enumerate(sensitive)}
    book = f"epsilens_{uuid.uuid4().hex}"
    listed, quoted = ", ".join(keys), ", ".join(f"'{code}'" for code in codes)
    counts = ", ".join(f"COALESCE({code}, 0) AS {code}" for code in codes)
    query = (
        f"SELECT {listed}, {counts} FROM (PIVOT (SELECT {listed}, code, people FROM ({backend.compile(peopled)}) "
        f'JOIN "{book}" USING ({", ".join(sensitive)})) ON code IN ({quoted}) USING sum(people) GROUP BY {listed})'
    )
    schema = ibis.schema({**{key: peopled.schema()[key] for key in keys}, **dict.fromkeys(codes, "int64")})
    backend.con.register(book, pa.table({**columns, "code": codes}))
    try:
        return Scratch(backend, query, schema, as_they_are=keys)
    finally:
        backend.con.unregister(book)
