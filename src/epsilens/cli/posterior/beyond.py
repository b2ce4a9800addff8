"""Beyond a few counts: categories, post-processing, trees and whole releases."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.options import (
    BINS,
    JSON,
    ROWS,
    attack_option,
    engine_options,
    fractions,
    names,
    numbers,
    was_given,
    whole_number,
    whole_numbers,
    with_options,
)
from epsilens.cli.posterior.shared import (
    FAMILY,
    PLOT,
    PRESET,
    PRIOR,
    RHOS_OF_LEVELS,
    along,
    axis_option,
    budgets,
    checked_chart,
    checked_plot,
    draw,
    show,
)
from epsilens.cli.reports import REPORT_OPTIONS, again, report_from
from epsilens.errors import ParameterError
from epsilens.table.json_files import read_json


@click.command("category")
@click.option("--categories", type=int, metavar="C", help="Number of equally likely categories, or use --prior.")
@click.option("--prior", callback=fractions, metavar="P,..", help="Prior probability of each category.")
@click.option(
    "--true",
    "true_category",
    type=int,
    default=0,
    show_default=True,
    metavar="I",
    help="The person's true category, counted from 0.",
)
@click.option(
    "--noisy", callback=numbers, metavar="X,..", help="Noisy counts of the histogram; with --known: the posterior."
)
@click.option("--known", callback=numbers, metavar="N,..", help="Counts without the person.")
@click.option("--rho", type=float, metavar="R", help="zCDP budget of the histogram.")
@click.option(
    "--first",
    callback=numbers,
    default="1,3,10",
    show_default=True,
    metavar="M,..",
    help="How often the true category is among the first M.",
)
@JSON
def category(as_json: bool, **given: Any) -> None:
    """Which of C categories is the person's? The posterior, or how often the true one is ranked first.

    \b
    Examples:
      epsilens posterior category --categories 12 --rho 0.5
      epsilens posterior category --noisy 1,4,0 --known 1,2,0 --rho 0.5
    """
    from epsilens.choice.questions.posterior import category as asked
    from epsilens.report.words.posterior import category_sentences

    question = asked.Question(**given)
    for name in ("true_category", "first"):
        if question.noisy and was_given(name):
            raise ParameterError("is for averages; with `noisy` the posterior says it all", parameter=name)
    show(asked.answer(question), category_sentences, as_json)


@click.command("postprocess")
@click.option(
    "--shown", callback=numbers, default="1,2,5,10,20", show_default=True, metavar="N,..", help="Shown parent counts."
)
@click.option("--siblings", type=int, default=27, show_default=True, metavar="D", help="Number of siblings.")
@click.option(
    "--rho",
    callback=budgets,
    default="0.099",
    show_default=True,
    metavar="R,..",
    help="zCDP budgets of the group: 0.1,1, or 0.01:10:13 for 13 of them, log-spaced.",
)
@PRIOR
@PLOT
@axis_option("shown", "the shown parent counts, or the rho of the group")
@JSON
def postprocess(plot: str | None, axis: str | None, as_json: bool, **given: Any) -> None:
    """Does post-processing raise risk? Checked for the simplified and the constrained step, not assumed.

    \b
    Examples:
      epsilens posterior postprocess --shown 1,5 --siblings 9 --rho 0.1
      epsilens posterior postprocess --shown 1,5 --siblings 9 \\
        --rho 0.05:5:6 --axis rho --plot processed.svg
    """
    from epsilens.choice.questions.posterior import postprocess as asked
    from epsilens.report.words.posterior import postprocess_blocks

    checked_plot(plot)
    checked_chart(plot, axis=axis)
    edge, question = along(axis, "shown"), asked.Question(**given)
    question.check_drawn(edge)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import postprocessing_chart

        draw(postprocessing_chart(answer.check, edge), plot)
    show(answer, postprocess_blocks, as_json, plot)


@click.command("tree")
@click.argument("specification", type=click.Path(), required=False)
@PRIOR
@click.option(
    "--leaf-prior",
    metavar="L",
    help="Prior of the other lowest groups: poisson or negative-binomial (fitted), poisson=MEAN, "
    "negative-binomial=MEAN:SIZE, binomial=TOTAL:SHARE, uniform or uniform=HIGHEST.  [default: that of the file]",
)
@click.option(
    "--family",
    callback=whole_number,
    metavar="M",
    help="How many people share what is to be learnt (a household, a school class), there together or not at all.  "
    "[default: that of the file, or 1]",
)
@click.option("--example", type=click.Path(), metavar="FILE", help="Write a small tree to start from, and stop.")
@JSON
def tree(
    specification: str | None,
    prior: float,
    leaf_prior: str | None,
    family: int | None,
    example: str | None,
    as_json: bool,
) -> None:
    """Every noisy count of a tree, from a JSON file.

    \b
    {"noisy": [[2, 0, 1], [3]],     noisy counts by level, lowest first;
                                    null where unpublished
     "parents": [[0, 0, 0]],        where in the level above the parent of
                                    each group is
     "rho": [0.1, 0.2],             budgets by level, lowest first
     "target": 0, "known": 0,       the person's group, and how many others
                                    are known there; "family": 4 where so
                                    many are there together or not at all
     "leaf_prior": "poisson",       or negative-binomial; fitted to the
                                    noisy counts. Or known beforehand:
                                    {"law": "poisson", "mean": 0.027}
     "invariants": [{}, {"0": 3}]}  counts the attacker knows exactly, by
                                    level and position

    \b
    Examples:
      epsilens posterior tree --example blocks.json
      epsilens posterior tree blocks.json --leaf-prior poisson=0.5
      epsilens posterior tree blocks.json --family 4
    """
    from epsilens.choice.questions.posterior import tree as asked

    if (specification is None) == (example is None):
        raise ParameterError("name the JSON file of a tree, or write one with `example`")
    if example is not None:
        _write_example(example, as_json)
        return
    from epsilens.report.words.posterior import tree_sentences

    question = asked.Question.from_dict(read_json(str(specification), "tree", dict), prior, leaf_prior, family)
    show(asked.answer(question), tree_sentences, as_json)


def _write_example(path: str, as_json: bool) -> None:
    from epsilens.choice.questions.posterior.tree import EXAMPLE, write_example
    from epsilens.cli.terminal import print_json, show_lines
    from epsilens.report.words.posterior import example_written

    if was_given("prior") or was_given("leaf_prior") or was_given("family"):
        raise ParameterError("writes a tree and does nothing else; leave out the other options", parameter="example")
    write_example(path)
    if as_json:
        print_json({"label": "publishable", "written": path, "tree": EXAMPLE})
    else:
        show_lines([example_written(path)])


@click.command("noise")
@click.option(
    "--rho", callback=budgets, default="0.099,1", show_default=True, metavar="R,..", help="zCDP budgets of a count."
)
@click.option(
    "--terms", callback=numbers, default="5,27", show_default=True, metavar="D,..", help="Numbers of counts added up."
)
@PLOT
@click.option(
    "--chart", callback=names, metavar="C,..", help="What --plot shows: variance, sum.  [default: variance,sum]"
)
@JSON
def noise(plot: str | None, chart: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Discrete Gaussian noise itself: its variance, and the exact law of sums beside the one that stands for it.

    \b
    Example:
      epsilens posterior noise --rho 0.099,1 --terms 5,27 --plot noise.svg
    """
    from epsilens.choice.questions.posterior import noise as asked
    from epsilens.report.words.posterior_noise import noise_blocks

    checked_plot(plot)
    checked_chart(plot, chart=chart)
    chosen = asked.checked_charts(chart or asked.CHARTS)
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        from epsilens.report.charts.posterior_noise import noise_chart

        draw(noise_chart(answer, asked.variance_curve(), chosen), plot)
    show(answer, noise_blocks, as_json, plot)


@click.command("budget")
@click.option("--rho", callback=budgets, metavar="R,..", help="zCDP budgets.  [required]")
@click.option(
    "--delta", callback=numbers, default="1e-10", show_default=True, metavar="D,..", help="Deltas of the conversion."
)
@JSON
def budget(as_json: bool, **given: Any) -> None:
    """What rho means as epsilon and delta: the best conversion, and the simple theorem beside it.

    \b
    Example:
      epsilens posterior budget --rho 0.099,2.56 --delta 1e-6,1e-10
    """
    from epsilens.choice.questions.posterior import budget as asked
    from epsilens.report.words.posterior_noise import budget_blocks

    show(asked.answer(asked.Question(**given)), budget_blocks, as_json)


@click.command("family")
@click.option("--epsilon", type=float, metavar="E", help="Budget of one person.")
@click.option("--mechanism", metavar="M", help="Mechanism for --epsilon.  [default: discrete-laplace]")
@click.option(
    "--delta", type=float, metavar="D", help="Delta, where the mechanism has one; with --rho that of the epsilons told."
)
@click.option("--rho", type=float, metavar="R", help="zCDP budget of discrete Gaussian noise, instead of --epsilon.")
@click.option(
    "--members",
    callback=whole_numbers,
    default="1,2,4,30",
    show_default=True,
    metavar="M,..",
    help="How many people share what is to be learnt: a person, a couple, a household, a school class.",
)
@click.option(
    "--prior",
    callback=fractions,
    default="0.01,0.1,0.5",
    show_default=True,
    metavar="P,..",
    help="The attackers' probabilities beforehand.",
)
@PLOT
@JSON
def family(plot: str | None, as_json: bool, **given: Any) -> None:
    """What a budget is worth for a family: differential privacy protects persons, not families.

    \b
    Examples:
      epsilens posterior family --epsilon 1
      epsilens posterior family --epsilon 0.5 --delta 1e-6 \\
        --mechanism gaussian-analytic --members 1,2,3,4,5 --plot f.svg
      epsilens posterior family --rho 0.1 --delta 1e-6 --members 1,4

    Nothing is read: the numbers follow from the noise alone, and may be published.
    """
    from epsilens.choice.questions.posterior import families as asked
    from epsilens.report.words.families import family_blocks

    checked_plot(plot)
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        from epsilens.report.charts.families import family_chart

        draw(family_chart(answer), plot)
    show(answer, family_blocks, as_json, plot)


@click.command("release")
@click.argument("source")
@click.option("--table", metavar="NAME", help="Table to read, when SOURCE is a database URL.")
@click.option(
    "--levels", callback=names, metavar="A,B", help="Columns of the groups, lowest first: block,block_group,tract."
)
@click.option("--by", callback=names, metavar="A,B", help="Characteristics that make people alike.")
@click.option("--count", metavar="COL", help="SOURCE is a table of counts; COL holds them.")
@click.option(
    "--codes",
    default="unique",
    show_default=True,
    metavar="C",
    help="unique, or within-parent where codes repeat in different parents.",
)
@BINS
@with_options(ROWS)
@engine_options
@RHOS_OF_LEVELS
@PRESET
@PRIOR
@attack_option("{names}.")
@FAMILY
@click.option(
    "--rare",
    type=int,
    metavar="N",
    help="People in cells of at most N (and of at least --family).  [default: 1, or --family]",
)
@click.option(
    "--threshold",
    "thresholds",
    callback=numbers,
    default="1.1,1.3",
    show_default=True,
    metavar="T,..",
    help="Ratios to count above.",
)
@PLOT
@JSON
@with_options(REPORT_OPTIONS)
def release(source: str, table: str | None, plot: str | None, as_json: bool, **given: Any) -> None:
    """Everybody who is unique or rare in a hierarchical release, at the chosen budgets.

    \b
    Examples:
      epsilens posterior release people.csv --by age,sex,race \\
        --levels block,block_group,tract --rho 0.1,0.1,0.1
      epsilens posterior release people.csv --by age,hispanic,race \\
        --bins 'age=18|' --where 'group_quarters=household' \\
        --levels block,block_group,tract --preset census-2020
      epsilens posterior release people.csv --by age,sex,race \\
        --levels block,block_group,tract --rho 0.1,0.1,0.1 --family 4

    The second one counts people by voting age (below 18, or 18 and above), made from a column of ages.
    """
    from epsilens.choice.questions.posterior import release as asked
    from epsilens.cli.terminal import working
    from epsilens.report.words.posterior import release_sentences

    checked_plot(plot)
    report = report_from({"report": given.pop("report"), "publishable": given.pop("publishable"), "plot": plot})
    question = asked.Question(**given)
    with working("Counting people"):
        situations = question.read(source, table)
    with working("Assessing situations"):
        answer = asked.answer(question, situations)
    if plot is not None:
        from epsilens.report.charts.posterior import release_chart

        draw(release_chart(answer.risk), plot, internal=True)
    if report is None:
        show(answer, release_sentences, as_json, plot)
        return
    from epsilens.report.pages.dials import dial_of_hierarchy
    from epsilens.report.pages.posterior_release import page_of

    with working("Writing the report"):
        turned = dial_of_hierarchy(answer, situations)
        written = report.write(page_of(answer, again("posterior release"), turned))
    show(answer, release_sentences, as_json, plot, report={report.path: written})


@click.command("census-2020")
@click.option("--delta", type=float, default=1e-10, show_default=True, metavar="D", help="Delta of the conversion.")
@JSON
def census_2020(delta: float, as_json: bool) -> None:
    """How the 2020 Census divided rho over levels, and what it means as epsilon and delta.

    \b
    Example:
      epsilens posterior census-2020 --delta 1e-10
    """
    from epsilens.choice.questions.posterior import census_2020 as asked
    from epsilens.report.words.posterior import census_2020_blocks

    show(asked.answer(asked.Question(delta)), census_2020_blocks, as_json)
