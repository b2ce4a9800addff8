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
from epsilens.table.reading.grouped import Cells
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.scratch import fetched, materialised

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
    if (
        one_row(raw.select(*sensitive).limit(MANY_ROWS // 10).distinct().aggregate(n=lambda t: t.count()))["n"]
        > MOST_LABELS
    ):
        return None
    found, scratch = materialised(
        raw.group_by(list(sensitive)).aggregate(rows=raw.count()), as_they_are=list(sensitive)
    )
    assert scratch is not None
    if not 0 < scratch.rows <= MOST_LABELS:
        return None
    named = found.mutate(**{f"{internal}_level": key.level(found[internal]) for internal, key in sensitive.items()})
    conditions: dict[tuple[str, ...], list[Any]] = {}
    for row in fetched(named).to_pylist():
        same = [_is(raw[internal], row[internal]) for internal in sensitive]
        level = tuple(row[f"{internal}_level"] for internal in sensitive)
        conditions.setdefault(level, []).append(reduce(operator.and_, same))
    counts = {f"c{k}": raw.count(where=reduce(operator.or_, c)) for k, c in enumerate(conditions.values())}
    keys = [internal for internal in scan.keys if internal not in sensitive]
    cells, kept = materialised(raw.group_by(keys).aggregate(rows=raw.count(), **counts), as_they_are=keys)
    assert kept is not None
    facts = one_row(cells.aggregate(rows=cells.rows.sum(), **{name: cells[name].sum() for name in counts}))
    if facts.pop("rows") != sum(facts.values()) or not all(facts.values()):
        return None  # the source has changed since its labels were looked up
    books = {internal: codebook(found, internal, key) for internal, key in sensitive.items()}
    return Cells(cells, kept, tuple(conditions), books)


def _suits(scan: Scan) -> bool:
    """Whether each row is one person, and finding the labels costs little."""
    source, schema = scan.source, scan.schema
    plain = not (scan.lenient or schema.unit or scan.count or scan.survey_weight)
    if not plain or schema.impossible or schema.dropped_gaps or not schema.sensitive_columns or not source.by_columns:
        return False
    # of all columns in their order, so that the first one that cannot be counted is refused
    types = {name: key.scanned(source.column(key.name)).type() for name, key in scan.keys.items()}
    sensitive = [dtype for name, dtype in types.items() if name.startswith("s")]
    if not all(dtype.is_string() or dtype.is_boolean() or dtype.is_integer() for dtype in sensitive):
        return False
    return int(source.relation.limit(MANY_ROWS).count().to_pyarrow().as_py()) >= MANY_ROWS


def _is(column: Any, value: object) -> Any:
    import ibis

    return column.isnull() if value is None else column == ibis.literal(value, column.type())
