"""``epsilens sensitivity``: how far a statistic can move between neighbours, and what noise then does to inference."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import asdict
from typing import Any

import click

from epsilens.cli.options import names, numbers
from epsilens.errors import ParameterError


def _one_or_two(_context: click.Context, option: click.Parameter, text: str | None) -> Any:
    values = numbers(_context, option, text)
    return None if not values else values[0] if len(values) == 1 else values


def _sizes(_context: click.Context, option: click.Parameter, text: str | None) -> Any:
    values = numbers(_context, option, text)
    if any(value != int(value) for value in values):
        raise ParameterError("sizes must be whole numbers, such as 3,3")
    return tuple(int(value) for value in values) or None


ARGUMENTS: dict[str, Any] = {
    "n": click.option("--n", type=int, metavar="N", help="Number of people, or a public lower bound of it."),
    "sizes": click.option("--sizes", callback=_sizes, metavar="A,B", help="Group sizes."),
    "levels": click.option("--levels", type=int, metavar="L", help="Levels of the tree, the leaves included."),
    "lower": click.option(
        "--lower", callback=_one_or_two, metavar="C0", help="Public lower bound; A,B for two variables."
    ),
    "upper": click.option(
        "--upper", callback=_one_or_two, metavar="C1", help="Public upper bound; A,B for two variables."
    ),
    "norm": click.option("--norm", type=int, default=1, show_default=True, metavar="1|2", help="Norm of the change."),
    "max_rows_per_unit": click.option(
        "--rows-per-person",
        "max_rows_per_unit",
        type=int,
        default=1,
        show_default=True,
        metavar="M",
        help="Rows per person.",
    ),
    "may_change_group": click.option(
        "--may-change-group", is_flag=True, help="A substituted record may belong to another group."
    ),
    "reveal_largest": click.option(
        "--hide-sizes", "reveal_largest", flag_value=False, default=True, help="A value that needs no group size."
    ),
}


@click.group("sensitivity")
def command() -> None:
    """How far a statistic can move when one person does.

    \b
    Examples:
      epsilens sensitivity variance --n 100 --lower 0 --upper 1 --neighbours substitute
      epsilens sensitivity pooled-variance --sizes 3,3 --lower 0 --upper 1 --may-change-group --verify
      epsilens sensitivity study --plot study.svg
    """


def _statistic_command(name: str, function: Callable[..., float]) -> click.Command:
    parameters = inspect.signature(function).parameters

    def show(neighbours: str, verify: bool, published: bool, as_json: bool, **given: Any) -> None:
        from epsilens.cli.terminal import print_json
        from epsilens.sensitivity import catalogue
        from epsilens.sensitivity import verify as brute_force

        arguments = {key: value for key, value in given.items() if value is not None}
        description = catalogue.describe(name, neighbours, **arguments)
        result: dict[str, Any] = {"label": "publishable", **asdict(description)}
        if published:
            printed = catalogue.named(name, as_published=True)
            known = inspect.signature(printed).parameters
            shared = {key: value for key, value in arguments.items() if key in known}
            result["published"] = catalogue.evaluated(printed, neighbours, shared)
        if verify:
            check = brute_force(name, neighbours, **arguments)
            result["verification"] = asdict(check)
        if as_json:
            print_json(result)
            return
        click.echo(f"{description.value:.12g}\n\n{description.formula}")
        for heading, text in (("Source", description.source), ("Assumes", description.assumes)):
            click.echo(f"{heading}: {text}")
        for text in description.departures:
            click.echo(f"Departs from print {text}")
        for text in description.cautions:
            click.echo(f"Caution: {text}.")
        if published:
            click.echo(f"Published value: {result['published']:.12g}")
        if verify:
            found = "attained" if check.attained else "not attained" if check.safe else "BELOW the brute-force value"
            click.echo(
                f"Brute force over {check.pairs:,} pairs of neighbours: {check.brute_force:.12g}; formula {found}."
            )

    show.__doc__ = f"Global sensitivity of {name.replace('_', ' ')}."
    decorated: Any = show
    shared_options = [
        *(ARGUMENTS[parameter] for parameter in parameters if parameter in ARGUMENTS),
        click.option(
            "--neighbours", default="add-remove", show_default=True, metavar="N", help="add-remove or substitute."
        ),
        click.option("--verify", is_flag=True, help="Search small data sets exhaustively."),
        click.option("--published", is_flag=True, help="Show the printed value as well, where it differs."),
        click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
    ]
    for option in reversed(shared_options):
        decorated = option(decorated)
    return click.command(name.replace("_", "-"))(decorated)


def _add_statistics() -> None:
    from epsilens.sensitivity.catalogue import STATISTICS

    for name, function in STATISTICS.items():
        command.add_command(_statistic_command(name, function))


_add_statistics()


@command.command("study")
@click.option(
    "--n", "sizes", callback=numbers, default="50,200,1000", show_default=True, metavar="N,..", help="Sample sizes."
)
@click.option("--epsilon", callback=numbers, default="0.1,0.5,1,2", show_default=True, metavar="E,..", help="Budgets.")
@click.option("--method", callback=names, metavar="M,..", help="Methods.  [default: all]")
@click.option(
    "--proportions", callback=numbers, metavar="P,..", help="Population proportions.  [default: .05,.15,.3,.5]"
)
@click.option("--repetitions", type=int, default=2000, show_default=True, metavar="R", help="Repetitions.")
@click.option("--seed", type=int, default=2026, show_default=True, metavar="S", help="Seed of the simulation.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw the results: .svg, .png or .html.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
def study_command(
    sizes: tuple[float, ...],
    epsilon: tuple[float, ...],
    method: tuple[str, ...],
    proportions: tuple[float, ...],
    repetitions: int,
    seed: int,
    plot: str | None,
    as_json: bool,
) -> None:
    """What noisy proportions do to inference: bias, RMSE and coverage of p1+p2, p1+p3, p1+p4.

    A simulation of our own design: n people in four categories or more, the same epsilon for every method,
    substitution neighbours. Methods: original (no noise), truncated-rescaled, clamped-rescaled, simplex, universal.
    """
    from epsilens.cli.terminal import console, print_json, working
    from epsilens.release.statistics.proportion_study import METHODS, PROPORTIONS, study
    from epsilens.report.charts.common import check_chart_path, save_chart
    from epsilens.report.charts.study import study_chart

    if plot is not None:
        check_chart_path(plot)
    if any(size != int(size) for size in sizes):
        raise ParameterError("n must be whole numbers, such as 50,200")
    chosen = method or tuple(METHODS)
    with working("Simulating", total=len(sizes) * len(epsilon) * len(chosen)) as progress:
        rows = study(
            sizes=[int(size) for size in sizes],
            epsilons=epsilon,
            methods=chosen,
            proportions=proportions or PROPORTIONS,
            repetitions=repetitions,
            seed=seed,
            progress=progress,
        )
    if plot is not None:
        save_chart(study_chart(rows), plot)
    if as_json:
        print_json({"label": "publishable", "rows": [row.to_dict() for row in rows]})
        return
    from rich.table import Table

    grid = Table(box=None, title="95 % intervals; standard errors in brackets", title_justify="left")
    for heading in ("method", "target"):
        grid.add_column(heading)
    for heading in ("n", "epsilon", "bias", "RMSE", "coverage", "naive coverage"):
        grid.add_column(heading, justify="right")
    for row in rows:
        grid.add_row(
            row.method,
            row.target,
            str(row.n),
            f"{row.epsilon:g}",
            f"{row.bias:+.4f} ({row.bias_standard_error:.4f})",
            f"{row.rmse:.4f} ({row.rmse_standard_error:.4f})",
            f"{row.coverage:.3f} ({row.coverage_standard_error:.3f})",
            f"{row.naive_coverage:.3f}",
        )
    console().print(grid)
    if plot is not None:
        click.echo(f"Chart written to {plot}.")
