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
from epsilens.table.harm import Harm

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


HARMS = (
    {"illness": {"flu": 3.0}, "income": {"high": 1.0}},
    {"illness": {"flu": 1.0}},
    {"illness": {"none": 2.0, "flu": 4.0}},
)
"""Which values harm, and how much; attributes that are not named have the default."""


def harm_by_enumeration(
    cell: Sequence[int], releases: Sequence[tuple[Sequence[int], Noise, FrequencyTable]], harm: Harm, match: str
) -> tuple[dict[str, float], float]:
    """What releases of a cell give away in expectation, by going through every set of labels that each may show.

    By attribute the harm of its values, and the worst of all; ``cell`` is the people of JOINT, a release its counts.
    """
    patterns = [list(itertools.product((False, True), repeat=len(counts))) for counts, _, _ in releases]
    by_attribute, worst = dict.fromkeys(VALUES, 0.0), 0.0
    for chosen in itertools.product(*patterns):
        chance, given = 1.0, set()
        for pattern, (counts, noise, table) in zip(chosen, releases, strict=True):
            for there, count in zip(pattern, counts, strict=True):
                chance *= float(noise.sf(0.5 - count) if there else noise.cdf(0.5 - count))
            visible = [values for values, there in zip(table.label_values, pattern, strict=True) if there]
            for position, attribute in enumerate(table.sensitive):
                if len(found := {values[position] for values in visible}) == 1:
                    given.add((attribute, found.pop()))
        weights = {pair: harm.weight(*pair) for pair in given}
        members = [
            (dict(zip(VALUES, parts, strict=True)), n) for parts, n in zip(JOINT.label_values, cell, strict=True)
        ]
        if match == "any":
            held = {pair for has, n in members if n > 0 for pair in has.items()}
            found_by = [(pair, weights[pair]) for pair in given & held]
            worst += chance * max((w for _, w in found_by), default=0.0)
            for attribute in VALUES:
                by_attribute[attribute] += chance * max((w for (a, _), w in found_by if a == attribute), default=0.0)
        else:
            for has, n in members:
                theirs = {a: weights.get((a, value), 0.0) for a, value in has.items()}
                worst += chance * n / max(sum(cell), 1) * max(theirs.values())
                for attribute in VALUES:
                    by_attribute[attribute] += chance * n / max(sum(cell), 1) * theirs[attribute]
    return by_attribute, worst
