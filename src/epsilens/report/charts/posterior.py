"""Charts of the Bayesian adversary."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from epsilens.report.charts.common import PALETTE, Chart, styled
from epsilens.report.words.posterior import plain

if TYPE_CHECKING:
    from epsilens.posterior import BudgetCurve, DecisionMap, NoisyCountTable, PostprocessingCheck, ReleaseRisk

WIDTH, HEIGHT = 480, 280


def noisy_count_chart(table: NoisyCountTable, prior: float) -> Chart:
    """The posterior against the noisy count, above how often each noisy count occurs."""
    import altair as alt

    rows = [
        {"noisy": float(x), "posterior": float(p), "probability": float(q)}
        for x, p, q in zip(table.noisy, table.posterior, table.probability, strict=True)
    ]
    data = alt.InlineData(values=rows)
    x = alt.X("noisy:Q", title="noisy count").axis(tickMinStep=1, grid=False)
    line = (
        alt.Chart(data)
        .mark_line(point=alt.OverlayMarkDef(color=PALETTE[0]), color=PALETTE[0])
        .encode(x=x, y=alt.Y("posterior:Q", title="posterior that the person is there").scale(domain=[0, 1]))
    )
    rule = alt.Chart(alt.InlineData(values=[{"prior": prior}])).mark_rule(color="#888888", strokeDash=[2, 3])
    upper = (line + rule.encode(y="prior:Q")).properties(
        width=WIDTH,
        height=HEIGHT,
        title=alt.Title("What a noisy count tells", subtitle=f"dotted: the prior, {plain(prior)}"),
    )
    lower = (
        alt.Chart(data)
        .mark_bar(color="#BBBBBB", size=8)
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
        rows, "rho", "rho (log scale)", "expected posterior / prior", "Risk against rho", log=True, log_y=True
    )


def levels_chart(curve: dict[str, Any]) -> Chart:
    """Expected risk ratio against the number of levels at which the target is known to be unique."""
    rows = [
        {"prior": plain(float(p)), "levels": int(level), "risk": float(curve["risk_ratio"][i, j])}
        for i, p in enumerate(curve["prior"])
        for j, level in enumerate(curve["levels"])
    ]
    return _lines(
        rows, "levels", "levels at which the person is unique", "expected posterior / prior", "Risk against levels"
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
        x_axis.scale(type="log", nice=False).axis(format="~g", grid=False, values=[10.0**k for k in range(-6, 5)])
        if log
        else x_axis.axis(tickMinStep=1, grid=False)
    )
    y_axis = alt.Y("risk:Q", title=y_title).axis(format="~g")
    y_axis = y_axis.scale(type="log", nice=False) if log_y else y_axis.scale(zero=False)
    chart = (
        alt.Chart(alt.InlineData(values=list(rows)))
        .mark_line(point=not log, strokeWidth=2.5)
        .encode(
            x=x_axis,
            y=y_axis,
            color=alt.Color("prior:N", sort=priors, title="prior").scale(domain=priors, range=PALETTE),
        )
        .properties(width=WIDTH, height=HEIGHT, title=title)
    )
    return styled(chart)


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
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=True, strokeWidth=2.5)
        .encode(
            x=alt.X("parent:Q", title="true count of the parent").axis(tickMinStep=1, grid=False),
            y=alt.Y("right:Q", title="right decision about a person who is there").scale(zero=False).axis(format="~%"),
            color=alt.Color("who:N", title=None).scale(domain=order, range=PALETTE),
        )
        .properties(width=WIDTH, height=HEIGHT, title="What the level above changes")
    )
    return styled(chart)


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
        .properties(title=alt.Title("The adversary's decision", subtitle=decisions.law))
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
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_line(point=True, strokeWidth=2.5)
        .encode(
            x=alt.X("shown:Q", title="shown count of the parent").axis(tickMinStep=1, grid=False),
            y=alt.Y("posterior:Q", title="expected posterior").scale(zero=False),
            color=alt.Color("what:N", title=None).scale(domain=order, range=PALETTE),
        )
        .properties(width=300, height=220)
        .facet(facet=alt.Facet("panel:N", title=None), columns=2)
        .properties(title="What post-processing does to risk")
    )
    return styled(chart)


def release_chart(risk: ReleaseRisk) -> Chart:
    """How many people have which expected risk ratio."""
    import altair as alt

    ratios, where = np.unique(np.round(risk.risk_ratio, 6), return_inverse=True)
    people = np.bincount(where, weights=risk.people)
    rows = [{"ratio": float(r), "people": int(n)} for r, n in zip(ratios, people, strict=True)]
    chart = (
        alt.Chart(alt.InlineData(values=rows))
        .mark_bar(color=PALETTE[0])
        .encode(
            x=alt.X("ratio:Q", title="expected posterior / prior").bin(maxbins=40),
            y=alt.Y("sum(people):Q", title="people"),
        )
        .properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.Title(
                "Risk over the whole release", subtitle=f"{risk.attack} attack, prior {plain(risk.prior)}. Internal."
            ),
        )
    )
    return styled(chart)
