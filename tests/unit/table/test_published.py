"""Published counts beside true ones: the same cells and labels, with and without a universe."""

from __future__ import annotations

import math
from typing import Any

import pandas as pd
import pytest

from epsilens.errors import DataError
from epsilens.table import FrequencyTable, Schema, read_table
from epsilens.table.published import PublishedCounts, SideBySide, marginal_beside, side_by_side
from epsilens.table.reading.published import read_published

PEOPLE = pd.DataFrame({"sex": ["f", "f", "m", "m", "m"], "ill": ["no", "yes", "no", "no", "no"]})
PUBLISHED = pd.DataFrame({"sex": ["f", "m", "x"], "ill": ["no", "no", "yes"], "n": [0.5, -2.0, 3.5]})


def beside(published: pd.DataFrame = PUBLISHED, **declared: Any) -> SideBySide:
    schema = Schema(["sex"], "ill", **declared)
    return side_by_side(read_table(PEOPLE, schema), read_published(published, schema, count="n"))


def test_the_cells_of_both_tables() -> None:
    side = beside()
    assert side.cells == {"sex": ["f", "m", "x"]}
    assert side.labels == ("no", "yes")
    assert side.truth.tolist() == [[1, 1], [3, 0], [0, 0]]
    assert side.raw.tolist() == [[0.5, 0.0], [-2.0, 0.0], [0.0, 3.5]]
    assert side.listed.tolist() == [[True, False], [True, False], [False, True]]
    assert side.read.tolist() == [[1, 0], [0, 0], [0, 4]]
    assert (side.declared, side.unlisted, side.people) == (False, 0, 5)
    assert side.possible.all()


def test_a_universe_has_every_cell() -> None:
    declared = {"sex": ["f", "m", "x", "y"], "ill": ["no", "yes", "maybe"]}
    side = beside(universe=declared, structural_zeros=[{"sex": "y", "ill": "maybe"}])
    assert side.truth.shape == (4, 3)
    assert side.declared
    assert (side.possible == False).sum() == 1  # noqa: E712
    assert not side.possible[3, side.labels.index("maybe")]


def test_a_blank_is_withheld() -> None:
    side = beside(PUBLISHED.assign(n=[math.nan, 1.0, 2.0]))
    assert side.withheld.sum() == 1
    assert side.known[0, 0] == side.read[0, 0] == 0


def test_a_marginal() -> None:
    schema = Schema(["sex"], "ill")
    counts = read_published(pd.DataFrame({"ill": ["no", "yes"], "n": [5, -1]}), Schema(["ill"]), count="n")
    side = marginal_beside(read_table(PEOPLE, schema), counts)
    assert side.cells == {"ill": ["no", "yes"]}
    assert (side.truth.tolist(), side.raw.tolist()) == ([[4], [1]], [[5.0], [-1.0]])
    assert side.sensitive == ()


def test_levels_that_do_not_fit() -> None:
    with pytest.raises(DataError, match=r"^column 'sex' of the published table has 1 level in 1 cell that"):
        beside(universe={"sex": ["f", "m"]})
    near = PUBLISHED.assign(sex=["femal", "m", "m"], ill=["no", "no", "yes"])
    people = PEOPLE.assign(sex=["female", "female", "m", "m", "m"])
    schema = Schema(["sex"], "ill", universe={"sex": ["female", "m"]})
    with pytest.raises(DataError, match="did you mean 'female'"):
        side_by_side(read_table(people, schema), read_published(near, schema, count="n"))
    with pytest.raises(DataError, match=r"'sex' .* 3 levels, and the truth has 2 others: they share none; .*bins"):
        beside(PUBLISHED.assign(sex=["1", "2", "3"]))


def test_one_of_several_attributes() -> None:
    people = PEOPLE.assign(rich=["a", "b", "a", "a", "b"])
    published = pd.DataFrame({"sex": ["f", "f"], "ill": ["no", "no"], "rich": ["a", "b"], "n": [2.5, -1.0]})
    schema = Schema(["sex"], ["ill", "rich"])
    side = side_by_side(read_table(people, schema), read_published(published, schema, count="n")).attribute("ill")
    assert side.labels == ("no", "yes")
    assert side.truth.tolist() == [[1, 1], [3, 0]]
    assert side.raw.tolist() == [[1.5, 0.0], [0.0, 0.0]]


def test_ready_counts() -> None:
    table = FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["no", "yes"], cells={"sex": ["f", "m"]})
    side = side_by_side(table, PublishedCounts.of([[2.5, -1.0], [0.0, math.nan]], table))
    assert side.raw[0].tolist() == [2.5, -1.0]
    assert side.withheld.tolist() == [[False, False], [False, True]]
    assert (side_by_side(table, PublishedCounts.of(table, table)).raw == table.counts).all()
    unnamed = FrequencyTable.from_counts([[3, 0], [1, 2]])
    assert side_by_side(unnamed, PublishedCounts.of([[1, 2], [3, 4]], unnamed)).cells == {"cell": ["0", "1"]}
    refused: list[tuple[Any, str]] = [
        ([[1, 2]], "shape"),
        ("few", "matrix of num"),
        ([[1, 2], [3, math.inf]], "finite"),
    ]
    for wrong, said in refused:
        with pytest.raises(DataError, match=said):
            PublishedCounts.of(wrong, table)
    with pytest.raises(DataError, match="the published table has the columns cell, label, the truth sex, label"):
        side_by_side(table, PublishedCounts.of(unnamed, unnamed))
