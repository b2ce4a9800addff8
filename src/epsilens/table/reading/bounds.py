"""The bound on a person's rows, applied to groups of rows that are alike, in DuckDB.

Most people have no more rows than are counted of each. Only of the others each row is written out and gets its random
place (``levels.digest``), which takes a hash of everything it says; the rows beyond the bound are then taken off.
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

MOST_SMALLEST = 10_000
"""So many of the smallest values are found sooner than a person's rows are sorted; DuckDB gives less than a million."""


def bounded_groups(groups: Groups, scan: Scan, apart: Sequence[str] = ()) -> tuple[Any, Scratch | None]:
    """``groups`` of rows by ``unit`` and key as groups by key, with the ``people`` that are counted.

    And with how many rows are nobody's (``absent``), and how many people have more rows than are counted
    (``crowded``). Rows that differ in a column of ``apart`` are chosen apart from each other.
    """
    import ibis

    keyed, keys, whose = groups.keyed, [*groups.keys, *apart], ["unit", *apart]
    named = keyed.filter(keyed.unit.notnull())
    sizes = named.group_by(whose).aggregate(total=named.rows.sum())
    crowds, several = materialised(
        sizes.filter(sizes.total > scan.schema.max_rows_per_unit).select(whose), as_they_are=whose
    )
    assert several is not None
    zero, nobodys = ibis.literal(0, "int64"), keyed.unit.isnull()
    counted = keyed.select(
        *keys,
        rows=keyed.rows,
        people=nobodys.ifelse(zero, keyed.rows),
        absent=nobodys.ifelse(keyed.rows, zero),
        crowded=zero,
    )
    drawn = None
    if several.rows:
        rows, drawn = materialised(
            _drawn(keyed.semi_join(crowds, whose), groups, scan, apart), as_they_are=(*keys, "unit")
        )
        counted = counted.union(_beyond(rows, whose, scan).select(*keys, "rows", "people", "absent", "crowded"))
    found = materialised(regrouped(counted, keys), as_they_are=keys)
    for scratch in (several, drawn):
        if scratch is not None:
            scratch.drop()
    return found


def _drawn(many: Any, groups: Groups, scan: Scan, apart: Sequence[str]) -> Any:
    """The rows of people who have too many, one by one, with their random places (``digest``)."""
    import ibis

    keys, booked = groups.keys, groups.books
    # What is hashed of a level is put together once for each, not for each row.
    parts = {key: replace(book, relation=_with_parts(book.relation)) for key, book in booked.items()}
    raw = {f"raw_{key}": many[key] for key in booked}
    rest = [name for name in (*keys, *apart) if name not in booked]
    texts = with_levels(many.mutate(**raw), parts, [*rest, *raw, "unit", "rows"], "part") if raw else many
    rows = texts.mutate(row_copy=ibis.range(0, texts.rows).unnest())
    contents = [rows[key] if key in booked else levels.part_of_row(rows[key]) for key in keys]
    own = {key: rows[f"raw_{key}"] if key in booked else rows[key] for key in keys}
    digest = levels.digest(rows.unit.cast("string"), rows.row_copy, contents, str(scan.row_salt))
    return rows.select("unit", *apart, **own, digest=digest)


def _beyond(rows: Any, whose: Sequence[str], scan: Scan) -> Any:
    """Those of people's rows that are beyond the bound, each to be taken off.

    Of everybody's the last that is counted is among them where it has to tell how many people have too many.
    """
    import ibis

    placed = _placed(rows, whose, scan.schema.max_rows_per_unit)
    zero = ibis.literal(0, "int64")
    return placed.filter(placed.over | placed.ends if scan.lenient else placed.over).mutate(
        rows=zero, people=-placed.over.cast("int64"), absent=zero, crowded=placed.ends.cast("int64")
    )


def _placed(rows: Any, whose: Sequence[str], bound: int) -> Any:
    """Rows of people who all have too many, and whether each is beyond the bound (``over``), or the last within."""
    import ibis

    if bound > MOST_SMALLEST:
        place = ibis.row_number().over(ibis.window(group_by=list(whose), order_by=rows.digest))
        ranked = rows.mutate(place=place)
        return ranked.mutate(over=ranked.place >= bound, ends=ranked.place == bound - 1).drop("place")
    last = rows.digest.min() if bound == 1 else _smallest(rows.digest, bound)[bound - 1]
    ended = rows.inner_join(rows.group_by(list(whose)).aggregate(last=last), list(whose))
    return ended.mutate(over=ended.digest > ended.last, ends=ended.digest == ended.last)


def _smallest(values: Any, number: int) -> Any:
    """The smallest values of a group in their order, an aggregate that DuckDB has."""
    import ibis

    def smallest(values, number):  # type: ignore[no-untyped-def]
        """The smallest of the values."""

    return ibis.udf.agg.builtin(smallest, name="min", signature=(("string", "int64"), "array<string>"))(values, number)


def _with_parts(book: Any) -> Any:
    return book.mutate(part=levels.part_of_row(book.level))
