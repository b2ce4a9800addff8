"""DuckDB tables and views as Ibis tables, and the join of groups to the codebooks of their keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol


class Book(Protocol):
    """What a codebook is to those who join it: see ``codebooks.py``."""

    @property
    def relation(self) -> Any:
        """One row per ``key``, with its ``level`` and ``code``."""
        ...

    @property
    def levels(self) -> tuple[str, ...]:
        """The levels by their codes."""
        ...


def duckdb_relation(engine: Any, name: str, schema: Any = None, arrow_schema: Any = None) -> Any:
    """The Ibis table of a DuckDB table or view.

    ``schema`` is its Ibis schema where that is known, ``arrow_schema`` that of the Arrow table behind it.
    ``engine.table(name)`` would do, were it not that Ibis 12 asks DuckDB 2 for the schema through a call that DuckDB
    has deprecated: users should not have to see that warning.
    """
    import ibis
    import ibis.expr.operations as ops

    if schema is None:
        arrow_schema = arrow_schema or engine.con.sql(f'SELECT * FROM "{name}" LIMIT 0').to_arrow_table().schema
        schema = ibis.Schema.from_pyarrow(arrow_schema)
    return ops.DatabaseTable(name, schema=schema, source=engine, namespace=ops.Namespace()).to_expr()


def first_row(expression: Any) -> dict[str, Any]:
    """The first row of a relation. Of DuckDB, without the types that Ibis believes it has: a sum may be wider."""
    engine = expression.get_backend()
    if engine.name != "duckdb":
        rows: list[dict[str, Any]] = expression.to_pyarrow().to_pylist()
        return rows[0]
    found = engine.con.execute(engine.compile(expression)).fetchall()[0]
    return dict(zip(expression.columns, found, strict=True))


def with_levels(groups: Any, books: Mapping[str, Book], rest: Sequence[str], column: str = "level") -> Any:
    """``groups`` with the levels, or the codes, in the place of the keys that have a codebook, and columns ``rest``."""
    joined = groups
    for internal, book in books.items():
        own = book.relation.select(**{f"{internal}_key": book.relation.key, f"{internal}_new": book.relation[column]})
        joined = joined.inner_join(own, joined[internal].identical_to(own[f"{internal}_key"]))
    new = {internal: joined[f"{internal}_new"] for internal in books}
    return joined.select(**new, **{name: joined[name] for name in rest})


def with_levels_of_codes(cells: Any, books: Mapping[str, Book]) -> Any:
    """``cells`` that have the codes of some levels with these levels instead."""
    joined = cells
    for column, book in books.items():
        own = book.relation.select(**{f"{column}_code": book.relation.code, f"{column}_new": book.relation.level})
        joined = joined.inner_join(own, joined[column] == own[f"{column}_code"])
    if not books:
        return cells
    return joined.select(**{name: joined[f"{name}_new" if name in books else name] for name in cells.columns})


def in_code_points(column: Any) -> Any:
    """What PostgreSQL orders by: of a text its UTF-8 bytes, whose order no collation of a database changes."""
    import ibis

    if not column.type().is_string() or column.get_backend().name != "postgres":
        return column

    def convert_to(text, encoding):  # type: ignore[no-untyped-def]
        """The text's bytes in an encoding."""

    return ibis.udf.scalar.builtin(convert_to, signature=(("string", "string"), "binary"))(column, "UTF8")
