"""Reading moments: one scan of the source in its engine clamps, grids, groups and sums.

Missing values are refused unless it was declared what becomes of them; they are never dropped silently. Errors name
columns and counts, never values.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, Literal, TypeAlias

from epsilens.checks import did_you_mean, finite
from epsilens.errors import DataError, ParameterError, counted
from epsilens.table.bins import BinRule, BinSpec, bin_rule
from epsilens.table.conditions import Condition, Where, conditions
from epsilens.table.domain import MISSING, level_text
from epsilens.table.moments import MIDDLE, STEPS, GroupSums, Moments, MomentsQuery, Variable
from epsilens.table.reading import levels as column_levels
from epsilens.table.reading.filters import columns_to_find, selected
from epsilens.table.reading.misfits import MISSING_VALUE, NOBODYS, UNREAD, LeftOut, Misfits, told
from epsilens.table.reading.misfits import UNDECLARED as NOT_DECLARED
from epsilens.table.reading.people import bounded, fixed_rules
from epsilens.table.reading.problems import refuse_absent_units, refuse_unread_bins
from epsilens.table.reading.scratch import staged
from epsilens.table.reading.source import Source
from epsilens.table.reading.sources import opened_source

UNDECLARED = "(undeclared)"
"""The group of records whose group was not declared. A declared group of that name keeps its records apart by key."""

RULES = ("refuse", "exclude")
"""What may become of missing values where no public value takes their place."""

Missing: TypeAlias = Literal["refuse", "exclude"] | Mapping[str, object]
"""Refuse missing values, leave out records that have one, or put a public value in their place.

All columns alike, or column by column: ``{"bmi": "exclude", "sex": "refuse", "age": 40}``."""


def read_moments(
    source: Any,
    query: MomentsQuery,
    *,
    table: str | None = None,
    unit: str | None = None,
    max_rows_per_unit: int = 1,
    missing: Missing = "refuse",
    missing_values: Sequence[str] = (),
    row_salt: str | None = None,
    bins: Mapping[str, BinSpec] | None = None,
    misfits: Misfits = "refuse",
    where: Where = (),
) -> Moments:
    """The moments of the people in ``source``: anything that :func:`epsilens.read_table` reads.

    With ``unit``, the column that names a person, at most ``max_rows_per_unit`` rows of each are used, kept at random:
    by ``row_salt``, a secret that gives the same rows again, and by default a fresh one. ``missing`` is
    ``"refuse"``, ``"exclude"`` (records with a missing value are left out of everything) or, for each column that may
    have gaps, one of these words or a public value. ``missing_values`` are texts that mean missing. ``bins`` turn
    numbers into the levels that are counted or grouped by, as in a :class:`~epsilens.table.schema.Schema`.

    ``misfits`` says what becomes of records with values that are missing (and have no public value in their place),
    cannot be read or were not declared. With ``"leave-out"`` and ``"neutral"`` nothing that records hold is refused.
    ``where`` are conditions on rows (:mod:`epsilens.table.conditions`), any columns': only those that pass are read.
    """
    chosen = conditions(where)
    rules = bin_rules(bins or {}, query)
    in_place = replacements(missing, query, rules)
    columns = query.columns
    if unit is not None and unit in columns:
        raise ParameterError(f"the `unit` {unit!r} names people, so it cannot be summed as well")
    salt = (row_salt or secrets.token_hex(16)) if unit is not None else None
    texts = tuple(missing_values)
    exclude = excluded_by(missing, columns)
    if misfits == "leave-out":
        exclude = tuple(name for name in columns if name not in in_place)
    scan = _Scan(query, unit, max_rows_per_unit, exclude, in_place, texts, salt, rules, misfits)
    wanted = columns_to_find([*columns, *([unit] if unit else [])], chosen)
    with opened_source(source, wanted, table, may_be_empty=misfits != "refuse") as opened:
        every, rows = opened.read_by(lambda readable: scan.fetched(readable, chosen))
    found = {name: sum(int(row[name] or 0) for row in rows) for name in (rows[0] if rows else {}) if name[0] != "g"}
    if misfits == "refuse":
        if not found.get("rows"):
            nobody = "has no records that pass `where`" if chosen and every else "has no records"
            raise DataError(f"{opened.place} {nobody}")
        scan.refuse(found)
        if not found["n"]:
            raise DataError(f"every record of {opened.place} has a missing value; nothing is left to publish")
    moments = scan.moments(found, rows)
    if not chosen:
        return moments
    left_out = replace(moments.left_out, read=every, not_selected=every - moments.left_out.read)
    return replace(moments, left_out=left_out)


@dataclass(frozen=True)
class _Scan:
    """One call of :func:`read_moments`."""

    query: MomentsQuery
    unit: str | None
    max_rows: int
    exclude: tuple[str, ...]
    """Columns without which a record is left out."""
    replacements: Mapping[str, tuple[str, float | None]]
    missing_values: tuple[str, ...]
    row_salt: str | None
    bins: Mapping[str, BinRule]
    misfits: Misfits = "refuse"

    @property
    def _lenient(self) -> bool:
        return self.misfits != "refuse"

    def fetched(self, every: Source, where: Sequence[Condition]) -> tuple[int, list[dict[str, Any]]]:
        """How many rows there are, where some are selected, and the sums of the groups of these."""
        rows = int(every.relation.count().to_pyarrow().as_py()) if where else 0
        return rows, self._fetched(selected(every, where, self.missing_values))

    def _fetched(self, source: Source) -> list[dict[str, Any]]:
        values, first = staged(self._values(source))
        records, second = staged(self._records(values, fixed_rules(source, self.bins, self.missing_values)))
        found: list[dict[str, Any]] = self._sums(records).to_pyarrow().to_pylist()
        for view in (second, first):
            if view is not None:
                view.drop()
        return found

    def _values(self, source: Source) -> Any:
        """Of every column in use: whether the value is missing, its number if it is a variable, its text if needed."""
        numeric = {v.column for v in self.query.all_variables}
        columns = {}
        for i, name in enumerate(self.query.columns):
            column = source.column(name)
            text = column_levels.as_text(column, self.missing_values)
            # Writing numbers as texts only to see that they are there would take most of the time of the whole scan.
            plain = column.type().is_numeric() and not self.missing_values
            columns[f"gap{i}"] = column.cast("float64").nullif(float("nan")).isnull() if plain else text.isnull()
            if name in numeric or name in self.bins:
                columns[f"x{i}"] = column_levels.as_number(column, self.missing_values)
            if self.unit is not None or name in self.query.levels or name in self.query.groups:
                columns[f"t{i}"] = text
        if self.unit is not None:
            columns["unit"] = column_levels.as_text(source.column(self.unit), self.missing_values)
        return source.relation.select(**columns)

    def _records(self, values: Any, rules: Mapping[str, BinRule]) -> Any:
        """Per record: whole numbers on the grid, groups, levels, what is wrong, and whether the record is used."""
        import ibis

        place = {name: i for i, name in enumerate(self.query.columns)}
        columns: dict[str, Any] = {}
        for name, i in place.items():
            columns[f"missing{i}"] = values[f"gap{i}"]
            if name not in self.query.levels and name not in self.query.groups:
                continue
            filled = values[f"t{i}"]
            if name in self.replacements:
                filled = filled.fill_null(self.replacements[name][0])
            if name in rules:
                number, gap = values[f"x{i}"], values[f"gap{i}"]
                if name in self.replacements:
                    number = gap.ifelse(float(self.replacements[name][1] or 0.0), number)
                filled = column_levels.level_of(filled, number, rules[name]).nullif(MISSING)
                unread = (filled == column_levels.NOT_A_NUMBER).fill_null(False)
                columns[f"unread{i}"] = unread if self._lenient else ~gap & values[f"x{i}"].isnull()
            if name in self.query.levels:
                columns[f"level{i}"] = filled
            if name in self.query.groups:
                declared = filled.isin(list(self.query.groups[name])).fill_null(False)
                columns[f"declared{i}"] = declared
                columns[f"group{i}"] = declared.ifelse(filled, UNDECLARED)
            if self._lenient and (known := self._declared_levels(name)) is not None:
                strange = filled.notin(known).fill_null(False)
                columns[f"strange{i}"] = strange & ~columns[f"unread{i}"] if name in rules else strange
        for j, variable in enumerate(self.query.all_variables):
            i = place[variable.column]
            number, gap = values[f"x{i}"], values[f"gap{i}"]
            unread = ~gap & number.isnull()
            columns[f"unread{i}"] = unread | columns[f"unread{i}"] if f"unread{i}" in columns else unread
            if variable.column in self.replacements:
                number = gap.ifelse(float(self.replacements[variable.column][1] or 0.0), number)
            columns[f"outside{j}"] = ((number < variable.lower) | (number > variable.upper)).fill_null(False)
            gridded = _gridded(number, variable)
            columns[f"c{j}"] = number.isnull().ifelse(0, gridded) if self._lenient else gridded
        used = ~reduce(lambda a, b: a | b, self._unfit(columns, place), ibis.literal(False))
        if self.row_salt is None:
            return values.select(**columns, complete=used, used=used)
        # Records left out must not take the place of others among a person's rows: they are ranked apart.
        texts = {f"ranked{i}": values[f"t{i}"].fill_null("") for i in place.values()}
        whose = values.mutate(**columns, complete=used, person=used.ifelse("+", "-") + values.unit, **texts)
        whose = bounded(whose, "person", list(texts), self.row_salt, self.max_rows)
        absent = whose.unit.isnull()
        kept = {"complete": whose.complete & ~absent, "used": whose.complete & whose.kept & ~absent}
        crowded = whose.complete & ~absent & (whose.row_rank == self.max_rows)
        return whose.select(*columns, **kept, absent=absent, crowded=crowded)

    def _declared_levels(self, name: str) -> list[str] | None:
        """The levels outside which a record does not fit; nothing where any level will do."""
        known = [
            found
            for found, all_of_them in ((self.query.groups, True), (self.query.levels, name in self.query.complete))
            if all_of_them and name in found
        ]
        if not known:
            return None
        return [level for level in known[0][name] if all(level in found[name] for found in known)]

    def _unfit(self, columns: Mapping[str, Any], place: Mapping[str, int]) -> list[Any]:
        """Why a record is not used."""
        gaps = [columns[f"missing{place[name]}"] for name in self.exclude]
        if self.misfits != "leave-out":
            return gaps
        return gaps + [columns[name] for name in columns if name.startswith(("unread", "strange"))]

    def _sums(self, records: Any) -> Any:
        """The one aggregation."""
        sums = {"rows": records.count(), "n": records.used.sum(), "excluded": (~records.complete).sum()}
        for name in records.columns:
            if name.startswith(("missing", "unread", "strange", "absent", "crowded")):
                sums[name] = records[name].sum()
            elif name.startswith("outside"):
                sums[name] = (records[name] & records.used).sum()
        place = {name: i for i, name in enumerate(self.query.columns)}
        for column, wanted in self.query.levels.items():
            for r, level in enumerate(wanted):
                same = (records[f"level{place[column]}"] == level).fill_null(False)
                sums[f"count{place[column]}_{r}"] = (same & records.used).sum()
        index = {variable: j for j, variable in enumerate(self.query.all_variables)}
        used = records.used if self.exclude or self.unit is not None else None
        for j in index.values():
            sums[f"sum{j}"] = _whole(records[f"c{j}"]).sum(where=used)
        for first, second in self.query.pairs:
            product = records[f"c{index[first]}"] * records[f"c{index[second]}"]
            sums[f"product{index[first]}_{index[second]}"] = _whole(product).sum(where=used)
        keys = [f"{kind}{place[name]}" for name in self.query.groups for kind in ("group", "declared")]
        return records.group_by(keys).aggregate(**sums) if keys else records.aggregate(**sums)

    def refuse(self, found: Mapping[str, int]) -> None:
        """Refuse what a release must not paper over, with counts and without values."""
        rows = found["rows"]
        refuse_absent_units(found, self.unit)
        for i, name in enumerate(self.query.columns):
            if unread := found.get(f"unread{i}"):
                if name in self.bins:
                    refuse_unread_bins(name, unread, rows)
                raise DataError(
                    f"column {name!r} must hold numbers; {unread} of {rows} values are not finite numbers",
                    remedy="correct them, or declare texts that mean missing in `missing_values`",
                )
            if (gaps := found[f"missing{i}"]) and name not in (*self.exclude, *self.replacements):
                raise DataError(
                    f"column {name!r} is missing in {gaps} of {counted(rows, 'row')}",
                    remedy="declare a public value to take their place (`missing`), or leave such records out "
                    "(`missing=exclude`, under add-remove)",
                )

    def moments(self, found: Mapping[str, int], rows: Sequence[Mapping[str, Any]]) -> Moments:
        """The fetched sums by their names."""
        place = {name: i for i, name in enumerate(self.query.columns)}
        index = {variable: j for j, variable in enumerate(self.query.all_variables)}
        groups = tuple(
            GroupSums(
                {
                    name: row[f"group{place[name]}"]
                    for name in self.query.groups
                    if row[f"declared{place[name]}"]  # a record outside the declared groups has no level
                },
                int(row["n"] or 0),
                {v: int(row[f"sum{j}"] or 0) for v, j in index.items()},
                {(a, b): int(row[f"product{index[a]}_{index[b]}"] or 0) for a, b in self.query.pairs},
            )
            for row in rows
            if row["n"]  # a group all of whose records were left out has no mean
        )
        counts = {
            (column, level): found.get(f"count{place[column]}_{r}", 0)
            for column, wanted in self.query.levels.items()
            for r, level in enumerate(wanted)
        }
        missing = {name: found.get(f"missing{i}", 0) for name, i in place.items()}
        outside = {v: found.get(f"outside{j}", 0) for v, j in index.items()}
        sizes = found.get("rows", 0), found.get("excluded", 0), found.get("n", 0)
        left_out = self._left_out(found)
        return Moments(self.query, *sizes, missing, outside, counts, groups, self.row_salt, left_out=left_out)

    def _left_out(self, found: Mapping[str, int]) -> LeftOut:
        """The records that do not fit, and why. Where nothing is left out, they count as records all the same."""
        broken: dict[tuple[str | None, str], int] = {}
        for i, name in enumerate(self.query.columns):
            if name not in self.replacements:
                broken[name, MISSING_VALUE] = found.get(f"missing{i}", 0)
            broken[name, UNREAD] = found.get(f"unread{i}", 0)
            broken[name, NOT_DECLARED] = found.get(f"strange{i}", 0)
        if self.unit is not None:
            broken[self.unit, NOBODYS] = found.get("absent", 0)
        misfits = told(tuple(broken), tuple(broken.values()))
        return LeftOut(found.get("rows", 0), found.get("excluded", 0), misfits, found.get("crowded", 0))


def _gridded(number: Any, variable: Variable) -> Any:
    """The whole number c of a clamped value: floor((x - l) 2^31 / (u - l) + 1/2) - 2^30.

    Engines pass over nulls in GREATEST, so a value that is not there becomes a bound; such records are refused, or not
    used. In doubles the quotient is at most 2^31 and a few units of the last place, so its floor needs no lid; it has
    one all the same, because the sensitivity rests on c lying within -+2^30 whatever an engine computes.
    """
    import ibis

    clamped = ibis.least(ibis.greatest(number, variable.lower), variable.upper)
    steps = (clamped - variable.lower) * (STEPS / (variable.upper - variable.lower)) + 0.5
    return ibis.least(ibis.greatest(steps, 0.0), float(STEPS)).floor().cast("int64") - MIDDLE


def _whole(number: Any) -> Any:
    """Whole numbers that do not overflow when they are summed, in any engine."""
    return number.cast("decimal(38, 0)")


def excluded_by(missing: Missing, columns: Sequence[str]) -> tuple[str, ...]:
    """The columns that a record must have a value in, or else it is left out."""
    if isinstance(missing, Mapping):
        return tuple(name for name in columns if missing.get(name) == "exclude")
    return tuple(columns) if missing == "exclude" else ()


def replacements(
    missing: Missing, query: MomentsQuery, rules: Mapping[str, BinRule]
) -> dict[str, tuple[str, float | None]]:
    """The text and, for numeric columns, the number that stand in for a missing value."""
    if isinstance(missing, str) and missing in RULES:
        return {}
    if not isinstance(missing, Mapping):
        raise ParameterError(
            f"must be 'refuse', 'exclude' or a value for each column, got {missing!r}"
            f"{did_you_mean(str(missing), RULES)}",
            parameter="missing",
        )
    found: dict[str, tuple[str, float | None]] = {}
    refuse_unused(missing, query)
    for name, value in missing.items():
        if isinstance(value, str) and value in RULES:
            continue
        number: Any = value
        bounds = [v for v in query.all_variables if v.column == name]
        if bounds or name in rules:
            number = finite(f"the value in place of a missing {name!r}", number)
            if any(not v.lower <= number <= v.upper for v in bounds):
                raise ParameterError(f"the value in place of a missing {name!r} must lie within the column's bounds")
        found[name] = (level_text(value), number if bounds or name in rules else None)
    return found


def refuse_unused(missing: Mapping[str, object], query: MomentsQuery) -> None:
    """Refuse values in the place of missing ones in columns that nobody reads."""
    for name in missing:
        if name not in query.columns:
            raise ParameterError(
                f"names column {name!r}, which no statistic uses{did_you_mean(str(name), query.columns)}",
                parameter="missing",
            )


def bin_rules(bins: Mapping[str, BinSpec], query: MomentsQuery) -> dict[str, BinRule]:
    """The bin rules, each of a column whose levels are counted or grouped by."""
    by_level = (*query.levels, *query.groups)
    for name in bins:
        if name not in by_level:
            raise ParameterError(
                f"names column {name!r}, whose levels no statistic uses{did_you_mean(str(name), by_level)}",
                parameter="bins",
            )
    return {name: bin_rule(name, spec) for name, spec in bins.items()}
