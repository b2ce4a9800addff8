"""``epsilens evaluate``: what somebody has published and the truth in, what it gives away and how true it is out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli import options
from epsilens.cli.options import names, number, taken, with_options
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.questions.evaluation import Evaluation
    from epsilens.release.evaluation import Asked

OWN = {"source", "table", "quasi_identifiers", "sensitive", "count"}
"""What this command says of two tables, so in words of its own."""


def _name(option: Any) -> str:
    """The parameter that an option, ready to be added to a command, will be."""

    def bare() -> None:
        """Nothing yet."""

    parameters: list[click.Parameter] = option(bare).__click_params__
    return str(parameters[0].name)


TABLES = (
    click.argument("published"),
    click.option("--truth", metavar="DATA", help="The true data: people, or counts with --truth-count."),
    click.option(
        "--qid",
        "quasi_identifiers",
        multiple=True,
        callback=names,
        metavar="A,B",
        help="Quasi-identifiers, which an attacker may know: columns of both.",
    ),
    click.option(
        "--sensitive",
        multiple=True,
        callback=names,
        metavar="Y",
        help="Sensitive attribute(s): what must not be learnt. Columns of both.",
    ),
    click.option(
        "--count",
        metavar="COL",
        help="PUBLISHED is a table of counts; COL holds them. Without it every row is a synthetic person.",
    ),
    click.option(
        "--truth-count",
        metavar="COL",
        help="DATA is a table of counts; COL holds them.  [default: --count, if DATA has it]",
    ),
    click.option("--table", "published_table", metavar="NAME", help="Table to read, when PUBLISHED is a database URL."),
    click.option("--truth-table", metavar="NAME", help="Table to read, when DATA is a database URL."),
    click.option(
        "--published-where",
        multiple=True,
        metavar="COND",
        help="Read only rows of PUBLISHED for which this holds, such as 'table=age x sex'. Repeatable.",
    ),
)
"""What is compared."""

CLAIM = (
    click.option("--claimed", metavar="M", help=f"The mechanism that is claimed: {options._MECHANISMS}"),
    click.option("--epsilon", callback=number, metavar="E", help="The epsilon that is claimed."),
    options.DELTA,
    click.option("--rho", callback=number, metavar="R", help="The rho that is claimed, of zCDP."),
    click.option(
        "--neighbours",
        metavar="N",
        help="What the claim protects: add-remove (one person more or less) or substitute.  [default: add-remove]",
    ),
    click.option("--rounded", is_flag=True, help="Noisy counts were rounded.  [default: as they look]"),
    click.option("--clipped", is_flag=True, help="Negative counts became 0.  [default: as they look]"),
    click.option(
        "--card",
        type=click.Path(),
        metavar="CARD.json",
        help="The release card, which says all of this, and how people were counted.",
    ),
)
"""What is claimed."""


HOW_TRUTH_IS_READ = tuple(option for option in options.SOURCE if _name(option) not in OWN)


@click.command("evaluate")
@with_options(TABLES)
@with_options(CLAIM)
@with_options(HOW_TRUTH_IS_READ)
@options.STRUCTURAL_ZEROS
@options.whole_option("--seed", default=0, metavar="S", help="Another seed, another draw where published counts tie.")
@options.JSON
@options.plot_option("Draw the noise that was found, or who bears the risk")
@click.option("--chart", metavar="noise|groups", help="Which chart.  [default: noise where it is tested, else groups]")
def command(**given: Any) -> None:
    """What a published table or synthetic data give away, and whether their noise is what is claimed.

    PUBLISHED is what some tool has published, with any post-processing: a table of counts (--count), which may be
    negative, fractional or blank, or synthetic people. DATA is the truth. Both are CSV or Parquet files or database
    URLs with the columns of --qid and --sensitive; other columns of PUBLISHED are ignored.

    \b
    Examples:
      epsilens evaluate released.csv --truth people.csv \\
        --card released.card.json --json
      epsilens evaluate released.csv --truth people.csv --qid county,sex \\
        --sensitive disease --count count --claimed discrete-laplace \\
        --epsilon 0.5
      epsilens evaluate rounded.csv --truth people.csv --qid county,sex \\
        --sensitive disease --count count --chart groups --plot g.svg

    With --universe a count of it that PUBLISHED does not list was published as 0; without it nothing is known of
    counts that are in neither table. Conditions, bins and missing values say how DATA is read; PUBLISHED may have
    values that are in bins already.

    The result is computed from true data: it is internal, not for publication.
    """
    from epsilens.choice.questions.evaluate import answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.release.evaluation import true_table, with_the_count_of_both
    from epsilens.report.words.common import BLANK, Text, chart_written
    from epsilens.report.words.evaluate import summary, worded

    asked, path = asked_from(given), given["plot"]
    kind = _checked_chart(given["chart"], path, asked)
    with working("Counting people"):
        asked = with_the_count_of_both(asked)
        truth = true_table(asked)
    with working("Comparing"):
        found = answer(asked.question, truth)
    if path is not None:
        _draw(kind, found, path)
    if given["as_json"]:
        print_json(worded(found) | ({} if path is None else {"charts": [path]}))
        return
    show_internal([*summary(found), *([] if path is None else [BLANK, Text(chart_written(path))])])


def asked_from(given: dict[str, Any]) -> Asked:
    """The question that the options ask; everything that needs no data is checked."""
    from epsilens.release.evaluation import question
    from epsilens.table.to_read import TableToRead

    reading = {name: value for name, value in taken(given, TableToRead.of).items() if name not in OWN}
    stated = ("claimed", "epsilon", "delta", "rho", "neighbours", "card", "count", "truth_count", "seed")
    return question(
        given["published"],
        given["truth"],
        quasi_identifiers=given["quasi_identifiers"],
        sensitive=given["sensitive"],
        rounded=given["rounded"] or None,
        clipped=given["clipped"] or None,
        published_where=given["published_where"],
        published_table=given["published_table"],
        truth_table=given["truth_table"],
        **{name: given[name] for name in stated},
        **reading,
    )


def _checked_chart(kind: str | None, path: str | None, asked: Asked) -> str | None:
    """The chart to draw, if one is asked for; None where it depends on whether noise is tested."""
    if path is None:
        if kind is not None:
            raise ParameterError("needs `plot=FILE`, where to draw it", parameter="chart")
        return None
    from epsilens.report.charts.common import check_chart_path
    from epsilens.report.charts.evaluate import check_kind

    check_chart_path(path)
    if kind is not None and check_kind(kind) == "noise" and asked.question.claim is None:
        raise ParameterError(
            "needs a claim to compare with", parameter="chart", got=kind, remedy="name the mechanism with `claimed`"
        )
    return kind


def _draw(kind: str | None, found: Evaluation, path: str) -> None:
    from epsilens.cli.terminal import working
    from epsilens.report.charts.common import save_chart
    from epsilens.report.charts.evaluate import draw

    tested = found.noise is not None and bool(found.noise.bars)
    with working("Drawing"):
        save_chart(draw(kind or ("noise" if tested else "groups"), found), path)
