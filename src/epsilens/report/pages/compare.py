"""The report of a comparison: disclosure avoidance systems side by side."""

from __future__ import annotations

from typing import Any

from epsilens.choice.comparison import Comparison
from epsilens.choice.questions.compare import Question
from epsilens.report.charts.compare import BY_VALUE, comparison_charts
from epsilens.report.charts.compare_parts import NAMES
from epsilens.report.page.figures import figure
from epsilens.report.page.numbers import exactly
from epsilens.report.page.parts import Again, Folded, Page, Points, Section
from epsilens.report.pages.common import closing
from epsilens.report.words.common import Grid, Text, joined
from epsilens.report.words.compare import criteria_sentence, dominance, summary
from epsilens.report.words.compare_values import better_for_the_worst_off
from epsilens.report.words.explained import CRITERIA
from epsilens.report.words.report import assumptions


def page_of(
    comparison: Comparison, question: Question, axis: str | None = None, again: Again | None = None, title: str = ""
) -> Page:
    """The page of a comparison; charts are lines over an ``axis``, where one was asked for."""
    charts = comparison_charts(comparison, axis) if comparison.rows else {}
    drawn = [figure(chart, _sentence(comparison, name)) for name, chart in charts.items()]
    verdict = [*better_for_the_worst_off(comparison), Text(dominance(comparison))] if len(comparison.rows) > 1 else []
    known = () if question.data is None else question.data.schema.qid_columns
    sections = [
        *([Section("In short", verdict)] if verdict else []),
        Section("What is compared", [Points(_asked(question))], internal=False),
        Section("The systems side by side", summary(comparison)),
        *([Section("Criterion by criterion", drawn)] if drawn else []),
        Section("All digits", [Folded("Every system with all digits", [_exact(comparison)])]),
        *closing(
            [*assumptions("substitute", 1, known)[2:3], *_assumed(question)],
            list(CRITERIA.items()),
            again,
            "Bias, l1 error, fairness and RMSE are exact where the law of a system is known, and else simulated with "
            "a standard error. Source: P2.",
        ),
    ]
    return Page(title or "Disclosure avoidance systems compared", sections)


def _asked(question: Question) -> list[str]:
    """What was asked for; it follows from no data."""
    basis = (
        f"At epsilon {joined([f'{value:g}' for value in question.budgets])}."
        if question.ceiling is None
        else "Each at the epsilon that keeps the same risk."
    )
    return [f"Systems: {joined(question.names)}.", basis]


def _assumed(question: Question) -> list[str]:
    return [
        "Delta is by how much the promise of epsilon can fail if one record is substituted.",
        f"The Bayesian attacker knows everybody but one person, and gives that person a prior of {question.prior:g}.",
        "What is simulated uses one seed, so that the same question has the same answer.",
    ]


def _sentence(comparison: Comparison, criterion: str) -> str:
    return "" if criterion == BY_VALUE else criteria_sentence(comparison, criterion, NAMES[criterion])


def _exact(comparison: Comparison) -> Grid:
    """The rows of the comparison as its JSON has them."""
    rows: list[dict[str, Any]] = comparison.to_dict()["rows"]
    names = [name for name in dict.fromkeys(name for row in rows for name in row) if _plain(rows, name)]
    shown = [[exactly(row.get(name)) for name in names] for row in rows]
    return Grid("Systems, all digits", [name.replace("_", " ") for name in names], shown, words=1)


def _plain(rows: list[dict[str, Any]], name: str) -> bool:
    return all(isinstance(row.get(name), int | float | str | None) for row in rows)
