"""The tables of the papers on homogeneity, from the files that their authors published, read once for each run."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from epsilens.reproduce.data import Data

if TYPE_CHECKING:
    from epsilens.homogeneity.prepared import PreparedMeasure
    from epsilens.table.frequency import FrequencyTable

ADULT = ("age", "relationship", "education", "race", "sex", "hours-per-week")
BANKRUPTCY = ("IR", "MR", "FF", "CR", "CO", "OR")
SUBSET = ("IR", "MR", "OR", "CR", "CO")
UNITED_STATES = ("native-country=United-States", "workclass!=?", "occupation!=?")
"""The conditions under which the records become the table of counts: docs/guides/papers-tables.md."""
RECORDS, COUNTS, BANK_COUNTS, SUBSET_COUNTS = "adult.csv", "adultcount.csv", "bankcount.csv", "FFcount.csv"


def adult(data: Data) -> FrequencyTable:
    """The Adult data by the six quasi-identifiers that print names."""
    return _read(data, COUNTS, ADULT, "income")


def pairs(data: Data) -> FrequencyTable:
    """The same as print counted it: each pair of a cell and an income is a cell of its own (P0-8)."""

    def found() -> FrequencyTable:
        from epsilens.table.frequency import FrequencyTable

        table = adult(data)
        cells = [
            [n if j == k else 0 for j in range(table.n_labels)]
            for row in table.counts.tolist()
            for k, n in enumerate(row)
            if n > 0
        ]
        return FrequencyTable.from_counts(cells, labels=list(table.labels))

    return data.once("pairs of a cell and an income", found)


def bankruptcy(data: Data) -> FrequencyTable:
    """The Bankruptcy data by all six attributes."""
    return _read(data, BANK_COUNTS, BANKRUPTCY, "class")


def subset(data: Data) -> FrequencyTable:
    """Its subset: five attributes, with FF as the sensitive one."""
    return _read(data, SUBSET_COUNTS, SUBSET, "FF")


def people_of_records(data: Data, *conditions: str) -> int:
    """How many records ``adult.csv`` has, or how many of them fulfil conditions such as ``sex=Male``."""

    def found() -> int:
        from epsilens.table.to_read import TableToRead

        return TableToRead.of(data.file(RECORDS), ["sex"], "salary-class", where=conditions).read().n_records

    return data.once(("records", conditions), found)


def pairs_of_records(data: Data, closed_on_the_right: bool) -> int:
    """Pairs of a cell and an income if ``adult.csv`` is grouped by ages of five years and by ten hours."""
    end = "]" if closed_on_the_right else ""

    def found() -> int:
        from epsilens.table.to_read import TableToRead

        bins = [f"age=5{end}", f"hours-per-week=10{end}"]
        asked = TableToRead.of(data.file(RECORDS), list(ADULT), "salary-class", bins=bins, where=UNITED_STATES)
        return int((asked.read().counts > 0).sum())

    return data.once(("pairs of records", closed_on_the_right), found)


def joint_table(counts: Sequence[Sequence[int]], attributes: Sequence[str]) -> FrequencyTable:
    """A small joint table of attributes with two values each, whose labels run like ``itertools.product``."""
    import numpy as np

    from epsilens.table.frequency import FrequencyTable, MemoryStore

    values = tuple(itertools.product(*(("no", "yes") for _ in attributes)))
    labels = tuple("/".join(parts) for parts in values)
    return FrequencyTable(labels, MemoryStore(np.array(counts, dtype=np.int64), {}), (), tuple(attributes), values)


def ready(data: Data, table: FrequencyTable, measure: str) -> PreparedMeasure:
    """A measure made ready for a table, once."""
    from epsilens.homogeneity.measures import prepare

    return data.once(("ready", id(table), measure), lambda: prepare(measure, table))


def _read(data: Data, file: str, columns: tuple[str, ...], sensitive: str) -> FrequencyTable:
    def found() -> FrequencyTable:
        from epsilens.table.reading.tables import read_table
        from epsilens.table.schema import Schema

        return read_table(data.file(file), Schema(list(columns), sensitive), count=_count_column(file))

    return data.once(file, found)


def _count_column(file: str) -> str:
    """The last column of a file, whose name is repeated there: of the second one a 1 is added."""
    return {COUNTS: "income_1", BANK_COUNTS: "class_1", SUBSET_COUNTS: "FF_1"}[file]
