"""Section 4.3: several sensitive attributes, and several publications of tables that grow."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from epsilens.accounting.composition import compose, compose_parallel
from epsilens.budget import PureDP
from epsilens.homogeneity.local import local_risks
from epsilens.homogeneity.repeated.attributes import Overall
from epsilens.homogeneity.repeated.published import sequence
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.noise import LaplaceNoise
from epsilens.reproduce.claims import Claim, Finding, Formula, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.cases import EPSILONS, listed
from epsilens.reproduce.p0.enumeration import Cell, Law, outcomes, risk
from epsilens.reproduce.p0.tables import joint_table

P0 = partial(Place, "P0")
CUMULATIVE = "P0-11"
Q = ("first", "second", "third")
JOINT: tuple[Cell, ...] = ((2, 0, 0, 0), (1, 1, 0, 0), (1, 0, 1, 0), (3, 1, 0, 0), (1, 0, 0, 2), (2, 1, 1, 0))
"""Counts of two attributes with two values each: (no, no), (no, yes), (yes, no), (yes, yes)."""
ORDERED: tuple[Cell, ...] = (
    (2, 0, 0, 0, 1, 0, 0, 0),
    (1, 1, 0, 0, 0, 0, 3, 0),
    (0, 4, 0, 0, 0, 0, 0, 0),
    (1, 0, 0, 2, 0, 1, 0, 1),
)
"""The same for three attributes."""
BUDGETS = ((0.5, 0.5, 0.5), (0.1, 1.0, 3.0), (4.0, 0.2, 0.05))


@dataclass(frozen=True)
class Sequence2:
    """A cell whose size is published first, then its labels."""

    cell: Cell
    sizes: float
    labels: float

    def __str__(self) -> str:
        return f"counts {listed(self.cell)}, sizes at epsilon = {self.sizes:g}, labels at epsilon = {self.labels:g}"


def first_of_two(cell: Cell) -> Cell:
    """The counts of the first attribute alone."""
    return (cell[0] + cell[1], cell[2] + cell[3])


def separately(case: tuple[Cell, Law]) -> float:
    """Print's evaluation of an attribute: as if it were published in a table of its own."""
    cell, law = case
    return float(local_risks(np.array([first_of_two(cell)]), law.noise)[0])


def in_joint_table(case: tuple[Cell, Law]) -> float:
    """P(the joint table shows one value of the first attribute only, which somebody has), over all sets shown."""
    cell, law = case
    total = 0.0
    for labels, chance in outcomes(cell, law):
        values = {label // 2 for label in labels}
        if len(values) == 1 and first_of_two(cell)[values.pop()] > 0:
            total += chance
    return total


def at_cumulative_budget(case: Sequence2) -> float:
    """Print's risk after sizes and labels were published: at the sum of both budgets."""
    table = joint_table([case.cell], Q[:1])
    releases: list[AnyRelease] = [
        SizeRelease(LaplaceNoise(1.0 / case.sizes), PureDP(case.sizes), name="sizes"),
        Release(table, LaplaceNoise(1.0 / case.labels), PureDP(case.labels), name="labels"),
    ]
    steps = sequence(releases, "laplace")
    return float(steps[""][-1].risk.risks[0, 0])


def adding_up(case: Sequence2) -> float:
    """P(one label alone is shown, and somebody has it) where both counts are moved alike until they add up to the size.

    Print asks for labels that add up to the published size and says no more; an even share of the gap is what Epsilens
    does. With d the noisy difference of the counts and s the noisy size they become (s + d) / 2 and (s - d) / 2, and
    the first label alone is shown where 1 - d <= s < 1 + d: one integral over d > 0, and likewise for the second.
    """
    from scipy import integrate, stats

    size, width = stats.laplace(sum(case.cell), 1.0 / case.sizes), 1.0 / case.labels

    def alone(apart: float) -> float:
        def density(d: float) -> float:
            away = abs(d - apart) / width
            return (1.0 + away) * math.exp(-away) / (4.0 * width) * float(size.cdf(1.0 + d) - size.cdf(1.0 - d))

        bends = sorted({0.0, *(each for each in (apart, sum(case.cell) - 1.0) if each > 0.0)})
        ends = itertools.pairwise([*bends, math.inf])
        return math.fsum(integrate.quad(density, low, high, epsabs=1e-12, limit=200)[0] for low, high in ends)

    first, second = case.cell
    return sum(alone(apart) for n, apart in ((first, first - second), (second, second - first)) if n > 0)


def _releases(cell: Cell, budgets: Sequence[float]) -> list[AnyRelease]:
    """Three attributes published one after the other, each release with all attributes so far."""
    found: list[AnyRelease] = []
    for j, epsilon in enumerate(budgets, 1):
        counts = np.array(cell).reshape(2**j, -1).sum(axis=1)
        found.append(
            Release(joint_table([counts.tolist()], Q[:j]), LaplaceNoise(1.0 / epsilon), PureDP(epsilon), name=Q[j - 1])
        )
    return found


def _overall(kind: Overall) -> Finding:
    """Whether print's overall risk ever falls from release to release."""
    paths = []
    for cell, budgets in itertools.product(ORDERED, BUDGETS):
        steps = sequence(_releases(cell, budgets), "laplace")[""]
        paths.append([float(step.risk.overall(kind)[0]) for step in steps])
    rising = all(b >= a - 1e-12 for path in paths for a, b in itertools.pairwise(path))
    first = ", ".join(f"{value:.3f}" for value in paths[0])
    return Finding(rising, f"in all of {len(paths)} sequences of three attributes, such as {first}")


def _bounded(_: Data) -> Finding:
    """Whether the maximum stays below 1 and the sum does not."""
    values = {"max": 0.0, "sum": 0.0}
    for cell in ORDERED:
        last = sequence(_releases(cell, (4.0, 4.0, 4.0)), "laplace")[""][-1].risk
        values = {
            "max": max(values["max"], float(last.overall("max")[0])),
            "sum": max(values["sum"], float(last.overall("sum")[0])),
        }
    return Finding(values["max"] <= 1.0 < values["sum"], f"up to {values['max']:.3f} and {values['sum']:.3f}")


def _splits(cell: Cell) -> Iterator[tuple[Cell, Cell]]:
    """Ways to split a cell into two that have people."""
    for part in itertools.product(*(range(n + 1) for n in cell)):
        rest = tuple(n - m for n, m in zip(cell, part, strict=True))
        if sum(part) and sum(rest):
            yield part, rest


FURTHER = (0.1, 1.0)
"""What the publication of the smaller cells costs."""
COARSE: tuple[Cell, ...] = ((2, 0), (4, 0), (1, 1), (3, 1), (2, 2), (5, 0, 0), (2, 1, 1))


def _homogeneous(cell: Cell) -> bool:
    return sum(n > 0 for n in cell) == 1


def _more_homogeneous(_: Data) -> Finding:
    checked = 0
    for cell in COARSE:
        for parts in _splits(cell):
            checked += 1
            if sum(map(_homogeneous, parts)) < _homogeneous(cell):
                return Finding(False, f"{listed(cell)} split into {parts}")
    return Finding(True, f"in all of {checked} ways to split a cell")


def _more_risk(_: Data) -> Finding:
    """Whether the average risk over people rises when a homogeneous cell is split, at the cumulative privacy loss."""
    worst, seen = 0.0, ""
    for cell, epsilon, more in itertools.product(filter(_homogeneous, COARSE), EPSILONS, FURTHER):
        before, after = Law("laplace", epsilon), Law("laplace", epsilon + more)
        for parts in _splits(cell):
            split = math.fsum(sum(part) * risk(part, after) for part in parts) / sum(cell)
            if split - risk(cell, before) < worst:
                worst = split - risk(cell, before)
                seen = (
                    f"the counts {listed(cell)} have a risk of {risk(cell, before):.4f} at {before}; split into "
                    f"{' and '.join(listed(part) for part in parts)} they have {split:.4f} at {after}"
                )
    return Finding(worst == 0.0, seen or "in all splits")


def largest_loss(epsilons: Sequence[float], together: bool) -> float:
    """The largest privacy loss of Laplace counts on a grid of outputs, of one person in all or in one of them."""
    from scipy import stats

    x = np.linspace(-30.0, 31.0, 6101)
    losses = [
        np.abs(stats.laplace.logpdf(x, 0.0, 1.0 / e) - stats.laplace.logpdf(x, 1.0, 1.0 / e)).max() for e in epsilons
    ]
    return float(sum(losses) if together else max(losses))


def _total(epsilons: Sequence[float], together: bool) -> float:
    budgets = [PureDP(epsilon) for epsilon in epsilons]
    found = compose(budgets, rules=["basic"]) if together else compose_parallel([[budget] for budget in budgets])
    total = found["basic"].epsilon
    assert total is not None
    return total


CLAIMS: tuple[Claim, ...] = (
    Statement(
        P0("section 4.3, bounded and unbounded", "the overall risk of several attributes"),
        "the maximum is at most 1, the sum is not",
        _bounded,
    ),
    Formula(
        P0(
            "section 4.3, published once",
            "the risk of one attribute in a table that is published of several",
            CUMULATIVE,
        ),
        "it is evaluated separately, as that of the attribute's own table",
        separately,
        in_joint_table,
        [(cell, Law("laplace", epsilon)) for cell in JOINT for epsilon in EPSILONS],
        told=lambda case: f"counts {listed(case[0])} of (no, no), (no, yes), (yes, no), (yes, yes), {case[1]}",
    ),
    Formula(
        P0(
            "section 4.3, cumulative budget",
            "the risk after sizes and labels were published, the labels moved alike until they add up to the sizes",
            CUMULATIVE,
        ),
        "it is the risk at the cumulative privacy loss",
        at_cumulative_budget,
        adding_up,
        [Sequence2(cell, a, b) for cell in ((3, 0), (1, 1), (5, 1)) for a, b in ((0.5, 0.5), (1.0, 0.1), (0.01, 2.0))],
    ),
    Statement(
        P0("section 4.3, maximum over releases", "the bounded overall risk from release to release, as printed"),
        "it never falls again",
        lambda _: _overall("max"),
    ),
    Statement(
        P0("section 4.3, sum over releases", "the unbounded overall risk from release to release, as printed"),
        "it rises with every release",
        lambda _: _overall("sum"),
    ),
    Formula(
        P0("section 4.3, sequential composition", "the privacy loss of releases about the same people"),
        "the sum of their epsilons",
        partial(_total, together=True),
        partial(largest_loss, together=True),
        BUDGETS,
        told=listed,
    ),
    Formula(
        P0("section 4.3, parallel composition", "the privacy loss of releases about different people"),
        "it does not accumulate: the largest epsilon",
        partial(_total, together=False),
        partial(largest_loss, together=False),
        BUDGETS,
        told=listed,
    ),
    Statement(
        P0("section 4.3, more quasi-identifiers", "homogeneous cells as quasi-identifiers are added (footnote 4)"),
        "there are never fewer of them",
        _more_homogeneous,
    ),
    Statement(
        P0(
            "section 4.3, risk of smaller cells",
            "the risk as quasi-identifiers are added, each time at the cumulative privacy loss",
            "P0-16",
        ),
        "cells become smaller and more of them homogeneous, so that the risk rises",
        _more_risk,
    ),
)
