"""Appendix B: Algorithms 1 to 6, step by step."""

from __future__ import annotations

import math
from itertools import product

import numpy as np

from epsilens.arrays import FloatArray, as_floats
from epsilens.avoidance import published
from epsilens.avoidance.anonymity import DPKAnonymity, KAnonymity
from epsilens.avoidance.exchanged import swapped_pairs
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.nearest import mixed_metric_points
from epsilens.avoidance.records import Column
from epsilens.avoidance.suppression import DPSuppression, Suppression
from epsilens.lazy import LaterModule
from epsilens.noise.laplace import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement, everywhere
from epsilens.reproduce.p2.section_3 import EPSILONS, K

special = LaterModule("scipy.special")

SLIGHT = 0.05
_SEED = 12
_FINE = 200_001


def mixed_columns() -> list[Column]:
    """Two categories and a number."""
    rng = np.random.default_rng(_SEED)
    return [
        Column.categorical(rng.integers(0, 3, 12).tolist()),
        Column.numeric("age", rng.integers(0, 90, 12)),
        Column.categorical(rng.integers(0, 2, 12).tolist()),
    ]


def by_points(pair: tuple[int, int]) -> float:
    """d_swap as the l1 distance of the points that stand for two rows."""
    columns = mixed_columns()
    codes = np.column_stack([column.codes for column in columns]).astype(np.int64)
    points = mixed_metric_points(codes, columns)
    return float(np.abs(points[pair[0]] - points[pair[1]]).sum())


def by_columns(pair: tuple[int, int]) -> float:
    """d_swap column by column: 1 for another category, |a - b| / range for a number."""
    distance = 0.0
    for column in mixed_columns():
        codes = column.codes[list(pair)]
        if column.numbers is None:
            distance += float(codes[0] != codes[1])
        else:
            a, b = column.numbers[codes]
            distance += float(abs(a - b) / (column.numbers.max() - column.numbers.min()))
    return distance


def threshold_mean(case: tuple[float, int, int]) -> float:
    """E of a count released by Algorithm 2, going through the thresholds one small step after another."""
    epsilon, k, count = case
    noise = LaplaceNoise(2.0 / epsilon)
    places = np.linspace(-40.0, 40.0, _FINE) * noise.scale
    masses = np.diff(noise.cdf(places))
    thresholds = k + 0.5 * (places[1:] + places[:-1])
    released = np.where(count < thresholds, np.floor(0.5 * thresholds), count)
    return float(masses @ released / masses.sum())


def outside_interval(width: int) -> float:
    """How likely a whole number drawn by Algorithm 5 for the interval [0, width] lies outside of it."""
    edge = 0.5 * width + 0.5
    return float(2.0 * special.ndtr(-edge / (0.25 * width)))


def _slight() -> Finding:
    worst = max(range(1, 100), key=outside_interval)
    least = outside_interval(1_000_000)
    return Finding(
        max(outside_interval(worst), least) <= SLIGHT,
        f"between {outside_interval(1):.3g} (width 1) and {least:.3g} (wide intervals)",
    )


def classes_fill_their_sets() -> Finding:
    """Whether a person is given any of the values of the class, each as often, in the expected reconstruction."""
    rng = np.random.default_rng(_SEED)
    for case in range(10):
        counts = rng.poisson(1.0, (4, 3, 2))
        levels = tuple(tuple(str(level) for level in range(size)) for size in counts.shape)
        table = Histogram(counts, ("a", "b", "c"), levels, ("a", "b"))
        system = KAnonymity(3)
        exact = as_floats(system.moments(table).bias) + counts
        if not np.allclose(exact, _filled(system, table), atol=1e-9):
            return Finding(False, f"not in table {case}")
        if not math.isclose(float(exact.sum()), float(counts.sum())):
            return Finding(False, f"people are lost in table {case}")
    return Finding(True, "in 10 random tables, and nobody is lost")


def _filled(system: KAnonymity, table: Histogram) -> FloatArray:
    """The expected reconstruction, cell by cell from the classes as they are published."""
    expected = np.zeros(table.counts.shape)
    for row in system.anonymised(table).rows():
        places = []
        for axis, name in enumerate(table.attributes):
            members = str(row[name]).strip("{}").split(", ")
            places.append([table.levels[axis].index(member) for member in members])
        cells = list(product(*places))
        for cell in cells:
            expected[cell] += float(row["count"]) / len(cells)
    return expected


def _suppresses(reading_k: int) -> Finding:
    counts = np.arange(0.0, 4.0 * reading_k)
    released = np.asarray(Suppression(reading_k).release(counts))
    return everywhere(
        [int(x) for x in counts],
        lambda x: float(released[x]) == (reading_k // 2 if x < reading_k else x),
        lambda x: f"the count {x} is released as {released[x]:g}",
    )


def _sample_sizes() -> Finding:
    """Whether the mean size of releases is beta times the people, within 4 standard errors."""
    counts, rng = np.full((3, 4), 40), np.random.default_rng(_SEED)
    levels = tuple(tuple(str(level) for level in range(size)) for size in counts.shape)
    table = Histogram(counts, ("a", "b"), levels, ("a",))
    system, people, releases = DPKAnonymity(K, 1.0), float(counts.sum()), 50
    sizes = [float(np.asarray(system.release(table, rng).counts).sum()) for _ in range(releases)]
    error = math.sqrt(people * system.beta * (1.0 - system.beta) / releases)
    mean = float(np.mean(sizes))
    return Finding(
        abs(mean - system.beta * people) <= 4.0 * error,
        f"{mean:.1f} of {people:g} on average, {system.beta * people:.1f} being expected",
    )


def _place(where: str, what: str) -> Place:
    return Place("P2", where, what)


CLAIMS: list[Claim] = [
    Statement(
        _place("Algorithm 1", "what it releases"),
        "floor(k / 2) for a count below k, else the count",
        lambda _: _suppresses(K),
    ),
    Formula(
        _place("Algorithm 2", "the expected release"),
        "floor(T / 2) for a count below T = k + Laplace noise of scale 2 / epsilon, else the count",
        lambda case: float(case[2] + DPSuppression(case[1], case[0], "algorithm-2").bias([case[2]])[0]),
        threshold_mean,
        list(product(EPSILONS, (6, 9), (0, 1, 5, 6, 20))),
        tolerance=2e-3,
        told=lambda case: f"epsilon = {case[0]:g}, k = {case[1]}, x = {case[2]}",
    ),
    Formula(
        _place("section B.2", "the distance of two rows"),
        "d_swap: 1 for every category that differs, |a - b| / range for a number",
        by_points,
        by_columns,
        list(product(range(12), range(12))),
        told=lambda pair: f"rows {pair[0]} and {pair[1]}",
    ),
    Formula(
        _place("Algorithm 3", "how many pairs are swapped"),
        "floor((1 - gamma) N / 2)",
        lambda case: float(swapped_pairs(case[0] / 10, case[1])),
        lambda case: float(case[0] * case[1] // 20),
        [(tenths, rows) for tenths in (1, 5, 7, 10) for rows in (2, 7, 540, 7634)],
        told=lambda case: f"gamma = {1.0 - case[0] / 10:g}, N = {case[1]}",
    ),
    Statement(
        _place("Algorithm 5", "what a data set is made of"),
        "every person of a class is given any of its values, each as likely",
        lambda _: classes_fill_their_sets(),
    ),
    Statement(
        _place("section C.1, numeric columns", "values outside of their interval"),
        "drawing from N((a + b) / 2, (b - a) / 4) has a slight risk of a value outside of [a, b]",
        lambda _: _slight(),
    ),
    Formula(
        _place("Algorithm 6", "the share of people who are sampled"),
        "beta = 1 - exp(-epsilon)",
        published.sampling_probability,
        lambda epsilon: 1.0 - math.exp(-epsilon),
        (0.1, *EPSILONS),
        told=lambda epsilon: f"epsilon = {epsilon:g}",
    ),
    Statement(
        _place("Algorithm 6", "how many people a release has on average"),
        "it is made of a sample, and has a share beta of the people",
        lambda _: _sample_sizes(),
    ),
]
