"""Reading what somebody has published: counts that noise may have made negative or fractional, or synthetic people.

Levels are read as those of people are, letter by letter, with two differences. A column that is published in bins
already holds their labels, which stay as they are; only numbers are put into bins. And a blank count is one that was
withheld, not an error.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epsilens.arrays import as_floats
from epsilens.errors import DataError, ParameterError, counted, verb
from epsilens.table.conditions import Where
from epsilens.table.domain import MISSING, Domain, encoded
from epsilens.table.published import PublishedCounts
from epsilens.table.reading import levels
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.filters import columns_to_find, selected
from epsilens.table.reading.people import internal_names
from epsilens.table.reading.source import Source
from epsilens.table.reading.sources import opened_source
from epsilens.table.schema import Schema, checked_schema

MOST_COUNTS = 20_000_000


def read_published(
    source: Any, schema: Schema, table: str | None = None, count: str | None = None, where: Where = ()
) -> PublishedCounts:
    """The counts of a published table by the columns of ``schema``; its other columns are ignored, and named.

    ``count`` is the column of counts; without it every row is a (synthetic) person. Of ``schema`` the columns, the bins
    and the texts that mean missing are used; ``where`` chooses rows of the published table.
    """
    own = _own_schema(checked_schema(schema), count, where)
    wanted = columns_to_find([*own.columns, *([count] if count else [])], own.conditions, own.copies)
    with opened_source(source, wanted, table, [f"{count}_1"] if count else []) as found:
        opened = found.with_copies(own.copies)
        if count is not None and count in own.columns:
            if f"{count}_1" not in opened.columns:
                raise DataError(f"column {count!r} cannot hold the counts and be a quasi-identifier or sensitive too")
            count = f"{count}_1"
        used = {*wanted, *([count] if count else [])}
        ignored = tuple(name for name in opened.columns if name not in used and name not in own.copies)

        def grouped(readable: Source) -> Any:
            chosen = selected(readable, (*own.conditions, *own.complete), own.missing_values)
            return _grouped(chosen, own, count).limit(MOST_COUNTS + 1).to_pyarrow()

        with reading(opened.place):
            rows = opened.read_by(grouped)
    if len(rows) == 0:
        raise DataError(f"{opened.place} has no rows to evaluate")
    if len(rows) > MOST_COUNTS:
        raise DataError(
            f"{opened.place} has more than {MOST_COUNTS:,} different cells; use fewer columns or wider bins"
        )
    return _published(rows, own, count, ignored)


def _own_schema(schema: Schema, count: str | None, where: Where) -> Schema:
    """The schema of the published table: its levels are published, so nothing is declared of them."""
    if schema.read_from_data:
        raise ParameterError(
            f"the quantile bins of {', '.join(map(repr, schema.read_from_data))} depend on who is counted, and two "
            "tables count different people",
            remedy="declare edges with `bins` instead, such as 0, 18 and 65",
        )
    return replace(
        schema,
        universe=None,
        structural_zeros=None,
        unit=None,
        max_rows_per_unit=1,
        missing="level" if count else schema.missing,
        where=where,
        copies={} if count else schema.copies,
    )


def _grouped(source: Source, schema: Schema, count: str | None) -> Any:
    """One row per combination of levels: how many rows there are, their counts added up, and what is wrong."""
    keys, values = {}, {}
    for internal, name in internal_names(schema).items():
        text = levels.as_text(source.column(name), schema.missing_values)
        instead = schema.stand_ins.get(name)
        values[internal] = text if instead is None else text.fill_null(instead)
        if name in schema.bins:
            number = levels.as_number(source.column(name), schema.missing_values)
            number = number if instead is None else text.isnull().ifelse(float(instead), number)
            values[f"{internal}_number"] = number
    if count is not None:
        values["count_text"] = levels.as_text(source.column(count))
        values["count_number"] = levels.as_number(source.column(count))
    rows = source.relation.select(**values)
    for internal, name in internal_names(schema).items():
        rule, text = schema.bin_rules.get(name), rows[internal]
        if rule is None:
            keys[internal] = text.fill_null(MISSING)
            continue
        number = rows[f"{internal}_number"]
        keys[internal] = number.isnull().ifelse(text.fill_null(MISSING), levels.level_of(text, number, rule))
    if count is None:
        rows = rows.select(**keys)
        return rows.group_by(list(keys)).aggregate(rows=rows.count())
    rows = rows.select(
        **keys,
        number=rows.count_number,
        blank=rows.count_text.isnull(),
        odd=rows.count_text.notnull() & rows.count_number.isnull(),
    )
    return rows.group_by(list(keys)).aggregate(
        rows=rows.count(), total=rows.number.sum(), blank=rows.blank.sum(), odd=rows.odd.sum()
    )


def _published(rows: Any, schema: Schema, count: str | None, ignored: Sequence[str]) -> PublishedCounts:
    columns, codes = [], []
    for internal in internal_names(schema):
        found, code = encoded(rows[internal].to_pylist())
        columns.append(found)
        codes.append(code)
    number = as_floats(numbers_of(rows["rows"]))
    if count is None:
        values, lines = number, int(number.sum())
    else:
        _refuse_odd(rows, number, count)
        values = as_floats(numbers_of(rows["total"]))
        blank = numbers_of(rows["blank"]).astype(np.int64) > 0
        values, lines = np.where(blank, np.nan, values), int(number.sum())
        if blank.all():
            raise DataError(f"all counts in column {count!r} are blank; there is nothing to evaluate")
    domain = Domain(schema.columns, tuple(columns))
    order = domain.text_order(np.stack(codes, axis=1))
    return PublishedCounts(domain, np.stack(codes, axis=1)[order], values[order], lines, count is None, tuple(ignored))


def _refuse_odd(rows: Any, number: Any, count: str) -> None:
    odd = int(numbers_of(rows["odd"]).sum())
    if odd:
        raise DataError(
            f"{counted(odd, 'count')} in column {count!r} {verb(odd)} not a finite number",
            remedy="a published count may be negative, fractional or blank, but not infinite or a text",
        )
    if repeated := int((number > 1).sum()):
        raise DataError(
            f"{counted(repeated, 'cell')} of the published table {verb(repeated, 'has', 'have')} several rows; a cell "
            "is published once",
            remedy="choose the rows of one table with `published_where`, name the columns that tell its cells apart, "
            "or leave out `count` where rows are people",
        )
