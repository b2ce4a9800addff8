"""Charts of a choice: the risk with its safe set, the frontier, iso-risk curves, marginals, the worst case, levers."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from epsilens.budget import counts_moved
from epsilens.checks import one_of
from epsilens.choice.beside.frontier import FrontierPoint, LeverEffect, effects_of_levers, points_of_dials
from epsilens.choice.choose.budget_choice import BudgetChoice
from epsilens.choice.choose.dials import dial_of
from epsilens.choice.choose.risk_plane import RiskPlane
from epsilens.choice.questions.choose import Answer
from epsilens.choice.whole_universe import over_universe
from epsilens.errors import ParameterError
from epsilens.noise import MECHANISMS
from epsilens.noise.composed_loss import loss_of
from epsilens.report.charts.choose_parts import (
    about,
    finished,
    harm_text,
    levels_text,
    noise_text,
    quantity,
    risk_axis,
    risk_format,
    risk_title,
    subject,
)
from epsilens.report.charts.choose_risk import risk_chart
from epsilens.report.charts.common import (
    DECADES,
    PALE,
    PALETTE,
    SHAPES,
    Chart,
    colours,
    inline,
    log_ticks,
    series,
    styled,
    subtitle_lines,
)
from epsilens.utility.marginal_distance import all_marginals, margins_of, simulated_of

MARGINAL_EPSILONS = (0.1, 0.5, 1.0, 2.0, 10.0)


def draw(kind: str, answer: Answer) -> Chart:
    """The chart of that kind for an answer."""
    return CHARTS[check_kind(kind, answer.choice.dial.attack is not None)].draw(answer)


def check_kind(kind: str, of_hierarchy: bool = False) -> str:
    """``kind``, refused unless there is such a chart of a table, or of a hierarchy."""
    return one_of("chart", kind, [name for name, chart in CHARTS.items() if chart.of_hierarchies or not of_hierarchy])


def frontier_chart(points: list[FrontierPoint], choice: BudgetChoice) -> Chart:
    """Risk against error; dominated points are grey."""
    import altair as alt

    names = list(dict.fromkeys(point.mechanism for point in points))
    rows = [point.to_dict() for point in points]
    errors = [row["error"] for row in rows]
    x = alt.X("error:Q", title="expected absolute error of a count, log scale").scale(type="log", nice=False)
    x = x.axis(format="~g", grid=False, values=log_ticks(min(errors), max(errors)))
    y = alt.Y("risk:Q", title=risk_title(choice.dial)).scale(zero=False).axis(**risk_axis(choice))
    data = alt.Chart(inline(rows))
    lines = data.mark_line(strokeWidth=1, color=PALE).encode(x=x, y=y, detail="mechanism:N", order="epsilon:Q")
    looks: dict[str, Any] = {
        "color": alt.Color("mechanism:N", sort=names).scale(domain=names, range=colours(len(names))),
        "shape": alt.Shape("mechanism:N", sort=names).scale(domain=names, range=SHAPES[: len(names)]),
        "tooltip": ["mechanism:N", "epsilon:Q", "risk:Q", "error:Q"],
    }
    kept = data.transform_filter("!datum.dominated").mark_point(filled=True, opacity=1, size=40)
    dominated = data.transform_filter("datum.dominated").mark_point(fill="white", opacity=0.6, size=25)
    dots = dominated.encode(x=x, y=y, **looks) + kept.encode(x=x, y=y, **looks)
    noises = f"{choice.dial.measure} measure, {' and '.join(names)} noise"
    subtitle = f"{noises}{harm_text(choice.dial)}; a dot is a budget, hollow if another has less of both"
    return finished(lines + dots, f"Risk of {about(choice)} against error", subtitle)


def iso_risk_chart(plane: RiskPlane) -> Chart:
    """The plane of epsilon and delta: the risk as shades, the pairs at the ceiling as lines."""
    import altair as alt

    found, edges = plane.lines, plane.epsilon_edges
    dial = found.dial
    inside = [row for row in found.to_rows() if edges[0] <= row["epsilon"] <= edges[-1]]
    tiles = (
        alt.Chart(inline(plane.tiles()))
        .mark_rect()
        .encode(
            x=alt.X("e0:Q", title="epsilon, log scale")
            .scale(type="log", nice=False)
            .axis(format="~g", grid=False, values=log_ticks(edges[0], edges[-1])),
            x2="e1:Q",
            y=alt.Y("d0:Q", title="delta, log scale")
            .scale(type="log", nice=False)
            .axis(format=".0e", values=DECADES, grid=False),
            y2="d1:Q",
            color=alt.Color("risk:Q", title=quantity(dial))
            .scale(scheme="blues")
            .legend(format=risk_format(dial.measure)),
        )
    )
    line = (
        alt.Chart(inline(inside))
        .mark_line(strokeWidth=3, color=PALETTE[1])
        .encode(
            x=alt.X("epsilon:Q").scale(type="log"),
            y=alt.Y("delta:Q").scale(type="log"),
            detail="curve:N",
            strokeDash=alt.StrokeDash("side:N", title="end of the safe set"),
            order="delta:Q",
        )
    )
    ceiling = f"{found.max_risk:g}" if dial.measure == "posterior-ratio" else f"{100 * found.max_risk:g} %"
    subtitle = f"{dial.measure} measure, {dial.mechanism} noise{harm_text(dial)}; the lines have a risk of {ceiling}"
    return finished(tiles + line, f"Pairs with the same risk of {subject(dial)}", subtitle)


def marginal_chart(choice: BudgetChoice) -> Chart:
    """Box plots of the total variation distance over all 1-, 2- and 3-way marginals, by budget (P0 Figure 4).

    Noise goes into every cell of the declared universe, as in a release; the empty ones are what moves marginals most.
    """
    import altair as alt

    if choice.dial.publish == "separate":
        raise ParameterError(
            "the marginals of separate tables are not drawn here", remedy="leave out `publish`, or ask for utility"
        )
    dial, table = choice.dial, over_universe(choice.dial.table)
    columns = (*table.quasi_identifiers, *table.sensitive)
    margins = margins_of(table, all_marginals(columns))
    epsilons = [e for e in MARGINAL_EPSILONS if e < dial.highest_valid]
    rng = np.random.default_rng(2026)  # a picture of the law, not a release
    repetitions = int(np.clip(2_000_000 // table.vectors.size, 10, 100))
    rows: list[dict[str, Any]] = [
        {"ways": f"{found.ways}-way", "budget": f"{epsilon:g}", "distance": max(found.distance, 1e-6)}
        for epsilon in epsilons
        for found in simulated_of(margins, dial.noise(epsilon), rng, repetitions=repetitions)
    ]
    box = (
        alt.Chart(inline(rows))
        .mark_boxplot(extent="min-max", size=16)
        .encode(
            x=alt.X("budget:N", title=choice.parameter, sort=[f"{e:g}" for e in epsilons]).axis(labelAngle=0),
            y=alt.Y("distance:Q", title="total variation distance, log scale")
            .scale(type="log", nice=False)
            .axis(format="~g", values=log_ticks(*_ends(rows, "distance"))),
            color=alt.Color("ways:N", legend=None).scale(range=PALETTE),
            column=alt.Column("ways:N", title=None),
        )
        .properties(width=170, height=300)
    )
    cells = f"{len(table.vectors):,} cells{'' if table is dial.table else ' of the universe'}"
    return styled(
        box.properties(
            title=alt.Title(
                "What happens to marginals",
                subtitle=subtitle_lines(f"{' x '.join(columns)}; {noise_text(choice)} in {cells}. Internal."),
            )
        )
    )


def trade_off_chart(choice: BudgetChoice, at: float | None = None) -> Chart:
    """The worst case: misses against false alarms of the best test, beside what epsilon alone promises.

    ``at`` is the budget, the one that the risk alone allows unless given.
    """
    import altair as alt

    budget = choice.budget if at is None else at
    if budget is None or math.isinf(budget):
        raise ParameterError("there is no chosen budget whose worst case could be drawn")
    pure = choice.parameter == "epsilon" and choice.dial.delta is None
    corner = 1.0 / (1.0 + math.exp(budget)) if pure else 0.5
    alarms = np.unique(np.append(np.linspace(0.0, 1.0, 401), corner))
    misses = loss_of(choice.dial.noises(budget), counts_moved(choice.dial.neighbours)).trade_off(alarms)
    rows = [
        {"false alarms": float(a), "misses": float(m), "line": "this noise"}
        for a, m in zip(alarms, misses, strict=True)
    ]
    rows += [{"false alarms": float(a), "misses": 1.0 - float(a), "line": "no information"} for a in (0.0, 1.0)]
    names = ["this noise", "no information"]
    if pure:
        grow = math.exp(budget)
        bound = np.maximum(0.0, np.maximum(1.0 - grow * alarms, (1.0 - alarms) / grow))
        rows += [
            {"false alarms": float(a), "misses": float(b), "line": "epsilon alone"}
            for a, b in zip(alarms, bound, strict=True)
        ]
        names.insert(1, "epsilon alone")
    drawn = (
        alt.Chart(inline(rows))
        .mark_line(strokeWidth=2.5)
        .encode(
            x=alt.X("false alarms:Q", title="false alarms").axis(format="~%", grid=False),
            y=alt.Y("misses:Q", title="misses, at least").axis(format="~%"),
            **series("line", names, None),
        )
    )
    return finished(
        drawn,
        "The best test for one person's " + ("presence" if choice.dial.neighbours == "add-remove" else "record"),
        f"{about(choice)}; {noise_text(choice)}, {choice.parameter} = {budget:.3g}{levels_text(choice)}",
    )


def lever_chart(effects: list[LeverEffect], choice: BudgetChoice) -> Chart:
    """Risk against error of every lever, with its name."""
    import altair as alt

    rows = [effect.to_dict() for effect in effects if effect.error is not None]
    names = {"none": "no change", "budget": "smaller budget", "coarsen": "coarser levels", "drop": "dropped column"}
    for row in rows:
        row["kind"] = names.get(row["kind"], row["kind"])
    data = alt.Chart(inline(rows))
    bars = data.mark_bar(size=12).encode(
        x=alt.X("risk:Q", title=risk_title(choice.dial)).axis(grid=False, **risk_axis(choice)),
        y=alt.Y("name:N", title=None, sort=None).axis(labelLimit=320),
        color=alt.Color("kind:N", title=None).scale(domain=list(names.values()), range=["#000000", *PALETTE]),
    )
    text = data.transform_calculate(label="'error ' + format(datum.error, '.2f')").mark_text(
        align="left", dx=4, color="#666666", fontSize=11
    )
    labels = text.encode(x="risk:Q", y=alt.Y("name:N", sort=None), text="label:N")
    subtitle = f"{noise_text(choice)}{harm_text(choice.dial)}; error: expected absolute error per original count"
    return finished(
        bars + labels, f"Saying less about {about(choice)}, or adding noise?", subtitle, height=22 * len(rows)
    )


def _ends(rows: list[dict[str, Any]], column: str) -> tuple[float, float]:
    values = [float(row[column]) for row in rows]
    return min(values), max(values)


def _other(mechanism: str) -> str:
    """The first other mechanism that needs no delta."""
    return next(name for name, known in MECHANISMS.items() if not known.has_delta and name != mechanism)


def _frontier(answer: Answer) -> Chart:
    dial = answer.choice.dial
    if dial.parameter == "rho":
        raise ParameterError("the frontier is drawn over epsilon; leave out `rho`, and give a `delta`")
    other = answer.question.asked_against
    if other is None:
        other = replace(dial.asked, mechanism=_other(dial.mechanism), delta=None)
    return frontier_chart(points_of_dials([dial, dial_of(dial.table, other)]), answer.choice)


def _levers(answer: Answer) -> Chart:
    choice = answer.choice
    effects = list(answer.lever_effects) or effects_of_levers(choice.dial, choice.finite_budget)
    return lever_chart(effects, choice)


@dataclass(frozen=True)
class ChartKind:
    """How to draw an answer; ``of_hierarchies`` where a hierarchy has such a chart too."""

    draw: Callable[[Answer], Chart]
    of_hierarchies: bool = False


CHARTS = {
    "risk": ChartKind(risk_chart, of_hierarchies=True),
    "frontier": ChartKind(_frontier),
    "iso-risk": ChartKind(lambda answer: iso_risk_chart(answer.plane), of_hierarchies=True),
    "marginals": ChartKind(lambda answer: marginal_chart(answer.choice)),
    "trade-off": ChartKind(lambda answer: trade_off_chart(answer.choice, answer.worst_case_at), of_hierarchies=True),
    "levers": ChartKind(_levers),
}
"""Every chart of a choice, by name."""
