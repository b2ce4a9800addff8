"""P3, section 1: means, proportions and histograms."""

from __future__ import annotations

import itertools

import numpy as np

from epsilens import sensitivity
from epsilens.arrays import FloatArray
from epsilens.reproduce.claims import Claim, Compute, Formula
from epsilens.reproduce.p3.setting import BOUNDS, NEIGHBOURS, formula, number, searched, uniform_samples
from epsilens.sensitivity import published

SIZES = {"Def 1": (2, 3, 4, 5), "Def 2": (2, 3, 4, 5, 6)}
HISTOGRAM = {"Def 1": "2", "Def 2": "1"}
SAMPLES = uniform_samples(1, (2, 3, 5, 8))


def _mean(definition: str) -> Formula:
    return formula(
        f"section 1, mean, {definition}",
        "how far it moves between neighbours",
        "(c1 - c0) / n",
        printed=lambda case: sensitivity.mean(case[0], case[1][0], case[1][1], NEIGHBOURS[definition]),
        true=lambda case: searched("mean", NEIGHBOURS[definition], n=case[0], lower=case[1][0], upper=case[1][1]),
        cases=list(itertools.product(SIZES[definition], BOUNDS)),
        told=lambda case: f"n = {case[0]}, bounds {case[1]}",
    )


def _one_less(values: FloatArray) -> float:
    return float(values[:, 0].mean() - values[1:, 0].mean())


def _one_less_as_printed(values: FloatArray) -> float:
    x = values[:, 0]
    return float((x[0] - x[1:].mean()) / len(x))


def _widest(case: tuple[int, tuple[float, float]]) -> float:
    """The largest distance of a record from the mean of the others."""
    n, (low, high) = case
    points = np.linspace(low, high, 4)
    return max(abs(float(x - np.mean(rest))) for x in points for rest in itertools.product(points, repeat=n - 1))


def _proportion(definition: str) -> Formula:
    return formula(
        f"section 1, proportion, {definition}",
        "how far it moves between neighbours",
        "1 / n",
        printed=lambda n: sensitivity.proportion(n, NEIGHBOURS[definition]),
        true=lambda n: searched("proportion", NEIGHBOURS[definition], n=n),
        cases=SIZES[definition],
        told=lambda n: f"n = {n}",
    )


def _proportions(definition: str, text: str, departs: str | None = None) -> Formula:
    return formula(
        f"section 1, vector of proportions, {definition}",
        "how far it moves between neighbours, in l1",
        text,
        departs,
        printed=lambda case: published.proportions(case[0], NEIGHBOURS[definition]),
        true=lambda case: searched("proportions", NEIGHBOURS[definition], n=case[0], categories=case[1]),
        cases=list(itertools.product(SIZES[definition], (2, 3, 4))),
        told=lambda case: f"n = {case[0]} and {case[1]} categories",
    )


def _histogram(definition: str) -> Compute:
    return lambda _: sensitivity.histogram(NEIGHBOURS[definition])


def _histogram_searched(definition: str) -> Compute:
    return lambda _: max(
        searched("histogram", NEIGHBOURS[definition], n=n, categories=categories)
        for n, categories in itertools.product((1, 2, 4), (2, 3, 4))
    )


CLAIMS: list[Claim] = [
    _mean("Def 1"),
    formula(
        "section 1, mean, Def 2, derivation",
        "the change when the first record is left out",
        "(x1 - mean of the others) / n",
        printed=_one_less_as_printed,
        true=_one_less,
        cases=SAMPLES,
        told=lambda values: f"{len(values)} records",
    ),
    formula(
        "section 1, mean, Def 2, worst case",
        "the largest distance of a record from the mean of the others",
        "c1 - c0",
        printed=lambda case: case[1][1] - case[1][0],
        true=_widest,
        cases=list(itertools.product((2, 3, 4), BOUNDS)),
        told=lambda case: f"n = {case[0]}, bounds {case[1]}",
    ),
    _mean("Def 2"),
    _proportion("Def 1"),
    _proportion("Def 2"),
    *(
        number(
            f"section 1, histogram, {definition}",
            "how far it moves between neighbours, in l1",
            text,
            _histogram(definition),
            exact=_histogram_searched(definition),
        )
        for definition, text in HISTOGRAM.items()
    ),
    _proportions("Def 1", "2 / n"),
    _proportions("Def 2", "1 / n", "P3-c"),
]
