"""Tables of counts, released in tests: the people, their schema, and a call with everything filled in."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from epsilens.budget import PureDP
from epsilens.release import Released, release_table
from epsilens.table import Schema

LEVELS = {"region": ["north", "south"], "sex": ["f", "m", "x"], "illness": ["no", "yes"]}
SCHEMA = Schema(["region", "sex"], "illness", universe=LEVELS)
LARGE = PureDP(60.0)  # noise that is 0 but for once in 10^26 draws: the arithmetic around it can be tested exactly


def written_rows(path: Path) -> list[dict[str, str]]:
    return list(csv.DictReader(path.read_text().splitlines()))


def release(source: Any, folder: Path, **options: Any) -> Released:
    given: dict[str, Any] = {
        "budget": LARGE,
        "ledger": folder / "b.db",
        "account": "survey",
        "schema": SCHEMA,
        "total": PureDP(1000.0),
        "one_row_per_person": True,
        **options,
    }
    return release_table(source, **given)
