"""Attackers who know only some of the columns, for every set of them."""

from __future__ import annotations

import streamlit as st

from epsilens.app.parts import blocks, charts, controls
from epsilens.app.parts.asking import answered, asked_of, in_one_sentence, table_of
from epsilens.app.work import Work
from epsilens.choice.knowing.answer import Knowledge
from epsilens.choice.questions.knowledge import MOST_COLUMNS
from epsilens.report.charts.knowledge import sets_chart
from epsilens.report.words.knowledge import summary
from epsilens.table.frequency import FrequencyTable


def page(work: Work) -> None:
    """What each set of known columns discloses, today and with noise, and which column carries most of it."""
    st.title("Attackers who know less", anchor=False)
    st.write(
        "Few attackers know every column. For each set of columns: who is disclosed today, and what is left of it once "
        "noise is added."
    )
    table = table_of(work)
    if table is None:
        return
    _asked(work, table)
    with in_one_sentence():
        found: Knowledge = answered(work, "knowledge", "Looking at sets of columns", table)
        depends = asked_of(work.project, "knowledge")
        charts.show(work, "sets", depends, lambda: sets_chart(found))
        with st.spinner("Looking at clipped counts, levels and coarser columns"):
            said = work.once(("told", "knowledge", depends), lambda: summary(found))
        blocks.show(said, level=2)


def _asked(work: Work, table: FrequencyTable) -> None:
    columns, own = list(table.quasi_identifiers), work.project.section("knowledge")
    share = controls.number_of(own.get("share"))
    left, right = st.columns(2)
    with left:
        st.multiselect(
            "One attacker knows",
            columns,
            help="Name what somebody in particular knows, and they are told of first; leave it empty for nobody.",
            **controls.following(
                "knowledge-knows",
                [name for name in controls.listed(own.get("knows")) if name in columns],
                lambda names: work.change("knowledge", knows=names or None),
            ),
        )
        st.number_input(
            "Smallest sets that disclose this share of people, in per cent",
            min_value=0.1,
            max_value=100.0,
            value=None,
            step=1.0,
            placeholder="half of what all columns disclose",
            help="The fewest columns that are enough to disclose so many people; empty for half of what all disclose.",
            **controls.following(
                "knowledge-share",
                None if share is None else 100.0 * share,
                lambda share: work.change("knowledge", share=None if share is None else round(share / 100.0, 12)),
            ),
        )
        if len(columns) > MOST_COLUMNS or own.get("largest_set") is not None:
            st.number_input(
                "Columns known at most",
                min_value=1,
                max_value=len(columns),
                value=None,
                placeholder="all of them",
                help="So many columns have too many sets to look at all of them: say how large sets may be.",
                **controls.following(
                    "knowledge-largest",
                    own.get("largest_set"),
                    lambda size: work.change("knowledge", largest_set=size),
                ),
            )
    with right:
        controls.several_mechanisms(work, "knowledge")
        controls.delta(work, "knowledge")
        controls.epsilons(work, "knowledge")
