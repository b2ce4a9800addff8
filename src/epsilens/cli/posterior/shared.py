"""What the sub-commands of ``epsilens posterior`` share. Options are named as the fields of the questions they fill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from epsilens.cli.options import numbers, plot_option

if TYPE_CHECKING:
    from epsilens.report.words.common import Block

PLOT = plot_option("Draw a chart")
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


def show(
    answer: AnyAnswer, words: Callable[[AnyAnswer], Sequence[str | Block]], as_json: bool, *charts: str | None
) -> None:
    """JSON, or sentences and tables, and where the charts went."""
    from epsilens.cli import terminal
    from epsilens.cli.terminal import print_json, show_lines
    from epsilens.report.words.common import chart_written

    result = answer.to_dict()
    drawn = [chart for chart in charts if chart is not None]
    if as_json:
        print_json(result | ({"charts": drawn} if drawn else {}))
        return
    for said in words(answer):
        if isinstance(said, str):
            show_lines([said])
        else:
            terminal.show([said])
    show_lines([chart_written(chart, result["label"] == "internal") for chart in drawn])


def checked_plot(plot: str | None) -> None:
    """Refuse a bad place before any work."""
    if plot is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(plot)


def draw(chart: Any, plot: str) -> None:
    """Write the chart."""
    from epsilens.report.charts.common import save_chart

    save_chart(chart, plot)
