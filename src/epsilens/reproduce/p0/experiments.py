"""Section 5.1 with Figure 2 and footnote 6: what the three experiments are made of."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from epsilens.reproduce.claims import Claim, Finding, Number, Place, Reading, Statement
from epsilens.reproduce.data import Data
from epsilens.reproduce.drawings import Drawing, Figure, Panel, Series
from epsilens.reproduce.p0 import tables
from epsilens.reproduce.printed import Printed

if TYPE_CHECKING:
    from epsilens.table.cell_sizes import CellSizes
    from epsilens.table.diagnostics import Diagnostics
    from epsilens.table.frequency import FrequencyTable

P0 = partial(Place, "P0")
PAIRS = "P0-8"
AS_PAIRS = "if each pair of a cell and an income is taken for a cell"
LARGE = 120
"""Print counts the cells of the Adult data with more people than this."""
MOST_BARS = 16
TableOf: TypeAlias = "Callable[[Data], FrequencyTable]"


def diagnosed(data: Data, table: TableOf) -> Diagnostics:
    """What a table shows as it is."""
    from epsilens.table.diagnostics import diagnose

    return data.once(("diagnosed", table), lambda: diagnose(table(data)))


def sizes(data: Data, table: TableOf) -> CellSizes:
    """How large its cells are."""
    from epsilens.table.cell_sizes import cell_sizes

    return data.once(("sizes", table), lambda: cell_sizes(table(data)))


def larger_than(data: Data, table: TableOf, size: int) -> int:
    """Cells with more people than this."""
    found = sizes(data, table)
    return int(found.cells[found.sizes > size].sum())


def poisson_mean(data: Data, table: TableOf) -> float:
    """The maximum likelihood estimate of a Poisson law of the sizes of non-empty cells, not truncated, as in print."""
    from epsilens.homogeneity.models.fits import fit_sizes

    return float(fit_sizes(table(data), "poisson", truncated=False).model.mean)


def levels(table: FrequencyTable) -> dict[str, int]:
    """How many different values each quasi-identifier has."""
    return {name: len(set(values)) for name, values in table.cells().items()}


def all_homogeneous(table: TableOf, data: Data) -> Finding:
    """Whether everybody in every cell has the same label."""
    found = diagnosed(data, table)
    mixed = found.cells - found.homogeneous_cells
    inside = found.people - found.people_in_homogeneous_cells
    return Finding(
        mixed == 0,
        f"{mixed:,} of {found.cells:,} cells are heterogeneous, with {inside:,} of {found.people:,} people",
    )


def _three_levels(data: Data) -> Finding:
    found = levels(tables.bankruptcy(data))
    return Finding(set(found.values()) == {3}, ", ".join(f"{name} {number}" for name, number in found.items()))


def count(where: str, what: str, text: str, value: Callable[[Data], float], departs: str | None = None) -> Number:
    """A number that is printed and follows."""
    return Number(P0(where, what, departs), Printed(text), value)


def of_pairs(
    where: str, what: str, text: str, value: Callable[[Data, TableOf], float], unit: float | None = None
) -> Number:
    """A number of the Adult data that follows of pairs and not of cells."""
    return Number(
        P0(where, what, PAIRS),
        Printed(text, unit),
        lambda data: value(data, tables.adult),
        readings=(Reading(AS_PAIRS, lambda data: value(data, tables.pairs)),),
    )


def histograms(data: Data) -> Drawing:
    """Figure 2: how large the cells of the three experiments are."""
    chosen = (
        ("Adult, pairs of a cell and an income (as printed)", tables.pairs),
        ("Adult, by its six quasi-identifiers", tables.adult),
        ("Bankruptcy", tables.bankruptcy),
        ("Bankruptcy, subset", tables.subset),
    )
    panels = [_bars(title, sizes(data, table)) for title, table in chosen]
    pairs, cells = sizes(data, tables.pairs), sizes(data, tables.adult)
    says = (
        f"As printed the Adult data have {pairs.n_cells:,} cells of up to {pairs.sizes[-1]} people; by the six "
        f"quasi-identifiers they have {cells.n_cells:,} of up to {cells.sizes[-1]}. The cells of the Bankruptcy data "
        f"have up to {sizes(data, tables.bankruptcy).sizes[-1]} people, those of its subset up to "
        f"{sizes(data, tables.subset).sizes[-1]}."
    )
    return Drawing("P0", "Figure 2", "sizes of cells", panels, says)


def _bars(title: str, found: CellSizes) -> Panel:
    groups = found.grouped(MOST_BARS)
    names = [str(low) if low == high else f"{low}-{high}" for low, high, _ in groups]
    bars = Series("cells", names, [float(cells) for *_, cells in groups])
    return Panel(title, "people in the cell", "cells", [bars], "bar")


CLAIMS: tuple[Claim, ...] = (
    Number(
        P0("section 5, 1/n of the Adult data", "the inverse of the number of people"),
        Printed("3.6E-5"),
        lambda data: 1.0 / tables.adult(data).n_records,
    ),
    Number(
        P0("section 5, 1/n of the Bankruptcy data", "the inverse of the number of people"),
        Printed("4E-3"),
        lambda data: 1.0 / tables.bankruptcy(data).n_records,
    ),
    Number(
        P0("section 5.1, records of the Adult data", "individuals in the Adult data", "P0-17"),
        Printed("27,504"),
        lambda data: tables.people_of_records(data),
        readings=(
            Reading(
                "of complete records of people from the United States",
                lambda data: tables.people_of_records(data, *tables.UNITED_STATES),
            ),
        ),
    ),
    count(
        "section 5.1, people of the Adult table",
        "people in the table of counts",
        "27,504",
        lambda data: tables.adult(data).n_records,
    ),
    count(
        "section 5.1, quasi-identifiers of the Adult data",
        "attributes that the attacker knows",
        "6",
        lambda data: len(tables.adult(data).quasi_identifiers),
    ),
    of_pairs(
        "section 5.1, cells of the Adult data",
        "non-empty cells by the six quasi-identifiers",
        "5,974",
        lambda data, table: diagnosed(data, table).cells,
    ),
    Number(
        P0(
            "section 5.1, bins of the Adult data",
            "pairs of a cell and an income, ages by 5 years and hours by 10, each group with its lower end",
            "P0-17",
        ),
        Printed("5,974"),
        lambda data: tables.pairs_of_records(data, closed_on_the_right=False),
        readings=(
            Reading(
                "where each group has its upper end",
                lambda data: tables.pairs_of_records(data, closed_on_the_right=True),
            ),
        ),
    ),
    Statement(
        P0("section 5.1, homogeneous cells of the Adult data", "the cells of the Adult data", PAIRS),
        "each is homogeneous on income",
        partial(all_homogeneous, tables.adult),
        ((AS_PAIRS, partial(all_homogeneous, tables.pairs)),),
    ),
    count(
        "section 5.1, people of the Bankruptcy data",
        "observations",
        "250",
        lambda data: tables.bankruptcy(data).n_records,
    ),
    count(
        "section 5.1, attributes of the Bankruptcy data",
        "categorical attributes, the status among them",
        "7",
        lambda data: len(tables.bankruptcy(data).quasi_identifiers) + len(tables.bankruptcy(data).sensitive),
    ),
    Statement(
        P0("section 5.1, levels of the Bankruptcy data", "levels of each of the six quasi-identifiers"),
        "there are three",
        _three_levels,
    ),
    count(
        "section 5.1, cells of the Bankruptcy data",
        "non-empty cells by the six quasi-identifiers",
        "103",
        lambda data: diagnosed(data, tables.bankruptcy).cells,
    ),
    Statement(
        P0("section 5.1, homogeneous cells of the Bankruptcy data", "the cells of the Bankruptcy data"),
        "each is homogeneous on the status",
        partial(all_homogeneous, tables.bankruptcy),
    ),
    count(
        "section 5.1, people of the subset",
        "observations in the subset",
        "250",
        lambda data: tables.subset(data).n_records,
    ),
    count(
        "section 5.1, labels of the subset",
        "values of FF, the sensitive attribute (K)",
        "3",
        lambda data: tables.subset(data).n_labels,
    ),
    count(
        "section 5.1, cells of the subset",
        "non-empty cells by five quasi-identifiers",
        "78",
        lambda data: diagnosed(data, tables.subset).cells,
    ),
    count(
        "section 5.1, homogeneous cells of the subset",
        "cells with one value of FF",
        "54",
        lambda data: diagnosed(data, tables.subset).homogeneous_cells,
    ),
    count(
        "section 5.1, heterogeneous cells of the subset",
        "cells with two values of FF or more",
        "24",
        lambda data: diagnosed(data, tables.subset).cells - diagnosed(data, tables.subset).homogeneous_cells,
    ),
    count(
        "Figure 2, smallest cell of the Adult data",
        "people in the smallest cell",
        "1",
        lambda data: float(sizes(data, tables.adult).sizes[0]),
    ),
    of_pairs(
        "Figure 2, largest cell of the Adult data",
        "people in the largest cell",
        "240",
        lambda data, table: float(sizes(data, table).sizes[-1]),
    ),
    of_pairs(
        "Figure 2, large cells of the Adult data",
        f"cells of more than {LARGE} people",
        "6",
        lambda data, table: larger_than(data, table, LARGE),
    ),
    of_pairs(
        "footnote 6, Adult data", "the maximum likelihood estimate of a Poisson law of sizes", "4.6", poisson_mean
    ),
    Number(
        P0("footnote 6, Bankruptcy data", "the maximum likelihood estimate of a Poisson law of sizes"),
        Printed("2.43"),
        lambda data: poisson_mean(data, tables.bankruptcy),
    ),
    Number(
        P0("footnote 6, subset", "the maximum likelihood estimate of a Poisson law of sizes"),
        Printed("3.21"),
        lambda data: poisson_mean(data, tables.subset),
    ),
)
FIGURES = (Figure("P0", "Figure 2", histograms),)
