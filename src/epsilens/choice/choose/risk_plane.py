"""The plane of epsilon and delta: the risk everywhere, and the pairs at which it equals a ceiling."""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from epsilens.arrays import FloatArray
from epsilens.budget import log_grid
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.choose.two_parameters import IsoRisk, iso_risk, risk_surface
from epsilens.errors import ParameterError
from epsilens.notebook import brief

EPSILONS = (0.05, 20.0)
DELTAS = (1e-10, 1e-1)
TILES = (40, 30)
"""How many tiles the plane has along epsilon and along delta."""
_LINES = 37
_BELOW = 0.999  # of the epsilon that a mechanism must stay below


@dataclass(frozen=True, eq=False)
class RiskPlane:
    """Tiles between the ends of their epsilons and deltas, each with the risk in its middle; and lines of one risk."""

    lines: IsoRisk
    epsilon_edges: tuple[float, ...]
    delta_edges: tuple[float, ...]
    risks: FloatArray
    """Deltas x epsilons, at the middles of the tiles (on log scales)."""

    __repr__ = brief

    @property
    def epsilons(self) -> list[float]:
        """The middles along epsilon."""
        return [math.sqrt(a * b) for a, b in pairwise(self.epsilon_edges)]

    @property
    def deltas(self) -> list[float]:
        """The middles along delta."""
        return [math.sqrt(a * b) for a, b in pairwise(self.delta_edges)]

    def tiles(self) -> list[dict[str, float]]:
        """One plain dictionary per tile."""
        return [
            {"e0": e0, "e1": e1, "d0": d0, "d1": d1, "risk": float(self.risks[j, i])}
            for i, (e0, e1) in enumerate(pairwise(self.epsilon_edges))
            for j, (d0, d1) in enumerate(pairwise(self.delta_edges))
        ]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: ``risks`` has a row for every delta."""
        return {
            "max_risk": self.lines.max_risk,
            "lines": self.lines.to_rows(),
            "epsilons": self.epsilons,
            "deltas": self.deltas,
            "risks": [[float(risk) for risk in row] for row in self.risks],
        }


def risk_plane(
    dial: RiskDial,
    max_risk: float,
    epsilon_range: tuple[float, float] | None = None,
    delta_range: tuple[float, float] | None = None,
) -> RiskPlane:
    """The risk of a dial over both parameters of its mechanism, and where it equals ``max_risk``.

    Source: P1 Figure 5.
    """
    if dial.delta is None:
        raise ParameterError("an iso-risk chart needs a mechanism with a delta, such as `mechanism=gaussian-analytic`")
    low, high = epsilon_range or EPSILONS
    edges = log_grid(low, min(high, dial.highest_valid * _BELOW), TILES[0] + 1)
    deltas = log_grid(*(delta_range or DELTAS), TILES[1] + 1)
    lines = iso_risk(
        dial.data,
        dial.mechanism,
        max_risk,
        log_grid(deltas[0], deltas[-1], _LINES),
        aggregate_by=dial.aggregate,
        measure=dial.measure,
        neighbours=dial.neighbours,
        **dial.asked.options,
    )
    centres = [math.sqrt(a * b) for a, b in pairwise(edges)]
    middles = [math.sqrt(a * b) for a, b in pairwise(deltas)]
    return RiskPlane(lines, tuple(edges), tuple(deltas), risk_surface(dial, centres, middles))
