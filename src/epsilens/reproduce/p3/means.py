"""P3, section 1: means, proportions and histograms."""

from __future__ import annotations

import itertools
import math

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


def _far_from_others(values: FloatArray, record: int) -> float:
    """The distance of a record from the mean of those that are left, over n: signed."""
    x = values[:, 0]
    return float((x[record] - x[1:].mean()) / len(x))


def _furthest(case: tuple[int, tuple[float, float]], record: int) -> float:
    """The largest distance of a record from the mean of all but the first, over n records at four places each."""
    n, (low, high) = case
    points: list[float] = np.linspace(low, high, 4).tolist()
    return max(abs(x[record] - math.fsum(x[1:]) / (n - 1)) for x in itertools.product(points, repeat=n))


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
        "(x_n - mean of the second to the last) / n",
        "P3-f",
        printed=lambda values: _far_from_others(values, -1),
        true=_one_less,
        mended=(("with x_1 for x_n", lambda values: _far_from_others(values, 0)),),
        cases=[*SAMPLES, np.array([[0.0], [1.0], [1.0]])],
        told=lambda values: f"{len(values)} records",
    ),
    formula(
        "section 1, mean, Def 2, worst case",
        "n times how far the mean moves at most",
        "the largest |x_n - mean of the second to the last| = c1 - c0",
        "P3-f",
        printed=lambda case: _furthest(case, -1),
        true=lambda case: case[1][1] - case[1][0],
        mended=(("with x_1 for x_n", lambda case: _furthest(case, 0)),),
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
