"""Below a curve of averages: the risk of the worst-off person, and the share of people who are above 50 %."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.choice.curve import RiskCurve
from epsilens.report.charts.common import Chart, inline

HEIGHT = 84
LEAST_TOP = 0.1
"""Where the axis of shares ends at least, so that a few people do not look like many."""


def panels_below(
    lines: Sequence[Mapping[str, Any]], x: Any, colours: Mapping[str, Any], width: int, whom: str
) -> list[Chart]:
    """Two flat panels with the axis and the colours of the curves above; none where no curve has a worst-off person.

    ``lines`` are the rows of the curves; a row without ``worst`` is of a measure that has one risk for everybody.
    """
    import altair as alt

    rows = [line for line in lines if "worst" in line]
    if not rows:
        return []
    one = "person" if whom == "people" else whom.removesuffix("s")
    highest = max(row["above_half"] for row in rows)
    drawn = (
        ("worst", ["risk of the", f"worst-off {one}"], max(1.0, *(row["worst"] for row in rows))),
        ("above_half", [f"share of {whom}", "above 50 %"], min(1.0, max(LEAST_TOP, 1.1 * highest))),
    )
    data = alt.Chart(inline(rows))
    panels = []
    for field, title, top in drawn:
        y = alt.Y(f"{field}:Q", title=title).scale(domain=[0, top]).axis(format="~%", tickCount=3, titleFontSize=11)
        line = data.mark_line(strokeWidth=1.8).encode(x=x, y=y, **colours)
        panels.append(line.properties(width=width, height=HEIGHT))
    return panels


def once(curves: Sequence[RiskCurve]) -> list[RiskCurve]:
    """One curve of each noise and measure: who is worst off does not depend on what averages are over."""
    found: dict[tuple[str, str, tuple[Any, ...]], RiskCurve] = {}
    for curve in curves:
        found.setdefault((curve.mechanism, curve.measure, curve.budgets), curve)
    return list(found.values())
