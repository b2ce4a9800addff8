from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from functools import lru_cache
from itertools import product
from typing import Any, cast

import pyarrow as pa
import pytest

from epsilens.errors import ParameterError
from epsilens.release.statistics import KINDS, statistic_from
from epsilens.release.statistics.kinds import MAX_LEVELS, Mean, Proportion, Proportions, Statistic
from epsilens.table.moments import merged
from epsilens.table.reading.moments import read_moments
from tests.support.released_statistics import ALL

LEVELS = ("f", "m", "x")
SINGLE: tuple[Statistic, ...] = (Mean("a", 0, 10), Proportion("sex", "f"), Proportions("sex", LEVELS))


def numbers(statistic: Statistic, people: Sequence[tuple[float, str]]) -> list[Fraction]:
    return _read(cast("Hashable", statistic), tuple(people))


@lru_cache  # neighbours are compared in pairs, and every data set is in many of them
def _read(statistic: Any, people: tuple[tuple[float, str], ...]) -> list[Fraction]:
    data = pa.table({"a": [float(a) for a, _ in people], "sex": [sex for _, sex in people]})
    found: list[Fraction] = statistic.exact(read_moments(data, statistic.query))
    return found


def distance(one: list[Fraction], other: list[Fraction]) -> float:
    return float(sum(abs(x - y) for x, y in zip(one, other, strict=True)))


def test_exact_values_in_units_of_the_bounds_and_of_the_data() -> None:
    people = [(0.0, "f"), (5.0, "m"), (10.0, "f"), (99.0, "m")]
    mean, share, shares = (numbers(statistic, people) for statistic in SINGLE)
    # 99 is moved to 10; the grid has a middle, so 0, 5 and 10 are on it
    assert mean == [Fraction(5, 8)]
    offset, width = SINGLE[0].units()[0]
    assert offset + width * mean[0] == Fraction(25, 4)
    assert (share, shares) == ([Fraction(1, 2)], [Fraction(1, 2), Fraction(1, 2), Fraction(0)])


@pytest.mark.parametrize("statistic", SINGLE, ids=lambda s: s.kind)
def test_no_substitution_moves_the_numbers_further_than_the_sensitivity(statistic: Statistic) -> None:
    values = [(0.0, "f"), (10.0, "m"), (5.0, "x")]
    moved = [
        distance(numbers(statistic, [*rest, one]), numbers(statistic, [*rest, other]))
        for rest in product(values, repeat=2)
        for one, other in product(values, repeat=2)
    ]
    assert max(moved) == pytest.approx(statistic.sensitivity(3, "substitute"))


@pytest.mark.parametrize("statistic", SINGLE, ids=lambda s: s.kind)
def test_nor_does_one_person_more_where_n_is_the_bound_of_both(statistic: Statistic) -> None:
    values = [(0.0, "f"), (10.0, "m"), (5.0, "x")]
    bound = statistic.sensitivity(2, "add-remove")
    for rest in product(values, repeat=2):
        for one in values:
            less, more = numbers(statistic, list(rest)), numbers(statistic, [*rest, one])
            assert distance(less, more) <= bound + 1e-12


@pytest.mark.parametrize("statistic", ALL, ids=lambda s: s.name)
def test_a_declaration_is_made_again_from_its_plain_values(statistic: Statistic) -> None:
    plain = statistic.to_dict()
    assert plain["kind"] in KINDS
    assert statistic_from(plain) == statistic
    assert len(statistic.units()) == len(statistic.ranges(5)) == len(statistic.entries)


def test_names_are_public_and_tell_statistics_apart() -> None:
    assert [s.name for s in SINGLE] == ["mean(a)", "proportion(sex = f)", "proportions(sex)"]
    assert SINGLE[2].entries == LEVELS
    assert merged([s.query for s in SINGLE]).levels["sex"] == LEVELS


def test_levels_that_were_not_declared_do_not_fit_where_all_levels_are() -> None:
    data = pa.table({"a": [1.0, 2.0], "sex": ["f", "SECRET"]})
    declared, single = Proportions("sex", LEVELS), Proportion("sex", "f")
    left = read_moments(data, declared.query, misfits="leave-out")
    assert (left.n, left.excluded) == (1, 1)
    assert [misfit.to_dict() for misfit in left.left_out.misfits] == [
        {"column": "sex", "why": "not declared", "rows": 1}
    ]
    stays = read_moments(data, declared.query, misfits="neutral")
    assert (stays.n, declared.exact(stays)) == (2, [Fraction(1, 2), Fraction(0), Fraction(0)])
    assert read_moments(data, single.query, misfits="leave-out").n == 2  # the rest is the rest


@pytest.mark.parametrize(
    ("kind", "given", "problem"),
    [
        (Mean, ("a", 1, 0), "lower bound of 'a' must be below"),
        (Mean, ("a", 0, float("inf")), "must be finite"),
        (Proportions, ("sex", ["f"]), "need 2 to 1000 levels, got 1"),
        (Proportions, ("sex", range(MAX_LEVELS + 1)), "got 1001"),
        (Proportions, ("sex", ["f", "f"]), "twice"),
    ],
)
def test_declarations_that_make_no_sense(kind: Any, given: tuple[Any, ...], problem: str) -> None:
    with pytest.raises(ParameterError, match=problem):
        kind(*given)


def test_shares_say_how_they_add_up_where_it_is_not_the_simplex() -> None:
    rescaled = Proportions("sex", LEVELS, adding_up="rescale")
    assert rescaled.to_dict()["adding_up"] == "rescale"
    assert statistic_from(rescaled.to_dict()) == rescaled
    assert "adding_up" not in Proportions("sex", LEVELS).to_dict()
    with pytest.raises(ParameterError, match="adding_up must be one of"):
        Proportions("sex", LEVELS, adding_up="halve")
