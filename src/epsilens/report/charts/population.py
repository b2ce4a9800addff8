"""The risk of people in the sample, of those who are not, and of the population, over epsilon."""

from __future__ import annotations

from typing import Any

from epsilens.budget import log_grid
from epsilens.choice.population_risks import prepared_populations
from epsilens.choice.questions.assess import attribute_tables
from epsilens.choice.questions.assessment import Assessment
from epsilens.errors import ParameterError
from epsilens.homogeneity.samples.risks import PreparedPopulation
from epsilens.noise import calibrate
from epsilens.report.charts.common import DECADES, GREY, Chart, inline, series, styled, subtitle_lines
from epsilens.report.words.common import percent
from epsilens.table.frequency import FrequencyTable

WIDTH, HEIGHT = 520, 320
EPSILONS = (1e-2, 1e2, 61)
WHO = ("risk of somebody of the population", "risk of a person in the sample", "risk of somebody who is not in it")
"""Whose risk, in the words of the legend."""
BELIEVING = "how often believing is right"


def population_chart(table: FrequencyTable, assessment: Assessment) -> Chart:
    """Lines over epsilon, one panel per attribute, mechanism, delta and measure, and how often guessing is right."""
    import altair as alt

    question, population = assessment.question, assessment.population
    if population is None:
        raise ParameterError(
            "the chart of a population needs a sample", remedy="give a `sampling_fraction` or survey weights (`weight`)"
        )
    panels = []
    for name, attribute in attribute_tables(table):
        ready = prepared_populations(attribute, question, population.laws[name].model.alpha)
        for mechanism in question.mechanisms:
            for delta in question.deltas_of(mechanism):
                for measure, measured in ready.items():
                    rows = _rows(measured, assessment, mechanism, delta)
                    panels.append(_panel(rows, measured, name, mechanism, delta, measure))
    return styled(alt.vconcat(*panels) if len(panels) > 1 else panels[0])


def _rows(
    ready: PreparedPopulation, assessment: Assessment, mechanism: str, delta: float | None
) -> list[dict[str, Any]]:
    """A row for every line and epsilon; nobody is out of the sample where everybody is in it."""
    question, rows = assessment.question, []
    for budget in question.budgets(mechanism, log_grid(*EPSILONS)):
        if vars(budget).get("delta") != delta:
            continue
        risk = ready.risk(calibrate(mechanism, budget, question.neighbours))
        believing = risk.precision if risk.right + risk.wrong > 0 else None
        values = (risk.population, risk.sample, risk.rest, believing)
        rows += [
            {"epsilon": vars(budget)["epsilon"], "line": line, "risk": value}
            for line, value in zip((*WHO, BELIEVING), values, strict=True)
            if value is not None
        ]
    return rows


def _panel(
    rows: list[dict[str, Any]],
    ready: PreparedPopulation,
    attribute: str,
    mechanism: str,
    delta: float | None,
    measure: str,
) -> Chart:
    import altair as alt

    noise = f"{mechanism} noise" if delta is None else f"{mechanism} noise, delta = {delta:g}"
    people = ready.population
    said = (
        f"{noise}; {people.sample:,} people stand for {round(people.people):,}. The grey line is how often guessing "
        "the commonest value is right without the table. Internal."
    )
    names = [line for line in (*WHO, BELIEVING) if any(row["line"] == line for row in rows)]
    x = alt.X("epsilon:Q", title="epsilon, log scale").scale(type="log", nice=False)
    top = max(1.0, *(row["risk"] for row in rows))
    y = alt.Y("risk:Q", title=f"{measure}, share of people").scale(domain=[0, top]).axis(format="~%")
    lines = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2.5)
        .encode(x=x.axis(format="~g", values=DECADES, grid=False), y=y, **series("line", names, None))
    )
    guessing = [{"guessing": ready.guessing, "text": f"guessing is right {percent(ready.guessing)}"}]
    rule = alt.Chart(inline(guessing)).mark_rule(color=GREY, strokeDash=[2, 3], strokeWidth=1.5)
    text = alt.Chart(inline(guessing)).mark_text(color="#666666", align="right", dx=-4, dy=9, fontSize=12)
    height = alt.Y("guessing:Q")
    return alt.layer(rule.encode(y=height), lines, text.encode(x=alt.value(WIDTH), y=height, text="text:N")).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.Title(f"In the sample or not: {attribute}", subtitle=subtitle_lines(said)),
    )
