"""Where a frequency table or a law of noise is due, anything else is refused in one line that says how to make one.

The functions are found by their annotations, so that a new one cannot be left out.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import epsilens as el
from epsilens.errors import ParameterError

ROOMS = (
    *("avoidance", "choice", "homogeneity", "noise", "posterior", "release", "report", "table", "utility"),
    *("homogeneity.repeated", "homogeneity.published"),
)
TABLE = el.FrequencyTable.from_counts([[3, 0], [1, 2]], labels=["no", "yes"], cells={"sex": ["f", "m"]})
PLAIN: dict[str, Any] = {  # for arguments that are checked before anything else, or needed to get so far
    "epsilon": 1.0,
    "delta": 1e-6,
    "risks": [0.1, 0.2],
    "budgets": [el.PureDP(1.0)],
    "mechanism": "laplace",
    "percent": 50.0,
    "repeats": 2,
    "rng": np.random.default_rng(1),
    "noise": el.LaplaceNoise(1.0),
    "table": TABLE,
    "data": TABLE,
    "terms": 2,
    "moved": 1,
    "threshold": 3,
    "noisy": [1, 2],
    "known": 0,
    "prior": 0.5,
    "true_category": 0,
}
RESULTS = {"CohortRisk", "PublishedStep", "PublishedRisk", "PreparedMeasure", "CellRisk", "FrequencyTable"}
"""Results, which nobody builds by hand; a table is made by ``from_counts`` or read."""


def public_callables() -> Iterator[tuple[str, Callable[..., Any]]]:
    for room in ROOMS:
        module = importlib.import_module(f"epsilens.{room}")
        for name in getattr(module, "__all__", None) or ["local", "expected", "shrinkage", "marginal"]:
            if callable(value := getattr(module, name)) and name not in RESULTS:
                yield f"{room}.{name}", value
    yield "avoidance.Histogram.of", el.avoidance.Histogram.of


def taking(kind: str) -> list[tuple[str, Callable[..., Any], str]]:
    """The public functions with an argument of that kind, and its name."""
    found = []
    for name, function in public_callables():
        try:
            parameters = inspect.signature(function).parameters.values()
        except ValueError:
            continue
        found += [(name, function, p.name) for p in parameters if re.search(rf"\b{kind}\b", str(p.annotation))]
    return [case for case in found if "Callable" not in str(inspect.signature(case[1]).parameters[case[2]].annotation)]


def called_with(function: Callable[..., Any], **given: Any) -> None:
    needed = [p.name for p in inspect.signature(function).parameters.values() if p.default is p.empty]
    function(**{name: PLAIN.get(name) for name in needed} | given)


TABLE_CASES, NOISE_CASES = taking("FrequencyTable"), taking("(?:Any)?Noise")


def test_the_search_finds_what_it_should() -> None:
    tables, noises = {name for name, _, _ in TABLE_CASES}, {name for name, _, _ in NOISE_CASES}
    assert {"homogeneity.local", "choice.assess", "choice.compare", "choice.choose_budget", "table.diagnose"} <= tables
    assert {"homogeneity.published.marginal", "utility.mean_cell_error", "avoidance.Histogram.of"} <= tables
    assert {"homogeneity.local", "posterior.single_level", "avoidance.NoisyCounts", "posterior.tree"} <= noises
    assert len(tables) >= 38
    assert len(noises) >= 45


@pytest.mark.parametrize(("function", "argument"), [pytest.param(f, a, id=name) for name, f, a in TABLE_CASES])
def test_a_data_frame_where_a_table_is_due(function: Callable[..., Any], argument: str) -> None:
    frame = pd.DataFrame({"sex": ["f"], "ill": ["yes"]})
    with pytest.raises(
        ParameterError, match=rf"^{argument} must be a frequency table, not a pandas DataFrame; .*read_tab"
    ):
        called_with(function, **{argument: frame})


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (pl.DataFrame({"a": [1]}), "a polars DataFrame"),
        (pa.table({"a": [1]}), "a pyarrow Table"),
        ([[1, 2]], "a list"),
        (np.eye(2), "a numpy ndarray"),
        ("people.csv", "a path or a text"),
        (Path("people.csv"), "a path or a text"),
        (None, "None"),
        (el.FrequencyTable, "the class FrequencyTable itself"),
        (el.PureDP(1.0), "a PureDP"),
    ],
)
def test_anything_else_where_a_table_is_due(thing: object, said: str) -> None:
    remedy = "make one with read_table(data, schema), or of ready counts with FrequencyTable.from_counts(counts)"
    with pytest.raises(ParameterError) as refused:
        el.risk_curve(thing)  # type: ignore[arg-type]
    assert str(refused.value) == f"table must be a frequency table, not {said}; {remedy}"


@pytest.mark.parametrize(("function", "argument"), [pytest.param(f, a, id=name) for name, f, a in NOISE_CASES])
def test_a_name_where_a_law_of_noise_is_due(function: Callable[..., Any], argument: str) -> None:
    annotation = str(inspect.signature(function).parameters[argument].annotation)
    several = "tuple" in annotation or ("Sequence" in annotation and not annotation.startswith(("Noise", "AnyNoise")))
    wrong = ("laplace", "laplace") if several else "laplace"
    extra = ROOM_FOR_NOISE.get(function.__name__, {})
    with pytest.raises(ParameterError, match=rf"^{argument} must be a law of noise, not 'laplace'; .*calibrate\("):
        called_with(function, **{**extra, argument: wrong})


ROOM_FOR_NOISE: dict[str, dict[str, Any]] = {  # what these functions look at before they look at the noise
    "categories": {"noisy": [1, 2], "known": [0, 1]},
    "expected_categories": {"prior": 3},
    "expected_tree": {"leaf_counts": [1, 0], "parents": [[0, 0]], "target": 0, "rng": np.random.default_rng(1)},
    "expected_two_level": {"parent": 1, "siblings": 2},
    "exceedance_single_level": {"threshold": 1.5},
    "exceedance_two_level": {"parent": 1, "siblings": 2, "threshold": 1.5},
    "postprocessing_risk": {"step": "clipping", "shown_parent": 1},
    "release_risk": {"situations": el.table.Situations.of([[1, 2]], [1])},
    "single_level": {"noisy": 1},
    "two_level": {"noisy": 1, "noisy_parent": 1, "noisy_siblings": 0, "siblings": 2},
    "unique_at_levels": {"noisy": [1, 2]},
    "tree": {"noisy": [[1, 0], [1]], "parents": [[0, 0]], "target": 0},
    "sequence": {"noisy": [1, 2]},
}


@pytest.mark.parametrize(
    ("thing", "said"),
    [
        (0.5, "a float"),
        (None, "None"),
        (el.LaplaceNoise, "the class LaplaceNoise itself"),
        (el.PureDP(1.0), "a PureDP"),
    ],
)
def test_anything_else_where_a_law_is_due(thing: object, said: str) -> None:
    with pytest.raises(ParameterError, match=rf"^noise must be a law of noise, not {said}; "):
        el.homogeneity.local(TABLE, thing)  # type: ignore[arg-type]


def test_a_law_of_ones_own_is_taken() -> None:
    class Own:
        integer_valued = False
        variance = 2.0

        def __getattr__(self, name: str) -> Any:
            return getattr(el.LaplaceNoise(1.0), name)

    assert (el.homogeneity.local(TABLE, Own()) == el.homogeneity.local(TABLE, el.LaplaceNoise(1.0))).all()


def test_an_option_that_a_measure_does_not_take_is_refused_by_name() -> None:
    with pytest.raises(ParameterError, match=r"foo.*takes.*match"):
        el.risk_curve(TABLE, foo=1)
    with pytest.raises(ParameterError, match=r"alpha.*takes.*match"):
        el.risk_curve(TABLE, alpha=[1.0, 1.0])


def test_releases_that_are_not_releases() -> None:
    with pytest.raises(ParameterError, match=r"releases must be releases, not a FrequencyTable; give Release"):
        el.assess_publication([TABLE])  # type: ignore[list-item]
