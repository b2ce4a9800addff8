"""How a risk is spread over people, in words: what stands beside every average."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.choice.questions.assessment import BudgetLine
from epsilens.choice.spread import HALF, Band, Spread
from epsilens.report.words.common import Grid, budget_text, counted, number, percent, percent_beside, singular, verb


def spread_sentence(spread: Spread, whom: str = "people") -> str:
    """Who is worst off, and how many are above 50 % and above the ceiling: ``Worst off: 12 people, at 99.8 %; ...``.

    ``whom`` is what is counted: ``people``, or ``rows`` where a person may have several.
    """
    one = singular(whom)
    if spread.people == 0 or spread.worst == 0.0:
        return "Nobody is at risk."
    ceiling = () if spread.ceiling is None else (spread.ceiling,)
    worst = percent_beside(spread.worst, HALF, *ceiling)
    limits = [f"{_how_many(spread.above_half, spread.people, one, whom)} above 50 %"]
    if spread.ceiling is not None and spread.above_ceiling is not None:
        said = f"{100 * spread.ceiling:.10g} %"
        limits.append(f"{_how_many(spread.above_ceiling, spread.people, one, whom)} above the ceiling of {said}")
    above = " and ".join(limits)
    if spread.at_worst == spread.people:
        return f"All {whom} are at the same risk, {worst}: nobody is worse off than the average; {above}."
    return f"Worst off: {counted(spread.at_worst, one, whom)}, at {worst}; {above}."


def _how_many(count: int, everybody: int, one: str, whom: str) -> str:
    """``340 people (0.9 %) are``, ``nobody is``."""
    if count == 0:
        return "nobody is" if one == "person" else f"no {one} is"
    return f"{counted(count, one, whom)} ({percent(count / everybody)}) {verb(count)}"


def spread_grid(lines: Sequence[BudgetLine], keys: Sequence[str], measures: Sequence[str], whom: str) -> Grid:
    """Beside the averages of every budget: the risk of the worst-off person, and how many people are above 50 %.

    Of a single measure also how many are at that risk; of several measures each has a column.
    """
    one = singular(whom)
    key = [[f"{getattr(line, key):g}" for key in keys] for line in lines]
    if len(measures) == 1:
        found = [line.spreads[measures[0]] for line in lines]
        return Grid(
            f"{measures[0].capitalize()} risk of the worst-off {one}, and how many {whom} are at it",
            [*keys, "worst off", "at that risk", "above 50 %"],
            [
                [*mine, percent(x.worst), number(x.at_worst), _of_all(x.above_half, x.people)]
                for mine, x in zip(key, found, strict=True)
            ],
            keys=len(keys),
        )
    rows = [
        [*mine, *(f"{percent(x.worst)}, {number(x.above_half)}" for x in map(line.spreads.__getitem__, measures))]
        for mine, line in zip(key, lines, strict=True)
    ]
    return Grid(
        f"Risks of the worst-off {one}, and how many {whom} are above 50 %",
        [*keys, *(measure.replace("-", "-\n") for measure in measures)],
        rows,
        keys=len(keys),
    )


def band_text(band: Band) -> str:
    """``at most 1 %``, ``25 to 50 %``, ``above 90 %``."""
    if band.above == 0.0:
        return f"at most {100 * band.up_to:g} %"
    if band.up_to >= 1.0:
        return f"above {100 * band.above:g} %"
    return f"{100 * band.above:g} to {100 * band.up_to:g} %"


def bands_grid(line: BudgetLine, measures: Sequence[str], whom: str) -> Grid:
    """How the risks of one budget are spread: the share of people in every band of risk, a row for each measure."""
    headings = ["measure", *(_band(band) for band in line.spreads[measures[0]].bands)]
    rows = [
        [measure, *(percent(band.people / max(found.people, 1)) for band in found.bands)]
        for measure in measures
        if (found := line.spreads[measure])
    ]
    return Grid(f"Share of {whom} by risk at {budget_text(line.budget)}", headings, rows, words=1)


def _band(band: Band) -> str:
    if band.above == 0.0:
        return f"<= {100 * band.up_to:g} %"
    if band.up_to >= 1.0:
        return f"> {100 * band.above:g} %"
    return f"{100 * band.above:g}-\n{100 * band.up_to:g} %"


def _of_all(count: int, everybody: int) -> str:
    return "0" if count == 0 else f"{number(count)} ({percent(count / everybody)})"
