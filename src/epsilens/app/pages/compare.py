"""Kinds of noise side by side, and noise beside what offices do instead of it."""

from __future__ import annotations

import streamlit as st

from epsilens.app.parts import blocks, charts, controls
from epsilens.app.parts.asking import answered, asked_of, in_one_sentence, table_of, waited
from epsilens.app.work import Work
from epsilens.avoidance import SYSTEMS
from epsilens.choice.comparison import Comparison
from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assess import assessment_curves, curve_steps
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.charts.assess import risk_curve_chart
from epsilens.report.charts.compare import comparison_charts
from epsilens.report.words.assess import budget_blocks
from epsilens.report.words.common import Text
from epsilens.report.words.compare import dominance, summary
from epsilens.report.words.explained import CRITERIA
from epsilens.table.frequency import FrequencyTable

FEW = ("discrete-laplace", "discrete-gaussian", "suppression", "rounding", "swapping", "k-anonymity")
"""Systems that are looked at unless others are chosen: the noises that can be released, and what offices do."""
USUAL_REPETITIONS = 10
USUAL_EPSILONS = (0.5, 1.0, 2.0, 4.0)
USUAL_CEILING = 0.1
RISKS = {"homogeneity": "shown with their own value", "posterior": "recognised by somebody who knows everybody else"}
WHAT = {"noises": "Kinds of noise", "systems": "Noise and other ways to protect"}
ASKED = "compare-asked"
"""Where the page remembers which comparison somebody asked for."""


def page(work: Work) -> None:
    """Two comparisons: quick exact curves of noises, and systems, which are drawn many times over."""
    st.title("Compare", anchor=False)
    st.write(
        "What the same budget is worth with another kind of noise, and what suppression, rounding or swapping would do "
        "instead of noise."
    )
    table = table_of(work)
    if table is None:
        return
    chosen = st.segmented_control(
        "Compare",
        list(WHAT),
        format_func=WHAT.__getitem__,
        default="noises",
        required=True,
        key="compare-what",
        help="Noises are compared by exact curves of their risk, other ways to protect by what they publish.",
    )
    if chosen == "noises":
        _noises(work, table)
    else:
        _systems(work, table)


def _noises(work: Work, table: FrequencyTable) -> None:
    left, right = st.columns(2)
    with left:
        controls.several_mechanisms(work, "compare")
        controls.delta(work, "compare")
        controls.neighbours(work, "compare")
    with right:
        controls.several_measures(work, "compare")
        controls.epsilons(work, "compare")
    with in_one_sentence():
        found: Assessment = answered(work, "assess", "Looking at every cell", table)
        depends = asked_of(work.project, "assess")

        def curves() -> list[tuple[str, RiskCurve]]:
            budgets = curve_steps(found.question, len(table.sensitive))
            return waited(
                "Following the risk from budget to budget",
                lambda progress: assessment_curves(table, found.question, progress),
                budgets,
            )

        st.header("Risk against the budget", anchor=False)
        charts.show(work, "curves", depends, lambda: risk_curve_chart(curves(), found))
        blocks.show(budget_blocks(found))


def _systems(work: Work, table: FrequencyTable) -> None:
    _settle(work)
    names = _asked(work)
    with in_one_sentence():
        question = work.project.question("compare")
        wanted = asked_of(work.project, "compare")
        st.write(
            f"{len(names)} systems, {question.steps:,} steps in all; what has no exact answer is drawn "
            f"{question.repetitions:,} times. A small table takes seconds, one of a hundred thousand cells minutes: a "
            "bar says how long, and you may leave the page or stop it."
        )
        st.button(
            "Compare them",
            type="primary",
            key="compare-now",
            on_click=lambda: st.session_state.update({ASKED: wanted}),
            help="Begins the comparison; what has been compared once is shown at once.",
        )
        if st.session_state.get(ASKED) != wanted:
            return
        found: Comparison = answered(
            work, "compare", "Comparing", table, stop=lambda: st.session_state.pop(ASKED, None)
        )
        st.header("Which systems give something away for nothing", anchor=False)
        blocks.show([Text(dominance(found))])
        st.header("In numbers", anchor=False)
        drawn = work.once(
            ("drawn", "compare", wanted),
            lambda: {name: chart.to_dict() for name, chart in comparison_charts(found).items()},
        )
        criterion = st.selectbox(
            "Draw",
            list(drawn),
            format_func=lambda name: CRITERIA.get(name, "who is shown as what").partition(":")[0],
            key="compare-criterion",
            help="One chart for each number by which systems are compared; what it is stands below the tables.",
        )
        charts.show_specification(drawn[criterion], f"compare-{criterion}")
        blocks.show(work.once(("told", "compare", wanted), lambda: summary(found)))


def _settle(work: Work) -> None:
    """What the page shows is what the project says, also before somebody moved anything."""
    controls.settle(work, "compare", systems=list(FEW), repetitions=USUAL_REPETITIONS, no_classify=True)


def _asked(work: Work) -> list[str]:
    own = work.project.section("compare")
    names = [name for name in controls.listed(own.get("systems")) if name in SYSTEMS] or list(FEW)
    left, right = st.columns(2)
    with left:
        st.multiselect(
            "Ways to protect",
            list(SYSTEMS),
            help="Noise, and what statistical offices have done instead: leaving out, rounding, swapping, grouping.",
            **controls.following("compare-systems", names, lambda chosen: put_systems(work, chosen or list(FEW))),
        )
        st.caption("\n".join(f"- {name}: {blocks.plain(SYSTEMS[name].about)}" for name in names))
        st.number_input(
            "Releases drawn of each",
            min_value=2,
            max_value=1000,
            step=10,
            help="More of them make the numbers that are simulated more precise, and take longer.",
            **controls.following(
                "compare-repetitions",
                int(own.get("repetitions", USUAL_REPETITIONS)),
                lambda number: work.change("compare", repetitions=number),
            ),
        )
    with right:
        _basis(work)
        reads = {setting for name in names for setting in SYSTEMS[name].reads}
        if "k" in reads:
            _number(
                work, "k", "Smallest group (k)", 6, "Counts below it are left out, and classes have so many people."
            )
        if "base" in reads:
            _number(work, "base", "Rounded to multiples of", 5, "Counts become multiples of this number.")
    return names


def put_systems(work: Work, names: list[str]) -> None:
    """Put the systems into the project, and take out settings that none of them depends on."""
    reads = {setting for name in names for setting in SYSTEMS[name].reads}
    work.change("compare", systems=names, **{name: None for name in ("k", "base") if name not in reads})


def _number(work: Work, name: str, label: str, usual: int, explained: str) -> None:
    given = controls.listed(work.project.section("compare").get(name)) or (usual,)
    st.number_input(
        label,
        min_value=1,
        step=1,
        help=explained,
        **controls.following(
            f"compare-{name}", int(given[0]), lambda number: work.change("compare", **{name: [number]})
        ),
    )


def _basis(work: Work) -> None:
    """At equal budgets, or at an equal risk."""
    own = work.project.section("compare")
    kind, _, ceiling = str(own.get("equal_risk", "")).partition("=")
    at_risk = kind in RISKS

    def put(basis: str) -> None:
        work.change("compare", equal_risk=f"homogeneity={USUAL_CEILING:g}" if basis == "risk" else None)

    st.radio(
        "Compare at",
        ["budget", "risk"],
        format_func={"budget": "the same budgets", "risk": "the same risk"}.__getitem__,
        horizontal=True,
        help="At the same risk each system gets the largest budget that keeps it: then the useful one is better.",
        **controls.following("compare-basis", "risk" if at_risk else "budget", put),
    )
    if not at_risk:
        controls.epsilons(work, "compare-systems", USUAL_EPSILONS)
        return
    st.selectbox(
        "Risk of being",
        list(RISKS),
        format_func=RISKS.__getitem__,
        help="Which attack all systems are held to.",
        **controls.following("compare-kind", kind, lambda name: work.change("compare", equal_risk=f"{name}={ceiling}")),
    )
    st.number_input(
        "Highest risk, in per cent",
        min_value=0.1,
        max_value=100.0,
        step=1.0,
        format="%g",
        help="Every system must keep the average over people at or below it.",
        **controls.following(
            "compare-ceiling",
            round(100.0 * controls.number_of(ceiling, USUAL_CEILING), 10),
            lambda per_cent: work.change("compare", equal_risk=f"{kind}={round(per_cent / 100.0, 12):g}"),
        ),
    )
