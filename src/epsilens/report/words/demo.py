"""The words of the demo."""

from __future__ import annotations

from epsilens.choice.questions.demo import BINS, QUASI_IDENTIFIERS, SENSITIVE
from epsilens.report.words.common import BLANK, Block, Text, counted


def introduction(rows: int) -> list[Block]:
    """Who the people are, and what the attacker knows."""
    return [
        Text(
            f"A synthetic population of {counted(rows, 'person')} (nobody is real). An attacker knows somebody's block "
            f"group, age in tens, sex and race, and wants to learn the {SENSITIVE}."
        ),
        BLANK,
    ]


def written(rows: int, path: str) -> list[Block]:
    """Where the people are, and what to try with them."""
    bins = ",".join(f"{column}={width}" for column, width in BINS.items())
    return [
        Text(f"{counted(rows, 'synthetic person', 'synthetic people')} written to {path}. Try:"),
        Text(f"epsilens assess {path} --qid {','.join(QUASI_IDENTIFIERS)} \\", indent=2),  # to be copied: not folded
        Text(f"--bins {bins} --sensitive {SENSITIVE}", indent=4),
    ]
