"""The words of a protected table: that it has no guarantee, what it still gives away, and where it is."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from pathlib import Path

from epsilens.choice.questions.protect import Protection
from epsilens.homogeneity.by_value import ShownValue
from epsilens.report.words.common import BLANK, Block, Grid, Note, Text, Verdict, counted, finer_percent, verb
from epsilens.report.words.harmful_values import harm_sentence

MOST_NAMED = 6
"""Values that a sentence names."""
SHOWN = 12
"""Lines of the protected table that are shown, and homogeneous cells that are named."""


def summary(protection: Protection, files: Mapping[str, Path]) -> list[Block]:
    """What was written, and what remains to be learnt from it."""
    kept = "the risks of these people" if protection.seed is None else "the risks of these people, and the seed, with "
    kept += "" if protection.seed is None else "which what was drawn can be undone"
    return [
        Text(
            f"{counted(protection.people, 'person')}, protected by {protection.system.name}: "
            f"{counted(len(protection.table), 'line')} in {files['output']}{_withheld(protection)}."
        ),
        Note(f"{protection.name}: {protection.about}."),
        BLANK,
        Verdict("NO GUARANTEE", "bad", f"This table is not differentially private{_why(protection)}."),
        *([Note("No count has changed: what is published is the true table.")] if protection.unchanged else []),
        *(Note(f"The system {remark}.") for remark in protection.remarks),
        BLANK,
        *_remaining(protection),
        BLANK,
        _first_lines(protection),
        BLANK,
        Text(f"{files['record']} says how it was made and may go with it."),
        Text(f"{files['internal']} must not: it has {kept}."),
    ]


def _withheld(protection: Protection) -> str:
    parts = []
    if protection.table.withheld:
        parts.append(f"{counted(protection.table.withheld, 'count')} left blank ({protection.table.blank})")
    if protection.left_out:
        parts.append(f"{counted(protection.left_out, 'person')} left out")
    if protection.table.generalised:
        levels = ", ".join(f"{name} {level}" for name, level in protection.table.generalised.items())
        parts.append(f"generalised to the levels {levels}, information loss {protection.table.loss:.3g}")
    return "; " + "; ".join(parts) if parts else ""


def _why(protection: Protection) -> str:
    found = protection.witness
    return "" if found is None else f": {found.sentence}"


def _remaining(protection: Protection) -> list[Block]:
    """The homogeneity risk, and the cells that still show a single value."""
    before, after = finer_percent(protection.risk_before, protection.risk)
    cells, exposed = len(protection.homogeneous), protection.exposed
    told = (
        f"{counted(exposed, 'person')} {verb(exposed)} in {counted(cells, 'published cell')} that "
        f"{verb(cells, 'shows', 'show')} a single sensitive value, and it is theirs."
        if cells
        else "Nobody is in a published cell that shows a single sensitive value which is theirs."
    )
    risk = f"Homogeneity risk that remains: {after} of the people; without protection {before}. "
    blocks: list[Block] = [Text(risk + told), *map(Text, value_sentences(protection))]
    if protection.k is not None and protection.l is not None:
        people = f"{counted(protection.k, 'person')} (k = {protection.k})"
        values = f"{counted(protection.l, 'sensitive value')} (l = {protection.l})"
        blocks.append(Text(f"Every published cell that is not empty shows at least {people} and {values}."))
    if not cells:
        return blocks
    largest = sorted(protection.homogeneous, key=lambda cell: -cell.people)[:SHOWN]
    names = (*largest[0].cell, *largest[0].value)
    rows = [(*cell.cell.values(), *cell.value.values(), f"{cell.people:,}") for cell in largest]
    title = "Cells that still show a single value" + (f", the {SHOWN} largest of {cells:,}" if cells > SHOWN else "")
    return [*blocks, BLANK, Grid(title, (*names, "people"), rows, words=len(names))]


MOVED = "people who change places leave a single value in cells that had several"
WITHHELD = "where small counts are withheld or rounded to 0, cells that had several values show the one that is left"


def value_sentences(protection: Protection) -> list[str]:
    """Why the risk rose, if it did; who is shown as what, rightly and wrongly; and what is counted as a harm."""
    sentences = []
    if protection.rose:
        why = MOVED if protection.name.startswith("swapping") else WITHHELD
        sentences.append(f"That is more than without protection: {why}.")
    for side, how in (("shown_right", "rightly"), ("shown_wrong", "wrongly, which is a harm as well")):
        people = {value: round(getattr(value, side) * protection.people) for value in protection.by_value}
        shown = sorted((value for value in people if people[value]), key=lambda v: (-min(v.weight, 1.0), -people[v]))
        if shown:
            named = [_as_what(value, people[value]) for value in shown[:MOST_NAMED]]
            more = [f"{len(shown) - MOST_NAMED} more values"] if len(shown) > MOST_NAMED else []
            sentences.append(f"Shown {how}: {', '.join([*named, *more])}.")
    if protection.homogeneous:
        sentences.append("Nothing is left to chance: whoever is shown so is shown for certain, others not at all.")
    return [*sentences, harm_sentence([value.to_dict() for value in protection.by_value])]


def _as_what(value: ShownValue, people: int) -> str:
    return f"{counted(people, 'person')} as {value.value}{'' if value.weight else ' (not counted)'}"


def _first_lines(protection: Protection) -> Grid:
    columns = (*protection.table.columns, protection.count_column)
    more = f", the first {SHOWN} of {len(protection.table):,} lines" if len(protection.table) > SHOWN else ""
    rows = [(*line[:-1], line[-1] or "(blank)") for line in itertools.islice(protection.table.lines(), SHOWN)]
    return Grid(f"What is published{more}", columns, rows, words=len(columns) - 1)
