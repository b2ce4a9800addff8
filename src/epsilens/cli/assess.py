"""``epsilens assess``: a table in, its homogeneity risk out."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli import options
from epsilens.cli.options import counted_table, numbers, table_to_read, taken, with_options

if TYPE_CHECKING:
    from epsilens.choice.questions.assess import Question
    from epsilens.table import FrequencyTable

ASSESSED = (
    options.MECHANISMS,
    click.option(
        "--epsilon",
        "epsilons",
        multiple=True,
        callback=numbers,
        metavar="E,..",
        help="Budgets.  [default: 0.1,0.5,1,2,5]",
    ),
    options.DELTA,
    options.MEASURES,
    options.SIZE_MODEL,
    options.ALPHA,
    options.MATCH,
    click.option("--unweighted", is_flag=True, help="Average over cells instead of people."),
    options.NEIGHBOURS,
    click.option(
        "--simulate",
        "repeats",
        callback=options.whole_number,
        metavar="R",
        help="Also add noise R times and show the simulated local risk with its standard error.",
    ),
    options.whole_option(
        "--simulate-seed", "seed", default=2026, metavar="S", help="Another seed, another simulation."
    ),
    options.PUBLISH_EITHER,
    options.BUDGET_OF,
    options.JSON,
    options.plot_option("Draw risk curves"),
)
"""Mechanisms, budgets, measures and the way to average."""


@click.command("assess")
@with_options(options.SOURCE)
@options.STRUCTURAL_ZEROS
@with_options(ASSESSED)
def command(**given: Any) -> None:
    """What is at risk in a table, today and at a few budgets.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5
      epsilens assess counts.csv --qid region,sex --sensitive disease \\
        --count n --epsilon 0.5,1
      epsilens assess people.csv --qid block_group,sex --sensitive disease \\
        --mechanism laplace,discrete-laplace --plot risk.svg

    The result holds exact risks of true data: it is internal, not for publication.
    """
    question = question_from(given)
    data = table_to_read(given)
    replace(question, data=data)  # refused before the data are read, where they cannot answer
    run(question, counted_table(data), given["plot"], given["as_json"])


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options of :data:`ASSESSED` ask; they and the chart's path are checked."""
    from epsilens.choice.questions.assess import Question

    question = Question(weighted=not given["unweighted"], **taken(given, Question))
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    return question


def run(question: Question, table: FrequencyTable, chart: str | None, as_json: bool) -> None:
    """Assess, print and, where asked, draw."""
    from epsilens.choice.questions.assess import answer, assessment_curves, curve_steps, steps
    from epsilens.cli.terminal import print_json, show_internal, show_lines, working
    from epsilens.report.words.assess import summary, worded
    from epsilens.report.words.common import chart_written

    with working("Assessing", total=steps(question, len(table.sensitive))) as progress:
        assessment = answer(question, table, progress)
    if as_json:
        print_json(worded(assessment) | ({} if chart is None else {"charts": [chart]}))
    else:
        show_internal(summary(assessment))
    if chart is None:
        return
    from epsilens.report.charts.assess import risk_curve_chart
    from epsilens.report.charts.common import save_chart

    with working("Drawing", total=curve_steps(question, len(table.sensitive))) as progress:
        save_chart(risk_curve_chart(assessment_curves(table, question, progress), assessment), chart)
    if not as_json:
        show_lines([chart_written(chart)])
