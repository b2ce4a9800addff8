"""Which rows of a source are read: conditions as expressions that every engine answers alike.

``table/conditions.py`` says what a condition means, and why choosing rows by one costs nothing. Every expression here
is true or false of every row, whatever is in it: nothing is cast that may not be, and nothing is null.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any

from epsilens.table.conditions import DIFFERENT, ORDERS, Condition
from epsilens.table.domain import LARGEST_WHOLE, MISSING
from epsilens.table.reading import levels
from epsilens.table.reading.source import Source

LARGEST_EXACT = 2**53
"""Below, a whole number and its floating-point form lie on the same side of every bound."""
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
    if condition.operator in ORDERS:
        return _is_in_order(column, condition, missing_values)
    wanted = [MISSING if value in missing_values else value for value in condition.values]
    is_any = _is_any_whole_number if column.type().is_integer() else _is_any
    found = is_any(column, wanted, missing_values)
    return ~found if condition.operator == DIFFERENT else found


def _is_in_order(column: Any, condition: Condition, missing_values: Sequence[str]) -> Any:
    """Whether a value is a number on the right side of another one."""
    compared, bound, dtype = _COMPARED[condition.operator], condition.number, column.type()
    whole = math.ceil(bound) if condition.operator in ("<", ">=") else math.floor(bound)
    if dtype.is_integer() and abs(bound) < LARGEST_EXACT and dtype.bounds.lower <= whole <= dtype.bounds.upper:
        holds = compared(column, whole)  # as it is, so that files are asked for fewer rows
    else:
        holds = compared(levels.as_number(column, missing_values), bound)
    return (holds & ~levels.is_missing(column, missing_values)).fill_null(False)


def _is_any(column: Any, wanted: Sequence[str], missing_values: Sequence[str]) -> Any:
    text = levels.as_text(column, missing_values)
    number = levels.as_number(column, missing_values)
    found = text.fill_null(MISSING).isin(wanted)
    numbers = [float(value) for value in wanted if _is_number(value)]
    if numbers:
        same = number.isin(numbers)
        if not column.type().is_numeric() or column.type().is_boolean():  # codes such as 007 are not numbers
            same &= text.re_search(levels.WRITTEN_NUMBER)
        found |= (same & text.notnull()).fill_null(False)
    return found


def _is_any_whole_number(column: Any, wanted: Sequence[str], missing_values: Sequence[str]) -> Any:
    """The same of a column of whole numbers, which need not be written as texts to be compared."""
    import ibis

    numbers = {float(value) for value in wanted if _is_number(value)}
    whole = {int(number) for number in numbers if number.is_integer()}
    whole |= {int(value) for value in wanted if levels.WHOLE.fullmatch(value)}
    bounds, gap = column.type().bounds, levels.is_missing(column, missing_values)
    there = sorted(number for number in whole if bounds.lower <= number <= bounds.upper)
    found = (column.isin(there) & ~gap).fill_null(False) if there else ibis.literal(False)
    return found | gap if MISSING in wanted else found


def _is_number(value: str) -> bool:
    """Whether a value is a number as a computer writes it, and not so large that others would compare equal."""
    return re.search(levels.WRITTEN_NUMBER, value) is not None and abs(float(value)) < LARGEST_WHOLE
