"""k, l and t of Adult: against the best plain pandas, and against pyCANON"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

import epsilens as el
from benchmarks.harness import Setting, by_turns, n_cores
from benchmarks.outcome import Comparison, Missing, Outcome

QIDS = ["age", "education", "marital-status", "race", "sex", "native-country"]
SENSITIVE = "salary-class"
Numbers = tuple[float, float, float, float]


def with_pandas(frame: Any) -> Numbers:
    """k, distinct l, entropy l and t: one grouping by codes, then arithmetic on its few thousand rows.

    Columns become codes once (``factorize``), codes one number, and a histogram over cells and labels does the rest;
    ``groupby`` on texts takes several times as long.
    """
    import pandas as pd

    key = np.zeros(len(frame), dtype=np.int64)
    for name in QIDS:
        codes, levels = pd.factorize(frame[name])
        key = key * len(levels) + codes
    cells, n_cells = pd.factorize(key)
    labels, n_labels = pd.factorize(frame[SENSITIVE])
    width = len(n_labels)
    counts = np.bincount(cells * width + labels, minlength=len(n_cells) * width).reshape(-1, width)
    sizes = counts.sum(axis=1)
    shares = counts / sizes[:, None]
    entropies = -(shares * np.log(np.where(shares > 0, shares, 1.0))).sum(axis=1)
    overall = counts.sum(axis=0) / sizes.sum()
    distances = 0.5 * np.abs(shares - overall).sum(axis=1)
    return (
        float(sizes.min()),
        float((counts > 0).sum(axis=1).min()),
        float(np.floor(np.exp(entropies.min()) + 1e-9)),
        float(distances.max()),
    )


def with_epsilens(source: Any) -> Numbers:
    found = el.diagnose(el.read_table(source, el.Schema(QIDS, SENSITIVE)))
    numbers = found.k_anonymity, found.distinct_l_diversity, found.entropy_l_diversity_floor, found.t_closeness
    return tuple(float(number) for number in numbers)  # type: ignore[return-value]


def with_pycanon(frame: Any) -> Numbers:
    from pycanon import anonymity

    return (
        float(anonymity.k_anonymity(frame, QIDS)),
        float(anonymity.l_diversity(frame, QIDS, [SENSITIVE])),
        float(anonymity.entropy_l_diversity(frame, QIDS, [SENSITIVE])),
        float(anonymity.t_closeness(frame, QIDS, [SENSITIVE])),
    )


def run(setting: Setting) -> Iterator[Outcome]:
    import pandas as pd

    path = setting.adult()
    if not path.exists():
        yield Missing("k, l and t of Adult", "needs the data that EPSILENS_DATA points to")
        return
    frame = pd.read_csv(path, skipinitialspace=True).head(setting.size(1_000_000, 500))
    file = setting.folder / "adult-to-diagnose.csv"
    frame.to_csv(file, index=False)
    with_epsilens(frame.head(100))  # imports and warm-up are not the question
    with_pandas(frame.head(100))
    runs = setting.size(15, 1)

    def compared(name: str, source: Any, peer: str, theirs: Any, target: float, runs: int) -> Outcome:
        timed = by_turns(lambda: with_epsilens(source), theirs, runs)
        return Comparison(
            f"k, l (distinct, entropy) and t of Adult from {name}",
            peer=peer,
            target=target,
            difference=max(abs(a - b) for a, b in zip(timed.ours, timed.theirs, strict=True)),
            tolerance=1e-12,
            threads=n_cores(),
            **timed.seconds,
        )

    yield compared("a data frame", frame, "plain pandas, factorised", lambda: with_pandas(frame), 1.0, runs)
    yield compared("a CSV file", file, "plain pandas, factorised", lambda: with_pandas(_read(file)), 1.0, runs)
    try:
        import pycanon  # noqa: F401
    except ImportError:
        yield Missing("the same against pyCANON", "pyCANON is not installed (make bench installs it)")
        return
    small = frame.head(setting.size(1_000_000, 100))
    timed = by_turns(lambda: with_epsilens(small), lambda: with_pycanon(small), setting.size(3, 1), 40.0)
    yield Comparison(
        "k, l (distinct, entropy) and t of Adult from a data frame",
        peer="pyCANON",
        target=200.0,
        difference=max(abs(a - b) for a, b in zip(timed.ours, timed.theirs, strict=True)),
        tolerance=1e-12,
        threads=n_cores(),
        **timed.seconds,
    )


def _read(file: Path) -> Any:
    import pandas as pd

    return pd.read_csv(file, usecols=[*QIDS, SENSITIVE], engine="c")
