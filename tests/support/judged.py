"""Verdicts on the claims of one module of the reproduction, judged once, or anew where a formula is changed."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path

from epsilens.reproduce.claims import Claim, Formula
from epsilens.reproduce.data import Data
from epsilens.reproduce.verdicts import Row, judged

MISPRINT, FALSE, CONFIRMED, OPEN = "misprint", "false", "confirmed", "not reproducible"
OTHER = "follows from another model than stated"


@cache
def data_of(folder: Path | None) -> Data:
    """The papers' data, or none, with what was computed of them."""
    return Data(folder)


@cache
def rows_of(module: str, folder: Path | None = None) -> dict[str, Row]:
    """The rows of ``p0.cells`` or another module by their places; what needs no data is judged once for all folders."""
    if folder is None:
        return judged_anew(module, data_of(None))
    known = rows_of(module)
    return known | judged_anew(module, data_of(folder), [row.place for row in known.values() if row.needs])


def judged_anew(module: str, data: Data | None = None, places: Iterable[str] | None = None) -> dict[str, Row]:
    """The same, or those of some places, computed now."""
    claims = importlib.import_module(f"epsilens.reproduce.{module}").CLAIMS
    known = {claim.place.where: claim for claim in claims}
    assert len(known) == len(claims)
    return {place: judged(known[place], data or Data()) for place in (known if places is None else places)}


def verdicts_anew(module: str, *places: str, data: Data | None = None) -> set[str]:
    """The verdicts of some places, computed now: where a formula was changed."""
    return {row.verdict for row in judged_anew(module, data, places).values()}


def verdicts(rows: dict[str, Row]) -> dict[str, int]:
    """How many rows have each verdict."""
    return dict(Counter(row.verdict for row in rows.values()))


def departing(rows: dict[str, Row]) -> dict[str, set[str]]:
    """The entries of docs/departures.md that rows name, with the verdicts of these rows."""
    found: dict[str, set[str]] = {}
    for row in rows.values():
        if row.departs:
            found.setdefault(row.departs, set()).add(row.verdict)
    return found


def verdict_if_scaled(claim: Claim, factor: float = 0.98) -> str:
    """The verdict on a formula whose printed side is by so much another, and not mended."""
    assert isinstance(claim, Formula)
    printed = claim.printed
    return judged(replace(claim, printed=lambda case: factor * printed(case), mended=()), Data()).verdict
