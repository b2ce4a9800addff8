"""``sequence``: what several releases about the same people give away together, and cost.

A plan says which releases. What stands outside of its list of releases holds for all of them, as far as it concerns
them: of ``bins``, ``universe`` and ``structural_zeros`` a release takes what is about its own columns. ``null`` (None)
takes back what holds for all. People who are in the same releases make a cohort; ``cohorts`` says where each is found,
and a release names those whom it counts, all of them if it names none.
"""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, get_args

from epsilens.budget import ZCDP, Budget
from epsilens.checks import did_you_mean, finite, one_of, probability
from epsilens.choice.publication import Publication, assess_publication
from epsilens.errors import DataError, ParameterError
from epsilens.homogeneity.local import Match
from epsilens.homogeneity.repeated.cells import together
from epsilens.homogeneity.repeated.releases import AnyRelease, Release, SizeRelease
from epsilens.noise import MECHANISMS, calibrate
from epsilens.table import Schema
from epsilens.table.bins import rule_from_plain
from epsilens.table.frequency import FrequencyTable
from epsilens.table.json_files import read_json
from epsilens.table.to_read import TableToRead

BY_COLUMN = ("bins", "universe", "structural_zeros", "copies")
WHAT = ("source", "table", "count", "qid", "sensitive", "harmful", *BY_COLUMN)
WHOM = ("where", "missing", "missing_values", "unit", "max_rows", "cohort")
HOW = ("mechanism", "epsilon", "delta", "rho", "neighbours")
OF_COHORT = ("source", "table", "count", "where", "missing", "missing_values", "unit", "max_rows")
RELEASE = (*WHAT, *WHOM, *HOW, "name", "parent", "sizes")
TEXTS = ("source", "table", "count", "unit", "mechanism", "neighbours", "name", "parent")
LISTS = ("qid", "sensitive", "harmful", "missing_values", "where", "cohort")
NUMBERS = ("epsilon", "delta", "rho")
EXAMPLE = '{"source": "people.csv", "qid": ["sex"], "releases": [{"sensitive": "income", "epsilon": 1}]}'


@dataclass(frozen=True)
class PlannedRelease:
    """One release of a plan: what is published, with which noise, and what it is fitted to."""

    name: str
    mechanism: str
    budget: Budget
    neighbours: str = "add-remove"
    cohorts: tuple[str, ...] = ("",)
    """Whose people are counted."""
    sizes: bool = False
    """Whether only the sizes of cells are published."""
    parent: str | None = None
    """The earlier release that this one is made to add up to."""
    tables: tuple[TableToRead, ...] = ()
    """One per cohort; none for sizes of the cells of the release fitted to them."""
    max_rows_per_unit: int = 1

    def made(self, tables: Sequence[FrequencyTable]) -> AnyRelease:
        """The release of what was read, one table per cohort."""
        parts = dict(zip(self.cohorts, tables, strict=True)) if tables else {}
        rows = self.max_rows_per_unit if self.sizes or not parts else max(t.max_rows_per_unit for t in tables)
        noise = calibrate(self.mechanism, self.budget, self.neighbours, max_rows_per_unit=rows)
        common: dict[str, Any] = {"budget": self.budget, "neighbours": self.neighbours, "name": self.name}
        if self.sizes or not parts:
            cohort = self.cohorts[0] if len(self.cohorts) == 1 else self.cohorts
            whole = None if not parts else tables[0] if len(tables) == 1 else together(parts)[0]
            return SizeRelease(noise, table=whole, cohort=cohort, **common)
        if len(parts) > 1:
            return Release.of_several(parts, noise, parent=self.parent, **common)
        return Release(tables[0], noise, parent=self.parent, cohort=self.cohorts[0], **common)


@dataclass(frozen=True)
class Question:
    """A plan of releases, what counts as given away, and the delta at which budgets are composed."""

    releases: tuple[PlannedRelease, ...]
    match: Match = "share"
    delta: float = 1e-6

    def __post_init__(self) -> None:
        one_of("match", self.match, get_args(Match))
        probability("delta", self.delta)
        if not self.releases:
            raise DataError("a plan needs at least one release")

    @staticmethod
    def from_file(path: str | os.PathLike[str], match: Match = "share", delta: float = 1e-6) -> Question:
        """From a JSON file; paths in it are relative to it."""
        probability("delta", delta)
        plain = read_json(path, "plan", dict, EXAMPLE)
        return Question.from_plan(plain, Path(path).parent, match, delta, os.fspath(path))

    @staticmethod
    def from_plan(
        plan: Mapping[str, Any],
        folder: str | os.PathLike[str] = ".",
        match: Match = "share",
        delta: float = 1e-6,
        name: str = "",
    ) -> Question:
        """From plain values; paths are relative to ``folder``, ``name`` is the plan's in errors."""
        shared = {key: value for key, value in plan.items() if key not in ("releases", "cohorts")}
        cohorts = _cohorts(plan.get("cohorts"))
        given = plan.get("releases")
        if not isinstance(given, list) or not given or not all(isinstance(entry, dict) for entry in given):
            called = f"the plan {name!r}" if name else "the plan"
            raise DataError(f'{called} needs "releases", a list of objects; for example {EXAMPLE}')
        _check(shared, (*WHAT, *WHOM, *HOW), "the plan")
        for i, entry in enumerate(given, 1):
            _check(entry, RELEASE, f"release {i} of the plan")
        entries = [_completed(entry, shared, f"release {i}") for i, entry in enumerate(given, 1)]
        _refuse_columns_of_no_release(shared, entries)
        labels = next((entry["sensitive"] for entry in entries if "sensitive" in entry), None)
        releases = tuple(_release(entry, cohorts, Path(folder), labels) for entry in entries)
        return Question(releases, match, delta)

    @property
    def mechanism(self) -> str | None:
        """The mechanism that all releases use, if it is one."""
        mechanisms = {release.mechanism for release in self.releases}
        return mechanisms.pop() if len(mechanisms) == 1 else None

    def read(self) -> list[AnyRelease]:
        """The releases in their order, with their tables: each table is read once.

        Where some people are counted in one release and not in another, a value that nobody of some has is published
        about them all the same: tables of the same attributes get the labels of all of them.
        """
        wanted = {_identity(table): table for release in self.releases for table in release.tables}
        if any(len(release.cohorts) > 1 for release in self.releases):
            read: dict[str, FrequencyTable] = {}
            for names in {frozenset(table.schema.sensitive_columns) for table in wanted.values()}:
                alike = {known: table for known, table in wanted.items() if names == {*table.schema.sensitive_columns}}
                read |= dict(zip(alike, TableToRead.read_alike(list(alike.values())), strict=True))
        else:
            read = {known: table.read() for known, table in wanted.items()}
        self._refuse_people_of_two_cohorts()
        return [release.made([read[_identity(table)] for table in release.tables]) for release in self.releases]

    def _refuse_people_of_two_cohorts(self) -> None:
        """Refuse rows of one source that pass the conditions of two cohorts: their people would be counted twice."""
        found: dict[str, TableToRead] = {}
        for release in self.releases:
            found = dict(zip(release.cohorts, release.tables, strict=False)) | found  # sizes may have no tables
        for (name, table), (other, beside) in itertools.combinations(found.items(), 2):
            if (str(table.source), table.table) != (str(beside.source), beside.table):
                continue
            conditions = tuple(dict.fromkeys((*table.schema.conditions, *beside.schema.conditions)))
            if not conditions:
                continue
            both = replace(table, schema=replace(table.schema, where=conditions))
            try:  # with the labels of one, since those who pass both may all have one value
                TableToRead.read_alike([both, table])
            except DataError:  # nobody passes both
                continue
            raise DataError(
                f"some people are in cohort {name!r} and in {other!r} of the plan, and would be counted twice",
                remedy="let their conditions on rows exclude each other",
            )


def _identity(table: TableToRead) -> str:
    """What tells one table to be read from another: where it is, and everything that its schema says."""
    declared = list(table.harmful) if isinstance(table.harmful, tuple) else table.harmful
    parts = [str(table.source), table.table, table.count, table.schema.to_dict(), declared]
    return json.dumps(parts, sort_keys=True)


def answer(question: Question, releases: list[AnyRelease] | None = None) -> Publication:
    """The risk after every release, and what all of them cost together."""
    read = question.read() if releases is None else releases
    return assess_publication(read, question.mechanism, question.match, question.delta)


def _cohorts(given: Any) -> dict[str, dict[str, Any]]:
    """Where the people of every cohort are found: what it says instead of the plan."""
    if given is None:
        return {}
    if not isinstance(given, dict) or not given or not all(isinstance(where, dict) for where in given.values()):
        raise DataError(
            '"cohorts" of the plan must say of each cohort where its people are; for example {"old": {"source": '
            '"old.csv"}, "new": {"source": "new.csv"}}'
        )
    for name, where in given.items():
        _check(where, OF_COHORT, f"cohort {name!r} of the plan")
    return {str(name): where for name, where in given.items()}


def _check(given: Mapping[str, Any], allowed: Iterable[str], where: str) -> None:
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
        elif key == "missing" and not isinstance(value, str | dict):
            wanted = "a text, or an object by column"
        elif key == "sizes" and not isinstance(value, bool):
            wanted = "true or false"
        elif key == "max_rows" and (isinstance(value, bool) or not isinstance(value, int) or value < 1):
            wanted = "a whole number >= 1"
        if wanted:
            raise DataError(f"{key!r} of {where} must be {wanted}", got=value)


def _completed(entry: dict[str, Any], plan: Mapping[str, Any], name: str) -> dict[str, Any]:
    """A release with what holds for all releases, as far as it concerns this one; ``own`` is what it says itself."""
    shared = dict(plan)
    if "epsilon" in entry or "rho" in entry:
        shared = {key: value for key, value in shared.items() if key not in ("epsilon", "rho")}
    whole = {key: value for key, value in {**shared, **entry}.items() if value is not None}
    columns = {column for role in ("qid", "sensitive") for column in _texts(whole.get(role, ()))}
    for key in BY_COLUMN:
        if key in whole and key not in entry:
            whole[key] = _about(whole[key], columns)
    if "harmful" in whole and "harmful" not in entry:
        told = {*_texts(whole.get("sensitive", ()))}
        whole["harmful"] = [text for text in _texts(whole["harmful"]) if _declared_column(text) in told]
    return {"mechanism": "laplace", "name": name, **whole, "own": tuple(entry)}


def _declared_column(text: Any) -> str:
    """The column of ``income=>50K``."""
    return str(text).partition("=")[0].strip()


def _texts(value: str | list[Any]) -> list[Any]:
    return [value] if isinstance(value, str) else list(value)


def _about(given: Any, columns: set[Any]) -> Any:
    """What bins, a universe or structural zeros say about ``columns``; what is neither is left for the schema."""
    if isinstance(given, dict):
        return {name: value for name, value in given.items() if name in columns}
    if isinstance(given, list) and all(isinstance(rule, dict) for rule in given):
        return [rule for rule in given if set(rule) <= columns]
    return given


def _refuse_columns_of_no_release(plan: Mapping[str, Any], entries: list[dict[str, Any]]) -> None:
    """A slip of the pen outside of the list would otherwise concern no release, and nobody would notice."""
    columns = list(
        dict.fromkeys(c for entry in entries for role in ("qid", "sensitive") for c in _texts(entry.get(role, ())))
    )
    for key in BY_COLUMN:
        given = plan.get(key)
        for part in given if isinstance(given, list) else [given]:
            for name in part if isinstance(part, dict) else ():
                _refuse_unknown(key, name, columns)
    sensitive = list(dict.fromkeys(c for entry in entries for c in _texts(entry.get("sensitive", ()))))
    for text in _texts(plan.get("harmful") or []):
        _refuse_unknown("harmful", _declared_column(text), sensitive)


def _refuse_unknown(key: str, name: str, columns: list[Any]) -> None:
    if name not in columns:
        hint = did_you_mean(name, [column for column in columns if isinstance(column, str)])
        raise DataError(f"{key!r} of the plan names column {name!r}, which no release has{hint}")


def _release(entry: dict[str, Any], known: Mapping[str, dict[str, Any]], folder: Path, labels: Any) -> PlannedRelease:
    """One release of the plan; ``labels`` are some sensitive columns, which sizes need only to be read."""
    mechanism = one_of("mechanism", entry["mechanism"], MECHANISMS)
    budget, neighbours = _budget(entry, mechanism), entry.get("neighbours", "add-remove")
    calibrate(mechanism, budget, neighbours)  # refused before any data is read
    sizes, cohorts = bool(entry.get("sizes")), _counted(entry, known)
    if sizes and "parent" in entry:
        raise DataError(f"{entry['name']!r} of the plan has sizes, which are not fitted to a parent")
    tables: tuple[TableToRead, ...] = ()
    if not sizes or "qid" in entry["own"]:  # sizes are only read where they are not of cells of the release fitted
        read = {"sensitive": labels, **entry} if sizes else entry
        tables = tuple(_table(_found(read, known.get(cohort, {})), folder) for cohort in cohorts)
    return PlannedRelease(
        name=entry["name"],
        mechanism=mechanism,
        budget=budget,
        neighbours=neighbours,
        cohorts=cohorts,
        sizes=sizes,
        parent=entry.get("parent"),
        tables=tables,
        max_rows_per_unit=entry.get("max_rows", 1),
    )


def _counted(entry: Mapping[str, Any], known: Mapping[str, dict[str, Any]]) -> tuple[str, ...]:
    """The cohorts that a release counts."""
    cohorts = tuple(_texts(entry["cohort"])) if "cohort" in entry else tuple(known) or ("",)
    name = entry["name"]
    if not cohorts or not all(isinstance(cohort, str) for cohort in cohorts) or len(set(cohorts)) < len(cohorts):
        raise DataError(f"'cohort' of {name!r} of the plan must name one cohort or several different ones")
    if len(cohorts) > 1 or known:
        for cohort in cohorts:
            if cohort not in known:
                hint = did_you_mean(cohort, known)
                raise DataError(f'{name!r} counts cohort {cohort!r}, which "cohorts" of the plan does not have{hint}')
    for key in OF_COHORT[:3]:
        if len(cohorts) > 1 and key in entry["own"]:
            raise DataError(f'{name!r} counts several cohorts, each with a {key!r} of its own: say it in "cohorts"')
    return cohorts


def _found(entry: dict[str, Any], where: Mapping[str, Any]) -> dict[str, Any]:
    """A release with what its cohort says, unless it says something itself; all filters hold."""
    whole = {**entry, **{key: value for key, value in where.items() if key not in entry["own"]}}
    if where.get("where"):
        whole["where"] = [*_texts(entry.get("where", [])), *_texts(where["where"])]
    return whole


def _table(entry: dict[str, Any], folder: Path) -> TableToRead:
    for key in ("source", "qid", "sensitive"):
        if not entry.get(key):
            raise DataError(f"{entry['name']!r} of the plan lacks {key!r}")
    bins = entry.get("bins") or {}
    schema = Schema(
        entry["qid"],
        entry["sensitive"],
        bins={name: rule_from_plain(name, rule) for name, rule in bins.items()} if isinstance(bins, dict) else bins,
        universe=entry.get("universe") or None,
        structural_zeros=entry.get("structural_zeros") or None,
        missing=entry.get("missing", "level"),
        missing_values=entry.get("missing_values", ()),
        where=entry.get("where", ()),
        copies=entry.get("copies") or {},
        unit=entry.get("unit"),
        max_rows_per_unit=entry.get("max_rows", 1),
    )
    source = entry["source"]
    place = source if "://" in source else str(folder / source)
    harmful = tuple(map(str, _texts(entry.get("harmful", ()))))
    return TableToRead(place, schema, entry.get("table"), entry.get("count"), harmful)


def _budget(entry: dict[str, Any], mechanism: str) -> Budget:
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
