"""``epsilens assess``: a table in, its homogeneity risk out."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.options import names, numbers, source_options, table_from

if TYPE_CHECKING:
    from epsilens.choice.assessment import Assessment, AttributeToday, Plan
    from epsilens.table import FrequencyTable


def plan_options(function: Any) -> Any:
    """Mechanisms, budgets, measures and the way to average."""
    for option in reversed(
        [
            click.option(
                "--mechanism",
                multiple=True,
                callback=names,
                default=["laplace"],
                show_default=True,
                metavar="M,..",
                help="laplace, discrete-laplace, gaussian (classic, epsilon < 1), gaussian-probabilistic, "
                "gaussian-analytic, discrete-gaussian.",
            ),
            click.option(
                "--epsilon", multiple=True, callback=numbers, metavar="E,..", help="Budgets.  [default: 0.1,0.5,1,2,5]"
            ),
            click.option("--delta", type=float, metavar="D", help="Delta, for the Gaussian mechanisms."),
            click.option(
                "--measure",
                multiple=True,
                callback=names,
                default=["local"],
                show_default=True,
                metavar="M,..",
                help="Risk measures: local, expected, shrinkage, marginal, marginal-shrinkage, hard, soft, and "
                "published-local etc. as printed.",
            ),
            click.option(
                "--size-model",
                default="poisson",
                show_default=True,
                metavar="LAW",
                help="Law of cell sizes for the marginal measures: poisson, negative-binomial, or zero-inflated-...",
            ),
            click.option(
                "--alpha",
                metavar="A,..",
                help="Dirichlet parameters for the shrinkage measures: one per label, or 'moments'.  [default: fitted]",
            ),
            click.option(
                "--match",
                metavar="any|share",
                help="What counts: a cell if anybody in it has the label read off it, or the share who have it.  "
                "[default: any; share for hard and soft]",
            ),
            click.option("--unweighted", is_flag=True, help="Average over cells instead of people."),
            click.option(
                "--neighbours",
                default="add-remove",
                show_default=True,
                metavar="N",
                help="What the budget protects: add-remove (one person more or less) or substitute.",
            ),
            click.option(
                "--simulate",
                type=int,
                default=0,
                metavar="R",
                help="Also sanitise R times and show the simulated local risk with its standard error.",
            ),
            click.option(
                "--simulate-seed",
                default=2026,
                show_default=True,
                metavar="S",
                help="Another seed, another simulation.",
            ),
            click.option("--json", "as_json", is_flag=True, help="Print JSON instead of text."),
            click.option("--plot", type=click.Path(), metavar="FILE", help="Draw risk curves: .svg, .png or .html."),
        ]
    ):
        function = option(function)
    return function


@click.command("assess")
@source_options
@plan_options
def command(**given: Any) -> None:
    """What is at risk in a table, today and at a few budgets.

    SOURCE is a CSV or Parquet file, a quoted pattern such as 'part-*.parquet', or a database URL with --table.

    \b
    Examples:
      epsilens assess adult.csv --qid age,sex,race --sensitive income --bins age=5
      epsilens assess counts.csv --qid region,sex --sensitive disease --count n --epsilon 0.5,1
      epsilens assess survey.parquet --qid age,sex --sensitive hiv --mechanism laplace,discrete-laplace --plot risk.svg

    The result holds exact risks of true data: it is internal, not for publication.
    """
    plan, chart = plan_from(given)
    run(table_from(given), plan, given, chart)


def plan_from(given: dict[str, Any]) -> tuple[Plan, str | None]:
    """The plan and the chart's path, both checked before any data is read."""
    from epsilens.choice.assessment import Plan
    from epsilens.errors import ParameterError

    if given["alpha"] is not None and not any("shrinkage" in measure for measure in given["measure"]):
        raise ParameterError("--alpha belongs to the shrinkage measures: add --measure shrinkage, or leave it out")
    plan = Plan(
        mechanisms=given["mechanism"],
        epsilons=given["epsilon"],
        delta=given["delta"],
        measures=given["measure"],
        match=given["match"],
        size_model=given["size_model"],
        alpha=_alpha(given["alpha"]),
        weighted=not given["unweighted"],
        neighbours=given["neighbours"],
        repeats=given["simulate"],
        seed=given["simulate_seed"],
    )
    if given["plot"] is not None:
        from epsilens.report.charts.common import check_chart_path

        check_chart_path(given["plot"])
    return plan, given["plot"]


def _alpha(text: str | None) -> str | tuple[float, ...] | None:
    from epsilens.checks import finite

    if text is None or text == "moments":
        return text
    return tuple(finite("alpha", part) for part in text.split(","))


def run(table: FrequencyTable, plan: Plan, given: dict[str, Any], chart: str | None) -> None:
    """Assess, print and, where asked, draw."""
    from epsilens.choice.assessment import CURVE_EPSILONS, DEFAULT_EPSILONS, assess, assessment_curves
    from epsilens.cli.terminal import print_json, working

    attributes = len(table.sensitive) + (len(table.sensitive) > 1)
    budgets = attributes * len(plan.mechanisms) * len(plan.epsilons or DEFAULT_EPSILONS)
    with working("Assessing", total=budgets) as progress:
        assessment = assess(table, plan, progress)
    if given["as_json"]:
        from epsilens.report.words.common import belief_sentence

        result = assessment.to_dict()
        for row, line in zip(result["budgets"], assessment.lines, strict=True):
            row["sentence"] = belief_sentence(line, assessment.whom)
        print_json(result)
    else:
        show(assessment)
    if chart is None:
        return
    from epsilens.report.charts.common import risk_curve_chart, save_chart

    points = attributes * len(plan.mechanisms) * len(plan.measures) * CURVE_EPSILONS[2]
    with working("Drawing", total=points) as progress:
        save_chart(risk_curve_chart(assessment_curves(table, plan, progress), assessment), chart)
    if not given["as_json"]:
        click.echo(f"Chart written to {chart} (internal).")


def show(assessment: Assessment) -> None:
    """The readable summary."""
    from rich.markup import escape
    from rich.table import Table

    from epsilens.choice.assessment import DEFAULT_EPSILONS
    from epsilens.cli.terminal import console
    from epsilens.noise import MECHANISMS
    from epsilens.report.words import common as words

    out = console()
    out.print(f"[bold]Epsilens[/bold]  [dim]{words.INTERNAL}[/dim]\n")
    whom = assessment.whom if assessment.plan.weighted else "cells"
    simulated = "local-share" if assessment.plan.match == "share" else "local"
    if assessment.dropped_rows:
        out.print(f"{words.number(assessment.dropped_rows)} rows above the bound per person were left out.\n")
    for attribute in assessment.today:
        out.print(f"[bold]{escape(attribute.sensitive)}, as it is[/bold]")
        for sentence in words.today_sentences(assessment, attribute):
            out.print(f"  {escape(sentence)}")
        out.print(f"  [dim]{escape(_diagnostics(attribute))}[/dim]\n")
        for mechanism in assessment.plan.mechanisms:
            lines = [x for x in assessment.lines if (x.sensitive, x.mechanism) == (attribute.sensitive, mechanism)]
            title = f"{escape(attribute.sensitive)} with {mechanism} noise"
            grid = Table(title=title, title_justify="left", box=None)
            for heading in ("epsilon", "one shown, theirs", "one shown, wrong", "believing is right"):
                grid.add_column(heading, justify="right")
            for line in lines:
                right, wrong = line.belief.right, line.belief.wrong
                precision = words.percent(line.belief.precision) if right + wrong > 0 else "-"
                grid.add_row(f"{line.epsilon:g}", words.percent(right), words.percent(wrong), precision)
            out.print(grid)
            # Measures are rows, so that many of them still fit a narrow terminal.
            risks = Table(title=f"Risk, average over {whom}, at epsilon", title_justify="left", box=None)
            risks.add_column("measure")
            for line in lines:
                risks.add_column(f"{line.epsilon:g}", justify="right")
            for measure in assessment.plan.measures:
                risks.add_row(measure, *(f"{line.risks[measure]:.4f}" for line in lines))
            if assessment.plan.repeats:
                drawn = [line.simulation[simulated] for line in lines if line.simulation is not None]
                risks.add_row(f"{simulated}, simulated", *(f"{mean:.4f}" for mean, _, _ in drawn))
                risks.add_row("its standard error", *(f"{error:.4f}" for _, _, error in drawn))
            out.print(risks)
            if not assessment.plan.epsilons and len(lines) < len(DEFAULT_EPSILONS):
                out.print(
                    f"  [dim]{mechanism} noise is proved for epsilon < {MECHANISMS[mechanism].below:g} only.[/dim]"
                )
            for line in lines if len(lines) <= 2 else [min(lines, key=lambda x: abs(x.epsilon - 1))]:
                out.print(f"\n{escape(words.belief_sentence(line, assessment.whom))}")
            out.print()


def _diagnostics(attribute: AttributeToday) -> str:
    d = attribute.diagnostics
    return (
        f"k-anonymity {d.k_anonymity}, l-diversity {d.distinct_l_diversity} distinct and "
        f"{d.entropy_l_diversity:.3g} entropy, t-closeness {d.t_closeness:.3g}, "
        f"delta-disclosure {d.delta_disclosure:.3g}, beta-likeness {d.basic_beta_likeness:.3g}"
    )
