"""The charts of an assessment by name, besides its risk curves."""

from __future__ import annotations

from collections.abc import Callable

from epsilens.checks import one_of
from epsilens.choice.questions.assess_question import Question
from epsilens.choice.questions.assessment import Assessment
from epsilens.report.charts.common import Chart
from epsilens.report.charts.households import households_chart
from epsilens.report.charts.people import check_people, people_chart
from epsilens.report.charts.population import population_chart
from epsilens.report.charts.scenarios import scenario_chart
from epsilens.report.charts.sizes import sizes_chart
from epsilens.report.charts.values import values_chart
from epsilens.table.frequency import FrequencyTable

CHARTS: dict[str, Callable[[FrequencyTable, Assessment], Chart]] = {
    "scenarios": scenario_chart,
    "sizes": lambda _table, assessment: sizes_chart(assessment),
    "population": population_chart,
    "values": values_chart,
    "people": people_chart,
    "households": households_chart,
}
KINDS = ("risk", *CHARTS)
"""What can be asked for; risk curves are drawn along an axis of their own."""


def check_kind(kind: str, question: Question | None = None) -> str:
    """The name of a chart, refused if there is none such, or if the question has no answer that it could draw."""
    if one_of("chart", kind, KINDS) == "people" and question is not None:
        check_people(question.by_cell, question.measures[0])
    return kind


def draw(kind: str, table: FrequencyTable, assessment: Assessment) -> Chart:
    """The chart of that name."""
    return CHARTS[one_of("chart", kind, CHARTS)](table, assessment)
