"""Local risk, 3 mechanisms x 101 budgets, of a million cells: against careful and against plain NumPy"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

import epsilens as el
from benchmarks import careful
from benchmarks.cells import made
from benchmarks.harness import Setting, by_turns, cores
from benchmarks.outcome import Comparison, Outcome
from epsilens.budget import Budget

TABLES = {"easy": 5.0, "middle": 30.0, "hard": 56.0}
"""Mean sizes of cells: the larger the cells, the fewer are alike."""
TARGETS = {"easy": 10.0, "middle": 2.0, "hard": 1.0}
BUDGETS = 101
PLAIN = 11


def curves(budgets: int) -> dict[str, Sequence[Budget]]:
    """Budgets of each mechanism."""
    return {
        "laplace": el.PureDP.grid(1e-3, 1e2, budgets),
        "discrete-laplace": el.PureDP.grid(1e-3, 1e2, budgets),
        "gaussian-analytic": el.ApproxDP.grid(1e-3, 1e2, budgets, 1e-6),
    }


def laws(asked: dict[str, Sequence[Budget]]) -> list[careful.Survival]:
    """The survival function of each of them; calibrating is nobody's benchmark, so both sides are given the noises."""
    of: dict[str, Callable[[Any], careful.Survival]] = {
        "laplace": lambda noise: careful.laplace(noise.scale),
        "discrete-laplace": lambda noise: careful.geometric(noise.scale),
        "gaussian-analytic": lambda noise: careful.gaussian(noise.sigma),
    }
    return [of[name](el.calibrate(name, budget)) for name, budgets in asked.items() for budget in budgets]


def ours(counts: np.ndarray, asked: dict[str, Sequence[Budget]]) -> np.ndarray:
    table = el.FrequencyTable.from_counts(counts)
    return np.concatenate([el.risk_curve(table, name, budgets).risks for name, budgets in asked.items()])


def run(setting: Setting) -> Iterator[Outcome]:
    cells, asked = setting.size(1_000_000, 3_000), curves(setting.size(BUDGETS, 5))
    ours(made(100, 3.0), curves(2))  # imports are not the question
    for name, mean_size in TABLES.items():
        counts = made(cells, mean_size)
        n_sorted = len(careful.distinct(counts)[0])
        what = f"local risk of {cells:,} cells, {n_sorted:,} distinct but for the order of labels"
        with cores(1) as threads:
            timed = by_turns(
                lambda counts=counts: ours(counts, asked),
                lambda counts=counts: careful.curve(counts, laws(asked)),
                setting.size(5, 1),
                50.0,
            )
            yield Comparison(
                f"{what} ({name})",
                peer="careful NumPy (sorted rows packed into a number, law once per count)",
                target=TARGETS[name],
                difference=float(np.abs(timed.ours - timed.theirs).max()),
                tolerance=1e-12,
                threads=threads,
                **timed.seconds,
            )
        if name == "easy":
            few = curves(setting.size(PLAIN, 3))
            with cores(1):
                timed = by_turns(
                    lambda counts=counts, few=few: ours(counts, few),
                    lambda counts=counts, few=few: careful.plain(counts, laws(few)),
                    1,
                )
            yield Comparison(
                f"the same table at {3 * len(few['laplace'])} noises",
                peer="plain NumPy (every label of every cell)",
                target=50.0,
                difference=float(np.abs(timed.ours - timed.theirs).max()),
                tolerance=1e-12,
                threads=1,
                **timed.seconds,
            )
