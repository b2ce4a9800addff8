"""The chart of who is shown as what by each system of a comparison: a panel per value, rightly and wrongly."""

from __future__ import annotations

from typing import Any

from epsilens.choice.comparison import Comparison
from epsilens.report.charts.common import PALETTE, Chart, inline, styled, subtitle_lines
from epsilens.report.words.compare_values import drawn_values, short

SIDES = {"shown_right": "rightly: it is theirs", "shown_wrong": "wrongly: it is not theirs"}
WIDTH = 190
_WIDTH_OF_TEXT = 105
"""Characters of a subtitle line across two panels and their labels."""


def value_chart(comparison: Comparison) -> Chart:
    """Systems as rows, a panel per value, two bars: people shown to have it who have it, and who have it not."""
    import altair as alt

    values = drawn_values(comparison)
    weights = {entry["value"]: entry["weight"] for entry in comparison.baseline["by_value"]}
    points: list[dict[str, Any]] = []
    for row in comparison.rows:
        name = row["label"] if row["epsilon"] is None else f"{row['label']}, epsilon {row['epsilon']:.3g}"
        for entry in row["by_value"]:
            points += [
                {"line": name, "value": entry["value"], "side": side, "share": entry[key]}
                for key, side in SIDES.items()
            ]
    lines = list(dict.fromkeys(point["line"] for point in points))
    most = max((point["share"] for point in points), default=0.0) or 1.0
    panels = []
    for i, value in enumerate(values):
        axis = alt.Axis(labelLimit=300, labelPadding=8, ticks=False, domain=False)
        place = alt.Y(
            "line:N", title=None, sort=lines, axis=axis if i == 0 else alt.Axis(labels=False, ticks=False, domain=False)
        )
        across = alt.X("share:Q", title="share of people")
        across = across.scale(domain=[0, 1.05 * most], nice=False).axis(format="~%", tickCount=4)
        harm = "" if weights[value] == 1 else " (harms nobody)" if weights[value] == 0 else f" (x {weights[value]:g})"
        mine = [point for point in points if point["value"] == value]
        panels.append(
            alt.Chart(inline(mine))
            .mark_bar(height=7)
            .encode(
                x=across,
                y=place,
                yOffset=alt.YOffset("side:N", sort=list(SIDES.values())),
                color=alt.Color("side:N", title="shown with this value alone", sort=list(SIDES.values())).scale(
                    domain=list(SIDES.values()), range=PALETTE[:2]
                ),
            )
            .properties(
                width=WIDTH,
                height=alt.Step(22, **{"for": "position"}),
                title=alt.Title(f"{short(value)}{harm}", anchor="middle", fontSize=12, offset=6),
            )
        )
    about = " x ".join(comparison.settings.get("attributes", ()))
    left_out = len(weights) - len(values)
    notes = f"{comparison.settings.get('basis', 'equal epsilon')}; shorter bars are better. Internal."
    if left_out > 0:
        notes = f"{left_out} further values are not drawn; {notes}"
    said = [line for text in (about, notes) if text for line in _lines(text)]
    chart = alt.hconcat(*panels, spacing=16).properties(
        title=alt.Title("Who is shown as what, by system", subtitle=said),
        description="Share of people whose cell shows a single value, by system and value: rightly and wrongly.",
    )
    return styled(chart).configure_axisY(grid=True, gridColor="#eeeeee")


def _lines(text: str) -> list[str]:
    lines = subtitle_lines(text, _WIDTH_OF_TEXT)
    return [lines] if isinstance(lines, str) else lines
