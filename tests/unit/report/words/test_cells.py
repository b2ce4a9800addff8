from __future__ import annotations

from dataclasses import replace

import epsilens as el
from epsilens.report.words.cells import cells_written, classes_sentences, opening, riskiest_blocks, sizes_sentence
from epsilens.report.words.common import Grid, Note, Text
from epsilens.table import cell_sizes, homogeneity_classes
from tests.unit.homogeneity.publishing import table_of

COUNTS = el.FrequencyTable.from_counts([[3, 0], [1, 2], [0, 1], [0, 9]], ["no", "yes"], {"sex": list("fmxy")})
TABLE = replace(COUNTS, sensitive=("ill",))
JOINT = table_of([[3, 0, 0, 1], [0, 2, 0, 0], [1, 1, 0, 0]], {"first": "ab", "second": "xy"}, {"town": list("nso")})


def test_the_sizes_are_a_sentence() -> None:
    assert sizes_sentence(cell_sizes(TABLE)) == (
        "Cells have 1 to 9 people, 4 on average: half of them have at most 3, 95 % at most 9, "
        "and 1 cell has one person only."
    )
    assert sizes_sentence(cell_sizes(el.FrequencyTable.from_counts([[2, 0]])), "row") == "Each cell has 2 rows."
    assert sizes_sentence(cell_sizes(el.FrequencyTable.from_counts([[1, 0], [0, 1]]))) == (
        "Each cell has 1 person. If a quasi-identifier is an id, which says who somebody is, leave it out."
    )


def test_homogeneity_is_complete_partial_or_none() -> None:
    assert classes_sentences(homogeneity_classes(JOINT)) == [
        "In 1 cell (2 people) everybody has the same value of first and second: completely homogeneous.",
        "In 1 cell (2 people) that is so for some of them only: partially homogeneous.",
        "In 1 cell (4 people) it is so for none of them: completely heterogeneous.",
    ]
    said = opening(el.assess(JOINT, epsilon=1.0))
    assert len(said) == 5
    assert len(opening(el.assess(TABLE, epsilon=1.0))) == 2  # one attribute is told of below its own heading


def test_the_riskiest_cells_are_the_same_in_every_grid() -> None:
    found = el.assess(TABLE, ("laplace", "discrete-laplace"), (0.5, 1.0), measure=("local", "hard"), riskiest=2)
    listed = found.beside.attributes[0].riskiest
    assert listed is not None
    first, *others = riskiest_blocks(listed, found.lines, ["marginal-shrinkage"])
    assert first == Text("The 2 riskiest cells of ill, by local risk with laplace noise of epsilon = 1")
    grids = [block for block in others if isinstance(block, Grid)]
    assert [grid.title for grid in grids] == [
        f"{measure} risk, {mechanism} noise, at epsilon"
        for mechanism in ("laplace", "discrete-laplace")
        for measure in ("local", "hard")
    ]
    assert grids[0].headings == ["sex", "people", "ill", "would show", "0.5", "1"]
    assert {tuple(row[:4]) for grid in grids for row in grid.rows} == {
        ("y", "9", "yes 9", "yes"), ("f", "3", "no 3", "no"),
    }  # fmt: skip
    assert others[-1] == Note("marginal-shrinkage is one risk for the whole table, and no cell's own.")


def test_a_file_of_cells_is_told_with_what_is_in_it() -> None:
    from epsilens.choice.questions.assess_cells import all_cells

    one = all_cells(TABLE, el.assess(TABLE, epsilon=1.0))
    assert cells_written(one, "c.csv").startswith("4 cells with all risks written to c.csv (")
    several = all_cells(JOINT, el.assess(JOINT, epsilon=1.0))
    assert "c.csv, one row for each of 3 sensitive attributes" in cells_written(several, "c.csv")


def test_a_large_mean_is_a_number_of_people() -> None:
    said = sizes_sentence(cell_sizes(el.FrequencyTable.from_counts([[2311, 0], [5985, 10]])))
    assert ", 4,153 on average: " in said
