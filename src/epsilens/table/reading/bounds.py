"""The bound on a person's rows, applied to groups of rows that are alike, in DuckDB.

Most people have no more rows than are counted of each. Only of the others each row is written out and gets its random
place (``levels.digest``), which takes a hash of everything it says. Of what is kept only the group is remembered, by
the place of its row in the table of all groups, so that nothing wide is carried along.
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
    """``groups`` of rows by ``unit`` and key, a table of DuckDB's, as groups by key with the ``people`` counted.

    And with how many rows are nobody's (``absent``), and how many people have more rows than are counted
    (``crowded``). Rows that differ in a column of ``apart`` are chosen apart from each other.
    """
    import ibis

    keys, whose = [*groups.keys, *apart], ["unit", *apart]
    keyed = groups.keyed.mutate(group=groups.keyed.rowid())
    named = keyed.filter(keyed.unit.notnull())
    sizes = named.group_by(whose).aggregate(total=named.rows.sum())
    bound = scan.schema.max_rows_per_unit
    crowds, several = materialised(sizes.filter(sizes.total > bound).select(whose), as_they_are=whose)
    assert several is not None
    zero, nobodys = ibis.literal(0, "int64"), keyed.unit.isnull()
    columns = {
        "rows": keyed.rows,
        "people": nobodys.ifelse(zero, keyed.rows),
        "absent": nobodys.ifelse(keyed.rows, zero),
    }
    counted, kept = keyed.select(*keys, **columns, crowded=zero), None
    if several.rows:
        chosen, kept = materialised(_kept(_drawn(keyed.semi_join(crowds, whose), groups, scan, apart), whose, bound))
        counted = _chosen(keyed.mutate(**columns), crowds, chosen, whose).select(*counted.columns)
    found = materialised(regrouped(counted, keys), as_they_are=keys)
    for scratch in (several, kept):
        if scratch is not None:
            scratch.drop()
    return found


def _drawn(many: Any, groups: Groups, scan: Scan, apart: Sequence[str]) -> Any:
    """The rows of people who have too many, one by one, with their random places (``digest``)."""
    import ibis

    keys, booked = groups.keys, groups.books
    # What is hashed of a level is put together once for each, not for each row.
    parts = {key: replace(book, relation=_with_parts(book.relation)) for key, book in booked.items()}
    rest = [name for name in (*keys, *apart) if name not in booked]
    texts = with_levels(many, parts, [*rest, "unit", "rows", "group"], "part")
    rows = texts.mutate(row_copy=ibis.range(0, texts.rows).unnest())
    contents = [rows[key] if key in booked else levels.part_of_row(rows[key]) for key in keys]
    digest = levels.digest(rows.unit.cast("string"), rows.row_copy, contents, str(scan.row_salt))
    return rows.select("unit", *apart, "group", digest=digest)


def _kept(rows: Any, whose: Sequence[str], bound: int) -> Any:
    """Of each group how many rows are ``kept``, and of how many people it has the first of these (``crowded``)."""
    first = _first(rows, whose, bound)
    return first.group_by("group").aggregate(kept=first.count(), crowded=(first.place == 0).sum())


def _first(rows: Any, whose: Sequence[str], bound: int) -> Any:
    """The groups of the first rows of each person, and their places among these: three ways, each the fastest."""
    import ibis

    if bound == 1:
        return rows.group_by(list(whose)).aggregate(group=rows.group.argmin(rows.digest)).mutate(place=0)
    if bound <= MOST_SMALLEST:
        own = rows.group_by(list(whose)).aggregate(groups=_of_smallest(rows.group, rows.digest, bound))
        return own.select(group=own.groups.unnest(), place=ibis.range(own.groups.length()).unnest())
    place = ibis.row_number().over(ibis.window(group_by=list(whose), order_by=rows.digest))
    placed = rows.select("group", place=place)
    return placed.filter(placed.place < bound)


def _of_smallest(values: Any, by: Any, number: int) -> Any:
    """The values that have the smallest ``by``, in their order, an aggregate that DuckDB has."""
    import ibis

    def of_smallest(values, by, number):  # type: ignore[no-untyped-def]
        """The values of the smallest."""

    signature = (("int64", "string", "int64"), "array<int64>")
    return ibis.udf.agg.builtin(of_smallest, name="arg_min", signature=signature)(values, by, number)


def _chosen(keyed: Any, crowds: Any, kept: Any, whose: Sequence[str]) -> Any:
    """The groups with the ``people`` who are counted in them, and how many of these have too many rows."""
    many = crowds.select(**{f"{name}_many": crowds[name] for name in whose})
    found = keyed.left_join(many, [keyed[name] == many[f"{name}_many"] for name in whose])
    found = found.left_join(kept.rename(group_kept="group"), found.group == kept.group)
    everybody = found.unit_many.isnull()
    return found.mutate(
        people=everybody.ifelse(found.people, found.kept.fill_null(0)), crowded=found.crowded.fill_null(0)
    )


def _with_parts(book: Any) -> Any:
    return book.mutate(part=levels.part_of_row(book.level))
