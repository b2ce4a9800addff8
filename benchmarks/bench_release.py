"""A release of a million cells, from counts to files and ledger, against bare OpenDP sampling of the same cells."""

from __future__ import annotations

import resource
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import epsilens as el
from epsilens.release import release_table

CELLS, LABELS = 125_000, 8


def bare(counts: np.ndarray) -> tuple[np.ndarray, float]:
    """OpenDP alone: one call over all cells, nothing written."""
    import opendp.prelude as dp

    dp.enable_features("contrib")
    space = dp.vector_domain(dp.atom_domain(T="i64")), dp.l1_distance(T="i64")
    measurement = dp.m.make_laplace(*space, scale=2.0)
    start = time.perf_counter()
    noisy = np.array(measurement(counts))
    return noisy, time.perf_counter() - start


def run() -> list[dict[str, Any]]:
    rng = np.random.default_rng(2026)
    counts = rng.multinomial(rng.poisson(3, CELLS), np.full(LABELS, 1 / LABELS))
    levels = {"cell": [str(i) for i in range(CELLS)]}
    table = el.FrequencyTable.from_counts(counts, labels=[f"v{k}" for k in range(LABELS)], cells=levels)
    with tempfile.TemporaryDirectory() as folder:
        options: dict[str, Any] = {"one_row_per_person": True, "cells_are_public": True, "total": el.PureDP(9.0)}
        book = Path(folder) / "b.db"
        small = el.FrequencyTable.from_counts([[1, 2]], labels=["a", "b"])
        release_table(
            small, "discrete-laplace", el.PureDP(0.5), book, "warm-up", **options
        )  # imports are not the question
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        told = 0

        def progress(done: int) -> None:
            nonlocal told
            told += done

        start = time.perf_counter()
        released = release_table(
            table,
            "discrete-laplace",
            el.PureDP(0.5),
            book,
            "million",
            out=Path(folder) / "o.csv",
            progress=progress,
            **options,
        )
        ours_seconds = time.perf_counter() - start
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    noisy, peer_seconds = bare(counts.ravel())
    assert told == counts.size
    # Both are draws of one law: their mean absolute noise must agree within its standard error.
    ours, theirs = (np.abs(drawn - counts.ravel()).mean() for drawn in (released.tables[0].counts, noisy))
    return [
        {
            "name": f"release of {counts.size:,} cells with card, CSV and ledger ({ours_seconds:.1f} s, peak memory "
            f"{peak / 1024:.0f} MB, of which {max(0, peak - before) / 1024:.0f} MB for the release)",
            "ours_seconds": ours_seconds,
            "peer": "bare OpenDP sampling",
            "peer_seconds": peer_seconds,
            "ratio": peer_seconds / ours_seconds,
            "target_ratio": 0.5,
            "agreement": abs(ours - theirs),
            "tolerance": 6 * 2.8 * np.sqrt(2 / counts.size),
        }
    ]
