"""Beyond a few counts: sequences, categories, post-processing, trees and whole releases."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from epsilens.cli.options import names, numbers, read_json
from epsilens.cli.posterior.shared import JSON, PLOT, PRIOR, RHOS, chance, checked_plot, draw, rhos_from, show
from epsilens.errors import DataError, EpsilensError, ParameterError


@click.command("sequence")
@RHOS
@click.option("--noisy", callback=numbers, metavar="X,..", help="The noisy counts, one per release; without: averages.")
@click.option(
    "--known", type=int, default=0, show_default=True, metavar="N", help="How many others the attacker knows of."
)
@PRIOR
@JSON
def sequence(rho: tuple[float, ...], noisy: tuple[float, ...], known: int, prior: float, as_json: bool) -> None:
    """Several releases of the same count, all seen by the attacker."""
    from epsilens import posterior

    if not rho:
        raise ParameterError("--rho is missing: one budget per release")
    # Decisions over many different noises have no short sum; the expected posterior always has one.
    expected = posterior.expected_sequence(rho, prior, decisions=len(set(rho)) <= 3)
    result: dict[str, Any] = {"prior": prior, "rho": list(rho), "expected": asdict(expected)}
    lines = []
    if noisy:
        found = posterior.sequence(noisy, known, rho, prior)
        result |= {"posteriors": list(found.posteriors), "ratios": list(found.ratios), "risk_ratio": found.risk_ratio}
        steps = ", ".join(chance(value) for value in found.posteriors)
        lines.append(f"Posterior after each release: {steps}; together {found.risk_ratio:.4f} times the prior.")
    lines.append(
        f"On average over the noise, of a person who is there: posterior {chance(expected.posterior, 6)} "
        f"({expected.risk_ratio:.4f} times the prior) after {len(rho)} releases."
    )
    show(result, as_json, lines)


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
def category(
    categories: int | None,
    prior: tuple[float, ...],
    true_category: int,
    noisy: tuple[float, ...],
    known: tuple[float, ...],
    rho: float | None,
    first: tuple[float, ...],
    as_json: bool,
) -> None:
    """Which of C categories is the person's? The posterior, or how often the true one is ranked first."""
    from epsilens import posterior

    if bool(noisy) != bool(known):
        raise ParameterError("--noisy and --known go together: the noisy counts, and the counts without the person")
    if noisy and categories is not None:
        raise ParameterError("--categories is for averages; with --noisy the counts say how many categories there are")
    if noisy:
        found = posterior.categories(noisy, known, prior or None, rho)
        ranking = [int(c) for c in found.ranking]
        lines = [f"category {c}: posterior {chance(found.posterior[c])}" for c in ranking[:10]]
        show({"posterior": found.posterior.tolist(), "ranking": ranking}, as_json, lines)
        return
    if (categories is None) == (not prior):
        raise ParameterError("give either --categories or --prior")
    if not first or any(m != int(m) for m in first):
        raise ParameterError("--first needs whole numbers, such as 1,3,10")
    which: Any = list(prior) if prior else categories
    expected = posterior.expected_categories(true_category, which, rho, first=[int(m) for m in first])
    lines = [
        f"Expected posterior of the true category {chance(expected.posterior)}, {expected.risk_ratio:.3f} times its "
        "prior.",
        f"Ranked first with probability {expected.ranked_first:.4f}; within the first "
        + ", ".join(f"{m}: {p:.4f}" for m, p in expected.within_first.items())
        + ".",
    ]
    show(asdict(expected), as_json, lines)


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
def postprocess(
    shown: tuple[float, ...], siblings: int, rho: tuple[float, ...], prior: float, plot: str | None, as_json: bool
) -> None:
    """Does post-processing raise risk? Checked for the simplified and the constrained step, not assumed."""
    from epsilens.posterior import postprocessing_check

    checked_plot(plot)
    if not shown or not rho:
        raise ParameterError("--shown and --rho need at least one number each")
    check = postprocessing_check([int(x) for x in shown], siblings, rho, prior)
    if plot is not None:
        from epsilens.report.charts.posterior import postprocessing_chart

        draw(postprocessing_chart(check), plot)
    rows = [
        {"rho": r, **asdict(row), "raises_risk": row.raises_risk, "exceeds_child_alone": row.exceeds_child_alone}
        for row, r in zip(check.rows, check.rhos, strict=True)
    ]
    lines = [
        f"{row['step']:>11}, rho {row['rho']:g}, parent shown {row['shown_parent']}: posterior {row['posterior']:.5f}, "
        f"from raw counts {row['raw_posterior']:.5f}, from the group's alone {row['raw_posterior_child']:.5f}"
        for row in rows
    ]
    show({"verdict": check.verdict, "rows": rows}, as_json, [*lines, "", check.verdict], plot)


@click.command("tree")
@click.argument("specification", type=click.Path())
@PRIOR
@JSON
def tree(specification: str, prior: float, as_json: bool) -> None:
    """Every noisy count of a tree, from a JSON file.

    \b
    {"noisy": [[2, 0, 1], [3]],       noisy counts by level, lowest first; null where unpublished
     "parents": [[0, 0, 0]],          for each group of a level the position of its parent
     "rho": [0.1, 0.2],               budgets by level
     "target": 0, "known": 0,         the person's group, and how many others are known there
     "leaf_prior": "poisson",         poisson or negative-binomial, fitted to the noisy counts
     "invariants": [{}, {"0": 3}]}    counts the attacker knows exactly, by level and position
    """
    from epsilens import posterior

    given = read_json(specification, "tree", dict)
    allowed = {"noisy", "parents", "rho", "target", "known", "leaf_prior", "invariants"}
    if not {"noisy", "parents", "rho"} <= set(given) <= allowed:
        raise DataError(f"a tree is an object with noisy, parents, rho and perhaps {', '.join(sorted(allowed))}")
    try:
        invariants = [{int(k): int(v) for k, v in level.items()} for level in given.pop("invariants", [])]
        found = posterior.tree(**given, prior=prior, invariants=invariants)
    except EpsilensError:
        raise
    except (ArithmeticError, AttributeError, TypeError, ValueError):
        raise DataError(f"the tree in {specification!r} holds what is no number where a number is due") from None
    result = asdict(found) | {"alone": found.alone.posterior}
    lines = [
        f"Posterior {chance(found.posterior, 6)} ({found.risk_ratio:.4f} times the prior); from the group's own count "
        f"alone {chance(found.alone.posterior, 6)}."
    ]
    show(result, as_json, lines)


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
@RHOS
@click.option("--preset", metavar="NAME", help="census-2020: block, block group, tract, county, state, nation.")
@PRIOR
@click.option(
    "--attack", default="unique-levels", show_default=True, metavar="A", help="single, two-level or unique-levels."
)
@click.option("--rare", type=int, default=1, show_default=True, metavar="N", help="People in cells of at most N.")
@click.option(
    "--threshold", callback=numbers, default="1.1,1.3", show_default=True, metavar="T,..", help="Ratios to count above."
)
@PLOT
@JSON
def release(
    source: str,
    table: str | None,
    levels: tuple[str, ...],
    by: tuple[str, ...],
    count: str | None,
    codes: Any,
    rho: tuple[float, ...],
    preset: str | None,
    prior: float,
    attack: Any,
    rare: int,
    threshold: tuple[float, ...],
    plot: str | None,
    as_json: bool,
) -> None:
    """Everybody who is unique or rare in a hierarchical release, at the chosen budgets."""
    from epsilens.cli.terminal import print_json, working
    from epsilens.posterior import release_risk
    from epsilens.table import Hierarchy

    checked_plot(plot)
    budgets = rhos_from(rho, preset)
    if not levels or not by:
        raise ParameterError("--levels and --by are needed: the columns of the groups, and what makes people alike")
    if preset is None and len(budgets) != len(levels):
        raise ParameterError(f"--rho needs one budget per level ({len(levels)}), got {len(budgets)}")
    if len(budgets) < len(levels):
        raise ParameterError(f"the preset has {len(budgets)} levels, --levels names {len(levels)}")
    with working("Counting people"):
        situations = Hierarchy.read(source, levels, by, table, count, codes).situations(rare)
    with working("Assessing situations"):
        risk = release_risk(situations, budgets[: len(levels)], prior, attack, rare)
        above = {t: (risk.people_above(t), risk.expected_people_above(t)) for t in threshold}
    quantiles = risk.quantiles()
    if plot is not None:
        from epsilens.report.charts.posterior import release_chart

        draw(release_chart(risk), plot)
    if as_json:
        print_json(
            {
                "label": "internal",
                "attack": attack,
                "prior": prior,
                "people": risk.n_people,
                "situations": len(risk.people),
                "mean_ratio": risk.mean_ratio,
                "quantiles": quantiles,
                "above": [
                    {"threshold": t, "people_expected_ratio": a, "expected_people": b} for t, (a, b) in above.items()
                ],
            }
        )
        return
    click.echo("Epsilens  INTERNAL: computed from true data, not for publication\n")
    click.echo(
        f"{risk.n_people:,} people are in cells of at most {rare} at level {levels[0]!r} "
        f"({len(risk.people):,} different situations)."
    )
    click.echo(
        f"Their expected posterior is on average {risk.mean_ratio:.4f} times the prior of {prior:g} ({attack} attack)."
    )
    click.echo("Quantiles over people: " + ", ".join(f"{100 * q:g} %: {v:.4f}" for q, v in quantiles.items()))
    for t, (people, expected) in above.items():
        click.echo(
            f"Above {t:g}: {people:,} people in expectation of their ratio; in a single release the ratio of "
            f"{expected:,.1f} people will exceed it on average."
        )
    if plot is not None:
        click.echo(f"Chart written to {plot} (internal).")


@click.command("census-2020")
@click.option("--delta", type=float, default=1e-10, show_default=True, metavar="D", help="Delta of the conversion.")
@JSON
def census_2020(delta: float, as_json: bool) -> None:
    """How the 2020 Census divided rho over levels, and what it means as epsilon and delta."""
    from epsilens.posterior import CENSUS_2020, converted

    rows = [
        {
            "level": level,
            "level_rho": CENSUS_2020.level_rho(level),
            "histogram_rho": CENSUS_2020.histogram_rho(level),
            "epsilon": (conversion := converted(CENSUS_2020.level_rho(level), delta)).epsilon,
            "published_epsilon": conversion.published_epsilon,
        }
        for level in CENSUS_2020.level_names
    ]
    total = CENSUS_2020.conversion(delta)
    lines = ["level            rho    of it histogram   epsilon   epsilon by the simple theorem"]
    lines += [
        f"{row['level']:<12}{row['level_rho']:9.6f}{row['histogram_rho']:15.6f}{row['epsilon']:13.4f}"
        f"{row['published_epsilon']:12.4f}"
        for row in rows
    ]
    lines.append(
        f"Total rho {CENSUS_2020.total_rho:g} at delta {delta:g}: epsilon {total.epsilon:.3f} by the best conversion, "
        f"{total.published_epsilon:.3f} by the simple theorem."
    )
    show({"name": CENSUS_2020.name, "delta": delta, "rows": rows, "total": asdict(total)}, as_json, lines)
