"""Which rows of a source are read: conditions as expressions that every engine answers alike.

``table/conditions.py`` says what a condition means, and why choosing rows by one costs nothing. Every expression here
is true or false of every row, whatever is in it: nothing is cast that may not be, and nothing is null.
"""

from __future__ import annotations

import operator
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from epsilens.table.conditions import DIFFERENT, ORDERS, Condition
from epsilens.table.domain import LARGEST_WHOLE, MISSING
from epsilens.table.reading import levels
from epsilens.table.reading.sources import Source

_COMPARED = dict(zip(ORDERS, (operator.lt, operator.le, operator.gt, operator.ge), strict=True))


def columns_to_find(
    names: Sequence[str], where: Sequence[Condition] = (), copies: Mapping[str, str] | None = None
) -> list[str]:
    """The columns that a source must have: those with a role, or the columns they are copies of, and conditions'."""
    known = copies or {}
    return list(dict.fromkeys(known.get(name, name) for name in (*names, *(one.column for one in where))))


def selected(source: Source, where: Sequence[Condition], missing_values: Sequence[str] = ()) -> Source:
    """The source with the rows that pass all conditions."""
    if not where:
        return source
    return source.kept(lambda rows: reduce(operator.and_, [passes(rows, one, missing_values) for one in where]))


def passes(source: Source, condition: Condition, missing_values: Sequence[str] = ()) -> Any:
    """Whether a row passes: true or false, never null."""
    column = source.column(condition.column)
    text = levels.as_text(column, missing_values)
    number = levels.as_number(column, missing_values)
    if condition.operator in ORDERS:
        holds = _COMPARED[condition.operator](number, condition.number)
        return (holds & text.notnull()).fill_null(False)
    wanted = [MISSING if value in missing_values else value for value in condition.values]
    found = text.fill_null(MISSING).isin(wanted)
    numbers = [float(value) for value in wanted if _is_number(value)]
    if numbers:
        same = number.isin(numbers)
        if not column.type().is_numeric() or column.type().is_boolean():  # codes such as 007 are not numbers
            same &= text.re_search(levels.WRITTEN_NUMBER)
        found |= (same & text.notnull()).fill_null(False)
    return ~found if condition.operator == DIFFERENT else found


def _is_number(value: str) -> bool:
    """Whether a value is a number as a computer writes it, and not so large that others would compare equal."""
    return re.search(levels.WRITTEN_NUMBER, value) is not None and abs(float(value)) < LARGEST_WHOLE
