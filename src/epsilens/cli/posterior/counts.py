"""One count, two levels, several levels, several releases."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.options import JSON, fractions, number, numbers
from epsilens.cli.posterior.shared import (
    ABSENT,
    FAMILIES,
    FAMILY,
    KNOWN,
    PLOT,
    PRESET,
    PRIOR,
    PRIORS,
    RHOS_OF_LEVELS,
    along,
    axis_option,
    budgets,
    checked_chart,
    checked_plot,
    draw,
    panels,
    panels_option,
    show,
)


@click.command("single")
@click.option(
    "--noisy",
    callback=numbers,
    metavar="X,..",
    help="The published noisy count, or several to compare; without it: averages over the noise.",
)
@KNOWN
@FAMILIES
@ABSENT
@click.option("--rho", type=float, metavar="R", help="zCDP budget of discrete Gaussian noise.")
@click.option("--mechanism", metavar="M", help="Mechanism for --epsilon.  [default: discrete-laplace]")
@click.option("--epsilon", type=float, metavar="E", help="Budget, instead of --rho.")
@click.option("--delta", type=float, metavar="D", help="Delta, where the mechanism has one.")
@click.option(
    "--prior",
    callback=fractions,
    default="0.5",
    show_default=True,
    metavar="P,..",
    help="The attacker's probability beforehand: 0.5, or 1/864; several for several attackers.",
)
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
      epsilens posterior single --noisy 1,2,3,4,5 --rho 0.099 \\
        --prior 1/2,1/5,1/10,1/50,1/864 --plot counts.svg
      epsilens posterior single --epsilon 1
      epsilens posterior single --epsilon 1 --family 1,2,4,30
    """
    from epsilens.choice.questions.posterior import single as asked
    from epsilens.report.words.posterior import single_blocks

    checked_plot(plot)
    question = asked.Question(**given | {"noisy": given["noisy"] or None})
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import noisy_count_chart
        from epsilens.report.charts.posterior_panels import adversaries_chart

        noise, present = f"{question.noise.title} noise, {question.budget_words}", not question.absent
        if len(question.adversaries) == 1:
            (prior, family), table = question.adversaries[0], question.noisy_counts()
            draw(noisy_count_chart(table, prior, noise, present, family), plot)
        elif len(question.families) > 1:
            shared: dict[float, Any] = {m: question.noisy_counts(family=m) for m in question.families}
            draw(adversaries_chart(shared, noise, present, families=True), plot)
        else:
            tables = {p: question.noisy_counts(p) for p in question.priors}
            draw(adversaries_chart(tables, noise, present), plot)
    show(answer, single_blocks, as_json, plot)


@click.command("curve")
@click.option("--from", "lowest", type=float, default=1e-3, show_default=True, metavar="R", help="Smallest rho.")
@click.option("--to", "highest", type=float, default=1e1, show_default=True, metavar="R", help="Largest rho.")
@click.option(
    "--points", type=int, default=61, show_default=True, metavar="N", help="Number of values of rho, log-spaced."
)
@PRIORS
@FAMILIES
@ABSENT
@PLOT
@panels_option("all three")
@click.option("--mark", callback=number, metavar="R", help="A value of rho to point at in --plot.")
@JSON
def curve(plot: str | None, chart: tuple[str, ...], mark: float | None, as_json: bool, **given: Any) -> None:
    """Expected risk of one noisy count against rho, for several priors.

    \b
    Examples:
      epsilens posterior curve --from 0.01 --to 1 --plot curve.svg
      epsilens posterior curve --prior 1/2,1/864 --plot right.svg \\
        --chart decision --mark 0.099
      epsilens posterior curve --prior 0.5 --family 1,2,4 \\
        --plot families.svg --chart posterior,decision
    """
    from epsilens.choice.questions.posterior import curve as asked
    from epsilens.choice.questions.posterior.adversaries import PANELS
    from epsilens.report.words.posterior import curve_blocks

    checked_plot(plot)
    checked_chart(plot, chart=chart, mark=mark)
    chosen = panels(chart, tuple(PANELS))
    question = asked.Question(**given)
    if mark is not None:
        question.checked_mark(mark)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import budget_chart

        draw(budget_chart(answer.curve, chosen, mark, question.family, answer.curves[1:]), plot)
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
@click.option(
    "--parent-rho",
    callback=budgets,
    metavar="R,..",
    help="Several budgets of the parent, with --parent: 0.1,1, or 0.01:10:13 for 13 of them, log-spaced.",
)
@KNOWN
@FAMILY
@ABSENT
@PRIOR
@click.option(
    "--parent-prior", default="uniform", show_default=True, metavar="P", help="uniform, uniform:HIGHEST or point:COUNT."
)
@click.option("--published", is_flag=True, help="The stationary law of the published sampler instead.")
@click.option(
    "--plot",
    type=click.Path(),
    metavar="FILE",
    help="Right decisions by parent count, or what --chart and --axis say: .svg, .png or .html.",
)
@panels_option("decision")
@axis_option("parent", "the parent's true count, or its rho")
@click.option(
    "--map", "decision_map_file", type=click.Path(), metavar="FILE", help="Decision map: .svg, .png or .html."
)
@JSON
def two_level(
    plot: str | None,
    chart: tuple[str, ...],
    axis: str | None,
    decision_map_file: str | None,
    as_json: bool,
    **given: Any,
) -> None:
    """A group, its parent and its siblings: the exact posterior, or averages over the noise.

    \b
    Examples:
      epsilens posterior two-level --noisy 1 --noisy-parent 2 \\
        --noisy-siblings 3 --siblings 27 --rho 0.099,0.246
      epsilens posterior two-level --parent 1,5 --siblings 27 \\
        --rho 0.099,0.246
      epsilens posterior two-level --parent 1,10 --siblings 27 \\
        --rho 0.099,0.246 --parent-rho 0.1:10:5 --axis rho --plot r.svg
      epsilens posterior two-level --parent 4,10 --siblings 27 \\
        --rho 0.099,0.246 --family 4
    """
    from epsilens.choice.questions.posterior import two_level as asked
    from epsilens.report.words.posterior import two_level_blocks

    checked_plot(plot)
    checked_plot(decision_map_file)
    checked_chart(plot, chart=chart, axis=axis)
    chosen, edge = panels(chart, ("decision",)), along(axis, "parent")
    question = asked.Question(**given)
    if plot is not None:
        question.check_drawn(edge)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import two_level_chart
        from epsilens.report.words.posterior import two_level_subtitle

        mark = question.rho[1] if question.is_within(question.rho[1]) else None
        draw(two_level_chart(answer.curve(), chosen, edge, two_level_subtitle(answer), mark), plot)
    if decision_map_file is not None:
        from epsilens.report.charts.posterior import decision_chart

        draw(decision_chart(question.decision_map()), decision_map_file)
    show(answer, two_level_blocks, as_json, plot, decision_map_file)


@click.command("levels")
@RHOS_OF_LEVELS
@PRESET
@PRIORS
@FAMILIES
@ABSENT
@PLOT
@panels_option("posterior,ratio")
@JSON
def levels(plot: str | None, chart: tuple[str, ...], as_json: bool, **given: Any) -> None:
    """Somebody unique at 1, 2, 3, ... levels: expected risk, with a stated error and no simulation.

    \b
    Examples:
      epsilens posterior levels --preset census-2020 --prior 0.5
      epsilens posterior levels --rho 0.1,0.25,0.05 --prior 1/2,1/864 \\
        --plot levels.svg --chart posterior,ratio,decision
    """
    from epsilens.choice.questions.posterior import levels as asked
    from epsilens.report.words.posterior import levels_blocks

    checked_plot(plot)
    checked_chart(plot, chart=chart)
    chosen = panels(chart, ("posterior", "ratio"))
    question = asked.Question(**given)
    answer = asked.answer(question)
    if plot is not None:
        from epsilens.report.charts.posterior import levels_chart

        draw(levels_chart(answer.curve, chosen, not question.absent, question.family, answer.curves[1:]), plot)
    show(answer, levels_blocks, as_json, plot)


@click.command("sequence")
@click.option("--rho", callback=numbers, metavar="R,..", help="zCDP budgets, first release first.")
@click.option("--noisy", callback=numbers, metavar="X,..", help="The noisy counts, one per release; without: averages.")
@KNOWN
@FAMILY
@ABSENT
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
