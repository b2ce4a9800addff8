"""The report of a choice: which budget keeps the ceiling, at which price, and what it means for people."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.budget import ZCDP, Budget
from epsilens.choice.publishing import table_noise
from epsilens.choice.questions import choose, choose_delta
from epsilens.choice.questions.assess import Question as AssessQuestion
from epsilens.choice.questions.assess import assess
from epsilens.noise import MECHANISMS
from epsilens.report.charts.choose import CHARTS, draw
from epsilens.report.charts.choose_delta import delta_chart
from epsilens.report.page.figures import figure
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Part, Section
from epsilens.report.pages.assess import shape_parts
from epsilens.report.pages.common import closing, cost_section, guarantee_section
from epsilens.report.words import choose as words
from epsilens.report.words import choose_delta as delta_words
from epsilens.report.words import methods
from epsilens.report.words.choose_answer import short_blocks
from epsilens.report.words.choose_terms import Answer as Plain
from epsilens.report.words.common import Grid, Text
from epsilens.report.words.decision import decision_blocks
from epsilens.report.words.explained import explained, measures_by
from epsilens.report.words.laws import law_blocks
from epsilens.report.words.report import NoiseOf, assumptions
from epsilens.table.frequency import FrequencyTable
from epsilens.table.to_read import HierarchyToRead

GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0)
"""Budgets that are told whatever was found: a budget that was tuned on true data says a little about them."""


def page_of(answer: choose.Answer, again: Again | None = None, dial: Section | None = None, title: str = "") -> Page:
    """The page of a choice of a budget."""
    plain = words.worded(answer)
    asked, question = answer.choice.dial.asked, answer.question
    of_hierarchy = answer.choice.dial.attack is not None
    rows = getattr(answer.choice.dial.data, "max_rows_per_unit", 1)  # as declared; a hierarchy has one per person
    shares = answer.choice.dial.shares
    noises = (
        []
        if of_hierarchy
        else grid_noises(asked.mechanism, asked.delta, asked.parameter, asked.neighbours, rows, round(1.0 / shares[0]))
    )
    sections = [
        Section("In short", [*_decision(answer, plain), *short_blocks(plain)]),
        *([] if dial is None else [dial]),
        Section("Recommendation", [Text(sentence) for sentence in plain["sentences"]]),
        *([] if of_hierarchy else [guarantee_section(noises, asked.neighbours, rows, shares)]),
        *_table(answer),
        Section("Risk against the budget", _risk(answer, plain)),
        *_prices(answer),
        *([] if of_hierarchy else cost_section(noises)),
        *closing(
            assumptions(asked.neighbours, rows, _known(question)),
            [
                *methods.formulas([asked.measure], methods.MEASURES),
                *methods.formulas([asked.mechanism], methods.MECHANISMS),
                *methods.formulas([question.attack or ""] if of_hierarchy else [], methods.ATTACKS),
            ],
            again,
            *([] if of_hierarchy else [methods.GUARANTEE, methods.ERRORS]),
        ),
    ]
    return Page(title or "Which budget to take", sections)


def _decision(answer: choose.Answer, plain: Plain) -> list[Part]:
    """What there is to decide about a table; a hierarchy has no cells of one kind."""
    table = answer.choice.dial.data
    if not isinstance(table, FrequencyTable):
        return []
    return [*decision_blocks(plain, table.quasi_identifiers, table.sensitive)]


def delta_page(answer: choose_delta.Answer, again: Again | None = None, title: str = "") -> Page:
    """The page of a choice of delta, where epsilon is fixed."""
    dial = answer.choice.dial
    sections = [
        Section("In short", delta_words.summary(answer)),
        Section("Risk against delta", [figure(delta_chart(answer))]),
        *closing(
            assumptions(dial.asked.neighbours, getattr(dial.data, "max_rows_per_unit", 1), _known(answer.question)),
            [
                *methods.formulas([dial.measure], methods.MEASURES),
                *methods.formulas([dial.mechanism], methods.MECHANISMS),
            ],
            again,
        ),
    ]
    return Page(title or "Which delta to take", sections)


def grid_noises(
    mechanism: str, delta: float | None, parameter: str, neighbours: str, rows_per_person: int = 1, tables: int = 1
) -> list[NoiseOf]:
    """The noise of the mechanism at budgets of a public grid, as far as it can honour them; a budget is that of so many
    tables together.
    """
    known = MECHANISMS[mechanism]
    budgets: list[Budget] = (
        [ZCDP(value) for value in GRID]
        if parameter == "rho"
        else [known.budget(value, delta) for value in GRID if value < known.below]
    )
    return [
        (mechanism, budget, table_noise(mechanism, budget, neighbours, rows_per_person, tables)) for budget in budgets
    ]


def _known(question: choose.Question | choose_delta.Question) -> Sequence[str]:
    """What the attacker knows of a person, where that is columns of a table."""
    data = question.data
    return () if data is None or isinstance(data, HierarchyToRead) else data.schema.qid_columns


def _table(answer: choose.Answer) -> list[Section]:
    """The table before any noise; a hierarchy has no cells of one kind."""
    table = answer.choice.dial.data
    if not isinstance(table, FrequencyTable):
        return []
    return [Section("The table as it is", shape_parts(assess(table, AssessQuestion(epsilons=(1.0,))), table))]


def _risk(answer: choose.Answer, plain: Plain) -> list[Part]:
    """The curve with the safe set, what the measure is, and all digits of the budgets told."""
    parts: list[Part] = [figure(draw("risk", answer), " ".join([plain["sentences"][0], "The band is the safe set."]))]
    parts += explained([plain["measure"]], measures_by(answer.question.match))
    if answer.laws:
        parts += law_blocks(answer.laws)
    return [*parts, Folded("The budgets of the short answer with all digits", [_exact(plain)])]


def _exact(plain: Plain) -> Grid:
    """The table of budgets as the JSON of the answer has it."""
    rows = plain["table"]
    names = [name for name in rows[0] if isinstance(rows[0][name], int | float | str | None)] if rows else []
    shown = [[exactly(row[name]) for name in names] for row in rows]
    return Grid("Budgets, all digits", [name.replace("_", " ") for name in names], shown)


def _prices(answer: choose.Answer) -> list[Section]:
    """What the risk costs, drawn: against other mechanisms, over marginals, in the worst case, and what else helps."""
    dial = answer.choice.dial
    of_hierarchy = dial.attack is not None
    kinds = []
    if not of_hierarchy and dial.parameter != "rho" and answer.question.publish != "separate":
        kinds.append("frontier")
    if answer.choice.finite_budget is not None and not of_hierarchy and answer.question.publish is None:
        kinds.append("marginals")
    if answer.worst_case is not None:
        kinds.append("trade-off")
    if answer.lever_effects:
        kinds.append("levers")
    drawn = [figure(draw(kind, answer)) for kind in kinds if CHARTS[kind].of_hierarchies or not of_hierarchy]
    return [Section("What the choice costs", drawn)] if drawn else []
