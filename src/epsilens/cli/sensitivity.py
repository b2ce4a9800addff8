"""``epsilens sensitivity``: how far a statistic can move between neighbours, and what noise then does to inference."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import click

from epsilens.cli.help_pages import Group
from epsilens.cli.options import JSON, names, numbers, plot_option
from epsilens.errors import ParameterError


def _one_or_two(_context: click.Context, option: click.Parameter, text: str | None) -> Any:
    values = numbers(_context, option, text)
    return None if not values else values[0] if len(values) == 1 else values


def _several(context: click.Context, option: click.Parameter, text: str | None) -> Any:
    return numbers(context, option, text) or None


ARGUMENTS: dict[str, Any] = {
    "n": click.option("--n", type=int, metavar="N", help="Number of people, or a public lower bound of it."),
    "sizes": click.option("--sizes", callback=_several, metavar="A,B", help="Group sizes."),
    "levels": click.option("--levels", type=int, metavar="L", help="Levels of the tree, the leaves included."),
    "lower": click.option(
        "--lower", callback=_one_or_two, metavar="C0", help="Public lower bound; A,B for two variables."
    ),
    "upper": click.option(
        "--upper", callback=_one_or_two, metavar="C1", help="Public upper bound; A,B for two variables."
    ),
    "norm": click.option("--norm", type=int, default=1, show_default=True, metavar="1|2", help="Norm of the change."),
    "max_rows_per_unit": click.option(
        "--max-rows",
        "--rows-per-person",
        "max_rows_per_unit",
        type=int,
        default=1,
        show_default=True,
        metavar="M",
        help="Rows per person, at most.",
    ),
    "may_change_group": click.option(
        "--may-change-group",
        is_flag=True,
        help="A replaced record may belong to another group, with --neighbours substitute.",
    ),
    "reveal_largest": click.option(
        "--hide-sizes",
        "reveal_largest",
        flag_value=False,
        default=True,
        help="A value that tells no size of a group: only how many people and how many groups there are.",
    ),
}

EXAMPLES = {
    "count": ("--max-rows 3",),
    "histogram": ("--neighbours substitute --norm 2 --verify",),
    "histogram_tree": ("--levels 4",),
    "proportion": ("--n 1000 --neighbours substitute",),
    "proportions": ("--n 1000 --published",),
    "mean": ("--n 1000 --lower 0 --upper 100",),
    "variance": ("--n 100 --lower 0 --upper 1 \\\n    --neighbours substitute",),
    "covariance": ("--n 100 --lower 0,0 --upper 2,3 \\\n    --neighbours substitute",),
    "pooled_variance": (
        "--sizes 20,30 --lower 0 --upper 1",
        "--sizes 3,3 --lower 0 --upper 1 \\\n    --neighbours substitute --may-change-group --verify",
    ),
    "pooled_covariance": ("--sizes 20,30 --lower 0,0 --upper 1,1",),
}
"""What each statistic is asked for in its help."""


@click.group("sensitivity", cls=Group)
def command() -> None:
    """How far a statistic can move when one person does.

    \b
    Examples:
      epsilens sensitivity variance --n 100 --lower 0 --upper 1 \\
        --neighbours substitute
      epsilens sensitivity pooled-variance --sizes 3,3 --lower 0 --upper 1 \\
        --neighbours substitute --may-change-group --verify
      epsilens sensitivity bounded --value 0.3,0.01 --lower 0 --upper 1 \\
        --sensitivity 0.02 --epsilon 1 --plot bounded.svg
      epsilens sensitivity study --plot study.svg
    """


def _statistic_command(name: str, function: Callable[..., float]) -> click.Command:
    from epsilens.sensitivity.catalogue import summary

    parameters = inspect.signature(function).parameters

    def show(neighbours: str, verified: bool, published: bool, as_json: bool, **given: Any) -> None:
        from epsilens.choice.questions import sensitivity as asked
        from epsilens.cli.terminal import print_json, show_lines
        from epsilens.report.words.sensitivity import sensitivity_lines

        answer = asked.answer(asked.Question(name, neighbours, given, published, verified))
        if as_json:
            print_json(answer.to_dict())
            return
        show_lines(sensitivity_lines(answer))

    show.__doc__ = f"{summary(name)}.\n\n{_examples(name)}"
    decorated: Any = show
    shared_options = [
        *(ARGUMENTS[parameter] for parameter in parameters if parameter in ARGUMENTS),
        click.option(
            "--neighbours", default="add-remove", show_default=True, metavar="N", help="add-remove or substitute."
        ),
        click.option("--verify", "verified", is_flag=True, help="Check it by an exhaustive search of small data sets."),
        click.option("--published", is_flag=True, help="Show the value that the paper prints as well."),
        JSON,
    ]
    for option in reversed(shared_options):
        decorated = option(decorated)
    return click.command(name.replace("_", "-"))(decorated)


def _examples(name: str) -> str:
    """The commands of :data:`EXAMPLES` as a part of a help text."""
    lines = [f"  epsilens sensitivity {name.replace('_', '-')} {options}" for options in EXAMPLES[name]]
    return "\n".join(["\b", "Example:" if len(lines) == 1 else "Examples:", *lines])


def _add_statistics() -> None:
    from epsilens.sensitivity.catalogue import STATISTICS

    for name, function in STATISTICS.items():
        command.add_command(_statistic_command(name, function))


_add_statistics()


@command.command("bounded")
@click.option("--value", "values", callback=numbers, metavar="T,..", help="True values of the statistic.")
@click.option("--lower", type=float, default=0.0, show_default=True, metavar="L", help="Public lower bound of it.")
@click.option("--upper", type=float, default=1.0, show_default=True, metavar="U", help="Public upper bound of it.")
@click.option("--sensitivity", type=float, metavar="D", help="How far it can move between neighbours.")
@click.option("--epsilon", type=float, metavar="E", help="Budget.")
@click.option("--scale", type=float, metavar="B", help="Scale of the noise instead, D / epsilon in print.")
@plot_option("Draw the densities, bias and mean squared error")
@JSON
def bounded_command(plot: str | None, as_json: bool, **given: Any) -> None:
    """Truncated against clamped Laplace noise for a statistic with bounds: law, bias, MSE and what each costs.

    Clamped (boundary-inflated): what falls outside the bounds is moved to the nearer one, which is free. Truncated:
    drawn again until inside, which costs up to twice the epsilon at the scale D / epsilon of print; the corrected scale
    costs what it says.

    \b
    Examples:
      epsilens sensitivity bounded --value 0.3 --sensitivity 0.02 \\
        --epsilon 1
      epsilens sensitivity bounded --value 0.3,0.01 --lower 0 --upper 1 \\
        --sensitivity 0.02 --epsilon 1 --plot bounded.svg
    """
    from epsilens.choice.questions import bounded as asked
    from epsilens.cli.terminal import print_json, show, show_lines
    from epsilens.report.charts.bounded import bounded_chart
    from epsilens.report.charts.common import check_chart_path, save_chart
    from epsilens.report.words.bounded import bounded_blocks
    from epsilens.report.words.common import chart_written

    if plot is not None:
        check_chart_path(plot)
    if given["sensitivity"] is None:
        raise ParameterError("is missing: how far the statistic can move between neighbours", parameter="sensitivity")
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        save_chart(bounded_chart(answer), plot)
    if as_json:
        print_json(answer.to_dict() | ({} if plot is None else {"charts": [plot]}))
        return
    show(bounded_blocks(answer))
    if plot is not None:
        show_lines([chart_written(plot, internal=False)])


@command.command("study")
@click.option(
    "--n", "sizes", callback=numbers, default="50,200,1000", show_default=True, metavar="N,..", help="Sample sizes."
)
@click.option(
    "--epsilon", "epsilons", callback=numbers, default="0.1,0.5,1,2", show_default=True, metavar="E,..", help="Budgets."
)
@click.option("--method", "methods", callback=names, metavar="M,..", help="Methods.  [default: all]")
@click.option(
    "--proportions", callback=numbers, metavar="P,..", help="Population proportions.  [default: .05,.15,.3,.5]"
)
@click.option("--target", "targets", callback=names, metavar="T,..", help="Sums of them.  [default: p1+p2,p1+p3,p1+p4]")
@click.option("--repetitions", type=int, default=2000, show_default=True, metavar="R", help="Repetitions.")
@click.option("--seed", type=int, default=2026, show_default=True, metavar="S", help="Seed of the simulation.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Draw the results: .svg, .png or .html.")
@JSON
def study_command(plot: str | None, as_json: bool, **given: Any) -> None:
    """What noisy proportions do to inference: bias, RMSE and coverage of p1+p2, p1+p3, p1+p4.

    A simulation of our own design: n people in four categories or more, the same epsilon for every method,
    substitution neighbours. Methods: original (no noise), truncated-published (rescaled, at the printed scale, which
    costs more than epsilon), truncated-rescaled, clamped-rescaled, simplex, universal (a histogram tree).

    \b
    The rescaling approach and the universal histogram, each beside the original:
      epsilens sensitivity study --n 1000 --plot s1.svg \\
        --method original,truncated-published,clamped-rescaled
      epsilens sensitivity study --n 1000 --method original,universal
    """
    from epsilens.cli.terminal import print_json, show, show_lines, working
    from epsilens.release.statistics.proportion_study import StudyQuestion, answer_study
    from epsilens.report.charts.common import check_chart_path, save_chart
    from epsilens.report.charts.study import study_chart
    from epsilens.report.words.common import chart_written
    from epsilens.report.words.sensitivity import study_blocks

    if plot is not None:
        check_chart_path(plot)
    # methods, proportions and targets that were not given are all of them, and those of the library
    question = StudyQuestion(**{name: value for name, value in given.items() if value != ()})
    with working("Simulating", total=question.steps) as progress:
        answer = answer_study(question, progress)
    if plot is not None:
        save_chart(study_chart(answer.rows), plot)
    if as_json:
        print_json(answer.to_dict() | ({} if plot is None else {"charts": [plot]}))
        return
    show(study_blocks(answer))
    if plot is not None:
        show_lines([chart_written(plot, internal=False)])
