"""Small joint tables, and noise of a few values that can be enumerated."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from epsilens.arrays import FloatArray
from epsilens.noise import DiscreteLaplaceNoise
from epsilens.noise.law import Noise
from epsilens.table.frequency import FrequencyTable, MemoryStore

NOISE = DiscreteLaplaceNoise(0.4)
OTHER = DiscreteLaplaceNoise(0.6)
VALUES = {"illness": ("flu", "none"), "income": ("high", "low")}


def joint(counts: Sequence[Sequence[int]], attributes: Sequence[str], **columns: list[str]) -> FrequencyTable:
    """A table of several attributes jointly; labels run like itertools.product."""
    label_values = tuple(itertools.product(*(VALUES[a] for a in attributes)))
    return FrequencyTable(
        tuple("/".join(parts) for parts in label_values),
        MemoryStore(np.array(counts, dtype=np.int64), columns),
        tuple(columns),
        tuple(attributes),
        label_values,
    )


def outcomes(noises: Sequence[Noise]) -> tuple[FloatArray, list[FloatArray]]:
    """Every combination of whole noises up to mass 1e-13, and its probability."""
    steps = []
    for noise in noises:
        far = 1
        while float(noise.sf(far)) > 1e-14:
            far += 1
        steps.append(np.arange(-far, far + 1.0))
    grids = np.meshgrid(*steps, indexing="ij")
    weight = np.ones(grids[0].shape)
    for noise, grid in zip(noises, grids, strict=True):
        weight = weight * noise.pmf(grid)
    return weight.ravel(), [grid.ravel() for grid in grids]


def shown(count: int, noise: FloatArray) -> npt.NDArray[np.bool_]:
    return np.asarray(np.floor(count + noise + 0.5) >= 1)


JOINT = joint([[2, 1, 0, 0], [0, 3, 0, 0], [1, 0, 0, 1], [0, 0, 0, 0]], ["illness", "income"])
