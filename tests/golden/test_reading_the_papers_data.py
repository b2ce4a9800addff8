"""The papers' tables from the data that they name, by one command each."""

from __future__ import annotations

import csv
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import epsilens as el
from epsilens import avoidance as av
from epsilens.errors import EpsilensWarning
from epsilens.table.to_read import TableToRead

QID = ["age", "relationship", "education", "race", "sex", "hours-per-week"]
COMPLETE = ["native-country=United-States", "workclass!=?", "occupation!=?"]


def test_adult_from_its_records_is_the_table_of_counts_that_was_published(data_dir: Path) -> None:
    """P0 section 5.1: complete records of people from the United States, age every 5 years and hours every 10."""
    asked = TableToRead.of(
        data_dir / "adult.csv", QID, "salary-class", bins=["age=5]", "hours-per-week=10]"], where=COMPLETE
    )
    table = asked.read()
    assert (table.n_cells, table.n_records, table.rows_not_selected) == (5009, 27504, 5057)
    cells = list(zip(*table.cells().values(), strict=True))
    ours = {
        (*cell, label): n
        for cell, counts in zip(cells, table.counts.tolist(), strict=True)
        for label, n in zip(table.labels, counts, strict=True)
        if n
    }
    published: Counter[tuple[str, ...]] = Counter()
    with (data_dir / "adultcount.csv").open(newline="") as file:
        rows = csv.reader(file)
        next(rows)
        for row in rows:
            published[tuple(value.strip() for value in row[:-1])] += int(row[-1])
    assert ours == published


def test_adult_as_published_knows_the_income_that_it_wants_to_learn(data_dir: Path) -> None:
    """P0 section 5.1 and Figure S1: 5,974 pairs of a cell and an income, each taken for a homogeneous cell."""
    asked = TableToRead.of(
        data_dir / "adultcount.csv", [*QID, "known-income"], "income", copies=["known-income=income"], count="income"
    )
    with pytest.warns(EpsilensWarning, match="every cell is homogeneous whatever the data"):
        table = asked.read()
    assert (table.n_cells, table.n_records) == (5974, 27504)
    curve = [
        el.average(el.homogeneity.local(table, el.LaplaceNoise(1.0 / epsilon)), table, weighted=False)
        for epsilon in (0.001, 0.1, 1.0, 10.0)
    ]
    assert curve == pytest.approx([0.2511, 0.3127, 0.5653, 0.9948], abs=5e-5)


def test_the_540_cells_of_massachusetts(data_dir: Path) -> None:
    """P2 appendix C.1: income above 50,000 or not, where one that does not apply counts as above; race of nine."""
    table = TableToRead.of(
        data_dir / "ma2019.csv", ["PUMA", "RAC1P", "SEX", "OWN_RENT"], "PINCP", bins="PINCP=50000|]",
        missing_values="N", missing="PINCP=50001", universe={"RAC1P": {"from": 1, "to": 9}},
    ).read()  # fmt: skip
    assert table.labels == ("<= 50000", "> 50000")
    histogram = av.Histogram.of(table, {"RAC1P": range(1, 10)})
    assert (histogram.n_cells, histogram.n_records, histogram.largest) == (540, 7634, 509)
    biases = [
        np.abs(av.NoisyCounts.as_published("laplace", epsilon).bias(histogram.counts)).sum()
        for epsilon in (0.5, 1.0, 2.0, 4.0)
    ]
    assert biases == pytest.approx([786.335, 359.255, 161.382, 67.848], abs=5e-4)
