"""Charts of a comparison over epsilon or over a setting: one line per system, as in Figures 2 to 4 of P2."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.choice.comparison import Comparison
from epsilens.choice.questions.compare import AXES
from epsilens.report.charts.common import GREY, Chart, coloured, inline, log_ticks, series, styled
from epsilens.report.charts.compare_parts import NAMES, chart_title, value_range, value_scale

WIDTH, HEIGHT = 480, 320
TITLES = {"epsilon": "epsilon", "k": "k", "share": "the share that is swapped", "base": "the base of rounding"}
_WIDE = 10  # times the smallest value of the axis: from here on it is logarithmic


def line_chart(comparison: Comparison, criterion: str, axis: str) -> Chart:
    """The criterion over an axis (``epsilon``, ``k``, ``share`` or ``base``), a line per system.

    A system that is there with several other settings has a line for each. One that does not depend on the axis is a
    thin horizontal line, named so. Whiskers are two standard errors.
    """
    import altair as alt

    column = AXES[axis]
    rows = [row for row in comparison.rows if row.get(criterion) is not None]
    points = [_point(row, criterion, column, comparison) for row in rows if row[column] is not None]
    places = sorted({point["place"] for point in points})
    level = [
        _point(row, criterion, column, comparison) | {"place": place, "line": f"{_name(row, column, comparison)} *"}
        for row in rows
        if row[column] is None
        for place in (places[0], places[-1])
    ]
    names = list(dict.fromkeys(point["line"] for point in [*points, *level]))
    extent = value_range([p[key] for p in [*points, *level] for key in ("value", "low", "high")], comparison, criterion)
    scale, ticks = value_scale(*extent, [point["value"] for point in points])
    place: dict[str, Any] = {
        "x": _across(axis, places),
        "y": alt.Y("value:Q", scale=scale).title(
            f"{NAMES[criterion]}, log scale" if "values" in ticks else NAMES[criterion]
        ),
    }
    place["y"] = place["y"].axis(format=",~r", tickCount=6, **ticks)
    colour, lines = coloured("line", names), series("line", names, "system")
    layers = []
    reference = comparison.baseline.get(criterion)
    if reference is not None:
        unprotected = alt.Chart(inline([{"value": reference}]))
        layers.append(unprotected.mark_rule(color=GREY, strokeDash=[2, 3]).encode(y=place["y"]))
    if level:
        layers.append(alt.Chart(inline(level)).mark_line(strokeWidth=1.2).encode(**place, **lines))
    data = alt.Chart(inline(points))
    layers += [
        data.mark_line(strokeWidth=2.5).encode(**place, **lines),
        data.mark_rule(strokeWidth=1.5).encode(x=place["x"], y=alt.Y("low:Q", scale=scale), y2="high:Q", color=colour),
        data.mark_point(size=40, filled=True, opacity=1).encode(**place, color=colour),
    ]
    notes = [f"thin lines with *: systems that do not depend on {TITLES[axis]}"] if level else []
    title = chart_title(comparison, criterion, reference is not None, f", over {TITLES[axis]}", *notes)
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title))


def _across(axis: str, places: Sequence[float]) -> Any:
    """The horizontal axis: logarithmic for epsilons far apart, in per cent for shares."""
    import altair as alt

    x = alt.X("place:Q")
    plain: dict[str, Any] = {"grid": False, "labelFlush": False, "labelOverlap": "greedy"}
    low, high = places[0], places[-1]
    if axis == "epsilon" and low > 0 and high > _WIDE * low:
        listed = list(places) if len(places) <= 8 else log_ticks(low, high)
        return x.title("epsilon, log scale").scale(type="log", nice=False).axis(format=",~r", values=listed, **plain)
    ticks: dict[str, Any] = {"values": list(places)} if len(places) <= 8 else {"tickCount": 8}
    wide = x.title(TITLES[axis].removeprefix("the ")).scale(zero=False, nice=False)
    return wide.axis(format="~%" if axis == "share" else ",~r", **ticks, **plain)


def _point(row: dict[str, Any], criterion: str, column: str, comparison: Comparison) -> dict[str, Any]:
    error = row.get(f"{criterion}_se") or 0.0
    return {
        "line": _name(row, column, comparison),
        "place": row[column],
        "value": row[criterion],
        "low": max(0.0, row[criterion] - 2.0 * error),
        "high": row[criterion] + 2.0 * error,
    }


def _name(row: dict[str, Any], column: str, comparison: Comparison) -> str:
    """The system with its epsilon and what else tells its line from another."""
    parts = [row["system"]]
    if column != "epsilon" and row["epsilon"] is not None:
        parts.append(f"epsilon {row['epsilon']:.3g}")
    for axis, other in AXES.items():
        several = isinstance(comparison.settings.get(other), list)
        if other not in (column, "epsilon") and several and row[other] is not None:
            parts.append(f"{axis} {row[other]:g}")
    return ", ".join(parts)
