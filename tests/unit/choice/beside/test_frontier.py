from __future__ import annotations

import numpy as np
import pytest

import epsilens as el
from epsilens.choice.aggregates import MeanRisk
from epsilens.choice.beside.frontier import at_matched_risk, dominated, frontier_points, lever_effects
from epsilens.choice.choose.dials import risk_dial
from epsilens.choice.choose.recoding import levers, spread_error
from epsilens.errors import ParameterError

CELLS = {"age": ["20", "20", "30", "30", "40", "50"], "sex": ["f", "m", "f", "m", "f", "m"]}
COUNTS = [[3, 0], [1, 2], [0, 4], [2, 2], [0, 1], [5, 0]]
TABLE = el.FrequencyTable.from_counts(COUNTS, ["x", "y"], CELLS)


def test_dominated_against_all_pairs() -> None:
    rng = np.random.default_rng(5)
    risks, errors = rng.integers(0, 8, 60) / 8.0, rng.integers(0, 8, 60) / 8.0
    slow = [
        any(
            risks[j] <= risks[i] and errors[j] <= errors[i] and (risks[j] < risks[i] or errors[j] < errors[i])
            for j in range(60)
        )
        for i in range(60)
    ]
    assert dominated(risks, errors).tolist() == slow


def test_frontier() -> None:
    points = frontier_points(TABLE, ("laplace", "discrete-laplace"), [0.1, 1.0, 5.0])
    assert [(p.mechanism, p.epsilon) for p in points[:3]] == [("laplace", e) for e in (0.1, 1.0, 5.0)]
    noise = el.LaplaceNoise(1.0)
    assert points[1].risk == pytest.approx(el.average(el.homogeneity.local(TABLE, noise), TABLE))
    draws = np.floor(noise.sample(400_000, np.random.default_rng(1)) + 0.5)
    assert points[1].error == pytest.approx(np.abs(draws).mean(), abs=5 * draws.std() / 600)
    with pytest.raises(ParameterError, match="no mechanism holds"):
        frontier_points(TABLE, ["gaussian"], [2.0], delta=1e-6)


def test_matched_risk_is_matched() -> None:
    homogeneous = el.FrequencyTable.from_counts([[4, 0], [1, 0], [0, 6]])
    first, second = (risk_dial(homogeneous, m, MeanRisk()) for m in ("laplace", "discrete-laplace"))
    found = at_matched_risk(first, second, 0.6)
    assert found is not None
    dials = {"laplace": first, "discrete-laplace": second}
    assert dials[found.better].risk(found.better_epsilon) == pytest.approx(0.6, abs=1e-12)
    assert dials[found.worse].risk(found.worse_epsilon) == pytest.approx(0.6, abs=1e-12)
    assert found.better_error < found.worse_error
    assert found.saving == pytest.approx(1 - found.better_error / found.worse_error)
    assert at_matched_risk(first, second, 0.2) is None


def test_lever_effects_are_ranked_and_their_errors_simulated() -> None:
    effects = lever_effects(TABLE, 1.0)
    assert [effect.risk for effect in effects] == sorted(effect.risk for effect in effects)
    names = {effect.name for effect in effects}
    assert {"change nothing", "halve epsilon", "drop age", "drop sex"} <= names
    assert "coarsen levels of age from 4 to 2" in names
    rng, noise = np.random.default_rng(8), el.LaplaceNoise(1.0)
    for lever in levers(TABLE):
        if lever.group_of is None:
            continue
        merged = lever.table.counts
        sizes = np.bincount(lever.group_of)[lever.group_of, None]
        noisy = merged + np.floor(noise.sample((20_000, *merged.shape), rng) + 0.5)
        error = np.abs(noisy[:, lever.group_of] / sizes - TABLE.counts).mean(axis=(1, 2))
        exact = spread_error(TABLE, lever, noise)
        assert exact == pytest.approx(error.mean(), abs=5 * error.std() / np.sqrt(len(error)))
        (found,) = [effect for effect in effects if effect.name == lever.name]
        assert found.error == exact


def test_large_tables_drop_columns_in_the_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    here = {lever.name: lever for lever in levers(TABLE) if lever.kind == "drop"}
    monkeypatch.setattr("epsilens.choice.choose.recoding.LARGEST_IN_MEMORY", 2)
    there = {lever.name: lever for lever in levers(TABLE)}
    assert set(here) == set(there)
    for name, lever in there.items():
        assert lever.group_of is None
        assert lever.levels_before == here[name].levels_before
        assert lever.table.counts.tolist() == here[name].table.counts.tolist()


def test_merged_labels_have_no_error_on_the_original() -> None:
    table = el.FrequencyTable.from_counts([[3, 0, 1], [1, 2, 0]], cells={"age": ["20", "30"]})
    (merge,) = [lever for lever in levers(table) if lever.kind == "merge"]
    assert merge.table.counts.tolist() == [[3, 1], [1, 2]]
    with pytest.raises(ParameterError, match="not known for merged labels"):
        spread_error(table, merge, el.LaplaceNoise(1.0))
    assert [e.error for e in lever_effects(table, 1.0) if e.kind == "merge"] == [None]
