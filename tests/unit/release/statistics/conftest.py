"""A folder with three releases of statistics."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyarrow import csv as arrow_csv

from epsilens.budget import PureDP
from epsilens.release.statistics import Mean, Variance
from tests.support.released_statistics import people, release


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    arrow_csv.write_csv(people(), tmp_path / "people.csv")
    release(tmp_path, data=tmp_path / "people.csv", out=tmp_path / "all.csv", bounding="none")
    several: dict[str, Any] = {"unit": "who", "neighbours": "add-remove", "n": 10, "missing": {"a": 5}}
    release(
        tmp_path,
        [Mean("a", 0, 10)],
        PureDP(0.5),
        tmp_path / "people.csv",
        out=tmp_path / "one.parquet",
        account="visits",
        **several,
    )
    release(
        tmp_path,
        [Variance("a", 0, 10), Mean("b", -2, 2)],
        PureDP(0.5),
        tmp_path / "people.csv",
        out=tmp_path / "two.csv",
        bounding="truncated",
    )
    return tmp_path
