"""Tables of PostgreSQL by the names that people give, with columns of types that every engine groups alike.

PostgreSQL has types of its own that look like texts and are compared otherwise: enumerations, texts that ignore case or
are padded with blanks, domains. Their values are read as what they are written as, and texts compared letter by letter,
so that groups are the same as anywhere else.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_NAMED = """
SELECT n.nspname, c.relname, pg_table_is_visible(c.oid)
FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname <> 'information_schema' AND n.nspname NOT LIKE 'pg\\_%'
ORDER BY 1, 2
"""
_COLUMNS = """
WITH RECURSIVE typed AS (
  SELECT a.attnum, a.attname, a.attcollation, a.atttypid AS type, a.atttypmod AS size, 0 AS depth
  FROM pg_catalog.pg_attribute a WHERE a.attrelid = to_regclass(%s) AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL
  SELECT attnum, attname, attcollation, t.typbasetype, t.typtypmod, depth + 1
  FROM typed JOIN pg_catalog.pg_type t ON t.oid = type AND t.typtype = 'd'
)
SELECT DISTINCT ON (attnum) attname, t.typname, t.typtype, pg_catalog.format_type(type, size), depth > 0,
  EXISTS (SELECT FROM pg_catalog.pg_collation c WHERE c.oid = attcollation AND NOT c.collisdeterministic)
FROM typed JOIN pg_catalog.pg_type t ON t.oid = type ORDER BY attnum, depth DESC
"""
"""The columns of a table with the types that domains are made of."""
_PADDED_OR_BLIND = ("bpchar", "citext", "name")
"""Types of texts that are equal to others, or have a length that is none of theirs."""


def table_called(session: Any, name: str) -> tuple[Any, list[str]]:
    """The table or view of that name (alone, or with its schema; quoted or not), or None; and the names there are."""
    visible: dict[str, tuple[str, str]] = {}
    qualified: dict[str, tuple[str, str]] = {}
    for schema, table, is_visible in session.con.execute(_NAMED).fetchall():
        own = (schema, table)
        qualified |= {f"{schema}.{table}": own, f"{quoted(schema)}.{quoted(table)}": own}
        visible |= {table: own, quoted(table): own} if is_visible else {}
    known = qualified | visible
    names = [name for name, own in (qualified if "." in name else visible).items() if not name.startswith('"')]
    return (_relation(session, *known[name]) if name in known else None), names


def quoted(name: str) -> str:
    """A name as SQL has it."""
    return '"' + name.replace('"', '""') + '"'


def _relation(session: Any, schema: str, table: str) -> Any:
    import ibis
    import ibis.expr.operations as ops

    place = f"{quoted(schema)}.{quoted(table)}"
    parts, types = [], {}
    for row in session.con.execute(_COLUMNS, [place]).fetchall():
        read, written = _read_as(*row)
        parts.append(read)
        types[row[0]] = session.compiler.type_mapper.from_string(written)
    if parts == [quoted(name) for name in types]:
        namespace = ops.Namespace(database=schema)
        return ops.DatabaseTable(table, schema=ibis.schema(types), source=session, namespace=namespace).to_expr()
    query = f"SELECT {', '.join(parts)} FROM {place}"
    return ops.SQLQueryResult(query, ibis.schema(types), session).to_expr()


def _read_as(name: str, kind: str, form: str, written: str, is_domain: bool, is_blind: bool) -> Sequence[str]:
    """How a column is selected, and the type that it then has."""
    own = quoted(name)
    if form == "e" or kind in _PADDED_OR_BLIND or is_blind:
        return f'CAST({own} AS text) COLLATE "C" AS {own}', "text"
    if kind == "money":  # which is written with the sign of a currency
        return f"CAST({own} AS numeric) AS {own}", "numeric"
    return (f"CAST({own} AS {written}) AS {own}" if is_domain else own), written
