from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.choice.comparison_entries import Entry
from epsilens.choice.comparison_rows import Task, _worst_error, row_of, simulated
from epsilens.choice.system_risks import ShownPeople
from tests.support.avoidance import random_histogram

REPETITIONS = 300


@pytest.mark.parametrize(
    "system",
    [
        av.NoisyCounts.as_published("laplace", 1.0),
        av.NoisyCounts.as_published("discrete-gaussian", 1.0),
        av.DPSuppression(3, 1.0),
        av.DPSuppression(5, 0.5, "algorithm-2"),
        av.DPSwapping(1.0, 4, ("race",)),
        av.DPSwapping(1.0, 4, ("race",), "algorithm-4"),
        av.Suppression(3),
    ],
    ids=lambda system: system.name,
)
def test_the_exact_l1_error_is_within_five_standard_errors_of_releases(system: av.System) -> None:
    histogram = random_histogram(3)
    done = simulated(Task(system, histogram, (1,), REPETITIONS, None, ()))
    errors = np.array(done["numbers"]["l1_error"])
    row, _ = row_of(Entry("it", system, "epsilon"), histogram, [done, done], [1, 1], None, 0.5, None)
    assert row["exact_l1_error"]
    assert row["l1_error_se"] == 0.0
    error = errors.std() / np.sqrt(REPETITIONS)
    assert abs(errors.mean() - row["l1_error"]) <= 5.0 * error + 1e-9
    assert row["l1_error"] >= row["bias_l1"] - 1e-9


def test_what_has_no_law_is_averaged_and_a_bound_is_used() -> None:
    histogram, system = random_histogram(3), av.KAnonymity(2)
    tasks = [simulated(Task(system, histogram, (1, j), 5, None, (1,))) for j in range(2)]
    row, _ = row_of(Entry("k", system, "epsilon", {"k": 2}), histogram, tasks, [5, 5], None, 0.5, None)
    assert not row["exact_l1_error"]
    assert row["l1_error"] == pytest.approx(np.mean([e for task in tasks for e in task["numbers"]["l1_error"]]))
    assert (row["k"], row["swapped_share"], row["base"], row["noise_variance"]) == (2, None, None, None)
    hidden = av.DPSuppression(3, 0.5)
    done = simulated(Task(hidden, histogram, (1,), 2, None, ()))
    near, far = (
        row_of(Entry("s", hidden, "epsilon"), histogram, [done, done], [1, 1], None, 0.5, bound)[0]
        for bound in (None, 1000)
    )
    assert near["delta"] == hidden.delta(bound=histogram.largest)
    assert far["published_delta"] == hidden.published_delta(1000)


def test_a_release_that_changes_nothing_is_remarked_on() -> None:
    histogram = av.Histogram(np.array([[40, 40]]), ("q", "y"), (("a",), ("0", "1")), ("q",))
    system = av.Swapping(0.5)
    done = simulated(Task(system, histogram, (1,), 3, None, ()))
    row, _ = row_of(Entry("swapping", system, "epsilon"), histogram, [done, done], [1, 1], None, 0.5, None)
    assert row["remarks"][-1] == "changed no count in any of 6 releases"


@pytest.mark.parametrize("name", ["laplace", "dp-suppression", "random-rounding"])
def test_releases_show_whom_the_law_says(name: str) -> None:
    """What is simulated where there is no law is what the law says where there is one."""
    histogram = random_histogram(3)
    system = av.build(name, 1.0, av.Settings(k=3).for_histogram(histogram))
    exact, _ = row_of(_entry(system), histogram, [_done(system, histogram, 2)] * 2, [1, 1], None, 0.5, None)
    silent = _Silent(system)
    tasks = [simulated(Task(silent, histogram, (1, j), 150, None, ())) for j in range(2)]
    row, _ = row_of(_entry(silent), histogram, tasks, [150, 150], None, 0.5, None)
    assert (exact["exact_risk"], row["exact_risk"]) == (True, False)
    for criterion in ("homogeneity_risk", "shown_right", "shown_wrong", "harmful_right", "harmful_wrong"):
        assert abs(row[criterion] - exact[criterion]) <= 5.0 * row[f"{criterion}_se"] + 1e-9, criterion
    for found, told in zip(row["by_value"], exact["by_value"], strict=True):
        assert found["shown_right"] == pytest.approx(told["shown_right"], abs=0.06)
    # the worst of many shares is rather too high, never much too low
    assert row["worst_risk"] >= exact["worst_risk"] - 5.0 * row["worst_risk_se"] - 1e-9
    assert abs(row["people_above_half"] - exact["people_above_half"]) <= 5.0 * row["people_above_half_se"] + 1e-9


def test_where_nothing_is_left_to_chance_risks_are_realised() -> None:
    histogram = random_histogram(3)
    hidden = av.Suppression(3)
    row, _ = row_of(_entry(hidden), histogram, [_done(hidden, histogram, 2)] * 2, [1, 1], None, 0.5, None)
    assert row["realised_risk"]
    assert row["people_above_half"] == round(row["shown_right"] * histogram.n_records)
    assert row["spread"]["bands"][0]["people"] + row["people_above_half"] == histogram.n_records
    assert 0.5 < row["posterior_risk"] <= row["worst_posterior"] == 1.0


@pytest.mark.parametrize("weight", [1.0, 3.0, 12345.678])
def test_the_worst_of_shares_has_a_standard_error_whatever_it_weighs(weight: float) -> None:
    """Large numbers are rounded to twelve digits in more than one way."""
    histogram = random_histogram(3)
    one = ShownPeople.of(histogram, np.ones(histogram.counts.shape).reshape(-1, histogram.counts.shape[-1]))
    for p in np.arange(1, 1_000) / 1_000:
        found = replace(one, weights=np.full(len(one.weights), weight), alone=np.full(one.alone.shape, p))
        error = _worst_error(found, found.spread.worst, 1_000)
        assert error == pytest.approx(weight * np.sqrt(p * (1.0 - p) / 1_000), rel=1e-12)


def _entry(system: av.System) -> Entry:
    return Entry("it", system, "epsilon")


def _done(system: av.System, histogram: av.Histogram, repetitions: int) -> dict[str, Any]:
    return simulated(Task(system, histogram, (1,), repetitions, None, ()))


class _Silent:
    """A system that keeps to itself what it shows: only its releases tell."""

    def __init__(self, system: av.System) -> None:
        self._system = system

    def shown_probabilities(self, source: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        return getattr(self._system, name)
