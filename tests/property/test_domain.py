"""What holds for every domain, whatever its columns and levels."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from epsilens.arrays import CodeArray
from epsilens.release.universe import Universe
from epsilens.table.cells import Cells
from epsilens.table.domain import Domain, level_text

texts = st.text(st.characters(codec="utf-8"), min_size=1, max_size=4)


@st.composite
def domains(draw: st.DrawFn, columns: int = 4) -> Domain:
    names = draw(st.lists(texts, min_size=1, max_size=columns, unique=True))
    levels = [tuple(draw(st.lists(texts, min_size=1, max_size=4, unique=True))) for _ in names]
    return Domain(tuple(names), tuple(levels))


@st.composite
def domains_with_codes(draw: st.DrawFn) -> tuple[Domain, CodeArray]:
    domain = draw(domains())
    rows = draw(st.lists(st.tuples(*(st.integers(0, size - 1) for size in domain.shape)), min_size=1, max_size=12))
    return domain, np.array(rows, dtype=np.int32)


@given(domains())
def test_cells_are_all_combinations_once_in_the_order_of_their_keys(domain: Domain) -> None:
    cells = domain.cells()
    assert len(cells) == domain.size == math.prod(domain.shape)
    assert domain.keys(cells).tolist() == list(range(domain.size))
    assert np.array_equal(np.stack(np.unravel_index(np.arange(domain.size), domain.shape), axis=1), cells)


@given(domains_with_codes())
def test_codes_and_texts_are_the_same_cells(made: tuple[Domain, CodeArray]) -> None:
    domain, codes = made
    for j, name in enumerate(domain.columns):
        written = [domain.levels[j][code] for code in codes[:, j]]
        assert np.array_equal(domain.coded(name, written), codes[:, j])
        assert domain.position(name, written[0]) == codes[0, j]


@given(domains_with_codes(), st.data())
def test_a_projection_keeps_everybody_and_the_order_of_cells(
    made: tuple[Domain, CodeArray], data: st.DataObject
) -> None:
    domain, codes = made
    kept = data.draw(st.lists(st.sampled_from(domain.columns), unique=True))
    counts = np.arange(1, len(codes) + 1, dtype=np.int64)
    distinct, group = domain.distinct(codes)
    cells = Cells(domain, distinct, np.bincount(group, counts).astype(np.int64))
    marginal = cells.marginal(kept)
    assert marginal.people == cells.people
    keys = marginal.domain.keys(marginal.codes)
    assert (np.diff(keys) > 0).all()
    assert marginal.domain == domain.project(kept)
    assert domain.project(kept).merge(domain.project([c for c in domain.columns if c not in kept])).size == domain.size


@given(domains_with_codes())
def test_the_fingerprint_depends_neither_on_the_order_of_cells_nor_on_unused_levels(
    made: tuple[Domain, CodeArray],
) -> None:
    domain, codes = made
    distinct, group = domain.distinct(codes)
    counts = np.bincount(group).astype(np.int64)
    cells = Cells(domain, distinct, counts)
    turned = Cells(domain, distinct[::-1].copy(), counts[::-1].copy())
    used, again = domain.used(distinct)
    assert cells.fingerprint == turned.fingerprint == Cells(used, again, counts).fingerprint
    assert Cells(domain, distinct, counts + 1).fingerprint != cells.fingerprint


@given(domains_with_codes())
def test_a_universe_finds_its_own_cells_and_no_others(made: tuple[Domain, CodeArray]) -> None:
    domain, codes = made
    distinct, _ = domain.distinct(codes)
    universe = Universe(domain, distinct)
    assert universe.positions(distinct).tolist() == list(range(len(distinct)))
    found = universe.positions(domain.cells())
    assert (found >= 0).sum() == universe.n_cells
    assert universe.complete == (universe.n_cells == domain.size)
    texts_sorted = universe.sorted_by_text()
    rows = [tuple(texts_sorted.levels[j][c] for j, c in enumerate(row)) for row in texts_sorted.codes]
    assert rows == sorted(tuple(domain.levels[j][c] for j, c in enumerate(row)) for row in distinct)


@given(domains_with_codes(), st.data())
def test_a_structural_zero_rules_out_exactly_its_combinations(
    made: tuple[Domain, CodeArray], data: st.DataObject
) -> None:
    domain, codes = made
    named = data.draw(st.lists(st.sampled_from(domain.columns), unique=True, min_size=1))
    rule = {name: data.draw(st.sets(st.sampled_from(domain.levels_of(name)), min_size=1)) for name in named}
    matched = domain.matches({name: sorted(levels) for name, levels in rule.items()}, codes)
    for row, hit in zip(codes, matched, strict=True):
        level = {name: domain.levels[j][row[j]] for j, name in enumerate(domain.columns)}
        assert hit == all(level[name] in levels for name, levels in rule.items())


@given(st.one_of(st.booleans(), st.integers(), st.floats(), texts, st.none()))
def test_a_level_that_was_written_is_written_the_same_again(value: object) -> None:
    once = level_text(value)
    assert level_text(once) == once.strip() == once
