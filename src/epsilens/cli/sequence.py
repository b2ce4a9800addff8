"""``epsilens sequence``: several releases about the same people, one after another."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from epsilens.choice.publication import Publication
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
    "--delta", type=float, default=1e-6, show_default=True, metavar="D", help="Delta at which budgets are composed."
)
@click.option("--plot", type=click.Path(), metavar="FILE", help="Risk release by release: .svg, .png or .html.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(plan: str, match: Match, delta: float, plot: str | None, as_json: bool) -> None:
    """What several releases about the same people give away together, and cost.

    The attacker sees all of them. New sensitive attributes, new quasi-identifiers and new people
    (a "cohort") may come with every release, and a release may be made to add up to an earlier one ("parent").

    \b
    PLAN is a JSON file; what all releases share stands outside of the list, paths are relative to the file:
      {"source": "people.csv", "qid": ["age", "sex"], "bins": {"age": 10}, "mechanism": "laplace",
       "releases": [{"name": "sizes",  "sizes": true, "epsilon": 0.5},
                    {"name": "income", "sensitive": "income", "epsilon": 1, "parent": "sizes"},
                    {"name": "both",   "sensitive": ["income", "disease"], "epsilon": 1, "parent": "income"}]}

    \b
    Further keys: table, count, universe, structural_zeros, missing, missing_values, unit, max_rows, cohort,
    rho or epsilon with delta, neighbours ("add-remove" or "substitute").

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.checks import probability
    from epsilens.choice.publication import assess_publication
    from epsilens.cli.sequence_plan import read_plan
    from epsilens.cli.terminal import print_json, working
    from epsilens.report.charts.common import check_chart_path, save_chart

    probability("delta", delta)
    if plot is not None:
        check_chart_path(plot)
    with working("Counting people"):
        releases, mechanism = read_plan(plan)
    with working("Combining releases"):
        found = assess_publication(releases, mechanism, match, delta)
    if plot is not None:
        from epsilens.report.charts.sequence import publication_chart

        save_chart(publication_chart(found), plot)
    if as_json:
        print_json(found.to_dict())
        return
    show(found)
    if plot is not None:
        click.echo(f"Chart written to {plot} (internal).")


def show(found: Publication) -> None:
    """The readable summary."""
    from rich.markup import escape
    from rich.table import Table

    from epsilens.cli.terminal import console
    from epsilens.report.charts.sequence import closing_sentences
    from epsilens.report.words import common as words

    out = console()
    out.print(f"[bold]Epsilens[/bold]  [dim]{words.INTERNAL}[/dim]\n")
    grid = Table(title="People given away so far", title_justify="left", box=None, padding=(0, 2, 0, 0))
    for heading in ("after", "attribute"):
        grid.add_column(heading, overflow="fold")
    for heading in ("exact", "in print"):
        grid.add_column(heading, justify="right", no_wrap=True)
    for step in found.steps:
        after = f"{step.after} ({step.cohort})" if step.cohort else step.after
        for attribute, risk in step.risks.items():
            printed = None if step.published is None else step.published.get(attribute)
            grid.add_row(
                escape(after),
                escape(attribute),
                words.percent(risk),
                "-" if printed is None else words.percent(printed),
            )
            after = ""
    out.print(grid)
    out.print("  [dim]Exact: the noises actually added, all releases combined. In print: one noise at the[/dim]")
    out.print("  [dim]cumulative budget, which is neither a bound nor an approximation.[/dim]")
    if found.not_in_print:
        out.print(f"  [dim]Not in print: {escape(found.not_in_print)}.[/dim]")
    out.print()
    for sentence in closing_sentences(found):
        out.print(escape(sentence))
    costs = Table(title="\nWhat the releases cost together", title_justify="left", box=None, padding=(0, 2, 0, 0))
    costs.add_column("rule")
    for heading in ("epsilon", "delta", "rho"):
        costs.add_column(heading, justify="right")
    for row in found.spent.rows:
        values = ["-" if value is None else f"{value:.5g}" for value in (row.epsilon, row.delta, row.rho)]
        costs.add_row(row.rule, *values)
    out.print(costs)
    for row in found.spent.rows:
        if row.epsilon is None:
            out.print(f"  [dim]{row.rule}: {escape(row.note)}.[/dim]")
