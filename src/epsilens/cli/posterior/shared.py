"""What the sub-commands of ``epsilens posterior`` share. Options are named as the fields of the questions they fill."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import click

from epsilens.cli.options import (
    fraction,
    fractions,
    names,
    numbers,
    plot_option,
    was_given,
    whole_number,
    whole_numbers,
)
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.report.words.common import Block

Function = TypeVar("Function", bound=Callable[..., Any])
MOST_POINTS = 200

PLOT = plot_option("Draw a chart")
PRIOR = click.option(
    "--prior",
    callback=fraction,
    default="0.5",
    show_default=True,
    metavar="P",
    help="The attacker's probability beforehand: 0.5, or 1/864.",
)
PRIORS = click.option(
    "--prior",
    "priors",
    callback=fractions,
    default="1/2,1/5,1/10,1/50,1/864",
    show_default=True,
    metavar="P,..",
    help="The attackers' probabilities beforehand.",
)
KNOWN = click.option(
    "--known", type=int, default=0, show_default=True, metavar="N", help="How many others the attacker knows of."
)
ABSENT = click.option("--absent", is_flag=True, help="Averages for a person who is in truth not there.")
_FAMILY = "How many people share what is to be learnt (a household, a school class), there together or not at all"
FAMILY = click.option(
    "--family", callback=whole_number, default="1", show_default=True, metavar="M", help=f"{_FAMILY}."
)
FAMILIES = click.option(
    "--family",
    callback=whole_numbers,
    default="1",
    show_default=True,
    metavar="M,..",
    help=f"{_FAMILY}; several to compare.",
)
RHOS_OF_LEVELS = click.option(
    "--rho", callback=numbers, metavar="R,..", help="zCDP budgets by level, lowest level first."
)
PRESET = click.option("--preset", metavar="NAME", help="census-2020: block, block group, tract, county, state, nation.")


def panels_option(default: str) -> Callable[[Function], Function]:
    """Which panels ``--plot`` draws."""
    return click.option(
        "--chart",
        callback=names,
        metavar="P,..",
        help=f"Panels of --plot: posterior, ratio, decision.  [default: {default}]",
    )


def axis_option(other: str, what: str) -> Callable[[Function], Function]:
    """What ``--plot`` has along its lower edge."""
    return click.option("--axis", metavar=f"{other}|rho", help=f"Draw --plot against {what}.  [default: {other}]")


def budgets(context: click.Context, option: click.Parameter, text: str | None) -> tuple[float, ...]:
    """``0.1,0.2`` as numbers, and ``0.01:10:13`` as 13 of them, log-spaced."""
    from epsilens.budget import log_grid
    from epsilens.checks import positive, whole

    found: list[float] = []
    if text is None or ":" not in text:
        return numbers(context, option, text)
    name = option.name or "value"
    for part in filter(None, (part.strip() for part in text.split(","))):
        ends = part.split(":")
        if len(ends) not in (1, 3):
            raise ParameterError("must be numbers, or FROM:TO:POINTS such as 0.01:10:13", parameter=name, got=part)
        listed = [positive(name, number) for number in numbers(context, option, ",".join(ends))]
        if len(listed) == 3:
            low, high, points = listed
            if high < low or not 2 <= whole(name, points) <= MOST_POINTS:
                raise ParameterError(
                    f"FROM:TO:POINTS must ascend, in 2 to {MOST_POINTS} points", parameter=name, got=part
                )
            listed = [float(value) for value in log_grid(low, high, int(points))]
        found += listed
    return tuple(found)


class Answer(Protocol):
    """What every question is answered with."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        ...


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


def show(
    answer: AnyAnswer,
    words: Callable[[AnyAnswer], Sequence[str | Block]],
    as_json: bool,
    *charts: str | None,
    report: Mapping[str, str] | None = None,
) -> None:
    """JSON, or sentences and tables, and where charts and the report went: its path, and the line that says so."""
    from epsilens.cli import terminal
    from epsilens.cli.terminal import print_json, show_lines
    from epsilens.report.words.common import chart_written

    result = answer.to_dict()
    drawn = [chart for chart in charts if chart is not None]
    if as_json:
        files: dict[str, Any] = {"charts": drawn} if drawn else {}
        print_json(result | files | ({"report": next(iter(report))} if report else {}))
        return
    for said in words(answer):
        if isinstance(said, str):
            show_lines([said])
        else:
            terminal.show([said])
    show_lines([chart_written(chart, result["label"] == "internal") for chart in drawn])
    show_lines(list((report or {}).values()))


def checked_plot(plot: str | None) -> None:
    """Refuse a bad place before any work."""
    if plot is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(plot)


def checked_chart(plot: str | None, **given: object) -> None:
    """Refuse options of a chart where none is drawn."""
    for name, value in given.items():
        if plot is None and value and was_given(name):
            raise ParameterError("needs `plot=FILE`, where to draw it", parameter=name)


def panels(chosen: Sequence[str], default: Sequence[str]) -> tuple[str, ...]:
    """The panels that were asked for."""
    from epsilens.choice.questions.posterior.adversaries import checked_panels

    return checked_panels(chosen or default)


def along(axis: str | None, other: str) -> str:
    """What is along the lower edge of a chart: ``rho``, or the ``other`` quantity."""
    from epsilens.checks import one_of

    return one_of("axis", axis or other, (other, "rho"))


def draw(chart: Any, plot: str, internal: bool = False) -> None:
    """Write the chart; most follow from budgets and priors alone."""
    from epsilens.report.charts.common import save_chart

    save_chart(chart, plot, internal)
