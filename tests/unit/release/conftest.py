"""People and releases that the tests of this room share."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

from epsilens.budget import PureDP
from tests.support.released_tables import release


@pytest.fixture
def people(tmp_path: Path) -> Path:
    path = tmp_path / "people.csv"
    rows = [(i // 2, ["north", "south"][i % 2], "fm"[i % 3 == 0], ["no", "yes"][i % 5 == 0]) for i in range(60)]
    with path.open("w", newline="") as stream:
        writer = csv.writer(stream)
        writer.writerow(["person", "region", "sex", "illness"])
        writer.writerows(rows)
    return path


@pytest.fixture
def folder(people: Path, tmp_path: Path) -> Path:
    release(people, tmp_path, out=tmp_path / "first.csv", budget=PureDP(0.5), non_negative=True)
    release(people, tmp_path, out=tmp_path / "second.csv", budget=PureDP(0.25), marginals=[["sex"], ["region", "sex"]])
    return tmp_path
