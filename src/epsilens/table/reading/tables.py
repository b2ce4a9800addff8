"""Reading a table: one scan groups the records by cell and label, a second, over that result, makes the count vectors.

On DuckDB both results are kept as temporary tables. Other engines may be read-only, so there they remain
expressions, and what was fetched is kept in Python.
"""

from __future__ import annotations

import itertools
import math
import secrets
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from epsilens.errors import DataError, EpsilensWarning, ParameterError
from epsilens.table.bins import BinRule, Quantiles
from epsilens.table.frequency import STRUCTURAL_ZERO, FrequencyTable
from epsilens.table.reading import levels
from epsilens.table.reading.sources import Source, opened_source, reading
from epsilens.table.reading.store import EngineStore, Scratch, materialised, staged
from epsilens.table.reading.vectors import count_vectors
from epsilens.table.schema import MISSING, Schema

MAX_LABELS = 5_000
MANY_FRACTIONS, MANY_NUMBERS = 20, 100


def read_table(
    source: Any, schema: Schema, table: str | None = None, count: str | None = None, row_salt: str | None = None
) -> FrequencyTable:
    """The frequency table of the people in ``source``.

    ``source`` is a path (CSV or Parquet, also gzipped CSV and patterns), a pandas, Polars or Arrow frame, an Ibis
    table, or a database URL together with ``table``. ``count`` names the count column of a ready-made count table,
    whose rows with the same cell and label add up. Cells and labels come in the order of their code points; only cells
    with people in them are cells.

    Of a person (``schema.unit``) with more rows than the bound, rows are kept at random: by ``row_salt``, a secret that
    gives the same rows again, and by default a fresh one. The table carries it.
    """
    if count is not None and schema.unit is not None:
        raise ParameterError("a count table (count=) has no rows of single people, so it cannot have a unit")
    wanted = [*schema.columns, *([schema.unit] if schema.unit else []), *([count] if count else [])]
    salt = (row_salt or secrets.token_hex(16)) if schema.unit else None
    with opened_source(source, wanted, table, optional=[f"{count}_1"] if count else []) as opened:
        return _Reading(opened, schema, _count_column(opened, schema, count), salt).table()


def _count_column(source: Source, schema: Schema, count: str | None) -> str | None:
    """The count column; where its name repeats a column that has a role, the repeated one."""
    if count is None or count not in schema.columns:
        return count
    if f"{count}_1" in source.columns:
        return f"{count}_1"
    raise DataError(f"column {count!r} cannot hold the counts and be a quasi-identifier or sensitive as well")


@dataclass(frozen=True)
class _Reading:
    """One call of :func:`read_table`: the steps share the source, the schema and the count column."""

    source: Source
    schema: Schema
    count: str | None
    row_salt: str | None = field(repr=False)

    def table(self) -> FrequencyTable:
        """The frequency table, after every check."""
        grouped, groups = self.source.read_by(self._grouped)
        with reading(self.source.place):
            facts = _one_row(self._facts(grouped))
        self._refuse(facts)
        self._warn(facts, grouped)
        with reading(self.source.place):
            # Without counts and bounds nobody is left out of a group.
            peopled = grouped.filter(grouped.people > 0) if self.count or self.schema.unit else grouped
            values = self._label_values(peopled)
            labels = _label_texts(values)
            order = sorted(range(len(labels)), key=labels.__getitem__)
            values, labels = [values[k] for k in order], [labels[k] for k in order]
            if len(labels) < 2:
                raise DataError(
                    f"the sensitive attribute {' x '.join(self.schema.sensitive_columns)!r} has a single value; "
                    "there is nothing to protect"
                )
            vectors, scratch = self._vectors(peopled, values)
        if groups is not None:
            groups.drop()
        qids = self.schema.qid_columns
        store = EngineStore(
            vectors,
            {name: f"q{i}" for i, name in enumerate(qids)},
            tuple(f"c{k}" for k in range(len(labels))),
            scratch,
        )
        return FrequencyTable(
            tuple(labels),
            store,
            qids,
            self.schema.sensitive_columns,
            tuple(values),
            self.schema.max_rows_per_unit if self.schema.unit else 1,
            int(facts["rows"] - facts["people"]) if self.schema.unit else 0,
            self.schema,
            self.row_salt,
        )

    # -- the first GROUP BY -------------------------------------------------------------------------------------------

    def _grouped(self, source: Source) -> tuple[Any, Scratch | None]:
        """People by quasi-identifiers ``q<i>`` and sensitive values ``s<j>``, from one scan of the source."""
        values, view = self._values(source), None
        if self.schema.bins or self.count is not None:  # otherwise every value is used only once
            values, view = staged(values)
        result = materialised(self._grouping(source, values))
        if view is not None:
            view.drop()
        return result

    def _values(self, source: Source) -> Any:
        """The texts of all columns in use, and the numbers of those that are binned or hold counts."""
        missing = self.schema.missing_values
        columns = {}
        for internal, name in self._internal().items():
            columns[f"{internal}_text"] = levels.as_text(source.column(name), missing)
            if name in self.schema.bins:
                columns[f"{internal}_number"] = levels.as_number(source.column(name), missing)
        if self.schema.unit:
            columns["unit"] = levels.as_text(source.column(self.schema.unit), missing)
        if self.count is not None:
            columns["count_text"] = levels.as_text(source.column(self.count))
            columns["count_number"] = levels.as_number(source.column(self.count))
        return source.relation.select(**columns)

    def _grouping(self, source: Source, values: Any) -> Any:
        rules = {name: self._rule(source, name, rule) for name, rule in self.schema.bin_rules.items()}
        keys = {
            internal: levels.level_of(
                values[f"{internal}_text"], values[f"{internal}_number"] if name in rules else None, rules.get(name)
            )
            for internal, name in self._internal().items()
        }
        columns, sums = dict(keys), {}
        if self.count is not None:
            columns["weight"], problems = levels.counts_of(values.count_text, values.count_number)
            sums = {f"bad{i}": flag for i, flag in enumerate(problems.values())}
        elif self.schema.unit:
            columns["unit"] = values.unit
            sums["absent"] = values.unit.isnull()
        rows = values.select(**columns, **sums)
        if self.row_salt is not None:
            rows = levels.row_rank(rows, "unit", list(keys), self.row_salt)
            rows = rows.mutate(weight=(rows.row_rank < self.schema.max_rows_per_unit).ifelse(1, 0))
        people = rows.weight.sum() if "weight" in rows.columns else rows.count()
        totals = {name: rows[name].sum() for name in sums}
        return rows.group_by(list(keys)).aggregate(people=people, rows=rows.count(), **totals)

    def _internal(self) -> dict[str, str]:
        """Internal column names, safe in every engine, and the columns they stand for."""
        qids = {f"q{i}": name for i, name in enumerate(self.schema.qid_columns)}
        return qids | {f"s{j}": name for j, name in enumerate(self.schema.sensitive_columns)}

    def _rule(self, source: Source, name: str, rule: BinRule) -> BinRule:
        """The rule itself, or for quantiles the edges found in the data."""
        import ibis

        if not isinstance(rule, Quantiles):
            return rule
        number = levels.as_number(source.column(name), self.schema.missing_values)
        weight = ibis.literal(1)
        if self.count is not None:
            weight, _ = levels.counted(source.column(self.count))
        edges = levels.quantile_edges(number, weight, source.relation, rule)
        if edges is None:
            raise DataError(f"column {name!r} has no numbers, so it has no quantile bins")
        return edges

    # -- the checks, one query over the groups ------------------------------------------------------------------------

    def _facts(self, grouped: Any) -> Any:
        """One row with every number the checks need."""
        rules, universe = self.schema.bin_rules, self.schema.universe_levels
        facts = {"rows": grouped.rows.sum(), "people": grouped.people.sum()}
        for internal, name in self._internal().items():
            value = grouped[internal]
            if self.schema.missing == "refuse" or name in universe:
                facts[f"{internal}_missing"] = grouped.rows.sum(where=value == MISSING)
            if name in rules:
                facts[f"{internal}_unread"] = grouped.rows.sum(where=value == levels.NOT_A_NUMBER)
            elif internal in self._whole_numbers():
                facts[f"{internal}_levels"] = value.nunique(where=value != MISSING)
            elif internal.startswith("q"):
                facts[f"{internal}_first_character"] = value.ascii_str().max()
            if name in universe:
                undeclared = value.notin(universe[name])
                facts[f"{internal}_strange_values"] = value.nunique(where=undeclared)
                facts[f"{internal}_strange_rows"] = grouped.rows.sum(where=undeclared)
        for i, rule in enumerate(self.schema.impossible):
            facts[f"impossible{i}"] = grouped.people.sum(where=self._matches(grouped, rule))
        for name in grouped.columns:
            if name.startswith("bad") or name == "absent":
                facts[name] = grouped[name].sum()
        return grouped.aggregate(**facts)

    def _refuse(self, facts: dict[str, int]) -> None:
        place = self.source.place
        if facts["rows"] == 0:
            raise DataError(f"{place} has no records")
        kinds = ("missing", "not numbers", "negative", "fractional", "above 2**53")
        if bad := [f"{facts[f'bad{i}']} are {kind}" for i, kind in enumerate(kinds) if facts.get(f"bad{i}")]:
            raise DataError(
                f"counts in column {self.count!r} must be whole numbers >= 0; of {facts['rows']} rows {', '.join(bad)}"
            )
        if facts.get("absent"):
            raise DataError(
                f"{facts['absent']} of {facts['rows']} rows have no value in the unit column {self.schema.unit!r}; "
                "without it nobody can tell whose rows they are"
            )
        for internal, name in self._internal().items():
            if self.schema.missing == "refuse" and (gaps := facts[f"{internal}_missing"]):
                raise DataError(f"column {name!r} is missing in {gaps} rows; fill them, or use missing='level'")
            if unread := facts.get(f"{internal}_unread"):
                raise DataError(
                    f"column {name!r} has bins, but {unread} of {facts['rows']} values are not numbers in range; "
                    "drop its bins, or declare texts that mean missing in missing_values"
                )
            if rows := facts.get(f"{internal}_strange_rows"):
                raise DataError(
                    f"column {name!r} has {facts[f'{internal}_strange_values']} values in {rows} rows that its "
                    f"universe does not declare{_missing_hint(facts[f'{internal}_missing'])}"
                )
        for i in range(len(self.schema.impossible)):
            if people := facts[f"impossible{i}"]:
                raise DataError(
                    f"structural zero {i + 1} has {people} people in it; correct the data or the declaration"
                )
        if facts["people"] == 0:
            raise DataError(f"all counts in {place} are zero; there is nobody to protect")

    def _warn(self, facts: dict[str, int], grouped: Any) -> None:
        """Quasi-identifiers that look like measurements: every person would be a cell of their own."""
        many = {key: facts[f"{key}_levels"] > MANY_NUMBERS for key in self._whole_numbers()}
        distinct = {key: facts[f"{key}_levels"] for key in many}
        # Texts that start with a letter are no numbers. Only at the others a closer look, because for every column it
        # would cost as much as the scan.
        suspects = [key for key in self._internal() if facts.get(f"{key}_first_character", math.inf) <= ord("9")]
        if suspects:
            with reading(self.source.place):
                closely = _one_row(grouped.aggregate(**_close_look(grouped, suspects)))
            for key in suspects:
                distinct[key] = closely[f"{key}_levels"]
                limit = MANY_FRACTIONS if closely[f"{key}_fractions"] else MANY_NUMBERS
                many[key] = distinct[key] > limit and not closely[f"{key}_words"]
        for key, name in self._internal().items():
            if many.get(key):
                warnings.warn(
                    f"quasi-identifier {name!r} is numeric with {distinct[key]} distinct values and no bins, so cells "
                    f"get very small; consider bins={{{name!r}: ...}}",
                    EpsilensWarning,
                    stacklevel=4,  # _warn, table, read_table, the caller
                )

    def _whole_numbers(self) -> list[str]:
        """The quasi-identifiers without bins that the source itself holds as whole numbers."""
        return [
            key
            for key, name in self._internal().items()
            if key.startswith("q") and name not in self.schema.bins and self.source.column(name).type().is_integer()
        ]

    # -- labels and vectors -------------------------------------------------------------------------------------------

    def _label_values(self, peopled: Any) -> list[tuple[str, ...]]:
        """The values of each label: the observed combinations, and the declared values with everything else."""
        keys = [f"s{j}" for j in range(len(self.schema.sensitive_columns))]
        observed = peopled.select(keys).distinct().limit(MAX_LABELS + 1).to_pyarrow()
        rows = {tuple(row[key] for key in keys) for row in observed.to_pylist()}
        universe = self.schema.universe_levels
        if any(name in universe for name in self.schema.sensitive_columns):
            seen = [{row[j] for row in rows} for j in range(len(keys))]
            sides = [universe.get(name, seen[j]) for j, name in enumerate(self.schema.sensitive_columns)]
            rows |= set(itertools.islice(itertools.product(*sides), MAX_LABELS + 1))
        if len(rows) > MAX_LABELS:
            raise DataError(
                f"the sensitive attribute {' x '.join(self.schema.sensitive_columns)!r} has more than {MAX_LABELS} "
                "values; a label must be shared by people to be counted: bin a numeric attribute, merge rare values, "
                "or use fewer attributes"
            )
        return list(rows)

    def _vectors(self, peopled: Any, values: Sequence[tuple[str, ...]]) -> tuple[Any, Scratch | None]:
        """Cells ``q<i>`` with the count of each label ``c<k>``, structural zeros marked."""
        wide, scratch = count_vectors(peopled, len(self.schema.qid_columns), values)
        marked = self._structural_zeros(wide, values)
        return materialised(wide.mutate(**marked)) if marked else (wide, scratch)

    def _structural_zeros(self, wide: Any, values: Sequence[tuple[str, ...]]) -> dict[str, Any]:
        """The count columns that some rule touches, with :data:`STRUCTURAL_ZERO` in the cells it names."""
        import ibis

        marked: dict[str, Any] = {}
        sensitive = self.schema.sensitive_columns
        for rule in self.schema.impossible:
            wanted = {j: rule[name] for j, name in enumerate(sensitive) if name in rule}
            if not wanted:
                continue
            known = {name: found for name, found in rule.items() if name not in sensitive}
            cells = self._matches(wide, known) if known else ibis.literal(True)
            for k, parts in enumerate(values):
                if all(parts[j] in allowed for j, allowed in wanted.items()):
                    before = marked.get(f"c{k}", wide[f"c{k}"])
                    marked[f"c{k}"] = cells.ifelse(ibis.literal(STRUCTURAL_ZERO, "int64"), before)
        return marked

    def _matches(self, relation: Any, rule: dict[str, tuple[str, ...]]) -> Any:
        """Whether a row of ``relation`` has, in every column of the rule, one of its levels."""
        internal = {name: key for key, name in self._internal().items()}
        conditions = [relation[internal[name]].isin(list(allowed)) for name, allowed in rule.items()]
        matches = conditions[0]
        for condition in conditions[1:]:
            matches &= condition
        return matches


def _close_look(grouped: Any, keys: Sequence[str]) -> dict[str, Any]:
    """Per column: its levels, and how many groups are no written numbers, or no whole ones."""
    found = {}
    for key in keys:
        value, stated = grouped[key], grouped[key] != MISSING
        found[f"{key}_levels"] = value.nunique(where=stated)
        found[f"{key}_words"] = (stated & ~value.re_search(levels.WRITTEN_NUMBER)).sum()
        found[f"{key}_fractions"] = (stated & ~value.re_search(levels.WRITTEN_WHOLE_NUMBER)).sum()
    return found


def _label_texts(values: Sequence[tuple[str, ...]]) -> list[str]:
    """One text per label, ``a | b`` for joint values; quoted where values that contain the bar would collide."""
    texts = [" | ".join(parts) for parts in values]
    return texts if len(set(texts)) == len(texts) else [" | ".join(map(repr, parts)) for parts in values]


def _missing_hint(missing: int) -> str:
    return f"; {missing} rows are missing: declare {MISSING!r} as well to keep them" if missing else ""


def _one_row(expression: Any) -> dict[str, int]:
    """The single row of an aggregate; an empty sum is 0."""
    row = expression.to_pyarrow().to_pylist()[0]
    return {name: int(value or 0) for name, value in row.items()}
