"""Cells at once on engines that are elsewhere: PostgreSQL and Spark, which take longer to be asked than to answer.

As in ``wide.py`` labels are looked up first, and one grouping counts each of them in every cell. What is different is
how often is asked, and what it costs to ask once more: labels come here, where their levels are made; whether keys of a
quasi-identifier share a level is asked of all of them together, while the counts are added up to see that no row was
left out; and where they do not, nobody makes a codebook.
"""

from __future__ import annotations

import operator
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

from epsilens.table.reading.codebooks import Codebook, codebook
from epsilens.table.reading.embedded import embedded_engine
from epsilens.table.reading.grouped import Cells
from epsilens.table.reading.keys import Key, alone_of, keys_beside
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.relations import duckdb_relation
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.scratch import is_stored, materialised
from epsilens.table.reading.wide import MOST_LABELS

Labels: TypeAlias = Mapping[tuple[str, ...], Sequence[Mapping[str, Any]]]


def cells_asked_for(scan: Scan) -> Cells | None:
    """The cells of one scan; nothing where they are better counted in another way."""
    source = scan.source
    raw = source.relation.select(
        **{internal: key.scanned(source.column(key.name)) for internal, key in scan.keys.items()}
    )
    sensitive = {internal: key for internal, key in scan.keys.items() if internal.startswith("s")}
    keys = {internal: key for internal, key in scan.keys.items() if internal not in sensitive}
    if not _suits(scan, [raw[name].type() for name in sensitive]) or not is_stored(raw):
        return None
    if (labels := _labels(raw, list(sensitive))) is None:
        return None
    books = {internal: codebook(labels, internal, key) for internal, key in sensitive.items()}
    written = _written(labels, sensitive)
    cells, kept = materialised(_cells(raw, list(keys), written), as_they_are=list(keys))
    if kept is None:
        return _unkept(raw, keys, written, books)
    counts = [f"c{k}" for k in range(len(written))]
    sums = {name: cells[name].sum() for name in ("rows", *counts)}
    facts = one_row(cells.aggregate(**sums, **keys_beside(cells, keys)))
    people = [facts[name] for name in counts]
    if facts["rows"] != sum(people) or not all(people):
        return None  # the source has changed since its labels were looked up
    totals = dict(zip(written, people, strict=True))
    return Cells(cells, kept, tuple(written), books, totals, alone_of(facts, keys))


def _unkept(raw: Any, keys: Mapping[str, Key], written: Labels, books: dict[str, Codebook]) -> Cells:
    """Cells that are counted whenever somebody asks for them; facts are asked of rows, which need not be grouped."""
    alone = alone_of(one_row(raw.aggregate(**keys_beside(raw, keys))), keys)
    rows = raw.mutate(**{name: key.level(raw[name]) for name, key in keys.items() if name not in alone})
    cells = _cells(rows, list(keys), written)
    return Cells(cells, None, tuple(written), books, alone=alone, asked=rows.mutate(rows=1))


def _cells(rows: Any, keys: Sequence[str], written: Labels) -> Any:
    """Rows by cell: how many there are, and how many have each label."""
    counts = {}
    for k, ways in enumerate(written.values()):
        has = [reduce(operator.and_, [_is(rows[name], value) for name, value in way.items()]) for way in ways]
        # Spark adds up whether a row has a label, which nobody knows of a cell where all labels are missing.
        counts[f"c{k}"] = rows.count(where=reduce(operator.or_, has)).fill_null(0)
    return rows.group_by(list(keys)).aggregate(rows=rows.count(), **counts)


def _suits(scan: Scan, types_of_labels: Sequence[Any]) -> bool:
    """Whether each row is one person, who has a label that can be told from others in so many words."""
    schema = scan.schema
    plain = not (scan.lenient or schema.unit or scan.count or scan.survey_weight)
    if not plain or schema.impossible or schema.dropped_gaps or not schema.sensitive_columns:
        return False
    return all(dtype.is_string() or dtype.is_boolean() or dtype.is_integer() for dtype in types_of_labels)


def _labels(raw: Any, sensitive: Sequence[str]) -> Any:
    """The raw labels, as a relation here, with the ``rows`` that have each; nothing where there are too many."""
    found = raw.group_by(list(sensitive)).aggregate(rows=raw.count()).limit(MOST_LABELS + 1).to_pyarrow()
    if not 0 < found.num_rows <= MOST_LABELS:
        return None
    engine = embedded_engine()
    engine.con.register("epsilens_labels", found)
    return duckdb_relation(engine, "epsilens_labels", arrow_schema=found.schema)


def _written(labels: Any, sensitive: Mapping[str, Key]) -> Labels:
    """The labels, each as the levels of its parts, with the raw values that it is written as."""
    levels = {f"{internal}_level": key.level(labels[internal]) for internal, key in sensitive.items()}
    found: dict[tuple[str, ...], list[dict[str, Any]]] = {}
    for row in labels.mutate(**levels).to_pyarrow().to_pylist():
        found.setdefault(tuple(row[name] for name in levels), []).append({name: row[name] for name in sensitive})
    return found


def _is(column: Any, value: object) -> Any:
    import ibis

    return column.isnull() if value is None else column == ibis.literal(value, column.type())
