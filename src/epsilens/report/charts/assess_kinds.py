"""The charts of an assessment by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from epsilens.checks import one_of
from epsilens.choice.questions.assess import Assessment, Question, assessment_curves, curve_steps
from epsilens.report.charts.assess import risk_curve_chart
from epsilens.report.charts.common import Chart
from epsilens.report.charts.scenarios import scenario_chart, scenario_steps
from epsilens.report.charts.sizes import sizes_chart
from epsilens.table.frequency import FrequencyTable

Progress: TypeAlias = Callable[[int], None]


def _risk(table: FrequencyTable, assessment: Assessment, progress: Progress | None) -> Chart:
    return risk_curve_chart(assessment_curves(table, assessment.question, progress), assessment)


def _sizes(_table: FrequencyTable, assessment: Assessment, _progress: Progress | None) -> Chart:
    return sizes_chart(assessment)


CHARTS: dict[str, Callable[[FrequencyTable, Assessment, Progress | None], Chart]] = {
    "risk": _risk,
    "scenarios": scenario_chart,
    "sizes": _sizes,
}
_STEPS: dict[str, Callable[[Question, int], int]] = {"risk": curve_steps, "scenarios": scenario_steps}


def check_kind(kind: str) -> str:
    """The name of a chart, anything else refused."""
    return one_of("chart", kind, CHARTS)


def draw(kind: str, table: FrequencyTable, assessment: Assessment, progress: Progress | None = None) -> Chart:
    """The chart of that name; ``progress`` is called :func:`drawing_steps` times at most."""
    return CHARTS[check_kind(kind)](table, assessment, progress)


def drawing_steps(kind: str, question: Question, attributes: int) -> int:
    """How often :func:`draw` calls ``progress`` at most, for a table of so many sensitive attributes."""
    return _STEPS[kind](question, attributes) if kind in _STEPS else 1
