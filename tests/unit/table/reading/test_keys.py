"""Raw keys: what a scan groups by, and the level that each key stands for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import pytest

from epsilens.errors import DataError
from epsilens.table.bins import Edges, Width
from epsilens.table.domain import MISSING
from epsilens.table.reading.keys import NO_NUMBER, NO_VALUE, Key, keys_of
from epsilens.table.reading.levels import NOT_A_NUMBER

TENS = Width(Decimal(10))


def keys_and_levels(key: Key, values: list[Any], dtype: str) -> list[tuple[Any, str]]:
    """The key and the level of every value, in order."""
    table = ibis.memtable({"i": list(range(len(values))), "x": values}, schema={"i": "int64", "x": dtype})
    scanned = table.select(i=table.i, key=key.scanned(table.x))
    rows = scanned.mutate(level=key.level(scanned.key)).order_by("i").to_pyarrow().to_pylist()
    return [(row["key"], row["level"]) for row in rows]


def test_columns_without_bins_are_grouped_as_they_are() -> None:
    assert keys_and_levels(Key("x"), [" a", "a", None], "string") == [(" a", "a"), ("a", "a"), (None, MISSING)]
    assert keys_and_levels(Key("x", None, ("7",), "0"), [7, 8], "int8") == [(7, "0"), (8, "8")]


def test_numbers_become_the_whole_number_of_their_bin() -> None:
    found = keys_and_levels(Key("x", TENS), [39, -1, None, 10**12], "int64")
    assert found == [(3, "[30, 40)"), (-1, "[-10, 0)"), (NO_VALUE, MISSING), (NO_NUMBER, NOT_A_NUMBER)]
    far = keys_and_levels(Key("x", Width(Decimal(10), "right")), [-(2**31), 2**31], "int64")
    assert far == [(-214748365, "(-2147483650, -2147483640]"), (214748364, "(2147483640, 2147483650]")]
    edges = Key("x", Edges((Decimal(0), Decimal(18)), "right"))
    assert keys_and_levels(edges, [0.0, 18.5, float("nan")], "float64") == [
        (0, "<= 0"),
        (2, "> 18"),
        (NO_VALUE, MISSING),
    ]


@pytest.mark.parametrize(("values", "dtype"), [([99, 5], "int16"), ([99.0, 5.0], "float64"), (["99", "5"], "string")])
def test_declared_missing_values_are_in_no_bin_whatever_their_type(values: list[Any], dtype: str) -> None:
    gaps = ("99", "?")
    assert keys_and_levels(Key("x", TENS, gaps), values, dtype) == [(NO_VALUE, MISSING), (0, "[0, 10)")]
    assert keys_and_levels(Key("x", TENS, gaps, "12"), values, dtype) == [(1, "[10, 20)"), (0, "[0, 10)")]
    tiny = Key("x", Width(Decimal("0.000001")), gaps, "1e12")  # such a bin is too far away to be counted
    assert keys_and_levels(tiny, values, dtype)[0] == (NO_NUMBER, NOT_A_NUMBER)


def test_values_that_cannot_be_counted_are_refused_by_the_name_of_their_column() -> None:
    table = ibis.table({"x": "array<int64>"}, name="t")
    with pytest.raises(DataError, match="column 'x' has the type"):
        Key("x").scanned(table.x)


def test_intervals_are_grouped_by_their_texts() -> None:
    """A month and thirty days are equal to an engine, and are written differently."""
    table = ibis.table({"x": "interval('s')", "y": "date"}, name="t")
    assert Key("x").scanned(table.x).type().is_string()
    assert Key("y").scanned(table.y).type().is_date()


def test_keys_by_internal_name() -> None:
    keys = keys_of({"q0": "age", "s0": "ill"}, {"age": TENS}, ["?"], {"ill": "no"}, ["age"])
    assert keys == {"q0": Key("age", TENS, ("?",), None, True), "s0": Key("ill", None, ("?",), "no")}
