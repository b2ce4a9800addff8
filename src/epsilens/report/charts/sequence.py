"""The chart of several releases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.choice.publication import Publication
from epsilens.choice.publication_values import AttributeShown
from epsilens.report.charts.common import Chart, colours, inline, styled
from epsilens.report.words.spread import spread_sentence


def publication_chart(found: Publication, mechanisms: Sequence[str] = ()) -> Chart:
    """Risk after every release: a line per attribute, dashed as in print; a panel per cohort.

    ``mechanisms`` are those of the releases, for the title.
    """
    import altair as alt

    rows: list[dict[str, Any]] = []
    for step in found.steps:
        for kind, risks in (("exact", step.risks), ("in print", step.published or {})):
            rows += [
                {"after": step.after, "cohort": step.cohort, "attribute": name, "evaluation": kind, "risk": risk}
                for name, risk in risks.items()
            ]
    attributes = list(dict.fromkeys(row["attribute"] for row in rows))
    noise = f"{', '.join(dict.fromkeys(mechanisms))} noise; " if mechanisms else ""
    panels = []
    for cohort in dict.fromkeys(step.cohort for step in found.steps):
        mine = [row for row in rows if row["cohort"] == cohort]
        order = list(dict.fromkeys(row["after"] for row in mine))
        mine = [row | {"place": order.index(row["after"])} for row in mine]
        top = min(1.0, 1.15 * max(row["risk"] for row in mine)) or 1.0
        base = alt.Chart(inline(mine)).encode(
            x=alt.X("after:N", title="after release", sort=order).axis(labelAngle=0, labelLimit=120),
            y=alt.Y("risk:Q", title="risk, average over people").scale(domain=[0, top]).axis(format="~%", tickCount=6),
            color=alt.Color("attribute:N").scale(domain=attributes, range=colours(len(attributes))),
        )
        title = alt.Title(
            f"Risk of {', '.join(attributes)} after several releases" + (f", cohort {cohort}" if cohort else ""),
            subtitle=[
                f"{noise}exact: with the noises actually added.",
                "In print: at the cumulative budget. Internal.",
                *(_worst_off(shown) for shown in found.shown if shown.cohort == cohort),
            ],
        )
        dashes = alt.StrokeDash("evaluation:N", legend=alt.Legend(symbolType="stroke", symbolSize=300)).scale(
            domain=["exact", "in print"], range=[[1, 0], [4, 3]]
        )
        # Where a line is a single point its dash does not show, so points in print are hollow; wider, so both show.
        exact = base.transform_filter("datum.evaluation == 'exact'").mark_point(size=50, filled=True, opacity=1)
        printed = base.transform_filter("datum.evaluation != 'exact'").mark_point(size=130, fill="white", opacity=1)
        layers = base.mark_line(strokeWidth=2.5).encode(strokeDash=dashes, order="place:Q") + printed + exact
        panels.append(layers.properties(width=max(320, 110 * len(order)), height=280, title=title))
    figure = alt.vconcat(*panels) if len(panels) > 1 else panels[0]
    return styled(figure)


def _worst_off(shown: AttributeShown) -> str:
    """What stands beside the averages that are drawn."""
    return f"{shown.attribute} after all: {spread_sentence(shown.spread)}"
