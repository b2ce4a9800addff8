"""The comparison: equal epsilon, equal risk, exactness, reproducibility."""

from __future__ import annotations

import math
import os
import signal
from typing import Any

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.choice.comparison import CRITERIA, _computed, audits_of, compare, task_count
from epsilens.errors import EpsilensError, ParameterError
from epsilens.noise import DiscreteGaussianNoise
from tests.support.avoidance import towns_by_age


@pytest.fixture(scope="module")
def table() -> el.FrequencyTable:
    return towns_by_age()


def test_equal_epsilon(table: el.FrequencyTable) -> None:
    done: list[int] = []
    result = compare(table, "all", (0.5, 2.0), 6, k=3, swap=["town"], group="town", progress=done.append)
    assert len(result.rows) == 10 * 2 + 12
    assert sum(done) == task_count("all", (0.5, 2.0), 6, False)
    frame = result.to_pandas()
    assert {"system", "epsilon", "delta", "bias_l1", "fairness", *CRITERIA} <= set(frame.columns)
    by_name = {(row["system"], row["epsilon"]): row for row in result.rows}
    laplace = by_name["laplace", 0.5]
    histogram = av.Histogram.of(table)
    exact = av.NoisyCounts.as_published("laplace", 0.5)
    assert laplace["bias_l1"] == pytest.approx(av.bias_l1(exact.bias(histogram)))
    assert laplace["bias_l1_se"] == 0.0
    moments = exact.moments(histogram)
    assert laplace["rmse"] == pytest.approx(math.sqrt(np.mean(moments.bias**2 + moments.variance)))
    assert by_name["dp-k-anonymity", 0.5]["bias_l1_se"] > 0
    assert not by_name["dp-k-anonymity", 0.5]["exact_bias"]
    assert by_name["dp-swapping", 2.0]["delta"] == 1.0
    assert by_name["dp-swapping", 2.0]["delta_qid"] == av.DPSwapping(2.0, 4).delta("qid")
    assert by_name["suppression", None]["published_delta"] is None
    for row in result.rows:
        for name in ("tvd_1", "tvd_2", "tvd_3", "accuracy", "homogeneity_risk", "posterior_risk"):
            assert 0.0 <= row[name] <= 1.0 + 1e-9, (row["system"], name)
    groups = [line for line in result.groups if (line["system"], line["epsilon"]) == ("laplace", 0.5)]
    assert sum(line["bias"] for line in groups) == pytest.approx(exact.bias(histogram).sum())
    assert result.to_dict()["label"] == "internal"
    assert result.to_rows() == result.rows


def test_the_result_depends_on_the_seed_only(table: el.FrequencyTable) -> None:
    options = {
        "systems": ["laplace", "dp-k-anonymity"],
        "epsilons": [1.0],
        "repetitions": 44,
        "k": 3,
        "classify": False,
    }
    once = compare(table, **options)  # type: ignore[arg-type]
    again = compare(table, **options, n_jobs=2)  # type: ignore[arg-type]
    other = compare(table, **options, seed=7)  # type: ignore[arg-type]
    assert once.rows == again.rows
    assert once.rows != other.rows


class _Ends:
    """A task that ends the process which receives it."""

    def __reduce__(self) -> tuple[Any, ...]:
        return os._exit, (9,)


def test_a_process_that_is_ended_from_outside_is_told() -> None:
    with pytest.raises(EpsilensError, match=r"^one of the processes .*; take fewer with `?n_jobs`?$"):
        list(_computed([[_Ends()], [_Ends()]], 2))  # type: ignore[list-item]


def test_ctrl_c_is_heard_again_once_processes_have_started(table: el.FrequencyTable) -> None:
    compare(table, ["laplace"], [1.0], 44, classify=False, n_jobs=2)
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())


def test_equal_risk(table: el.FrequencyTable) -> None:
    result = compare(table, "all", repetitions=4, k=3, equal_risk=("posterior", 0.6), classify=False)
    chosen = {row["system"]: row for row in result.rows}
    assert {"laplace", "gaussian", "dp-k-anonymity"} <= set(chosen)
    assert {"dp-swapping", "swapping", "k-anonymity", "suppression"} <= set(result.baseline["left_out"])
    for name in ("laplace", "gaussian", "discrete-laplace"):
        assert chosen[name]["posterior_risk"] == pytest.approx(0.6, abs=1e-4)
        assert chosen[name]["posterior_risk"] <= 0.6
    assert result.settings["basis"] == "posterior risk <= 0.6"


def test_systems_of_your_own_and_audits(table: el.FrequencyTable) -> None:
    mine = av.NoisyCounts(DiscreteGaussianNoise(2.0), clipped=False)
    result = compare(table, [mine, "suppression"], repetitions=3, k=2, with_audit=True)
    assert [row["system"] for row in result.rows] == ["suppression", "discrete Gaussian counts, as they are"]
    assert result.rows[1]["bias_l1"] == 0.0
    assert result.rows[1]["delta"] is None
    assert result.audits == ()
    verdicts = list(audits_of([av.DPSwapping(0.5, 3), av.DPSuppression(3, 0.5)]))
    assert [v.neighbours for v in verdicts] == ["substitute", "qid", "substitute"]


def test_lists_of_settings(table: el.FrequencyTable) -> None:
    done: list[int] = []
    names = ["suppression", "swapping", "laplace"]
    lists: dict[str, list[float]] = {"k": [2, 4], "swapped_share": [0.1, 0.3, 0.5]}
    found = compare(table, names, [1.0], 2, classify=False, progress=done.append, **lists)  # type: ignore[arg-type]
    assert [row["label"] for row in found.rows] == [
        *("suppression k=2", "suppression k=4"),
        *("swapping share=0.1", "swapping share=0.3", "swapping share=0.5", "laplace"),
    ]
    assert sum(done) == task_count(names, [1.0], 2, False, **lists)  # type: ignore[arg-type]
    assert (found.settings["k"], found.settings["base"]) == ([2, 4], 5)
    alone = compare(table, ["suppression"], [1.0], 2, k=4, classify=False).rows[0]
    assert alone["label"] == "suppression"
    assert found.rows[1]["l1_error"] == alone["l1_error"]


def test_theorems_witnesses_and_who_is_dominated(table: el.FrequencyTable) -> None:
    names = ["laplace", "suppression", "dp-swapping"]
    found = compare(table, names, [1.0], 2, k=3, classify=False, with_audit=True, with_theorems=True, bound=500)
    plain = found.to_dict()
    assert [check["theorem"] for check in plain["theorems"]] == [*range(1, 11), 10]
    assert plain["theorems"][0]["symbols"] == {"B": 500}
    assert [witness["system"] for witness in plain["witnesses"]] == ["suppression (algorithm 1)"]
    assert {row["label"]: {other["label"] for other in row["by"]} for row in plain["dominated"]}["dp-swapping"] >= {
        "laplace"
    }
    assert plain["settings"]["bound"] == 500


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"repetitions": 1}, "repetitions must be >= 2"),
        ({"n_jobs": 0}, "n_jobs must be >= 1"),
        ({"epsilons": [0.0]}, "epsilon must be > 0"),
        ({"epsilons": []}, "epsilon needs at least one number"),
        ({"systems": []}, "at least one system"),
        ({"systems": ["laplas"]}, "did you mean 'laplace'"),
        ({"k": 0}, "k must be >= 1, got 0"),
        ({"k": 10_000}, "k must not exceed the number of people"),
        ({"swap": []}, "at least one column to swap"),
        ({"swap": ["twon"]}, "did you mean 'town'"),
        ({"group": "agee"}, "did you mean 'age'"),
        ({"equal_risk": ("risk", 0.1)}, "homogeneity or posterior"),
        ({"equal_risk": ("posterior", 1.5)}, "risk ceiling must lie strictly"),
        ({"prior": 0.0}, "prior must lie strictly"),
        ({"ordered": ["aeg"]}, "did you mean 'age'"),
        ({"systems": ["laplace"], "k": [2, 3]}, "k has several values, but no chosen system depends on it"),
        ({"k": [3, 10_000]}, "k must not exceed the number of people"),
        ({"bound": 2}, "bound must be at least the largest count"),
        ({"equal_risk": ("posterior", 0.7), "with_theorems": True}, "theorems are about given epsilons"),
    ],
)
def test_bad_input(table: el.FrequencyTable, options: dict[str, object], message: str) -> None:
    with pytest.raises(ParameterError, match=message):
        compare(table, **({"systems": "published", "repetitions": 2} | options))  # type: ignore[arg-type]


def test_several_rows_per_person_are_refused() -> None:
    people = {"who": ["a", "a", "b", "c"], "q": ["x", "x", "y", "y"], "ill": ["no", "yes", "no", "yes"]}
    pandas = pytest.importorskip("pandas")
    schema = el.Schema(["q"], "ill", unit="who", max_rows_per_unit=2)
    with pytest.raises(ParameterError, match="one row per person"):
        compare(el.read_table(pandas.DataFrame(people), schema), repetitions=2)
