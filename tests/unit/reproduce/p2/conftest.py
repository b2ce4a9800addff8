"""The data of P2, read and computed once for all tests of a process."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.reproduce.data import Data
from tests.support.extracts import write_extract


@pytest.fixture(scope="session")
def papers_data(data_dir: Path) -> Data:
    """The real data."""
    return Data(data_dir)


@pytest.fixture(scope="session")
def made_up(tmp_path_factory: pytest.TempPathFactory) -> Data:
    """Small files under the names of those that are not at hand."""
    folder = tmp_path_factory.mktemp("extracts")
    write_extract(folder, "tx2019", 6)
    write_extract(folder, "national2019", 20, 1500)
    return Data(folder)
