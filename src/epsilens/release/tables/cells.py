"""What a release counts: the occupied cells of its source, and how their content is sealed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.errors import DataError, counted
from epsilens.release.cards.internal import told_or_why
from epsilens.table import FrequencyTable, Schema
from epsilens.table.cells import Cells
from epsilens.table.domain import Domain
from epsilens.table.reading.cells import cells_of, read_cells
from epsilens.table.reading.misfits import NOTHING_LEFT_OUT, LeftOut, Misfits
from epsilens.table.reading.people import People, read_people
from epsilens.table.reading.tables import table_of

LEAVE_OUT: Misfits = "leave-out"
"""What becomes of rows that do not fit: a refusal would tell of them."""
EVERYONE = "(everyone)"
"""A column that everybody has the level "true" of: earlier versions counted a single column together with it.

It stands on their cards, and in the digest of the data that those cards and their ledgers seal.
"""


@dataclass(frozen=True, eq=False)
class CountedSource:
    """The people of a source by all columns alike, and as a table where the schema names sensitive ones.

    The table is what homogeneity can be told of; without at least two labels, or with very many, there is none.
    """

    cells: Cells
    table: FrequencyTable | None
    no_table: str | None = None
    """Why there is no table."""
    left_out: LeftOut = NOTHING_LEFT_OUT
    """Rows that do not fit the schema, none of which is counted."""


def counted_source(
    source: Any, schema: Schema | None, table: str | None = None, count: str | None = None
) -> CountedSource:
    """``source`` counted by the schema, from one scan; rows that do not fit it are left out, never refused.

    A table that was counted already is taken as it is.
    """
    if isinstance(source, FrequencyTable):
        if schema is not None:
            _refuse_other_schema(source, schema)
        cells = Cells.of(source)
        return CountedSource(cells, source, left_out=LeftOut(read=cells.people + cells.dropped_rows))
    assert schema is not None  # a source that is read has one
    people = read_people(source, schema, table, count, misfits=LEAVE_OUT)
    cells = cells_of(people)
    found, why = _labelled(people)
    people.close()
    return CountedSource(cells, found, why, people.left_out)


def _labelled(people: People) -> tuple[FrequencyTable | None, str | None]:
    """The people as a table of cells and labels, or why there is none; a release does not depend on it."""
    if not people.schema.sensitive_columns:
        return None, "no column is sensitive"
    found = told_or_why(lambda: table_of(people))
    return (found, None) if isinstance(found, FrequencyTable) else (None, found["not_computed"])


def content_fingerprint(
    source: Any, schema: Schema, table: str | None = None, count: str | None = None, row_salt: str | None = None
) -> bytes:
    """The fingerprint of ``source``, counted by the schema; ``row_salt`` chooses the rows of people with too many."""
    if isinstance(source, FrequencyTable):
        return counted_source(source, schema).cells.fingerprint
    return read_cells(source, schema, table, count, row_salt, LEAVE_OUT).fingerprint


def former_fingerprints(cells: Cells) -> tuple[bytes, ...]:
    """The fingerprints of the same content in ledgers that earlier versions wrote, where they were others."""
    if len(cells.domain.columns) > 1:
        return ()
    domain = Domain((EVERYONE, *cells.domain.columns), (("true",), *cells.domain.levels))
    codes = np.column_stack([np.zeros(len(cells.codes), dtype=np.int32), cells.codes]).astype(np.int32)
    return (Cells(domain, codes, cells.counts).fingerprint,)


def _refuse_other_schema(table: FrequencyTable, schema: Schema) -> None:
    """A table must have been counted by the schema that it is released by."""
    if (table.quasi_identifiers, table.sensitive) != (schema.qid_columns, schema.sensitive_columns):
        raise DataError(
            f"the table was counted by {', '.join((*table.quasi_identifiers, *table.sensitive))}, the schema names "
            f"{', '.join(schema.columns)}",
            remedy="give the `schema` that the table was read with",
        )
    read_with = table.schema
    if read_with is not None and (read_with.conditions, read_with.missing) != (schema.conditions, schema.missing):
        raise DataError(
            "the table was counted with other conditions on rows, or other rules for missing values, than the schema "
            "says",
            remedy="give the `schema` that the table was read with",
        )
    bound = schema.max_rows_per_unit if schema.unit else 1
    if table.max_rows_per_unit != bound:
        raise DataError(
            f"the table was counted with at most {counted(table.max_rows_per_unit, 'row')} per person, the "
            f"schema says {bound}",
            remedy="give the `schema` that the table was read with",
        )
