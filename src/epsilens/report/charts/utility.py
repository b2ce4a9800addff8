"""The chart of ``utility``: box plots of the distances of all marginals, by budget (P0 Figure 4)."""

from __future__ import annotations

from typing import Any

from epsilens.choice.questions.utility import Answer
from epsilens.report.charts.common import Chart, colours, inline, log_ticks, styled, subtitle_lines
from epsilens.report.words.common import counted

WIDTH, HEIGHT = 220, 210
_LEAST = 1e-6  # a logarithmic axis has no 0


def marginal_distances_chart(answer: Answer) -> Chart:
    """A box for every budget, over the marginals of one, two or more columns: smallest, quartiles, largest.

    Panels stand side by side for the numbers of columns, and below one another for tables and mechanisms; deltas are
    colours.
    """
    import altair as alt

    boxes = _boxes(answer)
    deltas = list(dict.fromkeys(box["delta"] for box in boxes))
    panels = list(dict.fromkeys(box["panel"] for box in boxes))
    ends = min(box["lowest"] for box in boxes), max(box["highest"] for box in boxes)
    width = max(WIDTH, 22 * len({box["epsilon"] for box in boxes}) * len(deltas))
    rows = []
    for panel in panels:
        mine = [box for box in boxes if box["panel"] == panel]
        ways = list(dict.fromkeys(box["ways"] for box in mine))
        charts = [_panel([box for box in mine if box["ways"] == way], way, panels, deltas, ends, width) for way in ways]
        rows.append(alt.hconcat(*charts))
    said = alt.Title("What noise does to marginals", subtitle=subtitle_lines(_subtitle(answer, panels)))
    described = f"Box plots of total variation distances of marginals by epsilon. {_subtitle(answer, panels)}"
    return styled(alt.vconcat(*rows).properties(title=said, description=described))


def _panel(
    boxes: list[dict[str, Any]],
    ways: int,
    panels: list[str],
    deltas: list[str],
    ends: tuple[float, float],
    width: int,
) -> Chart:
    """The boxes of one noise and one number of columns."""
    import altair as alt

    epsilons = list(dict.fromkeys(box["epsilon"] for box in boxes))
    own = [delta for delta in deltas if any(box["delta"] == delta for box in boxes)]
    legend = alt.Legend(title="delta", symbolType="square") if len(deltas) > 1 else None
    place: dict[str, Any] = {
        "x": alt.X("epsilon:N", title="epsilon", sort=epsilons).axis(labelAngle=0),
        "color": alt.Color("delta:N", sort=deltas, legend=legend).scale(domain=deltas, range=colours(len(deltas))),
    }
    if len(own) > 1:
        place["xOffset"] = alt.XOffset("delta:N", sort=own)
    y = (
        alt.Y("lowest:Q", title="total variation distance, log scale")
        .scale(type="log", nice=False, domain=[0.9 * ends[0], 1.1 * ends[1]])
        .axis(format="~g", values=log_ticks(*ends))
    )
    thick = max(5, min(18, width // (2 * len(epsilons) * len(own))))
    data = alt.Chart(inline(boxes))
    layers = (
        data.mark_rule(strokeWidth=1.5).encode(**place, y=y, y2="highest:Q"),
        data.mark_bar(size=thick, opacity=0.75).encode(**place, y=alt.Y("first_quartile:Q"), y2="third_quartile:Q"),
        data.mark_tick(thickness=2, opacity=1, size=thick + 4, orient="horizontal").encode(
            **place | {"color": alt.value("black")}, y=alt.Y("median:Q")
        ),
    )
    lines = [*([boxes[0]["panel"]] if len(panels) > 1 else []), f"{ways}-way marginals"]
    title = alt.Title(lines, fontSize=12, fontWeight="normal", offset=6)
    return alt.layer(*layers).properties(width=width, height=HEIGHT, title=title)


def _boxes(answer: Answer) -> list[dict[str, Any]]:
    """The five numbers of every box."""
    five = ("lowest", "first_quartile", "median", "third_quartile", "highest")
    return [
        {
            "panel": _noise(answer, line.table, line.mechanism),
            "epsilon": f"{line.epsilon:g}",
            "delta": "no delta" if line.delta is None else f"{line.delta:g}",
            "ways": summary.ways,
            **{name: max(getattr(summary, name), _LEAST) for name in five},
        }
        for line in answer.lines
        for summary in line.by_ways
    ]


def _noise(answer: Answer, table: str, mechanism: str) -> str:
    return f"{table}, {mechanism} noise" if answer.publish == "separate" else f"{mechanism} noise"


def _subtitle(answer: Answer, panels: list[str]) -> str:
    columns = " x ".join((*answer.quasi_identifiers, *answer.sensitive))
    where = (
        f"{counted(answer.cells, 'cell')} with people"
        if answer.universe is None
        else f"{counted(answer.universe.cells, 'cell')} of the universe"
    )
    if answer.question.sanitised == "marginals":
        where = "each marginal directly"
    noise = f"{panels[0]} in {where}" if len(panels) == 1 else f"noise in {where}"
    delta = {line.delta for line in answer.lines if line.delta is not None}
    fixed = f", delta = {delta.pop():g}" if len(delta) == 1 else ""
    how = f"mean of {answer.repetitions} simulated releases" if answer.repetitions else "exact, counts not clipped"
    return f"{columns}; {noise}{fixed}. A box: smallest, quartiles and largest over marginals; {how}. Internal."
