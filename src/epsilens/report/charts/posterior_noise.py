"""Charts of the noise itself: its variance against its scale, and sums beside the law that stands for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from epsilens.report.charts.common import GREY, PALE, PALETTE, Chart, inline, log_ticks, styled
from epsilens.report.words.posterior import plain
from epsilens.report.words.posterior_noise import distance

if TYPE_CHECKING:
    from epsilens.choice.questions.posterior.noise import Answer, OneDraw

_EXACT, _STAND_IN = "exact law of the sum", "one discrete Gaussian"
_BETWEEN = "variance = s"


def noise_chart(answer: Answer, curve: Sequence[OneDraw], charts: Sequence[str] = ("variance", "sum")) -> Chart:
    """The variance against s, and the laws of sums, one below the other."""
    import altair as alt

    drawn = [_variance(answer, curve) if name == "variance" else _sums(answer) for name in charts]
    if len(drawn) == 1:
        return styled(drawn[0])
    return styled(alt.vconcat(*drawn, spacing=30).resolve_scale(color="independent", strokeDash="independent"))


def _variance(answer: Answer, curve: Sequence[OneDraw]) -> Chart:
    """The variance of one draw against s = 1 / (2 rho), both on log scales, beside the line variance = s."""
    import altair as alt

    least = curve[0].scale
    shown = [draw for draw in curve if draw.variance > least * least]
    rows = [{"s": d.scale, "variance": d.variance, "what": "variance of one draw"} for d in shown]
    rows += [{"s": d.scale, "variance": d.scale, "what": _BETWEEN} for d in shown]
    ends = [shown[0].scale, shown[-1].scale]
    heights = [value for draw in shown for value in (draw.variance, draw.scale)]
    x = alt.X("s:Q", title="s = 1 / (2 rho) = sigma^2, log scale")
    x = x.scale(type="log", nice=False, domain=ends).axis(format="~g", grid=False, values=log_ticks(*ends))
    y = alt.Y("variance:Q", title="variance, log scale").scale(type="log", nice=False)
    y = y.axis(format="~g", values=log_ticks(min(heights), max(heights)))
    order = ["variance of one draw", _BETWEEN]
    colour = alt.Color("what:N", title=None, sort=order).scale(domain=order, range=[PALETTE[0], GREY])
    dash = alt.StrokeDash("what:N", title=None, sort=order).scale(domain=order, range=[[1, 0], [6, 4]])
    lines = alt.Chart(inline(rows)).mark_line(strokeWidth=2.5).encode(x=x, y=y, color=colour, strokeDash=dash)
    asked = [
        {"s": d.scale, "variance": d.variance, "rho": f"rho = {plain(d.rho)}"}
        for d in answer.draws
        if ends[0] <= d.scale <= ends[1] and d.variance > 0
    ]
    layers = [lines]
    if asked:
        dots = alt.Chart(inline(asked)).encode(x="s:Q", y="variance:Q")
        layers.append(dots.mark_point(size=70, filled=True, opacity=1, color=PALETTE[1]))
        layers.append(dots.mark_text(dx=8, dy=10, align="left", fontSize=12).encode(text="rho:N"))
    title = alt.Title(
        "Variance of discrete-gaussian noise", subtitle="narrow noise on whole numbers varies less than s"
    )
    return alt.layer(*layers).properties(width=480, height=280, title=title)


def _sums(answer: Answer) -> Chart:
    """The exact law of each sum as bars, the discrete Gaussian that stands for it as points; a panel for each."""
    import altair as alt

    panels: list[list[Any]] = []
    for total in answer.sums:
        shown = total.drawn()
        rows = [
            {"value": float(v), "probability": float(p), "stand_in": float(q), "exact": _EXACT, "rough": _STAND_IN}
            for v, p, q in zip(shown.values, shown.exact, shown.approximate, strict=True)
        ]
        data = alt.Chart(inline(rows))
        colour = alt.Scale(domain=[_EXACT, _STAND_IN], range=[PALE, PALETTE[1]])
        x = alt.X("value:Q", title="sum of the noise").axis(tickMinStep=1, grid=False)
        bars = data.mark_bar(size=max(1.0, min(10.0, 220.0 / len(rows)))).encode(
            x=x,
            y=alt.Y("probability:Q", title="probability"),
            color=alt.Color("exact:N", title=None, scale=colour, legend=alt.Legend(symbolType="square")),
        )
        points = data.mark_point(size=22, filled=True, opacity=1).encode(
            x=x, y="stand_in:Q", color=alt.Color("rough:N", title=None, scale=colour)
        )
        draws = "draw" if total.terms == 1 else "draws"
        title = alt.Title(
            f"rho = {plain(total.rho)}, {total.terms} {draws}",
            subtitle=f"total variation {distance(total.distance)}",
            fontSize=12,
        )
        if not panels or len(panels[-1]) == len(answer.question.terms):
            panels.append([])
        panels[-1].append((bars + points).properties(width=300, height=170, title=title))
    rows_of_panels = [alt.hconcat(*row, spacing=30) for row in panels]
    said = "bars: exact; points: the discrete Gaussian of scale draws / (2 rho)"
    return alt.vconcat(*rows_of_panels).properties(title=alt.Title("Sums of discrete-gaussian noise", subtitle=said))
