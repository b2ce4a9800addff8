"""Section 4 up to Figure 2: what the two applications are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from epsilens.reproduce.claims import Claim, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.p0.experiments import AS_PAIRS, PAIRS, TableOf, all_homogeneous, diagnosed, levels, sizes
from epsilens.reproduce.printed import Printed

P1 = partial(Place, "P1")
MOST_BARS = 16


def number(where: str, what: str, text: str, value: Callable[[Data], float]) -> Number:
    """A number that is printed."""
    return Number(P1(f"section 4, {where}", what), Printed(text), value)


def _levels(data: Data) -> float:
    found = set(levels(tables.bankruptcy(data)).values())
    return float(found.pop()) if len(found) == 1 else float("nan")


def histogram(place: str, title: str, *chosen: tuple[str, TableOf]) -> Callable[[Data], Drawing]:
    """Bars of the sizes of a table's sets."""

    def draw(data: Data) -> Drawing:
        panels, said = [], []
        for name, table in chosen:
            found = sizes(data, table)
            groups = found.grouped(MOST_BARS)
            names = [str(low) if low == high else f"{low}-{high}" for low, high, _ in groups]
            bars = Series("sets", names, [float(many) for *_, many in groups])
            panels.append(Panel(name, "people in the set", "sets", [bars], "bar"))
            said.append(
                f"{name}: {found.n_cells:,} sets, {found.singletons:,} of one person, the largest of {found.sizes[-1]}"
            )
        return Drawing("P1", place, title, panels, "; ".join(said) + ".", columns=len(panels))

    return draw


CLAIMS: tuple[Claim, ...] = (
    Number(
        P1("section 4, records of the Adult data", "individuals in the Adult data", "P0-17"),
        Printed("27,504"),
        lambda data: tables.people_of_records(data),
        readings=(
            Reading(
                "of complete records of people from the United States",
                lambda data: tables.people_of_records(data, *tables.UNITED_STATES),
            ),
        ),
    ),
    number(
        "people of the Adult table",
        "people in the table of counts",
        "27,504",
        lambda data: tables.adult(data).n_records,
    ),
    number(
        "attributes of the Adult data",
        "six quasi-identifiers and the income",
        "7",
        lambda data: len(tables.adult(data).quasi_identifiers) + len(tables.adult(data).sensitive),
    ),
    Number(
        P1("section 4, sets of the Adult data", "bins of the six-dimensional histogram (M)", PAIRS),
        Printed("5974"),
        lambda data: diagnosed(data, tables.adult).cells,
        readings=(Reading(AS_PAIRS, lambda data: diagnosed(data, tables.pairs).cells),),
    ),
    Statement(
        P1("section 4, homogeneous sets of the Adult data", "the bins of the Adult data", PAIRS),
        "all are homogeneous",
        partial(all_homogeneous, tables.adult),
        ((AS_PAIRS, partial(all_homogeneous, tables.pairs)),),
    ),
    number("people of the Bankruptcy data", "observations", "250", lambda data: tables.bankruptcy(data).n_records),
    number(
        "attributes of the Bankruptcy data",
        "categorical attributes",
        "7",
        lambda data: len(tables.bankruptcy(data).quasi_identifiers) + len(tables.bankruptcy(data).sensitive),
    ),
    number(
        "quasi-identifiers of the Bankruptcy data",
        "qualitative attributes that the attacker knows",
        "6",
        lambda data: len(tables.bankruptcy(data).quasi_identifiers),
    ),
    number("levels of the Bankruptcy data", "levels of each of them (printed in words)", "3", _levels),
    number(
        "labels of the Bankruptcy data",
        "levels of the class (printed in words)",
        "2",
        lambda data: tables.bankruptcy(data).n_labels,
    ),
    number(
        "sets of the Bankruptcy data",
        "homogeneous cells by the six quasi-identifiers (M)",
        "103",
        lambda data: diagnosed(data, tables.bankruptcy).homogeneous_cells,
    ),
    Statement(
        P1("section 4, homogeneous sets of the Bankruptcy data", "the cells of the Bankruptcy data"),
        "all are homogeneous",
        partial(all_homogeneous, tables.bankruptcy),
    ),
)
FIGURES = (
    Figure(
        "P1",
        "Figure 1",
        histogram(
            "Figure 1",
            "sizes of the sets of the Adult data",
            ("pairs of a set and an income (as printed)", tables.pairs),
            ("by the six quasi-identifiers", tables.adult),
        ),
    ),
    Figure(
        "P1",
        "Figure 2",
        histogram("Figure 2", "sizes of the sets of the Bankruptcy data", ("Bankruptcy data", tables.bankruptcy)),
    ),
)
