"""Beyond a few counts: categories, post-processing, trees and whole releases."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.options import BINS, JSON, ROWS, attack_option, names, numbers, with_options
from epsilens.cli.posterior.shared import (
    PLOT,
    PRESET,
    PRIOR,
    RHOS_OF_LEVELS,
    checked_plot,
    draw,
    show,
)
from epsilens.table.json_files import read_json


@click.command("category")
@click.option("--categories", type=int, metavar="C", help="Number of equally likely categories, or use --prior.")
@click.option("--prior", callback=numbers, metavar="P,..", help="Prior probability of each category.")
@click.option("--true", "true_category", type=int, default=0, show_default=True, metavar="I", help="True one, from 0.")
@click.option(
    "--noisy", callback=numbers, metavar="X,..", help="Noisy counts of the histogram; with --known: the posterior."
)
@click.option("--known", callback=numbers, metavar="N,..", help="Counts without the person.")
@click.option("--rho", type=float, metavar="R", help="zCDP budget of the histogram.")
@click.option(
    "--first", callback=numbers, default="1,3,10", show_default=True, metavar="M,..", help="Within the first m."
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

    show(asked.answer(asked.Question(**given)), category_sentences, as_json)


@click.command("postprocess")
@click.option(
    "--shown", callback=numbers, default="1,2,5,10,20", show_default=True, metavar="N,..", help="Shown parent counts."
)
@click.option("--siblings", type=int, default=27, show_default=True, metavar="D", help="Number of siblings.")
@click.option(
    "--rho", callback=numbers, default="0.099", show_default=True, metavar="R,..", help="zCDP budgets of the group."
)
@PRIOR
@PLOT
@JSON
def postprocess(plot: str | None, as_json: bool, **given: Any) -> None:
    """Does post-processing raise risk? Checked for the simplified and the constrained step, not assumed.

    \b
    Example:
      epsilens posterior postprocess --shown 1,5 --siblings 9 --rho 0.1
    """
    from epsilens.choice.questions.posterior import postprocess as asked
    from epsilens.report.words.posterior import postprocess_blocks

    checked_plot(plot)
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        from epsilens.report.charts.posterior import postprocessing_chart

        draw(postprocessing_chart(answer.check), plot)
    show(answer, postprocess_blocks, as_json, plot)


@click.command("tree")
@click.argument("specification", type=click.Path())
@PRIOR
@JSON
def tree(specification: str, prior: float, as_json: bool) -> None:
    """Every noisy count of a tree, from a JSON file.

    \b
    {"noisy": [[2, 0, 1], [3]],     noisy counts by level, lowest first;
                                    null where unpublished
     "parents": [[0, 0, 0]],        where in the level above the parent of
                                    each group is
     "rho": [0.1, 0.2],             budgets by level, lowest first
     "target": 0, "known": 0,       the person's group, and how many others
                                    are known there
     "leaf_prior": "poisson",       or negative-binomial; fitted to the
                                    noisy counts
     "invariants": [{}, {"0": 3}]}  counts the attacker knows exactly, by
                                    level and position
    """
    from epsilens.choice.questions.posterior import tree as asked
    from epsilens.report.words.posterior import tree_sentences

    question = asked.Question.from_dict(read_json(specification, "tree", dict), prior)
    show(asked.answer(question), tree_sentences, as_json)


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
@RHOS_OF_LEVELS
@PRESET
@PRIOR
@attack_option("{names}.")
@click.option("--rare", type=int, default=1, show_default=True, metavar="N", help="People in cells of at most N.")
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
def release(source: str, table: str | None, plot: str | None, as_json: bool, **given: Any) -> None:
    """Everybody who is unique or rare in a hierarchical release, at the chosen budgets.

    \b
    Examples:
      epsilens posterior release people.csv --by age,sex,race \\
        --levels block,block_group,tract --rho 0.1,0.1,0.1
      epsilens posterior release people.csv --by age,hispanic,race \\
        --bins 'age=18|' --where 'group_quarters=household' \\
        --levels block,block_group,tract --preset census-2020

    The second one counts people by voting age (below 18, or 18 and above), made from a column of ages.
    """
    from epsilens.choice.questions.posterior import release as asked
    from epsilens.cli.terminal import working
    from epsilens.report.words.posterior import release_sentences

    checked_plot(plot)
    question = asked.Question(**given)
    with working("Counting people"):
        situations = question.read(source, table)
    with working("Assessing situations"):
        answer = asked.answer(question, situations)
    if plot is not None:
        from epsilens.report.charts.posterior import release_chart

        draw(release_chart(answer.risk), plot)
    show(answer, release_sentences, as_json, plot)


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
