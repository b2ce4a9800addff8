"""Charts of the Bayesian adversary."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from epsilens.choice.spread import spread
from epsilens.report.charts.common import (
    GREY,
    NUMBER,
    PALE,
    PALETTE,
    Chart,
    coloured,
    inline,
    log_ticks,
    series,
    styled,
    subtitle_lines,
)
from epsilens.report.charts.posterior_panels import DISCRETE_GAUSSIAN, HEIGHT, WIDTH
from epsilens.report.charts.posterior_panels import budget_chart as budget_chart
from epsilens.report.charts.posterior_panels import levels_chart as levels_chart
from epsilens.report.charts.posterior_panels import two_level_chart as two_level_chart
from epsilens.report.words.common import counted
from epsilens.report.words.posterior import plain, prior_text
from epsilens.report.words.spread import spread_sentence

if TYPE_CHECKING:
    from epsilens.posterior import DecisionMap, NoisyCountTable, PostprocessingCheck, ReleaseRisk

_MOST_LABELLED = 6
"""Bars with their numbers on top; more would stand too close."""


def noisy_count_chart(
    table: NoisyCountTable, prior: float, noise: str = DISCRETE_GAUSSIAN, present: bool = True, family: int = 1
) -> Chart:
    """The posterior against the noisy count, above how often each noisy count occurs. ``noise`` is for the title."""
    import altair as alt

    rows = [
        {"noisy": float(x), "posterior": float(p), "probability": float(q)}
        for x, p, q in zip(table.noisy, table.posterior, table.probability, strict=True)
    ]
    data = inline(rows)
    whom, shared = ("person is", "") if family == 1 else ("family are", f"; a family of {family:,}")
    said = f"{noise}; dotted: the prior, {prior_text(prior)}{shared}"
    ends = [float(np.min(table.noisy)) - 0.5, float(np.max(table.noisy)) + 0.5]  # of both panels, one above the other
    # without padding=0 the panel with bars would get some of its own
    scale = alt.Scale(domain=ends, nice=False, padding=0)
    x = alt.X("noisy:Q", title="noisy count").axis(tickMinStep=1, grid=False).scale(scale)
    line = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(color=PALETTE[0]), color=PALETTE[0])
        .encode(x=x, y=alt.Y("posterior:Q", title=f"posterior that the {whom} there").scale(domain=[0, 1]))
    )
    rule = alt.Chart(inline([{"prior": prior}])).mark_rule(color=GREY, strokeDash=[2, 3])
    upper = (line + rule.encode(y="prior:Q")).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.Title("What a noisy count tells", subtitle=said),
    )
    lower = (
        alt.Chart(data)
        .mark_bar(color=PALE, size=8)
        .encode(x=x, y=alt.Y("probability:Q", title="how often, if there" if present else "how often, if not"))
        .properties(width=WIDTH, height=90)
    )
    return styled(alt.vconcat(upper, lower))


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
        alt.Chart(inline(rows))
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


def postprocessing_chart(check: PostprocessingCheck, axis: str = "shown") -> Chart:
    """Expected posterior after post-processing, beside that from raw counts.

    Against the shown parent count, a panel for each rho; or (``axis="rho"``) against rho, a panel for each step.
    """
    import altair as alt

    along_rho = axis == "rho"
    rows = []
    for row, rho in zip(check.rows, check.rhos, strict=True):
        shared = {
            "shown": row.shown_parent,
            "rho": rho,
            "panel": f"{row.step} step" if along_rho else f"rho = {plain(rho)}",
        }
        what = f"shown parent {row.shown_parent}" if along_rho else f"{row.step} step"
        rows.append({**shared, "posterior": row.posterior, "what": what})
        rows.append({**shared, "posterior": row.raw_posterior_child, "what": "raw count"})
    order = list(dict.fromkeys(str(row["what"]) for row in rows))
    order = [*(name for name in order if name != "raw count"), "raw count"] if along_rho else order
    x = alt.X("shown:Q", title="shown count of the parent").axis(tickMinStep=1, grid=False)
    if along_rho:
        ticks = log_ticks(min(check.rhos), max(check.rhos))
        x = alt.X("rho:Q", title="rho of the group, log scale").scale(type="log", nice=False)
        x = x.axis(format="~g", grid=False, values=ticks)
    place: dict[str, Any] = {"x": x, "y": alt.Y("posterior:Q", title="expected posterior").scale(zero=False)}
    base = alt.Chart().encode(**place)
    lines = base.mark_line(strokeWidth=2.5).encode(**series("what", order, None))
    marks = base.mark_point(size=40, filled=True, opacity=1).encode(color=coloured("what", order))
    panels = list(dict.fromkeys(str(row["panel"]) for row in rows))
    prior = prior_text(check.rows[0].prior)
    chart = (
        alt.layer(lines, marks, data=inline(rows))
        .properties(width=300, height=220)
        .facet(facet=alt.Facet("panel:N", title=None, sort=panels), columns=2)
        .properties(
            title=alt.Title("What post-processing does to risk", subtitle=f"{DISCRETE_GAUSSIAN}, prior {prior}")
        )
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
        .axis(format=NUMBER, grid=False),
        "y": alt.Y("people:Q", title="people").axis(format=",~r", tickMinStep=1),
    }
    data = alt.Chart(inline(rows))
    bars = data.mark_bar(color=PALETTE[0], width=6).encode(**place)
    layers = [bars]
    if len(rows) <= _MOST_LABELLED:
        label = data.mark_text(dy=-4, baseline="bottom", color="#666666", fontSize=11)
        layers.append(label.encode(**place, text=alt.Text("people:Q", format=",")))
    everybody = counted(risk.n_people, "person")
    said = f"{everybody}; {DISCRETE_GAUSSIAN}, {risk.attack} attack, prior {prior_text(risk.prior)}. Internal."
    said += f" Posterior: {spread_sentence(spread(risk.posterior, risk.people))}"
    title = alt.Title("Risk over the whole release", subtitle=subtitle_lines(said, 80))
    return styled(alt.layer(*layers).properties(width=WIDTH, height=HEIGHT, title=title))
