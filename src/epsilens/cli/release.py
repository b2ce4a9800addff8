"""``epsilens release``: people in, published counts out, paid from a ledger."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.options import COPY, WHERE, names, numbers, with_options
from epsilens.cli.release_options import (
    ACCOUNT_OPTIONS,
    END_OPTIONS,
    NEIGHBOURS_OPTION,
    PERSON_OPTIONS,
    SOURCE_OPTIONS,
    notice,
    show_preflight,
)
from epsilens.cli.reports import again, report_from
from epsilens.errors import ParameterError
from epsilens.project.releasing import EVERYBODY

if TYPE_CHECKING:
    from epsilens.release.tables.question import TablesQuestion

OPTIONS = [
    *SOURCE_OPTIONS,
    click.option("--columns", callback=names, metavar="A,B,Y", help="Columns to publish together."),
    click.option(
        "--sensitive", callback=names, metavar="Y", help="Sensitive column(s) among them.  [default: the last one]"
    ),
    click.option("--count", metavar="COL", help="SOURCE is a table of counts; COL holds them."),
    click.option(
        "--universe",
        type=click.Path(),
        metavar="U.json",
        help='Declared levels: {"a": ["x", "y"], "age": {"from": 0, "to": 100}, "county,tract": [["c1", "t1"], ..]}.',
    ),
    click.option(
        "--structural-zeros", type=click.Path(), metavar="Z.json", help='Impossible cells: [{"a": "x", "y": ["n"]}].'
    ),
    click.option(
        "--bins",
        multiple=True,
        metavar="COL=BINS",
        help="Bins: age=5 (width), hours=0|20|40 (edges); a bracket at the end, age=5], closes them on the right. "
        "Repeatable.",
    ),
    WHERE,
    COPY,
    click.option(
        "--missing",
        multiple=True,
        metavar="RULE",
        help="Missing values are a level, where the universe declares '(missing)' or none is declared, or their rows "
        "are left out (drop); or by column, job=drop, or a public value in their place, income=50001. Repeatable.  "
        "[default: level]",
    ),
    click.option(
        "--missing-value", "missing_values", multiple=True, metavar="TEXT", help="Text that means missing, such as '?'."
    ),
    *PERSON_OPTIONS,
    click.option(
        "--mechanism",
        default="discrete-laplace",
        show_default=True,
        metavar="M",
        help="discrete-laplace, discrete-gaussian; laplace and gaussian with --allow-continuous.",
    ),
    click.option(
        "--allow-continuous", is_flag=True, help="Allow continuous noise, drawn exactly on a lattice of 2^-1074."
    ),
    click.option("--epsilon", type=float, metavar="E", help="Budget of this release."),
    click.option("--delta", type=float, metavar="D", help="Delta, for discrete-gaussian with --epsilon."),
    click.option("--rho", type=float, metavar="R", help="Budget of this release in zCDP, for discrete-gaussian."),
    NEIGHBOURS_OPTION,
    *ACCOUNT_OPTIONS,
    click.option(
        "--marginal",
        multiple=True,
        metavar="A,B",
        help=f"Publish this marginal instead of the whole table; '{EVERYBODY}' is everybody. Repeatable.",
    ),
    click.option(
        "--levels",
        callback=names,
        metavar="A,B,C",
        help="Publish level by level; columns that nest, lowest first: tract,county.",
    ),
    click.option(
        "--hierarchy",
        callback=names,
        metavar="C,B,A",
        help="The older way to name levels, coarsest first: county,tract.",
    ),
    click.option(
        "--tree",
        metavar="COL",
        help="Publish the counts of all ranges of a tree over COL, whose levels are declared in order; they agree.",
    ),
    click.option(
        "--fan-out", "branching", type=int, metavar="B", help="Parts of each range of the tree.  [default: 2]"
    ),
    click.option(
        "--public-total",
        type=int,
        metavar="N",
        help="How many people there are, public under substitute: consistent counts add up to it.",
    ),
    click.option(
        "--shares",
        callback=numbers,
        metavar="S,..",
        help="How the tables share the budget, in their order.  [default: equally]",
    ),
    click.option(
        "--threshold-delta",
        type=float,
        metavar="D",
        help="Without a universe: publish occupied cells above a threshold, for this delta.",
    ),
    click.option("--round", "rounded", is_flag=True, help="Round continuous counts."),
    click.option("--non-negative", is_flag=True, help="Publish no count below 0 (adds bias)."),
    click.option("--consistent", is_flag=True, help="Make marginals and levels agree (least squares)."),
    click.option("--confidence", default=0.95, show_default=True, metavar="C", help="Of the interval of each count."),
    *END_OPTIONS,
    click.option(
        "--report",
        type=click.Path(),
        metavar="FILE",
        help="Also write what the card says, and the published counts, as one .html file: publishable, like the card.",
    ),
]


@click.command("release")
@with_options(OPTIONS)
def command(**given: Any) -> None:
    """Publish counts with secure noise, paid from a budget ledger.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens release people.csv --columns county,sex,disease \\
        --universe u.json --epsilon 0.5 --one-row-per-person \\
        --ledger b.db --account survey-2026 --total-epsilon 2 \\
        --out released.csv
      epsilens release people.csv --columns county,sex,disease \\
        --universe u.json --marginal county,sex --marginal disease \\
        --consistent --mechanism discrete-gaussian --rho 0.1 \\
        --unit person --max-rows 3 --ledger v.db --account visits \\
        --total-rho 1 --out marginals.csv
      epsilens release people.csv --columns county,sex,disease \\
        --universe u.json --levels sex,county --consistent \\
        --epsilon 0.5 --one-row-per-person --ledger b.db \\
        --account survey-2026 --out levels.csv
      epsilens release people.csv --columns age --tree age \\
        --bins 'age=20|30|40|50|60|70|80' --neighbours substitute \\
        --public-total 5000 --epsilon 1 --one-row-per-person \\
        --ledger t.db --account ages --total-epsilon 1 --out tree.csv

    \b
    Here u.json declares what can be in the columns:
      {"county": ["C001", "C002"], "sex": ["female", "male"],
       "disease": ["none", "asthma", "cancer", "diabetes",
                   "heart disease"]}

    All cells of the universe are published, empty ones included. Rows that do not fit what was declared are not
    counted, and never refused, which would tell of them: --check says beforehand how many there are. Beside the output
    stand its card (.card.json and .card.md, publishable) and an internal assessment (.internal.json, not for
    publication).
    """
    from epsilens.cli.terminal import print_json, show_lines, working
    from epsilens.release.tables.release import released
    from epsilens.release.terms import Watch
    from epsilens.report.words.release import released_tables_lines

    question = question_from(given)
    if given["check"] and given["report"] is not None:
        raise ParameterError("is of a release, and `check` makes none; leave it out", parameter="report")
    report = report_from(given)
    if given["check"]:
        show_preflight(question, given["source"], given["as_json"])
        return
    with ExitStack() as bar, ExitStack() as spinner:
        advance: list[Callable[[int], None]] = []
        spinner.enter_context(working("Counting people"))

        def drawing(cells: int) -> None:
            spinner.close()
            advance.append(bar.enter_context(working("Drawing noise", total=cells)))

        answer = released(question, given["source"], Watch(notice, drawing, lambda cells: advance[0](cells)))
    written = []
    if report is not None:
        from epsilens.report.pages.release import page_of

        written = [report.write(page_of(answer, again("release")))]
    if given["as_json"]:
        print_json(answer.to_dict() | ({} if report is None else {"report": report.path}))
        return
    show_lines([*released_tables_lines(answer), *written])


def question_from(given: dict[str, Any]) -> TablesQuestion:
    """The question that the options ask; everything that can be refused without the data is refused here."""
    from epsilens.project.releasing import release

    return release(given)
