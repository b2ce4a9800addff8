"""A plan of several releases, from a JSON file."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from epsilens.cli.options import read_json
from epsilens.errors import DataError, ParameterError, did_you_mean, finite, one_of

if TYPE_CHECKING:
    from epsilens.budget import Budget
    from epsilens.homogeneity.releases import AnyRelease
    from epsilens.table import FrequencyTable

WHAT = ("source", "table", "count", "qid", "sensitive", "bins", "universe", "structural_zeros")
WHOM = ("missing", "missing_values", "unit", "max_rows", "cohort")
HOW = ("mechanism", "epsilon", "delta", "rho", "neighbours")
RELEASE = (*WHAT, *WHOM, *HOW, "name", "parent", "sizes")
EXAMPLE = '{"source": "people.csv", "qid": ["sex"], "releases": [{"sensitive": "income", "epsilon": 1}]}'


def read_plan(path: str) -> tuple[list[AnyRelease], str | None]:
    """The releases of a plan in their order, and the mechanism that all of them use, if it is one."""
    plan: dict[str, Any] = read_json(path, "plan", dict, EXAMPLE)
    given = plan.pop("releases", None)
    if not isinstance(given, list) or not given or not all(isinstance(entry, dict) for entry in given):
        raise DataError(f'the plan {path!r} needs "releases", a list of objects; for example {EXAMPLE}')
    _refuse_unknown(plan, (*WHAT, *WHOM, *HOW), "the plan")
    entries = []
    for i, entry in enumerate(given, 1):
        _refuse_unknown(entry, RELEASE, f"release {i} of the plan")
        entries.append({"mechanism": "laplace", "name": f"release {i}", **plan, **entry, "own": tuple(entry)})
    reader = _Reader(Path(path).parent)
    mechanisms = {str(entry["mechanism"]) for entry in entries}
    return [reader.release(entry) for entry in entries], mechanisms.pop() if len(mechanisms) == 1 else None


def _refuse_unknown(given: dict[str, Any], allowed: Iterable[str], where: str) -> None:
    for key in given:
        if key not in allowed:
            raise DataError(f"{where} has {key!r}, which means nothing here{did_you_mean(key, allowed)}")


class _Reader:
    """Reads each table once, however many releases publish it."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._tables: dict[str, FrequencyTable] = {}

    def release(self, entry: dict[str, Any]) -> AnyRelease:
        """One release of the plan."""
        from epsilens.homogeneity.releases import Release, SizeRelease
        from epsilens.noise import MECHANISMS, calibrate

        mechanism = one_of("mechanism", str(entry["mechanism"]), MECHANISMS)
        budget, neighbours = _budget(entry, mechanism), str(entry.get("neighbours", "add-remove"))
        shared: dict[str, Any] = {
            "budget": budget,
            "neighbours": neighbours,
            "name": str(entry["name"]),
            "cohort": str(entry.get("cohort", "")),
        }
        if entry.get("sizes"):
            # Sizes need no label, so their cells are only read where they are not those of the release fitted to them.
            table = self._table(entry) if "qid" in entry["own"] else None
            rows = int(entry.get("max_rows", 1))
            return SizeRelease(calibrate(mechanism, budget, neighbours, rows_per_unit=rows), table=table, **shared)
        table = self._table(entry)
        noise = calibrate(mechanism, budget, neighbours, rows_per_unit=table.max_rows_per_unit)
        return Release(table, noise, parent=entry.get("parent"), **shared)

    def _table(self, entry: dict[str, Any]) -> FrequencyTable:
        from epsilens.table import Schema, read_table
        from epsilens.table.levels import FIXED_ROW_SALT

        for key in ("source", "qid", "sensitive"):
            if not entry.get(key):
                raise DataError(f"{entry['name']!r} of the plan lacks {key!r}")
        known = repr([(key, entry.get(key)) for key in (*WHAT, *WHOM)])
        if known not in self._tables:
            schema = Schema(
                entry["qid"],
                entry["sensitive"],
                bins=entry.get("bins") or {},
                universe=entry.get("universe"),
                structural_zeros=entry.get("structural_zeros"),
                missing=entry.get("missing", "level"),
                missing_values=entry.get("missing_values", ()),
                unit=entry.get("unit"),
                max_rows_per_unit=entry.get("max_rows", 1),
            )
            self._tables[known] = read_table(
                self._place(str(entry["source"])), schema, entry.get("table"), entry.get("count"), FIXED_ROW_SALT
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
    if "rho" in entry:
        return ZCDP(finite("rho", entry["rho"]))
    delta = entry.get("delta")
    epsilon = finite("epsilon", entry["epsilon"])
    return MECHANISMS[mechanism].budget(epsilon, None if delta is None else finite("delta", delta))
