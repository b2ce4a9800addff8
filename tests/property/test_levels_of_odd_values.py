"""Odd values of every kind, read in every way, against a reader of a few lines that follows the rules row by row."""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from epsilens.errors import DataError
from epsilens.table import Schema
from epsilens.table.reading import groups, levels, wide
from epsilens.table.reading.people import read_people

BLANKS = " \t\r\n\v\f"
TEXTS = [
    "a",
    " a",
    "a ",
    "",
    "  ",
    "?",
    "007",
    "7",
    "7.0",
    "é",
    "\u00a0a",
    "\ta\n",
    "99",
    "0.3",
    "12abc",
    "+5",
    ".5",
    "nan",
]
WHOLE = [0, 1, -1, 5, 39, 40, 99, 10**12, 2**62]
NUMBERS = [0.0, -0.0, 1.0, 1.5, 0.3, 0.7, math.nan, math.inf, 1e16, -2.5, 39.0, 99.0, 1e10]
DECIMALS = [Decimal("1.50"), Decimal("2.00"), Decimal("0.30"), Decimal("-1.00"), Decimal("99.00")]
KINDS: dict[str, tuple[list[Any], Any]] = {
    "text": (TEXTS, pa.string()),
    "whole": (WHOLE, pa.int64()),
    "number": (NUMBERS, pa.float64()),
    "decimal": (DECIMALS, pa.decimal128(10, 2)),
    "flag": ([True, False], pa.bool_()),
}


def text_of(value: Any, gaps: tuple[str, ...]) -> str | None:
    """A value as it is written, without blanks around it; nothing where it is missing."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return None
    if isinstance(value, bool):
        text = "true" if value else "false"
    elif isinstance(value, Decimal):
        text = format(value, "f").rstrip("0").rstrip(".")
    elif isinstance(value, float):
        text = str(int(value)) if abs(value) < 1e15 and value == int(value) else repr(value)
    else:
        text = str(value).strip(BLANKS)
    return None if text in ("", *gaps) else text


def level_of(value: Any, gaps: tuple[str, ...], width: Decimal | None) -> str:
    """The level of a value, in bins of one width if there is one."""
    text = text_of(value, gaps)
    if text is None:
        return "(missing)"
    if width is None:
        return text
    if isinstance(value, str | bool):
        if not re.search(levels.NUMBER, text):
            return levels.NOT_A_NUMBER
        number = float(text)
    else:
        number = float(value)
    decimals = -min(0, int(width.as_tuple().exponent))
    position = number * 10**decimals / float(width.scaleb(decimals)) + (1e-9 if decimals else 0.0)
    if not abs(position) < 1e9:
        return levels.NOT_A_NUMBER
    low = width * math.floor(position)
    return f"[{low:.{decimals}f}, {low + width:.{decimals}f})"


@st.composite
def people(draw: st.DrawFn) -> tuple[pa.Table, dict[str, Any]]:
    size, columns, bins = draw(st.integers(2, 12)), {}, {}
    for name in ("q", "s"):
        kind = draw(st.sampled_from(sorted(KINDS)))
        values, dtype = KINDS[kind]
        columns[name] = pa.array(draw(st.lists(st.sampled_from([*values, None]), min_size=size, max_size=size)), dtype)
        if kind != "flag" and draw(st.booleans()):
            bins[name] = draw(st.sampled_from([Decimal(10), Decimal("0.1")]))
    gaps = draw(st.sampled_from([(), ("?", "99"), ("7", "0.3")]))
    return pa.table(columns), {"bins": bins, "missing_values": gaps}


@pytest.mark.parametrize("way", ["few groups", "codebooks", "cells at once"])
@settings(max_examples=6, deadline=None)
@given(drawn=people())
def test_levels_are_those_of_the_rules(way: str, drawn: tuple[pa.Table, dict[str, Any]]) -> None:
    data, options = drawn
    gaps, bins = options["missing_values"], options["bins"]
    expected = Counter(
        (level_of(q, gaps, bins.get("q")), level_of(s, gaps, bins.get("s")))
        for q, s in zip(data["q"].to_pylist(), data["s"].to_pylist(), strict=True)
    )
    with pytest.MonkeyPatch.context() as patch:
        if way != "few groups":
            patch.setattr(groups, "FEW_GROUPS", -1)
        if way == "cells at once":
            patch.setattr(wide, "MANY_ROWS", 1)
        fit = {key: n for key, n in expected.items() if not any(part == levels.NOT_A_NUMBER for part in key)}
        schema = Schema(["q"], "s", **options)
        if way != "cells at once":
            found = read_people(data, schema, misfits="leave-out")
            assert found.left_out.rows == len(data) - sum(fit.values())
        elif len(fit) < len(expected):
            with pytest.raises(DataError, match="has bins"):
                read_people(data, schema, by_cell=True)
            return
        else:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = read_people(data, schema, by_cell=True)
        rows = found.relation.to_pyarrow().to_pylist()
    assert {(row["q0"], row["s0"]): row["people"] for row in rows} == fit
    assert found.left_out.read == len(data)
