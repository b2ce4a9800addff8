"""Which budget to take: by a ceiling on the risk, by a ceiling on the error, or by hand."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from epsilens.app.parts import blocks, charts, controls
from epsilens.app.parts.asking import answered, asked_of, in_one_sentence, table_of
from epsilens.app.work import Work
from epsilens.choice.choose.public_grid import PUBLIC_GRID, rounded_down
from epsilens.choice.choose.safe_set import Interval
from epsilens.choice.questions import choose_delta
from epsilens.choice.questions.assessment import Assessment
from epsilens.choice.questions.choose import Answer
from epsilens.report.charts.choose import draw
from epsilens.report.charts.choose_delta import delta_chart
from epsilens.report.words.assess import budget_blocks
from epsilens.report.words.choose import summary
from epsilens.report.words.choose_delta import summary as delta_summary
from epsilens.table.frequency import FrequencyTable

ENTRIES = {"risk": "by the highest risk", "error": "by the largest error", "hand": "by hand"}
USUAL_RISK = 0.1
USUAL_ERROR = 1.0
USUAL_BUDGET = 1.0
ANY_RISK = 1.0
"""The ceiling that everything keeps, where only the error matters."""
BY_HAND = "choose-by-hand"
DRAWN = "choose-drawn"
AGGREGATES = {
    "mean": "the average over people",
    "max": "the person who is worst off",
    "q95": "all but the worst-off 5 in 100 people",
    "q99": "all but the worst-off 1 in 100 people",
    "cell-mean": "the average over cells",
}
CHARTS = {
    "risk": "Risk against the budget",
    "frontier": "Risk against error",
    "trade-off": "The worst case",
    "levers": "What saying less would do",
}


def page(work: Work) -> None:
    """One of three ways to a budget, and a button that takes it."""
    st.title("Choose a budget", anchor=False)
    st.write(
        "The budget, epsilon, says how much noise is added: the smaller it is, the more. Say which risk or which error "
        "you can bear, and take the budget that keeps it; the release will use it."
    )
    table = table_of(work)
    if table is None:
        return
    entry = _entry(work)
    left, right = st.columns(2)
    with right:
        controls.one_mechanism(work, "choose")
        controls.delta(work, "choose")
        controls.neighbours(work, "choose")
        controls.one_measure(work, "choose")
    with left:
        {"risk": _risk, "error": _error, "hand": _hand}[entry](work)
    with in_one_sentence():
        if entry == "hand":
            _at_hand(work, table)
        else:
            _found(work, table, entry)


def _entry(work: Work) -> str:
    """By risk, by error or by hand. By error means that no risk is too high, which the project says too."""
    by_error = work.project.section("choose").get("max_risk") == ANY_RISK
    entry = "hand" if st.session_state.get(BY_HAND) else "error" if by_error else "risk"

    def put(chosen: str) -> None:
        st.session_state[BY_HAND] = chosen == "hand"
        work.change("choose", max_risk=ANY_RISK if chosen == "error" else None)

    st.segmented_control(
        "Choose",
        list(ENTRIES),
        format_func=ENTRIES.__getitem__,
        required=True,
        help="Say which risk you can bear, which error you can bear, or name a budget and see what it means.",
        **controls.following("choose-entry", entry, put),
    )
    if entry == "risk":
        controls.settle(work, "risk", max_risk=USUAL_RISK)
    if entry == "error":
        controls.settle(work, "risk", max_error=USUAL_ERROR)
    return entry


def _risk(work: Work) -> None:
    """Controls of the ceiling, and of what else is to hold."""
    risk, own = work.project.section("risk"), work.project.section("choose")
    max_risk(work, "choose")
    st.number_input(
        "People who may be above it",
        min_value=0,
        value=None,
        step=1,
        placeholder="as many as the average allows",
        help="At most so many people may have a higher risk; then the ceiling is not on the average. 0 protects "
        "everybody.",
        **controls.following(
            "choose-people", _whole(risk.get("max_people")), lambda n: work.change("risk", max_people=n)
        ),
    )
    if risk.get("max_people") is None:
        st.selectbox(
            "The ceiling is on",
            list(dict.fromkeys((*AGGREGATES, own.get("aggregate_by", "mean")))),
            format_func=lambda name: AGGREGATES.get(name, name),
            help="Whose risk must stay below the ceiling: an average hides people who are far above it.",
            **controls.following(
                "choose-aggregate",
                own.get("aggregate_by", "mean"),
                lambda name: work.change("choose", aggregate_by=None if name == "mean" else name),
            ),
        )
    with st.expander("Further ceilings"):
        max_error(work, "choose", optional=True)
        st.number_input(
            "People wrongly shown with a harmful value, in per cent at most",
            min_value=0.0,
            max_value=100.0,
            value=None,
            step=0.1,
            placeholder="no ceiling",
            help="Noise can also show people with a value that they do not have; that harms them as well.",
            **controls.following(
                "choose-wrong",
                _per_cent(risk.get("max_wrong")),
                lambda share: work.change("risk", max_wrong=_share(share) or None),
            ),
        )


def _error(work: Work) -> None:
    max_error(work, "choose")


def _hand(work: Work) -> None:
    st.number_input(
        "Budget (epsilon)",
        min_value=1e-6,
        format="%g",
        help="The smaller it is, the more noise; it is taken into the project as you type it.",
        **controls.following(
            "choose-epsilon",
            controls.number_of(work.project.section("release").get("epsilon"), USUAL_BUDGET),
            lambda epsilon: take(work, epsilon),
        ),
    )


def max_risk(work: Work, page: str) -> None:
    """The ceiling on the risk."""
    st.number_input(
        "Highest risk, in per cent",
        min_value=0.001,
        step=1.0,
        format="%g",
        help="How often the attack may succeed; 10 means that it does for 10 in 100 people, on average.",
        **controls.following(
            f"{page}-risk",
            _per_cent(work.project.section("risk").get("max_risk", USUAL_RISK)),
            lambda risk: work.change("risk", max_risk=_share(risk)),
        ),
    )


def max_error(work: Work, page: str, optional: bool = False) -> None:
    """The ceiling on the error of a count."""
    given = controls.number_of(work.project.section("risk").get("max_error"), None if optional else USUAL_ERROR)
    st.number_input(
        "Largest error of a count, in people",
        min_value=1e-6,
        value=None,
        step=0.5,
        format="%g",
        placeholder="no ceiling",
        help="How far a published count may be off on average, because of the noise.",
        **controls.following(f"{page}-error", given, lambda error: work.change("risk", max_error=error)),
    )


def _found(work: Work, table: FrequencyTable, entry: str) -> None:
    """The answer with its table and chart, and the button that takes it."""
    found: Answer | choose_delta.Answer = answered(work, "choose", "Scanning budgets", table)
    depends = asked_of(work.project, "choose")
    if isinstance(found, choose_delta.Answer):  # a project file may fix epsilon, and ask for delta
        blocks.show(delta_summary(found), level=2)
        charts.show(work, "choose-delta", depends, lambda: delta_chart(found))
        return
    blocks.show(work.once(("told", "choose", depends), lambda: summary(found)), level=2)
    offered = offers(found, entry)
    for name, value in offered.items():
        _offer(work, name, value)
    taken = work.project.section("release").get("epsilon")
    if taken is not None:
        st.success(f"In the project, for the release: epsilon = {taken:g}.")
    kinds = [kind for kind in CHARTS if kind != "trade-off" or found.budget is not None]
    asked = st.session_state.get(DRAWN, "risk")
    kind = asked if asked in kinds else "risk"
    st.pills(
        "Draw",
        kinds,
        format_func=CHARTS.__getitem__,
        required=True,
        help="Each chart has the budgets along its lower edge or as its points, and marks what was chosen.",
        **controls.following("choose-chart", kind, lambda chosen: st.session_state.update({DRAWN: chosen})),
    )
    charts.show(work, f"choose-{kind}", depends, lambda: draw(kind, found))


def offers(found: Answer, entry: str) -> dict[str, float]:
    """The budgets that the answer offers, by what is said of them."""
    least = found.choice.error_floor
    if entry == "error":
        return {} if least is None or not math.isfinite(least) else {"the least that keeps the error": least}
    named = {"a round number": found.public_budget, "the largest that keeps the ceiling": found.budget}
    if found.budget is None and found.choice.floor_at:
        named["a round number near the least risk"] = rounded_down(Interval(0.0, found.choice.floor_at), PUBLIC_GRID)
    return {name: value for name, value in named.items() if value is not None and math.isfinite(value)}


def _offer(work: Work, name: str, value: float) -> None:
    taken = work.project.section("release").get("epsilon")
    st.button(
        f"Take epsilon = {value:.6g} ({name})",
        key=f"choose-take-{name}",
        type="primary" if taken != value else "secondary",
        disabled=taken == value,
        on_click=take,
        args=(work, value),
        help="Puts this budget into the project, for the release; it can be undone. A release publishes its budget, "
        "and the digits of one that was tuned on true data say a little about them: a round number does not.",
    )


def take(work: Work, epsilon: float) -> None:
    """The budget that will be released with."""
    work.change("release", epsilon=float(epsilon), rho=None)


def _at_hand(work: Work, table: FrequencyTable) -> None:
    """What the budget means for everybody."""
    epsilon = controls.number_of(work.project.section("release").get("epsilon"), USUAL_BUDGET)
    project = work.project.with_values("assess", epsilons=[epsilon])
    found: Assessment = answered(work, "assess", "Looking at every cell", table, project)
    blocks.show(budget_blocks(found), level=2)


def _per_cent(share: Any) -> float | None:
    number = controls.number_of(share)
    return None if number is None else round(100.0 * number, 10)


def _whole(value: Any) -> int | None:
    number = controls.number_of(value)
    return None if number is None else int(number)


def _share(per_cent: float | None) -> float | None:
    return None if per_cent is None else round(per_cent / 100.0, 12)
