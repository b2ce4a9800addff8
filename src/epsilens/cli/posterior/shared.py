"""What the sub-commands of ``epsilens posterior`` share. Options are named as the fields of the questions they fill."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Protocol, TypeVar

import click

from epsilens.cli.options import numbers

JSON = click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text.")
PLOT = click.option("--plot", type=click.Path(), metavar="FILE", help="Draw a chart: .svg, .png or .html.")
PRIOR = click.option(
    "--prior", type=float, default=0.5, show_default=True, metavar="P", help="The attacker's probability beforehand."
)
PRIORS = click.option(
    "--prior",
    "priors",
    callback=numbers,
    default="0.5,0.2,0.1,0.02",
    show_default=True,
    metavar="P,..",
    help="The attackers' probabilities beforehand.",
)
KNOWN = click.option(
    "--known", type=int, default=0, show_default=True, metavar="N", help="How many others the attacker knows of."
)
RHOS_OF_LEVELS = click.option(
    "--rho", callback=numbers, metavar="R,..", help="zCDP budgets by level, lowest level first."
)
PRESET = click.option("--preset", metavar="NAME", help="census-2020: block, block group, tract, county, state, nation.")


class Answer(Protocol):
    """What every question is answered with."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ...


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


class NamesOption(click.Option):
    """An option whose help lists names of a registry, which is imported only when somebody asks for help."""

    def __init__(self, *arguments: Any, names_of: Callable[[], Iterable[str]], **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.names_of = names_of

    def get_help_record(self, ctx: click.Context) -> tuple[str, str] | None:
        """The line of the help text."""
        *others, last = self.names_of()
        self.help = f"{', '.join(others)} or {last}."
        return super().get_help_record(ctx)


def show(
    answer: AnyAnswer, words: Callable[[AnyAnswer], Sequence[str]], as_json: bool, chart: str | None = None
) -> None:
    """JSON or sentences, and where the chart went."""
    from epsilens.cli.terminal import print_json

    result = answer.to_dict()
    if as_json:
        print_json(result)
        return
    for line in words(answer):
        click.echo(line)
    if chart is not None:
        click.echo(f"Chart written to {chart}{' (internal)' if result['label'] == 'internal' else ''}.")


def checked_plot(plot: str | None) -> None:
    """Refuse a bad place before any work."""
    if plot is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(plot)


def draw(chart: Any, plot: str) -> None:
    """Write the chart."""
    from epsilens.report.charts.common import save_chart

    save_chart(chart, plot)
