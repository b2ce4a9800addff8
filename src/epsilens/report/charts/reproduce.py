"""The papers' figures, drawn from our own numbers: every kind of panel in one way."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any

from epsilens.report.charts.common import (
    GREY,
    NUMBER,
    Chart,
    coloured,
    colours,
    inline,
    log_ticks,
    series,
    styled,
    subtitle_lines,
)
from epsilens.reproduce.drawings import Drawing, Panel

WIDTH = {1: 620, 2: 330, 3: 230, 4: 180}
HEIGHT = {620: 320, 330: 210, 230: 170, 180: 140}
"""Of a panel of that width."""
LETTER = 7
"""The width of a letter of an axis."""
MOST_TICKS = 12
"""On an axis of whole numbers of a map."""
FEW = 6
"""Places on a logarithmic axis that are all told."""
WIDER, LEAST = 2, 8
"""Points that a letter of a legend, of so many at least, may be wider in a reader's font than in the one that a chart
is measured with: an SVG names no font of its own."""
APART, AWAY = 10, 12
"""Points between two numbers along an axis, and from those of an axis to its title, for the same reason."""
HALO = 6
"""The width of the white around the name of a line, through which other lines can be guessed but do not strike it."""


def drawing_chart(drawing: Drawing) -> Chart:
    """The panels in rows of ``columns``."""
    import altair as alt

    names, titles = _names(drawing), _titles(drawing)
    panels = [
        _panel(panel, lines, _width(drawing), _names_of(panel, names))
        for panel, lines in zip(drawing.panels, titles, strict=True)
    ]
    room = {"left": 12, "top": 5, "bottom": 5, "right": 5 + WIDER * _longest(drawing)}
    title = alt.Title(f"{drawing.paper} {drawing.place}: {drawing.title}", subtitle=subtitle_lines(drawing.says, 105))
    figure = panels[0]
    if len(panels) > 1:
        figure = alt.concat(*panels, columns=drawing.columns, spacing={"row": 24, "column": 26})
    if len(names) > 1:
        figure = figure.resolve_scale(color="independent", stroke="independent", strokeDash="independent")
    chart = styled(figure.properties(title=title, description=f"{title.text}. {drawing.says}", padding=room))
    chart.config["axisX"], chart.config["axisY"] = {"labelSeparation": APART}, {"titlePadding": AWAY}
    return chart


@dataclass(frozen=True)
class _Names:
    """What is told apart by colour."""

    known: list[str]
    """In all panels that share the legend."""
    listed: list[str]
    """In the legend: where a figure has several, each stands beside its own panel, and lists what that has."""


def _names_of(panel: Panel, names: dict[tuple[str | None, str], list[str]]) -> _Names:
    known, own = names[_told_apart_by(panel)], set(_own(panel))
    return _Names(known, known if len(names) == 1 else [name for name in known if name in own])


def _own(panel: Panel) -> list[str]:
    if panel.mark != "map":
        return [each.name for each in panel.series]
    return [str(z) for each in panel.series for z in each.z] if _is_named(panel) else []


def _longest(drawing: Drawing) -> int:
    """Letters of the longest line of a legend."""
    told_apart = _names(drawing)
    lines = [line for (title, _), names in told_apart.items() for line in (title or "", *names)]
    return max(LEAST, *map(len, lines)) if lines else LEAST


def _is_named(panel: Panel) -> bool:
    """Of a map, whether its colours are those of names."""
    return any(isinstance(z, str) for each in panel.series for z in each.z)


def _told_apart_by(panel: Panel) -> tuple[str | None, str]:
    """The title of the legend and what it lists: panels that share both share their colours."""
    kinds = {"step": "line", "map": "names" if _is_named(panel) else "numbers"}
    return panel.legend, kinds.get(panel.mark, panel.mark)


def _names(drawing: Drawing) -> dict[tuple[str | None, str], list[str]]:
    """What is told apart by colour, in all panels that share a legend: the same thing has one colour in all of them."""
    found: dict[tuple[str | None, str], list[str]] = {}
    for panel in drawing.panels:
        known = found.setdefault(_told_apart_by(panel), [])
        known += [name for name in dict.fromkeys(_own(panel)) if name not in known]
    return found


def _width(drawing: Drawing) -> int:
    """Of one panel."""
    return WIDTH[min(max(drawing.columns, 1), max(WIDTH))]


def _titles(drawing: Drawing) -> list[list[str]]:
    """The titles of the panels, no wider than these, and all with as many lines: panels of a row stand side by side."""
    lines = [_wrapped(panel.title, _width(drawing) // 6) or [""] for panel in drawing.panels]
    most = max(map(len, lines))
    return [[*[" "] * (most - len(own)), *own] for own in lines]


def _wrapped(title: str, width: int) -> list[str]:
    """Lines of a title; a number stands beside its name."""
    glue = " "
    whole = title.replace(" = ", f"{glue}={glue}")
    return [line.replace(glue, " ") for line in textwrap.wrap(whole, width, break_on_hyphens=False)]


def _panel(panel: Panel, lines: list[str], width: int, names: _Names) -> Chart:
    import altair as alt

    layers = {"map": _map, "box": _boxes, "bar": _bars}.get(panel.mark, _lines)(panel, names, width)
    across = [
        _rule(name, at, panel, which)
        for which, rules in (("x", panel.verticals), ("y", panel.horizontals))
        for name, at in rules
    ]
    layers += [rule for rule, _ in across] + [part for _, named in across for part in named]
    chart = layers[0] if len(layers) == 1 else alt.layer(*layers)
    title = alt.Title(lines, fontSize=13, offset=8)
    return chart.properties(width=width, height=HEIGHT[width], title=title)


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
        few = sorted(set(values)) if which == "x" and panel.mark == "line" else []
        return (
            channel(f"{which}:Q", title=f"{title}, log scale")
            .scale(type="log", domain=[low, high], nice=False)
            .axis(format="~g", grid=False, values=few if 0 < len(few) <= FEW else log_ticks(low, high))
        )
    found = channel(f"{which}:Q", title=title)
    room = 8 if panel.mark == "point" and which == "x" else 0
    return found.scale(zero=False, nice=which == "y", padding=room).axis(format=NUMBER, tickCount=5, grid=which == "y")


def _lines(panel: Panel, names: _Names, _width: int) -> list[Chart]:
    import altair as alt

    rows = _rows(panel)
    spread = [row[key] for row in rows for key in ("y", "low", "high") if key in row]
    x, y = _axis(panel, "x", [row["x"] for row in rows]), _axis(panel, "y", spread)
    look = series("series", names.known, panel.legend)
    if len(names.known) > 1:  # a legend of bands and lines would have the opacity of the bands
        solid = alt.Legend(
            title=panel.legend, symbolType="stroke", symbolSize=500, symbolOpacity=1, values=names.listed
        )
        look = {channel: encoding.legend(solid) for channel, encoding in look.items()}
    base = alt.Chart(inline(rows))
    layers = []
    if any("low" in row for row in rows):
        layers = [base.mark_area(opacity=0.2).encode(x=x, y=alt.Y("low:Q"), y2="high:Q", color=look["color"])]
    if panel.mark == "point":
        return [
            *layers,
            base.mark_point(filled=True, size=45, opacity=1).encode(x=x, y=y, color=_filled("series", names, panel)),
        ]
    how: dict[str, Any] = {"interpolate": "step"} if panel.mark == "step" else {}
    return [*layers, base.mark_line(strokeWidth=2, **how).encode(x=x, y=y, **look)]


def _filled(field: str, names: _Names, panel: Panel) -> Any:
    """The colour of what is filled, in a legend as what it is."""
    import altair as alt

    shape = "circle" if panel.mark == "point" else "square"
    told = alt.Legend(title=panel.legend, symbolType=shape, symbolSize=120, values=names.listed)
    return coloured(field, names.known).legend(told if len(names.known) > 1 else None)


def _bars(panel: Panel, names: _Names, width: int) -> list[Chart]:
    import altair as alt

    rows, own = _rows(panel), [each.name for each in panel.series]
    for row in rows:
        row["x"] = str(row["x"])  # every bar has a place of its own
    places = list(dict.fromkeys(row["x"] for row in rows))
    turned = LETTER * sum(len(place) + 2 for place in places) > width and LETTER * len(places) < width
    x = alt.X("x:N", title=panel.x, sort=places).axis(
        labelAngle=-45 if turned else 0, labelOverlap=not turned, grid=False
    )
    look = {"color": _filled("series", names, panel)}
    if len(own) > 1:
        look["xOffset"] = alt.XOffset("series:N", sort=own)
    whole = all(float(row["y"]).is_integer() for row in rows)  # of people or cells there are no halves
    ticks = min(5.0, max(row["y"] for row in rows)) if whole else 5.0
    y = alt.Y("y:Q", title=panel.y).axis(format=NUMBER, tickCount=max(1.0, ticks))
    if panel.log_y:
        y = y.scale(type="symlog")
    return [alt.Chart(inline(rows)).mark_bar().encode(x=x, y=y, **look)]


def _boxes(panel: Panel, names: _Names, width: int) -> list[Chart]:
    import altair as alt

    rows, own = _rows(panel), [each.name for each in panel.series]
    places = list(dict.fromkeys(row["x"] for row in rows))
    x = alt.X("x:N", title=panel.x, sort=places).axis(labelAngle=0, grid=False)
    size = min(12.0, (0.5 if len(own) == 1 else 0.3) * width / (len(places) * len(own)))  # next to one another
    look = {"color": _filled("series", names, panel)}
    if len(own) > 1:
        look["xOffset"] = alt.XOffset("series:N", sort=own)
        x = x.scale(paddingInner=0.5, paddingOuter=0.25)  # the first and the last of a place stand at its ends
    y = alt.Y("y:Q", title=panel.y).axis(format=NUMBER, tickCount=5)
    middle = {"color": "black"}  # of a flat box it is all there is to see
    return [alt.Chart(inline(rows)).mark_boxplot(extent="min-max", size=size, median=middle).encode(x=x, y=y, **look)]


def _map(panel: Panel, names: _Names, _width: int) -> list[Chart]:
    import altair as alt

    rows = _rows(panel)
    if _is_named(panel):
        colour = _filled("z", names, panel)
        edge = alt.Stroke("z:N", legend=None).scale(domain=names.known, range=colours(len(names.known)))
    else:
        colour = alt.Color("z:Q", title=panel.legend).scale(scheme="viridis").legend(format=NUMBER)
        # of another field: a legend of two scales of one field would be one of symbols, not a gradient
        for row in rows:
            row["edge"] = row["z"]
        edge = alt.Stroke("edge:Q", legend=None).scale(scheme="viridis")
    xs, ys = list(dict.fromkeys(row["x"] for row in rows)), list(dict.fromkeys(row["y"] for row in rows))
    x = alt.X("x:O", title=panel.x, sort=xs).axis(labelAngle=0, labelOverlap=True, **_ticks(xs))
    y = alt.Y("y:O", title=panel.y, sort=ys[::-1]).axis(labelOverlap=True, **_ticks(ys))
    # a line about each tile in its own colour: no background shines through between them
    return [alt.Chart(inline(rows)).mark_rect(strokeWidth=0.6).encode(x=x, y=y, color=colour, stroke=edge)]


def _ticks(values: list[Any]) -> dict[str, Any]:
    """Round numbers on an axis with many whole numbers."""
    if len(values) <= MOST_TICKS or not all(isinstance(value, int) for value in values):
        return {}
    step = next(step for step in (2, 5, 10, 20, 50, 100, 1000) if len(values) <= MOST_TICKS * step)
    return {"values": [value for value in values if value % step == 0]}


def _rule(name: str, at: float, panel: Panel, which: str) -> tuple[Chart, list[Chart]]:
    """A line across the panel, and its name, if it has one, which stands above all lines."""
    import altair as alt

    log = panel.log_x if which == "x" else panel.log_y
    scale = alt.Scale(type="log") if log else alt.Scale(zero=False)
    place = alt.X("at:Q", scale=scale) if which == "x" else alt.Y("at:Q", scale=scale)
    base = alt.Chart(inline([{"at": at, "name": name}]))
    rule = base.mark_rule(color=GREY, strokeDash=[4, 3]).encode(**{which: place})
    if not name:
        return rule, []
    name_at: dict[str, Any]
    look: dict[str, Any]
    if which == "x":
        name_at, look = {"x": place, "y": alt.value(2)}, {"align": "left", "baseline": "top", "dx": 4}
    else:
        # at the other end where a vertical line may have its name at this one
        align = "right" if panel.verticals else "left"
        name_at = {"y": place, "x": alt.value("width") if panel.verticals else alt.value(4)}
        look = {"align": align, "baseline": "bottom", "dy": -3}
    under = base.mark_text(stroke="white", strokeWidth=HALO, strokeOpacity=0.85, strokeJoin="round", **look)
    return rule, [text.encode(**name_at, text="name:N") for text in (under, base.mark_text(color=GREY, **look))]
