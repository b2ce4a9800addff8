"""Columns as levels: texts, numbers, bins, counts, and the order of a person's rows."""

from __future__ import annotations

import math
import re
from collections import Counter
from decimal import Decimal
from typing import Any

import ibis
import numpy as np
import pyarrow as pa
import pytest

from epsilens.errors import DataError
from epsilens.table.bins import Edges, Quantiles, Width
from epsilens.table.domain import MISSING
from epsilens.table.reading import levels
from epsilens.table.reading.keys import NO_NUMBER, Key
from epsilens.table.reading.sources import opened_source
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import TOKEN, column_levels, refusal


def test_texts_are_stripped_and_numbers_keep_their_face() -> None:
    assert column_levels([" 007", "7 ", "\ta b\n"], None) == ["007", "7", "a b"]
    assert column_levels([39, -1, None], None) == ["39", "-1", MISSING]
    assert column_levels([39.0, float("nan"), 0.5, -0.0], None) == ["39", MISSING, "0.5", "0"]
    assert column_levels([True, False, None], None) == ["true", "false", MISSING]


def test_blanks_at_the_ends_of_texts_do_not_count_whatever_they_are() -> None:
    values = ["a", " a", "a ", "\ta\n", "a\x0b", "\x0ca", "", "  ", None, "é ", "\u00a0a", "日本 ", "\x00a", " a b "]
    table = read_table(pa.table({"q": values * 2, "s": ["x", "y"] * len(values)}), Schema(["q"], "s"))
    expected = {(value or "").strip(" \t\r\n\v\f") or "(missing)" for value in values}
    assert table.cells()["q"] == sorted(expected)


def test_decimals_keep_every_digit() -> None:
    long = [Decimal(10**17 + i) for i in range(1, 5)]
    assert column_levels(long, None) == [str(value) for value in long]
    assert column_levels([value.scaleb(-10) for value in long], None)[0] == "10000000.0000000001"
    short = [Decimal(text) for text in ("1.50", "-20.00", "0.00", "100.00")]
    assert column_levels([*short, None], None) == ["1.5", "-20", "0", "100", MISSING]
    assert column_levels(short, 10) == ["[0, 10)", "[-20, -10)", "[0, 10)", "[100, 110)"]
    frame = pa.table({"id": long, "a": list("xyxy"), "y": list("pqpq")})
    assert read_table(frame, Schema(["a"], "y", unit="id")).n_records == 4
    declared = Schema(["a"], "id", universe={"id": [*long, Decimal("7.50")]})
    assert read_table(frame, declared).labels == (*map(str, long), "7.5")


@pytest.mark.parametrize("as_text", [False, True])
def test_bins_of_one_width(as_text: bool) -> None:
    numbers = [0, 4.999, 5, -0.1, -5, 123]
    values = [f" {number} " for number in numbers] if as_text else [float(number) for number in numbers]
    assert column_levels(values, 5) == ["[0, 5)", "[0, 5)", "[5, 10)", "[-5, 0)", "[-5, 0)", "[120, 125)"]


def test_bins_of_a_decimal_width_have_exact_bounds() -> None:
    values = [0.0, 0.1, 0.2, 0.3, 0.29, 0.7, -0.1, -0.05, 1.0]
    bounds = [
        "0.0, 0.1",
        "0.1, 0.2",
        "0.2, 0.3",
        "0.3, 0.4",
        "0.2, 0.3",
        "0.7, 0.8",
        "-0.1, 0.0",
        "-0.1, 0.0",
        "1.0, 1.1",
    ]
    assert column_levels(values, 0.1) == [f"[{bound})" for bound in bounds]
    assert column_levels([0.3, 0.24], 0.25) == ["[0.25, 0.50)", "[0.00, 0.25)"]


def test_bins_between_edges_drop_nobody() -> None:
    values = ["-1", "0", "17.9", "18", "1e3", "?", ""]
    labels = ["< 0", "[0, 18)", "[0, 18)", "[18, 65)", ">= 65", MISSING, MISSING]
    assert column_levels(values, [0, 18, 65], missing_values=("?",)) == labels


def test_quantile_bins_split_people_not_values() -> None:
    assert Counter(column_levels(list(range(100)), Quantiles(4))) == {
        "< 25": 25, "[25, 50)": 25, "[50, 75)": 25, ">= 75": 25
    }  # fmt: skip
    counts = pa.table({"x": [1, 2, 3], "s": ["a", "b", "a"], "n": [98, 1, 1]})
    table = read_table(counts, Schema(["x"], "s", bins={"x": Quantiles(2)}), count="n")
    assert table.cells()["x"] == ["< 2", ">= 2"]


@pytest.mark.parametrize(
    ("values", "groups", "sizes"),
    [
        (list(range(1, 9)), 4, [2, 2, 2, 2]),
        (list(range(10)), 4, [2, 3, 2, 3]),  # 2.5 people below each edge cannot be: the lower edge is taken
        ([1, 1, 1, 1, 1, 2], 2, [5, 1]),
        ([1, 2, 2, 2, 2, 2], 2, [1, 5]),
        ([1, 1, 1, 1, 2, 2, 2, 2, 3], 2, [4, 5]),
        ([0, 0, 0, 0, 0, 0, 1, 2], 4, [6, 2]),
        ([7, 7, 7], 4, [3]),
        ([1, 2], 1000, [1, 1]),
    ],
)
def test_quantile_bins_are_as_equal_as_ties_allow(values: list[int], groups: int, sizes: list[int]) -> None:
    by_bin = Counter(column_levels(values, Quantiles(groups)))
    assert [size for _, size in sorted(by_bin.items(), key=lambda item: _lower_bound(item[0]))] == sizes


def _lower_bound(label: str) -> float:
    return float("-inf") if label.startswith("<") else float(label.strip("[>= ").split(",")[0])


@pytest.mark.parametrize("kind", [str, int, float])
def test_values_that_mean_missing_take_no_part_in_quantile_bins(kind: type) -> None:
    values = [kind(value) for value in (1, 2, 3, 4, *[999] * 6)]
    found = column_levels(values, Quantiles(2), missing_values=("999",))
    assert found == ["< 3", "< 3", ">= 3", ">= 3", *[MISSING] * 6]


def test_quantile_bins_of_nothing() -> None:
    assert "has no numbers" in refusal(
        pa.table({"x": ["u", "v"], "s": ["a", "b"]}), Schema(["x"], "s", bins={"x": Quantiles(2)})
    )


@pytest.mark.parametrize("bins", [5, 0.5, [0, 10]])
def test_bins_on_words_say_how_many(bins: Any) -> None:
    frame = pa.table({"x": ["1", TOKEN, TOKEN + "5", "5 " + TOKEN, None, "nan", "inf"], "s": list("abababa")})
    assert "'x' has bins, but 5 of 7 values are not numbers" in refusal(frame, Schema(["x"], "s", bins={"x": bins}))
    infinite = pa.table({"x": [1.0, float("inf"), 1e200], "s": list("aba")})
    assert "of 3 values are not numbers in range" in refusal(infinite, Schema(["x"], "s", bins={"x": 5}))


@pytest.mark.parametrize(
    ("counts", "says"),
    [
        ([1, -1, -2], "2 are negative"),
        ([1, 1.5, 2], "1 are fractional"),
        ([1, None, None], "2 are missing"),
        (["1", TOKEN, ""], "1 are missing, 1 are not numbers"),
        ([1.0, float("inf"), float("nan")], "1 are missing, 1 are not numbers"),
        ([1, 2**60, 1], r"1 are above 2\*\*53"),
        ([1, 2**63 - 1, 1], r"1 are above 2\*\*53"),
        (["1", "9" * 23, "1e60"], r"2 are above 2\*\*53"),
    ],
)
def test_counts_must_be_counts(counts: list[Any], says: str) -> None:
    frame = pa.table({"q": ["x", "y", "z"], "s": ["a", "b", "a"], "n": counts})
    with pytest.raises(
        DataError, match=f"counts in column 'n' must be whole numbers >= 0; of 3 rows.*{says}"
    ) as caught:
        read_table(frame, Schema(["q"], "s"), count="n")
    assert TOKEN not in str(caught.value)


def test_the_rows_kept_are_drawn_uniformly_from_all_rows_of_a_person() -> None:
    """Of rows A, A, B one A is kept with probability 2/3, independently from person to person and salt to salt."""
    people = 600
    rows = {
        "id": [f"p{i}" for i in range(people) for _ in range(3)],
        "q": ["x"] * (3 * people),
        "s": ["A", "A", "B"] * people,
    }
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=1)
    kept = [read_table(pa.table(rows), schema, row_salt=f"salt {i}").counts[0] for i in range(20)]
    assert all(sum(counts) == people for counts in kept)
    draws = 20 * people
    z = (sum(int(counts[0]) for counts in kept) - draws * 2 / 3) / (draws * 2 / 9) ** 0.5
    assert abs(z) < 4
    # Salts differ as much as a binomial count does: within one read people are drawn independently.
    assert 0.4 < np.var([counts[0] for counts in kept]) / (people * 2 / 9) < 2.2


def test_contents_that_read_alike_when_joined_are_told_apart() -> None:
    """The rows ``x|, y`` and ``x, |y`` have hashes of their own, so that the salt alone says which is kept."""
    frame = pa.table({"id": ["p", "p", "r"], "q": ["x|", "x", "x"], "s": ["y", "|y", "y"]})
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=1, universe={"s": ["y", "|y"]})
    for salt in map(str, range(10)):
        first = read_table(frame, schema, row_salt=salt)
        again = read_table(frame.take(pa.array([1, 0, 2])), schema, row_salt=salt)
        assert (first.cells(), first.counts.tolist()) == (again.cells(), again.counts.tolist())


def test_bins_closed_on_the_right_hold_their_upper_bound() -> None:
    values = [0, 5, 5.01, 10, -5, -4.9]
    wide = {"width": 5, "closed": "right"}
    assert column_levels(values, wide) == ["(-5, 0]", "(0, 5]", "(5, 10]", "(5, 10]", "(-10, -5]", "(-5, 0]"]
    fine = {"width": 0.1, "closed": "right"}
    assert column_levels([0.3, 0.30001, 0.1 + 0.2, 0.0], fine) == [
        "(0.2, 0.3]",
        "(0.3, 0.4]",
        "(0.2, 0.3]",
        "(-0.1, 0.0]",
    ]
    edges = {"edges": [0, 5], "closed": "right"}
    assert column_levels(values, edges) == ["<= 0", "(0, 5]", "> 5", "> 5", "<= 0", "<= 0"]


@pytest.mark.parametrize("groups", [2, 5])
def test_quantile_bins_closed_on_the_right_end_where_most_nearly_their_share_of_people_does(groups: int) -> None:
    values = [1, 1, 2, 3, 3, 3, 4, 7, 9, 9, 11]
    below = sorted({(sum(other <= value for other in values), value) for value in values[:-1]})
    nearest = {min(below, key=lambda cut: abs(cut[0] * groups - len(values) * j))[1] for j in range(1, groups)}
    wanted = Edges(tuple(Decimal(edge) for edge in sorted(nearest)), "right")
    assert column_levels(values, Quantiles(groups, "right")) == column_levels(values, wanted)
    assert column_levels([5, 5, 5], Quantiles(groups, "right")) == ["<= 5"] * 3


TEXTS_AS_NUMBERS = [
    "0", "7", "-7", "39", "007", "+5", "-0", " 12", "12 ", "2147483647", "-2147483648", "2147483648", "1e2", "1.0",
    ".5", "5.", "1_000", "0x1F", "١٢", "", " ", "abc", "1e400", "99", "nan", "inf", "1 2", "--1", None,
]  # fmt: skip


@pytest.mark.parametrize("missing_values", [(), ("99", "abc"), ("-7", "007", "2147483647")])
def test_texts_are_numbers_where_the_rule_says_so_however_they_are_read(missing_values: tuple[str, ...]) -> None:
    data = pa.table({"i": list(range(len(TEXTS_AS_NUMBERS))), "x": TEXTS_AS_NUMBERS})
    with opened_source(data, ["i", "x"]) as source:  # in DuckDB, which has a shorter way for most
        column = source.column("x")
        assert levels._is_in_duckdb(column)
        number = levels.as_number(column, missing_values)
        rows = source.relation.select(i=source.column("i"), number=number).order_by("i").to_pyarrow().to_pylist()
    for value, row in zip(TEXTS_AS_NUMBERS, rows, strict=True):
        text = (value or "").strip(" \t\r\n\v\f")
        is_number = text not in missing_values and re.search(levels.NUMBER, text, re.ASCII)
        assert row["number"] == (float(text) if is_number else None), value


def test_a_text_of_no_engine_is_read_the_long_way() -> None:
    table = ibis.table({"x": "string"}, name="t")
    assert not levels._is_in_duckdb(table.x)
    assert "TRY_CAST" not in ibis.to_sql(table.select(n=levels.as_number(table.x)), dialect="postgres").upper()


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"])
@pytest.mark.parametrize("width", ["1", "2", "3", "10", "0.1", "1000000", "5000000000"])
@pytest.mark.parametrize("closed", ["left", "right"])
def test_whole_numbers_of_every_type_are_in_their_bin(dtype: str, width: str, closed: str) -> None:
    bounds = np.iinfo(dtype)
    near = [0, 1, 2, 3, 9, 10, 11, 99, 100, -1, -2, -9, -10, -11, -100, 999_999_999, 10**9, 10**9 + 1, -(10**9)]
    values = sorted({int(bounds.min), int(bounds.max), *(n for n in near if bounds.min <= n <= bounds.max)})
    rule = Width(Decimal(width), closed)
    data = pa.table({"i": list(range(len(values))), "x": pa.array(values, dtype)})
    with opened_source(data, ["i", "x"]) as source:
        key = Key("x", rule).scanned(source.column("x"))
        rows = source.relation.select(i=source.column("i"), key=key).order_by("i").to_pyarrow().to_pylist()
    for value, row in zip(values, rows, strict=True):
        position = Decimal(value) / Decimal(width)
        if abs(abs(position) - 10**9) < Decimal("0.01"):
            continue  # on the edge of what is near, where floating-point numbers decide
        index = math.floor(position) if closed == "left" else math.ceil(position) - 1
        assert row["key"] == (index if abs(position) < 10**9 else NO_NUMBER), value
