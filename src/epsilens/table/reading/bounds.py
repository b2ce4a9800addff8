"""The bound on a person's rows, applied to groups of rows that are alike.

Most people have no more rows than are counted of each: their groups stay as they are. Only of the others each row is
written out and gets its random place (``levels.ranked``), which takes a hash of everything it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from epsilens.table.reading import levels
from epsilens.table.reading.grouped import Groups
from epsilens.table.reading.relations import with_levels
from epsilens.table.reading.scans import Scan, regrouped
from epsilens.table.reading.scratch import Scratch, materialised


def bounded_groups(groups: Groups, scan: Scan, apart: Sequence[str] = ()) -> tuple[Any, Scratch | None]:
    """``groups`` of rows by ``unit`` and key as groups by key, with the ``people`` that are counted.

    And with how many rows are nobody's (``absent``), and how many people have more rows than are counted
    (``crowded``). Rows that differ in a column of ``apart`` are chosen apart from each other.
    """
    import ibis

    keyed, keys, bound = groups.keyed, list(groups.keys), scan.schema.max_rows_per_unit
    whose = ["unit", *apart]
    named = keyed.filter(keyed.unit.notnull())
    sizes = named.group_by(whose).aggregate(total=named.rows.sum())
    crowds, scratch = materialised(sizes.filter(sizes.total > bound).select(whose), as_they_are=whose)
    zero = ibis.literal(0, "int64")
    few = keyed if scratch is not None and not scratch.rows else keyed.anti_join(crowds, whose)
    nobodys = few.unit.isnull()
    counted = few.select(
        *keys, *apart, rows=few.rows, people=nobodys.ifelse(zero, few.rows), absent=nobodys.ifelse(few.rows, zero),
        crowded=zero,
    )  # fmt: skip
    if scratch is None or scratch.rows:
        counted = counted.union(_chosen(keyed.semi_join(crowds, whose), groups, scan, apart))
    found = materialised(regrouped(counted, [*keys, *apart]), as_they_are=keys)
    if scratch is not None:
        scratch.drop()
    return found


def _chosen(many: Any, groups: Groups, scan: Scan, apart: Sequence[str]) -> Any:
    """The rows of people who have too many, one by one."""
    import ibis

    keys, booked = groups.keys, groups.books
    # What is hashed of a level is put together once for each, not for each row.
    parts = {key: replace(book, relation=_with_parts(book.relation)) for key, book in booked.items()}
    raw = {f"raw_{key}": many[key] for key in booked}
    rest = [name for name in (*keys, *apart) if name not in booked]
    texts = with_levels(many.mutate(**raw), parts, [*rest, *raw, "unit", "rows"], "part") if raw else many
    rows = texts.mutate(unit=texts.unit.cast("string"), row_copy=ibis.range(0, texts.rows).unnest())
    contents = [rows[key] if key in booked else levels.part_of_row(rows[key]) for key in keys]
    rows = levels.ranked(rows, "unit", contents, str(scan.row_salt), apart)
    own = {key: rows[f"raw_{key}"] if key in booked else rows[key] for key in keys}
    bound = scan.schema.max_rows_per_unit
    return rows.select(
        **own,
        **{name: rows[name] for name in apart},
        rows=ibis.literal(1, "int64"),
        people=(rows.row_rank < bound).cast("int64"),
        absent=ibis.literal(0, "int64"),
        crowded=(rows.row_rank == bound).cast("int64"),
    )


def _with_parts(book: Any) -> Any:
    return book.mutate(part=levels.part_of_row(book.level))
