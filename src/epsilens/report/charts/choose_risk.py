"""Risk against the budget: the chart that a choice is read from."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from epsilens.budget import log_grid
from epsilens.choice.choose.at_budget import AtBudget
from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.dial import RiskDial
from epsilens.choice.questions.choose import Answer
from epsilens.report.charts.choose_parts import (
    WIDTH,
    about,
    finished,
    harm_text,
    measure_text,
    noise_text,
    quantity,
    risk_axis,
    risk_title,
)
from epsilens.report.charts.common import DECADES, GREY, PALE, PALETTE, Chart, inline, series
from epsilens.report.words.common import NO_GUARANTEE

_POINTS = 61
_MOST_VALUES = 2
"""More harmful values than this are drawn together."""


def risk_chart(answer: Answer) -> Chart:
    """Risk against the budget, with the ceiling, the safe set as a band, the chosen budget and the floor.

    Beside the risk that the ceiling is about: the worst-off person and, where harm is declared, who is shown as what.
    """
    import altair as alt

    choice = answer.choice
    budgets, risks = choice.curve
    keep = np.unique(np.linspace(0, len(budgets) - 1, 400).astype(int))
    low, high = float(budgets[0]), float(budgets[-1])
    curve = [(float(budgets[i]), float(risks[i])) for i in keep]
    beside = [answer.people.at(float(budget)) for budget in log_grid(low, high, _POINTS)]
    lines = lines_of(risk_title(choice.dial), curve, beside, _declared(answer))
    bands = [
        {"low": max(i.low, low), "high": min(i.high, high), "top": choice.max_risk, "bottom": 0.0}
        for i in choice.safe_set
    ]
    x = (
        alt.X("budget:Q", title=f"{choice.parameter}, log scale")
        .scale(type="log", nice=False, domain=[low, high])
        .axis(format="~g", values=DECADES, grid=False)
    )
    y = risk_scale(lines, choice.dial, choice.max_risk).axis(**risk_axis(choice))
    layers: list[Any] = []
    if bands:
        band = alt.Chart(inline(bands)).mark_rect(color=PALETTE[2], opacity=0.15)
        layers.append(band.encode(x=alt.X("low:Q").scale(type="log"), x2="high:Q", y="bottom:Q", y2="top:Q"))
    # Captions stand outside, where no curve passes: the ceiling's to the right, the budgets' above.
    ceiling = inline([{"risk": choice.max_risk, "text": "ceiling"}])
    layers.append(alt.Chart(ceiling).mark_rule(color=GREY, strokeDash=[2, 3]).encode(y="risk:Q"))
    caption = alt.Chart(ceiling).mark_text(align="left", dx=5, color="#666666", fontSize=11)
    layers.append(caption.encode(x=alt.value(WIDTH), y="risk:Q", text="text:N"))
    drawn = alt.Chart(inline(lines)).mark_line(strokeWidth=2.5)
    layers.append(drawn.encode(x=x, y=y, **looks_of(lines)))
    marks = _marks(choice, low, high)
    dots = alt.Chart(inline(marks))
    plumb = dots.mark_rule(color=PALE, strokeWidth=1).encode(x=x, y=y, y2=alt.value(0))
    layers.insert(0, plumb)
    layers.append(dots.mark_point(size=70, filled=True, opacity=1, color=PALETTE[6]).encode(x=x, y=y))
    ordered = sorted(marks, key=lambda mark: float(mark["budget"]))
    # of two captions the left one ends at its budget and the right one begins there, so that they never meet
    for k, mark in enumerate(ordered):
        side: Any = "center" if len(ordered) == 1 else ("right", "left")[k]
        above = alt.Chart(inline([mark])).mark_text(align=side, color="#666666", fontSize=11)
        layers.append(above.encode(x=x, y=alt.value(-8), text="text:N"))
    return finished(
        alt.layer(*layers), f"Which budget? Risk of {about(choice)}", f"{measure_text(choice)}, {_said(answer)}"
    )


def lines_of(
    name: str, curve: list[tuple[float, float]], beside: list[AtBudget], declared: bool, along: str = "budget"
) -> list[dict[str, Any]]:
    """Points of the risk itself, of whoever is worst off and, where harm is ``declared``, of who is shown as what."""
    found = {name: curve}
    if any(row.spread is not None and row.spread.at_worst < row.spread.people for row in beside):
        found["worst-off person"] = [(row.budget, row.spread.worst) for row in beside if row.spread is not None]
    if declared:
        found |= _shown(beside)
    return [{along: x, "risk": y, "line": line} for line, points in found.items() for x, y in points]


def _shown(beside: list[AtBudget]) -> dict[str, list[tuple[float, float]]]:
    harmful = [value.value for value in beside[0].by_value if value.weight > 0]
    if len(harmful) > _MOST_VALUES:
        sums = {
            "rightly": [(row.budget, row.harmful_right) for row in beside],
            "wrongly": [(row.budget, row.harmful_wrong) for row in beside],
        }
        return {
            f"people shown with a harmful value, {how}": [(x, y) for x, y in points if y is not None]
            for how, points in sums.items()
        }
    found = {}
    for name in harmful:
        shown = [(row.budget, value) for row in beside for value in row.by_value if value.value == name]
        found[f"people shown as {name}, rightly"] = [(x, value.shown_right) for x, value in shown]
        found[f"people shown as {name}, wrongly"] = [(x, value.shown_wrong) for x, value in shown]
    return found


def looks_of(lines: list[dict[str, Any]]) -> dict[str, Any]:
    """Colours and dashes, with a legend below where there are several lines."""
    names = list(dict.fromkeys(row["line"] for row in lines))
    looks = series("line", names, None)
    if len(names) < 2:
        return looks
    below = {"orient": "bottom", "columns": 2, "title": None, "symbolType": "stroke", "symbolSize": 500}
    return {channel: encoding.legend(**below, labelLimit=320) for channel, encoding in looks.items()}


def risk_scale(lines: list[dict[str, Any]], dial: RiskDial, ceiling: float) -> Any:
    """The axis of risks: from 0 to above everything that is drawn, and for a share not beyond 1."""
    import altair as alt

    several = len({row["line"] for row in lines}) > 1
    most = 1.15 * max(ceiling, *(float(row["risk"]) for row in lines))
    at_most_one = dial.greatest <= 1.0
    title = quantity(dial) if several else risk_title(dial)
    return alt.Y("risk:Q", title=title).scale(domain=[0, min(1.0, most) if at_most_one else most])


def _marks(choice: BudgetChoice, low: float, high: float) -> list[dict[str, Any]]:
    marks = []
    if choice.budget is not None and math.isfinite(choice.budget):
        marks.append(
            {"budget": choice.budget, "risk": choice.risk, "text": f"{choice.parameter} = {choice.budget:.3g}"}
        )
    if low <= choice.floor_at <= high:
        marks.append({"budget": choice.floor_at, "risk": choice.floor, "text": "least risk"})
    return marks


def _said(answer: Answer) -> str:
    """The noise, and what must not be left unsaid where none is needed."""
    said = noise_text(answer.choice) + harm_text(answer.choice.dial)
    if answer.largest is not None and math.isinf(answer.largest):
        return f"{said}; this attack needs none, but {NO_GUARANTEE}"
    return said


def _declared(answer: Answer) -> bool:
    dial = answer.choice.dial
    return bool(answer.people.values) and bool(dial.table.harm.weights)
