"""Charts of a comparison: one per criterion, systems as rows, epsilons as colours."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from epsilens.choice.comparison import CRITERIA, HARM_CRITERIA, Comparison
from epsilens.report.charts.common import (
    GREY,
    PALETTE,
    Chart,
    check_chart_path,
    inline,
    save_chart,
    styled,
)
from epsilens.report.charts.compare_lines import line_chart
from epsilens.report.charts.compare_parts import NAMES, chart_title, value_range, value_scale
from epsilens.report.charts.compare_values import value_chart

# From little epsilon (light) to much (dark): an order that survives in grey and for colour-blind readers.
EPSILON_COLOURS = ["#f3a712", "#e4572e", "#c2307a", "#7b2d8b", "#43207c", "#1d0c4f"]
WITHOUT_EPSILON = "no epsilon"
BY_VALUE = "by_value"


def comparison_charts(comparison: Comparison, axis: str | None = None) -> dict[str, Chart]:
    """A chart for every criterion that the comparison has values for: lines over an ``axis``, or systems as rows.

    One more, :data:`BY_VALUE`, says who is shown as what. Where all values harm alike, those shown rightly are the
    homogeneity risk, and are not drawn again.
    """
    uneven = any(entry["weight"] != 1 for entry in comparison.baseline["by_value"])
    charts = {
        criterion: criterion_chart(comparison, criterion) if axis is None else line_chart(comparison, criterion, axis)
        for criterion in (*CRITERIA, *(HARM_CRITERIA if uneven else ()))
        if any(row.get(criterion) is not None for row in comparison.rows)
    }
    return charts | ({BY_VALUE: value_chart(comparison)} if comparison.rows else {})


def criterion_chart(comparison: Comparison, criterion: str) -> Chart:
    """Systems as rows, the criterion as position, epsilon as colour; whiskers are two standard errors.

    A thin grey line is the table without protection, where that means something; of delta hollow circles are what was
    published.
    """
    import altair as alt

    equal_epsilon = comparison.settings.get("basis", "equal epsilon") == "equal epsilon"
    values = [_point(row, criterion, equal_epsilon) for row in comparison.rows if row.get(criterion) is not None]
    systems = list(dict.fromkeys(point["system"] for point in values))
    epsilons = sorted({row["epsilon"] for row in comparison.rows if row["epsilon"] is not None})
    names = [f"{epsilon:.3g}" for epsilon in epsilons]
    if any(point["epsilon"] == WITHOUT_EPSILON for point in values):
        names.append(WITHOUT_EPSILON)
    steps = _spread(EPSILON_COLOURS, len(epsilons)) if equal_epsilon else [PALETTE[0]] * len(epsilons)
    tones = [*steps, GREY][: len(names)]
    lowest, highest = value_range(
        [point[key] for point in values for key in ("value", "low", "high")], comparison, criterion
    )
    scale, ticks = value_scale(lowest, highest, [point["value"] for point in values])
    shared: dict[str, Any] = {
        "y": alt.Y(
            "system:N",
            title=None,
            sort=systems,
            axis=alt.Axis(labelLimit=300, labelPadding=12, ticks=False, domain=False),
        ),
        "color": alt.Color("epsilon:N", title="epsilon", sort=names)
        .scale(domain=names, range=tones)
        .legend(None if not equal_epsilon else alt.Legend(symbolType="circle", symbolSize=90, symbolOpacity=1)),
    }
    # Epsilons stand side by side, so that none hides another; what has no epsilon stands in the middle of its row.
    budgets = names[: len(epsilons)]
    apart = {"yOffset": alt.YOffset("epsilon:N", sort=budgets).scale(domain=budgets)} if equal_epsilon else {}
    named = f"{NAMES[criterion]}, log scale" if "values" in ticks else NAMES[criterion]
    x = alt.X("value:Q", title=named, scale=scale, axis=alt.Axis(format=",~r", tickCount=6, **ticks))
    layers: list[Any] = []
    for has_one, offset in ((True, apart), (False, {})):
        mine = [point for point in values if (point["epsilon"] != WITHOUT_EPSILON) == has_one]
        if not mine:
            continue
        data, place = alt.Chart(inline(mine)), shared | offset
        layers.append(data.mark_rule(strokeWidth=2).encode(x=alt.X("low:Q", scale=scale), x2="high:Q", **place))
        layers.append(data.mark_point(size=60, filled=True, opacity=1).encode(x=x, **place))
    if criterion == "delta":
        claimed = [point | {"value": point["claimed"]} for point in values if point["claimed"] is not None]
        layers.append(
            alt.Chart(inline(claimed)).mark_point(size=75, filled=False, strokeWidth=1.5).encode(x=x, **shared, **apart)
        )
    reference = comparison.baseline.get(criterion)
    if reference is not None:
        unprotected = inline([{"value": reference}])
        layers.insert(0, alt.Chart(unprotected).mark_rule(color=GREY, strokeDash=[2, 3]).encode(x=x))
    step = max(22, 9 * len(budgets) + 6) if equal_epsilon else 22
    chart = alt.layer(*layers).properties(
        width=480,
        height=alt.Step(step, **{"for": "position"}),
        title=chart_title(comparison, criterion, reference is not None),
    )
    return styled(chart).configure_axisY(grid=True, gridColor="#eeeeee")


def chart_paths(path: str | os.PathLike[str], criteria: list[str]) -> dict[str, Path]:
    """``out.svg`` as out-delta.svg, out-bias_l1.svg, ..., each checked before any work is done."""
    target = check_chart_path(path)
    return {
        criterion: check_chart_path(target.with_name(f"{target.stem}-{criterion}{target.suffix}"))
        for criterion in criteria
    }


def save_comparison_charts(comparison: Comparison, path: str | os.PathLike[str], axis: str | None = None) -> list[Path]:
    """Write every chart next to ``path``, under its name and that of the criterion; returns where they are."""
    charts = comparison_charts(comparison, axis)
    paths = chart_paths(path, list(charts))
    for criterion, chart in charts.items():
        save_chart(chart, paths[criterion])
    return list(paths.values())


def _point(row: dict[str, Any], criterion: str, equal_epsilon: bool) -> dict[str, Any]:
    """A row of the comparison; where every system has an epsilon of its own, its name says which."""
    error = row.get(f"{criterion}_se") or 0.0
    epsilon = WITHOUT_EPSILON if row["epsilon"] is None else f"{row['epsilon']:.3g}"
    own = "" if equal_epsilon else f", {epsilon if row['epsilon'] is None else f'epsilon {epsilon}'}"
    return {
        "system": f"{row['label']}{own}",
        "epsilon": epsilon,
        "value": row[criterion],
        "low": max(0.0, row[criterion] - 2.0 * error),
        "high": row[criterion] + 2.0 * error,
        "claimed": row.get("published_delta"),
    }


def _spread(colours: list[str], wanted: int) -> list[str]:
    """As many colours as wanted, from both ends of the range and, where it has too few, from between its own."""
    if wanted <= 1:
        return colours[2 : 2 + wanted]
    if wanted <= len(colours):
        return [colours[round(i * (len(colours) - 1) / (wanted - 1))] for i in range(wanted)]
    return [_between(colours, i * (len(colours) - 1) / (wanted - 1)) for i in range(wanted)]


def _between(colours: list[str], place: float) -> str:
    """The colour at a place of the range, mixed of its two neighbours."""
    left = min(int(place), len(colours) - 2)
    share = place - left
    parts = [[int(colours[k][i : i + 2], 16) for i in (1, 3, 5)] for k in (left, left + 1)]
    return "#" + "".join(f"{round((1 - share) * a + share * b):02x}" for a, b in zip(*parts, strict=True))
