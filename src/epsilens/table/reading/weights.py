"""Reading survey weights: one number per person, added up per cell by the engine."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.errors import DataError, ParameterError, counted, verb
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.problems import one_row
from epsilens.table.schema import Schema
from epsilens.table.survey_weights import LARGEST_WEIGHT

DECIMALS = 6
"""Weights are added up as decimal numbers, so that a sum does not depend on the order of the rows."""
KINDS = ("missing", "not numeric", "below 1", "above 1e9")


def check_weight_column(weight: str | None, schema: Schema, count: str | None) -> None:
    """Refuse a column of weights that has another role already."""
    if weight is None:
        return
    if not isinstance(weight, str) or not weight.strip():
        raise ParameterError("must be a column name", parameter="weight", got=weight)
    for role, names in (
        ("a quasi-identifier", schema.qid_columns),
        ("sensitive", schema.sensitive_columns),
        ("the `unit`", (schema.unit,)),
        ("the column of counts", (count,)),
    ):
        if weight in names:
            raise ParameterError(f"column {weight!r} is {role}, so it cannot hold survey weights", parameter="weight")
    if schema.unit is not None and schema.max_rows_per_unit > 1:
        raise ParameterError(
            "is that of a person, and a person may have several rows here",
            parameter="weight",
            remedy="leave `max_rows_per_unit` out, so that one row of each person is counted",
        )


def weight_terms(text: Any, number: Any) -> tuple[Any, dict[str, Any]]:
    """The weight of every row, 0 where there is none, and what is wrong with it, by kind, as Boolean columns."""
    odd = {
        "missing": text.isnull(),
        "not numeric": text.notnull() & number.isnull(),
        "below 1": (number < 1).fill_null(False),
        "above 1e9": (number > LARGEST_WEIGHT).fill_null(False),
    }
    usable = ((number >= 1) & (number <= LARGEST_WEIGHT)).fill_null(False)
    return usable.ifelse(number, 0.0), {f"odd{i}": odd[kind] for i, kind in enumerate(KINDS)}


def weight_total(rows: Any) -> Any:
    """The weights of a group's people; of a row that counts many, as often as it counts; of one not counted, none.

    It is a decimal number, so that totals can be added up in any order as well.
    """
    own = rows.survey * rows.weight if "weight" in rows.columns else rows.survey
    return own.round(DECIMALS).cast(f"decimal(38, {DECIMALS})").sum()


def refuse_odd_weights(grouped: Any, weight: str, place: str) -> None:
    """Refuse weights that no person can have, with numbers of rows and without values."""
    with reading(place):
        facts = one_row(
            grouped.aggregate(rows=grouped.rows.sum(), **{f"odd{i}": grouped[f"odd{i}"].sum() for i in range(4)})
        )
    wrong = {kind: facts[f"odd{i}"] for i, kind in enumerate(KINDS) if facts[f"odd{i}"]}
    if bad := [f"{number} {verb(number)} {kind}" for kind, number in wrong.items()]:
        raise DataError(
            f"survey weights in column {weight!r} must be numbers >= 1, since a person stands at least for "
            f"themselves; of {counted(facts['rows'], 'row')} {', '.join(bad)}",
            remedy="scale weights that add up to the sample so that they add up to the population",
        )


def with_cell_weights(vectors: Any, peopled: Any, n_qids: int) -> Any:
    """Cells ``q<i>`` with their counts and, as ``weights``, the sum of the weights of their people."""
    keys: Sequence[str] = [f"q{i}" for i in range(n_qids)]
    sums = peopled.group_by(list(keys)).aggregate(weights=peopled.weights.sum())
    return vectors.join(sums, list(keys))


def sums_in(table: Any, column: str) -> FloatArray:
    """Sums of weights in an Arrow table, whole numbers of millionths until now: Arrow itself loses the last digit."""
    import pyarrow as pa

    found = table.column(column).cast(pa.decimal128(38, DECIMALS)).combine_chunks()
    halves = np.frombuffer(found.buffers()[1], dtype="<u8").reshape(-1, 2)[found.offset : found.offset + len(found)]
    return as_floats((halves[:, 1] * 2.0**64 + halves[:, 0]) / 10**DECIMALS)


def weights_of_labels(peopled: Any, values: Sequence[tuple[str, ...]]) -> tuple[float, ...]:
    """The sum of the weights of all people with each label, whose sensitive values are ``values[k]``."""
    keys = [f"s{j}" for j in range(len(values[0]))]
    rows = peopled.group_by(keys).aggregate(weights=peopled.weights.sum()).to_pyarrow().to_pylist()
    found = {tuple(row[key] for key in keys): float(row["weights"]) for row in rows}
    return tuple(found.get(parts, 0.0) for parts in values)
