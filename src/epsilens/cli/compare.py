"""``epsilens compare``: disclosure avoidance systems side by side on one table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.checks import finite
from epsilens.cli.options import names, numbers, read_json, schema_from, source_options, was_given
from epsilens.errors import ParameterError, SourceError

if TYPE_CHECKING:
    from epsilens.choice.choose.equal_risk import RiskCeiling
    from epsilens.choice.comparison import Comparison


@click.command("compare")
@source_options
@click.option(
    "--systems", callback=names, default="all", show_default=True, metavar="S,..", help="Names, all or published."
)
@click.option("--epsilon", callback=numbers, default="0.5,1,2,4", show_default=True, metavar="E,..", help="Budgets.")
@click.option("--repetitions", type=int, default=200, show_default=True, metavar="R", help="Releases per system.")
@click.option("--k", type=int, default=6, show_default=True, metavar="K", help="Threshold and class size.")
@click.option("--swap", callback=names, metavar="A,B", help="Columns to swap.  [default: all quasi-identifiers]")
@click.option(
    "--swapped-share", type=float, default=0.1, show_default=True, metavar="P", help="Share of rows for plain swapping."
)
@click.option("--ordered", callback=names, metavar="A,B", help="Columns whose levels have an order, such as bins.")
@click.option(
    "--hierarchy",
    multiple=True,
    metavar="COL=H.json",
    help="Generalisation tree of a column: {child: parent}. Repeatable.",
)
@click.option("--group", metavar="COL", help="Compare the biases of this column's groups as well.")
@click.option(
    "--equal-risk",
    metavar="KIND=R",
    help="Compare at an equal risk instead: homogeneity=0.1 or posterior=0.6.",
)
@click.option("--prior", type=float, default=0.5, show_default=True, metavar="P", help="Prior of the posterior risk.")
@click.option("--audit", "with_audit", is_flag=True, help="Check the published privacy claims by enumeration.")
@click.option("--no-classify", is_flag=True, help="Leave out the logistic regression.")
@click.option("--jobs", type=int, default=1, show_default=True, metavar="N", help="Processes that share the releases.")
@click.option("--seed", type=int, default=2026, show_default=True, metavar="S", help="Seed of the simulation.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="One chart per criterion: FILE-delta.svg, ...")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def command(**given: Any) -> None:
    """Suppression, swapping, k-anonymity and noisy counts side by side.

    Bias, fairness and RMSE are exact where the law is known; everything else has a standard error.

    \b
    Examples:
      epsilens compare people.csv --qid age,sex --sensitive income --bins age=10 --ordered age
      epsilens compare ma.csv --qid puma,race,sex --sensitive income --universe u.json --swap race --audit
      epsilens compare people.csv --qid age,sex --sensitive income --equal-risk homogeneity=0.05 --plot c.svg

    \b
    Systems: laplace, discrete-laplace, gaussian, discrete-gaussian, dp-suppression,
    dp-suppression-one-threshold, dp-swapping, dp-swapping-rows, dp-k-anonymity, suppression,
    suppression-at-least-half, swapping, swapping-different, swapping-cells, k-anonymity,
    k-anonymity-relaxed.

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.cli.terminal import print_json

    comparison = compared(given)
    if given["plot"] is not None:
        from epsilens.report.charts.compare import save_comparison_charts

        written = save_comparison_charts(comparison, given["plot"])
    if given["as_json"]:
        print_json(comparison.to_dict())
        return
    show(comparison)
    if given["plot"] is not None:
        click.echo(f"{len(written)} charts written: {', '.join(path.name for path in written)} (internal).")


def compared(given: dict[str, Any]) -> Comparison:
    """The comparison that the options ask for; everything that needs no data is checked before any is read."""
    from epsilens.avoidance import Settings, chosen_systems
    from epsilens.checks import positive, probability
    from epsilens.choice.comparison import compare, task_count
    from epsilens.cli.terminal import working
    from epsilens.table import read_table
    from epsilens.table.reading.levels import FIXED_ROW_SALT

    systems = chosen_systems(given["systems"])
    if not given["epsilon"]:
        raise ParameterError("--epsilon needs at least one number")
    for epsilon in given["epsilon"]:
        positive("epsilon", epsilon)
    if given["repetitions"] < 2:
        raise ParameterError(f"--repetitions must be >= 2, got {given['repetitions']}")
    if given["jobs"] < 1:
        raise ParameterError(f"--jobs must be >= 1, got {given['jobs']}")
    if given["seed"] < 0:
        raise ParameterError(f"--seed must be >= 0, got {given['seed']}")
    Settings(given["k"])
    finite("swapped_share", given["swapped_share"])
    probability("prior", given["prior"])
    ceiling = _ceiling(given["equal_risk"], given["prior"])
    if ceiling is not None and was_given("epsilon"):
        raise ParameterError("--equal-risk looks for each system's epsilon itself; leave out --epsilon")
    hierarchies = dict(_hierarchy(text) for text in given["hierarchy"])
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    schema = schema_from(given)
    with working("Counting people"):
        table = read_table(given["source"], schema, table=given["table"], count=given["count"], row_salt=FIXED_ROW_SALT)
    total = task_count(systems, given["epsilon"], given["repetitions"], ceiling is not None)
    with working("Comparing", total=total) as progress:
        return compare(
            table,
            systems,
            given["epsilon"],
            given["repetitions"],
            k=given["k"],
            universe=schema.universe_levels,
            ordered=given["ordered"],
            swap=given["swap"] or None,
            swapped_share=given["swapped_share"],
            hierarchies=hierarchies,
            group=given["group"],
            equal_risk=ceiling,
            prior=given["prior"],
            classify=not given["no_classify"],
            with_audit=given["with_audit"],
            seed=given["seed"],
            n_jobs=given["jobs"],
            progress=progress,
        )


def _ceiling(text: str | None, prior: float) -> RiskCeiling | None:
    from epsilens.choice.choose.equal_risk import RiskCeiling

    if text is None:
        return None
    kind, separator, value = text.partition("=")
    if not separator:
        raise ParameterError(f"--equal-risk must be KIND=RISK, such as homogeneity=0.1; got {text!r}")
    return RiskCeiling(kind.strip(), finite("the risk ceiling", value), prior)


def _hierarchy(text: str) -> tuple[str, Any]:
    from epsilens.avoidance import GeneralisationHierarchy

    column, separator, path = text.partition("=")
    if not separator or not column.strip() or not path.strip():
        raise ParameterError(f"--hierarchy must be COL=FILE.json; got {text!r}")
    parents = read_json(path.strip(), "hierarchy", dict, '{"child": "parent", ...}')
    if not all(isinstance(parent, str) for parent in parents.values()):
        raise SourceError(f"the hierarchy {path.strip()!r} must map every child to its parent")
    return column.strip(), GeneralisationHierarchy.from_parents(parents, column.strip())


PRIVACY_AND_BIAS = {
    "epsilon": ("epsilon", "{:.3g}"),
    "published_delta": ("delta,\nprinted", "{:.2g}"),
    "delta": ("delta,\nexact", "{:.2g}"),
    "bias_l1": ("bias,\nl1", "{:.1f}"),
    "fairness": ("alpha", "{:.2f}"),
    "group_fairness": ("groups", "{:.2f}"),
    "rmse": ("RMSE", "{:.2f}"),
}
USEFULNESS_AND_RISK = {
    "epsilon": ("epsilon", "{:.3g}"),
    "tvd_1": ("TVD,\n1-way", "{:.3f}"),
    "tvd_2": ("TVD,\n2-way", "{:.3f}"),
    "tvd_3": ("TVD,\n3-way", "{:.3f}"),
    "accuracy": ("accuracy", "{:.3f}"),
    "homogeneity_risk": ("homog.\nrisk", "{:.3f}"),
    "posterior_risk": ("post.\nrisk", "{:.3f}"),
}
"""Columns of the two tables: heading and number format."""


def show(comparison: Comparison) -> None:
    """The readable summary."""
    from rich.markup import escape

    from epsilens.choice.choose.equal_risk import SCANNED
    from epsilens.cli.terminal import console
    from epsilens.report.words import common as words

    out = console()
    base, settings = comparison.baseline, comparison.settings
    out.print(f"[bold]Epsilens[/bold]  [dim]{words.INTERNAL}[/dim]\n")
    grid_text = " x ".join(f"{name} ({levels})" for name, levels in settings["attributes"].items())
    out.print(
        f"{words.number(base['people'])} people in a universe of {words.number(base['cells'])} cells: "
        f"{escape(grid_text)}.\nWithout protection {words.percent(base['homogeneity_risk'])} of people are in cells "
        "with a single label"
        + (
            f"; a classifier is right for {words.percent(base['accuracy'])}.\n"
            if base["accuracy"] is not None
            else ".\n"
        )
    )
    if comparison.rows:
        _show_rows(comparison)
    if any(row["epsilon"] == SCANNED[1] for row in comparison.rows) and settings["basis"] != "equal epsilon":
        out.print(
            f"  [dim]Epsilons are looked for up to {SCANNED[1]:g}; a system shown there may be safe beyond.[/dim]\n"
        )
    if base["left_out"]:
        out.print(f"No epsilon keeps {escape(settings['basis'])} for: {', '.join(base['left_out'])}.\n")
    if comparison.groups:
        _show_groups(comparison)
    for verdict in comparison.audits:
        mark = {"valid": "[green]valid[/green]", "false": "[red]FALSE[/red]"}.get(verdict.verdict, verdict.verdict)
        out.print(
            f"{mark}  {escape(verdict.system)}, epsilon = {verdict.epsilon:g}, {verdict.neighbours} neighbours: "
            f"{escape(verdict.sentence)}."
        )


def _show_rows(comparison: Comparison) -> None:
    from epsilens.cli.terminal import console

    out, settings = console(), comparison.settings
    out.print(_grid(comparison, "Privacy and bias", PRIVACY_AND_BIAS))
    out.print(
        "  [dim]Deltas hold for substitution neighbours. Bias, alpha and RMSE are exact, but simulated for "
        "dp-k-anonymity and plain swapping.[/dim]\n"
    )
    out.print(_grid(comparison, f"Usefulness and risk, {settings['repetitions']} releases each", USEFULNESS_AND_RISK))
    errors = [row[f"{name}_se"] for row in comparison.rows for name in USEFULNESS_AND_RISK if f"{name}_se" in row]
    out.print(f"  [dim]Standard errors are at most {max(errors, default=0.0):.2g}; --json has them all.[/dim]\n")


def _grid(comparison: Comparison, title: str, columns: dict[str, tuple[str, str]]) -> Any:
    """A table of the columns for which there are values; what a system does not have is a dash."""
    from rich.markup import escape
    from rich.table import Table

    grid = Table(
        title=f"{title}, at {escape(comparison.settings['basis'])}",
        title_justify="left",
        box=None,
        padding=(0, 1, 0, 0),
    )
    grid.add_column("system", overflow="fold")
    shown = {name: form for name, form in columns.items() if any(row.get(name) is not None for row in comparison.rows)}
    lines = [
        ["-" if row.get(name) is None else form.format(row[name]) for name, (_, form) in shown.items()]
        for row in comparison.rows
    ]
    for j, (heading, _) in enumerate(shown.values()):  # in a narrow terminal names are folded, numbers never cut
        width = max(map(len, [*heading.split("\n"), *(line[j] for line in lines)]))
        grid.add_column(heading, justify="right", no_wrap=True, min_width=width)
    for row, cells in zip(comparison.rows, lines, strict=True):
        grid.add_row(row["system"], *cells)
    return grid


def _show_groups(comparison: Comparison) -> None:
    from rich.markup import escape
    from rich.table import Table

    from epsilens.cli.terminal import console

    column = comparison.settings["group"]
    levels = list(dict.fromkeys(line["group"] for line in comparison.groups))
    grid = Table(title=f"Bias per cell, by {escape(column)}", title_justify="left", box=None)
    grid.add_column("system", no_wrap=True)
    grid.add_column("epsilon", justify="right")
    for level in levels:
        grid.add_column(escape(level), justify="right")
    keys = dict.fromkeys((line["system"], line["epsilon"]) for line in comparison.groups)
    for system, epsilon in keys:
        mine = [x for x in comparison.groups if (x["system"], x["epsilon"]) == (system, epsilon)]
        grid.add_row(
            system, "-" if epsilon is None else f"{epsilon:.3g}", *(f"{x['bias_per_cell']:+.2f}" for x in mine)
        )
    console().print(grid)
