"""Reading a hierarchy: people grouped by the columns of its levels and by what makes people alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

from epsilens.checks import did_you_mean
from epsilens.errors import DataError, ParameterError, counted
from epsilens.table.domain import MISSING
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.people import People, internal_names, read_people
from epsilens.table.reading.problems import one_row
from epsilens.table.schema import Schema


def read_groups(
    source: Any,
    levels: Sequence[str],
    characteristics: Sequence[str],
    table: str | None = None,
    count: str | None = None,
    nested: bool = True,
    row_salt: str | None = None,
    **roles: Any,
) -> People:
    """People by group columns ``g<l>``, lowest level first, and characteristics ``c<j>``.

    ``nested`` refuses a code that lies in several parents. ``roles`` are the rest of a schema: bins, unit, missing
    values.
    """
    names, kinds = tuple(levels), tuple(characteristics)
    schema = groups_schema(names, kinds, count, **roles)
    people = read_people(source, schema, table, count, row_salt)
    own = [f"g{i}" for i in range(len(names))] + [f"c{j}" for j in range(len(kinds))]
    grouped = people.named(dict(zip(own, internal_names(schema), strict=True)))
    with reading(grouped.place):
        _refuse_gaps(grouped.relation, names)
        if nested:
            _refuse_unnested(grouped.relation, names)
    return grouped


def groups_schema(
    levels: Sequence[str], characteristics: Sequence[str], count: str | None = None, **roles: Any
) -> Schema:
    """The schema of a hierarchy, for which levels and characteristics are alike; refused where a role is not clear."""
    names, kinds = tuple(levels), tuple(characteristics)
    if not names or not kinds:
        raise ParameterError("a hierarchy needs at least one level and one characteristic")
    if len({*names, *kinds, count}) < len(names) + len(kinds) + 1:
        raise ParameterError("a column can have one role only: a level, a characteristic, or the count")
    for name in roles.get("bins") or {}:
        if name not in (*names, *kinds):
            raise ParameterError(
                f"names column {name!r}, which is neither a level nor a characteristic"
                f"{did_you_mean(name, (*names, *kinds))}",
                parameter="bins",
            )
    return Schema((*names, *kinds), **roles)


def _refuse_gaps(relation: Any, levels: Sequence[str]) -> None:
    """Nobody may be in no group."""
    facts: Mapping[str, Any] = {
        f"g{i}": relation.rows.sum(where=relation[f"g{i}"] == MISSING) for i in range(len(levels))
    }
    found = one_row(relation.aggregate(**facts))
    for i, name in enumerate(levels):
        if gaps := found[f"g{i}"]:
            raise DataError(
                f"level {name!r} is missing in {counted(gaps, 'row')}; every person must be in a group of every level"
            )


def _refuse_unnested(relation: Any, levels: Sequence[str]) -> None:
    """Each code of a level must have one parent; tells how many have several, and not which: codes are data."""
    for level, (lower, upper) in enumerate(pairwise(levels)):
        child, parent = f"g{level}", f"g{level + 1}"
        pairs = relation.select(child, parent).distinct()
        shared = pairs.group_by(child).aggregate(n=pairs.count())
        if children := one_row(shared.aggregate(children=(shared.n > 1).sum()))["children"]:
            raise DataError(
                f"{lower!r} is not nested in {upper!r}: {children} of its groups lie in several parents",
                remedy="list the `levels` from lowest to highest, or, if codes repeat in different parents, say "
                "`codes=within-parent`",
            )
