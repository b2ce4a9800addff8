"""``epsilens choose``: a tolerable risk in, a budget out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NoReturn

import click

from epsilens.checks import one_of
from epsilens.cli import options
from epsilens.cli.options import (
    fraction,
    names,
    number,
    numbers,
    typed,
    whole_number,
    with_options,
)
from epsilens.cli.reports import REPORT_OPTIONS, ReportTo, again, report_from
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.choice.questions.choose import Answer, Question

OF_A_BUDGET = "trade-off"
"""The chart that needs a budget."""
NO_BUDGET = 3
"""The exit code where the question is sound and no budget keeps what it asks for."""


@click.command("choose")
@with_options(options.SOURCE)
@options.STRUCTURAL_ZEROS
@click.option(
    "--max-risk",
    callback=number,
    metavar="R",
    help="The ceiling: a probability in (0, 1]; of posterior-ratio a ratio above 1, of a sum of attributes up to their "
    "number, with weights of --harmful up to the largest. For a ceiling on one value alone name it with --harmful.  "
    "[required, but for --max-gain]",
)
@click.option(
    "--max-gain",
    callback=number,
    metavar="G",
    help="The ceiling of a posterior measure as a point above the prior: 0.05 for prior + 0.05, instead of --max-risk.",
)
@click.option(
    "--max-people",
    callback=whole_number,
    metavar="M",
    help="At most M people may be above the ceiling, instead of the average.",
)
@click.option(
    "--max-error", callback=number, metavar="E", help="Also a ceiling on the expected absolute error of a count."
)
@click.option(
    "--max-wrong",
    callback=number,
    metavar="W",
    help="Also a ceiling on the share of people who are wrongly shown with a harmful value, in (0, 1].",
)
@click.option(
    "--profile",
    metavar="P",
    help="Also a risk profile: '3', 'max(0.25/p,3)' or 'max(0.25/(pq),3)' (posterior / prior).",
)
@options.MECHANISM
@options.DELTA
@click.option(
    "--epsilon",
    "fixed_epsilon",
    callback=number,
    metavar="E",
    help="Fix epsilon and choose delta instead, for the Gaussian mechanisms.",
)
@click.option("--rho", is_flag=True, help="Choose rho (zCDP) instead of epsilon.")
@options.MEASURE
@click.option(
    "--aggregate",
    "aggregate_by",
    metavar="A",
    help="mean (over people), cell-mean, max, or a quantile such as q95.  [default: mean]",
)
@click.option(
    "--attributes",
    metavar="joint|max|sum",
    help="Several --sensitive: their combinations, or the largest or the sum of their risks.  [default: joint; max "
    "for separate tables]",
)
@options.PUBLISH
@options.BUDGET_OF
@options.MATCH
@options.SIZE_MODEL
@options.SIZE_FIT
@options.ALPHA
@click.option(
    "--prior",
    callback=fraction,
    metavar="P",
    help="The adversary's prior, for the posterior measures: 0.5, or 1/864.  [default: 0.5]",
)
@click.option(
    "--family",
    callback=whole_number,
    metavar="M",
    help="Of the posterior measures: how many people share what is to be learnt (a household, a school class), there "
    "together or not at all.  [default: 1]",
)
@click.option("--levels", callback=names, metavar="A,B", help="Columns of a hierarchy of groups, lowest first.")
@click.option("--by", callback=names, metavar="A,B", help="With --levels: characteristics that make people alike.")
@click.option("--codes", metavar="C", help="With --levels: unique, or within-parent.  [default: unique]")
@options.attack_option("With --levels: {names}.  [default: unique-levels]", default=None)
@click.option(
    "--rare",
    callback=whole_number,
    metavar="N",
    help="With --levels: people in cells of at most N.  [default: 1, or --family]",
)
@click.option(
    "--shares",
    callback=numbers,
    metavar="S,..",
    help="With --levels: the levels' shares of the budget, in proportion to these numbers.  [default: equal]",
)
@options.NEIGHBOURS
@click.option(
    "--round-down", is_flag=True, help="Use the public grid 1, 2, 5, 10, ... for the budget that is exported."
)
@click.option("--against", metavar="M", help="Compare errors with another mechanism at the same risk.")
@click.option("--levers", is_flag=True, help="Also what coarser or fewer quasi-identifiers would do.")
@options.JSON
@with_options(REPORT_OPTIONS)
@options.plot_option("Draw a chart")
@click.option(
    "--chart",
    metavar="KIND",
    help="What to draw: risk, frontier, iso-risk, marginals, trade-off, levers.  [default: risk]",
)
@options.EPSILON_RANGE
@options.DELTA_RANGE
@click.option("--export", metavar="opendp", help="Write a Python script that releases the table with OpenDP.")
@click.option("--script", metavar="FILE", help="Where to write it.  [default: release_opendp.py]")
def command(**given: Any) -> None:
    """Which budget keeps the risk at or below a ceiling, and at what price.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease --max-risk 0.05
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --max-risk 0.5 --max-people 10
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --max-risk 0.05 --profile 'max(0.25/p,3)'
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --max-risk 0.05 --export opendp
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --max-risk 0.05 --report choice.html
      epsilens choose people.csv --qid block_group,age,sex,race \\
        --bins age=10 --sensitive disease \\
        --mechanism gaussian-analytic --epsilon 1 --max-risk 0.05
      epsilens choose people.csv --levels block,block_group,tract \\
        --by age,sex --measure posterior-ratio --attack two-level \\
        --mechanism discrete-gaussian --rho --max-risk 1.2
      epsilens choose people.csv --levels block,block_group \\
        --by age,sex --measure posterior --prior 1/10 --max-gain 0.05 \\
        --mechanism discrete-gaussian --rho
      epsilens choose people.csv --qid block_group,sex \\
        --sensitive disease --measure posterior --family 4 \\
        --max-risk 0.7

    With --levels SOURCE is a hierarchy of groups: the budget is that of all levels together, and the adversary knows
    everybody but one person.

    What counts as harm is declared with --harmful; --max-risk is about those values alone, and who is wrongly shown
    with one of them is counted apart.

    Exit code 3: no budget keeps the ceiling (with --epsilon: no delta). The answer, or its JSON, says why.

    The result is computed from true data: it is internal, not for publication.
    """
    if given["fixed_epsilon"] is not None:
        _choose_delta(given)
        return
    from epsilens.choice.questions.choose import answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.report.words import choose as words
    from epsilens.report.words.common import BLANK, Text, chart_written

    question, report = question_from(given), report_from(given)
    chart = _checked_chart(given["chart"], given["plot"], bool(given["levels"]))
    for name in ("epsilon_range", "delta_range"):
        if given[name] is not None and chart != "iso-risk":
            raise ParameterError("belongs to `chart=iso-risk`, the plane of epsilon and delta", parameter=name)
    script = _checked_script(question, given)
    with working("Counting people"):
        data = question.read()
    with working("Scanning budgets") as progress:
        found = answer(question, data, progress)
    if not found.exists:
        script, chart = None, None if chart == OF_A_BUDGET else chart  # there is nothing to spend
    if chart is not None:
        _draw(chart, found, given["plot"])
    if script is not None:
        _export(found, script, given["round_down"])
    if report is not None:
        from epsilens.report.pages.choose import page_of
        from epsilens.report.pages.dials import dial_of_choice

        with working("Writing the report"):
            written = report.write(page_of(found, again("choose"), dial_of_choice(found)))
    if given["as_json"]:
        plane = {"plane": found.plane.to_dict()} if chart == "iso-risk" else {}
        print_json(words.worded(found) | plane | _files(None if chart is None else given["plot"], report))
    else:
        blocks = words.summary(found)
        if chart is not None:
            blocks += [BLANK, Text(chart_written(given["plot"]))]
        if script is not None:
            blocks += [BLANK, Text(words.script_written(script))]
        if report is not None:
            blocks += [BLANK, Text(written)]
        show_internal(blocks)
    if not found.exists:
        unwritten = [words.nothing_to_export(found)] if given["export"] is not None else []
        if given["chart"] == OF_A_BUDGET:
            unwritten.append("no chart was drawn: there is no budget whose worst case it could show")
        _stop_without_budget("; ".join(unwritten))


def _files(chart: str | None, report: ReportTo | None) -> dict[str, Any]:
    """Where a chart and a report went."""
    return ({} if chart is None else {"charts": [chart]}) | ({} if report is None else {"report": report.path})


def _stop_without_budget(unwritten: str = "") -> NoReturn:
    """End with an exit code of its own, and say on stderr what was asked for and is not there."""
    if unwritten:
        click.echo(f"epsilens: {unwritten}", err=True)
    raise click.exceptions.Exit(NO_BUDGET)


def question_from(given: dict[str, Any]) -> Question:
    """The question that the options ask; everything that needs no data is checked."""
    from epsilens.project import asking

    return asking.choose(given, typed(given))


def _choose_delta(given: dict[str, Any]) -> None:
    """Epsilon is fixed: the delta that keeps the risk, told and drawn."""
    from epsilens.choice.questions.choose_delta import answer
    from epsilens.cli.terminal import print_json, show_internal, working
    from epsilens.project import asking
    from epsilens.report.words import choose_delta as words
    from epsilens.report.words.common import BLANK, Text, chart_written

    question = asking.choose_delta(given, typed(given))
    report = report_from(given)
    if (path := given["plot"]) is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(path)
    with working("Counting people"):
        data = question.read()
    with working("Scanning deltas"):
        found = answer(question, data)
    if path is not None:
        from epsilens.report.charts.choose_delta import delta_chart
        from epsilens.report.charts.common import save_chart

        with working("Drawing"):
            save_chart(delta_chart(found), path)
    told = [] if path is None else [BLANK, Text(chart_written(path))]
    if report is not None:
        from epsilens.report.pages.choose import delta_page

        with working("Writing the report"):
            told += [BLANK, Text(report.write(delta_page(found, again("choose"))))]
    if given["as_json"]:
        print_json(words.worded(found) | _files(path, report))
    else:
        show_internal([*words.summary(found), *told])
    if not found.exists:
        _stop_without_budget()


def _checked_chart(kind: str | None, path: str | None, of_hierarchy: bool) -> str | None:
    """The chart to draw, if one is asked for."""
    if kind is None and path is None:
        return None
    from epsilens.report.charts.choose import check_kind
    from epsilens.report.charts.common import check_chart_path

    chosen = check_kind(kind or "risk", of_hierarchy)
    if path is None:
        raise ParameterError("needs `plot=FILE`, where to draw it", parameter="chart")
    check_chart_path(path)
    return chosen


def _checked_script(question: Question, given: dict[str, Any]) -> str | None:
    """Where to write the script, if one is asked for."""
    if given["export"] is None:
        for name in ("script", "round_down"):
            if given[name]:
                raise ParameterError("needs `export=opendp`, which it belongs to", parameter=name)
        return None
    from epsilens.release.opendp_script import check_exportable, check_script_path
    from epsilens.table.to_read import TableToRead

    one_of("export", given["export"], ("opendp",))
    if question.publish == "separate":
        raise ParameterError("writes one joint table; leave out `publish`, or `export`", parameter="export")
    assert isinstance(question.data, TableToRead)  # a hierarchy was refused with its option
    path: str = given["script"] or "release_opendp.py"
    check_exportable(question.data.source, question.data.schema)
    check_script_path(path)
    return path


def _draw(chart: str, found: Answer, path: str) -> None:
    from epsilens.cli.terminal import working
    from epsilens.report.charts.choose import draw
    from epsilens.report.charts.common import save_chart

    with working("Drawing"):
        save_chart(draw(chart, found), path)


def _export(found: Answer, path: str, round_down: bool) -> None:
    from epsilens.release.opendp_script import opendp_script, write_script
    from epsilens.report.words.choose import nothing_to_export
    from epsilens.table.to_read import TableToRead

    budget, data = found.public_budget if round_down else found.budget, found.question.data
    if budget is None:
        raise ParameterError(nothing_to_export(found))
    assert isinstance(data, TableToRead)
    write_script(opendp_script(found.choice.dial, budget, data.source, data.schema, data.count), path)
