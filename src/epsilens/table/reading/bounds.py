"""The bound on a person's rows, applied to groups of rows that are alike.

Most people have no more rows than are counted of each: their groups stay as they are. Only of the others each row is
written out and gets its random place (``levels.ranked``), which takes a hash of everything it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epsilens.table.reading import levels
from epsilens.table.reading.relations import with_levels
from epsilens.table.reading.scans import Scan, regrouped
from epsilens.table.reading.store import Scratch, materialised

if TYPE_CHECKING:
    from epsilens.table.reading.groups import Groups


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

    raw = {f"raw_{key}": many[key] for key in groups.books}
    rest = [name for name in (*groups.keys, *apart) if name not in groups.books]
    texts = with_levels(many.mutate(**raw), groups.books, [*rest, *raw, "unit", "rows"]) if raw else many
    rows = texts.mutate(unit=texts.unit.cast("string"), row_copy=ibis.range(0, texts.rows).unnest())
    rows = levels.ranked(rows, "unit", list(groups.keys), str(scan.row_salt), apart)
    own = {key: rows[f"raw_{key}"] if key in groups.books else rows[key] for key in groups.keys}
    bound = scan.schema.max_rows_per_unit
    return rows.select(
        **own,
        **{name: rows[name] for name in apart},
        rows=ibis.literal(1, "int64"),
        people=(rows.row_rank < bound).cast("int64"),
        absent=ibis.literal(0, "int64"),
        crowded=(rows.row_rank == bound).cast("int64"),
    )
