"""Reading people into cells and labels: agreement with a plain count, levels, universes, units, errors."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epsilens.errors import DataError, EpsilensError, EpsilensWarning, ParameterError
from epsilens.table.bins import Quantiles
from epsilens.table.domain import MISSING
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from epsilens.table.reading import store as store_module
from epsilens.table.reading import tables as engine_module
from epsilens.table.reading import vectors as vectors_module
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema

TOKEN = "zqx31337"


def refusal(source: Any, schema: Schema, **options: Any) -> str:
    with pytest.raises(EpsilensError) as caught:
        read_table(source, schema, **options).signatures()
    message = str(caught.value)
    assert "\n" not in message
    assert TOKEN not in message
    assert caught.value.__context__ is None or caught.value.__suppress_context__
    return message


def column_levels(values: list[Any], bins: Any, missing_values: tuple[str, ...] = ()) -> list[str]:
    """The level of each value of a column, one person each."""
    frame = pa.table(
        {
            "x": values,
            "i": [f"{i:04}" for i in range(len(values))],
            "s": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2),
        }
    )
    schema = Schema(["i", "x"], "s", bins={} if bins is None else {"x": bins}, missing_values=missing_values)
    return read_table(frame, schema).cells()["x"]


# -- agreement ------------------------------------------------------------------------------------------------------

words = st.sampled_from(["a", "B", "b", "é", "Z", "ß", "10", "9", "a b", "'", '"', "x|y", "", None])
people = st.lists(st.tuples(words, words, words, words), min_size=1, max_size=60)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(people)
def test_engine_memory_and_plain_counting_agree(rows: list[tuple[str | None, ...]]) -> None:
    levels = [tuple(value or MISSING for value in row) for row in rows]
    labels = sorted({f"{row[2]} | {row[3]}" for row in levels})
    frame = pa.table({name: pa.array([row[i] for row in rows], pa.string()) for i, name in enumerate("pqst")})
    schema = Schema(["p", "q"], ["s", "t"])
    if len(labels) == 1:
        assert "single value" in refusal(frame, schema)
        return
    counter = Counter((row[:2], f"{row[2]} | {row[3]}") for row in levels)
    keys = sorted({row[:2] for row in levels})
    matrix = [[counter[key, label] for label in labels] for key in keys]
    cells = {name: [key[i] for key in keys] for i, name in enumerate("pq")}
    table, memory = read_table(frame, schema), FrequencyTable.from_counts(matrix, labels, cells)

    assert table.labels == memory.labels
    assert table.cells(3) == memory.cells(3)
    for ordered in (True, False):
        for mine, theirs in zip(table.signatures(ordered), memory.signatures(ordered), strict=True):
            np.testing.assert_array_equal(mine, theirs)
    np.testing.assert_array_equal(table.counts, matrix)
    assert table.cells() == cells
    np.testing.assert_array_equal(table.label_totals, memory.label_totals)
    for kept in (["q"], ["q", "p"], []):
        np.testing.assert_array_equal(table.marginal(kept).counts, memory.marginal(kept).counts)
        assert table.marginal(kept).cells() == memory.marginal(kept).cells()
    first = {
        f"{key}": sum(n for (_, label), n in counter.items() if label.split(" | ")[0] == key)
        for key in {row[2] for row in levels}
    }
    if len(first) > 1:
        assert dict(zip(table.attribute("s").labels, table.attribute("s").label_totals.tolist(), strict=True)) == first
    some = memory.signatures(ordered=True)[0][:2]
    assert table.cells_with(some, 4)[0] == memory.cells_with(some, 4)[0]
    np.testing.assert_array_equal(table.cells_with(some, 4)[1], memory.cells_with(some, 4)[1])


@pytest.mark.parametrize(
    ("file", "qids", "sensitive", "cells", "homogeneous", "people", "inside"),
    [
        ("FFcount.csv", ["IR", "MR", "OR", "CR", "CO"], "FF", 78, 54, 250, 142),
        ("bankcount.csv", ["IR", "MR", "FF", "CR", "CO", "OR"], "class", 103, 103, 250, 250),
        (
            "adultcount.csv",
            ["age", "relationship", "education", "race", "sex", "hours-per-week"],
            "income",
            5_009,
            4_044,
            27_504,
            11_112,
        ),
    ],
)
def test_the_papers_count_tables(
    data_dir: Path, file: str, qids: list[str], sensitive: str, cells: int, homogeneous: int, people: int, inside: int
) -> None:
    for count in (sensitive, f"{sensitive}_1"):
        table = read_table(data_dir / file, Schema(qids, sensitive), count=count)
        vectors, multiplicities = table.signatures()
        single = np.count_nonzero(vectors > 0, axis=1) == 1
        assert (table.n_cells, table.n_records) == (cells, people)
        assert multiplicities[single].sum() == homogeneous
        assert multiplicities[single] @ vectors[single].sum(axis=1) == inside


def test_signatures_never_bring_the_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    fetched: list[int] = []
    original = store_module.fetched

    def counting(expression: Any) -> Any:
        result = original(expression)
        fetched.append(result.num_rows)
        return result

    monkeypatch.setattr(store_module, "fetched", counting)
    frame = pa.table({"q": [f"x{i:05}" for i in range(20_000)], "s": ["a", "b"] * 10_000})
    table = read_table(frame, Schema(["q"], "s"))
    assert table.signatures()[1].tolist() == [20_000]
    assert table.n_cells == 20_000
    assert table.cells(limit=3) == {"q": ["x00000", "x00001", "x00002"]}
    assert table.cells_with(np.array([[0, 1]]), 2)[0] == {"q": ["x00001", "x00003"]}
    assert sum(fetched) == 2 + 3 + 2
    assert len(table.counts) == 20_000


def test_many_labels_are_summed_and_regrouped_without_deep_recursion() -> None:
    values = [f"{i:04}" for i in range(600)]
    frame = pa.table({"q": ["x", "y"] * 300, "s": values, "t": ["u" if v < "0500" else "v" for v in values]})
    table = read_table(frame, Schema(["q"], ["s", "t"]))
    assert table.n_labels == 600
    assert table.attribute("t").counts.tolist() == [[250, 50], [250, 50]]


def test_pivot_and_filtered_sums_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = random.Random(7)
    labels = ["Flu", "flu", "FLU", "it's", 'a "b"', "c0", "é"]
    rows = [(rng.choice("xyz"), rng.choice(labels), rng.choice("uv")) for _ in range(300)]
    frame = pa.table({name: [row[i] for row in rows] for i, name in enumerate("qst")})
    schema = Schema(["q"], ["s", "t"], universe={"t": ["u", "v", "w"]}, structural_zeros=[{"q": "x", "t": "w"}])
    tables = []
    for limit in (0, 1_000):
        monkeypatch.setattr(vectors_module, "PIVOT_FROM", limit)
        tables.append(read_table(frame, schema))
    assert tables[0].labels == tables[1].labels
    np.testing.assert_array_equal(tables[0].vectors, tables[1].vectors)
    assert (tables[0].vectors == STRUCTURAL_ZERO).sum() == len(labels)
    assert tables[0].n_records == 300


# -- levels ---------------------------------------------------------------------------------------------------------


def test_texts_are_stripped_and_numbers_keep_their_face() -> None:
    assert column_levels([" 007", "7 ", "\ta b\n"], None) == ["007", "7", "a b"]
    assert column_levels([39, -1, None], None) == ["39", "-1", MISSING]
    assert column_levels([39.0, float("nan"), 0.5, -0.0], None) == ["39", MISSING, "0.5", "0"]
    assert column_levels([True, False, None], None) == ["true", "false", MISSING]


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


def test_missing_values_are_a_level_or_an_error_never_dropped() -> None:
    frame = pa.table({"q": ["x", None, "", "?", " ? "], "s": ["a", "b", None, "a", "b"]})
    table = read_table(frame, Schema(["q"], "s", missing_values=["?"]))
    assert table.n_records == 5
    assert table.cells() == {"q": [MISSING, "x"]}
    assert table.labels == (MISSING, "a", "b")
    assert "'q' is missing in 4 rows" in refusal(frame, Schema(["q"], "s", missing="refuse", missing_values="?"))
    assert "'s' is missing in 1 rows" in refusal(
        frame.select(["s"]).append_column("q", pa.array(list("abcde"))), Schema(["q"], "s", missing="refuse")
    )


def test_joint_labels_are_the_observed_combinations() -> None:
    frame = pa.table({"q": ["x"] * 3, "s": ["a", "b", "b"], "t": ["u", "v", "v"]})
    table = read_table(frame, Schema(["q"], ["s", "t"]))
    assert table.labels == ("a | u", "b | v")
    assert table.label_values == (("a", "u"), ("b", "v"))
    assert table.sensitive == ("s", "t")


def test_joint_labels_with_bars_in_them_stay_apart() -> None:
    frame = pa.table({"q": ["x"] * 2, "s": ["a | b", "a"], "t": ["c", "b | c"]})
    assert len(set(read_table(frame, Schema(["q"], ["s", "t"])).labels)) == 2


# -- universe and structural zeros ----------------------------------------------------------------------------------


def test_declared_values_that_nobody_has_are_labels() -> None:
    frame = pa.table({"q": ["x", "y"], "s": ["a", "a"], "t": ["u", "v"]})
    table = read_table(frame, Schema(["q"], "s", universe={"s": ["b", "a", "c"]}))
    assert table.labels == ("a", "b", "c")
    assert table.counts.tolist() == [[1, 0, 0], [1, 0, 0]]
    joint = read_table(frame, Schema(["q"], ["s", "t"], universe={"s": ["a", "b"]}))
    assert joint.labels == ("a | u", "a | v", "b | u", "b | v")


def test_the_values_of_a_column_are_a_universe() -> None:
    declared: dict[str, Any] = {
        "yes": np.array([True, False]),
        "x": np.array([1, 2], dtype=np.float32),
        "y": [1e16, 1e15],
    }
    frame = pa.table({"yes": [True, False], "x": [1.0, 2.0], "y": [1e16, 1e15], "s": ["a", "b"]})
    table = read_table(frame, Schema(["yes", "x", "y"], "s", universe=declared))
    assert table.cells() == {"yes": ["false", "true"], "x": ["2", "1"], "y": ["1000000000000000.0", "1e+16"]}


def test_undeclared_values_are_counted_not_shown() -> None:
    frame = pa.table({"q": ["x", TOKEN, TOKEN, TOKEN + "2", None], "s": list("ababa")})
    message = refusal(frame, Schema(["q"], "s", universe={"q": ["x", "y"]}))
    assert "'q' has 3 values in 4 rows" in message
    assert "declare '(missing)' as well" in message


def test_structural_zeros_are_marked_in_the_matching_cells() -> None:
    frame = pa.table({"sex": ["f", "m", "m"], "age": [3, 40, 80], "s": ["ok", "ok", "flu"]})
    schema = Schema(
        ["sex", "age"],
        "s",
        bins={"age": [18, 65]},
        universe={"s": ["ok", "flu", "birth"]},
        structural_zeros=[
            {"sex": "m", "s": "birth"},
            {"age": ["< 18", ">= 65"], "s": "birth"},
            {"sex": "f", "age": ">= 65"},
        ],
    )
    table = read_table(frame, schema)
    assert table.labels == ("birth", "flu", "ok")
    assert table.vectors.tolist() == [[STRUCTURAL_ZERO, 0, 1], [STRUCTURAL_ZERO, 1, 0], [STRUCTURAL_ZERO, 0, 1]]
    assert table.counts.min() == 0
    assert table.cells()["sex"] == ["f", "m", "m"]


def test_a_marginal_is_impossible_only_where_all_its_parts_are() -> None:
    frame = pa.table({"a": ["x", "x", "y"], "b": ["1", "2", "1"], "s": ["u", "u", "v"]})
    table = read_table(
        frame, Schema(["a", "b"], "s", structural_zeros=[{"a": "x", "b": "1", "s": "v"}, {"a": "y", "s": "u"}])
    )
    assert table.vectors.tolist() == [[1, STRUCTURAL_ZERO], [1, 0], [STRUCTURAL_ZERO, 1]]
    assert table.marginal(["a"]).vectors.tolist() == [[2, 0], [STRUCTURAL_ZERO, 1]]


def test_a_regrouped_label_is_impossible_only_where_all_its_parts_are() -> None:
    frame = pa.table({"q": ["x", "y"], "s": ["a", "b"], "t": ["u", "v"]})
    universe = {"s": ["a", "b"], "t": ["u", "v"]}
    rules = [{"q": "x", "s": "b"}, {"q": "y", "s": "b", "t": "u"}]
    table = read_table(frame, Schema(["q"], ["s", "t"], universe=universe, structural_zeros=rules))
    assert table.attribute("s").vectors.tolist() == [[1, STRUCTURAL_ZERO], [0, 1]]
    assert table.attribute("t").vectors.tolist() == [[1, 0], [0, 1]]


def test_people_in_a_structural_zero_are_counted_not_shown() -> None:
    frame = pa.table({"q": [TOKEN, TOKEN, "y"], "s": ["a", "b", "a"]})
    assert "structural zero 1 has 2 people" in refusal(frame, Schema(["q"], "s", structural_zeros=[{"q": TOKEN}]))
    assert "structural zero 2 has 1 people" in refusal(
        frame, Schema(["q"], "s", structural_zeros=[{"q": "z"}, {"q": TOKEN, "s": "b"}])
    )


# -- counts and units -----------------------------------------------------------------------------------------------


def test_rows_of_a_count_table_add_up() -> None:
    frame = pa.table({"q": ["x", "x", "y", "z"], "s": ["a", "a", "b", "a"], "n": ["2", " 3 ", "4.0", "0"]})
    table = read_table(frame, Schema(["q"], "s"), count="n")
    assert table.cells() == {"q": ["x", "y"]}
    assert table.counts.tolist() == [[5, 0], [0, 4]]


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


def test_counts_of_nobody() -> None:
    frame = pa.table({"q": ["x", "y"], "s": ["a", "b"], "n": [0, 0]})
    assert "there is nobody to protect" in refusal(frame, Schema(["q"], "s"), count="n")


def test_a_count_column_has_no_other_role() -> None:
    frame = pa.table({"q": ["x", "y"], "s": ["1", "2"], "id": ["1", "2"]})
    assert "cannot hold the counts" in refusal(frame, Schema(["q"], "s"), count="s")
    with pytest.raises(ParameterError, match="cannot have a unit"):
        read_table(frame, Schema(["q"], "s", unit="id"), count="s")


@pytest.mark.parametrize("limit", [1, 2, 5])
def test_people_contribute_at_most_so_many_rows(limit: int) -> None:
    rng = random.Random(3)
    rows = [(f"p{rng.randrange(40)}", rng.choice("xyz"), rng.choice("ab")) for _ in range(200)]
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=limit)

    def table_of(order: list[tuple[str, str, str]], salt: str | None = None) -> FrequencyTable:
        columns = dict(zip(("id", "q", "s"), map(list, zip(*order, strict=True)), strict=True))
        return read_table(pa.table(columns), schema, row_salt=salt)

    table = table_of(rows)
    kept = sum(min(limit, n) for n in Counter(person for person, _, _ in rows).values())
    assert table.n_records == kept
    assert table.dropped_rows == 200 - kept
    assert table.max_rows_per_unit == limit
    shuffled = rng.sample(rows, len(rows))
    assert table.row_salt is not None
    np.testing.assert_array_equal(table_of(shuffled, table.row_salt).counts, table.counts)


def test_the_rows_kept_are_drawn_uniformly_from_all_rows_of_a_person() -> None:
    """Of rows A, A, B one A is kept with probability 2/3, independently from person to person and salt to salt."""
    people = 300
    rows = {
        "id": [f"p{i}" for i in range(people) for _ in range(3)],
        "q": ["x"] * (3 * people),
        "s": ["A", "A", "B"] * people,
    }
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=1)
    kept = [read_table(pa.table(rows), schema, row_salt=f"salt {i}").counts[0] for i in range(40)]
    assert all(sum(counts) == people for counts in kept)
    draws = 40 * people
    z = (sum(int(counts[0]) for counts in kept) - draws * 2 / 3) / (draws * 2 / 9) ** 0.5
    assert abs(z) < 4
    # Salts differ as much as a binomial count does: within one read people are drawn independently.
    assert 0.4 < np.var([counts[0] for counts in kept]) / (people * 2 / 9) < 2.2


def test_a_fresh_secret_salt_chooses_the_rows_of_each_read() -> None:
    rows = {"id": ["p"] * 64, "q": [str(i // 2) for i in range(64)], "s": ["a", "b"] * 32}
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=32)
    first, second = (read_table(pa.table(rows), schema) for _ in range(2))
    assert first.row_salt != second.row_salt
    assert len(first.row_salt or "") == 32
    assert (first.cells(), first.counts.tolist()) != (second.cells(), second.counts.tolist())
    assert read_table(pa.table(rows), Schema(["q"], "s")).row_salt is None
    assert (first.row_salt or "") not in repr(first)


def test_contents_that_read_alike_when_joined_are_told_apart() -> None:
    """The rows ``x|, y`` and ``x, |y`` have hashes of their own, so that the salt alone says which is kept."""
    frame = pa.table({"id": ["p", "p", "r"], "q": ["x|", "x", "x"], "s": ["y", "|y", "y"]})
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=1, universe={"s": ["y", "|y"]})
    for salt in map(str, range(20)):
        first = read_table(frame, schema, row_salt=salt)
        again = read_table(frame.take(pa.array([1, 0, 2])), schema, row_salt=salt)
        assert (first.cells(), first.counts.tolist()) == (again.cells(), again.counts.tolist())


def test_rows_without_a_person_are_refused() -> None:
    frame = pa.table({"id": ["1", None, " "], "q": ["x", "y", "x"], "s": ["a", "b", "a"]})
    assert "2 of 3 rows have no value in the unit column 'id'" in refusal(frame, Schema(["q"], "s", unit="id"))


# -- refusals and warnings ------------------------------------------------------------------------------------------


def test_a_single_label_is_nothing_to_protect() -> None:
    assert "'s' has a single value" in refusal(pa.table({"q": ["x", "y"], "s": [TOKEN, TOKEN]}), Schema(["q"], "s"))


def test_too_many_labels_teach_to_bin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(engine_module, "MAX_LABELS", 10)
    frame = pa.table({"q": ["x"] * 11, "s": [f"{TOKEN}{i}" for i in range(11)]})
    assert "more than 10 values" in refusal(frame, Schema(["q"], "s"))
    assert "bin a numeric attribute" in refusal(frame, Schema(["q"], "s"))


@pytest.mark.parametrize(
    ("values", "distinct"),
    [
        ([i / 2 for i in range(22)], 22),
        ([str(i / 2) for i in range(22)], 22),
        (list(range(101)), 101),
        ([str(i) for i in range(101)] + [None], 101),
        ([f"{i}.0" for i in range(101)], 101),
        ([f"{i}.5e-300" for i in range(1, 23)], 22),
    ],
)
def test_measurements_without_bins_are_warned_about(values: list[Any], distinct: int) -> None:
    frame = pa.table({"x": values, "s": ["a", "b"] * (len(values) // 2) + ["a"] * (len(values) % 2)})
    with pytest.warns(EpsilensWarning, match=f"'x' is numeric with {distinct} distinct values and no bins") as caught:
        read_table(frame, Schema(["x"], "s"))
    assert caught[0].filename == __file__


@pytest.mark.parametrize(
    "values",
    [
        list(range(100)),
        [f"{i}.0" for i in range(100)],
        [f"{i:03}" for i in range(200)],
        [f"w{i}" for i in range(200)],
        [i / 2 for i in range(20)],
    ],
)
def test_categories_are_not_warned_about(values: list[Any]) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        read_table(pa.table({"x": values, "s": ["a", "b"] * (len(values) // 2)}), Schema(["x"], "s"))
    if isinstance(values[0], float):
        read_table(pa.table({"x": values * 5, "s": ["a", "b"] * 50}), Schema(["x"], "s", bins={"x": 1}))


def test_blanks_at_the_ends_of_texts_do_not_count_whatever_they_are() -> None:
    import pyarrow as pa

    values = ["a", " a", "a ", "\ta\n", "a\x0b", "\x0ca", "", "  ", None, "é ", "\u00a0a", "日本 ", "\x00a", " a b "]
    table = read_table(pa.table({"q": values * 2, "s": ["x", "y"] * len(values)}), Schema(["q"], "s"))
    expected = {(value or "").strip(" \t\r\n\v\f") or "(missing)" for value in values}
    assert table.cells()["q"] == sorted(expected)
