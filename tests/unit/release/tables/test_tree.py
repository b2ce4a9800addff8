"""The universal histogram: its ranges, their tables, and what is left of the noise."""

from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.release.fitting.components import Tree, combination_variance
from epsilens.release.tables.tree import OrderedTree, range_label
from epsilens.release.universe import declared_universe, public_schema
from epsilens.release.verification import verify_card
from epsilens.table import Schema
from tests.support.released_tables import LARGE, release, written_rows

BINS = [f"[{low}, {low + 10})" for low in range(0, 50, 10)]
SEXES = ["f", "m"]
ALONE = Schema(["age"], universe={"age": BINS}, bins={"age": 10})
CROSSED = Schema(["sex"], "age", universe={"sex": SEXES, "age": BINS}, bins={"age": 10})


def people() -> pa.Table:
    return pa.table({"age": [3, 12, 14, 25, 37, 44, 45, 46], "sex": ["f", "m", "f", "m", "f", "m", "f", "m"]})


def test_ranges_are_split_as_evenly_as_they_can_be() -> None:
    grown = OrderedTree("age").over(["age"], {"age": BINS})
    assert grown.depths == [
        [(0, 2), (2, 5)],
        [(0, 1), (1, 2), (2, 3), (3, 5)],
        [(0, 1), (1, 2), (2, 3), (3, 4), (4, 5)],
    ]
    assert grown.range_labels[:2] == ("[0, 20)", "[20, 50)")
    assert grown.to_dict() == {"column": "age", "branching": 2, "parts": [2, 4, 5]}
    assert OrderedTree("age", 5).over(["age"], {"age": BINS}).depths == [[(i, i + 1) for i in range(5)]]


def test_tables_nest_and_are_shown_with_the_columns_of_the_release() -> None:
    grown = OrderedTree("age").over(["sex", "age"], {"sex": SEXES, "age": BINS})
    tables = grown.tables(with_root=False)
    assert [title for _, title, _ in tables] == ["", "sex x age in 2 parts", "sex x age in 4 parts", "sex x age"]
    assert [set(a) < set(b) for (a, *_), (b, *_) in itertools.pairwise(tables)] == [True] * 3
    assert [shown for _, _, shown in tables] == [("sex",), *[("sex", "age")] * 3]
    whole = grown.extended(declared_universe(public_schema(CROSSED)))
    assert whole.columns == grown.all_columns == ("sex", "age in 2 parts", "age in 4 parts", "age")
    part, _ = whole.marginal(tables[2][0])
    shown = grown.shown(part)
    assert shown.columns == ("sex", "age")
    assert shown.levels[1] == ("[0, 10)", "[10, 20)", "[20, 30)", "[30, 50)")
    assert shown.n_cells == 8
    alone = OrderedTree("age").over(["age"], {"age": BINS})
    assert [len(alone.tables(with_root=root)) for root in (True, False)] == [4, 3]
    taken = OrderedTree("age").over(["age", "age in 2 parts"], {"age": BINS, "age in 2 parts": ["x", "y"]})
    assert "age in 2 parts'" in taken.all_columns


@pytest.mark.parametrize(
    ("levels", "label"),
    [
        (["a"], "a"),
        (["a", "b", "c"], "a to c"),
        (["[0, 5)", "[5, 7.5)"], "[0, 7.5)"),
        (["< 0", "[0, 18)"], "< 18"),
        (["[18, 65)", ">= 65"], ">= 18"),
        (["< 0", "[0, 18)", ">= 18"], "< 0 to >= 18"),
    ],
)
def test_ranges_of_bins_are_bins(levels: list[str], label: str) -> None:
    assert range_label(levels) == label


@pytest.mark.parametrize("branching", [2, 3])
def test_what_is_released_is_counted_right_and_can_be_verified(tmp_path: Path, branching: int) -> None:
    data = tmp_path / "p.csv"
    data.write_text("age,sex\n" + "".join(f"{a},{s}\n" for a, s in zip(*people().to_pydict().values(), strict=True)))
    released = release(
        data, tmp_path, schema=CROSSED, tree="age", branching=branching, out=tmp_path / "o.csv", budget=PureDP(200.0)
    )
    assert released.columns == ("sex", "age")
    ages = np.array(people()["age"].to_pylist())
    for row in written_rows(tmp_path / "o.csv"):
        sexes = np.array(people()["sex"].to_pylist()) == row["sex"]
        low, high = (row["age"][1:-1].split(", ")) if row["age"] else (0, 50)
        truth = int((sexes & (ages >= float(low)) & (ages < float(high))).sum())
        assert float(row["count"]) == pytest.approx(truth, abs=1e-6)
    assert released.card["tree"]["branching"] == branching
    checks = verify_card(tmp_path / "o.card.json", ledger=tmp_path / "b.db", data=data)
    assert all(check.holds for check in checks)
    assert "Counts of ranges of `age`" in (tmp_path / "o.card.md").read_text()


@pytest.mark.parametrize("neighbours", ["add-remove", "substitute"])
def test_standard_errors_are_those_of_the_tree(tmp_path: Path, neighbours: str) -> None:
    """Against the other home of trees, which knows neither tables nor columns: every range, from its leaves."""
    levels = [f"l{i}" for i in range(8)]
    total = {"public_total": 8} if neighbours == "substitute" else {}
    schema = Schema(["x"], universe={"x": levels})
    data = pa.table({"x": levels})
    released = release(data, tmp_path, schema=schema, tree="x", budget=PureDP(0.5), neighbours=neighbours, **total)
    tree = Tree.over(8)
    variance = released_variance(released)
    spread = np.full(len(tree.parents), variance)
    if neighbours == "substitute":
        spread[tree.root] = 0.0
        assert [table.counts.sum() for table in released.tables] == pytest.approx([8.0] * 3)
        assert released.card["public_total"] == 8
        assert any("is the same for all neighbours" in rule for rule in released.card["rules"]["rows"])
    else:
        assert "public_total" not in released.card
    for table in released.tables:
        width = 8 // table.universe.n_cells
        for cell, error in enumerate(table.standard_errors):
            weights = np.zeros(8)
            weights[cell * width : (cell + 1) * width] = 1.0
            assert error**2 == pytest.approx(combination_variance(tree, weights, spread))


def released_variance(released: Any) -> float:
    (error,) = {table["standard_error"] for table in released.card["mechanism"]["tables"]}
    return float(error) ** 2


def test_halves_of_a_public_total(tmp_path: Path) -> None:
    """Two levels below the public total at epsilon 1: each has scale 4, halves a standard error of 3.26, not 4.61."""
    levels = ["a", "b", "c", "d"]
    released = release(
        pa.table({"x": levels * 250}), tmp_path, schema=Schema(["x"], universe={"x": levels}), tree="x",
        budget=PureDP(1.0), neighbours="substitute", public_total=1000,
    )  # fmt: skip
    halves, leaves = released.tables
    assert halves.counts.sum() == pytest.approx(1000)
    assert halves.standard_errors == pytest.approx([3.2575] * 2, abs=1e-4)
    assert halves.standard_errors[0] == pytest.approx(np.sqrt(released_variance(released) / 3))
    assert leaves.counts[:2].sum() == pytest.approx(halves.counts[0])


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"tree": "sex"}, "tree names 'sex', which is not released"),
        ({"tree": "age", "branching": 1}, "branching must be >= 2"),
        ({"tree": "age", "levels": ["age"]}, "tree says which tables there are; leave out marginals"),
        ({"tree": "age", "neighbours": "substitute"}, "public_total is missing: under substitute the root"),
        ({"tree": "age", "public_total": 8}, "public_total is how many people there are, which is private"),
        ({"public_total": 8, "neighbours": "substitute"}, "public_total is what counts are made to add up to"),
        ({"tree": "age", "public_total": -1, "neighbours": "substitute"}, "public_total must be >= 0"),
        (
            {"marginals": [["age"], []], "public_total": 8, "neighbours": "substitute", "consistent": True},
            "a table of everybody would spend budget on what is known",
        ),
        ({"tree": "age", "rounded": True, "mechanism": "laplace", "allow_continuous": True}, "do not add up"),
    ],
)
def test_what_does_not_hold_together_is_refused(tmp_path: Path, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        release(people(), tmp_path, schema=ALONE, **options)
    assert not (tmp_path / "b.db").exists()


@pytest.mark.parametrize("chosen", [{"where": ["age!=30"]}, {"missing": "drop"}, {"missing": {"age": "drop"}}])
def test_how_many_pass_a_condition_is_not_public(tmp_path: Path, chosen: dict[str, Any]) -> None:
    schema, terms = replace(ALONE, **chosen), {"neighbours": "substitute", "budget": PureDP(1.0)}
    for more, remedy in (
        ({"public_total": 8, "consistent": True}, "leave is private; leave it out"),
        ({"public_total": 8, "tree": "age"}, "leave is private; release the tree with neighbours='add-remove'"),
        ({"tree": "age"}, "leave is private; release the tree with neighbours='add-remove'"),
    ):
        with pytest.raises(ParameterError, match=remedy):
            release(people(), tmp_path, schema=schema, **terms, **more)
    assert release(people(), tmp_path, schema=schema, **terms).tables  # a substituted person moves two counts at most


def test_a_tree_needs_ordered_levels_and_not_too_many_depths(tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="tree needs a declared universe"):
        release(people(), tmp_path, schema=Schema(["age"]), tree="age", threshold_delta=1e-6)
    with pytest.raises(ParameterError, match="tree needs the levels of 'x' declared"):
        OrderedTree("x").over(["x"], {"x": ["one"]})
    with pytest.raises(ParameterError, match="too many depths over 4,096 levels; raise branching"):
        OrderedTree("x").over(["x"], {"x": [str(i) for i in range(4096)]})
    assert len(OrderedTree("x", 4).over(["x"], {"x": [str(i) for i in range(4096)]}).depths) == 6
    with pytest.raises(ParameterError, match="reads like a range of others"):
        OrderedTree("x").over(["x"], {"x": ["b to c", "b", "c"]})


def test_one_table_may_add_up_to_a_public_total(tmp_path: Path) -> None:
    released = release(
        people(), tmp_path, schema=ALONE, neighbours="substitute", consistent=True, public_total=8, budget=PureDP(1.0)
    )
    assert released.tables[0].counts.sum() == pytest.approx(8)
    own = released.card["mechanism"]["tables"][0]["standard_error"]
    assert released.tables[0].standard_errors == pytest.approx([own * np.sqrt(0.8)] * 5)
    assert release(
        people(), tmp_path, schema=ALONE, neighbours="substitute", tree="age", public_total=8, budget=LARGE,
        non_negative=True,
    ).tables[-1].counts == pytest.approx([1, 2, 1, 1, 3])  # fmt: skip
