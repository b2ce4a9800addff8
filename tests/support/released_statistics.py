"""Statistics, released in tests: every kind of them, the people, and a call with everything filled in."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from epsilens.budget import PureDP
from epsilens.release.statistics import (
    Covariance,
    CovarianceMatrix,
    Mean,
    PooledCovariance,
    PooledVariance,
    Proportion,
    Proportions,
    ReleasedStatistics,
    Statistic,
    Variance,
    release_statistics,
)

SITES = ("n", "s")
ALL: tuple[Statistic, ...] = (
    Mean("a", 0, 10),
    Proportion("sex", "f"),
    Proportions("sex", ("f", "m", "x")),
    Variance("a", 0, 10),
    Covariance(("a", "b"), (0, -2), (10, 2)),
    CovarianceMatrix(("a", "b"), (0, -2), (10, 2)),
    PooledVariance("a", 0, 10, "site", SITES),
    PooledCovariance(("a", "b"), (0, -2), (10, 2), "site", SITES),
)
NO_NOISE = PureDP(1e9)
ONE = PureDP(1.0)


def people(size: int = 40) -> pa.Table:
    rng = np.random.default_rng(7)
    return pa.table(
        {
            "a": rng.normal(5, 4, size),
            "b": rng.normal(0, 1.5, size),
            "sex": [("f", "m")[i % 2] for i in range(size)],
            "site": [SITES[i % 2] for i in range(size)],
            "who": [f"p{i // 2}" for i in range(size)],
        }
    )


def release(
    folder: Path, statistics: Any = ALL, budget: Any = ONE, data: Any = None, **more: Any
) -> ReleasedStatistics:
    if "unit" not in more:
        more.setdefault("one_row_per_person", True)
    more.setdefault("neighbours", "substitute")
    more.setdefault("total", PureDP(10.0) if budget is not NO_NOISE else PureDP(1e10))
    source = people() if data is None else data
    account = more.pop("account", "survey")
    return release_statistics(source, statistics, budget, folder / "b.db", account, **more)
