"""``epsilens compare``: disclosure avoidance systems side by side on one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli import options
from epsilens.cli.options import (
    counted_table,
    fraction,
    names,
    numbers,
    typed,
    whole_number,
    whole_numbers,
    whole_option,
    with_options,
)
from epsilens.cli.reports import REPORT_OPTIONS, again, report_from
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.questions.compare import Question


@click.command("compare")
@with_options(options.SOURCE)
@click.option(
    "--systems",
    callback=names,
    default="all",
    show_default=True,
    metavar="S,..",
    help="Names (see above), all or published.",
)
@click.option("--epsilon", "epsilons", callback=numbers, metavar="E,..", help="Budgets.  [default: 0.5,1,2,4]")
@whole_option("--repetitions", default=200, metavar="R", help="Releases per system.")
@click.option(
    "--k",
    callback=whole_numbers,
    default="6",
    show_default=True,
    metavar="K,..",
    help="Threshold of suppression, and size of the classes of k-anonymity.",
)
@options.SWAPPED_COLUMNS
@click.option(
    "--swapped-share",
    default="0.1",
    show_default=True,
    callback=numbers,
    metavar="P,..",
    help="Share of rows that change places in plain swapping.",
)
@click.option(
    "--base",
    callback=whole_numbers,
    default="5",
    show_default=True,
    metavar="M,..",
    help="Base of rounding: counts become multiples of it.",
)
@click.option(
    "--bound",
    callback=whole_number,
    metavar="B",
    help="Largest count that is possible, for deltas.  [default: the largest true count]",
)
@options.ORDERED
@options.GENERALISATIONS
@click.option("--group", metavar="COL", help="Compare the biases of this column's groups as well.")
@click.option(
    "--equal-risk",
    metavar="KIND=R",
    help="Compare at an equal risk instead: homogeneity=0.1 or posterior=0.6.",
)
@click.option(
    "--prior", default="0.5", show_default=True, callback=fraction, metavar="P", help="Prior of the posterior risk."
)
@click.option("--audit", "with_audit", is_flag=True, help="Check the published privacy claims by enumeration.")
@click.option("--theorems", "with_theorems", is_flag=True, help="What each printed theorem is worth on this table.")
@click.option("--no-classify", is_flag=True, help="Leave out the classifier, which takes the longest.")
@whole_option("--jobs", "n_jobs", default=1, metavar="N", help="Processes that share the releases.")
@whole_option("--seed", default=2026, metavar="S", help="Seed of the simulation.")
@click.option(
    "--plot",
    type=click.Path(),
    metavar="FILE",
    help="One chart per criterion: c-delta.svg etc. for c.svg.",
)
@click.option("--axis", metavar="epsilon|k|share|base", help="Draw lines over this, one per system.")
@options.JSON
@with_options(REPORT_OPTIONS)
def command(**given: Any) -> None:
    """Suppression, swapping, k-anonymity and noisy counts side by side.

    Bias, l1 error, fairness and RMSE are exact where the law is known; everything else has a standard
    error. At the end it says which systems are dominated. Lists are compared in every combination.

    \b
    Examples:
      epsilens compare people.csv --qid age,sex --sensitive income \\
        --bins age=10 --ordered age
      epsilens compare people.csv --qid county,sex --sensitive disease \\
        --universe u.json --swap sex --audit
      epsilens compare people.csv --qid age,sex --sensitive income \\
        --bins age=10 --equal-risk homogeneity=0.05 --plot c.svg
      epsilens compare people.csv --qid age,sex --sensitive income \\
        --bins age=10 --systems suppression,dp-suppression \\
        --k 2,4,6,8,10 --plot c.svg --axis k

    \b
    Here u.json declares what can be in the columns:
      {"county": ["C001", "C002"], "sex": ["female", "male"],
       "disease": ["none", "asthma", "cancer", "diabetes",
                   "heart disease"]}

    Systems: laplace, discrete-laplace, gaussian, discrete-gaussian, dp-suppression,
    dp-suppression-one-threshold, dp-swapping, dp-swapping-rows, dp-k-anonymity,
    discrete-gaussian-text, suppression, suppression-at-least-half, rounding, random-rounding,
    swapping, swapping-different, swapping-cells, swapping-discrepancy,
    swapping-discrepancy-cells, k-anonymity, k-anonymity-relaxed, k-anonymity-full-domain.

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.compare import answer
    from epsilens.cli.terminal import print_json, show_internal, show_lines, working
    from epsilens.report.words.compare import charts_written, summary

    question, report = question_from(given), report_from(given)
    assert question.data is not None
    table = counted_table(question.data)
    with working("Comparing", total=question.steps) as progress:
        comparison = answer(question, table, progress)
    if given["plot"] is not None:
        from epsilens.report.charts.compare import save_comparison_charts

        written = save_comparison_charts(comparison, given["plot"], given["axis"])
    files: dict[str, Any] = {} if given["plot"] is None else {"charts": [str(path) for path in written]}
    if report is not None:
        from epsilens.report.pages.compare import page_of

        with working("Writing the report"):
            said = report.write(page_of(comparison, question, given["axis"], again("compare")))
        files |= {"report": report.path}
    if given["as_json"]:
        print_json(comparison.to_dict() | files)
        return
    show_internal(summary(comparison))
    if report is not None:
        show_lines([said])
    if given["plot"] is not None:
        show_lines([charts_written(written)])


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options ask; everything that needs no data is checked."""
    from epsilens.project.asking import compare

    question = compare(given, typed(given))
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    if given["axis"] is not None:
        from epsilens.choice.questions.compare import check_axis

        if given["plot"] is None and given["report"] is None:
            raise ParameterError("is for charts", parameter="axis", remedy="say in `plot` where to write them")
        check_axis(given["axis"], question)
    return question
