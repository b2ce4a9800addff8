"""Exact curves of the expected risk and of attackers who guess: against 500 sanitisations, the papers' recipe"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

import epsilens as el
from benchmarks.cells import made
from benchmarks.former import SECONDS, against_former
from benchmarks.harness import Setting, alone, by_turns, cores
from benchmarks.outcome import Comparison, Growth, Outcome
from benchmarks.sanitise import Attack, sanitised

QIDS = ["age", "relationship", "education", "race", "sex", "hours-per-week"]
REPEATS = 500
QUOTED = 101
TARGETS: dict[Attack, float] = {"expected": 100.0, "hard": 100.0, "soft": 100.0}


def adult(setting: Setting) -> np.ndarray:
    path = setting.data / "adultcount.csv"
    if not path.exists():
        return made(setting.size(12_000, 500), 3.0, labels=2)
    counts = el.read_table(path, el.Schema(QIDS, "income"), count="income_1").counts
    return counts[: setting.size(len(counts), 300)]


def exact(counts: np.ndarray, budgets: Sequence[el.PureDP], measure: Attack) -> np.ndarray:
    return el.risk_curve(el.FrequencyTable.from_counts(counts), "laplace", budgets, measure=measure).risks


def recipe(
    counts: np.ndarray, budgets: Sequence[el.PureDP], measure: Attack, repeats: int, rng: np.random.Generator
) -> list[tuple[float, float]]:
    noises = [el.calibrate("laplace", budget) for budget in budgets]
    return [sanitised(counts, noise, measure, repeats, rng) for noise in noises]


def run(setting: Setting) -> Iterator[Outcome]:
    counts = adult(setting)
    repeats = setting.size(REPEATS, 20)
    budgets = el.PureDP.grid(1e-3, 1e2, setting.size(51, 4))
    few = budgets[:: setting.size(10, 1)]
    rng = np.random.default_rng(2026)
    for measure, target in TARGETS.items():
        el.risk_curve(el.FrequencyTable.from_counts([[2, 1]]), "laplace", budgets[:1], measure=measure)  # imports
        with cores(1) as threads:
            timed = by_turns(
                partial(exact, counts, few, measure),
                partial(recipe, counts, few, measure, repeats, rng),
                1,
            )
        deviations = [
            abs(mean - value) / max(error, 1e-9) for (mean, error), value in zip(timed.theirs, timed.ours, strict=True)
        ]
        yield Comparison(
            f"exact {measure} risk of Adult ({len(counts):,} cells), {len(few)} budgets",
            peer=f"{repeats} sanitisations of the table, vectorised NumPy",
            target=target,
            difference=max(deviations),
            tolerance=5.0,
            threads=threads,
            note="difference in standard errors of the simulation",
            **timed.seconds,
        )
    yield from _grown(setting)


def _grown(setting: Setting) -> Iterator[Outcome]:
    """The whole curve of a large table, from few budgets to many."""
    numbers = (1, 10, QUOTED, 1000) if not setting.quick else (1, 5)
    counts = made(setting.size(1_000_000, 2_000), 5.0)
    table = el.FrequencyTable.from_counts(counts)
    signatures = len(table.signatures()[0])
    for measure in ("local", "expected", "hard", "soft"):
        seconds = []
        for number in numbers:
            budgets = el.PureDP.grid(1e-3, 1e2, number) if number > 1 else [el.PureDP(1.0)]
            seconds.append(alone(partial(el.risk_curve, table, "laplace", budgets, measure=measure), 1)[0])
            if seconds[-1] > 30.0:
                break
        yield Growth(
            f"{measure} risk of {len(counts):,} cells ({signatures:,} signatures)",
            "budgets",
            numbers[: len(seconds)],
            tuple(seconds),
            target=1.05,
        )
        if measure in SECONDS and QUOTED in numbers[: len(seconds)]:
            name = f"{measure} risk of {len(counts):,} cells ({signatures:,} signatures), {QUOTED} budgets"
            yield against_former(measure, name, seconds[numbers.index(QUOTED)])
