from __future__ import annotations

import numpy as np
import pytest

from epsilens import avoidance as av
from epsilens.choice.comparison_entries import Entry
from epsilens.choice.comparison_rows import Task, row_of, simulated
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
