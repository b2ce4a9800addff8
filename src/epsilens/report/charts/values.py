"""Who is shown as what over epsilon: rightly on the left, wrongly on the right, value by value."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TypeAlias

from epsilens.budget import log_grid
from epsilens.choice.questions.assess import assessed_parts
from epsilens.choice.questions.assessment import Assessment
from epsilens.choice.values import measures_by_value, prepare_values
from epsilens.homogeneity.by_value import ShownValue
from epsilens.report.charts.common import DECADES, PALETTE, Chart, inline, styled, subtitle_lines
from epsilens.report.words.values import how_shown
from epsilens.table.frequency import FrequencyTable

WIDTH, HEIGHT = 330, 280
EPSILONS = (1e-2, 1e2, 61)
MOST_VALUES = 7
"""Of more values the riskiest have an area of their own, the others share two: harmful ones, and those that are not."""
HARMLESS = ["#C9C9C9", "#A9A9A9", "#E2E2E2", "#8C8C8C", "#D6D6D6", "#B8B8B8", "#999999", "#EEEEEE"]
"""Values that are not harmful are grey, so that whatever has a colour is a harm."""
LEAST_TOP = 0.001
HIDDEN = 0.4
"""Below this share of all areas harmful ones are drawn once more, on a scale of their own."""
Shown: TypeAlias = Sequence[tuple[float, tuple[ShownValue, ...]]]
"""By epsilon what is shown of each value."""
Groups: TypeAlias = dict[str, tuple[set[str], bool]]
"""The areas by name: the values in each, and whether these are harmful."""
SIDES = {"right": "shown, and they have it", "wrong": "shown, and they do not have it"}


def values_chart(table: FrequencyTable, assessment: Assessment) -> Chart:
    """Stacked areas, two panels per attribute, mechanism and delta, which share their axes; harmful values below."""
    import altair as alt

    question = assessment.question
    measure = measures_by_value(question.measures)[0]
    rows = []
    for part in assessed_parts(table, question):
        ready = prepare_values(part, measure, **question.options(measure))
        for mechanism in question.mechanisms:
            by_delta: dict[float | None, list[tuple[float, tuple[ShownValue, ...]]]] = {}
            for budget in question.budgets(mechanism, log_grid(*EPSILONS)):
                shares = ready.shares(part.noise(mechanism, budget, question.neighbours))
                by_delta.setdefault(vars(budget).get("delta"), []).append((vars(budget)["epsilon"], shares))
            for delta, found in by_delta.items():
                noise = f"{mechanism} noise" if delta is None else f"{mechanism} noise, delta = {delta:g}"
                rows.append(
                    _pair(found, part.name, f"{assessment.whom} {how_shown(measure)}, {noise}", assessment.whom)
                )
    figure = alt.vconcat(*rows, spacing=30) if len(rows) > 1 else rows[0]
    return styled(figure.resolve_scale(color="independent"))


def _pair(found: Shown, attribute: str, whose: str, whom: str) -> Chart:
    """What is shown rightly and what wrongly, side by side; where others hide them, harmful values again alone."""
    import altair as alt

    groups = _groups(found)
    harmful = {name: group for name, group in groups.items() if group[1]}
    rows = [_panels(found, groups, groups, attribute, whom, SIDES)]
    if len(harmful) < len(groups) and _top(found, harmful) < HIDDEN * _top(found, groups):
        again = {side: f"harmful values alone: {text}" for side, text in SIDES.items()}
        rows.append(_panels(found, groups, harmful, None, whom, again))
    grey = "grey: values that are not counted as harmful" if len(harmful) < len(groups) else "every value is harmful"
    title = f"Who is shown as what: {attribute}"
    said = f"{whose}; {grey}. Internal."
    figure = alt.vconcat(*rows, spacing=20) if len(rows) > 1 else rows[0]
    return figure.properties(title=alt.Title(title, subtitle=subtitle_lines(said, 110)), description=f"{title}. {said}")


def _panels(
    found: Shown, groups: Groups, drawn: Groups, attribute: str | None, whom: str, titles: Mapping[str, str]
) -> Chart:
    """Two panels with the same axes; the legend, with the ``attribute`` for a title, is beside the second."""
    import altair as alt

    names = list(groups)
    rows = [
        {"epsilon": epsilon, "value": name, "number": names.index(name)}
        | {side: _share(shares, members, side) for side in SIDES}
        for epsilon, shares in found
        for name, (members, _) in drawn.items()
    ]
    legend = alt.Legend(title=attribute, values=names[::-1], symbolType="square", symbolSize=150, labelLimit=300)
    x = alt.X("epsilon:Q", title="epsilon, log scale").scale(type="log", nice=False)
    panels = []
    for side, title in titles.items():
        last = side == "wrong" and attribute is not None
        colour = alt.Color("value:N", sort=names, legend=legend if last else None)
        y = alt.Y(f"{side}:Q", title=f"share of {whom}", stack="zero")
        panels.append(
            alt.Chart(inline(rows))
            .mark_area(fillOpacity=1, stroke="white", strokeWidth=0.6)
            .encode(
                x=x.axis(format="~g", values=DECADES, grid=False),
                y=y.scale(domain=[0, min(1.0, 1.1 * _top(found, drawn))]).axis(format="~%", tickCount=5),
                color=colour.scale(domain=names, range=_colours(groups)),
                order=alt.Order("number:Q"),
            )
            .properties(width=WIDTH, height=HEIGHT, title=alt.Title(title, fontSize=13, fontWeight="normal"))
        )
    return alt.hconcat(*panels, spacing=30).resolve_scale(color="independent")


def _share(shares: Sequence[ShownValue], members: Collection[str], side: str) -> float:
    return sum(float(getattr(value, f"shown_{side}")) for value in shares if value.value in members)


def _top(found: Shown, groups: Groups) -> float:
    """The highest stack of these areas, in either panel; hardly any is not drawn as if it were much."""
    members = {value for names, _ in groups.values() for value in names}
    return max(LEAST_TOP, *(_share(shares, members, side) for _, shares in found for side in SIDES))


def _groups(found: Shown) -> Groups:
    """The areas from below, the harmful and riskiest first."""
    largest: dict[str, float] = {}
    weights: dict[str, float] = {}
    for _, shares in found:
        for value in shares:
            shown = value.shown_right + value.shown_wrong
            largest[value.value] = max(largest.get(value.value, 0.0), shown)
            weights[value.value] = value.weight
    ranked = sorted(largest, key=lambda name: (weights[name] == 0, -(weights[name] or 1.0) * largest[name]))
    own = ranked if len(ranked) <= MOST_VALUES + 1 else ranked[:MOST_VALUES]
    groups = {name: ({name}, weights[name] > 0) for name in own}
    for harmful, name in ((True, "other harmful values"), (False, "other values, not harmful")):
        rest = {value for value in ranked if value not in own and (weights[value] > 0) is harmful}
        if rest:
            groups[f"{name} ({len(rest)})"] = (rest, harmful)
    return dict(sorted(groups.items(), key=lambda item: not item[1][1]))


def _colours(groups: Groups) -> list[str]:
    """Colours of the house for harmful values, greys for others."""
    strong = iter([*PALETTE[1::-1], *PALETTE[2:], "#661100"])
    pale = iter(HARMLESS)
    return [next(strong if harmful else pale) for _, harmful in groups.values()]
