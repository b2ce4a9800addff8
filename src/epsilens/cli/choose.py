"""``epsilens choose``: a tolerable risk in, a budget out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.choose_answer import answered, chosen, in_option_words
from epsilens.cli.choose_checks import CHARTS, Request, checked
from epsilens.cli.options import names, numbers, schema_from, source_options

if TYPE_CHECKING:
    from epsilens.choice.choose.budget_choice import BudgetChoice


@click.command("choose")
@source_options
@click.option("--max-risk", metavar="R", help="The ceiling, a probability in (0, 1].  [required]")
@click.option("--max-people", metavar="M", help="At most M people may be above the ceiling, instead of the average.")
@click.option("--max-error", metavar="E", help="Also a ceiling on the expected absolute error of a count.")
@click.option(
    "--profile",
    metavar="P",
    help="Also a risk profile: '3', 'max(0.25/p,3)' or 'max(0.25/(pq),3)' (posterior / prior).",
)
@click.option(
    "--mechanism",
    default="laplace",
    show_default=True,
    metavar="M",
    help="laplace, discrete-laplace, gaussian, gaussian-probabilistic, gaussian-analytic or discrete-gaussian.",
)
@click.option("--delta", metavar="D", help="Delta, for the Gaussian mechanisms.")
@click.option("--rho", "in_rho", is_flag=True, help="Choose rho (zCDP) instead of epsilon.")
@click.option(
    "--measure",
    default="local",
    show_default=True,
    metavar="M",
    help="A measure of `epsilens assess`, or posterior, posterior-ratio, posterior-decision.",
)
@click.option(
    "--aggregate", metavar="A", help="mean (over people), cell-mean, max, or a quantile such as q95.  [default: mean]"
)
@click.option(
    "--attributes",
    metavar="joint|max|sum",
    help="Several --sensitive: their combinations, or the largest or the sum of their risks.  [default: joint]",
)
@click.option("--match", metavar="any|share", help="As in `epsilens assess`.")
@click.option("--size-model", metavar="LAW", help="As in `epsilens assess`.")
@click.option("--alpha", metavar="A,..", help="As in `epsilens assess`.")
@click.option("--prior", metavar="P", help="The adversary's prior, for the posterior measures.  [default: 0.5]")
@click.option("--levels", callback=names, metavar="A,B", help="Columns of a hierarchy of groups, lowest first.")
@click.option("--by", callback=names, metavar="A,B", help="With --levels: characteristics that make people alike.")
@click.option("--codes", metavar="C", help="With --levels: unique, or within-parent.  [default: unique]")
@click.option(
    "--attack", metavar="A", help="With --levels: single, two-level or unique-levels.  [default: unique-levels]"
)
@click.option("--rare", metavar="N", help="With --levels: people in cells of at most N.  [default: 1]")
@click.option(
    "--shares",
    callback=numbers,
    metavar="S,..",
    help="With --levels: the levels' shares of the budget.  [default: equal]",
)
@click.option("--neighbours", default="add-remove", show_default=True, metavar="N", help="add-remove or substitute.")
@click.option(
    "--round-down", is_flag=True, help="Use the public grid 1, 2, 5, 10, ... for the budget that is exported."
)
@click.option("--against", metavar="M", help="Compare errors with another mechanism at the same risk.")
@click.option("--levers", "with_levers", is_flag=True, help="Also what coarser or fewer quasi-identifiers would do.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw a chart: .svg, .png or .html.")
@click.option("--chart", metavar="KIND", help=f"What to draw: {', '.join(CHARTS)}.  [default: risk]")
@click.option("--export", metavar="opendp", help="Write a Python script that releases the table with OpenDP.")
@click.option("--script", metavar="FILE", help="Where to write it.  [default: release_opendp.py]")
def command(**given: Any) -> None:
    """Which budget keeps the risk at or below a ceiling, and at which price.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens choose adult.csv --qid age,sex,race --sensitive income --bins age=5 --max-risk 0.3
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.5 --max-people 10
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.3 --profile 'max(0.25/p,3)'
      epsilens choose adult.csv --qid age,sex --sensitive income --max-risk 0.3 --export opendp
      epsilens choose people.csv --levels block,block_group,tract --by age,sex --measure posterior-ratio \\
        --attack two-level --mechanism discrete-gaussian --rho --max-risk 1.2

    With --levels SOURCE is a hierarchy of groups: the budget is that of all levels together, and the adversary knows
    everybody but one person.

    The result is computed from true data: it is internal, not for publication.
    """
    request = checked(given)
    if given["export"] is not None:
        from epsilens.release.opendp_script import check_exportable, check_script_path

        check_exportable(given["source"], schema_from(given))
        check_script_path(request.script)
    with in_option_words(given["measure"]):
        choice = chosen(request, given)
        answer = answered(choice, request, given)
        if given["plot"] is not None:
            _draw(choice, request, given)
    if given["export"] is not None:
        _export(choice, answer, request.script, given)
    _show(answer, request.script, given)


def _export(choice: BudgetChoice, answer: dict[str, Any], path: str, given: dict[str, Any]) -> None:
    from epsilens.errors import ParameterError
    from epsilens.release.opendp_script import opendp_script, write_script

    budget = answer["combined_budget"] if "combined_budget" in answer else answer["budget"]
    if given["round_down"]:
        budget = answer["public_budget"]
    if budget is None:
        raise ParameterError(f"there is no budget to export: {answer['sentences'][0]}")
    script = opendp_script(choice.dial, float(budget), given["source"], schema_from(given), given["count"])
    write_script(script, path)


def _draw(choice: BudgetChoice, request: Request, given: dict[str, Any]) -> None:
    from epsilens.cli.terminal import working
    from epsilens.report.charts import choose as choice_charts
    from epsilens.report.charts.common import save_chart

    with working("Drawing"):
        drawn = choice_charts.draw(request.chart, choice, given["against"], request.options, request.delta)
        save_chart(drawn, given["plot"])


def _show(answer: dict[str, Any], script: str, given: dict[str, Any]) -> None:
    from epsilens.cli.terminal import console, print_json
    from epsilens.report.words.common import INTERNAL

    if given["as_json"]:
        print_json(answer)
        return
    from rich.markup import escape

    out = console()
    out.print(f"[bold]Epsilens[/bold]  [dim]{INTERNAL}[/dim]\n")
    out.print(escape(" ".join(answer["sentences"])))
    if given["plot"] is not None:
        out.print(f"\nChart written to {escape(given['plot'])} (internal).")
    if given["export"] is not None:
        out.print(f"\nScript written to {escape(script)}; it holds no counts. Read its first lines before use.")
