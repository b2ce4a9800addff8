"""``epsilens posterior``: what an attacker who knows almost everything concludes about one person."""

from __future__ import annotations

import click

from epsilens.cli.help_pages import Group
from epsilens.cli.posterior import beyond, counts


@click.group("posterior", cls=Group)
def command() -> None:
    """What an attacker who knows almost everything concludes about one person.

    The attacker knows everybody in a group but one person, sees noisy counts of the group (and of the groups above
    it), and updates the probability that the person is there.

    \b
    Examples:
      epsilens posterior single --noisy 2 --rho 0.099
      epsilens posterior two-level --parent 1 --siblings 27 --rho 0.099,0.246
      epsilens posterior levels --preset census-2020 --plot levels.svg
      epsilens posterior family --epsilon 1 --members 1,2,4,30
      epsilens posterior release people.csv --by age,sex,race \\
        --levels block,block_group,tract --rho 0.1,0.1,0.1
    """


for _further in (
    counts.single,
    counts.curve,
    counts.two_level,
    counts.levels,
    counts.sequence,
    beyond.category,
    beyond.postprocess,
    beyond.tree,
    beyond.family,
    beyond.release,
    beyond.census_2020,
    beyond.budget,
    beyond.noise,
):
    command.add_command(_further)
