from __future__ import annotations

import math

import pytest

from epsilens.reproduce.p0.cases import Case
from epsilens.reproduce.p0.enumeration import Law, Sizes
from epsilens.reproduce.p0.homogeneous import homogeneous_draw_of_any_size
from epsilens.reproduce.p1.set_risks import (
    over_sets,
    over_sizes,
    printed_negative_binomial,
    printed_poisson,
    right_chance,
    share_of,
    summed,
)


def test_an_empty_set_counts_once_for_every_label() -> None:
    assert share_of(0, (1.0, 0.5, 2.0)) == pytest.approx(3.0)
    assert share_of(2, (1.0, 1.0)) == pytest.approx(2 / 3)


def test_sums_over_sizes_are_right_from_1_on() -> None:
    case = Case(Law("laplace", 1.0), alpha=(0.4, 2.5), sizes=Sizes(1.2, 3.0))
    assert summed(case, right_chance, 1) == pytest.approx(homogeneous_draw_of_any_size(case), rel=1e-9)
    assert summed(case, right_chance, 0) != pytest.approx(summed(case, right_chance, 1), rel=1e-2)


def test_the_misprinted_laws_are_no_laws() -> None:
    sizes = Sizes(0.9, 0.8)
    assert math.fsum(printed_negative_binomial(sizes, n) for n in range(200)) > 1.5
    assert printed_poisson(Sizes(2.0), 1) == pytest.approx(math.exp(-2.0) / 2.0)
    assert printed_negative_binomial(Sizes(2.0), 1) == Sizes(2.0).chance(1)


def test_what_is_asked_of_each_equation() -> None:
    claims = over_sets("laplace", "Eq. (3.1)", "Eq. (3.4)", {"Eq. (3.2)": True, "Eq. (3.5)": False})
    assert [claim.place.where.split(",")[0] for claim in claims] == ["Eq. (3.1)", "Eq. (3.4)", "Eq. (3.2)", "Eq. (3.5)"]
    assert {case.labels for case in claims[2].cases} == {2}
    assert max(case.labels for case in claims[3].cases) == 5
    assert {case.labels for case in over_sizes("gaussian", "Eq. (3.12)", two_only=False).cases} == {2, 3}
