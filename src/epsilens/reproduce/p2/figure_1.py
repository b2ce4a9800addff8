"""Figure 1: seven people, their histogram, and what three traditional systems make of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations

import numpy as np

from epsilens.arrays import IntArray
from epsilens.avoidance.anonymity import KAnonymity
from epsilens.avoidance.exchanged import Exchange, Unit
from epsilens.avoidance.histogram import Histogram
from epsilens.avoidance.suppression import Suppression
from epsilens.reproduce.claims import Claim, Finding, Number, Place, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.printed import Printed

PEOPLE = (
    ("M", "1", "Yes"),
    ("F", "1", "Yes"),
    ("F", "1", "Yes"),
    ("M", "2", "No"),
    ("M", "2", "No"),
    ("M", "2", "Yes"),
    ("F", "2", "Yes"),
)
"""The lines of (a) that have a gender: the eighth and last has none, and (b) does not count it."""
LINES = len(PEOPLE) + 1
ATTRIBUTES = ("gender", "block", "votes")
LEVELS = (("M", "F"), ("1", "2"), ("Yes", "No"))
CELLS = tuple((gender, block, votes) for gender in LEVELS[0] for block in LEVELS[1] for votes in LEVELS[2])
"""a_1 to a_8, in print's order."""
HISTOGRAM = (1, 0, 2, 0, 1, 2, 1, 0)
"""(b), as are the others below in the order of a_1 to a_8 that print lists them in."""
SUPPRESSED = (1, 1, 2, 1, 1, 2, 1, 1)
SWAPPED = (1, 0, 2, 0, 1, 0, 1, 2)
ANONYMOUS = {("1", "Yes"): 3, ("1", "No"): 0, ("2", "Yes"): 2, ("2", "No"): 2}
"""(e), whose gender is M-F throughout."""
LISTED = tuple((gender, block, votes) for block in LEVELS[1] for gender in LEVELS[0] for votes in LEVELS[2])
"""The order of (b), (c) and (d): by block, then gender."""
MARKED = (("M", "2", "No"), ("F", "2", "No"))
"""The rows of (d) whose counts are not those of (b)."""
K = 2


def table(quasi_identifiers: tuple[str, ...] = ("gender",)) -> Histogram:
    """The histogram of the people of (a)."""
    counts = np.array([PEOPLE.count(cell) for cell in CELLS], dtype=np.int64)
    return Histogram(counts.reshape(2, 2, 2), ATTRIBUTES, LEVELS, quasi_identifiers)


def counted(counts: Sequence[float]) -> dict[tuple[str, str, str], float]:
    """Counts on the grid by cell."""
    return {cell: float(count) for cell, count in zip(CELLS, counts, strict=True)}


def exchanged(unit: Unit, first: int, second: int) -> tuple[float, ...]:
    """The counts after two cells, or a person of each, have exchanged their gender."""
    histogram = table()
    pair: list[IntArray] = [np.array([first]), np.array([second])]
    after = Exchange.of(histogram, ("gender",), unit, *pair).counts_after(histogram)
    return tuple(float(count) for count in after.ravel())


def anonymous(quasi_identifiers: tuple[str, ...]) -> dict[tuple[str, str], float]:
    """How many people are shown as of either gender, by block and whether they vote."""
    histogram = table(quasi_identifiers)
    found = dict.fromkeys(ANONYMOUS, 0.0)
    for row in KAnonymity(K, quasi_identifiers).anonymised(histogram).rows():
        if row["gender"] == "{M, F}":
            found[str(row["block"]), str(row["votes"])] += float(row["count"])
    return found


def _cells(part: str, printed: Sequence[int], what: str, counts: Callable[[], Sequence[float]]) -> list[Claim]:
    return [
        Number(
            Place("P2", f"Figure 1, ({part}) {' '.join(cell)}", what),
            Printed(str(count)),
            lambda _, cell=cell: counted(counts())[cell],  # type: ignore[misc]
        )
        for cell, count in zip(LISTED, printed, strict=True)
    ]


def generalised(key: tuple[str, str]) -> float:
    """How many people of a block vote or do not, whatever their gender: by the counts of (b)."""
    before = counted(np.asarray(table().counts).ravel().tolist())
    return sum(count for cell, count in before.items() if cell[1:] == key)


def _anonymous_cell(key: tuple[str, str], count: int) -> Claim:
    return Number(
        Place("P2", f"Figure 1, (e) M-F {' '.join(key)}", "people of either gender, gender being generalised"),
        Printed(str(count)),
        lambda _: generalised(key),
    )


def _listed_people(missing: int) -> Finding:
    """Whether (b) counts all lines of (a) but some."""
    people = sum(HISTOGRAM)
    return Finding(people == LINES - missing, f"(a) has {LINES} lines, and the counts of (b) add up to {people}")


def _swapped(unit: Unit) -> Finding:
    """Whether some two rows give (d) by exchanging their gender."""
    wanted = tuple(float(dict(zip(LISTED, SWAPPED, strict=True))[cell]) for cell in CELLS)
    before = np.asarray(table().counts).ravel()
    men = [sum(counts[i] for i, cell in enumerate(CELLS) if cell[0] == "M") for counts in (before, wanted)]
    usable = [i for i in range(len(CELLS)) if unit == "cells" or before[i]]
    pairs = list(combinations(usable, 2))
    ways = [pair for pair in pairs if exchanged(unit, *pair) == wanted]
    if ways:
        marked = tuple(sorted(CELLS.index(cell) for cell in MARKED))
        names = " and ".join(" ".join(CELLS[i]) for i in (marked if marked in ways else ways[0]))
        return Finding(True, f"{names} exchange their gender")
    kept = f"an exchange keeps {men[0]:g} men, and {men[1]:g} are shown"
    return Finding(False, f"none of {len(pairs)} pairs gives it: {kept}")


def _needs_generalising(quasi_identifiers: tuple[str, ...]) -> Finding:
    histogram = table(quasi_identifiers)
    axes = [axis for axis, name in enumerate(ATTRIBUTES) if name not in quasi_identifiers]
    projected = np.asarray(histogram.counts).sum(axis=tuple(axes))
    least = int(projected[projected > 0].min())
    names = " and ".join(quasi_identifiers)
    return Finding(least < K, f"the rarest value of {names} is that of {least} of the people, and k is {K}")


def _place(part: str, what: str, departs: str | None = None) -> Place:
    return Place("P2", f"Figure 1, ({part})", what, departs)


CLAIMS: list[Claim] = [
    Statement(
        _place("b", "how many lines of (a) it counts", "P2-11"),
        "it is the histogram of (a)",
        lambda _: _listed_people(0),
        slips=(("without the last line of (a), which has no gender", lambda _: _listed_people(1)),),
    ),
    *_cells("b", HISTOGRAM, "people of (a) with these values", lambda: np.asarray(table().counts).ravel().tolist()),
    *_cells(
        "c",
        SUPPRESSED,
        "count after suppression with threshold 2",
        lambda: np.asarray(Suppression(K, "equation-1").release(table()).counts).ravel().tolist(),
    ),
    *_cells(
        "d",
        SWAPPED,
        "count after the rows that differ have exchanged their gender",
        lambda: exchanged("cells", *(CELLS.index(cell) for cell in MARKED)),
    ),
    Statement(
        _place("d", "two rows are swapped", "P2-14"),
        "two rows exchange their gender, and (d) is what comes of it",
        lambda _: _swapped("rows"),
        ((("where a row is a cell with everybody in it"), lambda _: _swapped("cells")),),
    ),
    *(_anonymous_cell(key, count) for key, count in ANONYMOUS.items()),
    Statement(
        _place("e", "why gender is generalised", "P2-11"),
        "for k = 2 gender, the quasi-identifier, has to be generalised",
        lambda _: _needs_generalising(("gender",)),
        (("if the block is a quasi-identifier too", lambda _: _needs_generalising(("block", "gender"))),),
    ),
]


def _short(gender: str, block: str, votes: str) -> str:
    return f"{gender}{block} {votes[0].lower()}"


def draw(data: Data) -> Drawing:
    """The four histograms as bars."""
    del data
    places = [_short(*cell) for cell in LISTED]
    before = counted(np.asarray(table().counts).ravel().tolist())
    suppressed = counted(np.asarray(Suppression(K, "equation-1").release(table()).counts).ravel().tolist())
    swapped = counted(exchanged("cells", *(CELLS.index(cell) for cell in MARKED)))
    merged = anonymous(("block", "gender"))
    panels = [
        Panel(
            title,
            "gender, block, of voting age (y/n)",
            "people",
            [Series("", places, [counts[c] for c in LISTED])],
            "bar",
        )
        for title, counts in (
            ("(b) the histogram", before),
            ("(c) suppression, k = 2", suppressed),
            ("(d) swapping two cells' gender", swapped),
        )
    ]
    groups = [_short("M-F ", *key) for key in merged]
    panels.append(
        Panel(
            "(e) 2-anonymity, block and gender known",
            "gender, block, of voting age (y/n)",
            "people",
            [Series("", groups, list(merged.values()))],
            "bar",
        )
    )
    people = sum(before.values())
    says = (
        f"Of {people:g} people suppression shows {sum(suppressed.values()):g}, the two others {people:g}; swapping "
        f"whole cells takes {before[MARKED[0]]:g} men and leaves {swapped[MARKED[0]]:g} in their cell."
    )
    return Drawing("P2", "Figure 1", "three traditional systems on seven people", panels, says)


FIGURES = [Figure("P2", "Figure 1", draw)]
