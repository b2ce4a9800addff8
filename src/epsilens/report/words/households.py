"""What the homogeneity attack finds out about households, beside persons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epsilens.homogeneity.households import LARGEST_SIZE
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Heading,
    Note,
    Text,
    budget_text,
    counted,
    number,
    percent,
    verb,
)
from epsilens.report.words.families import family_sentence

if TYPE_CHECKING:
    from epsilens.choice.households import HouseholdAssessment, HouseholdLine
    from epsilens.homogeneity.households import HouseholdRisk


def household_blocks(assessed: HouseholdAssessment, sensitive: str) -> list[Block]:
    """Who is in households, their risk at every budget, by size at one of them, and what protecting them costs."""
    blocks: list[Block] = [Heading(f"Households: those with the same {assessed.column}")]
    blocks += [Text(sentence, indent=2) for sentence in _today(assessed, sensitive)]
    blocks.append(BLANK)
    for mechanism in dict.fromkeys(line.mechanism for line in assessed.lines):
        blocks += [_by_budget([line for line in assessed.lines if line.mechanism == mechanism], mechanism), BLANK]
    blocks += [
        Note(f"a person shown: their own cell shows a single {sensitive}, and it is theirs; share of people."),
        Note("a household shown: at least one of its members' cells does; share of households that share a value."),
        Note("unopposed: it does, and no other member's cell shows another value. wrong: cells show one other value."),
        Note("contradicted: members' cells show different values, so that the attacker knows that something is off."),
    ]
    some_harmless = bool((assessed.found.label_weights == 0).any())
    if some_harmless:
        blocks.append(Note("Values that harm nobody are not counted as shown."))
    if not assessed.lines:
        return blocks
    line = min(assessed.lines, key=lambda one: abs(float(next(iter(vars(one.budget).values()))) - 1.0))
    blocks += [BLANK, _by_size(assessed.today, line), BLANK, Text(_ratio_sentence(line, sensitive, some_harmless))]
    if (members := _typical(line.risk)) > 1:
        blocks.append(Text(family_sentence(line.budget, line.noise, members)))
    return [*blocks, Text(_cost_sentence(assessed, line)), BLANK]


def _today(assessed: HouseholdAssessment, sensitive: str) -> list[str]:
    found, today = assessed.found, assessed.today
    share = today.households.disclosed
    lines = [
        f"{counted(found.n_people, 'person')} in {counted(found.n_households, 'household')}; the largest has "
        f"{counted(found.largest, 'person')}.",
    ]
    if found.without:
        lines.append(
            f"{counted(found.without, 'person')} without a household {verb(found.without)} counted as living alone."
        )
    if found.mixed:
        lines.append(
            f"{counted(found.mixed, 'household')} with {counted(found.people_in_mixed, 'person')} "
            f"{verb(found.mixed)} mixed: their members do not share {sensitive}, so they count as persons."
        )
    lines.append(
        f"Published as it is, {percent(share)} of the households that share a {sensitive} are disclosed by at least "
        f"one member's cell, against {percent(today.persons)} of people by their own; "
        f"{percent(today.people.disclosed)} of people live in such a household or are in such a cell."
    )
    return lines


def _by_budget(lines: Sequence[HouseholdLine], mechanism: str) -> Grid:
    keys = [name for name in ("delta", "epsilon") if name in vars(lines[0].budget)]
    if len({vars(line.budget).get("delta") for line in lines}) < 2:
        keys = [name for name in keys if name != "delta"]
    rows = [
        (
            *(f"{vars(line.budget)[name]:g}" for name in keys),
            percent(line.risk.persons),
            percent(line.risk.households.disclosed),
            percent(line.risk.households.right),
            percent(line.risk.households.wrong),
            percent(line.risk.households.contradicted),
        )
        for line in lines
    ]
    headings = (
        *keys,
        "a person\nshown",
        "a household\nshown",
        "and\nunopposed",
        "wrong\ninstead",
        "contra-\ndicted",
    )
    return Grid(f"Households with {mechanism} noise", headings, rows, keys=len(keys))


def _by_size(today: HouseholdRisk, line: HouseholdLine) -> Grid:
    rows = [
        (
            f"{row.size} or more" if row.size == LARGEST_SIZE else number(row.size),
            number(row.households),
            number(row.people),
            percent(row.persons),
            percent(row.shares.disclosed),
            percent(before.shares.disclosed),
        )
        for row, before in zip(line.risk.by_size, today.by_size, strict=True)
    ]
    headings = ("people in it", "households", "people", "a person\nshown", "a household\nshown", "the same,\ntoday")
    return Grid(f"By size of the household, {line.mechanism} noise, {budget_text(line.budget)}", headings, rows)


def _ratio_sentence(line: HouseholdLine, sensitive: str, some_harmless: bool) -> str:
    persons, shown = line.risk.persons, line.risk.people.disclosed
    times = f", {shown / persons:.3g} times as many as by their own cell alone" if 0 < persons < shown else ""
    return (
        f"At {budget_text(line.budget)} with {line.mechanism} noise, the {sensitive} of {percent(shown)} of people "
        f"{'is a harmful one and ' if some_harmless else ''}is shown by the cell of somebody whom they live with, "
        f"or by their own{times}."
    )


def _amount(error: float) -> str:
    """Three figures, and 1,650 instead of 1.65e+03."""
    return f"{float(f'{error:.3g}'):,.0f}" if error >= 999.5 else f"{error:.3g}"


def _typical(risk: HouseholdRisk) -> int:
    """The commonest number of people in households of several, by the people in them; 1 where all live alone."""
    several = [row for row in risk.by_size if row.size > 1]
    return max(several, key=lambda row: row.people).size if several else 1


def _cost_sentence(assessed: HouseholdAssessment, line: HouseholdLine) -> str:
    largest = assessed.found.largest
    if largest == 1:
        return "Everybody lives alone, so to protect persons is to protect households."
    if line.error_of_households is None:
        return f"No noise of {line.mechanism} gives this budget to a household of {number(largest)}."
    return (
        f"To give the same budget to whole households, noise would have to hide {number(largest)} people at once: a "
        f"count would be off by {_amount(line.error_of_households)} people on average and not by "
        f"{_amount(line.error)}. Bounding "
        "the people counted of a household makes that less."
    )
