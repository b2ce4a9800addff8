"""One line of a comparison: what is exact of a system, and what some releases of it tell.

The random numbers of a release depend on the seed, the system and the repetition only, so a line is the same however
many processes share the work.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.system import System, bias_l1, fairness, released_counts
from epsilens.choice.comparison_entries import VARIED, Entry
from epsilens.choice.spread import HALF
from epsilens.choice.system_risks import ShownPeople, posterior_risk, posterior_spread, shown_by_release, shown_people
from epsilens.utility import ClassificationTask, l1_error, marginal_variation


@dataclass(frozen=True, eq=False)
class Task:
    """Some releases of one system, self-contained so that another process can do it."""

    system: System
    histogram: Histogram
    seed: tuple[int, ...]
    repetitions: int
    classification: ClassificationTask | None
    ways: tuple[int, ...]


def simulated(task: Task) -> dict[str, Any]:
    """The mean error and mean squared error per cell over some releases, and a few numbers of each release.

    Where what a release shows of whom has no exact law, how often each cell shows one value ``alone`` as well.
    """
    rng = np.random.default_rng(task.seed)
    truth = as_floats(task.histogram.counts)
    error, square = np.zeros(truth.shape), np.zeros(truth.shape)
    numbers: dict[str, list[float]] = {}
    attacked = task.system.shown_probabilities(task.histogram) is None
    alone: Any = 0.0

    def note(name: str, value: float) -> None:
        numbers.setdefault(name, []).append(value)

    for _ in range(task.repetitions):
        released = released_counts(task.system.release(task.histogram, rng))
        error += released - truth
        square += (released - truth) ** 2
        note("mse", float(np.mean((released - truth) ** 2)))
        note("l1_error", l1_error(released, truth))
        for way in task.ways:
            note(f"tvd_{way}", marginal_variation(released, truth, way))
        if attacked:
            shown = shown_by_release(task.system, task.histogram, released)
            alone = alone + shown.alone
            for name, value in {"homogeneity_risk": shown.risk, **shown.totals}.items():
                note(name, value)
        if task.classification is not None:
            note("accuracy", task.classification.accuracy(released, truth))
    means = {"error": error, "square": square, **({"alone": alone} if attacked else {})}
    return {name: total / task.repetitions for name, total in means.items()} | {"numbers": numbers}


def row_of(
    entry: Entry,
    histogram: Histogram,
    results: list[dict[str, Any]],
    sizes: list[int],
    group: str | None,
    prior: float,
    bound: int | None,
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """One line of the comparison, and its lines by group; ``bound`` is the largest possible count, where declared."""
    system = entry.system
    exact = system.moments(histogram)
    weights = as_floats(sizes) / sum(sizes)
    chunks = np.stack([result["error"] for result in results])
    bias = exact.bias if exact is not None else np.tensordot(weights, chunks, axes=1)
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
    errors = system.absolute_errors(histogram, exact)
    row["exact_l1_error"] = errors is not None
    row["l1_error"], row["l1_error_se"] = (
        (float(errors.sum()), 0.0) if errors is not None else _mean(numbers["l1_error"])
    )
    for name in [name for name in numbers if name.startswith("tvd") or name == "accuracy"]:
        row[name], row[f"{name}_se"] = _mean(numbers[name])
    row |= _risks(system, histogram, results, weights, numbers)
    row["posterior_risk"] = posterior_risk(system, histogram, prior)
    beliefs = posterior_spread(system, histogram, prior)
    row |= {"worst_posterior": beliefs.worst, "posterior_spread": beliefs.to_dict()}
    lines = [] if group is None else _by_group(entry, histogram, bias, group)
    if lines:
        per_cell = [line["bias_per_cell"] for line in lines]
        row["group_fairness"] = max(per_cell) - min(per_cell)
        means = (
            np.moveaxis(chunks, 1 + histogram.axis(group or ""), 1).reshape(len(chunks), len(lines), -1).mean(axis=2)
        )
        spread = means[:, int(np.argmax(per_cell))] - means[:, int(np.argmin(per_cell))]
        row["group_fairness_se"] = 0.0 if exact is not None else _chunk_error(spread, weights)
    row["remarks"] = list(_remarks(system, histogram, numbers["l1_error"]))
    return row, lines


def _risks(
    system: System,
    histogram: Histogram,
    results: list[dict[str, Any]],
    weights: FloatArray,
    numbers: dict[str, FloatArray],
) -> dict[str, Any]:
    """Who is shown as what: on average, by value, the worst-off person and how many are above 50 %.

    Of a system whose releases have to be simulated a person's risk is the share of releases that show them: the worst
    of many such shares is rather too high than too low.
    """
    found = shown_people(system, histogram)
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
    there = (found.counts > 0) & (risks >= worst)
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
