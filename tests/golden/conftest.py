"""The papers' own tables, read once."""

from __future__ import annotations

from pathlib import Path

import pytest

import epsilens as el


@pytest.fixture(scope="session")
def ff(data_dir: Path) -> el.FrequencyTable:
    schema = el.Schema(["IR", "MR", "OR", "CR", "CO"], "FF")
    return el.read_table(data_dir / "FFcount.csv", schema, count="FF")


@pytest.fixture(scope="session")
def bank(data_dir: Path) -> el.FrequencyTable:
    schema = el.Schema(["IR", "MR", "FF", "CR", "CO", "OR"], "class")
    return el.read_table(data_dir / "bankcount.csv", schema, count="class")


@pytest.fixture(scope="session")
def adult(data_dir: Path) -> el.FrequencyTable:
    schema = el.Schema(["age", "relationship", "education", "race", "sex", "hours-per-week"], "income")
    return el.read_table(data_dir / "adultcount.csv", schema, count="income")
