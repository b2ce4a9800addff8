"""All cells of an assessed table, each with every risk: what a file of cells holds."""

from __future__ import annotations

from epsilens.choice.cell_risks import CellRows, cell_rows
from epsilens.choice.questions.assess import attribute_tables
from epsilens.choice.questions.assessment import Assessment, BudgetLine
from epsilens.homogeneity.measures import prepare
from epsilens.table.frequency import FrequencyTable


def all_cells(table: FrequencyTable, assessment: Assessment) -> list[CellRows]:
    """Every non-empty cell with the risks of the assessment, once for each sensitive attribute."""
    question = assessment.question
    question.check_cells()
    found = []
    for name, attribute in attribute_tables(table):
        prepared = {measure: prepare(measure, attribute, **question.options(measure)) for measure in question.by_cell}
        noises = {_named(line): line.noise for line in assessment.lines if line.sensitive == name}
        found.append(cell_rows(attribute, name, prepared, noises))
    return found


def _named(line: BudgetLine) -> str:
    """``laplace, epsilon=0.5``."""
    return ", ".join([line.mechanism, *(f"{name}={value:g}" for name, value in vars(line.budget).items())])
