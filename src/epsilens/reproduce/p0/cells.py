"""Section 2.2 with Table 1, and section 3.1: homogeneous and heterogeneous cells."""

from __future__ import annotations

import itertools
from functools import partial
from typing import TYPE_CHECKING

from epsilens.reproduce.claims import Claim, Finding, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.p0.tables import joint_table
from epsilens.reproduce.printed import Printed

if TYPE_CHECKING:
    from epsilens.table.diagnostics import Diagnostics

P0 = partial(Place, "P0")
CONDITIONS = ("cancer", "diabetes", "heart disease")
TABLE_1 = (
    *[("black", "< 40", "heart disease")] * 2,
    *[("black", "< 40", "cancer")] * 2,
    ("Hispanic", "[40, 50)", "cancer"),
    ("Hispanic", "[40, 50)", "diabetes"),
    *[("Hispanic", "[40, 50)", "heart disease")] * 2,
    *[("white", ">= 50", "diabetes")] * 4,
)
"""Race, age and medical condition of the twelve people of print's example."""
TARGET = ("white", ">= 50")
TWO = ("first", "second")
"""Sensitive attributes with two values each."""


def example(data: Data) -> Diagnostics:
    """The example's table, as it is."""

    def found() -> Diagnostics:
        from epsilens.table.diagnostics import diagnose
        from epsilens.table.frequency import FrequencyTable

        cells = list(dict.fromkeys(row[:2] for row in TABLE_1))
        counts = [[TABLE_1.count((*cell, condition)) for condition in CONDITIONS] for cell in cells]
        return diagnose(FrequencyTable.from_counts(counts, labels=list(CONDITIONS)))

    return data.once("P0 Table 1", found)


def conditions_of(race_and_age: tuple[str, str]) -> set[str]:
    """Which conditions the people of one cell have."""
    return {row[2] for row in TABLE_1 if row[:2] == race_and_age}


def _partly(cell: tuple[int, ...]) -> tuple[bool, int]:
    """Whether a cell is partially homogeneous by our function, and by counting for how many attributes it is so."""
    from epsilens.table.diagnostics import homogeneity_classes

    found = homogeneity_classes(joint_table([cell], TWO))
    first, second = (cell[0] + cell[1], cell[2] + cell[3]), (cell[0] + cell[2], cell[1] + cell[3])
    return found.some.cells == 1, sum(min(sides) == 0 for sides in (first, second))


def _partial_is_the_rest(_: Data) -> Finding:
    """Whether a cell that is not completely homogeneous is always told apart from a completely heterogeneous one."""
    for cell in itertools.product(range(3), repeat=4):
        if sum(cell) and _partly(cell)[1] == 0:
            return Finding(
                False,
                f"with counts {cell} of (no, no), (no, yes), (yes, no) and (yes, yes) no attribute is homogeneous, and "
                "by Definition 5 the cell is completely heterogeneous",
            )
    return Finding(True, "every cell that is not completely homogeneous has a homogeneous attribute")


def _partial_is_some(_: Data) -> Finding:
    cells = [cell for cell in itertools.product(range(3), repeat=4) if sum(cell)]
    return Finding(
        all(partly == (number == 1) for partly, number in map(_partly, cells)), f"in all of {len(cells)} cells"
    )


def _three_classes(_: Data) -> Finding:
    from epsilens.table.diagnostics import homogeneity_classes

    cells = [cell for cell in itertools.product(range(3), repeat=4) if sum(cell)]
    for cell in cells:
        found = homogeneity_classes(joint_table([cell], TWO))
        if found.every.cells + found.some.cells + found.none.cells != 1:
            return Finding(False, f"counts {cell} are in {found}")
    return Finding(True, f"each of {len(cells)} cells of two attributes is in one of the three")


def _unique(_: Data) -> Finding:
    from epsilens.table.diagnostics import diagnose
    from epsilens.table.frequency import FrequencyTable

    found = diagnose(FrequencyTable.from_counts([[1, 0, 0], [0, 1, 0], [0, 0, 1]]))
    return Finding(
        found.homogeneous_cells == found.sample_uniques == 3,
        f"{found.homogeneous_cells} of 3 cells of one person are homogeneous",
    )


def _empty(_: Data) -> Finding:
    """Whether a cell without anybody has no risk, whatever it comes to show."""
    import numpy as np

    from epsilens.homogeneity.local import local_risks
    from epsilens.homogeneity.published import local_formula
    from epsilens.noise import LaplaceNoise

    cell = np.array([[0, 0, 0]])
    risks = [
        float(risk)
        for noise in (LaplaceNoise(0.2), LaplaceNoise(1.0), LaplaceNoise(1e3))
        for risk in (local_risks(cell, noise)[0], local_formula(cell, "P0")(noise)[0])
    ]
    return Finding(max(risks) == 0.0, f"{max(risks):g} under Laplace noise of epsilon = 5, 1 and .001")


def _target(_: Data) -> Finding:
    found = conditions_of(TARGET)
    return Finding(len(found) == 1, f"people of {TARGET[0]} race, aged {TARGET[1]}, have {' or '.join(sorted(found))}")


CLAIMS: tuple[Claim, ...] = (
    Number(P0("Table 1, people", "people in the example"), Printed("12"), lambda data: example(data).people),
    Number(P0("Table 1, cells", "cells by race and age"), Printed("3"), lambda data: example(data).cells),
    Number(
        P0("Table 1, people of a cell", "people in each cell of the example"),
        Printed("4"),
        lambda data: example(data).k_anonymity,
    ),
    Number(
        P0("Table 1, homogeneous cells", "cells in which everybody has the same condition"),
        Printed("1"),
        lambda data: example(data).homogeneous_cells,
    ),
    Number(
        P0("Table 1, people in homogeneous cells", "people whose condition anybody can read off"),
        Printed("4"),
        lambda data: example(data).people_in_homogeneous_cells,
    ),
    Number(
        P0("Table 1, heterogeneous cells", "cells with two conditions or more"),
        Printed("2"),
        lambda data: example(data).cells - example(data).homogeneous_cells,
    ),
    Statement(
        P0("Table 1, the target", "what the attacker learns of a white person of 50 or more"),
        "there is one condition only",
        _target,
    ),
    Statement(
        P0("Definition 4, partially homogeneous", "what a partially homogeneous cell is", "P0-12"),
        "every cell that is not completely homogeneous is partially homogeneous; none is completely heterogeneous",
        _partial_is_the_rest,
        (("if at least one attribute is homogeneous and not every one, as after Definition 5", _partial_is_some),),
    ),
    Statement(
        P0("Definition 5, three classes", "what a cell can be with two sensitive attributes or more"),
        "completely homogeneous, partially homogeneous or completely heterogeneous",
        _three_classes,
    ),
    Statement(P0("section 3.1, empty cells", "the risk of a cell without anybody, after noise"), "it is 0", _empty),
    Statement(P0("Definition 4, sample uniques", "a cell with one person"), "is homogeneous", _unique),
)
