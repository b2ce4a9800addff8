"""The chart about one cell: its risk along epsilon, people, labels or delta."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epsilens.choice.questions.axes import DEFAULT_EPSILONS
from epsilens.choice.questions.cell import DEFAULT_LABELS, DEFAULT_PEOPLE, Answer, CellRisk, Question
from epsilens.errors import ParameterError
from epsilens.report.charts.common import GREY, Chart, coloured, inline, log_ticks, series, styled, subtitle_lines

WIDTH, HEIGHT = 300, 220
ACROSS = 3
MOST_PANELS = 12

NAMES: dict[str, Callable[[CellRisk], str]] = {
    "labels": lambda row: str(row.cell.labels),
    "epsilon": lambda row: f"{row.epsilon:g}",
    "people": lambda row: f"{row.cell.people:,}",
    "counts": lambda row: ",".join(map(str, row.cell.counts)),
    "mechanism": lambda row: row.mechanism,
    "delta": lambda row: "none" if row.delta is None else f"{row.delta:g}",
}
"""What a line can differ in, in the order in which colours are given; the others make panels."""


def _varying(question: Question) -> dict[str, int]:
    """What varies besides the axis, and in how many values."""
    sizes = {
        "labels": 1 if question.counts else len(set(question.labels or DEFAULT_LABELS)),
        "epsilon": len(set(question.epsilons or DEFAULT_EPSILONS)),
        "people": 1 if question.counts else len(set(question.people or DEFAULT_PEOPLE)),
        "counts": len(set(question.counts)),
        "mechanism": len(set(question.mechanisms)),
        "delta": len(set(question.deltas)),
    }
    return {name: size for name, size in sizes.items() if name != question.axis and size > 1}


def check_panels(question: Question) -> None:
    """Refuse a chart with more panels than anybody could read."""
    _, *apart = _varying(question).items() or [("", 1)]
    panels = 1
    for _, size in apart:
        panels *= size
    if panels > MOST_PANELS:
        names = " and ".join(f"`{name}`" for name, _ in apart)
        raise ParameterError(
            f"a chart of {panels} panels cannot be read ({MOST_PANELS} at most)", remedy=f"give fewer {names}"
        )


def cell_chart(answer: Answer, curves: Answer) -> Chart:
    """Risk along the axis: a line for every value of what varies first, a panel for every combination of the others.

    Dots are what was asked for; dotted lines are the limits of ever more noise.
    """
    import altair as alt

    question = answer.question
    # one line where nothing else varies; never one for each place along the axis, which would be a dot
    alone = "counts" if question.counts else "epsilon" if question.axis == "labels" else "labels"
    names = list(_varying(question)) or [alone]
    field, apart = names[0], names[1:]
    lines = [_point(row, question.axis, field, apart) for row in curves.rows]
    dots = [_point(row, question.axis, field, apart) for row in answer.rows]
    panels = list(dict.fromkeys(line["panel"] for line in lines))
    order = list(dict.fromkeys(line["line"] for line in lines))
    drawn = [_panel(panel, lines, dots, field, order, question) for panel in panels]
    rows = [alt.hconcat(*drawn[i : i + ACROSS], spacing=30) for i in range(0, len(drawn), ACROSS)]
    figure = rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=24)
    shared = ", ".join(f"{name} {text}" for name, text in _shared(answer, list(_varying(question))).items())
    said = f"{shared}; dots: what was asked for; dotted: the limit of ever more noise. No data were read."
    title = alt.Title(
        "Risk of one cell from the homogeneity attack", subtitle=subtitle_lines(said, 90 if len(drawn) > 1 else 60)
    )
    return styled(figure.properties(title=title))


def _shared(answer: Answer, varying: list[str]) -> dict[str, str]:
    """What all lines have in common."""
    row, question = answer.rows[0], answer.question
    fixed = [name for name in NAMES if name not in varying and name != question.axis]
    if question.counts:
        fixed = [name for name in fixed if name not in ("people", "labels")]
    else:
        fixed.remove("counts")
    return {name: NAMES[name](row) for name in fixed if not (name == "delta" and row.delta is None)}


def _point(row: CellRisk, axis: str, field: str, apart: list[str]) -> dict[str, Any]:
    values = {"epsilon": row.epsilon, "people": row.cell.people, "labels": row.cell.labels, "delta": row.delta}
    said = [f"{name} = {NAMES[name](row)}" for name in apart if not (name == "delta" and row.delta is None)]
    return {
        "x": values[axis],
        "risk": row.risk,
        "floor": row.floor,
        "line": NAMES[field](row),
        "panel": ", ".join(said),
    }


def _panel(
    panel: str,
    lines: list[dict[str, Any]],
    dots: list[dict[str, Any]],
    field: str,
    order: list[str],
    question: Question,
) -> Chart:
    import altair as alt

    axis = question.axis
    mine = [line for line in lines if line["panel"] == panel]
    low, high = (pick(float(line["x"]) for line in mine) for pick in (min, max))
    logs = axis in ("epsilon", "delta") or high > 60
    x = alt.X("x:Q", title=f"{axis}, log scale" if logs else axis)
    if logs:
        form = ".0e" if axis == "delta" else "~g"
        ticks = log_ticks(low, high)
        ticks = ticks[:: 1 + len(ticks) // 7]
        x = x.scale(type="log", nice=False, domain=[low, high]).axis(format=form, grid=False, values=ticks)
    else:
        x = x.scale(domain=[low, high], nice=False).axis(format="d", grid=False, tickMinStep=1)
    y = alt.Y("risk:Q", title="risk").scale(domain=[0, 1]).axis(format="~%", tickCount=5)
    own = coloured("line", order)
    inside = [dot for dot in dots if dot["panel"] == panel and low <= dot["x"] <= high]
    floors = [] if axis == "labels" else list({line["line"]: line for line in mine}.values())
    layers = [
        alt.Chart(inline(mine)).mark_line(strokeWidth=2.5).encode(x=x, y=y, **series("line", order, field)),
        alt.Chart(inline(inside)).mark_point(size=40, filled=True, opacity=1).encode(x=x, y=y, color=own),
    ]
    if floors:
        level = alt.Chart(inline(floors)).mark_rule(strokeDash=[1, 4], strokeWidth=1)
        colour = own if field == "labels" else alt.value(GREY)
        layers.append(level.encode(y=alt.Y("floor:Q"), color=colour))
    else:
        level = alt.Chart(inline(mine)).mark_line(strokeDash=[1, 4], strokeWidth=1.5, color=GREY)
        layers.append(level.encode(x=x, y=alt.Y("floor:Q")))
    named = alt.Title(panel, fontSize=12, fontWeight="normal", offset=6) if panel else ""
    return alt.layer(*layers).properties(width=WIDTH if panel else 460, height=HEIGHT if panel else 300, title=named)
