"""The Bayesian adversary: somebody who knows everybody but one person, and what a release makes them believe."""

from __future__ import annotations

from typing import Any

import streamlit as st

from epsilens.app.parts import blocks, charts, controls
from epsilens.app.parts.asking import asked_of, in_one_sentence, missing_from, to_data
from epsilens.app.work import Work
from epsilens.choice.questions.posterior import release, single
from epsilens.choice.questions.posterior.budgets import DEFAULT_MECHANISM
from epsilens.errors import EpsilensError
from epsilens.noise.mechanisms import MECHANISMS
from epsilens.posterior.attacks import ATTACKS
from epsilens.posterior.scenarios import SCENARIOS
from epsilens.report.charts.posterior import noisy_count_chart, release_chart
from epsilens.report.words.common import INTERNAL, Block, Text
from epsilens.report.words.posterior import release_sentences, single_blocks
from epsilens.table.hierarchy import Situations
from epsilens.table.structure import structure_of

WHAT = {"data": "People in these data", "count": "One count, without data"}
KNOWN_ATTACKS = {
    "single": "looks at the lowest level only",
    "two-level": "looks at the lowest level and the one above it",
    "unique-levels": "looks at every level at which the person is alone",
}
USUAL_LEVELS = ("block", "block_group", "tract", "county", "state")
"""Names of columns that are often levels of a hierarchy, lowest first."""
USUAL_RHO = 0.1
USUAL_BUDGET = 1.0
OF_DATA, OF_COUNT = "posterior release", "posterior single"


def page(work: Work) -> None:
    """The adversary on the levels of the data, or on a single count that nobody needs data for."""
    st.title("The Bayesian adversary", anchor=False)
    st.write(
        "The strongest attacker there is: they know everybody in a group but one person, see the noisy counts, and "
        "change their belief that this person is there."
    )
    chosen = st.segmented_control(
        "Attack",
        list(WHAT),
        format_func=WHAT.__getitem__,
        default="data" if missing_from(work) is None else "count",
        required=True,
        key="adversary-what",
        help="Everybody who is rare in the data at the levels you name, or one count that you make up.",
    )
    if chosen == "data":
        _of_data(work)
    else:
        _of_count(work)


def _of_data(work: Work) -> None:
    if not work.project.section("data").get("source"):
        st.info("No data are open yet: open a file or a database, or the demo, on the page Data.")
        to_data()
        return
    with in_one_sentence():
        columns = _columns(work)
        _settle(work, columns)
        _asked_of_data(work, columns)
        own = work.project.section(OF_DATA)
        if not own.get("levels") or not own.get("by"):
            st.info(
                "Name the columns of the groups, lowest first (a block, then its block group, ...), and what makes "
                "people alike."
            )
            return
        depends = asked_of(work.project, OF_DATA)
        found: release.Answer = work.once((OF_DATA, depends), lambda: _answer(work))
        st.header("What the attacker learns", anchor=False)
        said = [Text(line) for line in release_sentences(found) if INTERNAL not in line]
        blocks.show(said)
        charts.show(work, "ratios", depends, lambda: release_chart(found.risk))


def _columns(work: Work) -> list[str]:
    """The columns of the data; where their structure cannot be read, those that have a role."""
    data = work.project.section("data")
    try:
        found = work.latest("structure", work.source_key, lambda: structure_of(work.source, data.get("table")))
    except EpsilensError:
        return [*controls.listed(data.get("quasi_identifiers")), *controls.listed(data.get("sensitive"))]
    return [column.name for column in found.columns]


def _settle(work: Work, columns: list[str]) -> None:
    """Levels that are called as levels often are, and the columns that others may know, until somebody says else."""
    own, data = work.project.section(OF_DATA), work.project.section("data")
    if "levels" in own or "rho" in own:
        return
    levels = [name for name in USUAL_LEVELS if name in columns]
    alike = [name for name in controls.listed(data.get("quasi_identifiers")) if name not in levels]
    if levels:
        work.project = work.project.with_values(OF_DATA, levels=levels, by=alike or None, rho=[USUAL_RHO] * len(levels))


def _answer(work: Work) -> release.Answer:
    project = work.project
    question: release.Question = project.question(OF_DATA)

    def read() -> Situations:
        return question.read(work.source, project.section("data").get("table"))

    with st.spinner("Counting people at every level"):
        read_once = (question.levels, question.by, question.codes, question.most, repr(question.bins))
        situations = work.once(("situations", read_once), read)
    with st.spinner("Asking the adversary"):
        found: release.Answer = project.answer(OF_DATA, table=situations)
    return found


def _asked_of_data(work: Work, columns: list[str]) -> None:
    own = work.project.section(OF_DATA)
    levels = [name for name in controls.listed(own.get("levels")) if name in columns]
    rho = (controls.numbers_of(own.get("rho")) or (USUAL_RHO,))[0]

    def put_levels(names: list[str]) -> None:
        work.change(OF_DATA, levels=names or None, rho=[rho] * max(len(names), 1))

    left, right = st.columns(2)
    with left:
        st.multiselect(
            "Levels of the groups, lowest first",
            columns,
            help="Columns that name groups within groups, such as block, block group and tract, in this order.",
            **controls.following("adversary-levels", levels, put_levels),
        )
        st.multiselect(
            "People are alike who share",
            [name for name in columns if name not in levels],
            help="What the published counts are broken down by: age, sex, and so on.",
            **controls.following(
                "adversary-by",
                [name for name in controls.listed(own.get("by")) if name in columns and name not in levels],
                lambda names: work.change(OF_DATA, by=names or None),
            ),
        )
        st.selectbox(
            "The attacker",
            list(ATTACKS),
            format_func=lambda name: KNOWN_ATTACKS.get(name, name),
            help="Which of the published levels the attacker takes into account.",
            **controls.following(
                "adversary-attack",
                own.get("attack", "unique-levels"),
                lambda name: work.change(OF_DATA, attack=name),
            ),
        )
    with right:
        st.number_input(
            "Budget of each level (rho)",
            min_value=1e-6,
            step=0.05,
            format="%g",
            help="The budget of discrete Gaussian noise at every level; smaller is more noise.",
            **controls.following(
                "adversary-rho",
                controls.number_of(rho, USUAL_RHO),
                lambda value: work.change(OF_DATA, rho=[value] * max(len(levels), 1)),
            ),
        )
        _prior(work, OF_DATA)
        _family(work, OF_DATA)


def _prior(work: Work, section: str) -> None:
    given = (controls.numbers_of(work.project.section(section).get("prior")) or (0.5,))[0]
    st.slider(
        "Belief beforehand, in per cent",
        min_value=0.1,
        max_value=99.9,
        step=0.1,
        format="%g %%",
        help="How sure the attacker is that the person is there before anything is published: 50 is a coin.",
        **controls.following(
            f"adversary-prior-{section}",
            min(max(100.0 * given, 0.1), 99.9),
            lambda per_cent: work.change(section, prior=round(per_cent / 100.0, 6)),
        ),
    )


def _family(work: Work, section: str) -> None:
    given = controls.numbers_of(work.project.section(section).get("family")) or (1,)
    st.number_input(
        "People who are there together or not at all",
        min_value=1,
        max_value=1000,
        step=1,
        help="1 is one person; a household or a school class is less protected than each of its members.",
        **controls.following(
            f"adversary-family-{section}",
            int(given[0]),
            lambda members: work.change(section, family=None if members == 1 else members),
        ),
    )


def _of_count(work: Work) -> None:
    controls.settle(work, OF_COUNT, epsilon=USUAL_BUDGET, mechanism=DEFAULT_MECHANISM)
    own = work.project.section(OF_COUNT)
    left, right = st.columns(2)
    with left:
        _noise_of_count(work)
        st.number_input(
            "Budget of the count (epsilon)",
            min_value=1e-6,
            format="%g",
            help="The smaller it is, the more noise, and the less a noisy count tells.",
            **controls.following(
                "adversary-epsilon",
                controls.number_of(own["epsilon"], USUAL_BUDGET),
                lambda value: work.change(OF_COUNT, epsilon=value),
            ),
        )
        st.number_input(
            "Noisy count that was published",
            value=None,
            step=1,
            placeholder="any: the average over the noise",
            help="What one published count tells; empty for the average over all that might be published.",
            **controls.following(
                "adversary-noisy",
                _whole(own.get("noisy")),
                lambda count: work.change(OF_COUNT, noisy=None if count is None else [count]),
            ),
        )
    with right:
        _prior(work, OF_COUNT)
        st.number_input(
            "Others in the group whom the attacker knows",
            min_value=0,
            step=1,
            help="The attacker knows how many people are there besides the person they are after.",
            **controls.following(
                "adversary-known",
                int(own.get("known", 0)),
                lambda known: work.change(OF_COUNT, known=known or None),
            ),
        )
        _family(work, OF_COUNT)
        st.selectbox(
            "The attacker asks",
            list(SCENARIOS),
            format_func=lambda name: SCENARIOS[name].question,
            help="What the attacker wants to know; the computation is the same, and the prior means something else.",
            **controls.following(
                "adversary-scenario",
                own.get("scenario", "characteristics"),
                lambda name: work.change(OF_COUNT, scenario=name),
            ),
        )
    with in_one_sentence():
        question = single_question(work)
        found = single.answer(question)
        st.header("What the attacker learns", anchor=False)
        blocks.show(_as_blocks(single_blocks(found)))
        (prior, family), noise = question.adversaries[0], f"{question.noise.title} noise, {question.budget_words}"
        charts.show(
            work,
            "noisy",
            repr(question),
            lambda: noisy_count_chart(question.noisy_counts(), prior, noise, not question.absent, family),
        )


def _noise_of_count(work: Work) -> None:
    """The noise of the one count, which need not be that of the table."""
    own = work.project.section(OF_COUNT)

    def put(name: str) -> None:
        needed = MECHANISMS[name].has_delta
        work.change(OF_COUNT, mechanism=name, delta=own.get("delta", controls.USUAL_DELTA) if needed else None)

    st.selectbox(
        "Kind of noise",
        list(MECHANISMS),
        format_func=controls.mechanism_name,
        help="The law by which the count is changed at random.",
        **controls.following("adversary-mechanism", own["mechanism"], put),
    )
    if own.get("delta") is not None:
        chosen = controls.number_of(own["delta"], controls.USUAL_DELTA)
        controls.delta_slider("adversary-delta", chosen, lambda value: work.change(OF_COUNT, delta=value))


def single_question(work: Work) -> single.Question:
    """What the project asks of one count."""
    given: dict[str, Any] = work.project.parameters(OF_COUNT)
    return single.Question(**given)


def _whole(value: Any) -> int | None:
    found = controls.listed(value)
    return int(found[0]) if found else None


def _as_blocks(said: list[str | Block]) -> list[Block]:
    return [Text(one) if isinstance(one, str) else one for one in said]
