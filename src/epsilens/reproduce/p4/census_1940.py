"""P4, sections 4.1 to 4.3: the enumeration districts of 1940.

The records are not at hand. Where ``--data`` holds them they are counted: ``ed28-21.csv`` with the columns of Table 3,
and ``granville1940.csv`` with a column ``ED`` besides. A column ``Count`` says how many people a row stands for;
without one it is one.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from pathlib import Path

from epsilens.errors import SourceError
from epsilens.reproduce.claims import Claim, Compute
from epsilens.reproduce.data import Data
from epsilens.reproduce.p4.setting import number

COLUMNS = ("HHGQ", "VOTINGAGE", "HISPANIC", "CENRACE")
DARE_FILE, GRANVILLE_FILE = "ed28-21.csv", "granville1940.csv"
DISTRICT_OF_TARGET = "39-14"
TABLE_3 = {
    ("Household", "Of Voting Age", "Not Hispanic", "White"): "34",
    ("Household", "Not Of Voting Age", "Not Hispanic", "White"): "10",
    ("Household", "Of Voting Age", "Not Hispanic", "Black"): "1",
}
LEVELS_2020 = (2, 2, 8, 63)
LEVELS_1940 = (2, 6, 8, 9)
"""Of group quarters, voting age, Hispanic origin and race; 1940 tells six origins apart."""

People = Counter[tuple[str, ...]]


def counted(path: str, columns: tuple[str, ...]) -> People:
    """How many people have each combination of values."""
    name = Path(path).name
    people: People = Counter()
    try:
        with Path(path).open(newline="", encoding="utf-8-sig") as lines:
            reader = csv.DictReader(lines)
            missing = [column for column in columns if column not in (reader.fieldnames or [])]
            if missing:
                raise SourceError(f"{name} needs a column {missing[0]!r}", remedy="name it as Table 3 does")
            for row in reader:
                if None in row or None in row.values():
                    raise SourceError(f"{name} line {reader.line_num} has not as many fields as the header")
                people[tuple(row[column].strip() for column in columns)] += _number(row, name, reader.line_num)
    except UnicodeDecodeError:
        raise SourceError(f"{name} is not UTF-8 text", remedy="save it as UTF-8, or convert it with iconv") from None
    except csv.Error as problem:
        raise SourceError(f"{name} is not a table: {problem}") from None
    if not people.total():
        raise SourceError(f"{name} has a header but nobody below it")
    return people


def _number(row: dict[str, str], name: str, line: int) -> int:
    """How many people a row stands for."""
    text = row.get("Count", "1").strip()
    if not (text.isascii() and text.isdigit()):
        raise SourceError(f"{name} line {line}: Count must be a whole number of people")
    return int(text)


def _dare(data: Data) -> People:
    return data.once(("1940", DARE_FILE), lambda: counted(data.file(DARE_FILE), COLUMNS))


def _granville(data: Data) -> People:
    return data.once(("1940", GRANVILLE_FILE), lambda: counted(data.file(GRANVILLE_FILE), ("ED", *COLUMNS)))


def _cell(values: tuple[str, ...]) -> Compute:
    return lambda data: float(_dare(data)[values])


def _printed_people(_: Data) -> float:
    return float(sum(int(text) for text in TABLE_3.values()))


def _printed_unique(_: Data) -> float:
    return float(sum(text == "1" for text in TABLE_3.values()))


def _districts(data: Data) -> float:
    return float(len({district for district, *_ in _granville(data)}))


def _people(data: Data) -> float:
    return float(_granville(data).total())


def _people_of_district(data: Data) -> float:
    return float(sum(n for (district, *_), n in _granville(data).items() if district == DISTRICT_OF_TARGET))


def _like_the_target(data: Data, everywhere: bool) -> float:
    """White, Hispanic, below voting age and not in a household: in the target's district, or in the county."""
    return float(
        sum(
            n
            for (district, quarters, age, origin, race), n in _granville(data).items()
            if (everywhere or district == DISTRICT_OF_TARGET)
            and quarters != "Household"
            and age == "Not Of Voting Age"
            and origin != "Not Hispanic"
            and race == "White"
        )
    )


CLAIMS: list[Claim] = [
    number("section 4.1, 2020", "cells of the histogram", "2,016", lambda _: float(math.prod(LEVELS_2020))),
    number("section 4.1, 1940", "cells of the histogram", "864", lambda _: float(math.prod(LEVELS_1940))),
    *(number(f"Table 3, {', '.join(values)}", "people", text, _cell(values)) for values, text in TABLE_3.items()),
    number("section 4.2, district 28-21", "people, from the counts of Table 3", "45", _printed_people),
    number("section 4.2, district 28-21", "people alone with their values, from Table 3", "1", _printed_unique),
    number("section 4.3, Granville County", "enumeration districts", "28", _districts),
    number("section 4.3, Granville County", "people", "29,364", _people),
    number("section 4.3, district 39-14", "people", "209", _people_of_district),
    number("Table 6, x1", "people like the target in the district", "1", lambda data: _like_the_target(data, False)),
    number("Table 6, x2", "people like the target in the county", "1", lambda data: _like_the_target(data, True)),
    number(
        "Table 6, y1",
        "people like the target in the other districts",
        "0",
        lambda data: _like_the_target(data, True) - _like_the_target(data, False),
    ),
    number("section 4.3, other districts", "other districts of the county", "27", lambda data: _districts(data) - 1.0),
]
