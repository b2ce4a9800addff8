"""What is at risk in the table as it is, and then at a few budgets."""

from __future__ import annotations

import streamlit as st

from epsilens.app.parts import blocks, charts, controls
from epsilens.app.parts.asking import answered, asked_of, in_one_sentence, table_of
from epsilens.app.work import Work
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.charts.assess_kinds import draw
from epsilens.report.charts.sizes import sizes_chart
from epsilens.report.words.assess import budget_blocks, today_blocks
from epsilens.report.words.cells import opening
from epsilens.report.words.common import Block, Text
from epsilens.report.words.values import harm_sentences, headline, values_today_grid
from epsilens.table.frequency import FrequencyTable

CHARTS = {
    "people": "How many people have which risk",
    "values": "Who is shown as what",
    "scenarios": "What becomes of cells",
}
"""Charts of an assessment that somebody may want to see besides the sizes of cells."""
WAIT = "Looking at every cell"


def page(work: Work) -> None:
    """Today's risk first, without any noise; then what a few budgets would change."""
    st.title("Today's risk", anchor=False)
    st.write(
        "What somebody would learn who knows a few things about a person and looks them up in the table. First the "
        "table as it is, then with noise."
    )
    table = table_of(work)
    if table is None:
        return
    plain = work.project.with_values("noise", mechanisms=None, epsilons=None, deltas=None)
    found: Assessment | None = None
    with in_one_sentence():  # whatever is asked about noise further down, the table as it is can be told
        found = answered(work, "assess", WAIT, table, plain)
        blocks.show(today(found), level=2)
        charts.show(work, "sizes", asked_of(plain, "assess"), lambda: sizes_chart(found))
    _with_noise(work, table)


def today(found: Assessment) -> list[Block]:
    """What is said of the table as it is."""
    said: list[Block] = []
    for attribute in found.today:
        said.append(Text(headline(attribute, found.whom)))
        said += map(Text, harm_sentences(attribute))
    said += opening(found)
    for attribute in found.today:
        said += [*today_blocks(found, attribute), values_today_grid(attribute, found.whom)]
    return said


def _with_noise(work: Work, table: FrequencyTable) -> None:
    st.header("With noise, at a few budgets", anchor=False)
    left, right = st.columns(2)
    with left:
        controls.several_mechanisms(work, "today")
        controls.delta(work, "today")
    with right:
        controls.epsilons(work, "today")
        controls.several_measures(work, "today")
    with in_one_sentence():
        found: Assessment = answered(work, "assess", WAIT, table)
        blocks.show(budget_blocks(found))
        chosen = st.pills(
            "Draw as well",
            list(CHARTS),
            format_func=CHARTS.__getitem__,
            selection_mode="multi",
            key="today-charts",
            help="Each chart is drawn from the numbers above, for all budgets or for the one nearest to 1.",
        )
        for kind in chosen:
            charts.show(work, kind, asked_of(work.project, "assess"), lambda kind=kind: draw(kind, table, found))
