"""The three extracts of the American Community Survey that print uses, and what is known of their tables.

Print took them with IPUMS's nine races; the files that are public today have the nine of the Census Bureau (RAC1P).
Four races of IPUMS can be told from these; people of the other five are known together, so that a number that depends
on them is known to lie between two others. A file ``ma2019-ipums.csv`` with the columns that print names (RACE, SEX,
OWNERSHP, AGE, INCTOT, and PUMA) settles it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from epsilens.arrays import FloatArray, IntArray, as_floats
from epsilens.avoidance.histogram import Histogram
from epsilens.reproduce.claims import Between
from epsilens.reproduce.data import Data, Missing

RACES = range(1, 10)
"""Both codings have nine."""
INCOME = 50_000
Age: TypeAlias = Literal["", "brackets", "years"]
AGES = 5
"""Brackets of equally many people, where age is used."""
_TOLD = ((1,), (2,), (3, 4, 5), (8,))
"""What RAC1P has for IPUMS's White, Black, American Indian or Alaska Native, and other race."""
_TOGETHER = (6, 7, 9)
"""Asian, Pacific Islander, two or more races: of IPUMS's Chinese, Japanese, other Asian, two, three or more races."""


@dataclass(frozen=True)
class Columns:
    """What a file calls the columns."""

    race: str
    tenure: str
    age: str
    income: str


CENSUS_BUREAU = Columns("RAC1P", "OWN_RENT", "AGEP", "PINCP")
IPUMS = Columns("RACE", "OWNERSHP", "AGE", "INCTOT")


@dataclass(frozen=True)
class Extract:
    """One of the three."""

    name: str
    """Of its file."""
    area: str
    areas_printed: str
    """How many areas (PUMAs) it is said to have."""

    @property
    def file(self) -> str:
        """The file with the races of the Census Bureau."""
        return f"{self.name}.csv"

    @property
    def ipums_file(self) -> str:
        """The file with the races of IPUMS, as print had it."""
        return f"{self.name}-ipums.csv"


MASSACHUSETTS = Extract("ma2019", "Massachusetts", "5")
TEXAS = Extract("tx2019", "Texas", "6")
OUTLIER = Extract("national2019", "Outlier", "20")
EXTRACTS = {"P2 Table 1": MASSACHUSETTS, "P2 Table 2": TEXAS, "P2 Table 3": OUTLIER}
"""By the table that is about it, as ``avoidance.published`` names these."""


@dataclass(frozen=True, eq=False)
class Known:
    """The counts of a table by PUMA, sex, tenure and income (in rows), as far as races are known.

    ``told`` are the cells whose counts are known; ``together`` are how many people each row has in its ``others``
    cells, nobody knows in which of them.
    """

    told: IntArray
    together: IntArray
    others: int
    extract: Extract

    @property
    def settled(self) -> bool:
        """Whether nothing is unknown."""
        return self.others == 0 or not self.together.any()

    @property
    def most(self) -> int:
        """The largest count that one of the unknown cells may have."""
        return int(self.together.max(initial=0)) if self.others else 0

    @property
    def largest(self) -> int:
        """The largest count, which is one of those that are known wherever White people are many."""
        return max(int(self.told.max()), self.most)

    def value(self, low: float, high: float) -> float | Between:
        """A number that is known, or known to lie between two."""
        if low == high:
            return low
        people = int(self.together.sum())
        because = f"whatever races IPUMS has for the {people:,} people with codes 6, 7 and 9 in RAC1P"
        return Between(low, high, self.extract.ipums_file, because)


def known(data: Data, extract: Extract, without_income: str | None = None) -> Known:
    """What is known of the table without age: everything where IPUMS's file is there."""

    def find() -> Known:
        columns, path = _file(data, extract)
        rows = by_race(_read(path, columns, without_income=without_income), columns.race)
        if columns is IPUMS:
            return Known(rows, np.zeros(len(rows), dtype=np.int64), 0, extract)
        told = np.column_stack([_people(rows, races) for races in _TOLD])
        return Known(told, _people(rows, _TOGETHER), len(RACES) - len(_TOLD), extract)

    return data.once(("P2", extract.name, "known", without_income), find)


def histogram(data: Data, extract: Extract, age: Age = "", without_income: str | None = None) -> Histogram:
    """The table by PUMA, race, sex, tenure and income, with IPUMS's races where they are at hand.

    ``age`` adds it in five brackets or in single years. ``without_income`` says as what people without an income
    count; above 50,000 unless it is given (IPUMS's code for them is 9999999).
    """

    def find() -> Histogram:
        columns, path = _file(data, extract)
        return _read(path, columns, age, without_income)

    return data.once(("P2", extract.name, "table", age, without_income), find)


def race_column(data: Data, extract: Extract) -> str:
    """What the file at hand calls the race."""
    return _file(data, extract)[0].race


def by_race(table: Histogram, race: str) -> IntArray:
    """Counts with a row for each combination of the other attributes, and races in columns."""
    counts = np.moveaxis(np.asarray(table.counts, dtype=np.int64), table.axis(race), -1)
    return counts.reshape(-1, counts.shape[-1])


def most_and_least_even(table: Known) -> tuple[FloatArray, FloatArray]:
    """The two ways furthest apart in which people may be of the unknown races: as evenly as can be, and all alike."""
    if table.settled:
        return as_floats(table.told), as_floats(table.told)
    share, rest = table.together[:, None] // table.others, table.together[:, None] % table.others
    even = share + (np.arange(table.others) < rest)
    alike = np.where(np.arange(table.others) == 0, table.together[:, None], 0)
    return as_floats(np.hstack([table.told, even])), as_floats(np.hstack([table.told, alike]))


def _file(data: Data, extract: Extract) -> tuple[Columns, str]:
    try:
        return IPUMS, data.file(extract.ipums_file)
    except Missing:
        return CENSUS_BUREAU, data.file(extract.file)


def _people(rows: IntArray, races: tuple[int, ...]) -> IntArray:
    return np.asarray(rows[:, [race - 1 for race in races]].sum(axis=1), dtype=np.int64)


def _read(path: str, columns: Columns, age: Age = "", without_income: str | None = None) -> Histogram:
    from epsilens.table.to_read import TableToRead

    table = TableToRead.of(
        path,
        ["PUMA", columns.race, "SEX", columns.tenure, *([columns.age] if age else [])],
        columns.income,
        bins=[f"{columns.income}={INCOME}|]", *([f"{columns.age}=q{AGES}"] if age == "brackets" else [])],
        missing_values="N",
        missing="drop" if without_income == "nobody" else f"{columns.income}={without_income or INCOME + 1}",
        universe={columns.race: {"from": RACES[0], "to": RACES[-1]}},
    ).read()
    universe = {columns.race: RACES, "SEX": range(1, 3), columns.tenure: range(3)}
    return Histogram.of(table, universe)
