from __future__ import annotations

import itertools
from typing import Any

import pandas as pd
import pytest

import epsilens as el
from epsilens.choice.whole_universe import over_universe
from epsilens.errors import ParameterError
from epsilens.table import declared_cells as module
from epsilens.table.declared_cells import DeclaredCells, declared_cells, empty_cells

PEOPLE = pd.DataFrame(
    {
        "a": ["x", "x", "z", "z"],
        "b": ["u", "v", "u", "u"],
        "y": ["no", "yes", "no", "no"],
        "w": ["s", "t", "s", "s"],
    }
)
UNIVERSE = {"a": ["x", "z", "w"], "b": ["u", "v", "t"], "y": ["no", "yes", "maybe"], "w": ["s", "t"]}
ZEROS: list[list[dict[str, Any]]] = [
    [],
    [{"a": "w"}],
    [{"a": "w", "b": ["u", "t"]}, {"a": ["w", "z"], "b": "t"}],
    [{"a": "w", "y": "yes"}, {"b": "t", "y": ["no", "maybe"]}, {"b": "t", "y": "yes", "w": "s"}],
    [{"b": "t", "w": "s"}, {"b": "t", "y": "yes"}, {"b": "t", "y": ["no", "maybe"], "a": ["x", "w"]}],
]


def _impossible(cell: dict[str, str], rules: list[dict[str, Any]]) -> bool:
    return any(
        all(cell[name] in ([values] if isinstance(values, str) else values) for name, values in rule.items())
        for rule in rules
    )


@pytest.mark.parametrize("zeros", ZEROS)
@pytest.mark.parametrize("sensitive", [["y", "w"], ["y"]])
def test_counted_as_by_listing_every_cell(zeros: list[dict[str, Any]], sensitive: list[str]) -> None:
    columns = ["a", "b", *sensitive]
    rules = [rule for rule in zeros if set(rule) <= set(columns)]
    universe = {name: UNIVERSE[name] for name in columns}
    table = el.read_table(PEOPLE, el.Schema(["a", "b"], sensitive, universe=universe, structural_zeros=rules or None))
    found = declared_cells(table)
    possible = [
        dict(zip(columns, values, strict=True))
        for values in itertools.product(*(UNIVERSE[name] for name in columns))
        if not _impossible(dict(zip(columns, values, strict=True)), rules)
    ]
    cells = {(cell["a"], cell["b"]) for cell in possible}
    assert found is not None
    assert (found.cells, found.counts, found.further_cells) == (len(cells), len(possible), len(cells) - 3)
    assert found.further_counts == found.counts - int((table.vectors >= 0).sum())
    assert (over_universe(table).vectors >= 0).sum() == len(possible)
    assert empty_cells(table) == len(cells) - 3
    if len(sensitive) > 1:  # a part of the joint table has as many cells
        own = declared_cells(table.attribute("y"))
        assert own is not None
        assert own.cells == len(cells)
        assert own.counts == len({(cell["a"], cell["b"], cell["y"]) for cell in possible})
        assert (over_universe(table.attribute("y")).vectors >= 0).sum() == own.counts


def test_columns_that_are_left_out_have_the_levels_found_and_bins_between_edges_their_own() -> None:
    people = pd.DataFrame({"age": [5, 15, 16], "b": ["u", "v", "u"], "y": ["no", "yes", "no"]})
    table = el.read_table(
        people, el.Schema(["age", "b"], "y", bins={"age": [0, 10, 20]}, universe={"y": ["no", "yes"]})
    )
    assert declared_cells(table) == DeclaredCells(8, 16, 5, 10, ("b",))
    assert over_universe(table).n_cells == 8
    assert DeclaredCells(8, 16, 5, 10, ("b",)).to_dict()["found"] == ["b"]


def test_none_without_a_universe() -> None:
    table = el.read_table(PEOPLE, el.Schema(["a", "b"], "y"))
    assert declared_cells(table) is None
    assert empty_cells(table) == 0
    assert empty_cells(el.FrequencyTable.from_counts([[1, 2], [0, 0]])) == 1


def test_a_thousand_million_cells_are_counted_without_listing_one() -> None:
    names = [f"q{i}" for i in range(5)]
    people = pd.DataFrame({name: ["0", "1"] for name in names} | {"y": ["no", "yes"]})
    universe = {name: [str(i) for i in range(64)] for name in names}
    table = el.read_table(people, el.Schema(names, "y", universe=universe, structural_zeros=[{"q0": "9", "q1": "9"}]))
    found = declared_cells(table)
    assert found is not None
    assert found.cells == 64**5 - 64**3
    assert found.counts == 2 * found.cells


def test_too_many_rules_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MOST_KINDS", 2)
    zeros, universe = [{"a": "w", "b": "u"}, {"a": "z", "b": "v"}], {name: UNIVERSE[name] for name in "aby"}
    table = el.read_table(PEOPLE, el.Schema(["a", "b"], "y", universe=universe, structural_zeros=zeros))
    with pytest.raises(ParameterError, match="structural_zeros tell more than 2 kinds of cells apart"):
        declared_cells(table)
