"""Cells at once on engines that are elsewhere: PostgreSQL and Spark, which take longer to be asked than to answer.

As in ``wide.py`` labels are looked up first, and one grouping counts each of them in every cell. What is different is
how often is asked, and what it costs to ask once more: labels come here, where their levels are made; whether keys of a
quasi-identifier share a level is asked of all of them together, while the counts are added up to see that no row was
left out; and where they do not, nobody makes a codebook.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from functools import reduce
from typing import Any

from epsilens.table.reading.codebooks import codebook
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.grouped import Cells
from epsilens.table.reading.keys import alone_of, keys_beside
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.scratch import is_stored, materialised
from epsilens.table.reading.wide import MOST_LABELS


def cells_asked_for(scan: Scan) -> Cells | None:
    """The cells of one scan; nothing where they are better counted in another way."""
    if not _suits(scan):
        return None
    source = scan.source
    raw = source.relation.select(
        **{internal: key.scanned(source.column(key.name)) for internal, key in scan.keys.items()}
    )
    sensitive = {internal: key for internal, key in scan.keys.items() if internal.startswith("s")}
    keys = {internal: key for internal, key in scan.keys.items() if internal not in sensitive}
    if (labels := _labels(raw, list(sensitive))) is None:
        return None
    named = labels.mutate(**{f"{internal}_level": key.level(labels[internal]) for internal, key in sensitive.items()})
    conditions: dict[tuple[str, ...], list[Any]] = {}
    for row in named.to_pyarrow().to_pylist():
        same = [_is(raw[internal], row[internal]) for internal in sensitive]
        level = tuple(row[f"{internal}_level"] for internal in sensitive)
        conditions.setdefault(level, []).append(reduce(operator.and_, same))
    # Spark adds up whether a row has a label, which nobody knows of a cell where all labels are missing.
    counts = {f"c{k}": raw.count(where=reduce(operator.or_, c)).fill_null(0) for k, c in enumerate(conditions.values())}
    cells, kept = materialised(raw.group_by(list(keys)).aggregate(rows=raw.count(), **counts), as_they_are=list(keys))
    if kept is None:
        return None
    sums = {name: cells[name].sum() for name in ("rows", *counts)}
    facts = one_row(cells.aggregate(**sums, **keys_beside(cells, keys)))
    people = [facts[name] for name in counts]
    if facts["rows"] != sum(people) or not all(people):
        return None  # the source has changed since its labels were looked up
    books = {internal: codebook(labels, internal, key) for internal, key in sensitive.items()}
    return Cells(cells, kept, tuple(conditions), books, alone_of(facts, keys))


def _suits(scan: Scan) -> bool:
    """Whether each row is one person, and finding the labels costs little."""
    source, schema = scan.source, scan.schema
    plain = not (scan.lenient or schema.unit or scan.count or scan.survey_weight)
    if not plain or schema.impossible or schema.dropped_gaps or not schema.sensitive_columns:
        return False
    # of all columns in their order, so that the first one that cannot be counted is refused
    types = {name: key.scanned(source.column(key.name)).type() for name, key in scan.keys.items()}
    sensitive = [dtype for name, dtype in types.items() if name.startswith("s")]
    if not all(dtype.is_string() or dtype.is_boolean() or dtype.is_integer() for dtype in sensitive):
        return False
    return is_stored(source.relation)


def _labels(raw: Any, sensitive: Sequence[str]) -> Any:
    """The raw labels, as a relation here, with the ``rows`` that have each; nothing where there are too many."""
    found = raw.group_by(list(sensitive)).aggregate(rows=raw.count()).limit(MOST_LABELS + 1).to_pyarrow()
    if not 0 < found.num_rows <= MOST_LABELS:
        return None
    engine = embedded_engine()
    engine.con.register("epsilens_labels", found)
    return duckdb_relation(engine, "epsilens_labels", arrow_schema=found.schema)


def _is(column: Any, value: object) -> Any:
    import ibis

    return column.isnull() if value is None else column == ibis.literal(value, column.type())
