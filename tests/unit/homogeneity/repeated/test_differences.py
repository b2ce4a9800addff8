"""A table less another, against enumeration of both noises."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest

from epsilens.budget import PureDP
from epsilens.errors import ParameterError
from epsilens.homogeneity import Release
from epsilens.homogeneity.repeated.differences import difference, difference_noise, differences
from epsilens.noise import DiscreteLaplaceNoise, LaplaceNoise
from epsilens.table.harm import Harm
from tests.unit.homogeneity.publishing import table_of

ILLNESS = {"illness": ("flu", "none")}
INCOME = {"income": ("high", "low")}

WIDE, NARROW = DiscreteLaplaceNoise(0.7), DiscreteLaplaceNoise(0.4)
CELLS = {"sex": ["f", "m"]}
STAYED = table_of([(1, 0), (0, 2)], ILLNESS, CELLS)
LEFT = table_of([(0, 2), (1, 1)], ILLNESS, CELLS)
REACH = 12


def test_the_law_of_a_difference_is_the_double_sum() -> None:
    law = difference_noise(WIDE, NARROW, (2, 1))
    points = np.arange(-REACH, REACH + 1)
    wide, narrow = (
        dict(zip(points.tolist(), noise.pmf(points.astype(float)), strict=True)) for noise in (WIDE, NARROW)
    )
    for k in (-3, 0, 1, 5):
        by_hand = sum(wide[a] * wide[b] * narrow.get(a + b - k, 0.0) for a, b in product(wide, wide))
        assert law.pmf(k) == pytest.approx(by_hand, abs=1e-7)
    assert law.variance == pytest.approx(2 * WIDE.variance + NARROW.variance, rel=1e-9)


@pytest.mark.parametrize("match", ["any", "share"])
def test_what_is_left_is_read_with_the_noise_of_both(match: str) -> None:
    everybody = Release.of_several({"stayed": STAYED, "left": LEFT}, WIDE, name="first")
    some = Release(STAYED, NARROW, cohort="stayed", name="second")
    found = difference(everybody, some, match)
    assert found.cohorts == ("left",)
    points = np.arange(-REACH, REACH + 1)
    gap = [
        (int(a - b), pa * pb)
        for a, pa in zip(points, WIDE.pmf(points.astype(float)), strict=True)
        for b, pb in zip(points, NARROW.pmf(points.astype(float)), strict=True)
    ]
    for row, counts in enumerate(LEFT.counts.tolist()):
        risk = 0.0
        for (d0, p0), (d1, p1) in product(gap, gap):
            shown = [counts[0] + d0 >= 1, counts[1] + d1 >= 1]
            if sum(shown) == 1:
                own = counts[shown.index(True)]
                risk += p0 * p1 * ((own > 0) if match == "any" else own / sum(counts))
        assert found.risks[row, 0] == pytest.approx(risk, abs=1e-6)
    for harmful in ({"flu": 2.0}, {"none": 1.0}):  # label by label, as often as it harms
        part = [replace(table, harm=Harm({"illness": harmful})) for table in (STAYED, LEFT)]
        several = Release.of_several({"stayed": part[0], "left": part[1]}, WIDE, name="first")
        weight = next(iter(harmful.values()))
        less = difference(several, Release(part[0], NARROW, cohort="stayed", name="second"), match).risks / weight
        found = replace(found, risks=found.risks - less)
    assert found.risks == pytest.approx(np.zeros(found.risks.shape), abs=1e-12)
    found = difference(everybody, some, match)
    assert found.averages()["illness"] == pytest.approx(
        float(found.risks[:, 0] @ LEFT.counts.sum(axis=1)) / LEFT.n_records
    )


def test_finer_cells_and_joint_labels_are_added_up_first() -> None:
    """The noise of a sum of counts is that of its parts; simulated, for the first cell."""
    fine = table_of(
        [(1, 0, 0, 0), (0, 0, 1, 1), (0, 1, 1, 0)],
        {**ILLNESS, **INCOME},
        {"sex": ["f", "m", "m"], "old": ["n", "n", "y"]},
    )
    stayed = table_of([(1, 0), (1, 3)], ILLNESS, CELLS)
    everybody = Release.of_several({"stayed": stayed, "left": LEFT}, WIDE, name="first")
    found = difference(everybody, Release(fine, NARROW, cohort="stayed", name="second"), "share")
    rng = np.random.default_rng(5)
    draws = 200_000
    wide = WIDE.sample((draws, 2), rng)
    narrow = NARROW.sample((draws, 2, 2), rng).sum(axis=2)  # one fine cell of women, two labels per illness
    estimates = LEFT.counts[0] + wide - narrow
    shown = estimates >= 1
    hit = shown[:, 1] & ~shown[:, 0]  # all who left are ill in the second way
    assert found.risks[0, 0] == pytest.approx(hit.mean(), abs=4 * hit.std() / draws**0.5)


def test_only_tables_of_some_of_the_people_are_taken_off() -> None:
    everybody = Release.of_several({"stayed": STAYED, "left": LEFT}, WIDE, name="first", budget=PureDP(1.0))
    some = Release(STAYED, NARROW, cohort="stayed", name="second")
    assert [(d.larger, d.smaller) for d in differences([everybody, some])] == [("first", "second")]
    assert differences([some]) == []
    with pytest.raises(ParameterError, match="a table of several cohorts and one of some of them"):
        difference(some, everybody)
    with pytest.raises(ParameterError, match="copies must be two whole numbers"):
        difference_noise(WIDE, NARROW, (0, 0))
    with pytest.raises(ParameterError, match="use larger budgets"):
        difference_noise(LaplaceNoise(1e6), NARROW)
