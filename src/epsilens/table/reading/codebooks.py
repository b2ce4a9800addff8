"""Codebooks: the levels of a column's keys, made once for every key instead of once for every group.

A table of millions of groups has a few hundred keys in each column. A codebook lists them with their levels, and with
the codes of these: their positions in the order of code points. Where no two keys of any column share a level, the
groups of keys are those of levels and are never grouped again; otherwise the columns that do merge get their levels.
Whoever looks at cells joins the codebooks to those it looks at.

Only DuckDB, which keeps the groups in a temporary table, has codebooks: elsewhere each would scan the source again.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import in_code_points
from epsilens.table.reading.scratch import Scratch, fetched, materialised


@dataclass(frozen=True, eq=False)
class Codebook:
    """A relation with the ``key``, ``level`` and ``code`` of every key of a column, and how many ``rows`` have it."""

    relation: Any
    scratch: Scratch | None

    @cached_property
    def levels(self) -> tuple[str, ...]:
        """The levels by their codes."""
        found = fetched(self.relation.select("code", "level").distinct().order_by("code"))
        return tuple(found.column("level").to_pylist())


def codebook(groups: Any, internal: str, key: Key) -> Codebook:
    """The codebook of one column of ``groups``."""
    import ibis

    by_key = groups.group_by(key=groups[internal]).aggregate(rows=groups.rows.sum())
    named = by_key.mutate(level=key.level(by_key.key))
    coded = named.mutate(code=ibis.dense_rank().over(order_by=in_code_points(named.level)).cast("int32"))
    return Codebook(*materialised(coded, as_they_are=("key", "code")))
