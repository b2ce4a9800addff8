"""A release of ten million counts, from counts to files and ledger: against bare OpenDP on as many threads"""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

import epsilens as el
from benchmarks.harness import Setting, by_turns, cores
from benchmarks.outcome import Comparison, Outcome
from epsilens.release import release_table

CELLS, LABELS = 1_250_000, 8
THREADS = 2
OPTIONS: dict[str, Any] = {"one_row_per_person": True, "cells_are_public": True, "total": el.PureDP(9.0)}


def bare(counts: np.ndarray, threads: int) -> np.ndarray:
    """OpenDP alone, which lets go of Python while it draws: as many calls at once as there are threads."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    measurement = dp.m.make_laplace(*space, scale=2.0)
    with ThreadPoolExecutor(threads) as workers:
        return np.concatenate(list(workers.map(lambda part: np.array(measurement(part)), np.array_split(counts, 64))))


def run(setting: Setting) -> Iterator[Outcome]:
    cells = setting.size(CELLS, 500)
    rng = np.random.default_rng(2026)
    counts = rng.multinomial(rng.poisson(3, cells), np.full(LABELS, 1 / LABELS))
    levels = {"cell": [str(i) for i in range(cells)]}
    table = el.FrequencyTable.from_counts(counts, labels=[f"v{k}" for k in range(LABELS)], cells=levels)
    book = setting.folder / "release.db"
    small = el.FrequencyTable.from_counts([[1, 2]], labels=["a", "b"])
    release_table(small, "discrete-laplace", el.PureDP(0.5), book, "warm-up", **OPTIONS)  # imports
    bare(counts.ravel()[:1000], 1)
    released = iter(range(1000))

    def ours() -> Any:
        out = setting.folder / f"released-{next(released)}.csv"
        return release_table(table, "discrete-laplace", el.PureDP(0.5), book, "counts", out=out, **OPTIONS)

    with cores(THREADS) as threads:
        timed = by_turns(ours, lambda: bare(counts.ravel(), threads), setting.size(1, 1), 120.0)
    # Both are draws of one law: their mean absolute noise must agree within its standard error.
    drawn = timed.ours.tables[0].counts, timed.theirs
    sizes = [np.abs(noisy.ravel() - counts.ravel()).mean() for noisy in drawn]
    yield Comparison(
        f"release of {counts.size:,} counts with card, CSV and ledger",
        peer="bare OpenDP sampling, nothing written",
        target=0.5,
        difference=abs(sizes[0] - sizes[1]) / (2.8 * np.sqrt(2 / counts.size)),
        tolerance=6.0,
        threads=threads,
        size=counts.size,
        note="difference of the mean absolute noise in standard errors; ours also writes and pays",
        **timed.seconds,
    )
