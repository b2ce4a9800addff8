"""Choosing a budget, simulating, fitting the law of labels: against what a careful user writes in NumPy and SciPy"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np
from scipy import optimize, special

import epsilens as el
from benchmarks import careful
from benchmarks.cells import made
from benchmarks.former import against_former
from benchmarks.harness import Setting, by_turns, cores
from benchmarks.outcome import Comparison, Outcome
from benchmarks.sanitise import sanitised
from epsilens.homogeneity import empirical, fit_dirichlet

SCANNED = 1001


def run(setting: Setting) -> Iterator[Outcome]:
    yield from _choices(setting)
    simulated, fit = _simulation(setting), _fit(setting)
    yield simulated
    yield fit
    if not setting.quick:
        yield against_former("simulation", simulated.name, simulated.ours_seconds)
        yield against_former("Dirichlet fit", fit.name, fit.ours_seconds)


def chosen_budget(counts: np.ndarray, ceiling: float, measure: str) -> el.BudgetChoice:
    return el.choose_budget(el.FrequencyTable.from_counts(counts), "laplace", max_risk=ceiling, measure=measure)


def _choices(setting: Setting) -> Iterator[Outcome]:
    counts = made(setting.size(1_000_000, 2_000), 5.0)
    grid = el.PureDP.grid(1e-3, 1e2, setting.size(SCANNED, 101))
    laws = [careful.laplace(1.0 / budget.epsilon) for budget in grid]
    ceiling = float(np.mean(careful.curve(counts, [laws[0], laws[-1]])))  # between no noise and nothing but noise
    el.choose_budget(el.FrequencyTable.from_counts([[2, 1], [3, 0]]), "laplace", max_risk=ceiling)

    def scanned() -> float:
        """The largest budget of the grid below which no budget is above the ceiling."""
        above = careful.curve(counts, laws) > ceiling
        return grid[max(int(above.argmax()) - 1, 0)].epsilon if above.any() else np.inf

    step = grid[1].epsilon / grid[0].epsilon
    for measure in ("local", "expected"):
        with cores(1) as threads:
            timed = by_turns(
                partial(chosen_budget, counts, ceiling, measure),
                scanned,
                setting.size(3, 1),
                30.0,
            )
        chosen = timed.ours
        exact = el.risk_curve(
            el.FrequencyTable.from_counts(counts), "laplace", [el.PureDP(chosen.finite_budget)], measure=measure
        ).risks[0]
        apart = abs(exact - chosen.risk)
        if measure == "local":  # the grid's answer is right to a step of the grid
            apart += max(0.0, abs(np.log(chosen.finite_budget / timed.theirs)) / np.log(step) - 1.0)
        yield Comparison(
            f"choose by {measure} risk, {len(counts):,} cells: {_evaluations(chosen)} budgets evaluated",
            peer=f"careful NumPy, local risk at {len(grid)} budgets"
            + ("" if measure == "local" else " (of a simpler measure: there is no NumPy of this one)"),
            target=1.0 if measure == "local" else None,
            difference=apart,
            tolerance=1e-12,
            threads=threads,
            **timed.seconds,
        )
        if not setting.quick:
            known = f"choose by {measure} risk"
            yield against_former(known, f"{known}, {len(counts):,} cells", timed.ours_seconds)


def _evaluations(choice: Any) -> str:
    """How many budgets the choice knows the risk of."""
    try:
        return f"{len(choice.curve[0]):,}"
    except (AttributeError, TypeError):
        return "an unknown number of"


def _simulation(setting: Setting) -> Comparison:
    counts = made(setting.size(1_000_000, 2_000), 5.0)
    repeats = setting.size(500, 20)
    drawn = setting.size(10, 20)
    budget = el.PureDP(1.0)
    noise = el.calibrate("laplace", budget)
    rng = np.random.default_rng(2026)
    with cores(1) as threads:
        timed = by_turns(
            lambda: empirical(el.FrequencyTable.from_counts(counts), "laplace", [budget], repeats),
            lambda: sanitised(counts, noise, "local", drawn, rng),
            1,
        )
    mean, _, error = timed.ours.simulations[0]["local"]
    theirs, their_error = timed.theirs
    scaled = timed.peer_seconds * repeats / drawn
    return Comparison(
        f"simulated risks of {len(counts):,} cells, {repeats} repeats, one budget",
        timed.ours_seconds,
        f"vectorised NumPy, one of our 14 statistics ({drawn} repeats timed, scaled to {repeats})"
        if drawn != repeats
        else "vectorised NumPy, one of our 14 statistics",
        scaled,
        target=10.0,
        difference=abs(mean - theirs) / np.hypot(error, their_error),
        tolerance=5.0,
        threads=threads,
        note="difference in standard errors",
    )


def _fit(setting: Setting) -> Comparison:
    counts = made(setting.size(1_000_000, 2_000), 13.6)
    table = el.FrequencyTable.from_counts(counts)
    signatures = len(table.signatures()[0])
    fit_dirichlet(el.FrequencyTable.from_counts([[2, 1], [1, 3], [2, 2]]))
    with cores(1) as threads:
        timed = by_turns(
            lambda: np.asarray(fit_dirichlet(el.FrequencyTable.from_counts(counts)).model.alpha),
            lambda: fitted(counts),
            setting.size(3, 1),
        )
    return Comparison(
        f"Dirichlet fit of {len(counts):,} cells ({signatures:,} signatures)",
        peer="scipy.optimize over histograms of each label's counts",
        target=1.0,
        difference=float(np.abs(timed.ours / timed.theirs - 1.0).max()),
        tolerance=1e-4,
        threads=threads,
        note="difference relative; the peer stops at a gradient of 1e-9",
        **timed.seconds,
    )


def fitted(counts: np.ndarray) -> np.ndarray:
    """Dirichlet-multinomial maximum likelihood as a careful user writes it.

    The likelihood needs only how often each label has each count and how often each size occurs, so a step costs as
    much as the largest count. Newton's direction in log alpha comes from SciPy's trust region with exact derivatives.
    """
    sizes = np.bincount(counts.sum(axis=1))
    labels = [np.bincount(column) for column in counts.T]
    n = np.arange(len(sizes))
    cells = sizes.sum()

    def negative(logs: np.ndarray) -> tuple[float, np.ndarray]:
        alpha = np.exp(logs)
        total = alpha.sum()
        value = cells * special.gammaln(total) - sizes @ special.gammaln(total + n)
        slope = np.full(len(alpha), cells * special.digamma(total) - sizes @ special.digamma(total + n))
        for k, histogram in enumerate(labels):
            m = np.arange(len(histogram))
            value += histogram @ special.gammaln(alpha[k] + m) - cells * special.gammaln(alpha[k])
            slope[k] += histogram @ special.digamma(alpha[k] + m) - cells * special.digamma(alpha[k])
        return -value / cells, -slope * alpha / cells

    start = np.log(np.maximum(counts.mean(axis=0) / counts.sum(axis=1).mean(), 1e-3) * len(labels))
    found = optimize.minimize(negative, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(np.exp(found.x))
