"""Reading people into cells and labels: agreement with a plain count, levels, universes, units, errors."""

from __future__ import annotations

import random
import warnings
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from epsilens.errors import EpsilensWarning, ParameterError
from epsilens.table.domain import MISSING
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from epsilens.table.reading import tables as engine_module
from epsilens.table.reading.tables import read_table
from epsilens.table.schema import Schema
from tests.support.reading import TOKEN, refusal

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


# -- levels ---------------------------------------------------------------------------------------------------------


def test_missing_values_are_a_level_or_an_error_never_dropped() -> None:
    frame = pa.table({"q": ["x", None, "", "?", " ? "], "s": ["a", "b", None, "a", "b"]})
    table = read_table(frame, Schema(["q"], "s", missing_values=["?"]))
    assert table.n_records == 5
    assert table.cells() == {"q": [MISSING, "x"]}
    assert table.labels == (MISSING, "a", "b")
    assert "'q' is missing in 4 rows" in refusal(frame, Schema(["q"], "s", missing="refuse", missing_values="?"))
    assert "'s' is missing in 1 row" in refusal(
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


def test_people_in_a_structural_zero_are_counted_not_shown() -> None:
    frame = pa.table({"q": [TOKEN, TOKEN, "y"], "s": ["a", "b", "a"]})
    assert "structural zero 1 has 2 people" in refusal(frame, Schema(["q"], "s", structural_zeros=[{"q": TOKEN}]))
    assert "structural zero 2 has 1 person" in refusal(
        frame, Schema(["q"], "s", structural_zeros=[{"q": "z"}, {"q": TOKEN, "s": "b"}])
    )


# -- counts and units -----------------------------------------------------------------------------------------------


def test_rows_of_a_count_table_add_up() -> None:
    frame = pa.table({"q": ["x", "x", "y", "z"], "s": ["a", "a", "b", "a"], "n": ["2", " 3 ", "4.0", "0"]})
    table = read_table(frame, Schema(["q"], "s"), count="n")
    assert table.cells() == {"q": ["x", "y"]}
    assert table.counts.tolist() == [[5, 0], [0, 4]]


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


def test_a_fresh_secret_salt_chooses_the_rows_of_each_read() -> None:
    rows = {"id": ["p"] * 64, "q": [str(i // 2) for i in range(64)], "s": ["a", "b"] * 32}
    schema = Schema(["q"], "s", unit="id", max_rows_per_unit=32)
    first, second = (read_table(pa.table(rows), schema) for _ in range(2))
    assert first.row_salt != second.row_salt
    assert len(first.row_salt or "") == 32
    assert (first.cells(), first.counts.tolist()) != (second.cells(), second.counts.tolist())
    assert read_table(pa.table(rows), Schema(["q"], "s")).row_salt is None
    assert (first.row_salt or "") not in repr(first)


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
