"""Cells at once: where few values are sensitive, one scan counts each of them in every cell.

Groups of people by cell and label are several times as many as cells, and counting them first costs as much again as
the scan. So where a source tells its labels for little (a file by columns), these are looked up first, and the scan
groups by cell alone, with a filtered count per label. That every row had one of the labels is checked: what is counted
comes from one reading of the source, whatever happens to it in between.
"""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from epsilens.table.reading.codebooks import codebook
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.grouped import Cells
from epsilens.table.reading.keys import alone_of, keys_beside
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.scratch import Scratch, fetched, is_stored, materialised

MOST_LABELS = 20
"""With more, filtered counts cost more than they save."""
MANY_ROWS = 500_000
"""Fewer are grouped sooner than their labels are looked up."""


def cells_at_once(scan: Scan) -> Cells | None:
    """The cells of one scan; nothing where they are better counted in another way."""
    if not _suits(scan):
        return None
    sensitive = {internal: key for internal, key in scan.keys.items() if internal.startswith("s")}
    source = scan.source
    raw = source.relation.select(
        **{internal: key.scanned(source.column(key.name)) for internal, key in scan.keys.items()}
    )
    looked_up = (_labels if source.engine == "duckdb" else _labels_here)(raw, list(sensitive))
    if looked_up is None:
        return None
    found, _scratch = looked_up  # which is kept for as long as it is asked
    named = found.mutate(**{f"{internal}_level": key.level(found[internal]) for internal, key in sensitive.items()})
    conditions: dict[tuple[str, ...], list[Any]] = {}
    for row in fetched(named).to_pylist():
        same = [_is(raw[internal], row[internal]) for internal in sensitive]
        level = tuple(row[f"{internal}_level"] for internal in sensitive)
        conditions.setdefault(level, []).append(reduce(operator.and_, same))
    counts = {f"c{k}": raw.count(where=reduce(operator.or_, c)) for k, c in enumerate(conditions.values())}
    keys = {internal: key for internal, key in scan.keys.items() if internal not in sensitive}
    cells, kept = materialised(raw.group_by(list(keys)).aggregate(rows=raw.count(), **counts), as_they_are=list(keys))
    if kept is None:
        return None
    beside = {} if source.engine == "duckdb" else keys_beside(cells, keys)
    facts = one_row(cells.aggregate(rows=cells.rows.sum(), **{name: cells[name].sum() for name in counts}, **beside))
    numbers = [facts[name] for name in counts]
    if facts["rows"] != sum(numbers) or not all(numbers):
        return None  # the source has changed since its labels were looked up
    books = {internal: codebook(found, internal, key) for internal, key in sensitive.items()}
    return Cells(cells, kept, tuple(conditions), books, alone_of(facts, keys))


def _labels(raw: Any, sensitive: list[str]) -> tuple[Any, Scratch | None] | None:
    """The raw labels with the ``rows`` that have each, as a relation; nothing where there are too many, or none."""
    few = raw.select(*sensitive).limit(MANY_ROWS // 10).distinct()
    if one_row(few.aggregate(n=few.count()))["n"] > MOST_LABELS:
        return None
    found, scratch = materialised(raw.group_by(sensitive).aggregate(rows=raw.count()), as_they_are=sensitive)
    assert scratch is not None
    return (found, scratch) if 0 < scratch.rows <= MOST_LABELS else None


def _labels_here(raw: Any, sensitive: list[str]) -> tuple[Any, Scratch | None] | None:
    """The same of an engine that takes longer to be asked than to answer: asked once, and the answer kept here."""
    found = fetched(raw.group_by(sensitive).aggregate(rows=raw.count()).limit(MOST_LABELS + 1))
    if not 0 < found.num_rows <= MOST_LABELS:
        return None
    engine = embedded_engine()
    engine.con.register("epsilens_labels", found)
    return duckdb_relation(engine, "epsilens_labels", arrow_schema=found.schema), None


def _suits(scan: Scan) -> bool:
    """Whether each row is one person, and finding the labels costs little."""
    source, schema = scan.source, scan.schema
    plain = not (scan.lenient or schema.unit or scan.count or scan.survey_weight)
    if not plain or schema.impossible or schema.dropped_gaps or not schema.sensitive_columns:
        return False
    if not (source.by_columns if source.engine == "duckdb" else is_stored(source.relation)):
        return False
    # of all columns in their order, so that the first one that cannot be counted is refused
    types = {name: key.scanned(source.column(key.name)).type() for name, key in scan.keys.items()}
    sensitive = [dtype for name, dtype in types.items() if name.startswith("s")]
    if not all(dtype.is_string() or dtype.is_boolean() or dtype.is_integer() for dtype in sensitive):
        return False
    if source.engine != "duckdb":
        return True
    return int(source.relation.limit(MANY_ROWS).count().to_pyarrow().as_py()) >= MANY_ROWS


def _is(column: Any, value: object) -> Any:
    import ibis

    return column.isnull() if value is None else column == ibis.literal(value, column.type())
