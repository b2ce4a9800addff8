"""DuckDB tables and views as Ibis tables."""

from __future__ import annotations

from typing import Any


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
