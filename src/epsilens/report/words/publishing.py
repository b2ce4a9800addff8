"""Sentences that several commands share: which cells get noise, and how several attributes are published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.report.words.common import counted, joined, number, verb

NEEDED = "needs a universe: the declared values of every column"
NEEDED_BY_A_RELEASE = f"A release adds noise to cells that nobody is in as well, and {NEEDED}."


def universe_sentences(universe: Mapping[str, Any] | None) -> list[str]:
    """Which cells a preview of utility is about, and what a release will ask for; from the JSON of declared cells."""
    if universe is None:
        return [
            "No universe is declared: cells that nobody is in are left out of this preview. A release adds noise to "
            f"them too, and {NEEDED}."
        ]
    sentences = [
        f"The declared universe has {counted(universe['cells'], 'cell')} with {counted(universe['counts'], 'count')}, "
        f"which all get noise; in {number(universe['further_cells'])} of the cells there is nobody."
    ]
    if found := universe["found"]:
        sentences.append(
            f"It says nothing of {', '.join(found)}, whose values are taken from the data; a release needs "
            f"{verb(len(found), 'it', 'them')} declared."
        )
    return sentences


def published_sentence(sensitive: Sequence[str], publish: str, budget_of: str | None = None) -> str:
    """Whether several sensitive attributes are published as one table or as several, and whose budget epsilon is."""
    if publish == "joint":
        return f"{joined(sensitive)} are published as one joint table of their combinations."
    whose = {
        "each": f" epsilon is the budget of each table, and the {len(sensitive)} together cost {len(sensitive)} "
        "times as much, by basic composition.",
        "all": f" epsilon is the budget of the {len(sensitive)} together, evenly divided.",
    }
    text = f"{joined(sensitive)} are published as separate tables, one for each"
    return f"{text};{whose[budget_of]}" if budget_of else f"{text}."
