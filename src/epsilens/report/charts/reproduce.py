"""The papers' figures, drawn from our own numbers: every kind of panel in one way."""

from __future__ import annotations

from typing import Any

from epsilens.report.charts.common import GREY, NUMBER, Chart, inline, log_ticks, series, styled, subtitle_lines
from epsilens.reproduce.drawings import Drawing, Panel

WIDTH = {1: 620, 2: 330, 3: 230, 4: 180}
HEIGHT = {1: 320, 2: 210, 3: 170, 4: 140}


def drawing_chart(drawing: Drawing) -> Chart:
    """The panels in rows of ``columns``."""
    import altair as alt

    panels = [_panel(panel, drawing.columns) for panel in drawing.panels]
    rows = [alt.hconcat(*panels[i : i + drawing.columns], spacing=26) for i in range(0, len(panels), drawing.columns)]
    title = alt.Title(f"{drawing.paper} {drawing.place}: {drawing.title}", subtitle=subtitle_lines(drawing.says, 105))
    figure = rows[0] if len(rows) == 1 else alt.vconcat(*rows, spacing=24)
    return styled(figure.properties(title=title, description=f"{title.text}. {drawing.says}"))


def _panel(panel: Panel, columns: int) -> Chart:
    import altair as alt

    size = min(max(columns, 1), max(WIDTH))
    layers = {"map": _map, "box": _boxes, "bar": _bars}.get(panel.mark, _lines)(panel)
    layers += [_rule(name, at, panel, "x") for name, at in panel.verticals]
    layers += [_rule(name, at, panel, "y") for name, at in panel.horizontals]
    chart = layers[0] if len(layers) == 1 else alt.layer(*layers)
    title = alt.Title(panel.title, fontSize=13, offset=8)
    return chart.properties(width=WIDTH[size], height=HEIGHT[size], title=title)


def _rows(panel: Panel) -> list[dict[str, Any]]:
    found = []
    for each in panel.series:
        for k, (x, y) in enumerate(zip(each.x, each.y, strict=True)):
            row = {"series": each.name, "x": x, "y": y}
            if each.z:
                row["z"] = each.z[k]
            if each.low:
                row |= {"low": each.low[k], "high": each.high[k]}
            found.append(row)
    return found


def _axis(panel: Panel, which: str, values: list[Any]) -> Any:
    """The position along ``x`` or ``y``: numbers, even or logarithmic, or names in their own order."""
    import altair as alt

    title, log = (panel.x, panel.log_x) if which == "x" else (panel.y, panel.log_y)
    channel = alt.X if which == "x" else alt.Y
    if any(isinstance(value, str) for value in values):
        return channel(f"{which}:N", title=title, sort=list(dict.fromkeys(values))).axis(labelAngle=0, grid=False)
    if log:
        low, high = min(v for v in values if v > 0), max(values)
        return (
            channel(f"{which}:Q", title=f"{title}, log scale")
            .scale(type="log", domain=[low, high], nice=False)
            .axis(format="~g", grid=False, values=log_ticks(low, high))
        )
    found = channel(f"{which}:Q", title=title)
    return found.scale(zero=False, nice=which == "y").axis(format=NUMBER, tickCount=5, grid=which == "y")


def _lines(panel: Panel) -> list[Chart]:
    import altair as alt

    rows, names = _rows(panel), [each.name for each in panel.series]
    spread = [row[key] for row in rows for key in ("y", "low", "high") if key in row]
    x, y = _axis(panel, "x", [row["x"] for row in rows]), _axis(panel, "y", spread)
    look = series("series", names, panel.legend)
    base = alt.Chart(inline(rows))
    bands = [base.mark_area(opacity=0.2).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=look["color"])]
    layers = bands if any("low" in row for row in rows) else []
    if panel.mark == "point":
        return [*layers, base.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=look["color"])]
    how: dict[str, Any] = {"interpolate": "step-after"} if panel.mark == "step" else {}
    return [*layers, base.mark_line(strokeWidth=2, **how).encode(x=x, y=y, **look)]


def _bars(panel: Panel) -> list[Chart]:
    import altair as alt

    rows, names = _rows(panel), [each.name for each in panel.series]
    for row in rows:
        row["x"] = str(row["x"])  # every bar has a place of its own
    x = alt.X("x:N", title=panel.x, sort=list(dict.fromkeys(row["x"] for row in rows))).axis(
        labelAngle=0, labelOverlap=True, grid=False
    )
    look = {"color": series("series", names, panel.legend)["color"]}
    if len(names) > 1:
        look["xOffset"] = alt.XOffset("series:N", sort=names)
    y = alt.Y("y:Q", title=panel.y).axis(format=NUMBER, tickCount=5)
    if panel.log_y:
        y = y.scale(type="symlog")
    return [alt.Chart(inline(rows)).mark_bar().encode(x=x, y=y, **look)]


def _boxes(panel: Panel) -> list[Chart]:
    import altair as alt

    rows, names = _rows(panel), [each.name for each in panel.series]
    x = alt.X("x:N", title=panel.x, sort=list(dict.fromkeys(row["x"] for row in rows))).axis(labelAngle=0, grid=False)
    look = {"color": series("series", names, panel.legend)["color"]}
    if len(names) > 1:
        look["xOffset"] = alt.XOffset("series:N", sort=names)
    y = alt.Y("y:Q", title=panel.y).axis(format=NUMBER, tickCount=5)
    return [alt.Chart(inline(rows)).mark_boxplot(extent="min-max", size=12).encode(x=x, y=y, **look)]


def _map(panel: Panel) -> list[Chart]:
    import altair as alt

    rows = _rows(panel)
    named = any(isinstance(row["z"], str) for row in rows)
    names = list(dict.fromkeys(row["z"] for row in rows))
    colour = (
        series("z", names, panel.legend)["color"]
        if named
        else alt.Color("z:Q", title=panel.legend).scale(scheme="viridis").legend(format=NUMBER)
    )
    xs, ys = list(dict.fromkeys(row["x"] for row in rows)), list(dict.fromkeys(row["y"] for row in rows))
    x = alt.X("x:O", title=panel.x, sort=xs).axis(labelAngle=0, labelOverlap=True)
    y = alt.Y("y:O", title=panel.y, sort=ys[::-1]).axis(labelOverlap=True)
    return [alt.Chart(inline(rows)).mark_rect().encode(x=x, y=y, color=colour)]


def _rule(name: str, at: float, panel: Panel, which: str) -> Chart:
    """A line across the panel with its name."""
    import altair as alt

    log = panel.log_x if which == "x" else panel.log_y
    scale = alt.Scale(type="log") if log else alt.Scale(zero=False)
    place = alt.X("at:Q", scale=scale) if which == "x" else alt.Y("at:Q", scale=scale)
    rule = alt.Chart(inline([{"at": at, "name": name}])).mark_rule(color=GREY, strokeDash=[4, 3])
    return rule.encode(**{which: place, "tooltip": alt.Tooltip("name:N")})
