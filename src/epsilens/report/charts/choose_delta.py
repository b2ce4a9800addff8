"""The chart of a delta that was chosen for a fixed epsilon: risk against delta."""

from __future__ import annotations

from typing import Any

from epsilens.choice.questions.choose_delta import Answer
from epsilens.report.charts.choose import risk_title
from epsilens.report.charts.common import DECADES, GREY, NUMBER, PALE, PALETTE, Chart, styled, subtitle_lines

WIDTH, HEIGHT = 520, 320


def delta_chart(answer: Answer) -> Chart:
    """Risk against delta, with the ceiling, the safe deltas as a band, and the chosen one."""
    import altair as alt

    dial, ceiling = answer.choice.dial, answer.choice.max_risk
    deltas, risks = answer.curve
    ratio = dial.measure == "posterior-ratio"
    lines = [{"delta": float(d), "risk": float(r)} for d, r in zip(deltas, risks, strict=True)]
    most = 1.15 * max(float(risks.max()), ceiling)
    x = (
        alt.X("delta:Q", title="delta, log scale")
        .scale(type="log", nice=False, domain=[float(deltas[0]), float(deltas[-1])])
        .axis(format=".0e", values=DECADES[::2], grid=False)
    )
    y = alt.Y("risk:Q", title=risk_title(dial))
    y = y.scale(domain=[0, most if ratio or dial.attributes == "sum" else min(1.0, most)])
    y = y.axis(format=NUMBER if ratio else "~%", tickCount=6)
    layers: list[Any] = []
    bands = [{"low": s.low, "high": s.high, "top": ceiling, "bottom": 0.0} for s in answer.choice.safe_set]
    if bands:
        band = alt.Chart(alt.InlineData(values=bands)).mark_rect(color=PALETTE[2], opacity=0.15)
        layers.append(band.encode(x=alt.X("low:Q").scale(type="log"), x2="high:Q", y="bottom:Q", y2="top:Q"))
    limit = alt.InlineData(values=[{"risk": ceiling, "text": "ceiling"}])
    layers.append(alt.Chart(limit).mark_rule(color=GREY, strokeDash=[2, 3]).encode(y="risk:Q"))
    beside = alt.Chart(limit).mark_text(align="left", dx=5, color="#666666", fontSize=11)
    layers.append(beside.encode(x=alt.value(WIDTH), y="risk:Q", text="text:N"))
    layers.append(alt.Chart(alt.InlineData(values=lines)).mark_line(color=PALETTE[0], strokeWidth=2.5).encode(x=x, y=y))
    if answer.delta is not None:
        chosen = {"delta": answer.delta, "risk": answer.risk(answer.delta), "text": f"delta = {answer.delta:.3g}"}
        dot = alt.Chart(alt.InlineData(values=[chosen]))
        layers.insert(0, dot.mark_rule(color=PALE, strokeWidth=1).encode(x=x, y=y, y2=alt.value(0)))
        layers.append(dot.mark_point(size=70, filled=True, opacity=1, color=PALETTE[1]).encode(x=x, y=y))
        caption = dot.mark_text(color="#666666", fontSize=11)
        layers.append(caption.encode(x=x, y=alt.value(-8), text="text:N"))
    whose = "being found in a group" if dial.attack is not None else " x ".join(dial.table.sensitive)
    said = f"{dial.measure} measure, {dial.mechanism} noise, epsilon = {answer.question.epsilon:g}. Internal."
    title = alt.Title(f"Which delta? Risk of {whose}", subtitle=subtitle_lines(said))
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title))
