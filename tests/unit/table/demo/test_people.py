"""One county and everyone in it: places nest, people are plausible, and neighbours do not matter."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from epsilens.table.demo.people import _choice, _draws, _leaning, county
from epsilens.table.demo.rates import CATEGORIES, GEOGRAPHY, OUTCOMES, OWN_KIND
from tests.support.demo import one


def test_places_are_nested(people: pa.Table) -> None:
    distinct = people.group_by(list(GEOGRAPHY)).aggregate([])
    blocks = distinct["block"].to_pylist()
    assert len(blocks) == len(set(blocks))  # a block lies in one block group, tract and county only
    for inner, outer in zip(GEOGRAPHY[1:], GEOGRAPHY[:-1], strict=True):
        parent: dict[str, str] = {}
        for place, around in zip(distinct[inner].to_pylist(), distinct[outer].to_pylist(), strict=True):
            assert parent.setdefault(place, around) == around
            assert place.rpartition("-")[0] == around


def test_places_have_readable_codes(people: pa.Table) -> None:
    assert people.slice(0, 1).select(list(GEOGRAPHY)).to_pylist() == [
        {"county": "C001", "tract": "C001-T0001", "block_group": "C001-T0001-1", "block": "C001-T0001-1-001"}
    ]


def test_blocks_are_small_and_heavy_tailed(written: Path) -> None:
    mean, median, tiny, largest = one(
        written,
        "SELECT avg(n), median(n), avg(CAST(n <= 5 AS INT)), max(n) "
        "FROM (SELECT count(*) n FROM people GROUP BY block)",
    )
    assert 30 < mean < 40
    assert 14 < median < 22
    assert 0.07 < tiny < 0.16
    assert largest > 400


def test_a_place_begins_with_an_adult(people: pa.Table) -> None:
    block = people["block"].combine_chunks().indices.to_numpy()
    first = np.flatnonzero(np.diff(block, prepend=-1))
    assert people["age"].to_numpy()[first].min() >= 18
    assert len(first) > 5_000


@pytest.mark.parametrize("sensitive", ["income", "disease"])
def test_some_cells_are_homogeneous_and_some_are_not(written: Path, sensitive: str) -> None:
    homogeneous, unique = one(
        written,
        "SELECT avg(CAST(k = 1 AS INT)) FILTER (n >= 3), avg(CAST(n = 1 AS INT)) FROM (SELECT count(*) n, "
        f"count(DISTINCT {sensitive}) k FROM people WHERE age >= 18 GROUP BY block, age // 10, sex)",
    )
    assert 0.05 < homogeneous < 0.5
    assert 0.3 < unique < 0.6


def test_a_county_depends_on_the_seed_and_its_number_alone() -> None:
    once, again, other = county(5, 3), county(5, 3), county(5, 4)
    assert once.places == again.places
    np.testing.assert_array_equal(once.ages, again.ages)
    assert once.places["county"] == ["C004"]
    assert other.places["county"] == ["C005"]
    assert len(other.ages) != len(once.ages) or (other.ages != once.ages).any()


def test_everyone_of_a_county_lives_in_a_place_of_every_level() -> None:
    found = county(2, 0)
    for level in GEOGRAPHY:
        codes = found.place_codes[level]
        assert len(codes) == len(found.ages)
        assert (np.diff(codes) >= 0).all()  # people come in the order of their places
        assert set(codes.tolist()) == set(range(len(found.places[level])))  # and no place is empty
    for inner, outer in itertools.pairwise(reversed(GEOGRAPHY)):
        pairs = set(zip(found.place_codes[inner].tolist(), found.place_codes[outer].tolist(), strict=True))
        assert len(pairs) == len(found.places[inner])
        for place, around in pairs:
            assert found.places[inner][place].startswith(found.places[outer][around] + "-")
    for column, labels in CATEGORIES.items():
        assert 0 <= found.codes[column].min() <= found.codes[column].max() < len(labels)


def test_draws_are_twelve_bits_and_even() -> None:
    drawn = _draws(np.random.SFC64(7), 3, 20_001)
    assert drawn.shape == (3, 20_001)
    assert (drawn.min() >= 0, drawn.max() < OUTCOMES) == (True, True)
    expected = drawn.size / 16
    observed = np.bincount(drawn.ravel() // 256, minlength=16)
    assert ((observed - expected) ** 2 / expected).sum() < 50  # chi-square with 15 degrees of freedom: p = 1e-5
    assert np.bincount(_choice((4, 8, 9), np.arange(OUTCOMES)))[[4, 8, 9]].tolist() == [1366, 1365, 1365]


def test_most_places_are_of_the_kind_around_them() -> None:
    drawn = np.arange(OUTCOMES)
    own = _leaning(drawn, np.ones_like(drawn), np.zeros_like(drawn))
    assert own.mean() == pytest.approx(OWN_KIND, abs=1 / OUTCOMES)
