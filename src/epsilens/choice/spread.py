"""How a risk is spread over people: an average alone hides whoever is worst off.

One table may have everybody at 10 %, another nine people in ten at 0 and the tenth at certainty: both average 10 %. So
whoever states an average states this beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from epsilens.arrays import FloatArray, IntArray
from epsilens.homogeneity.prepared import PreparedMeasure
from epsilens.noise.law import AnyNoise
from epsilens.notebook import brief

BANDS = (0.0, 0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 1.0)
"""Where the bands of risk begin and end; each has its upper end, the first one its lower end as well."""
HALF = 0.5


@dataclass(frozen=True)
class Band:
    """People whose risk is above ``above`` (of the first band: at it, or above) and at most ``up_to``."""

    above: float
    up_to: float
    people: int

    __repr__ = brief


@dataclass(frozen=True)
class Spread:
    """The risks of all people under one noise. Computed from true data: internal."""

    people: int
    worst: float
    """The risk of the worst-off person."""
    at_worst: int
    """How many people are at that risk."""
    above_half: int
    """How many are above 50 %."""
    bands: tuple[Band, ...]
    ceiling: float | None = None
    above_ceiling: int | None = None
    """How many are above the ceiling, where there is one."""

    __repr__ = brief

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ceiling = {} if self.ceiling is None else {"ceiling": self.ceiling, "above_ceiling": self.above_ceiling}
        return {
            "people": self.people,
            "worst": self.worst,
            "at_worst": self.at_worst,
            "above_half": self.above_half,
            **ceiling,
            "bands": [vars(band) for band in self.bands],
        }


def spread(risks: FloatArray, people: IntArray, ceiling: float | None = None) -> Spread:
    """How ``risks`` of kinds of cells are spread over the ``people`` in each of them.

    Risks that differ in the last digits only are the same; what is above 1, where a harm counts more than once, is in
    the last band, which then ends at the largest risk.
    """
    exact, counts = risks[people > 0], people[people > 0]
    values, worst = exact.round(12), float(exact.max(initial=0.0))
    edges = np.array([*BANDS[:-1], max(BANDS[-1], worst)])
    # the worst risk itself may round up beyond the last edge
    band_of = np.clip(np.searchsorted(edges, values, side="left") - 1, 0, len(edges) - 2)
    in_band = np.bincount(band_of, weights=counts, minlength=len(edges) - 1)
    return Spread(
        people=int(counts.sum()),
        worst=worst,
        at_worst=int(counts[values == values.max(initial=0.0)].sum()),
        above_half=int(counts[values > HALF].sum()),
        bands=tuple(
            Band(float(low), float(high), int(n)) for low, high, n in zip(edges[:-1], edges[1:], in_band, strict=True)
        ),
        ceiling=ceiling,
        above_ceiling=None if ceiling is None else int(counts[values > round(ceiling, 12)].sum()),
    )


def measure_spread(ready: PreparedMeasure, noise: AnyNoise, ceiling: float | None = None) -> Spread:
    """:func:`spread` of a measure under one noise."""
    return spread(ready.risks(noise), ready.cell_sizes * ready.multiplicities, ceiling)
