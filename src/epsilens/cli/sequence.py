"""``epsilens sequence``: several releases about the same people, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from epsilens.cli import options

if TYPE_CHECKING:
    from epsilens.homogeneity.local import Match


@click.command("sequence")
@click.argument("plan", type=click.Path())
@click.option(
    "--match",
    type=click.Choice(["share", "any"]),
    default="share",
    show_default=True,
    help="What counts: the share of a cell who have the value shown, or a cell if anybody in it has.",
)
@click.option(
    "--delta",
    default="1e-06",
    show_default=True,
    callback=options.number,
    metavar="D",
    help="Delta at which budgets are composed.",
)
@options.engine_options
@options.plot_option("Risk release by release")
@options.JSON
def command(plan: str, match: Match, delta: float, plot: str | None, as_json: bool) -> None:
    """What several releases about the same people give away together, and cost.

    The attacker sees all of them. New sensitive attributes, new quasi-identifiers and new people
    (a "cohort") may come with every release, a release may count some of the people only, and it may be made to
    add up to an earlier one ("parent").

    \b
    Examples:
      epsilens sequence plan.json
      epsilens sequence plan.json --match any --plot sequence.svg

    \b
    PLAN is a JSON file, here plan.json; what all releases share stands
    outside of the list, and paths are relative to the file:
      {"source": "people.csv", "qid": ["age", "sex"], "bins": {"age": 10},
       "mechanism": "laplace",
       "releases": [
         {"name": "sizes", "sizes": true, "epsilon": 0.5},
         {"name": "income", "sensitive": "income", "epsilon": 1,
          "parent": "sizes"},
         {"name": "both", "sensitive": ["income", "disease"], "epsilon": 1,
          "parent": "income"}]}

    \b
    People who are in the same releases make a cohort. A release counts those
    that it names, in one table; all of them if it names none:
      {"qid": ["age", "sex"], "bins": {"age": 10}, "epsilon": 1,
       "source": "people.csv",
       "cohorts": {"old": {"where": "year=2025"},
                   "new": {"where": "year=2026"}},
       "releases": [
         {"cohort": "old", "sensitive": "income"},
         {"sensitive": ["income", "disease"]}]}

    Further keys: harmful (["disease=stroke"]: only these values harm whoever is shown to have them; "disease=stroke*3"
    counts three times), table, count, universe, structural_zeros, where (["age>=18", "job!="]), missing ("drop", or by
    column), missing_values, copies, unit, max_rows, cohort, rho or epsilon with delta, neighbours ("add-remove" or
    "substitute"). Bins are a width, a list of edges, or a text as other commands take it ("5]", "0|20|40").

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.sequence import Question, answer
    from epsilens.cli.terminal import print_json, show_internal, show_lines, working
    from epsilens.report.charts.common import check_chart_path, save_chart
    from epsilens.report.words.common import chart_written
    from epsilens.report.words.sequence import summary

    question = Question.from_file(plan, match, delta)
    if plot is not None:
        check_chart_path(plot)
    with working("Counting people"):
        releases = question.read()
    with working("Combining releases"):
        found = answer(question, releases)
    if plot is not None:
        from epsilens.report.charts.sequence import publication_chart

        save_chart(publication_chart(found, [release.mechanism for release in question.releases]), plot)
    if as_json:
        print_json(found.to_dict() | ({} if plot is None else {"charts": [plot]}))
        return
    show_internal(summary(found))
    if plot is not None:
        show_lines([chart_written(plot)])
