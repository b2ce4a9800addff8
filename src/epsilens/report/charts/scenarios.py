"""The eight scenarios over epsilon: areas that fill the whole, since every cell is in one of them."""

from __future__ import annotations

from typing import Any

from epsilens.budget import log_grid
from epsilens.choice.questions.assess import attribute_tables
from epsilens.choice.questions.assessment import Assessment
from epsilens.homogeneity.local import scenario_shares
from epsilens.noise import calibrate
from epsilens.report.charts.common import DECADES, Chart, inline, styled, subtitle_lines
from epsilens.report.words.explained import SCENARIOS
from epsilens.table.frequency import FrequencyTable

WIDTH, HEIGHT = 520, 320
EPSILONS = (1e-2, 1e2, 81)
# warm below, where all have one value; cold above; the two that disclose are the strongest of each
COLOURS = ["#D55E00", "#EFA068", "#F5CBA7", "#FBEADB", "#DFECF7", "#B5D3EA", "#78AFD7", "#0072B2"]


def scenario_chart(table: FrequencyTable, assessment: Assessment) -> Chart:
    """Stacked areas, one panel per attribute, mechanism and delta; scenario 1 at the bottom, scenario 8 at the top.

    What is below and what is above the areas in between is disclosed: the local risk.
    """
    import altair as alt

    question = assessment.question
    panels = []
    for name, attribute in attribute_tables(table):
        for mechanism in question.mechanisms:
            by_delta: dict[float | None, list[dict[str, Any]]] = {}
            for budget in question.budgets(mechanism, log_grid(*EPSILONS)):
                noise = calibrate(mechanism, budget, question.neighbours, max_rows_per_unit=table.max_rows_per_unit)
                shares = scenario_shares(attribute, noise, question.weighted)
                by_delta.setdefault(vars(budget).get("delta"), []).extend(
                    {"epsilon": vars(budget)["epsilon"], "number": i, "scenario": _named(i), "share": float(share)}
                    for i, share in enumerate(shares, 1)
                )
            for delta, rows in by_delta.items():
                panels.append(_panel(rows, name, mechanism, delta, assessment))
    return styled(alt.vconcat(*panels) if len(panels) > 1 else panels[0])


def _named(number: int) -> str:
    return f"{number}  {SCENARIOS[number - 1]}"


def _panel(
    rows: list[dict[str, Any]], attribute: str, mechanism: str, delta: float | None, assessment: Assessment
) -> Chart:
    import altair as alt

    question = assessment.question
    names = [_named(i) for i in range(1, 9)]
    whom = assessment.whom if question.weighted else "cells"
    noise = f"{mechanism} noise" if delta is None else f"{mechanism} noise, delta = {delta:g}"
    lines = [line for line in assessment.lines if line.sensitive == attribute]
    alike = not any(line.some_harmless or line.harm.weights_differ for line in lines)
    together = "together the local risk" if alike else "whether harmful or not"
    said = f"{noise}; 1 below and 8 above are disclosed, {together}. Internal."
    legend = alt.Legend(title="scenario", values=names[::-1], symbolType="square", symbolSize=150, labelLimit=420)
    colour = alt.Color("scenario:N", sort=names, legend=legend).scale(domain=names, range=COLOURS)
    x = alt.X("epsilon:Q", title="epsilon, log scale").scale(type="log", nice=False)
    return (
        alt.Chart(inline(rows))
        .mark_area(fillOpacity=1, stroke="white", strokeWidth=0.6)
        .encode(
            x=x.axis(format="~g", values=DECADES, grid=False),
            y=alt.Y("share:Q", title=f"share of {whom}", stack="zero").scale(domain=[0, 1]).axis(format="~%"),
            color=colour,
            order=alt.Order("number:Q"),
        )
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.Title(f"What becomes of cells of {attribute}", subtitle=subtitle_lines(said)),
        )
    )
