"""The chart of truncated against clamped Laplace noise."""

from __future__ import annotations

from typing import Any

from epsilens.choice.questions.bounded import CLAMPED, WAYS, Answer
from epsilens.report.charts.common import NUMBER, Chart, colours, inline, series, styled, subtitle_lines
from epsilens.report.words.common import percent

WIDTH, HEIGHT = 330, 190
EXTENT = 45
"""Room for the numbers on a vertical axis, so that panels stand below each other."""


def bounded_chart(answer: Answer) -> Chart:
    """Densities with their atoms, a panel per true value; below them bias and mean squared error over all of them."""
    import altair as alt

    question = answer.question
    values = list(dict.fromkeys(question.values))
    densities = answer.densities()
    panels = [_density_panel(answer, value, [row for row in densities if row["value"] == value]) for value in values]
    rows = [alt.hconcat(*panels[i : i + 2], spacing=30) for i in range(0, len(panels), 2)]
    curve = answer.curve()
    below = alt.hconcat(
        _curve_panel(curve, "bias", "bias", values),
        _curve_panel(curve, "mse", "mean squared error", values),
        spacing=30,
    )
    said = (
        f"Laplace noise for epsilon = {question.epsilon:g}; the statistic lies between {question.lower:g} and "
        f"{question.upper:g} and moves by at most {question.sensitivity:g}. Truncation at the printed scale costs "
        f"{answer.cost_of_print:.3g} epsilon. Stems: probability of a bound under clamping, where the peak is 100 %. "
        "Grey: the true values shown."
    )
    title = alt.Title("Truncated or clamped: what bounds do to noise", subtitle=subtitle_lines(said, 105))
    figure = alt.vconcat(*rows, below, spacing=24).resolve_legend(color="shared", strokeDash="shared")
    return styled(figure.properties(title=title, description=f"{title.text}. {said}"))


def _density_panel(answer: Answer, value: float, rows: list[dict[str, Any]]) -> Chart:
    import altair as alt

    question = answer.question
    top = max(row["density"] for row in rows)
    x: dict[str, Any] = {
        "title": "released value",
        "scale": alt.Scale(domain=[question.lower, question.upper], nice=False),
        "axis": alt.Axis(tickCount=6, grid=False),
    }
    y: dict[str, Any] = {
        "title": "density",
        "scale": alt.Scale(domain=[0, 1.08 * top]),
        "axis": alt.Axis(minExtent=EXTENT, format=NUMBER, tickCount=5),
    }
    clamped = next(o for o in answer.outcomes if o.value == value and o.way == CLAMPED)
    atoms = [(question.lower, clamped.mass_at_lower), (question.upper, clamped.mass_at_upper)]
    stems = alt.Chart(inline([{"x": at, "height": top * mass} for at, mass in atoms]))
    colour = colours(len(WAYS))[WAYS.index(CLAMPED)]
    layers = [
        alt.Chart(inline([{"x": value}])).mark_rule(color="#999999", strokeDash=[2, 3]).encode(x=alt.X("x:Q", **x)),
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2)
        .encode(x=alt.X("x:Q", **x), y=alt.Y("density:Q", **y), **series("way", WAYS, "way to release")),
    ]
    at, height = alt.X("x:Q", **x), alt.Y("height:Q", **y)
    layers += [
        stems.mark_rule(color=colour, strokeWidth=4).encode(x=at, y=height, y2=alt.datum(0)),
        stems.mark_point(color=colour, size=60, filled=True, opacity=1, clip=False).encode(x=at, y=height),
    ]
    said = "clamped: " + ", ".join(f"exactly {at:g} with {percent(mass)}" for at, mass in atoms)
    title = alt.Title(f"true value {value:g}", subtitle=said, fontSize=13, offset=8)
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title)


def _curve_panel(curve: list[dict[str, Any]], field: str, title: str, values: list[float]) -> Chart:
    import altair as alt

    marks = alt.Chart(inline([{"value": value} for value in values]))
    lines = alt.Chart(inline(curve)).mark_line(strokeWidth=2)
    x = alt.X("value:Q", title="true value").scale(nice=False).axis(grid=False, tickCount=6)
    return alt.layer(
        marks.mark_rule(color="#999999", strokeDash=[2, 3]).encode(x=x),
        lines.encode(
            x=x,
            y=alt.Y(f"{field}:Q", title=title).axis(format=NUMBER, tickCount=5, minExtent=EXTENT),
            **series("way", WAYS, "way to release"),
        ),
    ).properties(width=WIDTH, height=HEIGHT, title=alt.Title(f"{title} over the true value", fontSize=13, offset=8))
