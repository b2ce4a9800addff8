"""The dial of a page: all budgets of a public grid, to choose among the noises and measures that were asked about.

A publishable page has the same dial without the table: what the noise guarantees, and what it costs.
"""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.choice.knowing.answer import Knowledge
from epsilens.choice.questions import choose, dial
from epsilens.choice.questions.assessment import Assessment
from epsilens.choice.questions.posterior import release
from epsilens.report.page.parts import Dial, Section
from epsilens.report.words.dial import merged, told
from epsilens.report.words.dial_sentences import Names
from epsilens.table.frequency import FrequencyTable
from epsilens.table.hierarchy import Situations

MOST = 6
"""Noises and measures to choose among; further ones have their curves."""
TITLE = "One dial"


def dial_of_assessment(assessment: Assessment, table: FrequencyTable, names: Names | None = None) -> Section | None:
    """Every noise and measure of an assessment, the first of them in front.

    Of a table that stands for a population, or in which attributes are published apart, there is none: a dial is of one
    table of people.
    """
    asked = assessment.question
    if len(table.sensitive) > 1 or table.max_rows_per_unit > 1:
        return None
    questions = [
        dial.Question(
            mechanism=mechanism,
            measure=measure,
            delta=delta,
            neighbours=asked.neighbours,
            aggregate_by="mean" if asked.weighted else "cell-mean",
            **asked.options(measure),
        )
        for measure in asked.measures
        for mechanism in asked.mechanisms
        for delta in asked.deltas_of(mechanism)
    ]
    return dial_section([dial.answer(question, table) for question in questions[:MOST]], names)


def dial_of_choice(answer: choose.Answer, names: Names | None = None) -> Section:
    """The dial that a budget was chosen on, with its ceiling and safe set."""
    return dial_section([dial.answer_of(answer)], names)


def dial_of_knowledge(found: Knowledge, table: FrequencyTable, neighbours: str, names: Names | None = None) -> Section:
    """The dial of whoever knows all attributes."""
    noises = dict.fromkeys((budget.mechanism, vars(budget.budget).get("delta")) for budget in found.budgets)
    questions = [dial.Question(mechanism=mechanism, delta=delta, neighbours=neighbours) for mechanism, delta in noises]
    return dial_section([dial.answer(question, table) for question in questions[:MOST]], names)


def dial_of_hierarchy(answer: release.Answer, situations: Situations, names: Names | None = None) -> Section:
    """The dial of a hierarchical release: its total budget, divided as it was."""
    asked = answer.question
    question = dial.Question(
        mechanism="discrete-gaussian",
        measure="posterior",
        rho=True,
        prior=asked.prior,
        attack=asked.attack,
        rare=asked.rare,
        family=asked.family,
        shares=asked.budgets,
        budgets=(float(sum(asked.budgets)),),
    )
    return dial_section([dial.answer(question, situations)], names)


def dial_section(answers: Sequence[dial.DialAnswer], names: Names | None = None) -> Section:
    """The dials in one section; what stays of them on a publishable page follows from budgets alone."""
    by_noise = {(answer.question.mechanism, answer.question.delta): answer for answer in reversed(answers)}
    public = [told(answer, names, publishable=True) for answer in reversed(by_noise.values())]  # measures need data
    return Section(TITLE, [Dial(merged([told(answer, names) for answer in answers]))], instead=[Dial(merged(public))])
