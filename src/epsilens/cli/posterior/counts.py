"""One count, two levels, several levels, several releases."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.options import JSON, numbers
from epsilens.cli.posterior.shared import (
    KNOWN,
    PLOT,
    PRESET,
    PRIOR,
    PRIORS,
    RHOS_OF_LEVELS,
    checked_plot,
    draw,
    show,
)


@click.command("single")
@click.option(
    "--noisy", type=float, metavar="X", help="The published noisy count; without it: averages over the noise."
)
@KNOWN
@click.option("--rho", type=float, metavar="R", help="zCDP budget of discrete Gaussian noise.")
@click.option("--mechanism", metavar="M", help="Mechanism for --epsilon.  [default: discrete-laplace]")
@click.option("--epsilon", type=float, metavar="E", help="Budget, instead of --rho.")
@click.option("--delta", type=float, metavar="D", help="Delta, where the mechanism has one.")
@PRIOR
@click.option(
    "--scenario",
    default="characteristics",
    show_default=True,
    metavar="S",
    help="What is attacked: characteristics, participation, misreporting, unknown-variable.",
)
@PLOT
@JSON
def single(plot: str | None, as_json: bool, **given: Any) -> None:
    """One noisy count: the posterior given it, or its average over the noise.

    \b
    Examples:
      epsilens posterior single --noisy 2 --known 1 --rho 0.099
      epsilens posterior single --epsilon 1
    """
    from epsilens.choice.questions.posterior import single as asked
    from epsilens.report.words.posterior import single_sentences

    checked_plot(plot)
    question = asked.Question(**given)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import noisy_count_chart

        draw(noisy_count_chart(question.noisy_counts(), question.prior, f"{question.noise.title} noise"), plot)
    show(answer, single_sentences, as_json, plot)


@click.command("curve")
@click.option("--from", "lowest", type=float, default=1e-3, show_default=True, metavar="R", help="Smallest rho.")
@click.option("--to", "highest", type=float, default=1e1, show_default=True, metavar="R", help="Largest rho.")
@click.option(
    "--points", type=int, default=61, show_default=True, metavar="N", help="Number of values of rho, log-spaced."
)
@PRIORS
@PLOT
@JSON
def curve(plot: str | None, as_json: bool, **given: Any) -> None:
    """Expected risk of one noisy count against rho, for several priors.

    \b
    Example:
      epsilens posterior curve --from 0.01 --to 1 --plot curve.svg
    """
    from epsilens.choice.questions.posterior import curve as asked
    from epsilens.report.words.posterior import curve_blocks

    checked_plot(plot)
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        from epsilens.report.charts.posterior import budget_chart

        draw(budget_chart(answer.curve), plot)
    show(answer, curve_blocks, as_json, plot)


@click.command("two-level")
@click.option("--noisy", type=int, metavar="X", help="Noisy count of the group; with the next two: the posterior.")
@click.option("--noisy-parent", type=int, metavar="X", help="Noisy count of its parent.")
@click.option("--noisy-siblings", type=int, metavar="X", help="Noisy sum of its siblings.")
@click.option(
    "--parent", "parents", callback=numbers, metavar="N,..", help="True parent count(s): averages over the noise."
)
@click.option("--siblings", type=int, required=True, metavar="D", help="Number of siblings.")
@click.option("--rho", callback=numbers, required=True, metavar="A,B", help="zCDP budgets of group and parent.")
@click.option("--parent-rho", callback=numbers, metavar="R,..", help="Several budgets of the parent, with --parent.")
@PRIOR
@click.option(
    "--parent-prior", default="uniform", show_default=True, metavar="P", help="uniform, uniform:HIGHEST or point:COUNT."
)
@click.option("--published", is_flag=True, help="The stationary law of the published sampler instead.")
@click.option("--plot", type=click.Path(), metavar="FILE", help="Right decisions by parent count: .svg, .png or .html.")
@click.option(
    "--map", "decision_map_file", type=click.Path(), metavar="FILE", help="Decision map: .svg, .png or .html."
)
@JSON
def two_level(plot: str | None, decision_map_file: str | None, as_json: bool, **given: Any) -> None:
    """A group, its parent and its siblings: the exact posterior, or averages over the noise.

    \b
    Examples:
      epsilens posterior two-level --noisy 1 --noisy-parent 2 \\
        --noisy-siblings 3 --siblings 27 --rho 0.099,0.246
      epsilens posterior two-level --parent 1,5 --siblings 27 \\
        --rho 0.099,0.246
    """
    from epsilens.choice.questions.posterior import two_level as asked
    from epsilens.report.words.posterior import two_level_sentences

    checked_plot(plot)
    checked_plot(decision_map_file)
    question = asked.Question(**given)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import two_level_chart

        draw(two_level_chart(answer.curve()), plot)
    if decision_map_file is not None:
        from epsilens.report.charts.posterior import decision_chart

        draw(decision_chart(question.decision_map()), decision_map_file)
    show(answer, two_level_sentences, as_json, plot, decision_map_file)


@click.command("levels")
@RHOS_OF_LEVELS
@PRESET
@PRIORS
@PLOT
@JSON
def levels(plot: str | None, as_json: bool, **given: Any) -> None:
    """Somebody unique at 1, 2, 3, ... levels: expected risk, with a stated error and no simulation.

    \b
    Example:
      epsilens posterior levels --preset census-2020 --prior 0.5
    """
    from epsilens.choice.questions.posterior import levels as asked
    from epsilens.report.words.posterior import levels_blocks

    checked_plot(plot)
    answer = asked.answer(asked.Question(**given))
    if plot is not None:
        from epsilens.report.charts.posterior import levels_chart

        draw(levels_chart(answer.curve), plot)
    show(answer, levels_blocks, as_json, plot)


@click.command("sequence")
@click.option("--rho", callback=numbers, metavar="R,..", help="zCDP budgets, first release first.")
@click.option("--noisy", callback=numbers, metavar="X,..", help="The noisy counts, one per release; without: averages.")
@KNOWN
@PRIOR
@JSON
def sequence(as_json: bool, **given: Any) -> None:
    """Several releases of the same count, all seen by the attacker.

    \b
    Example:
      epsilens posterior sequence --rho 0.1,0.1 --noisy 1,2
    """
    from epsilens.choice.questions.posterior import sequence as asked
    from epsilens.report.words.posterior import sequence_sentences

    show(asked.answer(asked.Question(**given)), sequence_sentences, as_json)
