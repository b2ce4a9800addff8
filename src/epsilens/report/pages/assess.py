"""The report of an assessment: what is at risk in a table, today and at every budget."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.choice.cell_risks import riskiest_cells
from epsilens.choice.curve import RiskCurve
from epsilens.choice.questions.assess import assessed_parts
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.charts.assess import risk_curve_chart
from epsilens.report.charts.assess_kinds import draw
from epsilens.report.page.figures import figure
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Part, Section
from epsilens.report.pages.common import closing, cost_section, guarantee_section
from epsilens.report.words import methods
from epsilens.report.words.assess import (
    diagnostics_grid,
    every_budget_blocks,
    preview_sentences,
    publishing_sentence,
    short_blocks,
    today_sentences,
)
from epsilens.report.words.cells import opening, riskiest_blocks
from epsilens.report.words.common import BLANK, Grid, Heading, Text, budget_text
from epsilens.report.words.curves import curve_sentences
from epsilens.report.words.falling import falling_sentences
from epsilens.report.words.households import household_blocks
from epsilens.report.words.population import population_blocks
from epsilens.report.words.report import WHY_CELLS_ARE_SENSITIVE, NoiseOf, assumptions
from epsilens.table.frequency import FrequencyTable

RISKIEST = 10
"""How many of the riskiest cells stand on a page where nobody said how many."""
MOST_ATTRIBUTES = 3
"""Of more sensitive attributes the spread over people and the scenarios are left to charts of their own."""


def page_of(
    assessment: Assessment,
    table: FrequencyTable,
    curves: Sequence[tuple[str, RiskCurve]],
    again: Again | None = None,
    dial: Section | None = None,
    title: str = "",
) -> Page:
    """The page of an assessment of ``table``, with the curves of all its mechanisms and measures."""
    names = " and ".join(attribute.sensitive for attribute in assessment.today if not attribute.combined)
    noises = noises_of(assessment)
    question = assessment.question
    sections = [
        Section("In short", [*short_blocks(assessment), *_stands_out(assessment)]),
        *([] if dial is None else [dial]),
        guarantee_section(noises, question.neighbours, assessment.max_rows_per_unit, _shares(assessment)),
        Section("The table as it is", shape_parts(assessment, table)),
        Section("Risk at every budget", _risks(assessment, curves)),
        *_fates(assessment, table),
        *_spread(assessment, table),
        *_beside(assessment),
        *_riskiest(assessment, table),
        *cost_section(noises),
        Section("Before a release", [Text(sentence) for sentence in preview_sentences(assessment)]),
        *closing(
            assumptions(question.neighbours, assessment.max_rows_per_unit, assessment.quasi_identifiers),
            [
                *methods.formulas(question.measures, methods.MEASURES),
                *methods.formulas(question.mechanisms, methods.MECHANISMS),
            ],
            again,
            methods.GUARANTEE,
            methods.ERRORS,
        ),
    ]
    return Page(title or f"What is at risk: {names}", sections)


def _shares(assessment: Assessment) -> tuple[float, ...]:
    """Which share of the budget each of the published tables gets: several attributes are in one of their own each,
    unless they are published jointly.
    """
    question = assessment.question
    tables = 1 if question.publish == "joint" else sum(not attribute.combined for attribute in assessment.today)
    return (1.0 / tables if question.budget_of == "all" else 1.0,) * tables


def noises_of(assessment: Assessment) -> list[NoiseOf]:
    """Every noise that was asked about, once: they are the same for all attributes."""
    first = assessment.today[0].sensitive
    return [(line.mechanism, line.budget, line.noise) for line in assessment.lines if line.sensitive == first]


def _stands_out(assessment: Assessment) -> list[Part]:
    """What a reader of averages would miss: risks that fall as budgets grow."""
    first, *_ = assessment.today
    lines = [
        line
        for line in assessment.lines
        if line.sensitive == first.sensitive and line.mechanism == assessment.question.mechanisms[0]
    ]
    falls = list(falling_sentences(assessment, lines))
    return [Heading("What stands out"), *map(Text, falls)] if falls else []


def shape_parts(assessment: Assessment, table: FrequencyTable) -> list[Part]:
    """People, cells and their sizes, and the classic diagnostics."""
    parts: list[Part] = [*opening(assessment)]
    if assessment.overall:
        parts.append(Text(publishing_sentence(assessment)))
    for attribute in assessment.today:
        parts += [Heading(attribute.sensitive), *map(Text, today_sentences(assessment, attribute))]
        parts.append(diagnostics_grid(attribute))
    return [*parts, figure(draw("sizes", table, assessment))]


def _risks(assessment: Assessment, curves: Sequence[tuple[str, RiskCurve]]) -> list[Part]:
    """Curves of all mechanisms and measures, the same in tables, and all digits of every budget."""
    parts: list[Part] = []
    if curves:
        said = " ".join(curve_sentences(curves))
        parts.append(figure(risk_curve_chart(curves, assessment), said))
    return [*parts, *every_budget_blocks(assessment), Folded("Every budget with all digits", [_exact(assessment)])]


def _exact(assessment: Assessment) -> Grid:
    """The risks of all budgets as the JSON of the assessment has them."""
    measures = list(assessment.question.measures)
    headings = ("attribute", "mechanism", "budget", *measures, "shown, theirs", "shown, wrong", "error of a count")
    rows = []
    for line, plain in zip(assessment.lines, assessment.to_dict()["budgets"], strict=True):
        numbers = [plain["risks"][name] for name in measures] + [plain[key] for key in ("right", "wrong", "error")]
        rows.append((line.sensitive, line.mechanism, budget_text(line.budget), *map(exactly, numbers)))
    return Grid("Risks and errors, all digits", headings, rows, words=3)


def _fates(assessment: Assessment, table: FrequencyTable) -> list[Section]:
    """The eight scenarios, of tables with one attribute at a time."""
    question = assessment.question
    if question.publish is not None or len(assessment.today) > MOST_ATTRIBUTES:
        return []
    return [Section("What becomes of cells", [figure(draw("scenarios", table, assessment))])]


def _spread(assessment: Assessment, table: FrequencyTable) -> list[Section]:
    """How the risk is spread over people, and who is shown as what."""
    question = assessment.question
    if len(assessment.today) > MOST_ATTRIBUTES:
        return []
    kinds = [*(["people"] if question.by_cell else []), "values"]
    return [Section("Whose risk it is", [figure(draw(kind, table, assessment)) for kind in kinds])]


def _beside(assessment: Assessment) -> list[Section]:
    """Households, and the population that the table is a sample of, where these were asked for."""
    sections = []
    if assessment.households is not None:
        blocks = household_blocks(assessment.households, assessment.today[0].sensitive)
        sections.append(Section("Households", list(blocks)))
    if assessment.population is not None:
        sections.append(Section("The population", list(population_blocks(assessment.population))))
    return sections


def _riskiest(assessment: Assessment, table: FrequencyTable) -> list[Section]:
    """The riskiest cells, behind a question: of tables with one attribute at a time."""
    question = assessment.question
    if question.publish is not None or not question.by_cell or not assessment.lines:
        return []
    left_out = [name for name in question.measures if name not in question.by_cell]
    blocks: list[Part] = []
    for part in assessed_parts(table, question):
        lines = [line for line in assessment.lines if line.sensitive == part.name]
        prepared = {name: part.prepare(name, **question.options(name)) for name in question.by_cell}
        ranked_by = min(range(len(lines)), key=lambda i: abs(lines[i].epsilon - 1.0))
        noises = [(line.called, line.noise) for line in lines]
        found = riskiest_cells(part.table, part.name, prepared, noises, ranked_by, question.riskiest or RISKIEST)
        blocks += [BLANK, *riskiest_blocks(found, lines, left_out)]
    return [Section("The riskiest cells", [Folded("Show the riskiest cells", blocks, WHY_CELLS_ARE_SENSITIVE)])]
