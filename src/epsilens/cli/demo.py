"""``epsilens demo``: the main job on an embedded synthetic population."""

from __future__ import annotations

from typing import Any

import click

from epsilens.cli.assess import ASSESSED, beside_from, question_from, run
from epsilens.cli.options import HARMFUL, whole_option, with_options
from epsilens.cli.reports import report_from
from epsilens.errors import ParameterError, speaking_of


@click.command("demo")
@whole_option("--rows", default=50_000, metavar="N", help="How many people to generate.")
@whole_option("--people", default=2026, metavar="S", help="Seed of the population: another number, other people.")
@click.option("--write", type=click.Path(), metavar="FILE", help="Only write the people to a file: .parquet or .csv.")
@click.option("--force", is_flag=True, help="Replace a file that exists, with --write or --cells.")
@HARMFUL
@with_options(ASSESSED)
def command(rows: int, people: int, write: str | None, force: bool, harmful: tuple[str, ...], **given: Any) -> None:
    """What is at risk among synthetic people: a first look, without data of your own.

    The people live in blocks, block groups, tracts and counties; they have an age, sex, race, Hispanic origin, group
    quarters, income and a disease. The attacker knows somebody's block group, age (in tens), sex and race, and wants
    to learn the disease. Nobody is real, and the same seed gives the same people.

    \b
    Examples:
      epsilens demo --rows 5000
      epsilens demo --rows 5000 --harmful disease=cancer \\
        --harmful 'disease=heart disease' --plot v.svg --chart values
      epsilens demo --rows 5000 --report demo.html
    """
    from epsilens.choice.questions.demo import Question
    from epsilens.cli.terminal import show, working
    from epsilens.report.words.common import number
    from epsilens.report.words.demo import introduction, written

    if write is not None:
        from epsilens.table.demo.population import write_population

        if harmful:
            raise ParameterError("is about risks, and `write` only writes people; leave it out", parameter="harmful")
        for name in ("report", "publishable"):
            if given[name]:
                raise ParameterError("is about risks, and `write` only writes people; leave it out", parameter=name)
        with speaking_of(seed="people", path="write"), working(f"Writing {number(rows)} people", rows) as progress:
            write_population(write, rows, people, progress, force)
        show(written(rows, write))
        return
    if force and given["cells"] is None:
        raise ParameterError("replaces a file that `write` or `cells` names; name one", parameter="force")
    question = Question(rows, people, question_from(given), harmful)
    beside, report = beside_from(given, question.assessed, force), report_from(given)
    with speaking_of(seed="people"), working(f"Generating {number(rows)} people"):
        table = question.read()
    if not given["as_json"]:
        show(introduction(rows))
    run(question.assessed, table, given["plot"], given["as_json"], beside, report=report, command="demo")
