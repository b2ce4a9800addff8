"""``epsilens knowledge``: attackers who know only some attributes."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli import options
from epsilens.cli.options import counted_table, with_options
from epsilens.cli.reports import REPORT_OPTIONS, again, report_from

ASKED = (
    options.MECHANISMS,
    options.EPSILONS,
    options.DELTAS,
    click.option(
        "--knows",
        callback=options.names,
        metavar="A,B",
        help="Tell first what somebody learns who knows just these quasi-identifiers.",
    ),
    click.option(
        "--share",
        callback=options.fraction,
        metavar="S",
        help="Look for the smallest sets that disclose this share of people.  [default: half of what all disclose]",
    ),
    click.option(
        "--largest-set",
        callback=options.whole_number,
        metavar="N",
        help="Look at sets of at most N columns; needed for more than 12 quasi-identifiers.  [default: all sets]",
    ),
    options.NEIGHBOURS,
    options.JSON,
    options.plot_option("Draw the sets of attributes and what they disclose"),
    *REPORT_OPTIONS,
)
"""The noise, and which sets."""


@click.command("knowledge")
@with_options(options.SOURCE)
@options.STRUCTURAL_ZEROS
@with_options(ASKED)
def command(**given: Any) -> None:
    """What attackers learn who know only some attributes, for every set of them.

    For every set of the quasi-identifiers: people disclosed today; the risk where only the full table is published and
    the attacker adds up its noisy counts; and the risk where that marginal is published itself. Exact. SOURCE is a CSV
    or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens knowledge people.csv --qid age,sex,race --sensitive disease \\
        --bins age=10 --epsilon 0.5,1 --knows age,sex
      epsilens knowledge people.csv --qid age,sex,race --sensitive disease \\
        --bins age=10 --share 0.1 --plot sets.svg
      epsilens knowledge people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease --largest-set 2 \\
        --mechanism discrete-laplace --epsilon 1

    With --universe all cells that are declared are added up, the empty ones too, as in a release.

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.knowledge import answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.project.asking import knowledge
    from epsilens.report.words.common import BLANK, Text, chart_written
    from epsilens.report.words.knowledge import summary, worded

    question, chart, report = knowledge(given), given["plot"], report_from(given)
    assert question.data is not None
    if chart is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(chart)
    table = counted_table(question.data)
    with working("Looking at sets of attributes", total=question.steps(len(table.quasi_identifiers))) as progress:
        found = answer(question, table, progress)
    with working("Looking at clipped counts, levels and coarser columns"):
        found.beside  # noqa: B018 (found when it is first asked for)
    if chart is not None:
        from epsilens.report.charts.common import save_chart
        from epsilens.report.charts.knowledge import sets_chart

        with working("Drawing"):
            save_chart(sets_chart(found), chart)
    written = [] if chart is None else [BLANK, Text(chart_written(chart))]
    if report is not None:
        from epsilens.report.pages.dials import dial_of_knowledge
        from epsilens.report.pages.knowledge import page_of

        with working("Writing the report"):
            turned = dial_of_knowledge(found, table, question.neighbours)
            page = page_of(found, question, again("knowledge"), turned)
            written += [BLANK, Text(report.write(page))]
    if given["as_json"]:
        files = ({} if chart is None else {"charts": [chart]}) | ({} if report is None else {"report": report.path})
        print_json(worded(found) | files)
        return
    show_internal([*summary(found), *written])
