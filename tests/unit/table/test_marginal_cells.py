"""The cells of marginals, from the cells of a table."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import epsilens as el
from epsilens.arrays import IntArray, distinct_rows
from epsilens.table.declared_cells import CountsWithin
from epsilens.table.frequency import STRUCTURAL_ZERO
from epsilens.table.marginal_cells import MarginalCells, TableCells, number_of_subsets
from epsilens.table.marginal_counts import FullCounts, PairCounts

PEOPLE = {
    "a": ["x", "x", "y", "y", "x", "z", "z"],
    "b": ["1", "1", "1", "2", "2", "2", "2"],
    "y": ["no", "yes", "no", "no", "no", "yes", "yes"],
}
UNIVERSE = {"a": ["x", "y", "z"], "b": ["1", "2", "3"], "y": ["no", "yes", "unsure"]}
RULES: list[dict[str, object]] = [{"a": "z", "y": "unsure"}, {"b": ["2", "3"], "y": ["unsure"]}, {"a": "y", "b": "3"}]


def read(**roles: object) -> el.FrequencyTable:
    return el.read_table(pd.DataFrame(PEOPLE), el.Schema(["a", "b"], "y", **roles))  # type: ignore[arg-type]


def full(cells: MarginalCells) -> tuple[FullCounts, IntArray]:
    assert isinstance(cells.counts, FullCounts)
    return cells.counts, cells.times


def same(one: MarginalCells, other: MarginalCells) -> None:
    every = [full(x) for x in (one, other, one.kinds())]
    rows = [distinct_rows(np.concatenate([x.vectors, x.parts], axis=1), times) for x, times in every]
    for left, right in [*zip(*rows[:2], strict=True), *zip(*rows[1:], strict=True)]:
        assert left.tolist() == right.tolist()


@pytest.mark.parametrize("columns", [(), ("a",), ("b",), ("b", "a")])
def test_the_engine_and_memory_find_the_same(columns: tuple[str, ...]) -> None:
    for table in (read(), read(universe=UNIVERSE)):
        here, there = TableCells.of(table).marginal(columns), TableCells.of(table, largest=1).marginal(columns)
        same(here, there)
        assert (here.people.sum(), there.people.sum()) == (7, 7)
        assert there.group is None


def test_counts_of_a_marginal_and_how_many_are_added_up() -> None:
    found = TableCells.of(read()).marginal(("a",))
    counts, _ = full(found)
    assert counts.vectors.tolist() == [[2, 1], [2, 0], [0, 2]]
    assert counts.parts.tolist() == [[2, 2], [2, 2], [1, 1]]
    assert found.group is not None
    assert found.group.tolist() == [0, 0, 1, 1, 2]
    whole, _ = full(TableCells.of(read(universe=UNIVERSE)).marginal(("a",)))
    assert whole.parts.tolist() == [[3, 3, 3]] * 3
    assert whole.listed.tolist() == [[2, 2, 2], [2, 2, 2], [1, 1, 1]]
    assert TableCells.of(read(universe=UNIVERSE)).marginal(()).counts.parts.tolist() == [[9, 9, 9]]


@pytest.mark.parametrize("columns", [(), ("a",), ("b",), ("a", "b")])
def test_structural_zeros_are_not_added_up(columns: tuple[str, ...]) -> None:
    table = read(universe=UNIVERSE, structural_zeros=RULES)
    cells = TableCells.of(table)
    found = cells.marginal(columns)
    counts, _ = full(found)
    order = [table.labels.index(label) for label in UNIVERSE["y"]]
    levels = [cells.domain.levels_of(name) for name in columns]
    for i, codes in enumerate(cells.codes_of(found.columns, found.some).tolist()):
        fixed = {name: levels[j][code] for j, (name, code) in enumerate(zip(columns, codes, strict=True))}
        expected = [0, 0, 0]
        for a, b, (k, label) in itertools.product(UNIVERSE["a"], UNIVERSE["b"], enumerate(UNIVERSE["y"])):
            count = {"a": a, "b": b, "y": label}
            within = all(count[name] == value for name, value in fixed.items())
            ruled_out = any(
                all(
                    count[name] in list(values) if isinstance(values, list) else count[name] == values
                    for name, values in rule.items()
                )
                for rule in RULES
            )
            expected[k] += within and not ruled_out
        assert counts.parts[i][order].tolist() == expected
        assert ((counts.vectors[i] == STRUCTURAL_ZERO) == (counts.parts[i] == 0)).all()


@pytest.mark.parametrize("columns", [(), ("a",), ("b",), ("a", "b")])
def test_labels_that_no_rule_tells_apart_have_as_many_counts(columns: tuple[str, ...]) -> None:
    assert not CountsWithin.of(read(universe=UNIVERSE, structural_zeros=RULES)).alike  # type: ignore[union-attr]
    cells = TableCells.of(read(universe=UNIVERSE, structural_zeros=RULES[2:]))
    assert cells.within is not None
    assert cells.within.alike
    found = cells.marginal(columns)
    domain, codes = cells.domain.project(columns), cells.codes_of(columns, found.some)
    expected = cells.within.counts(columns, domain, codes)
    assert expected.max() == {(): 8, ("a",): 3, ("b",): 3, ("a", "b"): 1}[columns]
    assert found.counts.parts.tolist() == expected.tolist()
    as_pairs = replace(cells, counts=PairCounts.of_table(cells.counts.sparse)).marginal(columns)
    assert as_pairs.counts.parts.tolist() == expected[:, 0].tolist()
    assert as_pairs.counts.sparse.dense().tolist() == found.counts.sparse.dense().tolist()


@pytest.mark.parametrize("columns", [(), ("a",), ("b",)])
@pytest.mark.parametrize("rules", [None, RULES])
def test_from_a_finer_marginal(columns: tuple[str, ...], rules: list[dict[str, object]] | None) -> None:
    for table in (read(), read(universe=UNIVERSE, structural_zeros=rules)):
        cells = TableCells.of(table)
        direct = cells.marginal(columns)
        for through in (("a", "b"), *([("a",), ("b",)] if not columns else [])):
            found = cells.marginal(columns, cells.marginal(through))
            here, there = full(found)[0], full(direct)[0]
            assert (here.vectors.tolist(), here.parts.tolist()) == (there.vectors.tolist(), there.parts.tolist())
            assert found.group is not None
            assert direct.group is not None
            assert found.group.tolist() == direct.group.tolist()
            assert (
                cells.codes_of(found.columns, found.some).tolist()
                == cells.codes_of(direct.columns, direct.some).tolist()
            )


def test_how_many_subsets_there_are() -> None:
    assert number_of_subsets(6) == 63
    assert number_of_subsets(30) == 1_073_741_823
    assert number_of_subsets(30, 2) == 30 + 435


@pytest.mark.parametrize("impossible", ["u", "v"])
def test_a_coarser_level_may_have_what_any_of_its_levels_may(impossible: str) -> None:
    schema = el.Schema(
        quasi_identifiers=["a", "b"],
        sensitive="d",
        universe={"a": ["u", "v"], "b": ["x", "y"], "d": ["p", "q"]},
        structural_zeros=[{"a": [impossible], "b": ["x"], "d": ["q"]}],
    )
    rows = {"a": [impossible, "u", "v", "u"], "b": ["x", "y", "y", "y"], "d": ["p", "p", "q", "q"]}
    cells = TableCells.of(el.read_table(pd.DataFrame(rows), schema))
    merged = cells.recoded(0, np.zeros(2, dtype=np.int32))
    assert sorted(full(merged)[0].vectors.tolist()) == [
        [1, 0],
        [1, 2],
    ]  # nobody is in the other cell of x, but a q may be
