"""The chart of a delta that was chosen for a fixed epsilon: risk against delta."""

from __future__ import annotations

from typing import Any

from epsilens.choice.questions.choose_delta import Answer
from epsilens.report.charts.choose_parts import HEIGHT, WIDTH, harm_text, risk_title, subject
from epsilens.report.charts.choose_risk import lines_of, looks_of, risk_scale
from epsilens.report.charts.common import DECADES, GREY, NUMBER, PALE, PALETTE, Chart, inline, styled, subtitle_lines


def delta_chart(answer: Answer) -> Chart:
    """Risk against delta, with the ceiling, the safe deltas as a band, the chosen one, and who is worst off."""
    import altair as alt

    dial, ceiling = answer.choice.dial, answer.choice.max_risk
    deltas, risks = answer.curve
    ratio = dial.measure == "posterior-ratio"
    curve = [(float(d), float(r)) for d, r in zip(deltas, risks, strict=True)]
    declared = bool(answer.people.values) and bool(dial.table.harm.weights)
    lines = lines_of(risk_title(dial), curve, [answer.at(delta) for delta, _ in curve[::3]], declared, "delta")
    x = (
        alt.X("delta:Q", title="delta, log scale")
        .scale(type="log", nice=False, domain=[float(deltas[0]), float(deltas[-1])])
        .axis(format=".0e", values=DECADES[::2], grid=False)
    )
    y = risk_scale(lines, dial, ceiling)
    y = y.axis(format=NUMBER if ratio else "~%", tickCount=6)
    layers: list[Any] = []
    bands = [{"low": s.low, "high": s.high, "top": ceiling, "bottom": 0.0} for s in answer.choice.safe_set]
    if bands:
        band = alt.Chart(inline(bands)).mark_rect(color=PALETTE[2], opacity=0.15)
        layers.append(band.encode(x=alt.X("low:Q").scale(type="log"), x2="high:Q", y="bottom:Q", y2="top:Q"))
    limit = inline([{"risk": ceiling, "text": "ceiling"}])
    layers.append(alt.Chart(limit).mark_rule(color=GREY, strokeDash=[2, 3]).encode(y="risk:Q"))
    beside = alt.Chart(limit).mark_text(align="left", dx=5, color="#666666", fontSize=11)
    layers.append(beside.encode(x=alt.value(WIDTH), y="risk:Q", text="text:N"))
    drawn = alt.Chart(inline(lines)).mark_line(strokeWidth=2.5)
    layers.append(drawn.encode(x=x, y=y, **looks_of(lines)))
    if answer.delta is not None:
        chosen = {"delta": answer.delta, "risk": answer.risk(answer.delta), "text": f"delta = {answer.delta:.3g}"}
        dot = alt.Chart(inline([chosen]))
        layers.insert(0, dot.mark_rule(color=PALE, strokeWidth=1).encode(x=x, y=y, y2=alt.value(0)))
        layers.append(dot.mark_point(size=70, filled=True, opacity=1, color=PALETTE[6]).encode(x=x, y=y))
        caption = dot.mark_text(color="#666666", fontSize=11)
        layers.append(caption.encode(x=x, y=alt.value(-8), text="text:N"))
    said = f"{dial.measure} measure, {dial.mechanism} noise, epsilon = {answer.question.epsilon:g}{harm_text(dial)}"
    title = alt.Title(f"Which delta? Risk of {subject(dial)}", subtitle=subtitle_lines(f"{said}. Internal."))
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title))
