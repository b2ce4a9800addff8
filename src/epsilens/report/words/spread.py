"""How a risk is spread over people, in words: what stands beside every average."""

from __future__ import annotations

from epsilens.choice.spread import HALF, Spread
from epsilens.report.words.common import counted, percent, percent_beside, verb


def spread_sentence(spread: Spread, whom: str = "people") -> str:
    """Who is worst off, and how many are above 50 % and above the ceiling: ``Worst off: 12 people, at 99.8 %; ...``.

    ``whom`` is what is counted: ``people``, or ``rows`` where a person may have several.
    """
    one = "person" if whom == "people" else whom.removesuffix("s")
    if spread.people == 0 or spread.worst == 0.0:
        return "Nobody is at risk."
    ceiling = () if spread.ceiling is None else (spread.ceiling,)
    worst = percent_beside(spread.worst, HALF, *ceiling)
    limits = [f"{_how_many(spread.above_half, spread.people, one)} above 50 %"]
    if spread.ceiling is not None and spread.above_ceiling is not None:
        said = f"{100 * spread.ceiling:.4g} %"
        limits.append(f"{_how_many(spread.above_ceiling, spread.people, one)} above the ceiling of {said}")
    above = " and ".join(limits)
    if spread.at_worst == spread.people:
        return f"All {whom} are at the same risk, {worst}: nobody is worse off than the average; {above}."
    return f"Worst off: {counted(spread.at_worst, one)}, at {worst}; {above}."


def _how_many(count: int, everybody: int, one: str) -> str:
    """``340 people (0.9 %) are``, ``nobody is``."""
    if count == 0:
        return "nobody is" if one == "person" else f"no {one} is"
    return f"{counted(count, one)} ({percent(count / everybody)}) {verb(count)}"
