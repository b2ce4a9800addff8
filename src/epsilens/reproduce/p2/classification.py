"""Figures 4 and 5: classifiers that are trained on protected tables and tested on the true one."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from epsilens.avoidance.anonymity import DPKAnonymity
from epsilens.avoidance.noisy_counts import NoisyCounts
from epsilens.avoidance.suppression import DPSuppression
from epsilens.avoidance.swapping import DPSwapping
from epsilens.avoidance.system import System, several_releases
from epsilens.reproduce.claims import Claim, Finding, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p2.comparisons import NOISE, TRADITIONAL
from epsilens.reproduce.p2.extracts import MASSACHUSETTS, OUTLIER, TEXAS, Age, Extract, histogram, race_column
from epsilens.reproduce.p2.fairness import LEVELS
from epsilens.reproduce.p2.section_3 import EPSILONS, K
from epsilens.reproduce.p2.tables import TITLES
from epsilens.utility.classification import ClassificationTask

RELEASES = 60
NEAR = 0.02
"""Two people of a hundred: what is close to the baseline."""
CHANCE = 2.0
"""Standard errors: what two averages may be apart by chance."""
_SEED = 8


@dataclass(frozen=True)
class Accuracy:
    """The share of people predicted right, on average over releases."""

    mean: float
    standard_error: float


@dataclass(frozen=True)
class Accuracies:
    """Of all systems at all budgets, and of the true table itself."""

    baseline: float
    of: dict[tuple[str, float], Accuracy]


def accuracies(data: Data, extract: Extract, age: Age) -> Accuracies:
    """Of logistic regressions of income on everything else."""

    def find() -> Accuracies:
        table, race = histogram(data, extract, age), (race_column(data, extract),)
        task = ClassificationTask(table.counts.shape)
        start = task.start(table.counts)
        found = {}
        for epsilon in EPSILONS:
            systems: dict[str, System] = {name: NoisyCounts.as_published(name, epsilon) for name in NOISE}
            systems["dp-suppression"] = DPSuppression(K, epsilon)
            systems["dp-swapping"] = DPSwapping(epsilon, LEVELS, race)
            systems["dp-k-anonymity"] = DPKAnonymity(K, epsilon)
            for name, system in systems.items():
                released = list(several_releases(system, table, np.random.default_rng(_SEED), RELEASES))
                right = task.accuracies(released, table.counts, start)
                error = float(right.std(ddof=1)) / math.sqrt(RELEASES)
                found[name, epsilon] = Accuracy(float(right.mean()), error)
        return Accuracies(task.accuracy(table.counts, table.counts), found)

    return data.once(("P2", extract.name, "accuracies", age), find)


def noise_teaches_better(data: Data, extract: Extract, age: Age) -> Finding:
    """Whether both noises are above all other systems at every budget, by more than chance."""
    found = accuracies(data, extract, age)
    compared, lost = 0, []
    for epsilon in EPSILONS:
        for name in NOISE:
            for other in TRADITIONAL:
                ours, theirs = found.of[name, epsilon], found.of[other, epsilon]
                compared += 1
                if theirs.mean - ours.mean > CHANCE * math.hypot(ours.standard_error, theirs.standard_error):
                    words = (
                        f"{TITLES[other]} {theirs.mean:.4f} and {TITLES[name]} {ours.mean:.4f} at epsilon = {epsilon:g}"
                    )
                    lost.append((theirs.mean - ours.mean, words))
    baseline = f"baseline {found.baseline:.4f}"
    if lost:
        return Finding(False, f"{len(lost)} of {compared} comparisons are lost: {max(lost)[1]} ({baseline})")
    return Finding(True, f"no comparison of {compared} is lost ({baseline})")


def noise_is_near(data: Data, extract: Extract, age: Age) -> Finding:
    """Whether classifiers trained on noisy counts are near the baseline at every budget."""
    found = accuracies(data, extract, age)
    furthest = min((found.of[name, epsilon].mean, name, epsilon) for name in NOISE for epsilon in EPSILONS)
    mean, name, epsilon = furthest
    return Finding(
        abs(mean - found.baseline) <= NEAR,
        f"the furthest is {mean:.4f} of {TITLES[name]} at epsilon = {epsilon:g}, the baseline {found.baseline:.4f}",
    )


def others_are_further(data: Data, extract: Extract, age: Age) -> Finding:
    """Whether no other system is nearer to the baseline than a noise at any budget, by more than chance."""
    found = accuracies(data, extract, age)
    nearer = []
    for epsilon in EPSILONS:
        for name in NOISE:
            for other in TRADITIONAL:
                ours, theirs = found.of[name, epsilon], found.of[other, epsilon]
                away, less = (abs(each.mean - found.baseline) for each in (ours, theirs))
                if away - less > CHANCE * math.hypot(ours.standard_error, theirs.standard_error):
                    words = f"{TITLES[other]} is {less:.4f} away from the baseline and {TITLES[name]} {away:.4f}"
                    nearer.append((away - less, f"{words} at epsilon = {epsilon:g}"))
    return Finding(not nearer, max(nearer)[1] if nearer else "at every budget, up to chance")


def _panel(data: Data, extract: Extract) -> Panel:
    found = accuracies(data, extract, "brackets")
    series = [
        Series(TITLES[name], EPSILONS, [found.of[name, epsilon].mean for epsilon in EPSILONS])
        for name in (*NOISE, *TRADITIONAL)
    ]
    series.append(Series("baseline", EPSILONS, [found.baseline] * len(EPSILONS)))
    return Panel(extract.area, "epsilon", "accuracy", series, log_x=True)


def _said(data: Data, extract: Extract) -> str:
    found, epsilon = accuracies(data, extract, "brackets"), EPSILONS[0]
    names = ", ".join(f"{TITLES[name]} {found.of[name, epsilon].mean:.3f}" for name in (*NOISE, *TRADITIONAL))
    return f"{extract.area}, epsilon = {epsilon:g}: {names}, baseline {found.baseline:.3f}."


def _drawing(data: Data, place: str, *extracts: Extract) -> Drawing:
    panels = [_panel(data, extract) for extract in extracts]
    says = " ".join(_said(data, extract) for extract in extracts)
    title = "accuracy of classifiers trained on protected tables"
    return Drawing("P2", place, title, panels, says, columns=len(panels))


FIGURES = [
    Figure("P2", "Figure 4", lambda data: _drawing(data, "Figure 4", MASSACHUSETTS)),
    Figure("P2", "Figure 5", lambda data: _drawing(data, "Figure 5", TEXAS, OUTLIER)),
]


def _of(extract: Extract, figure: str, age: Age) -> list[Claim]:
    where = f"{figure}, {extract.area}" + ("" if age else ", without age")

    def place(what: str, departs: str | None = None) -> Place:
        return Place("P2", where, what, departs)

    return [
        Statement(
            place("who teaches better", "P2-12"),
            "classifiers trained on Laplace or discrete Gaussian counts are more often right than those trained on the "
            "output of the other systems",
            lambda data: noise_teaches_better(data, extract, age),
        ),
        Statement(
            place("noise beside the baseline"),
            f"classifiers trained on noisy counts are close to the baseline (within {NEAR:g})",
            lambda data: noise_is_near(data, extract, age),
        ),
        Statement(
            place("the others beside the baseline", "P2-12"),
            "classifiers trained on noisy counts are closer to the baseline than any other",
            lambda data: others_are_further(data, extract, age),
        ),
    ]


CLAIMS: list[Claim] = [
    *_of(MASSACHUSETTS, "Figure 4", "brackets"),
    *_of(MASSACHUSETTS, "Figure 4", ""),
    *_of(TEXAS, "Figure 5", "brackets"),
    *_of(OUTLIER, "Figure 5", "brackets"),
]
