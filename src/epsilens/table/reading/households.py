"""Reading households: the same GROUP BY over people with one more column, which says who lives with whom.

Everything is counted in the engine. What comes to Python is one row for every group of people who share household, cell
and label, as whole numbers, and the count vectors of the cells.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.errors import EpsilensWarning, ParameterError
from epsilens.table.domain import MISSING
from epsilens.table.frequency import FrequencyTable
from epsilens.table.gaps import rule_of
from epsilens.table.harm import Declared
from epsilens.table.households import Households, Members
from epsilens.table.reading.arrow_numbers import numbers_of
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.people import People, read_people
from epsilens.table.reading.scratch import fetched, materialised
from epsilens.table.reading.store import EngineStore
from epsilens.table.reading.tables import table_of
from epsilens.table.schema import Schema, checked_schema


def read_households(
    source: Any,
    schema: Schema,
    household: str,
    table: str | None = None,
    count: str | None = None,
    harmful: Declared = (),
) -> Households:
    """The households of the people in ``source``; the column ``household`` says who lives with whom.

    Sources, ``table`` and ``count`` are those of :func:`epsilens.read_table`. People whose household is missing are
    households of one.
    """
    column = check_household(schema, household)
    rules = {name: rule_of(schema.missing, name) for name in schema.columns} | {column: "level"}
    wider = replace(schema, quasi_identifiers=(*schema.qid_columns, column), missing=rules)
    with warnings.catch_warnings():  # the column of households has as many values as there are, by its nature
        warnings.simplefilter("ignore", EpsilensWarning)
        people = read_people(source, wider, table, count)
    counted, members = _counted(people, schema)
    people.close()
    weights: FloatArray = (counted.with_harm(harmful) if harmful else counted).label_weights
    return Households.of(members[0], members[1], counted.labels, weights)


def check_household(schema: Schema, household: str) -> str:
    """The column of households, refused where it has another role, or where people have several rows."""
    column = str(household).strip()
    if not column:
        raise ParameterError("must be the name of a column", parameter="household")
    checked_schema(schema)
    if column == schema.unit or schema.unit is not None:
        raise ParameterError(
            "needs one row per person: what several rows of a person say about the others is another question; leave "
            "out `unit`",
            parameter="household",
        )
    if column in schema.columns:
        role = "sensitive" if column in schema.sensitive_columns else "a quasi-identifier"
        raise ParameterError(
            f"names column {column!r}, which is {role} already; it says who lives with whom and nothing else",
            parameter="household",
        )
    if len(schema.sensitive_columns) > 1:
        raise ParameterError(
            f"is about one `sensitive` attribute at a time, got {len(schema.sensitive_columns)}", parameter="household"
        )
    return column


def _counted(people: People, schema: Schema) -> tuple[FrequencyTable, tuple[IntArray, Members]]:
    """The table of the people, whoever they live with, and its count vectors with who lives where."""
    import ibis

    qids = [f"q{i}" for i in range(len(schema.qid_columns))]
    home, sensitive = f"q{len(qids)}", [f"s{j}" for j in range(len(schema.sensitive_columns))]
    peopled = people.peopled
    whoever = peopled.group_by([*qids, *sensitive]).aggregate(people=peopled.people.sum().cast("int64"))
    with reading(people.place):
        together = replace(people, levelled=whoever, schema=schema, scratch=None, may_be_empty=False)
        counted = table_of(together)
        store = counted.store
        assert isinstance(store, EngineStore)
        place = ibis.row_number().over(order_by=[store.relation[name] for name in qids])
        cells, scratch = materialised(store.relation.mutate(cell=place))
        vectors = fetched(cells.select("cell", *store.counts))
        joined = peopled.inner_join(cells.select(*qids, "cell"), qids)
        number = ibis.dense_rank().over(order_by=joined[home])
        rows = fetched(
            joined.select(
                household=number.cast("int64"),
                cell=joined.cell,
                people=joined.people,
                alone=joined[home] == MISSING,
                **{name: joined[name] for name in sensitive},
            )
        )
        if scratch is not None:
            scratch.drop()
    order = np.argsort(numbers_of(vectors.column("cell")))
    matrix = store.counts_in(vectors)[order]
    members = Members(
        _whole(rows, "household"),
        _whole(rows, "cell"),
        _labels(rows, sensitive, counted.label_values),
        _whole(rows, "people"),
        np.asarray(numbers_of(rows.column("alone")), dtype=bool),
    )
    return counted, (matrix, members)


def _whole(rows: Any, name: str) -> IntArray:
    return np.asarray(numbers_of(rows.column(name)), dtype=np.int64)


def _labels(rows: Any, sensitive: Sequence[str], values: Sequence[Sequence[str]]) -> IntArray:
    """Which label each row has; there is one sensitive attribute."""
    column = rows.column(sensitive[0]).combine_chunks().dictionary_encode()
    place = {parts[0]: k for k, parts in enumerate(values)}
    codes = np.asarray([place[value] for value in column.dictionary.to_pylist()], dtype=np.int64)
    positions: IntArray = numbers_of(column.indices)
    return codes[positions]
