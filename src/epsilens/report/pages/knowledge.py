"""The report of attackers who know only some attributes."""

from __future__ import annotations

from epsilens.choice.knowing.answer import Knowledge
from epsilens.choice.questions.knowledge import Question
from epsilens.report.charts.knowledge import sets_chart
from epsilens.report.page.figures import figure
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Points, Section
from epsilens.report.pages.common import closing, cost_section, guarantee_section
from epsilens.report.words import methods
from epsilens.report.words.common import Grid, Note, Text, budget_text, joined
from epsilens.report.words.knowledge import notes, sentences, summary
from epsilens.report.words.report import assumptions


def page_of(
    found: Knowledge, question: Question, again: Again | None = None, dial: Section | None = None, title: str = ""
) -> Page:
    """The page of what every set of attributes discloses."""
    told = len(sentences(found))
    noises = [(budget.mechanism, budget.budget, budget.noise) for budget in found.budgets]
    tables = [block for block in summary(found)[told:] if not isinstance(block, Note)]
    rows = 1 if question.data is None else question.data.schema.max_rows_per_unit
    sections = [
        Section("In short", [Text(sentence) for sentence in sentences(found)]),
        *([] if dial is None else [dial]),
        guarantee_section(noises, question.neighbours, rows),
        Section("Which attributes disclose", [figure(sets_chart(found)), *tables]),
        Section("All digits", [Folded("Every set of attributes with all digits", [_exact(found)])]),
        Section("Notes", [Points(notes(found))]),
        *cost_section(noises),
        *closing(
            [
                "The attacker knows some of the attributes of a person exactly, and that the person is in the data; "
                "which of them varies.",
                *assumptions(question.neighbours, rows),
            ],
            [
                *methods.formulas(["local"], methods.MEASURES),
                *methods.formulas([budget.mechanism for budget in found.budgets], methods.MECHANISMS),
            ],
            again,
            methods.GUARANTEE,
            methods.ERRORS,
        ),
    ]
    return Page(title or f"What is learnt by who knows less: {found.sensitive}", sections)


def _exact(found: Knowledge) -> Grid:
    """Every set as the JSON of the answer has it."""
    headings = ["attributes known", "disclosed today"]
    for budget in found.budgets:
        name = f"{budget.mechanism}, {budget_text(budget.budget)}"
        headings += [f"added up: {name}", f"published: {name}"]
    rows = [
        [
            joined(one.attributes),
            str(one.disclosed_today),
            *(exactly(value) for risk in one.risks for value in (risk.added_up, risk.published)),
        ]
        for one in found.sets
    ]
    return Grid("Sets of attributes, all digits", headings, rows, words=1)
