"""The chart of the simulation study."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.release.statistics.proportion_study import StudyRow
from epsilens.report.charts.common import PALETTE, Chart


def study_chart(rows: Sequence[StudyRow]) -> Chart:
    """Bias, RMSE and coverage against epsilon, one row of panels per criterion, one column per target and n."""
    import altair as alt

    methods = list(dict.fromkeys(row.method for row in rows))
    epsilons = sorted({row.epsilon for row in rows})
    titles = {"bias": "bias", "rmse": "RMSE", "coverage": "coverage of 95 % intervals"}
    largest_n = max(row.n for row in rows)
    shown = [row for row in rows if row.n in {min(other.n for other in rows), largest_n}]
    columns = list(dict.fromkeys(f"{row.target}, n = {row.n}" for row in shown))
    figure = []
    for criterion, title in titles.items():
        values = [
            {
                "method": row.method,
                "column": f"{row.target}, n = {row.n}",
                "epsilon": row.epsilon,
                "value": getattr(row, criterion),
                "low": getattr(row, criterion) - 2 * getattr(row, f"{criterion}_standard_error"),
                "high": getattr(row, criterion) + 2 * getattr(row, f"{criterion}_standard_error"),
            }
            for row in shown
        ]
        base = alt.Chart().encode(
            x=alt.X("epsilon:Q", title="epsilon")
            .scale(type="log", nice=False)
            .axis(format="~g", grid=False, values=epsilons),
            color=alt.Color("method:N", title="method").scale(domain=methods, range=PALETTE),
        )
        scale = alt.Scale(domain=[0.8, 1], clamp=True) if criterion == "coverage" else alt.Scale(zero=True)
        line = base.mark_line(point=True).encode(y=alt.Y("value:Q", title=title, scale=scale))
        error = base.mark_rule().encode(y=alt.Y("low:Q", title=title, scale=scale), y2="high:Q")
        layers = [error, line]
        if criterion == "coverage":
            wanted = alt.Chart().mark_rule(color="#888888", strokeDash=[2, 3]).encode(y=alt.YDatum(0.95, scale=scale))
            layers.insert(0, wanted)
        figure.append(
            alt.layer(*layers, data=alt.InlineData(values=values))
            .properties(width=150, height=150)
            .facet(column=alt.Column("column:N", title=None, sort=columns))
        )
    return alt.vconcat(*figure).configure_view(stroke=None).configure_axis(titleFontWeight="normal")
