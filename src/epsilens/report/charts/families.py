"""What a guarantee leaves to an attacker about several people, against the budget of one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epsilens.report.charts.common import GREY, Chart, inline, log_ticks, series, styled, subtitle_lines
from epsilens.report.charts.posterior_panels import people
from epsilens.report.words.common import budget_text
from epsilens.report.words.posterior_numbers import prior_text

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior.families import Answer

_WIDTH, _HEIGHT = 260, 240


def family_chart(answer: Answer) -> Chart:
    """The largest posterior against the budget, one line per number of people, one panel per prior."""
    import altair as alt

    asked = answer.question
    name = "rho" if asked.rho is not None else "epsilon"
    rows: list[dict[str, Any]] = [
        {
            "budget": row["budget"],
            "who": people(int(row["members"])),
            "panel": f"prior {prior_text(row['prior'])}",
            "posterior": row["posterior"],
            "taken": float(vars(asked.budget)[name]),
        }
        for row in answer.curve()
    ]
    order = [people(members) for members in asked.members]
    ticks = log_ticks(float(rows[0]["budget"]), float(rows[-1]["budget"]))
    x = alt.X("budget:Q", title=f"{name} of one person, log scale").scale(type="log", nice=False)
    y = alt.Y("posterior:Q", title="largest posterior").scale(domain=[0, 1]).axis(format="~%")
    lines = (
        alt.Chart()
        .mark_line(strokeWidth=2.5)
        .encode(x=x.axis(format="~g", grid=False, values=ticks), y=y, **series("who", order, "who share it"))
    )
    rule = alt.Chart().mark_rule(color=GREY, strokeDash=[6, 4]).encode(x="taken:Q")
    said = f"{asked.named_mechanism} noise; dashed line: {budget_text(asked.budget)}"
    if asked.told_at:
        said += f"; epsilons at delta = {asked.told_at:g}"
    description = (
        "Lines of the largest posterior that the guarantee leaves to an attacker, against the budget of one person: "
        f"one for each of {', '.join(order)}, who share what is to be learnt."
    )
    chart = (
        alt.layer(lines, rule, data=inline(rows))
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(facet=alt.Facet("panel:N", title=None, sort=[f"prior {prior_text(p)}" for p in asked.prior]), columns=3)
        .properties(
            title=alt.Title("What a guarantee to one person leaves to families", subtitle=subtitle_lines(said, 110)),
            description=description,
        )
    )
    return styled(chart)
