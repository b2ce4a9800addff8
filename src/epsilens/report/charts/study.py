"""The chart of the simulation study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.release.statistics.proportion_study import StudyRow
from epsilens.report.charts.common import GREY, Chart, coloured, inline, series, styled

CRITERIA = {"bias": "bias", "rmse": "RMSE", "coverage": "coverage", "naive_coverage": "naive coverage"}
NOMINAL = 0.95
STEP_ASIDE = 1.07
"""By which factor the points of the next method stand to the right, so that none hides another."""


def study_chart(rows: Sequence[StudyRow]) -> Chart:
    """Bias, RMSE and coverages against epsilon: a row of panels per criterion and sample size, a column per target."""
    import altair as alt

    sizes = dict.fromkeys(row.n for row in rows)
    wanted = [(criterion, n) for criterion in CRITERIA for n in sizes]
    figure = [
        _row_of_panels(rows, criterion, n, first=place == 0, last=place == len(wanted) - 1)
        for place, (criterion, n) in enumerate(wanted)
    ]
    title = alt.Title(
        "What noisy proportions do to inference",
        subtitle=[
            "Laplace noise, 95 % intervals; whiskers: two standard errors; methods of one epsilon side by side.",
            "Coverage: of intervals that allow for the noise; naive coverage: of those that do not.",
            *_what_print_costs(rows),
        ],
    )
    description = f"{title.text}: {', '.join(CRITERIA.values())} against epsilon, by method, sample size and target."
    return styled(alt.vconcat(*figure, spacing=6).properties(title=title, description=description))


def _what_print_costs(rows: Sequence[StudyRow]) -> list[str]:
    """By which factors methods cost more than the epsilon they are drawn at."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if row.epsilon_spent is not None and row.epsilon_spent > row.epsilon * (1.0 + 1e-6):
            found.setdefault(row.method, []).append(row.epsilon_spent / row.epsilon)
    return [
        f"{method} costs more than its epsilon: {min(times):.3g} to {max(times):.3g} times."
        for method, times in found.items()
    ]


def _row_of_panels(rows: Sequence[StudyRow], criterion: str, n: int, *, first: bool, last: bool) -> Chart:
    """The panels of one criterion and sample size; the first row names the targets, the last one the axis below."""
    import altair as alt

    methods = list(dict.fromkeys(row.method for row in rows))
    targets = list(dict.fromkeys(row.target for row in rows))
    values = [_point(row, criterion, methods) for row in rows if row.n == n]
    everything = [value[key] for value in values for key in ("low", "high")]
    coverage = criterion.endswith("coverage")
    wanted = NOMINAL if coverage else 0.0
    limits = [min(0.8, *everything), 1.0] if coverage else [min(0.0, *everything), max(0.0, *everything)]
    y: dict[str, Any] = {
        "title": f"{CRITERIA[criterion]}, n = {n}",
        "scale": alt.Scale(domain=limits, clamp=True),
        "axis": alt.Axis(minExtent=45, tickCount=4),
    }
    ticks = sorted({row.epsilon for row in rows})
    x = alt.X("epsilon:Q", title="epsilon, log scale" if last else None).scale(type="log", nice=False, padding=8)
    base = alt.Chart().encode(x=x.axis(format="~g", grid=False, values=ticks))
    column = alt.Column("target:N", title=None, sort=targets, header=alt.Header(labels=first, labelFontSize=12))
    layers = [  # the lines come before whatever has their colours and no legend
        alt.Chart().mark_rule(color=GREY, strokeDash=[2, 3]).encode(y=alt.YDatum(wanted, **y)),
        base.mark_line(strokeWidth=2).encode(y=alt.Y("value:Q", **y), **series("method", methods, "method")),
        base.mark_rule(strokeWidth=1.5).encode(y=alt.Y("low:Q", **y), y2="high:Q", color=coloured("method", methods)),
        base.mark_point(size=25, filled=True, opacity=1).encode(
            y=alt.Y("value:Q", **y), color=coloured("method", methods)
        ),
    ]
    panels = alt.layer(*layers, data=inline(values)).properties(width=210, height=110)
    return panels.facet(column=column)


def _point(row: StudyRow, criterion: str, methods: list[str]) -> dict[str, Any]:
    value, error = getattr(row, criterion), getattr(row, f"{criterion}_standard_error")
    aside = methods.index(row.method) - 0.5 * (len(methods) - 1)
    low, high = value - 2 * error, value + 2 * error
    if criterion.endswith("coverage"):
        low, high = max(low, 0.0), min(high, 1.0)
    return {
        "method": row.method,
        "target": row.target,
        "n": row.n,
        "epsilon": row.epsilon * STEP_ASIDE**aside,
        "value": value,
        "low": low,
        "high": high,
    }
