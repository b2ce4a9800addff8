"""``epsilens cell``: the risk of one cell, without data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from epsilens.checks import whole
from epsilens.cli import options
from epsilens.cli.options import numbers, taken, with_options
from epsilens.errors import ParameterError


def _whole_numbers(context: click.Context, option: click.Parameter, text: Sequence[str]) -> tuple[int, ...]:
    return tuple(whole(option.name or "value", value) for value in numbers(context, option, text))


def _cells(context: click.Context, option: click.Parameter, texts: Sequence[str]) -> tuple[tuple[int, ...], ...]:
    """Every time the option is given it is one cell."""
    return tuple(_whole_numbers(context, option, [text]) for text in texts)


ASKED = (
    click.option(
        "--people",
        multiple=True,
        callback=_whole_numbers,
        metavar="N,..",
        help="People in the cell, who all have the same label.  [default: 1,2,5]",
    ),
    click.option(
        "--labels",
        multiple=True,
        callback=_whole_numbers,
        metavar="K,..",
        help="Labels that the sensitive attribute has.  [default: 2,3,5]",
    ),
    click.option(
        "--counts",
        multiple=True,
        callback=_cells,
        metavar="A,B,..",
        help="Instead, the counts of a cell, one per label: 5,0,1. Repeat it for another cell.",
    ),
    options.MECHANISMS,
    options.EPSILONS,
    options.DELTAS,
    click.option(
        "--match",
        metavar="any|share",
        help="What counts: the cell if anybody has the label shown, or the share who have it.  [default: any]",
    ),
    options.NEIGHBOURS,
    click.option("--axis", metavar="A", help="What curves run along: epsilon, people, labels or delta."),
    options.EPSILON_RANGE,
    options.DELTA_RANGE,
    options.JSON,
    options.plot_option("Draw the risk along --axis"),
)


@click.command("cell")
@with_options(ASKED)
def command(**given: Any) -> None:
    """The exact risk of one cell, without data: what its size, its labels and the noise do.

    A cell is homogeneous if all its people have the same label. Once noise is added, the attack still finds it if that
    label is shown and every other one stays hidden.

    \b
    Examples:
      epsilens cell
      epsilens cell --people 1,2,3,4 --labels 2 --epsilon 1
      epsilens cell --labels 2,3,5,10 --people 5 --plot labels.svg
      epsilens cell --people 1,2,5,20 --axis people --plot people.svg
      epsilens cell --counts 5,0 --counts 4,1 --counts 3,2 --epsilon 0.1,1

    Nothing is read, so the result is not internal.
    """
    from epsilens.choice.questions.cell import Question, answer, curves
    from epsilens.cli.terminal import print_json, show
    from epsilens.report.words.cell import summary, worded
    from epsilens.report.words.common import BLANK, Text, chart_written

    question = Question(**taken(given, Question))
    if (path := given["plot"]) is None:
        for name in ("axis", "epsilon_range", "delta_range") if not given["as_json"] else ():
            if given[name] is not None:
                raise ParameterError("is that of a curve: add `plot=FILE` or `json`", parameter=name)
    else:
        from epsilens.report.charts.cell import cell_chart, check_panels
        from epsilens.report.charts.common import check_chart_path, save_chart

        check_chart_path(path)
        check_panels(question)
    found = answer(question)
    finely = curves(question) if path is not None or given["as_json"] else None
    if path is not None and finely is not None:
        save_chart(cell_chart(found, finely), path)
    if given["as_json"]:
        drawn = {} if finely is None else {"curve": [_point(row) for row in finely.rows]}
        print_json(worded(found) | drawn | ({} if path is None else {"charts": [path]}))
        return
    show([*summary(found), *([] if path is None else [BLANK, Text(chart_written(path, internal=False))])])


def _point(row: Any) -> dict[str, Any]:
    """A point of a curve: enough to draw it again."""
    plain = row.to_dict()
    return {name: plain[name] for name in ("people", "labels", "mechanism", *vars(row.budget), "risk")}
