"""Charts of the Bayesian adversary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilens.report.charts.common import (
    GREY,
    PALE,
    PALETTE,
    Chart,
    coloured,
    log_ticks,
    series,
    styled,
    subtitle_lines,
)
from epsilens.report.words.common import counted
from epsilens.report.words.posterior import plain

if TYPE_CHECKING:
    from epsilens.posterior import BudgetCurve, DecisionMap, NoisyCountTable, PostprocessingCheck, ReleaseRisk

WIDTH, HEIGHT = 480, 280
_MOST_LABELLED = 6
"""Bars with their numbers on top; more would stand too close."""


DISCRETE_GAUSSIAN = "discrete-gaussian noise"
"""The noise of every release that is told by its rho."""


def noisy_count_chart(table: NoisyCountTable, prior: float, noise: str = DISCRETE_GAUSSIAN) -> Chart:
    """The posterior against the noisy count, above how often each noisy count occurs. ``noise`` is for the title."""
    import altair as alt

    rows = [
        {"noisy": float(x), "posterior": float(p), "probability": float(q)}
        for x, p, q in zip(table.noisy, table.posterior, table.probability, strict=True)
    ]
    data = alt.InlineData(values=rows)
    ends = [float(np.min(table.noisy)) - 0.5, float(np.max(table.noisy)) + 0.5]  # of both panels, one above the other
    # without padding=0 the panel with bars would get some of its own
    scale = alt.Scale(domain=ends, nice=False, padding=0)
    x = alt.X("noisy:Q", title="noisy count").axis(tickMinStep=1, grid=False).scale(scale)
    line = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(color=PALETTE[0]), color=PALETTE[0])
        .encode(x=x, y=alt.Y("posterior:Q", title="posterior that the person is there").scale(domain=[0, 1]))
    )
    rule = alt.Chart(alt.InlineData(values=[{"prior": prior}])).mark_rule(color=GREY, strokeDash=[2, 3])
    upper = (line + rule.encode(y="prior:Q")).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.Title("What a noisy count tells", subtitle=f"{noise}; dotted: the prior, {plain(prior)}"),
    )
    lower = (
        alt.Chart(data)
        .mark_bar(color=PALE, size=8)
        .encode(x=x, y=alt.Y("probability:Q", title="how often, if there"))
        .properties(width=WIDTH, height=90)
    )
    return styled(alt.vconcat(upper, lower))


def budget_chart(curve: BudgetCurve) -> Chart:
    """Expected risk ratio against rho, both on log scales, one line per prior."""
    rows = [
        {"prior": plain(float(p)), "rho": float(rho), "risk": float(curve.risk_ratio[i, j])}
        for i, p in enumerate(curve.prior)
        for j, rho in enumerate(curve.rho)
    ]
    return _lines(
        rows,
        "rho",
        "rho, log scale",
        "expected posterior / prior, log scale",
        "Risk of one noisy count against rho",
        log=True,
        log_y=True,
    )


def levels_chart(curve: dict[str, Any]) -> Chart:
    """Expected risk ratio against the number of levels at which the target is known to be unique."""
    rows = [
        {"prior": plain(float(p)), "levels": int(level), "risk": float(curve["risk_ratio"][i, j])}
        for i, p in enumerate(curve["prior"])
        for j, level in enumerate(curve["levels"])
    ]
    return _lines(
        rows,
        "levels",
        "levels at which the person is unique",
        "expected posterior / prior",
        "Risk of being unique at levels",
    )


def _lines(
    rows: Sequence[dict[str, Any]],
    x: str,
    x_title: str,
    y_title: str,
    title: str,
    log: bool = False,
    log_y: bool = False,
) -> Chart:
    import altair as alt

    priors = list(dict.fromkeys(row["prior"] for row in rows))
    x_axis = alt.X(f"{x}:Q", title=x_title)
    x_axis = (
        x_axis.scale(type="log", nice=False).axis(format="~g", grid=False, values=_ticks(rows, x))
        if log
        else x_axis.axis(tickMinStep=1, grid=False)
    )
    y_axis = alt.Y("risk:Q", title=y_title)
    y_axis = (
        y_axis.scale(type="log", nice=False).axis(format="~g", values=_ticks(rows, "risk"))
        if log_y
        else y_axis.scale(zero=False).axis(format="~g")
    )
    place: dict[str, Any] = {"x": x_axis, "y": y_axis}
    base = alt.Chart(alt.InlineData(values=list(rows)))
    layers = [base.mark_line(strokeWidth=2.5).encode(**place, **series("prior", priors, "prior"))]
    if not log:
        marks = base.mark_point(size=40, filled=True, opacity=1)
        layers.append(marks.encode(**place, color=coloured("prior", priors)))
    subtitle = DISCRETE_GAUSSIAN if len(priors) > 1 else f"{DISCRETE_GAUSSIAN}, prior {priors[0]}"
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=alt.Title(title, subtitle=subtitle)))


def _ticks(rows: Sequence[dict[str, Any]], column: str) -> list[float]:
    values = [row[column] for row in rows]
    return log_ticks(min(values), max(values))


def two_level_chart(curve: dict[str, Any]) -> Chart:
    """The probability of a right decision against the parent's true count, with and without the hierarchy."""
    import altair as alt

    rows = []
    for i, parent in enumerate(curve["parent"]):
        for j, rho in enumerate(curve["parent_rho"]):
            with_parent = f"with the parent, rho = {plain(float(rho))}"
            rows.append({"parent": int(parent), "right": float(curve["correct_decision"][i, j]), "who": with_parent})
        alone = float(curve["correct_decision_alone"][i, 0])
        rows.append({"parent": int(parent), "right": alone, "who": "group alone"})
    order = list(dict.fromkeys(str(row["who"]) for row in rows))
    place: dict[str, Any] = {
        "x": alt.X("parent:Q", title="true count of the parent").axis(tickMinStep=1, grid=False),
        "y": alt.Y("right:Q", title="right decision about a person who is there").scale(zero=False).axis(format="~%"),
    }
    base = alt.Chart(alt.InlineData(values=rows))
    lines = base.mark_line(strokeWidth=2.5).encode(**place, **series("who", order, None))
    marks = base.mark_point(size=40, filled=True, opacity=1).encode(**place, color=coloured("who", order))
    title = alt.Title("What the level above changes", subtitle=DISCRETE_GAUSSIAN)
    return styled((lines + marks).properties(width=WIDTH, height=HEIGHT, title=title))


def decision_chart(decisions: DecisionMap) -> Chart:
    """Where the parent's and siblings' noisy counts change the adversary's mind, one panel per noisy child count."""
    import altair as alt

    kinds = {
        (True, True): "there, either way",
        (False, False): "not there, either way",
        (True, False): "there, only with the hierarchy",
        (False, True): "not there, only with the hierarchy",
    }
    rows = [
        {
            "child": f"noisy child {int(x1)}",
            "parent": int(x2),
            "siblings": int(y),
            "decision": kinds[bool(decisions.present[i, j, k]), bool(decisions.present_alone[i])],
        }
        for i, x1 in enumerate(decisions.child)
        for j, x2 in enumerate(decisions.parent)
        for k, y in enumerate(decisions.siblings)
    ]
    shown = list(kinds.values())
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_rect()
        .encode(
            x=alt.X("siblings:O", title="noisy sum of the siblings").axis(
                values=[int(y) for y in decisions.siblings if y % 10 == 0], labelAngle=0
            ),
            y=alt.Y("parent:O", title="noisy parent", sort="descending"),
            color=alt.Color("decision:N", title="the person is").scale(
                domain=shown, range=["#0072B2", "#E8E8E8", "#56B4E9", "#D55E00"]
            ),
        )
        .properties(width=300, height=150)
        .facet(
            facet=alt.Facet("child:N", title=None, sort=[f"noisy child {int(x)}" for x in decisions.child]), columns=2
        )
        .properties(title=alt.Title("The adversary's decision", subtitle=f"{DISCRETE_GAUSSIAN}; {decisions.law}"))
    )
    return styled(chart)


def postprocessing_chart(check: PostprocessingCheck) -> Chart:
    """Expected posterior after post-processing against the shown parent count, beside that from raw counts."""
    import altair as alt

    rows = []
    for row, rho in zip(check.rows, check.rhos, strict=True):
        panel = f"rho = {plain(rho)}"
        rows.append({"shown": row.shown_parent, "posterior": row.posterior, "what": f"{row.step} step", "panel": panel})
        rows.append(
            {"shown": row.shown_parent, "posterior": row.raw_posterior_child, "what": "raw count", "panel": panel}
        )
    order = list(dict.fromkeys(str(row["what"]) for row in rows))
    place: dict[str, Any] = {
        "x": alt.X("shown:Q", title="shown count of the parent").axis(tickMinStep=1, grid=False),
        "y": alt.Y("posterior:Q", title="expected posterior").scale(zero=False),
    }
    base = alt.Chart().encode(**place)
    lines = base.mark_line(strokeWidth=2.5).encode(**series("what", order, None))
    marks = base.mark_point(size=40, filled=True, opacity=1).encode(color=coloured("what", order))
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    chart = (
        alt.layer(lines, marks, data=alt.InlineData(values=rows))
        .properties(width=300, height=220)
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=2)
        .properties(title=alt.Title("What post-processing does to risk", subtitle=DISCRETE_GAUSSIAN))
    )
    return styled(chart)


def release_chart(risk: ReleaseRisk) -> Chart:
    """How many people have which expected risk ratio."""
    import altair as alt

    ratios, where = np.unique(np.round(risk.risk_ratio, 6), return_inverse=True)
    people = np.bincount(where, weights=risk.people)
    rows = [{"ratio": float(r), "people": int(n)} for r, n in zip(ratios, people, strict=True)]
    place: dict[str, Any] = {
        "x": alt.X("ratio:Q", title="expected posterior / prior")
        .scale(zero=False, padding=20)
        .axis(format="~g", grid=False),
        "y": alt.Y("people:Q", title="people").axis(format=",~r", tickMinStep=1),
    }
    data = alt.Chart(alt.InlineData(values=rows))
    bars = data.mark_bar(color=PALETTE[0], width=6).encode(**place)
    layers = [bars]
    if len(rows) <= _MOST_LABELLED:
        label = data.mark_text(dy=-4, baseline="bottom", color="#666666", fontSize=11)
        layers.append(label.encode(**place, text=alt.Text("people:Q", format=",")))
    everybody = counted(risk.n_people, "person")
    said = f"{everybody}; {DISCRETE_GAUSSIAN}, {risk.attack} attack, prior {plain(risk.prior)}. Internal."
    title = alt.Title("Risk over the whole release", subtitle=subtitle_lines(said, 80))
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title))
