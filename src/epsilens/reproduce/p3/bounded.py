"""P3, its title and section 6 with Figures S1 and S2: Laplace noise within bounds."""

from __future__ import annotations

import itertools

import numpy as np

from epsilens.budget import PureDP
from epsilens.noise.bounded_laplace import ClampedLaplace, TruncatedLaplace, clamped_epsilon, truncated_epsilon
from epsilens.release.statistics.proportion_study import TARGETS, StudyRow, cost_of_print, study
from epsilens.reproduce.claims import Claim
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p3.setting import formula

INTERVAL = [(b, moved) for b in (0.02, 0.2, 1.0, 5.0) for moved in (0.02, 0.2, 0.5, 1.0)]
"""Scales and sensitivities within [0, 1]."""
PARTS = 200
"""Of the interval, for true values and for outputs, among them its ends and every pair that is a sensitivity apart."""
SHARES = [(n, epsilon) for n in (20, 100, 1000) for epsilon in (0.1, 1.0, 5.0)]
EPSILONS = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0)
SIZES = (50, 1000)
CRITERIA = (("bias", "bias"), ("rmse", "RMSE"), ("coverage", "coverage"))


def searched_truncated(case: tuple[float, float]) -> float:
    """The largest log ratio of two truncated densities, over true values that far apart and every output."""
    scale, moved = case
    outputs = np.linspace(0.0, 1.0, PARTS + 1)
    largest = 0.0
    for low in np.linspace(0.0, 1.0 - moved, PARTS + 1):
        one = TruncatedLaplace(float(low), scale, 0.0, 1.0).logdensity(outputs)
        two = TruncatedLaplace(min(1.0, float(low) + moved), scale, 0.0, 1.0).logdensity(outputs)
        largest = max(largest, float(np.abs(one - two).max()))
    return largest


def searched_clamped(case: tuple[float, float]) -> float:
    """The same of noise that is moved to the bounds: densities inside, probabilities at the two ends."""
    scale, moved = case
    inside = np.linspace(0.0, 1.0, PARTS + 1)[1:-1]
    largest = 0.0
    for low in np.linspace(0.0, 1.0 - moved, 21):
        one, two = (ClampedLaplace(t, scale, 0.0, 1.0) for t in (float(low), min(1.0, float(low) + moved)))
        within = np.abs(one.logdensity(inside) - two.logdensity(inside)).max()
        ends = np.abs(np.log(one.pmf(np.array([0.0, 1.0]))) - np.log(two.pmf(np.array([0.0, 1.0])))).max()
        largest = max(largest, float(within), float(ends))
    return largest


def searched_shares(case: tuple[int, float]) -> float:
    """Two proportions that are released at the printed scale: one rises by 1/n, the other falls by as much."""
    n, epsilon = case
    scale, moved = 2.0 / n / epsilon, 1.0 / n
    outputs = np.linspace(0.0, 1.0, PARTS + 1)
    largest = 0.0
    for low in np.linspace(0.0, 1.0 - moved, PARTS + 1):
        pair = 0.0
        for before, after in ((low, low + moved), (1.0 - low, 1.0 - low - moved)):
            start, end = (TruncatedLaplace(min(1.0, max(0.0, float(t))), scale, 0.0, 1.0) for t in (before, after))
            pair += float((start.logdensity(outputs) - end.logdensity(outputs)).max())
        largest = max(largest, pair)
    return largest


def _told(case: tuple[float, float]) -> str:
    return f"b = {case[0]:g}, sensitivity {case[1]:g}, bounds 0 and 1"


def _told_shares(case: tuple[int, float]) -> str:
    return f"n = {case[0]}, epsilon = {case[1]:g}"


def _rows(data: Data, method: str) -> list[StudyRow]:
    return data.once(("study", method), lambda: study(SIZES, EPSILONS, (method,)))


def _study(place: str, title: str, method: str) -> Figure:
    """Print has p1 + p2, p1 + p3 and p1 + p4 of the original and the sanitized proportions."""

    def draw(data: Data) -> Drawing:
        panels = []
        for (field, name), target in itertools.product(CRITERIA, TARGETS):
            series = [
                Series(f"{told}, n = {n}", EPSILONS, [getattr(row, field) for row in rows])
                for told, kind in (("original", "original"), ("sanitized", method))
                for n in SIZES
                for rows in [[row for row in _rows(data, kind) if row.n == n and row.target == target]]
            ]
            level = [("95 %", 0.95)] if field == "coverage" else []
            panels.append(Panel(f"{name} of {target}", "epsilon", name, series, log_x=True, horizontals=level))
        sanitized = [row for row in _rows(data, method) if row.target == TARGETS[0]]
        small, large = (next(r for r in sanitized if r.n == SIZES[0] and r.epsilon == e) for e in (0.1, 5.0))
        says = (
            f"Our own design, as print does not have its own here. Of {TARGETS[0]} at n = {SIZES[0]} the RMSE falls "
            f"from {small.rmse:.3f} at epsilon = 0.1 to {large.rmse:.3f} at 5, and the bias from {small.bias:+.3f} to "
            f"{large.bias:+.3f}."
        )
        return Drawing("P3", place, title, panels, says, columns=3)

    return Figure("P3", place, draw)


CLAIMS: list[Claim] = [
    formula(
        "title, truncated noise",
        "what Laplace noise costs that is drawn again until within bounds, over sensitivity / b",
        "1: its cost is that of the noise",
        "P3-d",
        in_print=False,
        printed=lambda _: 1.0,
        true=lambda case: searched_truncated(case) / clamped_epsilon(*case),
        cases=INTERVAL,
        told=_told,
    ),
    formula(
        "title, truncated noise, ours",
        "the same by our own function",
        "truncated_epsilon",
        "P3-d",
        in_print=False,
        printed=lambda case: truncated_epsilon(case[0], case[1], 0.0, 1.0),
        true=searched_truncated,
        cases=INTERVAL,
        told=_told,
    ),
    formula(
        "title, noise moved to the bounds",
        "the epsilon of Laplace noise that is moved to the nearer bound",
        "sensitivity / b",
        "P3-d",
        printed=lambda case: clamped_epsilon(*case),
        true=searched_clamped,
        cases=INTERVAL,
        told=_told,
    ),
    formula(
        "section 6, rescaling",
        "what proportions cost with truncated noise of scale (2/n) / epsilon, over epsilon",
        "1: their cost is epsilon",
        "P3-d",
        in_print=False,
        printed=lambda _: 1.0,
        true=lambda case: searched_shares(case) / case[1],
        cases=SHARES,
        told=_told_shares,
    ),
    formula(
        "section 6, rescaling, ours",
        "the same by our own function",
        "cost_of_print",
        "P3-d",
        in_print=False,
        printed=lambda case: cost_of_print(case[0], PureDP(case[1])),
        true=searched_shares,
        cases=SHARES,
        told=_told_shares,
    ),
]
FIGURES = [
    _study("Figure S1", "rescaled proportions", "truncated-published"),
    _study("Figure S2", "proportions from a universal histogram", "universal"),
]
