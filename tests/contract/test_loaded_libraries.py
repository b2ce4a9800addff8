"""Every command loads the libraries that it cannot do without, and no others: a small table is answered at once."""

from __future__ import annotations

from pathlib import Path

import pytest

from epsilens.cli.main import COMMANDS
from epsilens.release.ledger.ledger import Ledger
from tests.support.ledgers import request_for
from tests.support.loaded_libraries import loaded

READING = {"numpy", "duckdb", "ibis", "pyarrow", "rich"}
"""Ibis imports rich itself."""
TABLE = "people.csv --qid age,sex --sensitive disease --bins age=20"
MANY_LABELS = "people.csv --qid sex --sensitive age"
"""More than have a column each."""

NEEDED: dict[str, set[str]] = {
    f"assess {TABLE}": READING,
    f"assess {TABLE} --json": READING,
    f"assess {TABLE} --mechanism gaussian-analytic --delta 1e-6 --json": READING | {"scipy.special"},
    f"knowledge {TABLE} --epsilon 1 --json": READING | {"scipy.special"},
    f"utility {TABLE} --epsilon 1 --json": READING,
    f"assess {MANY_LABELS} --json": READING,
    f"utility {MANY_LABELS} --epsilon 1 --json": READING,
    "posterior single --epsilon 1 --json": {"numpy", "scipy.special"},
    "ledger verify b.db": {"numpy", "rich"},
    "ledger show b.db --json": {"numpy"},
}
"""By command line. Ibis and DuckDB read, SciPy has the special functions of some laws."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("small")
    rows = [f"{18 + i % 50},{'fm'[i % 2]},{('none', 'flu', 'asthma')[i * i % 3]}" for i in range(200)]
    (place / "people.csv").write_text("\n".join(["age,sex,disease", *rows]) + "\n")
    Ledger(place / "b.db").reserve(request_for())
    return place


def test_help_and_version_load_no_library(folder: Path) -> None:
    pages = [["--help"], ["--version"], *([name, "--help"] for name in COMMANDS)]
    found = {" ".join(page): names for page, names in zip(pages, loaded(pages, folder), strict=True) if names}
    assert found == {"sensitivity --help": {"numpy"}}  # its page is made from the functions that it asks


@pytest.mark.slow
def test_a_command_loads_what_it_is_said_to_need(folder: Path) -> None:
    found = loaded([line.split() for line in NEEDED], folder)
    assert dict(zip(NEEDED, found, strict=True)) == NEEDED
