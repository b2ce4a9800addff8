"""What there is to decide, for somebody who reads the beginning of a report and nothing else."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.report.words.choose_terms import Answer
from epsilens.report.words.common import Block, Text, counted, joined, number, percent


def decision_blocks(answer: Answer, known: Sequence[str], sensitive: Sequence[str]) -> list[Block]:
    """What is decided, and what happens if nothing is done; the budget, its risk and its price stand below."""
    name = answer["parameter"]
    said = [
        f"To decide: how much noise is added to the counts of {counted(answer['people'], 'person')} by "
        f"{joined([*known, *sensitive])} before they are published. The number to decide on is {name}: the smaller it "
        "is, the more noise, and the stronger the guarantee.",
        _if_nothing_is_done(answer, known, sensitive),
    ]
    if answer.get("public_budget") is not None:
        said.append(
            f"If {name} itself is to be published, take the round number {answer['public_budget']:g}: one that was "
            "tuned on true data says a little about them."
        )
    return [Text(sentence) for sentence in said if sentence]


def _if_nothing_is_done(answer: Answer, known: Sequence[str], sensitive: Sequence[str]) -> str:
    """The people who are shown with a value that harms where nothing is added; nothing where that is not counted."""
    last = answer["table"][-1]
    if last[answer["parameter"]] is not None or last["harmful_right"] is None:
        return ""
    people, everybody = round(last["harmful_right"] * answer["people"]), answer["people"]
    what = "a harmful value that is theirs" if answer["harmful"]["declared"] else f"their {joined(list(sensitive))}"
    whom = f"anybody who knows their {joined(list(known))}" if known else "anybody who can find their cell"
    if not people:
        return f"Without noise nobody would be shown with {what} to {whom}; other attacks may still succeed."
    return (
        f"Without noise {number(people)} of {counted(everybody, 'person')} ({percent(people / everybody)}) "
        f"would be shown with {what} to {whom}."
    )
