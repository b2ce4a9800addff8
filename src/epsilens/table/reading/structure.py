"""Columns of a source, described by aggregates alone; its values stay in the engine unless somebody asks for them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from epsilens.errors import DataError
from epsilens.table.column_facts import MOST_VALUES_COUNTED, Column, Structure
from epsilens.table.reading import databases, frames, sqlite_files
from epsilens.table.reading.csv_files import literal
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.files import names_in_files
from epsilens.table.reading.held_files import HeldFile
from epsilens.table.reading.levels import NUMBER, WRITTEN_WHOLE_NUMBER, as_text
from epsilens.table.reading.source import Source
from epsilens.table.reading.sources import opened_source, refuse_table

WIDE = 60
"""Columns from which on DuckDB is asked by rows: the time that many aggregates take grows with their square."""
BLANKS = " \t\n\r\v\f"
PATTERNS = (NUMBER, WRITTEN_WHOLE_NUMBER)
"""Of numbers, and of whole ones."""
Absent: TypeAlias = tuple[str, ...]
"""Texts that mean missing."""


def read_structure(source: Any, table: str | None = None, missing_values: tuple[str, ...] = ()) -> Structure:
    """How many rows and distinct values there are, and what kind of values; see :func:`~.structure.structure_of`."""
    names = _names(source, table)
    with opened_source(source, names, table) as opened, reading(opened.place):
        return opened.read_by(lambda readable: _described(readable, missing_values))


def read_first_rows(source: Any, table: str | None, rows: int) -> dict[str, list[str]]:
    """See :func:`~epsilens.table.structure.first_rows`."""
    names = _names(source, table)
    with opened_source(source, names, table) as opened, reading(opened.place):

        def first(readable: Source) -> dict[str, list[str]]:
            found = readable.relation.limit(rows).to_pyarrow()
            texts = {name: found.column(readable.columns[name]).to_pylist() for name in names}
            return {name: ["" if value is None else str(value) for value in column] for name, column in texts.items()}

        return opened.read_by(first)


def read_levels(source: Any, column: str, table: str | None, most: int) -> list[str]:
    """See :func:`~epsilens.table.structure.levels_of`."""
    with opened_source(source, [column], table) as opened, reading(opened.place):

        def levels(readable: Source) -> list[str]:
            values = readable.relation.select(value=_text(readable, column)).distinct()
            found = values.filter(values.value.notnull()).order_by("value").limit(most + 1).to_pyarrow()
            return sorted(found.column("value").to_pylist())

        found = opened.read_by(levels)
    if len(found) > most:
        raise DataError(f"column {column!r} has more than {most:,} values", remedy="type those that you mean")
    return found


def _names(source: Any, table: str | None) -> list[str]:
    """All names of columns; some sources only hold on to those that are wanted."""
    if isinstance(source, str | Path | HeldFile) and not databases.is_url(str(source)):
        refuse_table(source, table)
        return [name for name in names_in_files(source) if name]
    if frames.is_frame(source):
        return [name for name in frames.column_names(frames.prepared(source)) if name]
    if table is not None and isinstance(source, str) and databases.scheme_of(source) == "sqlite":
        path = databases.existing_file_of(source)
        return [name.strip() for name in sqlite_files.column_names(path, table)] if path else []
    with opened_source(source, (), table) as opened:
        return [name for name in opened.columns if name]


def _described(source: Source, absent: Absent) -> Structure:
    relation = source.relation
    rows = int(relation.count().to_pyarrow().as_py())
    names = [name for name in source.columns if name]
    exact = rows * len(names) <= MOST_VALUES_COUNTED
    found = _columns(source, names, exact, absent)
    return Structure(rows, tuple(found), exact)


def _columns(source: Source, names: list[str], exact: bool, absent: Absent) -> list[Column]:
    types = {name: source.relation.schema()[source.columns[name]] for name in names}
    countable = [name for name in names if not _is_uncountable(types[name])]
    texts = {name: types[name].is_string() for name in countable}
    look = _in_duckdb if source.engine == "duckdb" else _in_ibis
    facts = look(source, texts, exact, absent)
    return [
        Column(name, _kind(types[name], found[0], found[2], found[3]), found[0], found[1])
        for name in names
        for found in [facts.get(name, (0, 0, 0, 0))]
    ]


def _in_duckdb(source: Source, texts: Mapping[str, bool], exact: bool, absent: Absent) -> dict[str, tuple[int, ...]]:
    """Distinct values, missing ones, those that are not numbers and not whole numbers, of each column.

    In SQL of its own: thousands of columns take Ibis minutes.
    """
    values = {name: _quoted(source, name) for name in texts}
    asked = [
        _facts_sql(_trimmed(values[name], absent) if text else values[name], text, exact)
        for name, text in texts.items()
    ]
    if len(asked) <= WIDE:
        (row,) = _queried(source, f"SELECT {', '.join(asked)} FROM {{table}}") if asked else ((),)
        return {name: tuple(map(int, row[4 * i : 4 * i + 4])) for i, name in enumerate(texts)}
    listed = ", ".join(f"{value}::VARCHAR AS c{i}" for i, value in enumerate(values.values()))
    by_row = f"(SELECT {listed} FROM {{table}}) UNPIVOT INCLUDE NULLS (value FOR place IN (COLUMNS(*)))"
    trimmed = f"(SELECT place, {_trimmed('value', absent)} AS found FROM {by_row})"
    rows = _queried(source, f"SELECT place, {_facts_sql('found', True, exact)} FROM {trimmed} GROUP BY place")
    names = list(texts)
    return {names[int(row[0][1:])]: tuple(map(int, row[1:])) for row in rows}


def _quoted(source: Source, name: str) -> str:
    return '"' + source.columns[name].replace('"', '""') + '"'


def _trimmed(value: str, absent: Absent) -> str:
    text = f"trim({value}, {literal(BLANKS)})"
    for missing in ("", *absent):
        text = f"nullif({text}, {literal(missing)})"
    return text


def _facts_sql(value: str, is_text: bool, exact: bool) -> str:
    distinct = f"count(DISTINCT {value})" if exact else f"approx_count_distinct({value})"
    odd = [f"count(*) FILTER (WHERE NOT regexp_matches({value}, {literal(pattern)}))" for pattern in PATTERNS]
    return ", ".join([distinct, f"count(*) - count({value})", *(odd if is_text else ("0", "0"))])


def _queried(source: Source, query: str) -> list[tuple[Any, ...]]:
    table = '"' + source.relation.op().name.replace('"', '""') + '"'
    found: list[tuple[Any, ...]] = source.relation.get_backend().con.execute(query.replace("{table}", table)).fetchall()
    return found


def _in_ibis(source: Source, texts: Mapping[str, bool], exact: bool, absent: Absent) -> dict[str, tuple[int, ...]]:
    """The same on other engines."""
    asked: dict[str, Any] = {}
    for i, (name, is_text) in enumerate(texts.items()):
        text = as_text(source.column(name), absent)
        asked[f"d{i}"] = text.nunique() if exact else text.approx_nunique()
        asked[f"m{i}"] = text.isnull().ifelse(1, 0).sum()
        for letter, pattern in zip("nw", PATTERNS, strict=True) if is_text else ():
            asked[f"{letter}{i}"] = (text.notnull() & ~text.re_search(pattern)).ifelse(1, 0).sum()
    if not asked:
        return {}
    row = source.relation.aggregate(**asked).to_pyarrow().to_pylist()[0]
    return {name: tuple(int(row.get(f"{x}{i}") or 0) for x in "dmnw") for i, name in enumerate(texts)}


def _kind(dtype: Any, distinct: int, not_numbers: int, not_whole: int) -> str:
    if dtype.is_string():
        if distinct and not not_whole:
            return "whole numbers"
        return "numbers" if distinct and not not_numbers else "text"
    if dtype.is_boolean():
        return "yes or no"
    if dtype.is_integer():
        return "whole numbers"
    if dtype.is_numeric():
        return "numbers"
    return str(dtype).partition("(")[0]


def _text(source: Source, name: str) -> Any:
    return as_text(source.column(name))


def _is_uncountable(dtype: Any) -> bool:
    return bool(dtype.is_nested() or dtype.is_binary() or dtype.is_geospatial())
