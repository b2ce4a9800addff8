"""Local risk, 3 mechanisms x 101 budgets, of a million cells: against careful and against plain NumPy"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
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
BUDGETS = 101
PLAIN = 5


def curves(budgets: int) -> dict[str, Sequence[Budget]]:
    """Budgets of each mechanism."""
    return {
        "laplace": el.PureDP.grid(1e-3, 1e2, budgets),
        "discrete-laplace": el.PureDP.grid(1e-3, 1e2, budgets),
        "gaussian-analytic": el.ApproxDP.grid(1e-3, 1e2, budgets, 1e-6),
    }


def laws(asked: dict[str, Sequence[Budget]]) -> list[careful.Survival]:
    """The survival function of each of them; whoever writes NumPy has the noises calibrated as we have."""
    of: dict[str, Callable[[Any], careful.Survival]] = {
        "laplace": lambda noise: careful.laplace(noise.scale),
        "discrete-laplace": lambda noise: careful.geometric(noise.scale),
        "gaussian-analytic": lambda noise: careful.gaussian(noise.sigma),
    }
    return [of[name](el.calibrate(name, budget)) for name, budgets in asked.items() for budget in budgets]


def ours(counts: np.ndarray, asked: dict[str, Sequence[Budget]]) -> np.ndarray:
    table = el.FrequencyTable.from_counts(counts)
    return np.concatenate([el.risk_curve(table, name, budgets).risks for name, budgets in asked.items()])


def careful_curve(counts: np.ndarray, asked: dict[str, Sequence[Budget]], alike: bool) -> np.ndarray:
    return careful.curve(counts, laws(asked), alike)


def plain_curve(counts: np.ndarray, asked: dict[str, Sequence[Budget]]) -> np.ndarray:
    return careful.plain(counts, laws(asked))


def run(setting: Setting) -> Iterator[Outcome]:
    cells, asked = setting.size(1_000_000, 3_000), curves(setting.size(BUDGETS, 5))
    few = curves(setting.size(PLAIN, 3))
    ours(made(100, 3.0), curves(2))  # imports are not the question
    for name, mean_size in TABLES.items():
        counts = made(cells, mean_size)
        n_sorted = len(careful.distinct(counts)[0])
        what = f"local risk of {cells:,} cells, {n_sorted:,} distinct but for the order of labels ({name})"
        best = "careful NumPy that sorts each cell's counts, since labels are alike"
        yield _compared(setting, what, counts, asked, best, partial(careful_curve, counts, asked, True), 1.0)
        if name != "hard":  # there sorting leaves a row out of two, and is the best NumPy anyway
            peer = "careful NumPy (rows packed into a number, law once per count)"
            yield _compared(setting, what, counts, asked, peer, partial(careful_curve, counts, asked, False), 2.0)
        if name == "easy":
            peer = "plain NumPy (every label of every cell)"
            noises = f"{what}, {3 * len(few['laplace'])} noises"
            yield _compared(setting, noises, counts, few, peer, partial(plain_curve, counts, few), 50.0)


def _compared(
    setting: Setting,
    name: str,
    counts: np.ndarray,
    asked: dict[str, Sequence[Budget]],
    peer: str,
    theirs: Callable[[], np.ndarray],
    target: float,
) -> Outcome:
    with cores(1) as threads:
        timed = by_turns(partial(ours, counts, asked), theirs, setting.size(5, 1), 30.0)
    return Comparison(
        name,
        peer=peer,
        target=target,
        difference=float(np.abs(timed.ours - timed.theirs).max()),
        tolerance=1e-12,
        threads=threads,
        **timed.seconds,
    )
