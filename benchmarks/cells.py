"""Tables of made cells for benchmarks that begin after the engine: sizes Poisson, shares of labels Dirichlet."""

from __future__ import annotations

import numpy as np

LABELS = 8


def made(cells: int, mean_size: float, labels: int = LABELS, concentration: float = 0.5) -> np.ndarray:
    """Count vectors of so many cells."""
    rng = np.random.default_rng(2026)
    sizes = rng.poisson(mean_size, cells)
    return rng.multinomial(sizes, rng.dirichlet(np.full(labels, concentration), cells))
