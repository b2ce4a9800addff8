from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

import epsilens as el
from epsilens.arrays import FloatArray
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.solving import solved
from epsilens.errors import ParameterError

TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 5]], ["no", "yes"])
DIAL = risk_dial(TABLE, "laplace", MeanRisk())


def test_the_ends_of_the_safe_set_have_the_risk_of_the_ceiling() -> None:
    lowest, highest = sorted(DIAL.limits)
    ceiling = 0.5 * (lowest + highest)
    found = solved(DIAL, ceiling)
    assert found.budget is not None
    assert found.safe_set[0].low == 0.0
    assert DIAL.risk(found.budget) == pytest.approx(ceiling, abs=1e-9)
    assert DIAL.risk(found.budget) <= ceiling
    assert found.floor <= min(DIAL.limits)


def test_everything_and_nothing() -> None:
    assert solved(DIAL, 1.0).budget == math.inf
    nothing = solved(DIAL, 1e-6)
    assert (nothing.safe_set, nothing.budget) == ((), None)
    assert nothing.floor > 1e-6


def test_a_range_of_ones_own() -> None:
    assert solved(DIAL, 1.0, (0.1, 2.0)).scan.budgets[[0, -1]].tolist() == pytest.approx([0.1, 2.0])
    with pytest.raises(ParameterError, match="the search must ascend, got 2 to 1"):
        solved(DIAL, 0.5, (2.0, 1.0))
    classic = risk_dial(TABLE, "gaussian", MeanRisk(), delta=1e-6)
    with pytest.raises(ParameterError, match="mechanism 'gaussian' holds for epsilon < 1"):
        solved(classic, 0.5, (0.1, 2.0))


SHAPES = (
    [[3, 0], [1, 2], [0, 5]],
    [[1, 1, 0, 0], [40, 0, 0, 0], [2, 1, 1, 0]],  # falls and rises: pairs look alike under much noise
    [[1, 0, 0, 0, 0, 0, 0, 0], [60, 30, 20, 9, 5, 3, 1, 1]],
)


@pytest.mark.parametrize("counts", SHAPES)
@pytest.mark.parametrize("mechanism", ["laplace", "discrete-laplace", "gaussian-analytic"])
def test_no_crossing_is_missed_and_few_budgets_are_looked_at(counts: list[list[int]], mechanism: str) -> None:
    """Against a dense grid, at ceilings all over the range of the risk, among them next to its turning points."""
    delta = 1e-5 if mechanism == "gaussian-analytic" else None
    dial = risk_dial(el.FrequencyTable.from_counts(counts), mechanism, MeanRisk(), delta=delta)
    low, high = dial.default_range()
    grid = np.geomspace(low, high, 700)
    dense = dial.risks([float(value) for value in grid])
    ceilings = [*np.quantile(dense, [0.1, 0.5, 0.9]), dense.min() + 1e-6, dense.max() - 1e-6]
    for ceiling in ceilings:
        told: list[int] = []
        found = solved(replace(dial), float(ceiling), (low, high), progress=told.append)
        for value, risk in zip(grid, dense, strict=True):
            inside = any(value in interval for interval in found.safe_set)
            assert inside == (risk <= ceiling) or abs(risk - ceiling) < 1e-12
        assert sum(told) <= 600  # 140 of them the first grid; a ceiling that is only just met takes most
        assert found.scan.undetected is not None
        assert found.scan.undetected <= 1e-9


def test_a_risk_is_computed_once_whoever_asks() -> None:
    asked: list[object] = []

    def counted(noises: tuple[el.LaplaceNoise, ...]) -> FloatArray:
        asked.append(noises[0])
        return DIAL.kind_risks(noises)

    dial = replace(DIAL, kind_risks=counted)  # type: ignore[arg-type]
    first = solved(dial, 0.4)
    looked = len(asked)
    assert len(set(map(repr, asked))) == looked < 170
    assert solved(dial, 0.4).safe_set == first.safe_set
    assert len(asked) == looked
