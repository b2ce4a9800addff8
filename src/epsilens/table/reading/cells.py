"""Reading cells: people counted by all columns of a schema alike, none of them sensitive or known."""

from __future__ import annotations

from typing import Any

import numpy as np

from epsilens.table.cells import Cells
from epsilens.table.domain import Domain
from epsilens.table.reading.arrow_numbers import levels_and_codes, numbers_of
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.misfits import Misfits
from epsilens.table.reading.people import People, internal_names, read_people
from epsilens.table.reading.scratch import fetched
from epsilens.table.schema import Schema


def read_cells(
    source: Any,
    schema: Schema,
    table: str | None = None,
    count: str | None = None,
    row_salt: str | None = None,
    misfits: Misfits = "refuse",
) -> Cells:
    """The occupied cells of the people in ``source``, counted by the columns of ``schema``.

    Sources, ``count`` and ``row_salt`` are those of :func:`epsilens.read_table`; a sensitive column is not needed.
    Rows that do not fit the schema are refused, or with ``misfits="leave-out"`` not counted.
    """
    people = read_people(source, schema, table, count, row_salt, misfits=misfits)
    cells = cells_of(people)
    people.close()
    return cells


def cells_of(people: People) -> Cells:
    """The occupied cells of grouped people: levels in the order of their code points."""
    keys = internal_names(people.schema)
    with reading(people.place):
        table = fetched(people.peopled.select(*keys, "people"))
    levels, codes = [], []
    for key in keys:
        names, positions = levels_and_codes(table.column(key))
        levels.append(names)
        codes.append(positions.astype(np.int32))
    counts = numbers_of(table.column("people")).astype(np.int64)
    domain = Domain(people.schema.columns, tuple(levels))
    return Cells(domain, np.stack(codes, axis=1), counts, people.dropped_rows, people.row_salt)
