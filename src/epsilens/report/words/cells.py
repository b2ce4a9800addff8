"""Words about cells: how large they are, for how many attributes they are homogeneous, and which are the riskiest."""

from __future__ import annotations

from collections.abc import Sequence

from epsilens.choice.cell_risks import CellRows, RiskyCell, RiskyCells
from epsilens.choice.questions.assessment import Assessment, BudgetLine
from epsilens.report.words.common import (
    BLANK,
    Block,
    Grid,
    Note,
    Text,
    budget_text,
    counted,
    number,
    shown_risk,
    verb,
)
from epsilens.table.cell_sizes import CellSizes
from epsilens.table.diagnostics import Homogeneity, HomogeneityClasses

MOST_LABELS = 4


def opening(assessment: Assessment) -> list[Block]:
    """What holds for all sensitive attributes alike: the sizes of cells, and complete and partial homogeneity."""
    blocks: list[Block] = []
    whom = "person" if assessment.whom == "people" else "row"
    if assessment.beside.cell_sizes is not None:
        blocks.append(Text(sizes_sentence(assessment.beside.cell_sizes, whom)))
    found = assessment.beside.homogeneity
    if found is not None and len(found.by_attribute) > 1:
        blocks += [Text(sentence) for sentence in classes_sentences(found, whom)]
    return [*blocks, BLANK] if blocks else []


def sizes_sentence(sizes: CellSizes, whom: str = "person") -> str:
    """The histogram of cell sizes in a sentence."""
    smallest, half, most, largest = (sizes.quantile(share) for share in (0.0, 0.5, 0.95, 1.0))
    if smallest == largest:
        alone = " If a quasi-identifier is an id, which says who somebody is, leave it out." if largest == 1 else ""
        return f"Each cell has {counted(largest, whom)}.{alone}"
    mean = f"{sizes.mean:.3g}" if sizes.mean < 100 else number(round(sizes.mean))
    return (
        f"Cells have {number(smallest)} to {counted(largest, whom)}, {mean} on average: half of them have at "
        f"most {number(half)}, 95 % at most {number(most)}, and {counted(sizes.singletons, 'cell')} "
        f"{verb(sizes.singletons, 'has', 'have')} one {whom} only."
    )


def classes_sentences(found: HomogeneityClasses, whom: str = "person") -> list[str]:
    """Complete and partial homogeneity of several sensitive attributes."""
    names = list(found.by_attribute)
    together = f"{', '.join(names[:-1])} and {names[-1]}"
    return [
        f"In {_tally(found.every, whom)} everybody has the same value of {together}: completely homogeneous.",
        f"In {_tally(found.some, whom)} that is so for some of them only: partially homogeneous.",
        f"In {_tally(found.none, whom)} it is so for none of them: completely heterogeneous.",
    ]


def _tally(tally: Homogeneity, whom: str) -> str:
    return f"{counted(tally.cells, 'cell')} ({counted(tally.people, whom)})"


def riskiest_blocks(found: RiskyCells, lines: Sequence[BudgetLine], left_out: Sequence[str]) -> list[Block]:
    """The riskiest cells of an attribute: a grid for every mechanism and measure, the same cells in each."""
    ranked = lines[found.ranked_by]
    which = f"{ranked.mechanism} noise of {budget_text(ranked.budget)}"
    riskiest = verb(len(found.cells), "riskiest cell", f"{number(len(found.cells))} riskiest cells")
    blocks: list[Block] = [Text(f"The {riskiest} of {found.sensitive}, by {found.measures[0]} risk with {which}")]
    for mechanism in dict.fromkeys(line.mechanism for line in lines):
        for measure in found.measures:
            mine = [i for i, line in enumerate(lines) if line.mechanism == mechanism]
            headings = [
                *found.quasi_identifiers,
                "people",
                found.sensitive,
                "would show",
                *(_budget(lines[i]) for i in mine),
            ]
            rows = [
                (
                    *(*cell.key, number(cell.size), _counts(cell), cell.shown or "-"),
                    *(shown_risk(cell.risks[i][measure]) for i in mine),
                )
                for cell in found.cells
            ]
            blocks += [
                Grid(
                    f"{measure} risk, {mechanism} noise, at epsilon", headings, rows, keys=len(found.quasi_identifiers)
                ),
                BLANK,
            ]
    blocks.append(
        Note("would show: the harmful value that the cell most likely shows alone, of those that somebody there has.")
    )
    blocks += [Note(f"{name} is one risk for the whole table, and no cell's own.") for name in left_out]
    return blocks


def _budget(line: BudgetLine) -> str:
    delta = vars(line.budget).get("delta")
    return f"{line.epsilon:g}" if delta is None else f"{line.epsilon:g}\ndelta {delta:g}"


def _counts(cell: RiskyCell) -> str:
    shown = ", ".join(f"{label} {n:,}" for label, n in cell.counts[:MOST_LABELS])
    more = len(cell.counts) - MOST_LABELS
    return f"{shown}, {more} more" if more > 0 else shown


def cells_written(rows: Sequence[CellRows], path: object) -> str:
    """Where the cells are, how many they are, and that nobody else should have them."""
    cells = sum(len(part.sizes) for part in rows) // max(len(rows), 1)
    each = "" if len(rows) == 1 else f", one row for each of {counted(len(rows), 'sensitive attribute')}"
    return f"{counted(cells, 'cell')} with all risks written to {path}{each} (internal: true counts of people)."
