"""A plan of several releases, from a JSON file.

What stands outside of the list of releases holds for all of them, as far as it concerns them: of ``bins``, ``universe``
and ``structural_zeros`` a release takes what is about its own columns. ``null`` takes back what holds for all.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epsilens.checks import did_you_mean, finite, one_of
from epsilens.cli.options import read_json
from epsilens.errors import DataError, ParameterError

if TYPE_CHECKING:
    from epsilens.budget import Budget
    from epsilens.homogeneity.repeated.releases import AnyRelease
    from epsilens.table import FrequencyTable

BY_COLUMN = ("bins", "universe", "structural_zeros")
WHAT = ("source", "table", "count", "qid", "sensitive", *BY_COLUMN)
WHOM = ("missing", "missing_values", "unit", "max_rows", "cohort")
HOW = ("mechanism", "epsilon", "delta", "rho", "neighbours")
RELEASE = (*WHAT, *WHOM, *HOW, "name", "parent", "sizes")
TEXTS = ("source", "table", "count", "missing", "unit", "cohort", "mechanism", "neighbours", "name", "parent")
LISTS = ("qid", "sensitive", "missing_values")
NUMBERS = ("epsilon", "delta", "rho")
EXAMPLE = '{"source": "people.csv", "qid": ["sex"], "releases": [{"sensitive": "income", "epsilon": 1}]}'


def read_plan(path: str) -> tuple[list[AnyRelease], str | None]:
    """The releases of a plan in their order, and the mechanism that all of them use, if it is one."""
    plan: dict[str, Any] = read_json(path, "plan", dict, EXAMPLE)
    given = plan.pop("releases", None)
    if not isinstance(given, list) or not given or not all(isinstance(entry, dict) for entry in given):
        raise DataError(f'the plan {path!r} needs "releases", a list of objects; for example {EXAMPLE}')
    _check(plan, (*WHAT, *WHOM, *HOW), "the plan")
    for i, entry in enumerate(given, 1):
        _check(entry, RELEASE, f"release {i} of the plan")
    entries = [_whole(entry, plan, f"release {i}") for i, entry in enumerate(given, 1)]
    _refuse_columns_of_no_release(plan, entries)
    labels = next((entry["sensitive"] for entry in entries if "sensitive" in entry), None)
    reader = _Reader(Path(path).parent, labels)
    mechanisms = {entry["mechanism"] for entry in entries}
    return [reader.release(entry) for entry in entries], mechanisms.pop() if len(mechanisms) == 1 else None


def _check(given: dict[str, Any], allowed: Iterable[str], where: str) -> None:
    """Refuse keys that mean nothing, and values of the wrong kind."""
    for key, value in given.items():
        if key not in allowed:
            raise DataError(f"{where} has {key!r}, which means nothing here{did_you_mean(key, allowed)}")
        if value is None:
            continue
        wanted = ""
        if key in TEXTS and not isinstance(value, str):
            wanted = "a text"
        elif key in LISTS and not isinstance(value, str | list):
            wanted = "a text or a list of texts"
        elif key in NUMBERS and isinstance(value, bool):
            wanted = "a number"
        elif key == "sizes" and not isinstance(value, bool):
            wanted = "true or false"
        elif key == "max_rows" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            wanted = "a whole number >= 1"
        if wanted:
            raise DataError(f"{key!r} of {where} must be {wanted}, got {value!r}")


def _whole(entry: dict[str, Any], plan: dict[str, Any], name: str) -> dict[str, Any]:
    """A release with what holds for all releases, as far as it concerns this one; ``own`` is what it says itself."""
    shared = dict(plan)
    if "epsilon" in entry or "rho" in entry:
        shared = {key: value for key, value in shared.items() if key not in ("epsilon", "rho")}
    whole = {key: value for key, value in {**shared, **entry}.items() if value is not None}
    columns = {column for role in ("qid", "sensitive") for column in _texts(whole.get(role, ()))}
    for key in BY_COLUMN:
        if key in whole and key not in entry:
            whole[key] = _about(whole[key], columns)
    return {"mechanism": "laplace", "name": name, **whole, "own": tuple(entry)}


def _texts(value: str | list[Any]) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)


def _about(given: Any, columns: set[Any]) -> Any:
    """What bins, a universe or structural zeros say about ``columns``; what is neither is left for the schema."""
    if isinstance(given, dict):
        return {name: value for name, value in given.items() if name in columns}
    if isinstance(given, list) and all(isinstance(rule, dict) for rule in given):
        return [rule for rule in given if set(rule) <= columns]
    return given


def _refuse_columns_of_no_release(plan: dict[str, Any], entries: list[dict[str, Any]]) -> None:
    """A slip of the pen outside of the list would otherwise concern no release, and nobody would notice."""
    columns = list(
        dict.fromkeys(c for entry in entries for role in ("qid", "sensitive") for c in _texts(entry.get(role, ())))
    )
    for key in BY_COLUMN:
        given = plan.get(key)
        for part in given if isinstance(given, list) else [given]:
            for name in part if isinstance(part, dict) else ():
                if name not in columns:
                    hint = did_you_mean(name, [column for column in columns if isinstance(column, str)])
                    raise DataError(f"{key!r} of the plan names column {name!r}, which no release has{hint}")


class _Reader:
    """Reads each table once, however many releases publish it."""

    def __init__(self, folder: Path, labels: Any) -> None:
        self._folder = folder
        self._labels = labels  # cell sizes need none, but to read their cells some must be named
        self._tables: dict[str, FrequencyTable] = {}

    def release(self, entry: dict[str, Any]) -> AnyRelease:
        """One release of the plan."""
        from epsilens.homogeneity.repeated.releases import Release, SizeRelease
        from epsilens.noise import MECHANISMS, calibrate

        mechanism = one_of("mechanism", entry["mechanism"], MECHANISMS)
        budget, neighbours = _budget(entry, mechanism), entry.get("neighbours", "add-remove")
        shared: dict[str, Any] = {
            "budget": budget,
            "neighbours": neighbours,
            "name": entry["name"],
            "cohort": entry.get("cohort", ""),
        }
        if entry.get("sizes"):
            if "parent" in entry:
                raise DataError(f"{entry['name']!r} of the plan has sizes, which are not fitted to a parent")
            # their cells are only read where they are not those of the release fitted to them
            table = self._table({"sensitive": self._labels, **entry}) if "qid" in entry["own"] else None
            rows = entry.get("max_rows", 1)
            return SizeRelease(calibrate(mechanism, budget, neighbours, max_rows_per_unit=rows), table=table, **shared)
        table = self._table(entry)
        noise = calibrate(mechanism, budget, neighbours, max_rows_per_unit=table.max_rows_per_unit)
        return Release(table, noise, parent=entry.get("parent"), **shared)

    def _table(self, entry: dict[str, Any]) -> FrequencyTable:
        from epsilens.table import Schema, read_table
        from epsilens.table.reading.levels import FIXED_ROW_SALT

        for key in ("source", "qid", "sensitive"):
            if not entry.get(key):
                raise DataError(f"{entry['name']!r} of the plan lacks {key!r}")
        known = repr([(key, entry.get(key)) for key in (*WHAT, *WHOM)])
        if known not in self._tables:
            schema = Schema(
                entry["qid"],
                entry["sensitive"],
                bins=entry.get("bins") or {},
                universe=entry.get("universe") or None,
                structural_zeros=entry.get("structural_zeros") or None,
                missing=entry.get("missing", "level"),
                missing_values=entry.get("missing_values", ()),
                unit=entry.get("unit"),
                max_rows_per_unit=entry.get("max_rows", 1),
            )
            self._tables[known] = read_table(
                self._place(entry["source"]), schema, entry.get("table"), entry.get("count"), FIXED_ROW_SALT
            )
        return self._tables[known]

    def _place(self, source: str) -> str:
        """Paths are relative to the plan."""
        return source if "://" in source else str(self._folder / source)


def _budget(entry: dict[str, Any], mechanism: str) -> Budget:
    from epsilens.budget import ZCDP
    from epsilens.noise import MECHANISMS

    if ("rho" in entry) == ("epsilon" in entry):
        raise ParameterError(f"{entry['name']!r} of the plan needs either epsilon or rho")
    delta = entry.get("delta")
    try:
        if "rho" in entry:
            return ZCDP(finite("rho", entry["rho"]))
        epsilon = finite("epsilon", entry["epsilon"])
        return MECHANISMS[mechanism].budget(epsilon, None if delta is None else finite("delta", delta))
    except ParameterError as problem:
        raise ParameterError(f"{entry['name']!r} of the plan: {problem}") from None
