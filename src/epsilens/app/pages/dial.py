"""The dial: one control, the budget, and everything that follows from it, in the page itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import streamlit as st

from epsilens.app import dial as component
from epsilens.app.pages.choose import USUAL_BUDGET, USUAL_ERROR, USUAL_RISK, max_error, max_risk, take
from epsilens.app.parts import controls
from epsilens.app.parts.asking import in_one_sentence, table_of, waited
from epsilens.app.work import Work
from epsilens.choice.questions.dial import Question, answer
from epsilens.noise.mechanisms import MECHANISMS
from epsilens.project import Project
from epsilens.report.words.dial import merged, told
from epsilens.report.words.dial_sentences import Names
from epsilens.table.frequency import FrequencyTable

ENTRIES = {"risk": "by the highest risk", "error": "by the largest error", "hand": "by hand"}
ONE_OF_SEVERAL = ("mechanism", "measure", "delta")
BEGINNING = "dial-beginning"
MOST_DIALS = 6
"""So many noises and measures may be looked at with one dial."""


def page(work: Work) -> None:
    """Controls of the question above, the dial below."""
    st.title("The dial", anchor=False)
    st.write(
        "Move the budget and see what follows: what the noise guarantees, what happens to the people in this table, "
        "and what it costs."
    )
    table = table_of(work)
    if table is None:
        return
    entry = _asked(work)
    with in_one_sentence():
        questions = asked(work.project)
        if len(questions) > MOST_DIALS:
            st.info(f"One dial shows {MOST_DIALS} pairs of noise and measure; these are the first of {len(questions)}.")
        payload = work.once(("dial", repr(questions)), lambda: _payload(work, questions[:MOST_DIALS], table))
        component.show(payload, _start(work, payload, entry), lambda state: take(work, state["budget"]))
        taken = work.project.section("release").get("epsilon")
        if taken is not None:
            st.success(f"In the project, for the release: epsilon = {taken:g}.")


def _asked(work: Work) -> str:
    """Where the dial begins, and what it is about."""
    entry: str = st.segmented_control(
        "The dial begins",
        list(ENTRIES),
        format_func=ENTRIES.__getitem__,
        default="risk" if work.project.section("risk").get("max_risk") is not None else "hand",
        required=True,
        key="dial-entry",
        help="At the budget that keeps a risk, at the one that keeps an error, or at the one that was taken last.",
    )
    left, right = st.columns(2)
    with left:
        if entry == "risk":
            controls.settle(work, "risk", max_risk=USUAL_RISK)
            max_risk(work, "dial")
        elif entry == "error":
            controls.settle(work, "risk", max_error=USUAL_ERROR)
            max_error(work, "dial")
        controls.several_measures(work, "dial")
    with right:
        controls.several_mechanisms(work, "dial")
        controls.delta(work, "dial")
        controls.neighbours(work, "dial")
    return entry


def asked(project: Project) -> list[Question]:
    """A question for every noise and measure of the project, with its ceilings."""
    takes = [name for name in Question.__dataclass_fields__ if name not in (*ONE_OF_SEVERAL, "data")]
    given = project.parameters("choose", takes)
    noise, risk = project.section("noise"), project.section("risk")
    deltas = controls.listed(noise.get("deltas")) or (None,)
    return [
        Question(
            **given,
            mechanism=mechanism,
            measure=measure,
            delta=deltas[0] if mechanism in MECHANISMS and MECHANISMS[mechanism].has_delta else None,
        )
        for mechanism in controls.listed(noise.get("mechanisms")) or ("laplace",)
        for measure in controls.listed(risk.get("measures")) or ("local",)
    ]


def _payload(work: Work, questions: list[Question], table: FrequencyTable) -> dict[str, Any]:
    names = Names.of(work.project.section("about"))

    def find(progress: Callable[[int], None]) -> dict[str, Any]:
        return merged([told(answer(question, table, progress), names) for question in questions])

    return waited("Asking every budget of the dial", find)


def _start(work: Work, payload: Mapping[str, Any], entry: str) -> int | None:
    """The beginning that was found when the question or the way in changed: taking a budget does not move the dial."""
    asked = (payload["key"], entry, work.project.section("risk").get("max_error"))
    kept = st.session_state.get(BEGINNING)
    if kept is None or kept[0] != asked:
        kept = st.session_state[BEGINNING] = (asked, start(payload, work.project, entry))
    found: int | None = kept[1]
    return found


def start(payload: Mapping[str, Any], project: Project, entry: str) -> int | None:
    """Where the dial begins: None leaves it to the payload, whose beginning is what keeps the ceiling of the risk."""
    first = payload["dials"][0]
    if entry == "error":
        ceiling = controls.number_of(project.section("risk").get("max_error"), USUAL_ERROR)
        errors = [line["error"] for line in payload["costs"][first["cost"]]]
        return next((i for i, error in enumerate(errors) if error <= ceiling), len(errors) - 1)
    if entry == "hand":
        wanted = controls.number_of(project.section("release").get("epsilon"), USUAL_BUDGET)
        budgets = first["budgets"]
        return min(range(len(budgets)), key=lambda i: abs(budgets[i] - wanted))
    return None
