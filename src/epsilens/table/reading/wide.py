"""Cells at once: where few values are sensitive, one scan counts each of them in every cell.

Groups of people by cell and label are several times as many as cells, and counting them first costs as much again as
the scan. So where there are many rows in many cells, the labels are looked up first, and the scan groups by cell alone,
with a filtered count per label. Where people are in few cells, there are few groups, and counting these is the faster.

A source that is read by columns tells all of its labels for little, and how many rows have each, which must agree with
what is counted. Of another one (CSV) the labels are those of the first rows, and rows with further ones are counted by
themselves. So every row is counted, whatever happens to a source in between.
"""

from __future__ import annotations

import operator
from collections.abc import Collection, Mapping, Sequence
from functools import reduce
from typing import Any, TypeAlias

from epsilens.table.reading.grouped import Cells, Label
from epsilens.table.reading.problems import one_row
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.scratch import materialised

MOST_LABELS = 20
"""With more, filtered counts cost more than they save."""
MANY_ROWS = 500_000
"""Fewer are grouped sooner than their labels are looked up."""
SAMPLE_ROWS = 50_000
"""So many of the first rows tell what to expect."""
FEW_IN_SAMPLE = 10_000
"""Where these have no more different cells and labels, groups are few, and counted faster than cells."""

Written: TypeAlias = Mapping[str, Any]
"""How a label stands in rows: the raw value of each sensitive column."""
Labels: TypeAlias = Mapping[Label, Sequence[Written]]


def cells_at_once(scan: Scan) -> Cells | None:
    """The cells of one scan; nothing where they are better counted in another way."""
    if not _suits(scan):
        return None
    rows = scan.raw()
    labels, groups = _looked_up(rows.limit(SAMPLE_ROWS).distinct(), scan)
    if sum(groups.values()) <= FEW_IN_SAMPLE or not _are_few(labels):
        return None
    expected: Mapping[Label, int] = {}
    if scan.source.by_columns:
        labels, expected = _looked_up(rows, scan)
    if not _are_few(labels) or len(labels) < 2:  # a single one is not all: rows are sorted
        return None
    keys = [name for name in scan.keys if name not in scan.labels]
    counts = {f"c{k}": rows.count(where=_is_any(rows, written)) for k, written in enumerate(labels.values())}
    counted = rows.group_by(keys).aggregate(**counts, **({} if expected else {"rows": rows.count()}))
    found, kept = materialised(_with_rows(counted, counts) if expected else counted, as_they_are=keys)
    assert kept is not None
    cells = Cells.of(found, kept, tuple(labels), scan.labels)
    if expected:  # unless the source has changed since its labels were looked up
        return cells if cells.totals == expected else None
    every_row = one_row(found.aggregate(rows=found.rows.sum()))["rows"]
    if every_row == sum(cells.totals.values()):
        return cells
    whole = _with_further_labels(cells, labels, rows, scan)
    return whole if whole is not None and every_row == sum(whole.totals.values()) else None


def _suits(scan: Scan) -> bool:
    """Whether each row is one person, and finding the labels costs little."""
    source, schema = scan.source, scan.schema
    plain = not (scan.lenient or schema.unit or scan.count or scan.survey_weight)
    if not plain or schema.impossible or schema.dropped_gaps or not schema.sensitive_columns:
        return False
    if source.has_rows is None or not source.has_rows(MANY_ROWS):
        return False
    # of all columns in their order, so that the first one that cannot be counted is refused
    types = {name: key.scanned(source.column(key.name)).type() for name, key in scan.keys.items()}
    return all(types[name].is_string() or types[name].is_boolean() or types[name].is_integer() for name in scan.labels)


def _looked_up(rows: Any, scan: Scan) -> tuple[dict[Label, list[Written]], dict[Label, int]]:
    """The labels of some rows, of more than are few only some, and how many of the rows have each."""
    by_key = rows.group_by(scan.labels).aggregate(rows=rows.count())
    levels = {f"{name}_level": scan.keys[name].level(by_key[name]) for name in scan.labels}
    labels: dict[Label, list[Written]] = {}
    numbers: dict[Label, int] = {}
    for row in by_key.mutate(**levels).limit(MOST_LABELS + 1).to_pyarrow().to_pylist():
        label = tuple(row[name] for name in levels)
        labels.setdefault(label, []).append({name: row[name] for name in scan.labels})
        numbers[label] = numbers.get(label, 0) + int(row["rows"])
    return labels, numbers


def _are_few(labels: Labels) -> bool:
    return 0 < sum(map(len, labels.values())) <= MOST_LABELS


def _with_further_labels(cells: Cells, labels: Labels, rows: Any, scan: Scan) -> Cells | None:
    """The cells with the rows of further labels, or of known ones that are written otherwise; nothing if many are."""
    import ibis

    keys = [name for name in scan.keys if name not in scan.labels]
    known = [written for some in labels.values() for written in some]
    others = rows.filter(~_is_any(rows, known).fill_null(False))
    rest, scratch = materialised(others.group_by(list(scan.keys)).aggregate(rows=others.count()), tuple(scan.keys))
    assert scratch is not None
    found, _ = _looked_up(rest, scan)
    whole = {label: [*labels.get(label, ()), *found.get(label, ())] for label in (*labels, *found)}
    if not _are_few(whole):
        return None
    nobody = ibis.literal(0, "int64")
    counts, further = {}, {}
    for k, label in enumerate(whole):
        counts[f"c{k}"] = cells.relation[f"c{k}"] if label in labels else nobody
        some = rest.rows.sum(where=_is_any(rest, found[label])).fill_null(0) if label in found else nobody
        further[f"c{k}"] = some
    both = cells.relation.select(*keys, **counts).union(rest.group_by(keys).aggregate(**further))
    merged = both.group_by(keys).aggregate(**{name: both[name].sum() for name in counts})
    relation, kept = materialised(_with_rows(merged, counts), as_they_are=keys)
    assert kept is not None
    scratch.drop()
    if cells.scratch is not None:
        cells.scratch.drop()
    return Cells.of(relation, kept, tuple(whole), scan.labels)


def _with_rows(cells: Any, counts: Collection[str]) -> Any:
    return cells.mutate(rows=reduce(operator.add, [cells[name] for name in counts]).cast("int64"))


def _is_any(rows: Any, labels: Sequence[Written]) -> Any:
    """Whether rows have one of the labels, so written."""
    each = [reduce(operator.and_, [_is(rows[name], value) for name, value in one.items()]) for one in labels]
    return reduce(operator.or_, each)


def _is(column: Any, value: object) -> Any:
    import ibis

    if value is None:
        return column.isnull()
    return column == ibis.literal(value, column.type())
