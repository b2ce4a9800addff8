"""The chart of an assessment: risk against epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assess import Assessment, AttributeToday
from epsilens.report.charts.common import PALETTE, Chart, styled


def risk_curve_chart(curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    """Risk against epsilon on a log axis: a line per mechanism and measure, a panel per attribute.

    Dots mark the budgets of the assessment, a thin grey line the risk of the table as it is, without noise.
    """
    import altair as alt

    panels = [_risk_panel(attribute, curves, assessment) for attribute in assessment.today]
    figure = alt.vconcat(*panels) if len(panels) > 1 else panels[0]
    return styled(figure)


def _risk_panel(attribute: AttributeToday, curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    import altair as alt

    question = assessment.question
    lines = [row for name, curve in curves if name == attribute.sensitive for row in curve.to_rows()]
    dots = [
        {"mechanism": line.mechanism, "measure": measure, "epsilon": line.epsilon, "risk": risk}
        for line in assessment.lines
        if line.sensitive == attribute.sensitive
        for measure, risk in line.risks.items()
    ]
    unprotected = attribute.belief.right if question.weighted else attribute.diagnostics.share_of_homogeneous_cells
    # Colour tells what varies; where mechanisms and measures both do, measures are dashed.
    coloured, names = (
        ("measure", question.measures) if len(question.mechanisms) == 1 else ("mechanism", question.mechanisms)
    )
    top = min(1.0, 1.15 * max(unprotected, *(row["risk"] for row in lines)))
    shared: dict[str, Any] = {
        "x": alt.X("epsilon:Q", title="epsilon (log scale)")
        .scale(type="log", nice=False)
        .axis(format="~g", values=[10.0**power for power in range(-6, 4)], grid=False),
        "y": alt.Y("risk:Q", title=f"risk, average over {'people' if question.weighted else 'cells'}")
        .scale(domain=[0, top])
        .axis(format="~%", tickCount=6),
        "color": alt.Color(f"{coloured}:N", legend=alt.Legend(title=coloured) if len(names) > 1 else None).scale(
            domain=list(names), range=PALETTE
        ),
    }
    both_vary = len(question.measures) > 1 and len(question.mechanisms) > 1
    dashed = {"strokeDash": alt.StrokeDash("measure:N", sort=list(question.measures))} if both_vary else {}
    curve = alt.Chart(alt.InlineData(values=lines)).mark_line(strokeWidth=2.5).encode(**shared, **dashed)
    points = alt.Chart(alt.InlineData(values=dots)).mark_point(size=45, filled=True, opacity=1).encode(**shared)
    reference_data = alt.InlineData(values=[{"risk": unprotected, "text": "without noise"}])
    reference = alt.Chart(reference_data).mark_rule(color="#888888", strokeDash=[2, 3]).encode(y="risk:Q")
    caption = (
        alt.Chart(reference_data)
        .mark_text(align="left", baseline="bottom", dx=4, dy=-3, color="#666666", fontSize=11)
        .encode(x=alt.value(0), y="risk:Q", text="text:N")
    )
    noise = f"{', '.join(question.mechanisms)} noise" + (
        f", delta = {question.delta:g}" if question.delta is not None else ""
    )
    measures = (
        f"{question.measures[0]} measure" if len(question.measures) == 1 else f"{len(question.measures)} measures"
    )
    title = alt.Title(f"Homogeneity risk of {attribute.sensitive}", subtitle=f"{measures}; {noise}. Internal.")
    return (reference + caption + curve + points).properties(width=520, height=320, title=title)
