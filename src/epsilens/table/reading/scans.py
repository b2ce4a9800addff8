"""The one scan of a source: rows by raw key, and from these groups people by level.

A count column, survey weights and the names of people are looked at row by row, because they differ from row to row.
Everything else is done with groups: see ``keys.py``.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, reduce
from typing import Any

from epsilens.table.reading import levels
from epsilens.table.reading.keys import Key
from epsilens.table.reading.misfits import broken_rules, fitting
from epsilens.table.reading.scratch import Scratch, materialised, materialised_again, staged
from epsilens.table.reading.source import COPY, RELATION, Source
from epsilens.table.reading.weights import weight_terms, weight_total
from epsilens.table.schema import Schema


@dataclass(frozen=True)
class Scan:
    """The scan of one source by the ``keys`` of one schema, given by their internal names."""

    source: Source
    schema: Schema
    keys: Mapping[str, Key]
    count: str | None = None
    survey_weight: str | None = None
    """The column of survey weights."""
    row_salt: str | None = field(default=None, repr=False)
    lenient: bool = False
    """Whether rows that do not fit the schema are chosen apart from the others among a person's."""

    @property
    def internal(self) -> dict[str, str]:
        """The internal names, and the columns they stand for."""
        return {internal: key.name for internal, key in self.keys.items()}

    @property
    def labels(self) -> list[str]:
        """The sensitive columns, by their internal names."""
        return [internal for internal in self.keys if internal.startswith("s")]

    def groups(self, made: Callable[[Any], Any] | None = None) -> tuple[Any, Scratch | None]:
        """Rows by raw key, how many there are (``rows``), and what rows say that is added up; or what is made of these.

        With a ``unit``, rows by person and raw key.
        """
        keys = [*self.keys, *(["unit"] if self.schema.unit else [])]
        form = self.form and ("groups", made is None, self.form)

        def grouped(rows: Any) -> Any:
            found = self._grouped(rows)
            return found if made is None else made(found)

        if form is not None:
            return materialised_again(form, self._backend, lambda: grouped(self.raw()), keys)
        rows, view = self.raw(), None
        if read := self._numbers():
            rows, view = staged(self.source.relation.select(**self._columns(), **read), as_they_are=keys)
            rows = rows.select(*keys, **self._terms(rows))
        found = materialised(grouped(rows), as_they_are=keys)
        if view is not None:
            view.drop()
        return found

    @cached_property
    def form(self) -> Hashable:
        """What decides the query of this scan; None where that is more than declarations and types."""
        import ibis.expr.operations as ops

        table = self.source.relation.op()
        if isinstance(table, ops.Filter) and self.schema.conditions:
            table = table.parent
        ours = isinstance(table, ops.DatabaseTable) and table.name in (RELATION, COPY)
        if not ours or self.count is not None or self.survey_weight is not None:
            return None
        schema = self.schema
        return (
            (table.name, *table.schema.items()),
            tuple(self.source.columns.items()),
            tuple(self.keys.items()),
            (schema.unit, schema.conditions, schema.missing_values, self.lenient),
        )

    @property
    def _backend(self) -> Any:
        return self.source.relation.get_backend()

    def _columns(self) -> dict[str, Any]:
        """The keys of every row."""
        columns = {internal: key.scanned(self.source.column(key.name)) for internal, key in self.keys.items()}
        return columns | ({"unit": self.unit_key()} if self.schema.unit else {})

    def raw(self) -> Any:
        """The rows by raw key."""
        return self.source.relation.select(**self._columns())

    def _grouped(self, rows: Any) -> Any:
        keys = [name for name in (*self.keys, "unit") if name in rows.columns]
        return rows.group_by(keys).aggregate(rows=rows.count(), **totals(rows, self.most_people))

    @property
    def most_people(self) -> int:
        """A group counts no more. A release has that for a rule; where it is refused, one more tells that it was."""
        return levels.LARGEST_COUNT if self.lenient else levels.LARGEST_COUNT + 1

    def unit_key(self) -> Any:
        """What tells people apart; null where nobody is named."""
        column = self.source.column(str(self.schema.unit))
        if column.type().is_integer() and not levels.written_gaps(column, self.schema.missing_values):
            return column
        return levels.as_text(column, self.schema.missing_values)

    def _numbers(self) -> dict[str, Any]:
        """The texts and numbers of the columns that are added up."""
        read = {}
        for kind, name in (("count", self.count), ("survey", self.survey_weight)):
            if name is not None:
                read[f"{kind}_text"] = levels.as_text(self.source.column(name))
                read[f"{kind}_number"] = levels.as_number(self.source.column(name))
        return read

    def _terms(self, values: Any) -> dict[str, Any]:
        """Per row: how many people it counts (``weight``), their survey weight, and what is wrong with these."""
        terms = {}
        if self.count is not None:
            terms["weight"], problems = levels.counts_of(values.count_text, values.count_number)
            terms |= {f"bad{i}": flag for i, flag in enumerate(problems.values())}
        if self.survey_weight is not None:
            terms["survey"], odd = weight_terms(values.survey_text, values.survey_number)
            terms |= odd
        return terms

    def has_dropped_gap(self, groups: Any) -> Any:
        """Whether a group by raw key has a missing value in a column where that leaves its rows out."""
        dropped = self.schema.dropped_gaps
        gaps = [key.is_gap(groups[internal]) for internal, key in self.keys.items() if key.name in dropped]
        return reduce(operator.or_, gaps)

    def levelled(self, groups: Any) -> Any:
        """The groups by level instead of by raw key."""
        named = groups.mutate(**{internal: key.level(groups[internal]) for internal, key in self.keys.items()})
        return regrouped(named, list(self.keys), self.most_people)

    def chosen_rows(self) -> tuple[Any, Scratch | None]:
        """People by level, where rows of a person beyond the bound are not counted, row by row.

        For engines that keep no groups, and for survey weights, which may differ among rows that are otherwise alike.
        """
        columns = {
            internal: key.level(key.scanned(self.source.column(key.name))) for internal, key in self.keys.items()
        }
        columns["unit"] = levels.as_text(self.source.column(str(self.schema.unit)), self.schema.missing_values)
        rows, view = staged(self.source.relation.select(**columns, **self._numbers()))
        rows = rows.select(*columns, **self._terms(rows), absent=rows.unit.isnull())
        apart = []
        if self.lenient:  # rows that are left out must not take the place of others among a person's
            rows = rows.mutate(fits=fitting(broken_rules(rows, self.schema, self.internal)))
            apart = ["fits"]
        bound = self.schema.max_rows_per_unit
        rows = levels.row_rank(rows, "unit", list(self.keys), str(self.row_salt), apart)
        rows = rows.mutate(
            weight=((rows.row_rank < bound) & ~rows.absent).ifelse(1, 0),
            crowded=(rows.row_rank == bound) & ~rows.absent,
        )
        found = materialised(rows.group_by(list(self.keys)).aggregate(rows=rows.count(), **totals(rows)))
        if view is not None:
            view.drop()
        return found


def totals(rows: Any, most: int = levels.LARGEST_COUNT) -> dict[str, Any]:
    """Sums over the rows of a group: the people counted, their survey weights, and numbers of rows with a problem.

    Of counts that are added up at most ``most``.
    """
    found = {}
    if "weight" in rows.columns:
        found["people"] = _capped(rows.weight, most) if "bad0" in rows.columns else rows.weight.sum()
    if "survey" in rows.columns:
        found["weights"] = weight_total(rows)
    for name in rows.columns:
        if name.startswith(("bad", "odd")) or name in ("absent", "crowded"):
            found[name] = rows[name].sum()
    return found


def regrouped(groups: Any, keys: Sequence[str], most: int = levels.LARGEST_COUNT) -> Any:
    """Groups that are alike in ``keys`` as one."""
    sums = {name: groups[name].sum() for name in groups.columns if name not in keys}
    if "bad0" in sums:  # counts were added up, which may be large
        sums["people"] = _capped(groups.people, most)
    return groups.group_by(list(keys)).aggregate(**sums)


def _capped(numbers: Any, most: int) -> Any:
    """The sum of whole numbers >= 0, or ``most`` where it is larger, so that it fits everywhere."""
    import ibis

    wide = "decimal(38, 0)"
    return ibis.least(numbers.cast(wide).sum(), ibis.literal(most, wide)).cast("int64")
