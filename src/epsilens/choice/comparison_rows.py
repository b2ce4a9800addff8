"""One line of a comparison: what is exact of a system, and what some releases of it tell.

The random numbers of a release depend on the seed, the system and the repetition only, so a line is the same however
many processes share the work.
"""

from __future__ import annotations

import itertools
import math
import operator
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import CellMoments, System, bias_l1, fairness, several_releases
from epsilens.choice.comparison_entries import VARIED, Entry
from epsilens.choice.spread import HALF
from epsilens.choice.system_risks import (
    ShownPeople,
    alone_in_releases,
    posterior_of_people,
    shown_people,
    shown_totals,
)
from epsilens.utility import ClassificationTask
from epsilens.utility.logistic import Start
from epsilens.utility.marginals import marginal_variations

_AT_ONCE = 2_000_000  # counts of releases that are evaluated together


@dataclass(frozen=True, eq=False)
class Task:
    """Some releases of one system, self-contained so that another process can do it.

    ``drawn`` says what releases are needed for; it is found out where it is None.
    """

    system: System
    histogram: Histogram
    seed: tuple[int, ...]
    repetitions: int
    classification: ClassificationTask | None
    ways: tuple[int, ...]
    drawn: Drawn | None = None


@dataclass(frozen=True, eq=False)
class SystemLaw:
    """What is known of a system's releases of a table without drawing any; None where only releases tell."""

    moments: CellMoments | None
    absolute_errors: FloatArray | None
    shown: ShownPeople | None

    @staticmethod
    def of(system: System, histogram: Histogram) -> SystemLaw:
        """Of releases of ``histogram``."""
        moments = system.moments(histogram)
        return SystemLaw(moments, system.absolute_errors(histogram, moments), shown_people(system, histogram))

    def drawn(self, start: Start | None = None) -> Drawn:
        """What releases are needed for, where the fits of classifiers begin at ``start``."""
        certain = self.moments is not None and not self.moments.variance.any()
        return Drawn(self.moments is None, self.shown is None, certain, start)


@dataclass(frozen=True, eq=False)
class Drawn:
    """What releases are drawn for, besides marginals and classifiers, whose averages have no closed form."""

    for_moments: bool
    for_risks: bool
    certain: bool
    """Whether all releases are the same: then one tells all."""
    start: Start | None = None
    """Where the fits of classifiers begin: at the fit to what is expected."""


def drawn_of(laws: Sequence[SystemLaw], histogram: Histogram, classification: ClassificationTask | None) -> list[Drawn]:
    """What releases of several systems are needed for; classifiers of what they are expected to be begin together."""
    expected = (as_floats(histogram.counts) + law.moments.bias for law in laws if law.moments is not None)
    starts = iter([] if classification is None else classification.starts(expected))
    return [law.drawn(next(starts, None) if law.moments is not None else None) for law in laws]


def simulated(task: Task) -> dict[str, Any]:
    """The mean error and mean squared error per cell over some releases, and a few numbers of each release.

    Errors per cell only where they have no exact law; and where what a release shows of whom has none, how often each
    cell shows one value ``alone`` as well.
    """
    return simulated_together([task])[0]


def simulated_together(tasks: Sequence[Task]) -> list[dict[str, Any]]:
    """:func:`simulated` of several tasks of one system: their releases are evaluated together."""
    first = tasks[0]
    drawn = first.drawn
    if drawn is None:
        [drawn] = drawn_of([SystemLaw.of(first.system, first.histogram)], first.histogram, first.classification)
    found, waiting = [_Averages(task, drawn) for task in tasks], list[tuple[_Averages, FloatArray]]()
    most = max(1, _AT_ONCE // first.histogram.n_cells)
    for averages in found:
        for released in averages.releases():
            waiting.append((averages, released))
            if len(waiting) == most:
                _evaluate(waiting, first, drawn.start)
                waiting.clear()
    _evaluate(waiting, first, drawn.start)
    return [averages.result() for averages in found]


def _evaluate(waiting: Sequence[tuple[_Averages, FloatArray]], task: Task, start: Start | None) -> None:
    """Note what every release tells of the truth, and what marginals and classifiers make of it."""
    if not waiting:
        return
    for averages, mine in itertools.groupby(waiting, key=operator.itemgetter(0)):
        averages.note([released for _, released in mine])
    releases, truth = [released for _, released in waiting], as_floats(task.histogram.counts)
    values = {f"tvd_{way}": mean for way, mean in marginal_variations(releases, truth, task.ways).items()}
    if task.classification is not None:
        if start is None:
            start = task.classification.start(np.mean(np.maximum(releases, 0.0), axis=0))
        values["accuracy"] = task.classification.accuracies(releases, truth, start)
    for name, several in values.items():
        for (averages, _), value in zip(waiting, several.tolist(), strict=True):
            averages.numbers.setdefault(name, []).append(value)


class _Averages:
    """What is averaged over the releases of one task."""

    def __init__(self, task: Task, drawn: Drawn) -> None:
        self.task, self.drawn = task, drawn
        self.truth = as_floats(task.histogram.counts)
        self.numbers: dict[str, list[float]] = {}
        self.sums: dict[str, Any] = {"error": 0.0, "square": 0.0} if drawn.for_moments else {}
        if drawn.for_risks:
            self.sums["alone"] = 0.0

    def releases(self) -> Iterator[FloatArray]:
        """The releases one after another; where they are all the same, one."""
        task, rng = self.task, np.random.default_rng(self.task.seed)
        number = 1 if self.drawn.certain else task.repetitions
        return several_releases(task.system, task.histogram, rng, number)

    def note(self, releases: Sequence[FloatArray]) -> None:
        """Errors of some releases, and what they show of whom, where no law tells."""
        error, cells = np.stack(releases) - self.truth, tuple(range(1, self.truth.ndim + 1))
        values = {"l1_error": np.abs(error).sum(axis=cells)}
        if self.drawn.for_moments:
            square = error * error
            self.sums["error"] = self.sums["error"] + error.sum(axis=0)
            self.sums["square"] = self.sums["square"] + square.sum(axis=0)
            values["mse"] = square.mean(axis=cells)
        if self.drawn.for_risks:
            alone = alone_in_releases(self.task.system, self.task.histogram, releases)
            self.sums["alone"] = self.sums["alone"] + alone.sum(axis=0)
            values |= shown_totals(self.task.histogram, alone)
        for name, several in values.items():
            self.numbers.setdefault(name, []).extend(several.tolist())

    def result(self) -> dict[str, Any]:
        """The averages per cell, and the numbers of every release."""
        times = self.task.repetitions if self.drawn.certain else 1
        means = {name: total * times / self.task.repetitions for name, total in self.sums.items()}
        return means | {"numbers": {name: values * times for name, values in self.numbers.items()}}


def row_of(
    entry: Entry,
    histogram: Histogram,
    results: list[dict[str, Any]],
    sizes: list[int],
    group: str | None,
    prior: float,
    bound: int | None,
    law: SystemLaw | None = None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One line of the comparison, and its lines by group; ``bound`` is the largest possible count, where declared.

    ``law`` is what is known of the system's releases, where it is at hand.
    """
    system = entry.system
    known = SystemLaw.of(system, histogram) if law is None else law
    exact, errors = known.moments, known.absolute_errors
    weights = as_floats(sizes) / sum(sizes)
    chunks = None if exact is not None else np.stack([result["error"] for result in results])
    bias = np.tensordot(weights, chunks, axes=1) if chunks is not None else _bias_of(exact)
    numbers = {
        name: np.concatenate([as_floats(result["numbers"][name]) for result in results])
        for name in results[0]["numbers"]
    }
    largest = max(histogram.largest, system.least_bound) if bound is None else bound
    noise = system.added_noise
    row: dict[str, Any] = {
        "system": entry.name,
        "label": entry.label,
        "title": system.name,
        "basis": entry.basis,
        "epsilon": system.epsilon,
        **{column: entry.settings.get(column) for column in VARIED.values()},
        "noise_variance": None if noise is None else noise.law.variance,
        "bound": largest if system.least_bound > 1 else None,
        "published_delta": system.published_delta(largest),
        "delta": system.delta("substitute", largest),
        "delta_qid": system.delta("qid", largest),
        "exact_bias": exact is not None,
        "bias_l1": bias_l1(bias),
        "fairness": fairness(bias),
    }
    row["bias_l1_se"] = row["fairness_se"] = 0.0
    if chunks is not None:
        signs, extremes = np.sign(bias), (int(bias.argmax()), int(bias.argmin()))
        flat = chunks.reshape(len(chunks), -1)
        row["bias_l1_se"] = _chunk_error(flat @ signs.ravel(), weights)
        row["fairness_se"] = _chunk_error(flat[:, extremes[0]] - flat[:, extremes[1]], weights)
    if exact is not None:
        row["rmse"], row["rmse_se"] = float(np.sqrt(np.mean(exact.bias**2 + exact.variance))), 0.0
    else:
        mean_square, error = _mean(numbers["mse"])
        row["rmse"], row["rmse_se"] = math.sqrt(mean_square), error / (2.0 * math.sqrt(mean_square) or 1.0)
    row["exact_l1_error"] = errors is not None
    row["l1_error"], row["l1_error_se"] = (
        (float(errors.sum()), 0.0) if errors is not None else _mean(numbers["l1_error"])
    )
    for name in [name for name in numbers if name.startswith("tvd") or name == "accuracy"]:
        row[name], row[f"{name}_se"] = _mean(numbers[name])
    row |= _risks(known.shown, histogram, results, weights, numbers)
    row["posterior_risk"], beliefs = posterior_of_people(system, histogram, prior)
    row |= {"worst_posterior": beliefs.worst, "posterior_spread": beliefs.to_dict()}
    lines = [] if group is None else _by_group(entry, histogram, bias, group)
    if lines:
        per_cell = [line["bias_per_cell"] for line in lines]
        row["group_fairness"] = max(per_cell) - min(per_cell)
        row["group_fairness_se"] = 0.0
        if chunks is not None:
            of_groups = np.moveaxis(chunks, 1 + histogram.axis(group or ""), 1)
            means = of_groups.reshape(len(chunks), len(lines), -1).mean(axis=2)
            spread = means[:, int(np.argmax(per_cell))] - means[:, int(np.argmin(per_cell))]
            row["group_fairness_se"] = _chunk_error(spread, weights)
    row["remarks"] = list(_remarks(system, histogram, numbers["l1_error"]))
    return row, lines


def _bias_of(moments: CellMoments | None) -> FloatArray:
    assert moments is not None
    return moments.bias


def _risks(
    found: ShownPeople | None,
    histogram: Histogram,
    results: list[dict[str, Any]],
    weights: FloatArray,
    numbers: dict[str, FloatArray],
) -> dict[str, Any]:
    """Who is shown as what: on average, by value, the worst-off person and how many are above 50 %.

    Of a system whose releases have to be simulated a person's risk is the share of releases that show them: the worst
    of many such shares is rather too high than too low.
    """
    exact = found is not None
    if found is None:
        alone = np.tensordot(weights, np.stack([result["alone"] for result in results]), axes=1)
        found = ShownPeople.of(histogram, as_floats(alone))
    averages = {"homogeneity_risk": found.risk, **found.totals}
    row: dict[str, Any] = {}
    for name, value in averages.items():
        row[name], row[f"{name}_se"] = (value, 0.0) if exact else _mean(numbers[name])
    spread = found.spread
    releases = len(numbers["l1_error"])
    row |= {
        "exact_risk": exact,
        "realised_risk": found.is_realised and (exact or not np.ptp(numbers["l1_error"])),
        "worst_risk": spread.worst,
        "worst_risk_se": 0.0 if exact else _worst_error(found, spread.worst, releases),
        "people_above_half": spread.above_half,
        "people_above_half_se": 0.0 if exact else _above_half_error(found, releases),
        "by_value": [entry.to_dict() for entry in found.by_value],
        "spread": spread.to_dict(),
    }
    return row


def _worst_error(found: ShownPeople, worst: float, releases: int) -> float:
    """The standard error of a worst risk w p where p is a share of releases: w sqrt(p (1 - p) / R)."""
    risks = (found.weights * found.alone).round(12)
    there = (found.counts > 0) & (risks >= np.round(worst, 12))
    error = found.weights * np.sqrt(found.alone * (1.0 - found.alone) / releases)
    return float(error[there].max(initial=0.0))


def _above_half_error(found: ShownPeople, releases: int) -> float:
    """The standard error of how many people are above 50 %.

    n people at once are above or not. That they are has probability q = Phi((w p - 1/2) / e), with e the standard error
    of w p; so they add n^2 q (1 - q) to the variance, and nothing where p is 0 or 1.
    """
    from scipy.special import ndtr

    error = found.weights * np.sqrt(found.alone * (1.0 - found.alone) / releases)
    unsure = (found.counts > 0) & (error > 0)
    above = ndtr((found.weights * found.alone - HALF)[unsure] / error[unsure])
    return math.sqrt(float((as_floats(found.counts[unsure]) ** 2 * above * (1.0 - above)).sum()))


def _remarks(system: System, histogram: Histogram, errors: FloatArray) -> tuple[str, ...]:
    """What the system says of itself here, and that no release changed anything, where it does not say so."""
    said = system.remarks(histogram)
    if errors.any() or any(remark.startswith("does nothing") for remark in said):
        return said
    return (*said, f"changed no count in any of {len(errors)} releases")


def _by_group(entry: Entry, histogram: Histogram, bias: FloatArray, group: str) -> list[dict[str, Any]]:
    """The bias of every level of a column, in all and per cell."""
    axis = histogram.axis(group)
    others = tuple(i for i in range(bias.ndim) if i != axis)
    total, people = bias.sum(axis=others), np.asarray(histogram.counts).sum(axis=others)
    cells = bias.size // bias.shape[axis]
    return [
        {
            "system": entry.name,
            "label": entry.label,
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
