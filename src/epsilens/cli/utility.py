"""``epsilens utility``: a table and budgets in, what noise does to its counts and marginals out."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli import options
from epsilens.cli.options import counted_table, numbers, table_to_read, taken, whole_number, with_options

LOOKED_AT = (
    options.STRUCTURAL_ZEROS,
    options.MECHANISMS,
    click.option(
        "--epsilon",
        "epsilons",
        multiple=True,
        callback=numbers,
        metavar="E,..",
        help="Budgets.  [default: 0.1,0.5,1,2,10]",
    ),
    click.option(
        "--delta",
        "deltas",
        multiple=True,
        callback=numbers,
        metavar="D,..",
        help="Deltas, for the Gaussian mechanisms: each with every epsilon.",
    ),
    click.option(
        "--ways",
        multiple=True,
        callback=numbers,
        metavar="W,..",
        help="Marginals of so many columns, all there are.  [default: 1,2,3]",
    ),
    click.option(
        "--sanitised",
        default="table",
        show_default=True,
        metavar="table|marginals",
        help="Where noise goes: into the table, whose marginals are sums, or into each marginal directly.",
    ),
    options.PUBLISH,
    options.BUDGET_OF,
    click.option(
        "--keep-negative", is_flag=True, help="Counts below 0 stay; otherwise they are raised to 0 before adding up."
    ),
    options.NEIGHBOURS,
    click.option(
        "--repetitions",
        callback=whole_number,
        metavar="R",
        help="Simulated releases for each budget.  [default: 100; fewer for very many counts]",
    ),
    options.whole_option("--seed", default=2026, metavar="S", help="Another seed, another simulation."),
    options.JSON,
    options.plot_option("Draw box plots of the distances"),
)
"""The noise, the marginals, and how counts are published."""


@click.command("utility")
@with_options(options.SOURCE)
@with_options(LOOKED_AT)
def command(**given: Any) -> None:
    """What noise does to counts and to the marginals of a table, at any budgets.

    For every marginal the total variation distance between true and published shares: the share of people who appear
    in another cell than their own. SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a
    database URL with --table.

    \b
    Examples:
      epsilens utility people.csv --qid sex,race --sensitive disease \\
        --epsilon 0.5,1
      epsilens utility people.csv --qid sex,race --sensitive disease \\
        --mechanism gaussian-analytic --delta 1e-6,0.01 --epsilon 1 \\
        --plot marginals.svg

    With --universe noise goes into all cells that are declared, the empty ones too, as in a release.

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.utility import Question, answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.report.words.common import BLANK, Text, chart_written
    from epsilens.report.words.utility import summary, worded

    data, chart = table_to_read(given), given["plot"]
    question = Question(data=data, **taken(given, Question))
    if chart is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(chart)
    table = counted_table(data)
    with working("Simulating releases", total=question.steps) as progress:
        found = answer(question, table, progress)
    if chart is not None:
        from epsilens.report.charts.common import save_chart
        from epsilens.report.charts.utility import marginal_distances_chart

        with working("Drawing"):
            save_chart(marginal_distances_chart(found), chart)
    if given["as_json"]:
        print_json(worded(found) | ({} if chart is None else {"charts": [chart]}))
        return
    show_internal([*summary(found), *([] if chart is None else [BLANK, Text(chart_written(chart))])])
