"""Disclosure avoidance systems side by side, at equal epsilon or equal risk.

What has a law is computed from it; what has none is averaged over releases, with a standard error. The random numbers
of a release depend on the seed, the system and the repetition only, so the result is the same however many processes
share the work.
"""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Any

from epsilens.avoidance.audit import Audit, Witness, audit, witness
from epsilens.avoidance.catalogue import SYSTEMS, Settings, chosen_systems
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System
from epsilens.choice.choose.equal_risk import RiskCeiling
from epsilens.choice.comparison_checks import (
    check_numbers,
    refuse_several_rows,
    refuse_small_bound,
    refuse_theorems_at_equal_risk,
    several,
)
from epsilens.choice.comparison_dominance import dominated_rows
from epsilens.choice.comparison_entries import VARIED, entries_of, settings_of
from epsilens.choice.comparison_rows import SystemLaw, Task, drawn_of, row_of, simulated_together
from epsilens.choice.comparison_theorems import TheoremCheck, theorems_of
from epsilens.choice.system_risks import shown_without_protection
from epsilens.errors import EpsilensError, counted
from epsilens.notebook import data_frame, listed, one_line, rows_html
from epsilens.table.declared import LevelSpec
from epsilens.table.frequency import FrequencyTable, checked_table
from epsilens.utility import ClassificationTask

CHUNK = 20  # releases per task: enough chunks for standard errors, and work to share
TOGETHER = 2_000_000  # counts of the releases of tasks that are done together
CRITERIA = {
    "delta": "delta at the nominal epsilon",
    "bias_l1": "bias, l1 norm",
    "l1_error": "error, l1 norm",
    "fairness": "alpha, the spread of biases over cells",
    "rmse": "root mean squared error of a cell",
    "tvd_1": "total variation of 1-way marginals",
    "tvd_2": "total variation of 2-way marginals",
    "tvd_3": "total variation of 3-way marginals",
    "group_fairness": "spread of biases over groups",
    "accuracy": "accuracy of logistic regression",
    "homogeneity_risk": "homogeneity risk, average over people",
    "worst_risk": "homogeneity risk of the worst-off person",
    "people_above_half": "people whose homogeneity risk is above 50 %",
    "shown_wrong": "share of people shown with one value only, and it is not theirs",
    "posterior_risk": "posterior risk, average over people",
    "worst_posterior": "posterior risk of the worst-off person",
}
"""The columns that are criteria, and what they are; each simulated one has a column ``<name>_se``."""
HARM_CRITERIA = {
    "shown_right": "share of people shown with one value only, and it is theirs",
    "harmful_right": "share of people shown with one harmful value only, and it is theirs",
    "harmful_wrong": "share of people shown with one harmful value only, and it is not theirs",
}
"""Further ones, which say something of their own where values do not harm alike."""


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
    witnesses: tuple[Witness, ...] = ()
    theorems: tuple[TheoremCheck, ...] = ()
    dominated: list[dict[str, Any]] = field(default_factory=list)

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
        shares = [name for name in CRITERIA if name != "people_above_half"]  # a notebook shows no numbers of people
        known = [name for name in shares if any(row.get(name) is not None for row in self.rows)]
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
            "witnesses": [found.to_dict() for found in self.witnesses],
            "theorems": [check.to_dict() for check in self.theorems],
            "dominated": self.dominated,
        }


def compare(
    table: FrequencyTable | Histogram,
    systems: str | Sequence[str | System] = "all",
    epsilons: Sequence[float] = (0.5, 1.0, 2.0, 4.0),
    repetitions: int = 200,
    *,
    k: int | Sequence[int] = 6,
    universe: Mapping[str, LevelSpec] | None = None,
    ordered: Sequence[str] = (),
    swap: Sequence[str] | None = None,
    swapped_share: float | Sequence[float] = 0.1,
    base: int | Sequence[int] = 5,
    bound: int | None = None,
    hierarchies: Mapping[str, Any] | None = None,
    group: str | None = None,
    equal_risk: RiskCeiling | tuple[str, float] | None = None,
    prior: float = 0.5,
    classify: bool | None = None,
    with_audit: bool = False,
    with_theorems: bool = False,
    seed: int = 2026,
    n_jobs: int = 1,
    progress: Callable[[int], None] | None = None,
) -> Comparison:
    """Compare ``systems`` on ``table`` at equal ``epsilons``, or, with ``equal_risk``, at an equal risk.

    ``systems`` are names (see ``avoidance.SYSTEMS``; ``"all"``, ``"published"``) or systems of your own. Of ``k``,
    ``swapped_share`` and ``base`` there may be several: every system is compared at every combination of those that it
    depends on. ``bound`` is B, the largest count that is possible, which some deltas depend on; None takes the largest
    that is in the table. ``universe`` lists the levels of columns, empty ones included; ``ordered`` columns are
    generalised to intervals. ``equal_risk`` such as ``("homogeneity", 0.1)`` gives every system the largest epsilon
    that keeps that risk. ``group`` names a column whose groups are compared. ``classify=False`` leaves out the accuracy
    of a classifier trained on each release, which is told where one attribute is not a quasi-identifier.
    ``with_audit`` checks printed deltas on small tables, ``with_theorems`` all printed theorems on this one. ``n_jobs``
    processes share the releases. ``progress`` is called with how many tasks were done, of :func:`task_count`.

    Source: P2 section 7, Tables 1 to 3 and Figure 4.
    Departs from print (P2-7): bias, fairness and RMSE are exact wherever the law is known, and the rest has standard
    errors.
    """
    values = {"k": several(k), "share": several(swapped_share), "base": several(base)}
    check_numbers(epsilons, repetitions, k, swapped_share, prior, seed, n_jobs, base, bound)
    if not isinstance(table, Histogram):
        refuse_several_rows(checked_table(table).max_rows_per_unit)
    histogram = table if isinstance(table, Histogram) else Histogram.of(table, universe, ordered)
    if group is not None:
        histogram.axes((group,), "group")
    settings = Settings(max(values["k"]), None if swap is None else tuple(swap), hierarchies=dict(hierarchies or {}))
    settings = settings.for_histogram(histogram)
    ceiling = RiskCeiling(*equal_risk, prior) if isinstance(equal_risk, tuple) else equal_risk
    if with_theorems and ceiling is not None:
        refuse_theorems_at_equal_risk()
    entries, left_out = entries_of(systems, epsilons, settings, values, histogram, ceiling, seed)
    refuse_small_bound(bound, histogram.largest, [entry.system for entry in entries])
    task = _classification(histogram, classify)
    ways = tuple(way for way in (1, 2, 3) if way <= histogram.counts.ndim)
    sizes = [CHUNK] * (repetitions // CHUNK) + ([repetitions % CHUNK] if repetitions % CHUNK else [])
    if len(sizes) == 1:
        sizes = [repetitions // 2, repetitions - repetitions // 2]  # a standard error needs two chunks
    laws = [SystemLaw.of(entry.system, histogram) for entry in entries]
    tasks = [
        [Task(entry.system, histogram, (seed, i, j), size, task, ways, drawn) for j, size in enumerate(sizes)]
        for i, (entry, drawn) in enumerate(zip(entries, drawn_of(laws, histogram, task), strict=True))
    ]
    results = _done(tasks, n_jobs, progress)
    rows, groups = [], []
    for entry, law, mine in zip(entries, laws, results, strict=True):
        row, lines = row_of(entry, histogram, mine, sizes, group, prior, bound, law)
        rows.append(row)
        groups += lines
    unprotected = shown_without_protection(histogram)
    baseline = {
        "people": histogram.n_records,
        "cells": histogram.n_cells,
        "largest_count": histogram.largest,
        "accuracy": None if task is None else task.accuracy(histogram.counts, histogram.counts),
        "homogeneity_risk": unprotected.risk,
        **unprotected.totals,
        "people_above_half": unprotected.spread.above_half,
        "by_value": [entry.to_dict() for entry in unprotected.by_value],
        "left_out": left_out,
    }
    audited = [entry.system for entry in entries] if with_audit else []
    described = {
        **{VARIED[name]: given[0] if len(given) == 1 else list(given) for name, given in values.items()},
        "bound": bound,
        "audited": with_audit,
        "swap": list(settings.swap or ()),
        "swapped_combinations": settings.levels,
        "repetitions": repetitions,
        "seed": seed,
        "basis": "equal epsilon" if ceiling is None else ceiling.name,
        "group": group,
        "attributes": {name: len(levels) for name, levels in zip(histogram.attributes, histogram.levels, strict=True)},
    }
    return Comparison(
        rows,
        groups,
        baseline,
        tuple(audits_of(audited)),  # on small tables, whatever the bound on large ones
        described,
        tuple(witnesses_of(audited)),
        tuple(theorems_of(histogram, epsilons, values["k"], settings, bound)) if with_theorems else (),
        dominated_rows(rows),
    )


def _classification(histogram: Histogram, classify: bool | None) -> ClassificationTask | None:
    """The task, where it was not declined and there is one attribute to predict."""
    return None if classify is False or len(histogram.others) != 1 else ClassificationTask(histogram.counts.shape)


def task_count(
    systems: str | Sequence[str],
    epsilons: Sequence[float],
    repetitions: int,
    equal_risk: bool,
    k: int | Sequence[int] = 6,
    swapped_share: float | Sequence[float] = 0.1,
    base: int | Sequence[int] = 5,
) -> int:
    """How often :func:`compare` calls ``progress``, at most."""
    values = {"k": several(k), "share": several(swapped_share), "base": several(base)}
    lines = 0
    for name in chosen_systems(systems):
        budgets = len(epsilons) if SYSTEMS[name].budgeted and not equal_risk else 1
        lines += budgets * len(list(settings_of(name, values)))
    return lines * max(2, -(-repetitions // CHUNK))


def audits_of(systems: Sequence[System], bound: int | None = None) -> Iterator[Audit]:
    """The audit of every system with an epsilon whose law is known, for all neighbours that matter to it."""
    for system in systems:
        small = system.enumeration(bound)
        if system.epsilon is not None and small is not None:
            for neighbours in small.neighbours:
                yield audit(system, neighbours, bound=bound)


def witnesses_of(systems: Sequence[System]) -> Iterator[Witness]:
    """Of every system without an epsilon, why it is not differentially private, where its law is known."""
    for name in dict.fromkeys(system.name for system in systems if system.epsilon is None):
        found = witness(next(system for system in systems if system.name == name))
        if found is not None:
            yield found


def _done(
    tasks: Sequence[Sequence[Task]], n_jobs: int, progress: Callable[[int], None] | None
) -> Iterator[list[dict[str, Any]]]:
    """The results of every line in order; other processes start afresh, so that no open database or thread is copied.

    Tasks of a line are done a few at a time, as many as are evaluated together: that depends on the table alone.
    """
    few = max(1, TOGETHER // max(1, CHUNK * tasks[0][0].histogram.n_cells)) if tasks and tasks[0] else 1
    bundles = [line[start : start + few] for line in tasks for start in range(0, len(line), few)]
    found: list[dict[str, Any]] = []
    lengths = iter([len(line) for line in tasks])
    length = next(lengths, 0)
    for results in _computed(bundles, n_jobs):
        if progress is not None:
            progress(len(results))
        found += results
        if len(found) == length:
            yield found
            found, length = [], next(lengths, 0)


def _computed(bundles: Sequence[Sequence[Task]], n_jobs: int) -> Iterator[list[dict[str, Any]]]:
    if n_jobs == 1 or len(bundles) < 2:
        yield from map(simulated_together, bundles)
        return
    with ProcessPoolExecutor(min(n_jobs, len(bundles)), mp_context=get_context("spawn")) as pool:
        try:
            with _ctrl_c_later():
                found = [pool.submit(simulated_together, bundle) for bundle in bundles]  # which starts the processes
            yield from (one.result() for one in found)  # not by ``map``: a pool that ends waits for what was cancelled
        except BrokenProcessPool:
            raise EpsilensError(
                "one of the processes that shared the releases was ended from outside, as where memory runs out",
                remedy="take fewer with `n_jobs`",
            ) from None
        except BaseException:  # nobody waits for what they still do
            for process in list(pool._processes.values()):
                process.kill()
            raise


@contextmanager
def _ctrl_c_later() -> Iterator[None]:
    """Ctrl-C is heard when this ends, and never by processes that are started in it: whoever started them ends them.

    A terminal sends it to all of them at once, and a process that is interrupted while Python starts leaves others to
    wait for it for ever.
    """
    if not hasattr(signal, "pthread_sigmask"):  # not on every system
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
