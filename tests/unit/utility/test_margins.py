"""Many marginals of one table, against each added up from the table."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import epsilens as el
from epsilens.table.frequency import MemoryStore
from epsilens.utility import margins
from epsilens.utility.margins import Margins, planned

NAMES = ("a", "b", "c", "x", "y")


def made(rng: np.random.Generator, impossible: float) -> el.FrequencyTable:
    """Some cells of three quasi-identifiers, two attributes, and counts that cannot be."""
    levels = rng.integers([1, 1, 1, 1, 2], 5)
    every = np.array(list(itertools.product(*(range(n) for n in levels[:3]))))
    cells = every[rng.random(len(every)) < 0.8] if len(every) > 3 else every
    if len(cells) == 0:
        cells = every
    values = tuple((f"x{i}", f"y{j}") for i in range(levels[3]) for j in range(levels[4]))
    counts = rng.poisson(2.0, (len(cells), len(values)))
    counts[rng.random(counts.shape) < impossible] = -1
    counts[0, 0] = 3
    store = MemoryStore(counts, {name: [f"{name}{v}" for v in cells[:, j]] for j, name in enumerate("abc")})
    return el.FrequencyTable(tuple("/".join(v) for v in values), store, ("a", "b", "c"), ("x", "y"), values)


def listed(table: el.FrequencyTable, marginal: tuple[str, ...]) -> dict[tuple[str, ...], tuple[int, int]]:
    """People and counts of every cell of a marginal, one count after another."""
    columns = table.cells()
    found: dict[tuple[str, ...], tuple[int, int]] = {}
    for i, row in enumerate(table.vectors.tolist()):
        for values, count in zip(table.label_values, row, strict=True):
            if count >= 0:
                known = {name: columns[name][i] for name in "abc"} | dict(zip("xy", values, strict=True))
                key = tuple(known[name] for name in marginal)
                people, draws = found.get(key, (0, 0))
                found[key] = people + count, draws + 1
    return dict(sorted(found.items()))


@settings(max_examples=60, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    impossible=st.sampled_from([0.0, 0.3]),
    marginals=st.lists(
        st.permutations(NAMES).flatmap(lambda p: st.integers(1, 5).map(lambda n: tuple(p[:n]))), min_size=1
    ),
    largest=st.sampled_from([1 << 62, 8]),
)
def test_every_marginal_has_the_sums_of_its_counts(
    seed: int, impossible: float, marginals: list[tuple[str, ...]], largest: int
) -> None:
    table = made(np.random.default_rng(seed), impossible)
    found = Margins(table, marginals)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(margins, "_LARGEST_KEY", largest)
        for marginal, truth, draws, size in zip(marginals, found.truth, found.draws, found.sizes, strict=True):
            expected = listed(table, marginal)
            assert [people for people, _ in expected.values()] == truth.tolist()
            assert [number for _, number in expected.values()] == draws.tolist()
            assert size == len(expected)
    several = np.random.default_rng(seed).random((3, len(found.counts)))
    for i, row in enumerate(several):
        one = found.sums(row[None, :])
        assert all(np.array_equal(a[i], b[0]) for a, b in zip(found.sums(several), one, strict=True))


def test_a_plan_reads_less_than_the_table_for_every_marginal() -> None:
    levels = {"region": 500, "age": 10, "sex": 2, "race": 6, "education": 16, "disease": 8}
    counts = 3_000_000
    marginals = [m for ways in (1, 2, 3) for m in itertools.combinations(levels, ways)]
    plan = planned(levels, marginals, counts)
    assert {*marginals} <= {marginal for marginal, _ in plan}
    seen: set[tuple[str, ...] | None] = {None}
    read = 0
    for marginal, source in plan:
        assert source in seen
        assert source is None or set(marginal) < set(source)
        seen.add(marginal)
        read += counts if source is None else min(int(np.prod([levels[name] for name in source])), counts)
    assert read < 6 * counts < len(marginals) * counts


def test_the_same_columns_in_another_order_and_many_columns() -> None:
    plan = planned({"a": 3, "b": 4}, [("a", "b"), ("b", "a"), ("b",), ("a", "b")], 12)
    assert plan == [(("a", "b"), None), (("b",), None), (("b", "a"), ("a", "b"))]
    many = {f"c{i}": 3 for i in range(30)}
    plan = planned(many, [("c1", "c2"), ("c1",), ("c1", "c2", "c3")], 10**6)
    assert plan == [(("c1", "c2", "c3"), None), (("c1", "c2"), ("c1", "c2", "c3")), (("c1",), ("c1", "c2"))]
