"""The chart of an assessment: risk against epsilon."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assess import Assessment, AttributeToday
from epsilens.report.charts.common import DECADES, Chart, coloured, series, styled, subtitle_lines

WIDTH, HEIGHT = 520, 320
BESIDE = WIDTH + 50
"""Where the risks without noise stand: to the right of all budgets."""


def risk_curve_chart(curves: Sequence[tuple[str, RiskCurve]], assessment: Assessment) -> Chart:
    """Risk against epsilon on a log axis: a line per mechanism or measure, a panel per attribute.

    Where mechanisms and measures both vary, every measure has its own panel. Dots mark the budgets of the assessment;
    at the right stands what each measure has without noise.
    """
    import altair as alt

    question = assessment.question
    apart = len(question.measures) > 1 and len(question.mechanisms) > 1
    groups = [(measure,) for measure in question.measures] if apart else [tuple(question.measures)]
    panels = [
        _risk_panel(attribute, measures, curves, assessment) for attribute in assessment.today for measures in groups
    ]
    figure = alt.vconcat(*panels) if len(panels) > 1 else panels[0]
    return styled(figure).configure_legend(offset=75, labelFontSize=12, labelLimit=300)


def _risk_panel(
    attribute: AttributeToday,
    measures: tuple[str, ...],
    curves: Sequence[tuple[str, RiskCurve]],
    assessment: Assessment,
) -> Chart:
    import altair as alt

    question = assessment.question
    mine = [curve for name, curve in curves if name == attribute.sensitive and curve.measure in measures]
    lines = [row for curve in mine for row in curve.to_rows()]
    marks = [
        {"mechanism": line.mechanism, "measure": measure, "epsilon": line.epsilon, "risk": line.risks[measure]}
        for line in assessment.lines
        if line.sensitive == attribute.sensitive
        for measure in measures
    ]
    # rings of different sizes, so that of equal values none hides another
    rings = {measure: 40 + 200 * (1 - (k + 1) / len(measures)) for k, measure in enumerate(measures)}
    # without noise it does not matter which one is not added: the first mechanism stands for all
    unprotected = [
        {
            "measure": curve.measure,
            "mechanism": curve.mechanism,
            "risk": curve.unprotected,
            "ring": rings[curve.measure],
        }
        for curve in mine
        if curve.mechanism == question.mechanisms[0]
    ]
    field, names = ("measure", measures) if len(question.mechanisms) == 1 else ("mechanism", question.mechanisms)
    top = min(1.0, 1.15 * max(row["risk"] for row in [*lines, *unprotected]))
    x = alt.X("epsilon:Q", title="epsilon, log scale").scale(type="log", nice=False)
    y = alt.Y("risk:Q", title=f"risk, average over {assessment.whom if question.weighted else 'cells'}")
    place: dict[str, Any] = {
        "x": x.axis(format="~g", values=DECADES, grid=False),
        "y": y.scale(domain=[0, top]).axis(format="~%", tickCount=6),
    }
    curve = (
        alt.Chart(alt.InlineData(values=lines))
        .mark_line(strokeWidth=2.5)
        .encode(**place, **series(field, names, field))
    )
    points = alt.Chart(alt.InlineData(values=marks)).mark_point(size=45, filled=True, opacity=1)
    own = coloured(field, names) if field == "measure" else alt.value("#333333")
    beside = alt.Chart(alt.InlineData(values=unprotected)).mark_point(filled=False, strokeWidth=2, opacity=1)
    caption = alt.Chart(alt.InlineData(values=[{"text": "without noise"}])).mark_text(fontSize=12, baseline="top")
    layers = (
        curve.encode(**place, **series(field, names, field)),
        points.encode(**place, color=coloured(field, names)),
        beside.encode(x=alt.value(BESIDE), y=place["y"], color=own, size=alt.Size("ring:Q", scale=None, legend=None)),
        caption.encode(x=alt.value(BESIDE), y=alt.value(HEIGHT + 7), text="text:N"),
    )
    return alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=_title(attribute, measures, assessment))


def _title(attribute: AttributeToday, measures: tuple[str, ...], assessment: Assessment) -> Any:
    import altair as alt

    question = assessment.question
    delta = f", delta = {question.delta:g}" if question.delta is not None else ""
    which = f"{measures[0]} measure" if len(measures) == 1 else f"{len(measures)} measures"
    published = next((x.published for x in assessment.lines if x.sensitive == attribute.sensitive), None)
    where = {None: "", "joint": ", in one joint table", "separate": ", in separate tables"}[published]
    said = f"{which}; {', '.join(question.mechanisms)} noise{delta}{where}. Internal."
    return alt.Title(f"Homogeneity risk of {attribute.sensitive}", subtitle=subtitle_lines(said))
