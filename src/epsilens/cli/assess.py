"""``epsilens assess``: a table in, its homogeneity risk out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from epsilens.checks import finite, whole
from epsilens.cli import options
from epsilens.cli.options import counted_table, table_to_read, typed, with_options
from epsilens.cli.reports import REPORT_OPTIONS, ReportTo, again, report_from
from epsilens.errors import ParameterError, speaking_of

if TYPE_CHECKING:
    from epsilens.choice.questions.assess import Question
    from epsilens.choice.questions.assessment import Assessment
    from epsilens.table import FrequencyTable
    from epsilens.table.to_read import TableToRead


def cells_or_file(_context: click.Context, option: click.Parameter, text: str | None) -> tuple[int, str | None] | None:
    """``10``, ``cells.csv`` or ``10,cells.csv``: how many cells to show, and where to write all of them."""
    if text is None:
        return None
    first, comma, rest = text.partition(",")
    if not first.strip().lstrip("+-").replace(".", "", 1).isdigit():
        if comma and all(Path(part.strip()).suffix.lower() in (".csv", ".parquet") for part in (first, rest)):
            raise ParameterError("writes to one file, and these are several; name one of them", parameter="cells")
        return 0, text
    return whole(option.name or "cells", finite(option.name or "cells", first), 1), (rest.strip() if comma else None)


ASSESSED = (
    options.MECHANISMS,
    options.EPSILONS,
    options.DELTAS,
    options.MEASURES,
    options.SIZE_MODEL,
    options.SIZE_FIT,
    click.option(
        "--alpha",
        callback=options.numbers_or_name,
        metavar="A,..",
        help="Dirichlet parameters for the shrinkage measures, and for those who are not in a sample: one per label, "
        "or 'moments'.  [default: fitted]",
    ),
    options.MATCH,
    click.option("--unweighted", is_flag=True, help="Average over cells instead of people."),
    click.option(
        "--weighting",
        "weightings",
        multiple=True,
        callback=options.names,
        metavar="W,..",
        help="Average over people, over cells, or over both side by side.  [default: people]",
    ),
    options.NEIGHBOURS,
    click.option(
        "--simulate",
        "repeats",
        callback=options.whole_number,
        metavar="R",
        help="Also add noise R times and show the simulated local risk: mean, SD, standard error.",
    ),
    options.whole_option(
        "--simulate-seed", "seed", default=2026, metavar="S", help="Another seed, another simulation."
    ),
    click.option(
        "--scenarios", is_flag=True, help="Also what becomes of cells under noise: the eight scenarios of P0, exact."
    ),
    click.option(
        "--cells",
        callback=cells_or_file,
        metavar="M|FILE",
        help="The M riskiest cells; or all cells with all risks to a .csv or .parquet file; or both: 10,cells.csv.",
    ),
    click.option(
        "--axis",
        metavar="epsilon|delta|both",
        help="What curves run along: epsilon, delta at each --epsilon, or both (a surface).  [default: epsilon]",
    ),
    options.EPSILON_RANGE,
    options.DELTA_RANGE,
    click.option("--knee", is_flag=True, help="Also the epsilon at which each risk starts to rise faster."),
    options.PUBLISH_EITHER,
    options.BUDGET_OF,
    click.option(
        "--sampling-fraction",
        callback=options.fraction,
        metavar="F",
        help="The table is a sample, this share of the population: also the risk of people who may not be in it.",
    ),
    options.JSON,
    options.plot_option("Draw a chart"),
    click.option(
        "--chart",
        metavar="KIND",
        help="What to draw: risk, scenarios, sizes, population, values, people, households. values: who is shown as "
        "what; people: how the risk is spread over them; population: with a sample; households: with --household.  "
        "[default: risk]",
    ),
    *REPORT_OPTIONS,
)
"""Mechanisms, budgets, measures and the way to average."""


@click.command("assess")
@with_options(options.SOURCE)
@options.STRUCTURAL_ZEROS
@click.option(
    "--household",
    metavar="COL",
    help="Column that says who lives with whom: also the attack on households who share the sensitive value.",
)
@click.option(
    "--weight",
    metavar="COL",
    help="The table is a sample; COL holds survey weights, how many of the population a person stands for.",
)
@with_options(ASSESSED)
@click.option("--force", is_flag=True, help="Replace a file that exists, with --cells.")
def command(force: bool, **given: Any) -> None:
    """What is at risk in a table, today and at a few budgets.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5
      epsilens assess counts.csv --qid county,sex --sensitive disease \\
        --count n --epsilon 0.5,1
      epsilens assess people.csv --qid block_group,sex --sensitive disease \\
        --mechanism laplace,discrete-laplace --plot risk.svg
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins 'age=5]' --where 'age>=18' --missing drop
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5 --scenarios --cells 5 --plot s.svg --chart scenarios
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5 --harmful disease=cancer --plot v.svg --chart values
      epsilens assess people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --mechanism gaussian-analytic --delta 1e-6,0.01 --knee
      epsilens assess people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --mechanism gaussian-probabilistic --axis delta --plot delta.svg
      epsilens assess people.csv --qid block_group,age --sensitive race \\
        --bins age=10 --household block
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5 --sampling-fraction 0.1
      epsilens assess people.csv --qid age,sex,race --sensitive disease \\
        --bins age=5 --report risk.html

    \b
    Here counts.csv has been counted already:
      county,sex,disease,n
      C001,female,none,7
      C001,male,none,3
      C002,female,asthma,2

    \b
    Which measure (--measure)?
      local               the risk in this table as it is; assumes nothing,
                          so begin here
      expected            in tables like it: sizes as here, values drawn anew
                          by each cell's own shares
      shrinkage           the same, where cells borrow their shares from one
                          another (Dirichlet)
      marginal            like expected, where the sizes of cells are chance
                          as well
      marginal-shrinkage  a generic cell of such tables; one number, the most
                          assumptions
      hard, soft          an attacker who reads every cell: by its largest
                          noisy count, or in proportion to them
      published-...       the formulas as printed, with what they are worth

    The result holds exact risks of true data: it is internal, not for publication.
    """
    question = question_from(given)
    beside, report = beside_from(given, question, force), report_from(given)
    data = table_to_read(given)
    if beside.cells is not None:
        from epsilens.release.terms import Output

        with speaking_of(out="cells"):
            Output(beside.cells, force).refuse_source(data.source)
    replace(question, data=data)  # refused before the data are read, where they cannot answer
    homes = _households(data, given["household"], question)
    run(question, counted_table(data), given["plot"], given["as_json"], beside, homes, report)


def _households(data: TableToRead, column: str | None, question: Question) -> Callable[[Assessment], Assessment] | None:
    """What adds households to an assessment, if they are asked for; what cannot be is refused before data are read."""
    if column is None:
        return None
    from epsilens.choice.households import assess_households, check_household_question, households_to_assess
    from epsilens.cli.terminal import working

    check_household_question(data, column, question.publish)
    with working("Counting households"):
        found = households_to_assess(data, column)

    def added(assessment: Assessment) -> Assessment:
        noises = [(line.mechanism, line.budget, line.noise) for line in assessment.lines]
        return replace(assessment, households=assess_households(column, found, noises, question.neighbours))

    return added


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options of :data:`ASSESSED` ask; they and the chart's path are checked."""
    from epsilens.project.asking import assess

    riskiest, _ = given["cells"] or (0, None)
    question = assess(given, typed(given), riskiest)
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    elif not given["as_json"] and given["report"] is None and not (question.axis != "epsilon" or question.knee):
        for name in ("epsilon_range", "delta_range"):
            if given[name] is not None:
                raise ParameterError("is that of a curve: add `plot=FILE` or `json`", parameter=name)
    return question


@dataclass(frozen=True)
class Beside:
    """What is drawn instead of curves, and where all cells are written."""

    kind: str = "risk"
    cells: str | None = None
    force: bool = False

    def write_cells(self, table: FrequencyTable, assessment: Assessment) -> list[str]:
        """Write all cells, where asked, and say so."""
        if self.cells is None:
            return []
        from epsilens.choice.questions.assess_cells import all_cells
        from epsilens.cli.terminal import working
        from epsilens.report.cell_file import write_cells
        from epsilens.report.words.cells import cells_written

        with working("Writing cells"):
            rows = all_cells(table, assessment)
            write_cells(self.cells, rows, self.force)
        return [cells_written(rows, self.cells)]


def beside_from(given: dict[str, Any], question: Question, force: bool = False) -> Beside:
    """What the options of :data:`ASSESSED` ask for beside, refused before any work if it could not be written."""
    kind, (_, cells) = given["chart"] or "risk", given["cells"] or (0, None)
    if given["chart"] is not None:
        from epsilens.report.charts.assess_kinds import check_kind

        check_kind(kind, question)
        if given["plot"] is None:
            raise ParameterError("needs `plot=FILE`, where to draw it", parameter="chart")
        if kind == "households" and given.get("household") is None:
            raise ParameterError("`chart=households` needs `household`, the column that says who lives with whom")
        if kind == "population" and not question.is_sample:
            raise ParameterError(
                "is that of a sample: say `sampling_fraction`, or name its survey weights with `weight`",
                parameter="chart",
            )
        for name in ("axis", "epsilon_range", "delta_range") if kind != "risk" else ():
            if given[name] is not None:
                raise ParameterError(f"is that of curves, which `chart={kind}` does not draw", parameter=name)
    if cells is not None:
        from epsilens.report.cell_file import check_cells_path

        question.check_cells()
        check_cells_path(cells, force)
    elif force:
        raise ParameterError("replaces a file that `cells` names; name one", parameter="force")
    return Beside(kind, cells, force)


def run(
    question: Question,
    table: FrequencyTable,
    chart: str | None,
    as_json: bool,
    beside: Beside,
    households: Callable[[Assessment], Assessment] | None = None,
    report: ReportTo | None = None,
    command: str = "assess",
) -> None:
    """Assess, print and, where asked, draw and report; ``households`` adds the attack on them."""
    from epsilens.choice.questions.assess import answer, assessment_curves, curve_steps, steps
    from epsilens.cli.terminal import print_json, show_internal, show_lines, working
    from epsilens.report.words.assess import summary, worded
    from epsilens.report.words.common import chart_written

    with working("Assessing", total=steps(question, len(table.sensitive))) as progress:
        assessment = answer(question, table, progress)
    if households is not None:
        assessment = households(assessment)
    files: dict[str, Any] = {} if chart is None else {"charts": [chart]}
    if written := beside.write_cells(table, assessment):
        files |= {"cells_file": beside.cells}
    if not as_json:
        show_internal(summary(assessment))
        show_lines(written)
    ranged = question.axis != "epsilon" or question.epsilon_range is not None
    curves = []
    drawn_or_told = beside.kind == "risk" and (chart is not None or (as_json and ranged))
    if drawn_or_told or report is not None:
        with working("Drawing", total=curve_steps(question, len(table.sensitive))) as progress:
            curves = assessment_curves(table, question, progress)
    if drawn_or_told:
        files |= {"curves": [{"sensitive": name, **curve.to_dict()} for name, curve in curves]}
    if report is not None:
        from epsilens.report.pages.assess import page_of
        from epsilens.report.pages.dials import dial_of_assessment

        with working("Writing the report"):
            turned = dial_of_assessment(assessment, table)
            said = report.write(page_of(assessment, table, curves, again(command), turned))
        files |= {"report": report.path}
        if not as_json:
            show_lines([said])
    if as_json:
        print_json(worded(assessment) | files)
    if chart is None:
        return
    from epsilens.report.charts.assess import risk_curve_chart
    from epsilens.report.charts.assess_kinds import draw
    from epsilens.report.charts.common import save_chart

    with working("Drawing"):
        drawn = risk_curve_chart(curves, assessment) if drawn_or_told else draw(beside.kind, table, assessment)
        save_chart(drawn, chart)
    if not as_json:
        show_lines([chart_written(chart)])
