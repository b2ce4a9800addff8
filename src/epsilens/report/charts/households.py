"""The homogeneity attack on households, by how many live together."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from epsilens.choice.households import assess_households
from epsilens.homogeneity.households import LARGEST_SIZE
from epsilens.report.charts.common import PALETTE, Chart, inline, styled, subtitle_lines
from epsilens.report.words.common import budget_text
from epsilens.table.households import Households

if TYPE_CHECKING:
    from epsilens.choice.questions.assessment import Assessment
    from epsilens.table.frequency import FrequencyTable

_WIDTH, _HEIGHT = 220, 220
_PERSON, _HOUSEHOLD = "a person, by their own cell", "a household, by any member's cell"


def households_chart(table: FrequencyTable, assessment: Assessment) -> Chart:
    """Shares of people and of households that are shown, by size of the household, a panel for each noise.

    Where nothing says who lives with whom, everybody is a household of one.
    """
    import altair as alt

    assessed = assessment.households
    if assessed is None:
        noises = [(line.mechanism, line.budget, line.noise) for line in assessment.lines]
        assessed = assess_households("", Households.alone(table.vectors, table.labels, table.label_weights), noises)
    panels = [("today", assessed.today)] + [
        (f"{line.mechanism}, {budget_text(line.budget)}", line.risk) for line in assessed.lines
    ]
    rows: list[dict[str, Any]] = []
    for name, risk in panels:
        for row in risk.by_size:
            size = f"{row.size}+" if row.size == LARGEST_SIZE else str(row.size)
            rows.append({"panel": name, "size": size, "who": _PERSON, "share": row.persons})
            rows.append({"panel": name, "size": size, "who": _HOUSEHOLD, "share": row.shares.disclosed})
    order = list(dict.fromkeys(row["size"] for row in rows))
    who = [_PERSON, _HOUSEHOLD]
    bars = (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            x=alt.X("size:N", sort=order, title="people who live together").axis(labelAngle=0),
            xOffset=alt.XOffset("who:N", sort=who),
            y=alt.Y("share:Q", title=["share whose value is shown", "alone, and rightly"]).axis(format="~%"),
            color=alt.Color("who:N", sort=who, title="who is shown", legend=alt.Legend(orient="bottom")).scale(
                domain=who, range=PALETTE[:2]
            ),
        )
        .properties(width=_WIDTH, height=_HEIGHT)
        .facet(
            facet=alt.Facet("panel:N", title=None, sort=[name for name, _ in panels]),
            columns=2 if len(panels) in (2, 4) else 3,
        )
    )
    found = assessed.found
    said = f"{found.n_households:,} households of {found.n_people:,} people"
    said += f", {found.mixed:,} of them mixed and left out. Internal." if found.mixed else ". Internal."
    title = alt.Title("The homogeneity attack on households", subtitle=subtitle_lines(said))
    description = "Bars: the share of people shown by their own cell, and of households shown by any member's cell."
    return styled(bars.properties(title=title, description=description))
