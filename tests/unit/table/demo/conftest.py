"""The demo population, made once for all tests of this room."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from epsilens.table.demo import population as demo
from tests.support.demo import ROWS


@pytest.fixture(scope="session")
def people() -> pa.Table:
    return demo.population(ROWS)


@pytest.fixture(scope="session")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("demo") / "people.parquet"
    demo.write_population(path, ROWS)
    return path
