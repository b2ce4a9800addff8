"""The one GROUP BY over people: their records by the levels of the columns of a schema, from one scan of the source.

Whoever counts people starts here: frequency tables, long cells, hierarchies. So bins, missing values, count columns and
the bound on a person's rows are the same for all of them, and so are the levels, letter by letter. Moments sum numbers
rather than count rows; they take bins and the bound on rows from here too.

Rows are grouped as they are (``scans.py``, ``keys.py``); levels are made of groups, or of each column's distinct keys
(``groups.py``). On DuckDB the groups are kept as a temporary table. Other engines may be read-only, so there they
remain an expression.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from epsilens.errors import DataError, ParameterError
from epsilens.table.bins import BinRule, Quantiles
from epsilens.table.reading import levels
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.filters import columns_to_find, selected
from epsilens.table.reading.grouped import Cells, Groups
from epsilens.table.reading.groups import groups_of
from epsilens.table.reading.keys import keys_of
from epsilens.table.reading.misfits import (
    NO_COUNT,
    NOBODYS,
    NOTHING_LEFT_OUT,
    TOO_LARGE,
    LeftOut,
    Misfit,
    Misfits,
    broken_rules,
    fitting,
    told,
)
from epsilens.table.reading.problems import NAMES_OF_COUNTS, Checks, one_row, refuse_nobody_selected
from epsilens.table.reading.scans import Scan
from epsilens.table.reading.source import Source
from epsilens.table.reading.sources import opened_source
from epsilens.table.reading.weights import check_weight_column, refuse_odd_weights
from epsilens.table.schema import Schema, checked_schema


@dataclass(frozen=True, eq=False)
class People:
    """People by level: a ``relation`` with ``q<i>`` per quasi-identifier, ``s<j>`` per sensitive column, ``people``.

    Groups without people are in it: rows of a count column that is 0, rows beyond the bound on a person's.
    ``dropped_rows`` are the latter. ``scratch`` keeps the temporary tables alive, if any.
    """

    schema: Schema
    place: str
    dropped_rows: int
    may_be_empty: bool
    """Whether there may be groups without people."""
    row_salt: str | None = field(repr=False)
    scratch: Groups | None
    """The groups that the relation is made of, which may have raw keys instead of levels."""
    left_out: LeftOut = NOTHING_LEFT_OUT
    """Rows that were not selected, and those that do not fit the schema where they are left out and not refused."""
    weighted: bool = False
    """Whether the relation has ``weights``, the sum of the survey weights of the people of a group."""

    levelled: Any = None
    """The relation, where it is not that of all groups, so that there is no other form of it by raw key."""

    @cached_property
    def relation(self) -> Any:
        """The groups by level."""
        if self.levelled is not None:
            return self.levelled
        assert self.scratch is not None
        return self.scratch.named

    @property
    def peopled(self) -> Any:
        """The groups with people in them."""
        return self.peopled_of(self.relation)

    def peopled_of(self, relation: Any) -> Any:
        """The groups with people in them of another form of the relation."""
        return relation.filter(relation.people > 0) if self.may_be_empty else relation

    @property
    def max_rows_per_unit(self) -> int:
        """How many rows one person may have."""
        return self.schema.max_rows_per_unit if self.schema.unit else 1

    @property
    def cells(self) -> Cells | None:
        """The same people by cell with a count of each label, where they were counted so."""
        return None if self.scratch is None or self.levelled is not None or self.weighted else self.scratch.cells

    def named(self, names: Mapping[str, str]) -> People:
        """The same groups with other names of their columns: new name to present one."""
        return replace(self, levelled=self.relation.rename(dict(names)))

    def close(self) -> None:
        """Drop the temporary table now rather than when nobody refers to it any more."""
        if self.scratch is not None:
            self.scratch.drop()


def read_people(
    source: Any,
    schema: Schema,
    table: str | None = None,
    count: str | None = None,
    row_salt: str | None = None,
    assessed: bool = False,
    misfits: Misfits = "refuse",
    weight: str | None = None,
    by_cell: bool = False,
) -> People:
    """The people of ``source`` by all columns of ``schema``, after every check; see ``read_table`` for the sources.

    Where they are only ``assessed``, a table of counts that is read as people is told. With ``misfits="leave-out"``
    rows that do not fit the schema are left out and counted, and nothing that people's records hold, or that there are
    none, is refused or warned of. ``by_cell`` is for whoever makes a frequency table of them.
    """
    checked_schema(schema)
    if count is not None and schema.unit is not None:
        raise ParameterError("a table of counts (`count`) has no rows of single people, so it cannot have a `unit`")
    check_weight_column(weight, schema, count)
    named = [*schema.columns, *(name for name in (schema.unit, count, weight) if name)]
    wanted = columns_to_find(named, schema.conditions, schema.copies)
    salt = (row_salt or secrets.token_hex(16)) if schema.unit else None
    lenient = misfits != "refuse"
    optional = [*([f"{count}_1"] if count else []), *(NAMES_OF_COUNTS if assessed else ())]
    with opened_source(source, wanted, table, optional, may_be_empty=lenient) as found:
        opened = found.with_copies(schema.copies)
        counts = _count_column(opened, schema, count)

        def counted(readable: Source) -> tuple[Groups, int]:
            rows = int(readable.relation.count().to_pyarrow().as_py()) if schema.conditions else 0
            return groups_of(_scan(readable, schema, counts, salt, lenient, weight), by_cell), rows

        groups, rows = opened.read_by(counted)
        bound = bool(counts or schema.unit)
        if lenient:
            with reading(opened.place):
                grouped = _with_fits(groups.named, schema)
                left_out, dropped = _left_out(grouped, schema, count)
            if schema.conditions:
                left_out = replace(left_out, read=rows, not_selected=rows - left_out.read)
            fit = grouped.filter(grouped.fits)
            return People(schema, opened.place, dropped, bound, salt, groups, left_out, levelled=fit)
        # Where rows with missing values are left out and nothing is refused, they are counted by column: see misfits.
        where = (*schema.conditions, *schema.complete)
        rows = rows or groups.every_row or 0
        checks = Checks(selected(opened, where, schema.missing_values), schema, internal_names(schema), counts)
        with reading(opened.place):
            facts = checks.facts(groups)
        if rows and not facts["rows"]:
            refuse_nobody_selected(schema, opened.place)
        checks.refuse(facts)
        if weight is not None:
            refuse_odd_weights(groups.keyed, weight, opened.place)
        checks.warn(facts, groups)
        if assessed:
            checks.warn_of_counts(facts, groups)
    dropped = facts["rows"] - facts["people"] if schema.unit else 0
    left_out = LeftOut(rows or facts["rows"], not_selected=rows - facts["rows"] if where else 0)
    return People(schema, opened.place, dropped, bound, salt, groups, left_out, weight is not None)


def _scan(
    source: Source, schema: Schema, count: str | None, salt: str | None, lenient: bool, weight: str | None
) -> Scan:
    """The scan of the rows that pass the conditions; quantile bins have the edges that are found in these."""
    chosen = selected(source, schema.conditions, schema.missing_values)
    rules: dict[str, BinRule] = schema.bin_rules
    if schema.read_from_data:
        complete = selected(chosen, () if lenient else schema.complete, schema.missing_values)
        rules = fixed_rules(complete, rules, schema.missing_values, count)
    dropped = () if lenient else schema.dropped_gaps
    keys = keys_of(internal_names(schema), rules, schema.missing_values, schema.stand_ins, dropped)
    return Scan(chosen, schema, keys, count, weight, salt, lenient)


def _with_fits(grouped: Any, schema: Schema) -> Any:
    """Groups by level with ``fits``: whether they fit the schema."""
    if "fits" in grouped.columns:
        return grouped
    return grouped.mutate(fits=fitting(broken_rules(grouped, schema, internal_names(schema))))


def _left_out(grouped: Any, schema: Schema, count: str | None) -> tuple[LeftOut, int]:
    """The rows that were left out and why, and how many lie beyond the bound on a person's rows."""
    broken = broken_rules(grouped, schema, internal_names(schema))
    facts = {f"rule{i}": grouped.rows.sum(where=breaks) for i, breaks in enumerate(broken.values())}
    facts |= {name: grouped[name].sum() for name in grouped.columns if name.startswith("bad")}
    facts |= {"read": grouped.rows.sum(), "fit": grouped.rows.sum(where=grouped.fits)}
    if schema.unit:
        whose = grouped.rows - grouped.absent
        facts |= {
            "absent": grouped.absent.sum(),
            "whose": whose.sum(where=grouped.fits),
            "kept": grouped.people.sum(where=grouped.fits),
            "crowded": grouped.crowded.sum(where=grouped.fits),
        }
    found = one_row(grouped.aggregate(**facts))
    misfits = told(tuple(broken), [found[f"rule{i}"] for i in range(len(broken))])
    without = sum(found.get(f"bad{i}", 0) for i in range(4))
    over = found.get("bad4", 0)
    misfits += (Misfit(count, NO_COUNT, without),) if without else ()
    misfits += (Misfit(count, TOO_LARGE, over),) if over else ()
    misfits += (Misfit(schema.unit, NOBODYS, found["absent"]),) if found.get("absent") else ()
    counted = found.get("whose", found["fit"])
    left_out = LeftOut(found["read"], found["read"] - counted, misfits, found.get("crowded", 0))
    return left_out, counted - found.get("kept", counted)


def internal_names(schema: Schema) -> dict[str, str]:
    """Names of the grouped columns, safe in every engine, and the columns they stand for."""
    qids = {f"q{i}": name for i, name in enumerate(schema.qid_columns)}
    return qids | {f"s{j}": name for j, name in enumerate(schema.sensitive_columns)}


def bounded(
    rows: Any, unit: str, contents: Sequence[str], row_salt: str, max_rows: int, apart: Sequence[str] = ()
) -> Any:
    """``rows`` with ``kept``: whether a row is among the ``max_rows`` of its person that ``row_salt`` chooses.

    Rows that differ in a column of ``apart`` are chosen apart from each other.
    """
    rows = levels.row_rank(rows, unit, contents, row_salt, apart)
    return rows.mutate(kept=rows.row_rank < max_rows)


def fixed_rules(
    source: Source, rules: Mapping[str, BinRule], missing_values: Sequence[str], count: str | None = None
) -> dict[str, BinRule]:
    """The bin rules, quantiles with the edges that are found in the data."""
    return {name: _fixed(source, name, rule, missing_values, count) for name, rule in rules.items()}


def _fixed(source: Source, name: str, rule: BinRule, missing_values: Sequence[str], count: str | None) -> BinRule:
    import ibis

    if not isinstance(rule, Quantiles):
        return rule
    number = levels.as_number(source.column(name), missing_values)
    weight = ibis.literal(1)
    if count is not None:
        text, counts = levels.as_text(source.column(count)), levels.as_number(source.column(count))
        weight, _ = levels.counts_of(text, counts)
    edges = levels.quantile_edges(number, weight, source.relation, rule)
    if edges is None:
        raise DataError(f"column {name!r} has no numbers, so it has no quantile bins")
    return edges


def _count_column(source: Source, schema: Schema, count: str | None) -> str | None:
    """The count column; where its name repeats a column that has a role, the repeated one."""
    if count is None or count not in schema.columns:
        return count
    if f"{count}_1" in source.columns:
        return f"{count}_1"
    raise DataError(f"column {count!r} cannot hold the counts and be a quasi-identifier or sensitive as well")
