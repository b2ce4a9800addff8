"""Risk over the plane of epsilon and delta."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.charts.common import DECADES, Chart, inline, log_ticks, subtitle_lines

WIDTH, HEIGHT = 520, 320


def surface_panel(surface: RiskCurve, sensitive: str, assessment: Assessment) -> Chart:
    """The risk at every pair (epsilon, delta) as a shade, whose middle the pair is."""
    import altair as alt

    rows = surface.to_rows()
    epsilons = sorted({row["epsilon"] for row in rows})
    deltas = sorted({row["delta"] for row in rows})
    across, up = _edges(epsilons), _edges(deltas)
    tiles = [
        {
            "e0": across[row["epsilon"]][0],
            "e1": across[row["epsilon"]][1],
            "d0": up[row["delta"]][0],
            "d1": up[row["delta"]][1],
            "risk": row["risk"],
            "epsilon": row["epsilon"],
            "delta": row["delta"],
        }
        for row in rows
    ]
    whom = assessment.whom if surface.weighted else "cells"
    said = f"{surface.measure} measure, average over {whom}; {surface.mechanism} noise. Internal."
    title = alt.Title(f"Homogeneity risk of {sensitive} over epsilon and delta", subtitle=subtitle_lines(said))
    x = alt.X("e0:Q", title="epsilon, log scale").scale(type="log", nice=False)
    y = alt.Y("d0:Q", title="delta, log scale").scale(type="log", nice=False)
    colour = alt.Color("risk:Q", title="risk").scale(scheme="blues")
    tooltip: list[Any] = [alt.Tooltip(f"{name}:Q", format=".4g") for name in ("epsilon", "delta", "risk")]
    return (
        alt.Chart(inline(tiles))
        .mark_rect(strokeWidth=0.7)  # in its own colour, so that no seam shows between tiles
        .encode(
            x=x.axis(format="~g", grid=False, values=log_ticks(epsilons[0], epsilons[-1])),
            x2="e1:Q",
            y=y.axis(format=".0e", grid=False, values=DECADES),
            y2="d1:Q",
            color=colour.legend(format="~%"),
            stroke=alt.Stroke("risk:Q", legend=None).scale(scheme="blues"),
            tooltip=tooltip,
        )
        .properties(width=WIDTH, height=HEIGHT, title=title)
    )


def _edges(values: Sequence[float]) -> dict[float, tuple[float, float]]:
    """The tile of every value of an ascending log grid: from half a step below it to half a step above."""
    inner = [math.sqrt(a * b) for a, b in pairwise(values)]
    ends = [values[0], *inner, values[-1]]  # the first and the last are half a tile, so that the axis ends with them
    return {value: (ends[i], ends[i + 1]) for i, value in enumerate(values)}
