"""One scan clamps, groups and sums: every source alike, gaps and strangers counted and never shown."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.errors import DataError, EpsilensError, ParameterError
from epsilens.table.moments import MomentsQuery, Variable
from epsilens.table.reading.moments import read_moments
from tests.support.moments import SITES, A, B, mean, people

DROP: Any = "drop"


def test_the_order_of_the_rows_does_not_show() -> None:
    data = people(300)
    order = np.random.default_rng(1).permutation(300)
    query = MomentsQuery((A,), ((A, B),), {"sex": ("f", "m")}, {"site": SITES})
    first = read_moments(pa.table(data), query)
    second = read_moments(pa.table(data).take(pa.array(order)), query)
    assert first.canonical() == second.canonical()


def test_files_databases_and_types_give_the_same(tmp_path: Path) -> None:
    rows = [(1, "x", 1.5), (2, "y", 0.5), (9, "x", 2.5)]
    (tmp_path / "p.csv").write_text("a,s,b\n" + "".join(f"{a},{s},{b}\n" for a, s, b in rows))
    with closing(sqlite3.connect(tmp_path / "p.db")) as connection:
        connection.execute("CREATE TABLE people (a INTEGER, s TEXT, b REAL)")
        connection.executemany("INSERT INTO people VALUES (?, ?, ?)", rows)
        connection.commit()
    table = pa.table({"a": pa.array([1, 2, 9], pa.int8()), "s": ["x", "y", "x"], "b": [1.5, 0.5, 2.5]})
    query = MomentsQuery((A,), ((A, B),), {"s": ("x",)}, {"s": ("x", "y")})
    found = [
        read_moments(table, query),
        read_moments(tmp_path / "p.csv", query),
        read_moments(f"sqlite:///{tmp_path}/p.db", query, table="people"),
    ]
    assert found[0].canonical() == found[1].canonical() == found[2].canonical()
    assert found[0].outside[B] == 1


def test_missing_values_are_refused_left_out_or_replaced_but_never_dropped_silently() -> None:
    table = pa.table({"a": [1.0, None, float("nan"), 4.0], "s": ["x", "x", "y", None]})
    query = MomentsQuery((A,), (), {"s": ("x", "y")})
    with pytest.raises(DataError, match=r"column 'a' is missing in 2 of 4 rows"):
        read_moments(table, query)
    with pytest.raises(DataError, match=r"column 's' is missing in 1 of 4 rows"):
        read_moments(table, query, missing={"a": 0})
    left = read_moments(table, query, missing="exclude")
    assert (left.n, left.excluded, left.dropped, left.missing) == (1, 3, 0, {"a": 2, "s": 1})
    assert mean(left, A) == pytest.approx(1.0)
    filled = read_moments(table, query, missing={"a": 5, "s": "y"})
    assert mean(filled, A) == pytest.approx((1 + 5 + 5 + 4) / 4)
    assert filled.level_counts == {("s", "x"): 2, ("s", "y"): 2}
    with pytest.raises(DataError, match=r"every record of the data frame has a missing value"):
        read_moments(pa.table({"a": pa.array([None], pa.float64())}), MomentsQuery((A,)), missing="exclude")


def test_texts_that_mean_missing() -> None:
    table = pa.table({"a": ["1", "?", "3"]})
    found = read_moments(table, MomentsQuery((A,)), missing="exclude", missing_values=("?",))
    assert found.n == 2
    assert mean(found, A) == pytest.approx(2.0)
    coded = pa.table({"a": [1.0, -9.0, 3.0]})
    assert read_moments(coded, MomentsQuery((A,)), missing="exclude", missing_values=("-9",)).n == 2


@pytest.mark.parametrize("values", [["1", "SECRET", "2"], [1.0, float("inf"), 2.0]])
def test_what_is_no_number_is_counted_and_not_shown(values: list[Any]) -> None:
    with pytest.raises(DataError, match=r"column 'a' must hold numbers; 1 of 3 values are not finite numbers") as error:
        read_moments(pa.table({"a": values}), MomentsQuery((A,)))
    assert "SECRET" not in str(error.value)


def test_rows_of_a_person_are_bounded_and_left_out_rows_do_not_take_their_place() -> None:
    table = pa.table(
        {"a": [1.0, 2.0, None, 4.0, 5.0, 6.0], "who": ["p", "p", "p", "q", "q", "r"]},
    )
    one = read_moments(table, MomentsQuery((A,)), unit="who", missing="exclude")
    assert (one.n, one.excluded, one.dropped) == (3, 1, 2)
    two = read_moments(table, MomentsQuery((A,)), unit="who", max_rows_per_unit=2, missing="exclude")
    assert (two.n, two.excluded, two.dropped) == (5, 1, 0)
    assert mean(two, A) == pytest.approx(3.6)
    # Which row of a person is kept depends on the salt alone, not on the order.
    reverse = table.slice(0, 2).take(pa.array([1, 0]))
    kept = set()
    for salt in map(str, range(8)):
        one_way = read_moments(table.slice(0, 2), MomentsQuery((A,)), unit="who", row_salt=salt)
        assert one_way.row_salt == salt
        other_way = read_moments(reverse, MomentsQuery((A,)), unit="who", row_salt=salt)
        assert one_way.canonical() == other_way.canonical()
        kept.add(round(mean(one_way, A), 6))
    assert kept == {1.0, 2.0}
    assert read_moments(table.slice(0, 2), MomentsQuery((A,)), missing="exclude").row_salt is None
    with pytest.raises(DataError, match=r"1 of 2 rows have no value in the unit column 'who'"):
        read_moments(pa.table({"a": [1.0, 2.0], "who": ["p", None]}), MomentsQuery((A,)), unit="who")


def test_undeclared_groups_and_levels_are_left_over() -> None:
    table = pa.table({"a": [1.0, 2.0, 3.0, 4.0], "site": ["north", "south", "(undeclared)", "mars"]})
    found = read_moments(table, MomentsQuery((A,), ((A, A),), {"site": SITES}, {"site": SITES}))
    assert found.n - sum(found.level_counts["site", level] for level in SITES) == 2
    assert found.sizes("site") == {"north": 1, "south": 1}
    declared = MomentsQuery(groups={"site": ("north", "south", "(undeclared)")})
    assert read_moments(table, declared).sizes("site")["(undeclared)"] == 1


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: read_moments(t, MomentsQuery((Variable("aa", 0, 1),))), r"no column 'aa'; did you mean 'a'\?"),
        (lambda t: read_moments(t, MomentsQuery((A,)), missing=DROP), "missing must be 'refuse', 'exclude' or"),
        (lambda t: read_moments(t, MomentsQuery((A,)), missing={"s": 1}), "missing names column 's', which no"),
        (lambda t: read_moments(t, MomentsQuery((A,)), missing={"a": 11}), "must lie within the column's bounds"),
        (lambda t: read_moments(t, MomentsQuery((A,)), unit="a"), "the unit 'a' names people"),
        (lambda t: read_moments(t.slice(0, 0), MomentsQuery((A,))), "has no records"),
        (lambda t: MomentsQuery(groups={c: tuple(map(str, range(400))) for c in "st"}), "combinations of levels"),
    ],
)
def test_bad_requests(call: Any, message: str) -> None:
    with pytest.raises(EpsilensError, match=message):
        call(pa.table({"a": [1.0], "s": ["x"]}))


def test_bins_and_public_values_in_place_of_missing_ones() -> None:
    data = pa.table({"age": [3, 17, None, 40], "x": [0.0, 1.0, 1.0, 0.0]})
    levels = ("[0, 20)", "[20, 40)", "[40, 60)")
    query = MomentsQuery(variables=(Variable("x", 0, 1),), groups={"age": levels})
    moments = read_moments(data, query, bins={"age": 20}, missing={"age": 30})
    assert moments.sizes("age") == {"[0, 20)": 2, "[20, 40)": 1, "[40, 60)": 1}
    with pytest.raises(ParameterError, match="bins names column 'x', whose levels no statistic uses"):
        read_moments(data, query, bins={"x": 1})
    with pytest.raises(ParameterError, match="must be a number"):
        read_moments(data, query, bins={"age": 20}, missing={"age": "old"})
    with pytest.raises(DataError, match="column 'age' has bins, but 1 of 2 values are not numbers"):
        read_moments(pa.table({"age": ["3", "old"]}), MomentsQuery(levels={"age": levels}), bins={"age": 20})


def test_what_becomes_of_missing_values_may_differ_by_column() -> None:
    table = pa.table({"a": [1.0, None, 3.0, 4.0], "s": ["x", "y", None, "x"]})
    query = MomentsQuery((A,), levels={"s": ("x", "y")})
    left = read_moments(table, query, missing={"a": "exclude", "s": "y"})
    assert (left.n, left.excluded) == (3, 1)
    assert left.level_counts == {("s", "x"): 2, ("s", "y"): 1}
    with pytest.raises(DataError, match="column 's' is missing in 1 of 4 rows"):
        read_moments(table, query, missing={"a": "exclude"})
    with pytest.raises(DataError, match="column 's' is missing in 1 of 4 rows"):
        read_moments(table, query, missing={"a": "exclude", "s": "refuse"})
    assert read_moments(table, query, missing={"a": "exclude", "s": "exclude"}).n == 2
    assert read_moments(table, query, missing="exclude").n == 2
