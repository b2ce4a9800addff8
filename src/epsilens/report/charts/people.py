"""How a risk is spread over people, by budget: the share of people in every band of risk."""

from __future__ import annotations

from typing import Any

import numpy as np

from epsilens.budget import log_grid
from epsilens.choice.questions.assess import assessed_parts
from epsilens.choice.questions.assessment import Assessment
from epsilens.choice.spread import measure_spread
from epsilens.errors import ParameterError
from epsilens.report.charts.common import DECADES, Chart, inline, styled, subtitle_lines
from epsilens.report.words.common import percent
from epsilens.report.words.spread import band_text
from epsilens.table.frequency import FrequencyTable

WIDTH, HEIGHT = 520, 320
EPSILONS = (1e-2, 1e2, 81)
# from pale to dark: one hue below 50 %, another above, so that the half is seen
COLOURS = ["#F1F5F9", "#D6E4F0", "#AFCDE5", "#7FB2D6", "#4393C3", "#F4A582", "#D6604D", "#8C1A1A"]


def check_people(by_cell: tuple[str, ...], measure: str) -> None:
    """Refuse to draw a spread where every measure has one risk for everybody."""
    if not by_cell:
        raise ParameterError(
            f"people needs a measure that has a risk for each cell: {measure} is one risk for the whole table",
            parameter="chart",
            remedy="add `measure=local`",
        )


def people_chart(table: FrequencyTable, assessment: Assessment) -> Chart:
    """Stacked areas that fill the whole, one panel per attribute, mechanism and delta; the highest risks below.

    The risk is that of the first measure that has one for every cell.
    """
    import altair as alt

    question = assessment.question
    check_people(question.by_cell, question.measures[0])
    measure = question.by_cell[0]
    panels = []
    for part in assessed_parts(table, question):
        ready = part.prepare(measure, **question.options(measure))
        for mechanism in question.mechanisms:
            by_delta: dict[float | None, list[dict[str, Any]]] = {}
            for budget in question.budgets(mechanism, log_grid(*EPSILONS)):
                found = measure_spread(ready, part.noise(mechanism, budget, question.neighbours))
                by_delta.setdefault(vars(budget).get("delta"), []).extend(
                    {
                        "epsilon": vars(budget)["epsilon"],
                        "number": -i,
                        "band": band_text(band),
                        "share": band.people / max(found.people, 1),
                    }
                    for i, band in enumerate(found.bands)
                )
            for delta, rows in by_delta.items():
                noise = f"{mechanism} noise" if delta is None else f"{mechanism} noise, delta = {delta:g}"
                panels.append(_panel(rows, part.name, measure, noise, assessment.whom))
    return styled(alt.vconcat(*panels) if len(panels) > 1 else panels[0])


def _panel(rows: list[dict[str, Any]], attribute: str, measure: str, noise: str, whom: str) -> Chart:
    import altair as alt

    names = list(dict.fromkeys(row["band"] for row in rows))
    assert len(names) == len(COLOURS)
    at_1 = min({row["epsilon"] for row in rows}, key=lambda epsilon: abs(np.log(epsilon)))
    above = sum(row["share"] for row in rows if row["epsilon"] == at_1 and row["number"] <= -5)
    title = f"Risk of {attribute} over {whom}"
    half = f"warm colours: above 50 %, where {percent(above)} of {whom} are at epsilon = {at_1:.3g}"
    said = f"{measure} risk, {noise}; {half}. Internal."
    legend = alt.Legend(title="risk", values=names, symbolType="square", symbolSize=150)
    colour = alt.Color("band:N", sort=names, legend=legend).scale(domain=names, range=COLOURS)
    x = alt.X("epsilon:Q", title="epsilon, log scale").scale(type="log", nice=False)
    return (
        alt.Chart(inline(rows))
        .mark_area(fillOpacity=1, interpolate="step-after")
        .encode(
            x=x.axis(format="~g", values=DECADES, grid=False),
            y=alt.Y("share:Q", title=f"share of {whom}", stack="zero").scale(domain=[0, 1]).axis(format="~%"),
            color=colour,
            order=alt.Order("number:Q"),
        )
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.Title(title, subtitle=subtitle_lines(said)),
            description=f"{title}. {said}",
        )
    )
