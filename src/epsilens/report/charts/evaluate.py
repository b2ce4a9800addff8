"""The charts of ``evaluate``: the noise that was found against the one that is claimed; who bears the risk."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epsilens.checks import one_of
from epsilens.choice.claims import NoiseVerdict
from epsilens.choice.questions.evaluation import Evaluation, Group
from epsilens.errors import ParameterError
from epsilens.report.charts.common import GREY, NUMBER, PALETTE, Chart, inline, styled, subtitle_lines
from epsilens.report.words.common import counted, percent
from epsilens.report.words.evaluate import sentences
from epsilens.table.domain import natural_order, sorted_codes

WIDTH, HEIGHT = 620, 300
MOST_LEVELS = 15
"""Levels of a column that a chart has room for; of more, those with most people shown rightly."""
RIGHTLY, WRONGLY, TODAY = "published: rightly", "published: wrongly", "true table"
FOUND, CLAIMED = "found", "expected under the claim"


def noise_chart(evaluation: Evaluation) -> Chart:
    """Bars: the differences published - true; points: how many of them the claimed law expects in each bar."""
    import altair as alt

    verdict = evaluation.noise
    if verdict is None or verdict.test is None or not verdict.bars:
        raise ParameterError(
            "has nothing to draw: no noise was tested"
            if verdict is None or verdict.test is None
            else "has nothing to draw: some counts are not of the claimed law at all",
            parameter="chart",
            got="noise",
        )
    width = verdict.bars[0].high - verdict.bars[0].low
    whole = verdict.law is not None and verdict.law.whole and width == 1.0
    rows = [
        {
            "low": bar.low,
            "high": bar.high,
            "middle": 0.5 * (bar.low + bar.high),
            "found": bar.found,
            "expected": round(bar.expected, 6),
            "bar": FOUND,
            "point": CLAIMED,
        }
        for bar in verdict.bars
    ]
    data = alt.Chart(inline(rows))
    colour = alt.Scale(domain=[FOUND, CLAIMED], range=[PALETTE[4], PALETTE[1]])
    legend = alt.Legend(title=None, orient="top", symbolType="square")
    x_title = "published count less true count" + ("" if whole else f", in steps of {width:.3g}")
    x = alt.X("low:Q", title=x_title, axis=alt.Axis(format=NUMBER)).scale(nice=False, zero=False)
    bars = data.mark_bar(opacity=0.8, stroke="white", strokeWidth=0.5).encode(
        x=x,
        x2="high:Q",
        y=alt.Y("found:Q", title="number of counts").scale(domainMin=0),
        y2=alt.datum(0),
        color=alt.Color("bar:N", scale=colour, legend=legend),
    )
    line = data.mark_line(strokeWidth=2, point=alt.OverlayMarkDef(size=36, filled=True)).encode(
        x=alt.X("middle:Q"), y=alt.Y("expected:Q"), color=alt.Color("point:N", scale=colour, legend=legend)
    )
    said = f"{sentences(evaluation)[2]} {counted(verdict.test.counts, 'count')}{_done(verdict)}. Internal."
    return styled(
        alt.layer(bars, line).properties(
            width=WIDTH,
            height=HEIGHT,
            title=alt.Title("Is the noise what is claimed?", subtitle=subtitle_lines(said)),
            description=f"Histogram of published less true counts, and what the claimed noise expects. {said}",
        )
    )


def _done(verdict: NoiseVerdict) -> str:
    law = verdict.law
    if law is None:
        return ""
    parts = ["rounded"] if law.rounded else []
    parts += ["clipped at 0"] if law.clipped else []
    parts += [] if law.shown_from is None else [f"shown from {law.shown_from:g} on"]
    return f", {' and '.join(parts)}" if parts else ""


def groups_chart(evaluation: Evaluation) -> Chart:
    """Dots for every level of every quasi-identifier: people shown rightly and wrongly, and by the true table."""
    import altair as alt

    before = _today(evaluation)
    shares = [share for group in evaluation.groups for share in (group.shown_right, group.shown_wrong)]
    end = min(1.0, 1.05 * max([*shares, *before.values(), 0.01]))
    panels = []
    for name in evaluation.side.quasi_identifiers:
        own = [group for group in evaluation.groups if group.column == name]
        kept = sorted(own, key=lambda group: -group.shown_right * group.people)[:MOST_LEVELS]
        order = natural_order(group.level for group in kept)
        rows = [row for group in kept for row in _dots(group, before[group.column, group.level])]
        title = (
            name if len(own) == len(kept) else f"{name}: {len(kept)} of {len(own)} levels, most people shown rightly"
        )
        panels.append(_panel(rows, order, title, end, last=name == evaluation.side.quasi_identifiers[-1]))
    said = f"{' '.join(sentences(evaluation)[:2])} Internal."
    return styled(
        alt.vconcat(*panels, spacing=14).properties(
            title=alt.Title("Who is shown, and who bears it", subtitle=subtitle_lines(said)),
            description=f"Shares of people shown rightly and wrongly, by level of every quasi-identifier. {said}",
        )
    )


def _panel(rows: list[dict[str, Any]], order: list[str], title: str, end: float, last: bool) -> Chart:
    import altair as alt

    names = [RIGHTLY, WRONGLY, TODAY]
    legend = alt.Legend(title=None, orient="top")
    colour = alt.Color("who:N", sort=names, legend=legend).scale(domain=names, range=[PALETTE[1], PALETTE[0], GREY])
    shape = alt.Shape("who:N", sort=names, legend=legend).scale(
        domain=names, range=["circle", "triangle-up", "diamond"]
    )
    size = alt.Size("who:N", sort=names, legend=None).scale(domain=names, range=[45, 90, 170])
    x = alt.X("share:Q", title="share of the people of the level" if last else None)
    return (
        alt.Chart(inline(rows))
        .mark_point(filled=True, opacity=0.9)
        .encode(
            x=x.scale(domain=[0, end], nice=False).axis(format=".0%", tickCount=6),
            y=alt.Y("level:N", title=None, sort=order, axis=alt.Axis(labelLimit=220, grid=True)),
            color=colour,
            shape=shape,
            size=size,
        )
        .properties(
            width=WIDTH - 160,
            height=max(40, 18 * len(order)),
            title=alt.Title(title, fontSize=12, fontWeight="normal", offset=4),
        )
    )


def _dots(group: Group, today: float) -> list[dict[str, Any]]:
    shares = {TODAY: today, WRONGLY: group.shown_wrong, RIGHTLY: group.shown_right}  # the smallest dot comes last
    people = counted(group.people, "person")
    return [
        {"level": group.level, "who": who, "share": share, "people": people, "told": percent(share)}
        for who, share in shares.items()
    ]


def _today(evaluation: Evaluation) -> dict[tuple[str, str], float]:
    """Shares of people whom the true table would show, by level."""
    import numpy as np

    today = evaluation.today
    right = np.where(today.harms, today.right, 0)
    found: dict[tuple[str, str], float] = {}
    for name, values in evaluation.side.cells.items():
        levels, codes = sorted_codes(values)
        people = np.bincount(codes, weights=today.sizes, minlength=len(levels))
        shown = np.bincount(codes, weights=right, minlength=len(levels))
        found |= {(name, level): float(s / max(p, 1.0)) for level, s, p in zip(levels, shown, people, strict=True)}
    return found


CHARTS: dict[str, Callable[[Evaluation], Chart]] = {"noise": noise_chart, "groups": groups_chart}


def check_kind(kind: str) -> str:
    """The name of a chart, refused unless there is one of that name."""
    return one_of("chart", kind, CHARTS)


def draw(kind: str, evaluation: Evaluation) -> Chart:
    """The chart of that name."""
    return CHARTS[check_kind(kind)](evaluation)
