"""What a curator has to declare before counts are released: the levels that may be shown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.checks import did_you_mean
from epsilens.errors import ParameterError
from epsilens.release.universe import Paths, public_schema, refuse_levels_read_from_data, undeclared_columns
from epsilens.table import Schema
from epsilens.table.cells import UNNAMED_CELL


def roles_of_columns(columns: Sequence[str], sensitive: Sequence[str] = ()) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The columns to publish that an attacker may know, and those that are sensitive.

    A release treats all columns alike. Which of them are sensitive is for the internal assessment: of several columns
    the last one unless others are named; of a single column nothing can be told from another.
    """
    for name in sensitive:
        if name not in columns:
            raise ParameterError(f"names {name!r}, which is not among `columns`", parameter="sensitive")
    private = () if len(columns) == 1 else tuple(sensitive or columns[-1:])
    known = tuple(name for name in columns if name not in private)
    if not known:
        raise ParameterError("at least one of `columns` must not be sensitive")
    return known, private


def refuse_mistyped(columns: Sequence[str], declared: Sequence[str]) -> None:
    """Refuse a column that the universe does not declare, where one of nearly that name is declared and not asked for.

    Whoever mistypes a column should not be told to declare its levels.
    """
    others = [name for name in declared if name not in columns]
    for name in columns:
        if name not in declared and (hint := did_you_mean(name, others)):
            raise ParameterError(f"the `universe` does not declare the levels of {name!r}, a name in `columns`{hint}")


def schema_with_public_levels(
    schema: Schema | None, paths: Paths | None, cells_are_public: bool, threshold_delta: float | None
) -> Schema | None:
    """The schema with all public levels; refused where neither a universe nor a threshold says what may be shown."""
    if schema is None:
        if cells_are_public == (threshold_delta is not None):
            raise ParameterError(
                "which cells exist is a fact about people",
                remedy="give a `schema` with the universe, or declare `cells_are_public` for a table whose cells you "
                "chose, or `threshold_delta` for occupied cells above a threshold",
            )
        return None
    if cells_are_public:
        raise ParameterError("give a `schema` with the universe or `cells_are_public`, not both")
    public = public_schema(schema, paths)
    missing = undeclared_columns(public)
    if threshold_delta is not None:
        if not missing:
            raise ParameterError(
                "the universe is declared, so no threshold is needed", remedy="leave `threshold_delta` out"
            )
        refuse_levels_read_from_data(schema)
        return public
    if missing:
        raise ParameterError(
            f"the `universe` does not declare the levels of {', '.join(map(repr, missing))}; which levels exist is a "
            "fact about people",
            remedy="declare them (bins of one width need a range), or publish occupied cells above a threshold with "
            "`threshold_delta`",
        )
    return public


def released_columns(source: Any, schema: Schema | None) -> tuple[str, ...]:
    """The columns that are counted: those of the schema, or those of a table made by hand."""
    if schema is not None:
        return schema.columns
    return (*(source.quasi_identifiers or (UNNAMED_CELL,)), *source.sensitive)
