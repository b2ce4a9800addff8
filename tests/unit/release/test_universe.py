from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from epsilens.errors import DataError, ParameterError
from epsilens.release.ledger.seal import sealed
from epsilens.release.universe import (
    Paths,
    declared_universe,
    public_schema,
    table_universe,
    undeclared_columns,
)
from epsilens.table import FrequencyTable, Quantiles, Schema, read_table
from epsilens.table.cells import Cells
from epsilens.table.declared import width_levels
from epsilens.table.reading.misfits import Misfit


def frame() -> object:
    import pyarrow as pa

    return pa.table({"a": ["x", "x", "y"], "b": ["1", "1", "2"], "y": ["n", "p", "n"], "age": [3, 17, 64]})


LEVELS = {"a": ["x", "y", "z"], "b": ["1", "2"], "y": ["n", "p"]}


def test_all_cells_are_there_the_empty_ones_too_the_impossible_ones_not() -> None:
    schema = public_schema(
        Schema(["a", "b"], "y", universe=LEVELS, structural_zeros=[{"a": "z", "y": "p"}, {"a": "y", "b": "1"}])
    )
    universe = declared_universe(schema)
    assert universe.n_cells == 3 * 2 * 2 - 2 - 2
    counts = universe.counts(Cells.of(read_table(frame(), schema)))
    named = {
        tuple(levels[codes[i]] for levels, codes in universe.level_columns().values()): int(n)
        for i, n in enumerate(counts)
    }
    assert {cell: n for cell, n in named.items() if n} == {("x", "1", "n"): 1, ("x", "1", "p"): 1, ("y", "2", "n"): 1}
    assert ("z", "1", "p") not in named
    assert ("z", "1", "n") in named
    assert next(iter(named)) == ("x", "1", "n")


def test_edges_are_public_widths_need_a_range_and_quantiles_are_refused() -> None:
    schema = public_schema(
        Schema(["a", "age"], "y", bins={"age": [18, 65]}, universe={"a": ["x", "y"], "y": ["n", "p"]})
    )
    assert undeclared_columns(schema) == ()
    assert schema.universe_levels["age"] == ("< 18", "[18, 65)", ">= 65")
    narrow = public_schema(Schema(["a", "age"], "y", bins={"age": 20}, universe={"a": ["x", "y"], "y": ["n", "p"]}))
    assert undeclared_columns(narrow) == ("age",)
    assert width_levels(20, 0, 100) == ("[0, 20)", "[20, 40)", "[40, 60)", "[60, 80)", "[80, 100)")
    assert width_levels(0.25, -0.1, 0.5) == ("[-0.25, 0.00)", "[0.00, 0.25)", "[0.25, 0.50)")
    with pytest.raises(ParameterError, match="quantile bins of 'age' are read from the data"):
        public_schema(Schema(["a", "age"], "y", bins={"age": Quantiles(4)}))
    with pytest.raises(ParameterError, match="must ascend"):
        width_levels(5, 10, 10)


@pytest.mark.parametrize("width", [20, 0.25])
def test_the_bins_of_a_range_are_spelt_as_the_reader_spells_them(width: float) -> None:
    universe = {"a": ["x", "y"], "y": ["n", "p"], "age": width_levels(width, 0, 100)}
    schema = public_schema(Schema(["a", "age"], "y", bins={"age": width}, universe=universe))
    assert declared_universe(schema).counts(Cells.of(read_table(frame(), schema))).sum() == 3


def test_columns_that_nest_are_declared_by_their_paths() -> None:
    paths: Paths = {("a", "b"): [("x", "1"), ("y", "2"), ("y", "1")]}
    schema = public_schema(Schema(["a", "b"], "y", universe={"y": ["n", "p"]}), paths)
    universe = declared_universe(schema, paths)
    assert universe.n_cells == 3 * 2
    coarse, group = universe.marginal(["a"])
    assert coarse.n_cells == 2
    assert np.bincount(group).tolist() == [2, 4]
    assert universe.counts(Cells.of(read_table(frame(), schema))).sum() == 3
    elsewhere: Paths = {("a", "b"): [("x", "2"), ("y", "1"), ("y", "2")]}
    cells = Cells.of(read_table(frame(), schema))
    assert declared_universe(schema, elsewhere).counts(cells).sum() == 1
    (misfit,) = declared_universe(schema, elsewhere).misfits(cells)
    assert misfit == Misfit(None, "in a structural zero or on an undeclared path", 2)


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ({("a", "q"): [("x", "1")]}, "names column 'q'|name column 'q'"),
        ({("a", "b"): [("x",)]}, "must have 2 levels"),
        ({("a", "b"): [("x", "1"), ("x", "1")]}, "once each"),
        ({("a", "b"): []}, "at least one"),
    ],
)
def test_bad_paths(paths: Paths, said: str) -> None:
    with pytest.raises(ParameterError, match=said):
        declared_universe(public_schema(Schema(["a", "b"], "y", universe=LEVELS), paths), paths)


def test_people_outside_the_universe_are_not_counted_and_not_named() -> None:
    table = read_table(frame(), Schema(["a", "b"], "y"))
    small = declared_universe(public_schema(Schema(["a", "b"], "y", universe={**LEVELS, "a": ["x", "z"]})))
    assert small.counts(Cells.of(table)).sum() == table.n_records - 1
    assert small.misfits(Cells.of(table)) == (Misfit("a", "not declared", 1),)


def test_universes_that_are_too_large_or_empty() -> None:
    many = [str(i) for i in range(5000)]
    with pytest.raises(ParameterError, match="25,000,000 cells, more than"):
        declared_universe(public_schema(Schema(["a"], "y", universe={"a": many, "y": many})))
    with pytest.raises(ParameterError, match="leave no cell"):
        declared_universe(
            public_schema(Schema(["a"], "y", universe=LEVELS_OF_TWO, structural_zeros=[{"a": ["x", "y"]}]))
        )
    with pytest.raises(ParameterError, match="structural zero 1 names a level of 'a' that nobody declared"):
        declared_universe(public_schema(Schema(["a"], "y", universe=LEVELS_OF_TWO, structural_zeros=[{"a": "w"}])))


LEVELS_OF_TWO = {"a": ["x", "y"], "y": ["n", "p"]}


def test_a_table_made_by_hand_spells_out_its_universe() -> None:
    table = FrequencyTable.from_counts(
        [[3, 0], [0, 0]], labels=["n", "p"], cells={"a": ["x", "y"]}, structural_zeros=[[0, 0], [0, 1]]
    )
    universe = table_universe(table)
    assert universe.n_cells == 3
    assert universe.counts(Cells.of(table)).tolist() == [3, 0, 0]
    with pytest.raises(ParameterError, match="only the cells that exist"):
        table_universe(read_table(frame(), Schema(["a", "b"], "y")))
    read = read_table(frame(), Schema(["a", "b"], "y"))  # few people, who are in memory like a table made by hand
    for derived in (read.marginal(["a"]), read.with_harm("y=p"), replace(read, schema=None)):
        with pytest.raises(ParameterError, match="which is a fact about people"):
            table_universe(derived)
    assert table_universe(table.marginal([])).n_cells == 2
    many = pa.table({"a": ["x"] * 30, "y": [f"y{i}" for i in range(30)], "z": ["u", "v"] * 15})
    with pytest.raises(ParameterError, match="which is a fact about people"):  # many labels, some of them merged
        table_universe(read_table(many, Schema(["a"], ["y", "z"])).attribute("z"))
    twice = FrequencyTable.from_counts([[3, 0], [1, 0]], labels=["n", "p"], cells={"a": ["x", "x"]})
    with pytest.raises(DataError, match="same name"):
        table_universe(twice)


def test_the_fingerprint_knows_the_content_and_nothing_else() -> None:
    table = read_table(frame(), Schema(["a", "b"], "y"))
    declared = read_table(frame(), Schema(["a", "b"], "y", universe=LEVELS))
    first, same = Cells.of(table), Cells.of(declared)
    assert first.fingerprint == same.fingerprint
    other = Cells(first.domain, first.codes, first.counts + 1)
    assert first.fingerprint != other.fingerprint
    salt, another = "00" * 32, "01" * 32
    assert sealed(first.fingerprint, salt) != sealed(first.fingerprint, another)
    assert sealed(first.fingerprint, salt) == sealed(same.fingerprint, salt)
