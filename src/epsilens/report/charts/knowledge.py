"""The chart of ``knowledge``: sets of attributes as columns of dots, and what each of them discloses as bars."""

from __future__ import annotations

from typing import Any

from epsilens.choice.knowing.answer import Knowledge, KnownSet
from epsilens.report.charts.common import PALE, PALETTE, Chart, inline, styled, subtitle_lines
from epsilens.report.words.common import counted, joined, percent
from epsilens.report.words.knowledge import said, typical, worst_sets

MOST_SETS = 24
STEP = 30
HEIGHT = 230
ROW = 22
INK = "#222222"
KINDS = ("disclosed today", "added up from the noisy table", "marginal published with noise")


def sets_chart(found: Knowledge) -> Chart:
    """An UpSet picture: above, three bars for each set; below, dots that say which attributes are in it.

    Of many sets the worst of every size are drawn.
    """
    import altair as alt

    b = typical(found)
    sets = [one for one in worst_sets(found, MOST_SETS) if one.number]
    order = [str(i) for i in range(len(sets))]
    x = alt.X("set:N", sort=order, title=None).axis(None)
    width = max(320, STEP * len(sets))
    rows = _bars(found, sets, b)
    top = 1.05 * max(row["risk"] for row in rows) or 0.01  # an axis of nothing but 0 has no upper end
    bars = (
        alt.Chart(inline(rows))
        .mark_bar()
        .encode(
            x=x,
            xOffset=alt.XOffset("kind:N", sort=list(KINDS)),
            y=alt.Y("risk:Q", title="people, share").scale(domain=[0, top], nice=True).axis(format="~%", tickCount=6),
            color=alt.Color("kind:N", sort=list(KINDS), title=None)
            .scale(domain=list(KINDS), range=PALETTE[: len(KINDS)])
            .legend(orient="top", direction="horizontal", symbolType="square"),
        )
        .properties(width=width, height=HEIGHT)
    )
    names = [column.column for column in found.columns]
    places = [
        {"set": str(i), "attribute": name, "known": name in one.attributes}
        for i, one in enumerate(sets)
        for name in names
    ]
    y = alt.Y("attribute:N", sort=None, title=None).scale(domain=names)
    y = y.axis(domain=False, ticks=False, labelLimit=260)
    base = alt.Chart(inline(places)).encode(x=x, y=y)
    dots = base.mark_circle(size=110, opacity=1).encode(
        color=alt.condition("datum.known", alt.value(INK), alt.value(PALE))
    )
    spans = [
        {"set": str(i), "attribute": known[0], "last": known[-1]}
        for i, one in enumerate(sets)
        if (known := [name for name in names if name in one.attributes])
    ]
    lines = alt.Chart(inline(spans)).mark_rule(strokeWidth=2, color=INK).encode(x=x, y=y, y2="last:N")
    matrix = (lines + dots).properties(width=width, height=ROW * len(names))
    drawn = counted(len(found.sets), "set")
    if len(sets) < len(found.sets):
        drawn = f"{len(sets)} of {drawn}, the worst of each size"
    subtitle = (
        f"{joined(found.quasi_identifiers)} by {found.sensitive}; {said(found.budgets[b])}. {drawn}. A black dot: the "
        "attribute is known. Local risk, average over people. Internal."
    )
    title = alt.Title("What attackers learn who know only some attributes", subtitle=subtitle_lines(subtitle))
    described = f"Bars for sets of known attributes. {_described(found, b)} {subtitle}"
    return styled(alt.vconcat(bars, matrix, spacing=6).properties(title=title, description=described))


def _bars(found: Knowledge, sets: list[KnownSet], b: int) -> list[dict[str, Any]]:
    rows = []
    for i, one in enumerate(sets):
        risk = one.risks[b]
        values = (one.disclosed_today / found.people, risk.added_up, risk.published)
        rows += [
            {"set": str(i), "attributes": ", ".join(one.attributes), "kind": kind, "risk": value}
            for kind, value in zip(KINDS, values, strict=True)
        ]
    return rows


def _described(found: Knowledge, b: int) -> str:
    every = found.everything
    return (
        f"All attributes disclose {percent(every.disclosed_today / found.people)} of people today, "
        f"{percent(every.risks[b].published)} after noise."
    )
