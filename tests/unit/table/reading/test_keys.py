"""Raw keys: what a scan groups by, and the level that each key stands for."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import ibis
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table.bins import Edges, Width
from epsilens.table.domain import MISSING
from epsilens.table.reading.keys import NO_NUMBER, NO_VALUE, Key, alone_of, keys_of
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


TEXTS = ["a", "é", "7", "a b", " a", "a\t", "\x01", "", None, "?", MISSING]
NUMBERS: list[tuple[list[Any], str]] = [
    ([7, 8, 99, None], "int16"),
    ([7.0, 7.5, 99.0, float("nan"), None], "float64"),
    ([Decimal("7.10"), Decimal("99"), None], "decimal(9, 2)"),
]


@pytest.mark.parametrize("stand_in", [None, "a", "8"])
@pytest.mark.parametrize(("values", "dtype"), [(TEXTS, "string"), *NUMBERS, ([True, False, None], "boolean")])
def test_a_key_that_stands_alone_has_a_level_of_its_own(values: list[Any], dtype: str, stand_in: str | None) -> None:
    """Among keys that all stand alone, as they are asked about, no two have one level, and none is missing."""
    key = Key("x", None, ("?", "99"), stand_in)
    table = ibis.memtable(pa.table({"x": pa.array(values, ibis.dtype(dtype).to_pyarrow())}))
    asked = table.select(level=key.level(table.x), alone=key.stands_alone(table.x)).to_pyarrow().to_pylist()
    alone = [row["level"] for row in asked if row["alone"]]
    assert all(isinstance(row["alone"], bool) for row in asked)
    assert len(set(alone)) == len(alone) == (4 if dtype == "string" else 1 + (dtype != "decimal(9, 2)"))
    assert MISSING not in alone


def test_a_bin_stands_alone_and_no_bin_does_not() -> None:
    table = ibis.memtable({"x": [3, NO_VALUE, NO_NUMBER]}, schema={"x": "int32"})
    asked = table.select(alone=Key("x", TENS).stands_alone(table.x)).to_pyarrow()
    assert asked.column("alone").to_pylist() == [True, False, False]
    one, other = {"q0": Key("x", TENS)}, {"q0": 1}
    assert (alone_of({"beside_q0": 0}, one), alone_of({"beside_q0": 1}, one), alone_of(other, one)) == (one, {}, {})


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
