"""Disclosure avoidance systems side by side, at equal epsilon or equal risk.

What has a law is computed from it; what has none is averaged over releases, with a standard error. The random numbers
of a release depend on the seed, the system and the repetition only, so the result is the same however many processes
share the work.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.audit import Audit, audit
from epsilens.avoidance.catalogue import SYSTEMS, Settings, build, chosen_systems
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System, bias_l1, checked_system, fairness, released_counts
from epsilens.choice.choose.equal_risk import RiskCeiling, largest_safe_epsilon
from epsilens.choice.comparison_checks import check_numbers, refuse_no_epsilon, refuse_several_rows
from epsilens.choice.system_risks import (
    homogeneity_of_release,
    homogeneity_risk,
    homogeneity_without_protection,
    posterior_risk,
)
from epsilens.errors import EpsilensError, EpsilensWarning, ParameterError, counted
from epsilens.notebook import data_frame, listed, one_line, rows_html
from epsilens.table.declared import LevelSpec
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.utility import ClassificationTask, marginal_variation
from epsilens.utility.classification import NEEDED, REMEDY, can_classify

CHUNK = 20  # releases per task: enough chunks for standard errors, and work to share
CRITERIA = {
    "delta": "delta at the nominal epsilon",
    "bias_l1": "bias, l1 norm",
    "fairness": "alpha, the spread of biases over cells",
    "rmse": "root mean squared error of a cell",
    "tvd_1": "total variation of 1-way marginals",
    "tvd_2": "total variation of 2-way marginals",
    "tvd_3": "total variation of 3-way marginals",
    "group_fairness": "spread of biases over groups",
    "accuracy": "accuracy of logistic regression",
    "homogeneity_risk": "homogeneity risk",
    "posterior_risk": "posterior risk",
}
"""The columns that are criteria, and what they are; each simulated one has a column ``<name>_se``."""


@dataclass(frozen=True, eq=False)
class Comparison:
    """One row per system and epsilon (``rows``), and per group of a named column besides (``groups``).

    It is computed from true data: internal, not for publication.
    """

    rows: list[dict[str, Any]]
    groups: list[dict[str, Any]]
    baseline: dict[str, Any]
    audits: tuple[Audit, ...] = ()
    settings: dict[str, Any] = field(default_factory=dict)

    def to_rows(self) -> list[dict[str, Any]]:
        """Plain dictionaries, one per system and epsilon."""
        return [dict(row) for row in self.rows]

    def to_pandas(self) -> Any:
        """A pandas data frame; pandas is looked up when asked for and needed for nothing else."""
        return data_frame(self.rows, instead=".rows")

    def __repr__(self) -> str:
        systems = dict.fromkeys(str(row["system"]) for row in self.rows)
        return one_line(self, counted(len(self.rows), "row"), listed(systems))

    def _repr_html_(self) -> str:
        known = [name for name in CRITERIA if any(row.get(name) is not None for row in self.rows)]
        rows = [{name: row.get(name) for name in ("system", "epsilon", *known)} for row in self.rows]
        return rows_html("Comparison of systems", rows, internal=True)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "label": "internal",
            "settings": self.settings,
            "baseline": self.baseline,
            "rows": self.rows,
            "groups": self.groups,
            "audits": [verdict.to_dict() for verdict in self.audits],
        }


@dataclass(frozen=True, eq=False)
class _Task:
    """Some releases of one system, self-contained so that another process can do it."""

    system: System
    histogram: Histogram
    seed: tuple[int, ...]
    repetitions: int
    classification: ClassificationTask | None
    ways: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class _Entry:
    """A line of the comparison to be: a system, and what it is compared on."""

    name: str
    system: System
    basis: str


def compare(
    table: FrequencyTable | Histogram,
    systems: str | Sequence[str | System] = "all",
    epsilons: Sequence[float] = (0.5, 1.0, 2.0, 4.0),
    repetitions: int = 200,
    *,
    k: int = 6,
    universe: Mapping[str, LevelSpec] | None = None,
    ordered: Sequence[str] = (),
    swap: Sequence[str] | None = None,
    swapped_share: float = 0.1,
    hierarchies: Mapping[str, Any] | None = None,
    group: str | None = None,
    equal_risk: RiskCeiling | tuple[str, float] | None = None,
    prior: float = 0.5,
    classify: bool | None = None,
    with_audit: bool = False,
    seed: int = 2026,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare ``systems`` on ``table`` at equal ``epsilons``, or, with ``equal_risk``, at an equal risk.

    ``systems`` are names (see ``avoidance.SYSTEMS``; ``"all"``, ``"published"``) or systems of your own. ``universe``
    lists the levels of columns, empty ones included; ``ordered`` columns are generalised to intervals. ``equal_risk``
    such as ``("homogeneity", 0.1)`` gives every system the largest epsilon that keeps that risk. ``group`` names a
    column whose groups are compared. ``classify`` asks for the accuracy of a classifier trained on each release; None
    does where scikit-learn is installed, and warns where it is not. ``n_jobs`` processes share the releases.
    ``progress`` is called with 1 after each task, of which there are :func:`task_count`.

    Source: P2 section 7, Tables 1 to 3 and Figure 4.
    Departs from print (P2-7): bias, fairness and RMSE are exact wherever the law is known, and the rest has standard
    errors.
    """
    check_numbers(epsilons, repetitions, k, swapped_share, prior, seed, n_jobs)
    if not isinstance(table, Histogram):
        refuse_several_rows(checked_table(table).max_rows_per_unit)
    histogram = table if isinstance(table, Histogram) else Histogram.of(table, universe, ordered)
    if group is not None:
        histogram.axes((group,), "group")
    settings = Settings(k, None if swap is None else tuple(swap), swapped_share, None, dict(hierarchies or {}))
    settings = settings.for_histogram(histogram)
    ceiling = RiskCeiling(*equal_risk, prior) if isinstance(equal_risk, tuple) else equal_risk
    entries, left_out = _entries(systems, epsilons, settings, histogram, ceiling, seed)
    task = _classification(histogram, classify)
    ways = tuple(way for way in (1, 2, 3) if way <= histogram.counts.ndim)
    sizes = [CHUNK] * (repetitions // CHUNK) + ([repetitions % CHUNK] if repetitions % CHUNK else [])
    if len(sizes) == 1:
        sizes = [repetitions // 2, repetitions - repetitions // 2]  # a standard error needs two chunks
    tasks = [
        _Task(entry.system, histogram, (seed, i, j), size, task, ways)
        for i, entry in enumerate(entries)
        for j, size in enumerate(sizes)
    ]
    results = list(_done(tasks, n_jobs, progress))
    rows, groups = [], []
    for i, entry in enumerate(entries):
        mine = results[i * len(sizes) : (i + 1) * len(sizes)]
        row, lines = _row(entry, histogram, mine, sizes, group, prior)
        rows.append(row)
        groups += lines
    baseline = {
        "people": histogram.n_records,
        "cells": histogram.n_cells,
        "largest_count": histogram.largest,
        "accuracy": None if task is None else task.accuracy(histogram.counts, histogram.counts),
        "homogeneity_risk": homogeneity_without_protection(histogram),
        "left_out": left_out,
    }
    audits = tuple(audits_of([entry.system for entry in entries])) if with_audit else ()
    described = {
        "k": settings.k,
        "swap": list(settings.swap or ()),
        "swapped_combinations": settings.levels,
        "repetitions": repetitions,
        "seed": seed,
        "basis": "equal epsilon" if ceiling is None else ceiling.name,
        "group": group,
        "attributes": {name: len(levels) for name, levels in zip(histogram.attributes, histogram.levels, strict=True)},
    }
    return Comparison(rows, groups, baseline, audits, described)


def _classification(histogram: Histogram, classify: bool | None) -> ClassificationTask | None:
    """The task, where it was not declined, there is one attribute to predict, and scikit-learn is there."""
    if classify is False or len(histogram.others) != 1:
        return None
    if not can_classify():
        if classify:
            raise EpsilensError(f"classification {NEEDED}", remedy=REMEDY)
        warnings.warn(
            EpsilensWarning(f"the accuracy of a classifier is left out: it {NEEDED}", remedy=REMEDY), stacklevel=3
        )
        return None
    return ClassificationTask(histogram.counts.shape)


def task_count(systems: str | Sequence[str], epsilons: Sequence[float], repetitions: int, equal_risk: bool) -> int:
    """How often :func:`compare` calls ``progress``, at most."""
    names = chosen_systems(systems)
    lines = sum(len(epsilons) if SYSTEMS[name].budgeted and not equal_risk else 1 for name in names)
    return lines * max(2, -(-repetitions // CHUNK))


def audits_of(systems: Sequence[System], bound: int | None = None) -> Iterator[Audit]:
    """The audit of every system with an epsilon whose law is known, for all neighbours that matter to it."""
    for system in systems:
        small = system.enumeration(bound)
        if system.epsilon is not None and small is not None:
            for neighbours in small.neighbours:
                yield audit(system, neighbours, bound=bound)


def _entries(
    systems: str | Sequence[str | System],
    epsilons: Sequence[float],
    settings: Settings,
    histogram: Histogram,
    ceiling: RiskCeiling | None,
    seed: int,
) -> tuple[list[_Entry], list[str]]:
    """The lines of the comparison, and the systems that cannot keep the risk at any epsilon."""
    given = [systems] if isinstance(systems, str) else list(systems)
    budgets = [float(epsilon) for epsilon in epsilons]
    entries: list[_Entry] = []
    left_out: list[str] = []
    names = [item for item in given if isinstance(item, str)]
    for name in chosen_systems(names) if names else ():
        if ceiling is not None:
            epsilon = largest_safe_epsilon(name, settings, histogram, ceiling, seed)
            if epsilon is None:
                left_out.append(name)
            else:
                system = build(name, epsilon if math.isfinite(epsilon) else 1.0, settings)
                entries.append(_Entry(name, system, ceiling.name))
        elif SYSTEMS[name].budgeted:
            refuse_no_epsilon(name, budgets)
            entries += [_Entry(name, build(name, epsilon, settings), "epsilon") for epsilon in budgets]
        else:
            entries.append(_Entry(name, build(name, 1.0, settings), "epsilon"))
    own = [checked_system(item) for item in given if not isinstance(item, str)]
    entries += [_Entry(system.name, system, "epsilon") for system in own]
    if not entries and not left_out:
        raise ParameterError("must name at least one system, or 'all'", parameter="systems")
    return entries, left_out


def _done(tasks: Sequence[_Task], n_jobs: int, progress: Callable[[int], None] | None) -> Iterator[dict[str, Any]]:
    """The results in order; other processes start afresh, so that no open database or thread is copied."""
    if n_jobs == 1 or len(tasks) < 2:
        for task in tasks:
            yield _simulated(task)
            if progress is not None:
                progress(1)
        return
    with ProcessPoolExecutor(min(n_jobs, len(tasks)), mp_context=get_context("spawn")) as pool:
        for result in pool.map(_simulated, tasks):
            yield result
            if progress is not None:
                progress(1)


def _simulated(task: _Task) -> dict[str, Any]:
    """The mean error and mean squared error per cell over some releases, and a few numbers of each release."""
    rng = np.random.default_rng(task.seed)
    truth = as_floats(task.histogram.counts)
    error, square = np.zeros(truth.shape), np.zeros(truth.shape)
    numbers: dict[str, list[float]] = {}

    def note(name: str, value: float) -> None:
        numbers.setdefault(name, []).append(value)

    for _ in range(task.repetitions):
        released = released_counts(task.system.release(task.histogram, rng))
        error += released - truth
        square += (released - truth) ** 2
        note("mse", float(np.mean((released - truth) ** 2)))
        for way in task.ways:
            note(f"tvd_{way}", marginal_variation(released, truth, way))
        note("homogeneity_risk", homogeneity_of_release(task.system, task.histogram, released))
        if task.classification is not None:
            note("accuracy", task.classification.accuracy(released, truth))
    return {"error": error / task.repetitions, "square": square / task.repetitions, "numbers": numbers}


def _row(
    entry: _Entry,
    histogram: Histogram,
    results: list[dict[str, Any]],
    sizes: list[int],
    group: str | None,
    prior: float,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One line of the comparison, and its lines by group."""
    system = entry.system
    exact = system.moments(histogram)
    weights = as_floats(sizes) / sum(sizes)
    chunks = np.stack([result["error"] for result in results])
    bias = exact.bias if exact is not None else np.tensordot(weights, chunks, axes=1)
    numbers = {
        name: np.concatenate([as_floats(result["numbers"][name]) for result in results])
        for name in results[0]["numbers"]
    }
    row: dict[str, Any] = {
        "system": entry.name,
        "title": system.name,
        "basis": entry.basis,
        "epsilon": system.epsilon,
        "published_delta": _published_delta(system, histogram),
        "delta": system.delta("substitute", max(histogram.largest, system.least_bound)),
        "delta_qid": system.delta("qid", max(histogram.largest, system.least_bound)),
        "exact_bias": exact is not None,
        "bias_l1": bias_l1(bias),
        "fairness": fairness(bias),
    }
    signs, extremes = np.sign(bias), (int(bias.argmax()), int(bias.argmin()))
    flat = chunks.reshape(len(chunks), -1)
    row["bias_l1_se"] = 0.0 if exact is not None else _chunk_error(flat @ signs.ravel(), weights)
    row["fairness_se"] = (
        0.0 if exact is not None else _chunk_error(flat[:, extremes[0]] - flat[:, extremes[1]], weights)
    )
    if exact is not None:
        row["rmse"], row["rmse_se"] = float(np.sqrt(np.mean(exact.bias**2 + exact.variance))), 0.0
    else:
        mean_square, error = _mean(numbers["mse"])
        row["rmse"], row["rmse_se"] = math.sqrt(mean_square), error / (2.0 * math.sqrt(mean_square) or 1.0)
    for name in [name for name in numbers if name.startswith("tvd") or name == "accuracy"]:
        row[name], row[f"{name}_se"] = _mean(numbers[name])
    risk = homogeneity_risk(system, histogram)
    row["homogeneity_risk"], row["homogeneity_risk_se"] = (
        (risk, 0.0) if risk is not None else _mean(numbers["homogeneity_risk"])
    )
    row["posterior_risk"] = posterior_risk(system, histogram, prior)
    lines = [] if group is None else _by_group(entry, histogram, bias, group)
    if lines:
        per_cell = [line["bias_per_cell"] for line in lines]
        row["group_fairness"] = max(per_cell) - min(per_cell)
        means = (
            np.moveaxis(chunks, 1 + histogram.axis(group or ""), 1).reshape(len(chunks), len(lines), -1).mean(axis=2)
        )
        spread = means[:, int(np.argmax(per_cell))] - means[:, int(np.argmin(per_cell))]
        row["group_fairness_se"] = 0.0 if exact is not None else _chunk_error(spread, weights)
    return row, lines


def _published_delta(system: System, histogram: Histogram) -> float | None:
    return system.published_delta(max(histogram.largest, system.least_bound))


def _by_group(entry: _Entry, histogram: Histogram, bias: FloatArray, group: str) -> list[dict[str, Any]]:
    """The bias of every level of a column, in all and per cell."""
    axis = histogram.axis(group)
    others = tuple(i for i in range(bias.ndim) if i != axis)
    total, people = bias.sum(axis=others), np.asarray(histogram.counts).sum(axis=others)
    cells = bias.size // bias.shape[axis]
    return [
        {
            "system": entry.name,
            "epsilon": entry.system.epsilon,
            "group": level,
            "people": int(people[i]),
            "bias": float(total[i]),
            "bias_per_cell": float(total[i] / cells),
            "relative_bias": float(total[i] / people[i]) if people[i] else None,
        }
        for i, level in enumerate(histogram.levels[axis])
    ]


def _mean(values: FloatArray) -> tuple[float, float]:
    return float(values.mean()), float(values.std(ddof=1) / math.sqrt(len(values)))


def _chunk_error(values: FloatArray, weights: FloatArray) -> float:
    """The standard error of a weighted mean of independent chunks."""
    centre = float(weights @ values)
    spread = float(weights @ (values - centre) ** 2) * len(values) / (len(values) - 1)
    return math.sqrt(spread / len(values))
