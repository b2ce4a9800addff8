"""Panels side by side: an adversary's posterior, its ratio to the prior and right decisions, one line per adversary.

Commands say by ``--chart`` which panels they want, and in which order; colours and dashes mean the same in all of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from epsilens.report.charts.common import (
    GREY,
    NUMBER,
    PALE,
    Chart,
    coloured,
    inline,
    log_ticks,
    series,
    styled,
    subtitle_lines,
)
from epsilens.report.words.posterior import plain, prior_text

if TYPE_CHECKING:
    from epsilens.posterior import BudgetCurve, NoisyCountTable

DISCRETE_GAUSSIAN = "discrete-gaussian noise"
"""The noise of every release that is told by its rho."""

WIDTH, HEIGHT = 480, 280
_NARROW, _LOW = 330, 260
_MOST_MARKED = 40  # points of a line; more would hide it
_SUBTITLE_OF_ONE, _SUBTITLE_OF_SEVERAL = 80, 130


@dataclass(frozen=True)
class Axis:
    """One of the axes: the field that it shows and what it is called."""

    field: str
    title: str
    log: bool = False
    share: bool = False
    """Whether it shows probabilities as per cent."""
    ends: tuple[float, float] | None = None
    """Where it begins and ends, for panels that share it."""


_TITLES = {
    "posterior": "expected posterior",
    "ratio": "expected posterior / prior",
    "decision": "right decision",
}


def value_axis(panel: str, log: bool, about: str = "") -> Axis:
    """The upright axis of a panel."""
    if panel == "decision":
        return Axis("risk", f"{_TITLES[panel]}{about}", share=True)
    return Axis("risk", f"{_TITLES[panel]}{', log scale' if log else ''}", log)


def panel(
    rows: Sequence[dict[str, Any]], x: Axis, y: Axis, by: str, by_title: str | None, size: tuple[int, int]
) -> Chart:
    """Lines of ``y`` against ``x``, one for each value of the field ``by``; few points are marked."""
    import altair as alt

    order = list(dict.fromkeys(str(row[by]) for row in rows))
    place: dict[str, Any] = {"x": _encoded(alt.X, rows, x, False), "y": _encoded(alt.Y, rows, y, True)}
    base = alt.Chart(inline(list(rows)))
    layers = [base.mark_line(strokeWidth=2.5).encode(**place, **series(by, order, by_title))]
    if len(rows) <= _MOST_MARKED * max(len(order), 1):
        layers.append(base.mark_point(size=40, filled=True, opacity=1).encode(**place, color=coloured(by, order)))
    return alt.layer(*layers).properties(width=size[0], height=size[1])


def _encoded(channel: Any, rows: Sequence[dict[str, Any]], axis: Axis, grid: bool) -> Any:
    encoded = channel(f"{axis.field}:Q", title=axis.title)
    if axis.log:
        values = [row[axis.field] for row in rows if row[axis.field] > 0]
        ticks = log_ticks(min(values), max(values))
        return encoded.scale(type="log", nice=False).axis(format="~g", grid=grid, values=ticks)
    if axis.share:
        return encoded.scale(zero=False).axis(format="~%", grid=grid)
    if grid:
        return encoded.scale(zero=False).axis(format=NUMBER)
    if axis.ends is not None:  # without padding=0 a panel of bars below would get some of its own
        encoded = encoded.scale(domain=axis.ends, nice=False, padding=0)
    return encoded.axis(tickMinStep=1, grid=False)


def side_by_side(charts: Sequence[Chart], title: str, subtitle: str) -> Chart:
    """The panels under one title, with one legend."""
    import altair as alt

    if len(charts) == 1:
        said = alt.Title(title, subtitle=subtitle_lines(subtitle, _SUBTITLE_OF_ONE))
        return styled(charts[0].properties(title=said))
    said = alt.Title(title, subtitle=subtitle_lines(subtitle, _SUBTITLE_OF_SEVERAL))
    together = alt.hconcat(*charts, spacing=36).resolve_scale(color="shared", strokeDash="shared")
    return styled(together.properties(title=said))


def _panel_size(panels: Sequence[str]) -> tuple[int, int]:
    return (WIDTH, HEIGHT) if len(panels) == 1 else (_NARROW, _LOW)


def _marked(chart: Chart, field: str, at: float | None) -> Chart:
    """The panel with a dashed upright line at a value that is spoken of."""
    import altair as alt

    if at is None:
        return chart
    rule = alt.Chart(inline([{field: at}])).mark_rule(color=GREY, strokeDash=[6, 4])
    return alt.layer(chart, rule.encode(x=f"{field}:Q"))


def _of(present: bool, families: Sequence[int] = (1,)) -> str:
    shared = f"; a family of {families[0]:,}" if len(families) == 1 and families[0] > 1 else ""
    whom = "person is" if tuple(families) == (1,) else "family are"
    return shared + ("" if present else f"; the {whom} in truth not there")


def _about(present: bool, families: Sequence[int] = (1,)) -> str:
    whom = "a person who is" if tuple(families) == (1,) else "people who are"
    return f" about {whom} there" if present else f" about {whom} not there"


def people(family: int) -> str:
    """What the line of a family is called."""
    return "1 person" if family == 1 else f"{family:,} people"


def _line(prior: float, family: int, several: bool) -> dict[str, str]:
    """What tells a line from the others: the size of a family where there are several, or else the prior."""
    return {"prior": prior_text(prior), "line": people(family) if several else prior_text(prior)}


def _lines_are(families: Sequence[int]) -> str:
    return "who share it" if len(families) > 1 else "prior"


def budget_chart(
    curve: BudgetCurve,
    panels: Sequence[str] = ("ratio",),
    mark: float | None = None,
    families: Sequence[int] = (1,),
    further: Sequence[BudgetCurve] = (),
) -> Chart:
    """Expected posterior, ratio and right decisions against rho, one line per prior; ``mark`` is a rho to point at.

    With several ``families`` there is one line for each of them; ``further`` are the curves of all after the first.
    """
    names = {"posterior": "posterior", "ratio": "risk_ratio", "decision": "correct_decision"}
    x = Axis("rho", "rho, log scale", log=True)
    several, curves = len(families) > 1, (curve, *further)
    charts = []
    for name in panels:
        rows = [
            {**_line(float(p), family, several), "rho": float(rho), "risk": float(getattr(one, names[name])[i, j])}
            for family, one in zip(families, curves, strict=True)
            for i, p in enumerate(one.prior)
            for j, rho in enumerate(one.rho)
        ]
        y = value_axis(name, not several, _about(curve.present, families))
        drawn = panel(rows, x, y, "line", _lines_are(families), _panel_size(panels))
        charts.append(_marked(drawn, "rho", mark))
    said = [DISCRETE_GAUSSIAN + (f", prior {prior_text(float(curve.prior[0]))}" if len(curve.prior) == 1 else "")]
    if mark is not None:
        said.append(f"dashed line: rho = {plain(mark)}")
    return side_by_side(charts, "Risk of one noisy count against rho", "; ".join(said) + _of(curve.present, families))


def levels_chart(
    curve: Mapping[str, Any],
    panels: Sequence[str] = ("ratio",),
    present: bool = True,
    families: Sequence[int] = (1,),
    further: Sequence[Mapping[str, Any]] = (),
) -> Chart:
    """Expected risk against the number of levels at which the target is known to be unique.

    One line per prior, or per size of a family, where there are several; ``further`` are the curves after the first.
    """
    names = {"posterior": "posterior", "ratio": "risk_ratio", "decision": "correct_decision"}
    x = Axis("levels", f"levels at which the {'person is' if tuple(families) == (1,) else 'family are'} unique")
    several, of_families = len(curve["prior"]) > 1, len(families) > 1
    charts = []
    for name in panels:
        rows = [
            {
                **_line(float(p), family, of_families),
                "levels": int(level),
                "risk": float(one[names[name]][i, j]),
            }
            for family, one in zip(families, (curve, *further), strict=True)
            for i, p in enumerate(one["prior"])
            for j, level in enumerate(one["levels"])
        ]
        y = value_axis(name, several and name == "posterior", _about(present, families))
        charts.append(panel(rows, x, y, "line", _lines_are(families), _panel_size(panels)))
    said = DISCRETE_GAUSSIAN if several else f"{DISCRETE_GAUSSIAN}, prior {prior_text(float(curve['prior'][0]))}"
    return side_by_side(charts, "Risk of being unique at levels", said + _of(present, families))


def two_level_chart(
    curve: Mapping[str, Any],
    panels: Sequence[str] = ("decision",),
    axis: str = "parent",
    said: str = "",
    mark: float | None = None,
) -> Chart:
    """Averages of the two-level adversary against the parent's true count, or against the parent's rho.

    One line per budget of the parent, or per true count, and one for the group alone. ``said`` is what else there is to
    say of the numbers: that they are the published chain's, for one.
    """
    names = {"posterior": "posterior", "ratio": "risk_ratio", "decision": "correct_decision"}
    about = _about(curve.get("present", True))
    along_rho = axis == "rho"
    x = (
        Axis("rho", "rho of the parent, log scale", log=True)
        if along_rho
        else Axis("parent", "true count of the parent")
    )
    charts = []
    for name in panels:
        rows: list[dict[str, Any]] = []
        for i, parent in enumerate(curve["parent"]):
            for j, rho in enumerate(curve["parent_rho"]):
                value = float(curve[names[name]][i, j])
                who = f"parent {int(parent)}" if along_rho else f"with the parent, rho = {plain(float(rho))}"
                rows.append({"parent": int(parent), "rho": float(rho), "risk": value, "right": value, "who": who})
        for place in curve["parent_rho"] if along_rho else curve["parent"]:
            value = float(curve[f"{names[name]}_alone"].flat[0])
            at = {"rho": float(place)} if along_rho else {"parent": int(place)}
            rows.append({**at, "risk": value, "right": value, "who": "group alone"})
        drawn = panel(rows, x, value_axis(name, False, about), "who", None, _panel_size(panels))
        charts.append(_marked(drawn, "rho", mark) if along_rho else drawn)
    parts = [DISCRETE_GAUSSIAN, *([said] if said else [])]
    if along_rho and mark is not None:
        parts.append(f"dashed line: rho = {plain(mark)}")
    return side_by_side(charts, "What the level above changes", "; ".join(parts))


def adversaries_chart(
    tables: Mapping[float, NoisyCountTable], noise: str, present: bool = True, families: bool = False
) -> Chart:
    """Posterior and ratio against the noisy count, one line per prior, above how often each noisy count occurs.

    With ``families`` the tables are those of so many people who share what is to be learnt, and the bars of the first.
    """
    import altair as alt

    first = next(iter(tables.values()))
    whom = "family are" if families else "person is"
    # the bars stand below the line of the same noisy count
    x = Axis("noisy", "noisy count", ends=(float(min(first.noisy)) - 0.5, float(max(first.noisy)) + 0.5))
    charts = []
    for name, title in (("posterior", f"posterior that the {whom} there"), ("risk_ratio", "posterior / prior")):
        rows = [
            {"prior": people(int(p)) if families else prior_text(p), "noisy": float(n), "risk": float(value)}
            for p, table in tables.items()
            for n, value in zip(table.noisy, getattr(table, name), strict=True)
        ]
        legend = "who share it" if families else "prior"
        charts.append(panel(rows, x, Axis("risk", title), "prior", legend, (_NARROW, _LOW)))
    occurs = [{"noisy": float(n), "probability": float(q)} for n, q in zip(first.noisy, first.probability, strict=True)]
    bars = (
        alt.Chart(inline(occurs))
        .mark_bar(color=PALE, size=max(1, min(8, 250 // len(occurs))))
        .encode(
            x=_encoded(alt.X, occurs, x, False),
            y=alt.Y("probability:Q", title=["how often,", "if there" if present else "if not there"]),
        )
        .properties(width=_NARROW, height=90)
    )
    lines = alt.hconcat(*charts, spacing=36).resolve_scale(color="shared", strokeDash="shared")
    lines_are = (
        "one line per number of people who share it; bars: the first of them" if families else "one line per prior"
    )
    heading = alt.Title("What a noisy count tells", subtitle=f"{noise}; {lines_are}")
    return styled(alt.vconcat(lines, bars).properties(title=heading))
