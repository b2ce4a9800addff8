"""``epsilens demo``: the main job on an embedded synthetic population."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.assess import plan_from, plan_options, run

QUASI_IDENTIFIERS = ("block_group", "age", "sex", "race")


@click.command("demo")
@click.option("--rows", default=50_000, show_default=True, metavar="N", help="How many people to generate.")
@click.option(
    "--people", "seed", default=2026, show_default=True, metavar="S", help="Another number, another population."
)
@click.option("--write", type=click.Path(), metavar="FILE.parquet", help="Only write the people to a Parquet file.")
@plan_options
def command(rows: int, seed: int, write: str | None, **given: Any) -> None:
    """Run the main job on an embedded synthetic population.

    The people live in blocks, block groups, tracts and counties; they have an age, sex, race, Hispanic origin, group
    quarters, income and a disease. The attacker knows somebody's block group, age (in tens), sex and race, and wants
    to learn the disease. Nobody is real, and the same seed gives the same people.
    """
    from epsilens.cli.terminal import working

    if write is not None:
        from epsilens.table.demo.population import write_population

        with working(f"Writing {rows:,} people", total=rows) as progress:
            write_population(write, rows, seed, progress)
        click.echo(f"{rows:,} synthetic people written to {write}. Try:")
        click.echo(f"  epsilens assess {write} --qid {','.join(QUASI_IDENTIFIERS)} --bins age=10 --sensitive disease")
        return
    from epsilens.table import Schema, read_table
    from epsilens.table.demo.population import population

    plan, chart = plan_from(given)
    with working(f"Generating {rows:,} people"):
        people = population(rows, seed)
        table = read_table(people, Schema(QUASI_IDENTIFIERS, "disease", bins={"age": 10}))
    if not given["as_json"]:
        click.echo(f"A synthetic population of {rows:,} people (nobody is real). An attacker knows somebody's")
        click.echo("block group, age in tens, sex and race, and wants to learn the disease.\n")
    run(table, plan, given, chart)
