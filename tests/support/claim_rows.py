"""Verdicts of the claims of one module, by place and by what is claimed there."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from types import ModuleType

from epsilens.reproduce.data import Data
from epsilens.reproduce.verdicts import Row, judged

CONFIRMED, MONTE_CARLO, MISPRINT = "confirmed", "confirmed within Monte-Carlo error", "misprint"
OTHER_MODEL, FALSE, NOT_REPRODUCIBLE = "follows from another model than stated", "false", "not reproducible"


def rows_of(module: ModuleType, *places: str, folder: Path | None = None) -> list[Row]:
    """The rows of a module, or those whose place begins so."""
    data = Data(folder)
    wanted = [claim for claim in module.CLAIMS if not places or claim.place.where.startswith(places)]
    assert wanted, places
    return [judged(claim, data) for claim in wanted]


def row_of(module: ModuleType, place: str, what: str | None = None, folder: Path | None = None) -> Row:
    """The row of this place, and of this claim if there are several."""
    (found,) = [
        claim for claim in module.CLAIMS if claim.place.where == place and (what is None or claim.place.what == what)
    ]
    return judged(found, Data(folder))


def verdicts(module: ModuleType, *places: str) -> dict[str, str]:
    """Verdicts by place and claim."""
    return {f"{row.place}: {row.what}": row.verdict for row in rows_of(module, *places)}


def counts(module: ModuleType) -> dict[str, int]:
    """How many rows have each verdict; and no row reads a file."""
    rows = rows_of(module)
    assert all(row.needs is None or row.verdict == NOT_REPRODUCIBLE for row in rows)
    return dict(Counter(row.verdict for row in rows))


def unlike(before: dict[str, str], after: dict[str, str]) -> set[str]:
    """The claims whose verdict is another one."""
    assert before.keys() == after.keys()
    return {name for name, verdict in before.items() if after[name] != verdict}
