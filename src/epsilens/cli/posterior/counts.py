"""One count, two levels, several levels."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from epsilens.cli.options import numbers
from epsilens.cli.posterior.shared import (
    JSON,
    PLOT,
    PRIOR,
    PRIORS,
    PUBLISHED,
    RHOS,
    chance,
    checked_plot,
    draw,
    noise_from,
    rhos_from,
    show,
)
from epsilens.errors import ParameterError

if TYPE_CHECKING:
    from epsilens.posterior import ParentPrior


@click.command("single")
@click.option(
    "--noisy", type=float, metavar="X", help="The published noisy count; without it: averages over the noise."
)
@click.option(
    "--known", type=int, default=0, show_default=True, metavar="N", help="How many others the attacker knows of."
)
@click.option("--rho", type=float, metavar="R", help="zCDP budget of discrete Gaussian noise.")
@click.option("--mechanism", metavar="M", help="Mechanism for --epsilon.  [default: discrete-laplace]")
@click.option("--epsilon", type=float, metavar="E", help="Budget, instead of --rho.")
@click.option("--delta", type=float, metavar="D", help="Delta, where the mechanism has one.")
@PRIOR
@click.option(
    "--scenario",
    "scenario_name",
    default="characteristics",
    show_default=True,
    metavar="S",
    help="What is attacked: characteristics, participation, misreporting, unknown-variable.",
)
@PLOT
@JSON
def single(
    noisy: float | None,
    known: int,
    rho: float | None,
    mechanism: str | None,
    epsilon: float | None,
    delta: float | None,
    prior: float,
    scenario_name: str,
    plot: str | None,
    as_json: bool,
) -> None:
    """One noisy count: the posterior given it, or its average over the noise."""
    import numpy as np

    from epsilens import posterior

    checked_plot(plot)
    noise = noise_from(rho, mechanism, epsilon, delta)
    attack = posterior.scenario(scenario_name)
    expected = posterior.expected_single_level(noise=noise, prior=prior)
    result: dict[str, Any] = {"scenario": asdict(attack), "prior": prior, "expected": asdict(expected)}
    lines = [attack.question, attack.in_words(prior)]
    if noisy is not None:
        found = posterior.single_level(noisy, known, noise=noise, prior=prior)
        result |= {"noisy": noisy, "known": known, "posterior": found.posterior, "risk_ratio": found.risk_ratio}
        verdict = "there" if found.decides_present else "not there"
        lines.append(
            f"A noisy count of {noisy:g} with {known} others known moves it to {chance(found.posterior)} "
            f"({found.risk_ratio:.3f} times the prior); the best guess is that the person is {verdict}."
        )
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior)} "
        f"({expected.risk_ratio:.3f} times the prior), right decision with probability "
        f"{chance(expected.correct_decision)}."
    )
    if plot is not None:
        from epsilens.report.charts.posterior import noisy_count_chart

        reach = int(np.ceil(4 * np.sqrt(noise.variance))) + 1
        counts = np.arange(known + 1 - reach, known + 2 + reach)
        draw(noisy_count_chart(posterior.noisy_count_table(counts, known, noise=noise, prior=prior), prior), plot)
    show(result, as_json, lines, plot)


@click.command("curve")
@click.option("--from", "lowest", type=float, default=1e-3, show_default=True, metavar="R", help="Smallest rho.")
@click.option("--to", "highest", type=float, default=1e1, show_default=True, metavar="R", help="Largest rho.")
@click.option("--points", type=int, default=61, show_default=True, metavar="N", help="Number of rho's, log-spaced.")
@PRIORS
@PLOT
@JSON
def curve(
    lowest: float, highest: float, points: int, prior: tuple[float, ...], plot: str | None, as_json: bool
) -> None:
    """Expected risk of one noisy count against rho, for several priors."""
    from epsilens.budget import log_grid
    from epsilens.posterior import single_level_curve

    checked_plot(plot)
    if not prior or points > 10_000:
        raise ParameterError("a curve needs at least one --prior and at most 10000 --points")
    found = single_level_curve(log_grid(lowest, highest, points), prior)
    if plot is not None:
        from epsilens.report.charts.posterior import budget_chart

        draw(budget_chart(found), plot)
    rows = [
        {
            "prior": float(p),
            "rho": float(r),
            "posterior": float(found.posterior[i, j]),
            "risk_ratio": float(found.risk_ratio[i, j]),
            "correct_decision": float(found.correct_decision[i, j]),
        }
        for i, p in enumerate(found.prior)
        for j, r in enumerate(found.rho)
    ]
    step = max(1, points // 10)
    lines = ["   prior         rho   posterior   posterior/prior   right decision"]
    lines += [
        f"{row['prior']:8.4g}  {row['rho']:10.4g}  {row['posterior']:10.4f}  {row['risk_ratio']:16.4f}  "
        f"{row['correct_decision']:15.4f}"
        for k, row in enumerate(rows)
        if (k % points) % step == 0
    ]
    show({"rows": rows}, as_json, lines, plot)


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
@PUBLISHED
@click.option("--plot", type=click.Path(), metavar="FILE", help="Right decisions by parent count: .svg, .png or .html.")
@click.option(
    "--map", "decision_map_file", type=click.Path(), metavar="FILE", help="Decision map: .svg, .png or .html."
)
@JSON
def two_level(
    noisy: int | None,
    noisy_parent: int | None,
    noisy_siblings: int | None,
    parents: tuple[float, ...],
    siblings: int,
    rho: tuple[float, ...],
    parent_rho: tuple[float, ...],
    prior: float,
    parent_prior: str,
    published: bool,
    plot: str | None,
    decision_map_file: str | None,
    as_json: bool,
) -> None:
    """A group, its parent and its siblings: the exact posterior, or averages over the noise."""
    from epsilens import posterior

    checked_plot(plot)
    checked_plot(decision_map_file)
    if len(rho) != 2:
        raise ParameterError(f"--rho needs two budgets, group and parent, got {len(rho)}")
    seen = [value for value in (noisy, noisy_parent, noisy_siblings) if value is not None]
    if (len(seen) == 3) == bool(parents) or len(seen) in (1, 2):
        raise ParameterError("give either --noisy, --noisy-parent and --noisy-siblings, or --parent")
    if seen and parent_rho:
        raise ParameterError("--parent-rho goes with --parent; with noisy counts the parent's budget is in --rho")
    pair, law = (rho[0], rho[1]), _parent_prior(parent_prior)
    lines: list[str] = []
    result: dict[str, Any] = {"prior": prior, "siblings": siblings, "rho": list(rho), "published": published}
    if seen:
        found = posterior.two_level(
            seen[0], seen[1], seen[2], siblings, pair, prior, parent_prior=law, published=published
        )
        result |= {"posterior": found.posterior, "risk_ratio": found.risk_ratio, "law": found.law}
        result |= {"alone": found.alone.posterior, "parent_pmf": found.parent_pmf}
        lines.append(
            f"Posterior {chance(found.posterior)} ({found.law}), against {chance(found.alone.posterior)} from the "
            f"group's own count alone and a prior of {prior:g}."
        )
    else:
        rows = []
        for x2 in parents:
            for second in parent_rho or (rho[1],):
                risk = posterior.expected_two_level(
                    _whole("parent", x2), siblings, (rho[0], second), prior, parent_prior=law, published=published
                )
                rows.append({"parent": int(x2), "parent_rho": second, **asdict(risk), "net_gain": risk.net_gain})
                lines.append(
                    f"Parent {int(x2)}, rho {second:g} ({risk.law}): expected posterior {chance(risk.posterior)}; "
                    f"a right decision with probability {chance(risk.correct_decision)}, against "
                    f"{chance(risk.correct_decision_alone)} without the parent; "
                    f"changed for the better {chance(risk.right_changes)}, for the worse "
                    f"{chance(risk.wrong_changes)}."
                )
        result["rows"] = rows
    if plot is not None:
        from epsilens.report.charts.posterior import two_level_chart

        if not parents:
            raise ParameterError("--plot draws right decisions by parent count: give --parent 1,2,3,...")
        counts = [_whole("parent", x2) for x2 in parents]
        draw(
            two_level_chart(posterior.two_level_curve(counts, siblings, pair, parent_rho or None, prior, published)),
            plot,
        )
    if decision_map_file is not None:
        from epsilens.report.charts.posterior import decision_chart

        truth = _whole("parent", parents[0]) if parents else 1
        decisions = posterior.decision_map(truth, siblings, pair, prior=prior, parent_prior=law, published=published)
        draw(decision_chart(decisions), decision_map_file)
    show(result, as_json, lines, plot or decision_map_file)


def _whole(name: str, value: float) -> int:
    if value != int(value):
        raise ParameterError(f"{name} must be a whole number, got {value:g}")
    return int(value)


def _parent_prior(text: str) -> ParentPrior:
    from epsilens.posterior import PointParent, UniformParent

    kind, _, value = text.partition(":")
    try:
        number = int(value) if value else None
    except ValueError:
        number = -1
    if kind == "uniform" and number != -1:
        return UniformParent(number)
    if kind == "point" and number is not None and number != -1:
        return PointParent(number)
    raise ParameterError(f"--parent-prior must be uniform, uniform:HIGHEST or point:COUNT, got {text!r}")


@click.command("levels")
@RHOS
@click.option("--preset", metavar="NAME", help="census-2020: block, block group, tract, county, state, nation.")
@PRIORS
@PLOT
@JSON
def levels(
    rho: tuple[float, ...], preset: str | None, prior: tuple[float, ...], plot: str | None, as_json: bool
) -> None:
    """Somebody unique at 1, 2, 3, ... levels: expected risk, with a stated error and no simulation."""
    from epsilens.posterior import unique_levels_curve

    checked_plot(plot)
    if not prior:
        raise ParameterError("--prior needs at least one number")
    found = unique_levels_curve(rhos_from(rho, preset), prior)
    if plot is not None:
        from epsilens.report.charts.posterior import levels_chart

        draw(levels_chart(found), plot)
    rows = [
        {"prior": float(p), "levels": int(level)}
        | {name: float(found[name][i, j]) for name in ("posterior", "risk_ratio", "correct_decision")}
        for i, p in enumerate(found["prior"])
        for j, level in enumerate(found["levels"])
    ]
    lines = [
        f"prior {row['prior']:.4g}, unique at {row['levels']} level(s): expected posterior "
        f"{chance(row['posterior'], 6)} ({row['risk_ratio']:.4f} times the prior), "
        f"right decision {row['correct_decision']:.4f}"
        for row in rows
    ]
    show({"rows": rows}, as_json, lines, plot)
