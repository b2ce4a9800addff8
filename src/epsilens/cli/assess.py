"""``epsilens assess``: a table in, its homogeneity risk out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli import options
from epsilens.cli.options import counted_table, numbers, table_to_read, taken, with_options
from epsilens.errors import ParameterError

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
    options.DELTAS,
    options.MEASURES,
    options.SIZE_MODEL,
    options.ALPHA,
    options.MATCH,
    click.option("--unweighted", is_flag=True, help="Average over cells instead of people."),
    click.option(
        "--weighting",
        "weightings",
        multiple=True,
        callback=options.names,
        metavar="W,..",
        help="Average over people, over cells, or over both side by side.  [default: people]",
    ),
    options.NEIGHBOURS,
    click.option(
        "--simulate",
        "repeats",
        callback=options.whole_number,
        metavar="R",
        help="Also add noise R times and show the simulated local risk: mean, SD, standard error.",
    ),
    options.whole_option(
        "--simulate-seed", "seed", default=2026, metavar="S", help="Another seed, another simulation."
    ),
    click.option(
        "--axis",
        metavar="epsilon|delta|both",
        help="What curves run along: epsilon, delta at each --epsilon, or both (a surface).  [default: epsilon]",
    ),
    options.EPSILON_RANGE,
    options.DELTA_RANGE,
    click.option("--knee", is_flag=True, help="Also the epsilon at which each risk starts to rise faster."),
    options.JSON,
    options.plot_option("Draw risk curves"),
)
"""Mechanisms, budgets, measures and the way to average."""


@click.command("assess")
@with_options(options.SOURCE)
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
      epsilens assess people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --mechanism gaussian-analytic --delta 1e-6,0.01 --knee
      epsilens assess people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --mechanism gaussian-probabilistic --axis delta --plot delta.svg

    The result holds exact risks of true data: it is internal, not for publication.
    """
    question = question_from(given)
    data = table_to_read(given)
    run(question, counted_table(data), given["plot"], given["as_json"])


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options of :data:`ASSESSED` ask; they and the chart's path are checked."""
    from epsilens.choice.questions.assess import Question

    if given["unweighted"] and given["weightings"]:
        raise ParameterError("says how to average already; leave out `unweighted`", parameter="weighting")
    question = Question(weighted=not given["unweighted"], **taken(given, Question))
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    elif not given["as_json"] and not (question.axis != "epsilon" or question.knee):
        for name in ("epsilon_range", "delta_range"):
            if given[name] is not None:
                raise ParameterError("is that of a curve: add `plot=FILE` or `json`", parameter=name)
    return question


def run(question: Question, table: FrequencyTable, chart: str | None, as_json: bool) -> None:
    """Assess, print and, where asked, draw."""
    from epsilens.choice.questions.assess import answer, assessment_curves, curve_steps, steps
    from epsilens.cli.terminal import print_json, show_internal, show_lines, working
    from epsilens.report.words.assess import summary, worded
    from epsilens.report.words.common import chart_written

    with working("Assessing", total=steps(question, len(table.sensitive))) as progress:
        assessment = answer(question, table, progress)
    if not as_json:
        show_internal(summary(assessment))
    ranged = question.axis != "epsilon" or question.epsilon_range is not None
    if chart is None and not (as_json and ranged):
        if as_json:
            print_json(worded(assessment))
        return
    with working("Drawing", total=curve_steps(question, len(table.sensitive))) as progress:
        curves = assessment_curves(table, question, progress)
    if as_json:
        drawn = {"curves": [{"sensitive": name, **curve.to_dict()} for name, curve in curves]}
        print_json(worded(assessment) | drawn | ({} if chart is None else {"charts": [chart]}))
    if chart is None:
        return
    from epsilens.report.charts.assess import risk_curve_chart
    from epsilens.report.charts.common import save_chart

    save_chart(risk_curve_chart(curves, assessment), chart)
    if not as_json:
        show_lines([chart_written(chart)])
