"""What a curator has to declare before counts are released: the levels that may be shown, and who a person is."""

from __future__ import annotations

from typing import Any

from epsilens.errors import ParameterError
from epsilens.release.tables.universe import Paths, public_schema, refuse_levels_read_from_data, undeclared_columns
from epsilens.table import FrequencyTable, Schema
from epsilens.table.cells import UNNAMED_CELL


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


def person_is_declared(unit: str | None, one_row_per_person: bool) -> None:
    """Refuse a release that does not say whom it protects, or says it twice."""
    if unit is None and not one_row_per_person:
        raise ParameterError(
            "say who is protected: the column that names people (`unit`), or that each person has one row "
            "(`one_row_per_person`)"
        )
    if unit is not None and one_row_per_person:
        raise ParameterError(f"the `unit` {unit!r} names people, so do not declare `one_row_per_person` as well")


def rows_of_a_person(source: Any, schema: Schema | None, one_row_per_person: bool) -> int:
    """How many rows one person may have; said explicitly, one way or the other."""
    unit = None if schema is None else schema.unit
    if unit is None and schema is not None and schema.max_rows_per_unit > 1:
        raise ParameterError(
            f"up to {schema.max_rows_per_unit} rows per person can be bounded only where a column names the person",
            remedy="name it as the `unit`",
        )
    person_is_declared(unit, one_row_per_person)
    if unit is None and isinstance(source, FrequencyTable) and source.max_rows_per_unit > 1:
        raise ParameterError(
            f"the table was counted with up to {source.max_rows_per_unit} rows per person, so a person has more than "
            "one",
            remedy="give the `schema` it was read with",
        )
    return schema.max_rows_per_unit if schema is not None and schema.unit else 1


def released_columns(source: Any, schema: Schema | None) -> tuple[str, ...]:
    """The columns that are counted: those of the schema, or those of a table made by hand."""
    if schema is not None:
        return schema.columns
    return (*(source.quasi_identifiers or (UNNAMED_CELL,)), *source.sensitive)
