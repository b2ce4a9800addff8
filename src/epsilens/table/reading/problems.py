"""What may be wrong with people's records, found by one query over their groups and told without their values."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.errors import DataError, EpsilensWarning, counted, verb
from epsilens.table.domain import MISSING
from epsilens.table.reading import levels
from epsilens.table.reading.engine_errors import reading
from epsilens.table.reading.grouped import Groups
from epsilens.table.reading.keys import Key
from epsilens.table.reading.relations import first_row
from epsilens.table.reading.scratch import first_row_again
from epsilens.table.reading.source import Source
from epsilens.table.schema import Schema

MANY_FRACTIONS, MANY_NUMBERS = 20, 100
LARGEST_TOTAL = 2**62
"""So many people may a table of counts have in all: their sums are whole numbers of 64 bits."""
_CALLED = ("n", "nn", "count", "counts", "cnt", "freq", "frequency", "number", "num", "total", "people", "persons")
NAMES_OF_COUNTS = tuple(text for name in _CALLED for text in dict.fromkeys((name, name.title(), name.upper())))
"""What columns of counts are called."""


@dataclass(frozen=True)
class Checks:
    """The checks of one reading: grouped records of ``source`` by the columns of ``schema``."""

    source: Source
    schema: Schema
    internal: Mapping[str, str]
    """The names of the grouped columns, and the columns they stand for."""
    count: str | None

    @property
    def _at_stake(self) -> bool:
        """Whether cells have something to give away; to whoever only counts, small ones do not matter."""
        return bool(self.schema.sensitive_columns)

    def facts(self, groups: Groups) -> dict[str, int]:
        """Every number the checks need."""
        books = {internal: book for internal in self.internal if (book := groups.book_of(internal))}
        found: dict[str, int] = {}
        for internal, book in books.items():
            own = self._facts_of_column(internal, book.relation.level, book.relation.rows)
            found |= one_row(book.relation.aggregate(**own)) if own else {}
        whole = groups.scratch
        if whole is None or books or groups.alone or groups.relation is not whole.relation:
            return found | one_row(self._facts_of(groups, books))
        rules = (
            tuple(whole.relation.schema().items()),
            tuple(self.internal.items()),
            tuple(self._whole_numbers()),
            (self.count is None, self._at_stake, *map(self.schema.refuses_gaps, self.internal.values())),
            (*self.schema.bins, "", *(f"{name}={levels}" for name, levels in self.schema.universe_levels.items())),
            repr(self.schema.impossible),
        )
        return as_numbers(first_row_again(("facts", rules), whole, lambda: self._facts_of(groups, books)))

    def _facts_of(self, groups: Groups, books: Mapping[str, Any]) -> Any:
        """The same as an aggregate, without columns that have codebooks."""
        keyed = groups.named if self.schema.impossible else groups.totals
        facts = {"rows": keyed.rows.sum(), "people": keyed.people.sum()}
        if self.count is not None:  # in floating point, for the sum of many large counts does not fit in 64 bits
            facts |= {"most": keyed.people.max(), "people": keyed.people.cast("float64").sum()}
        for i, rule in enumerate(self.schema.impossible):
            facts[f"impossible{i}"] = keyed.people.sum(where=levels.matches(keyed, self.internal, rule))
        for name in keyed.columns:
            if name.startswith("bad") or name == "absent":
                facts[name] = keyed[name].sum()
        for internal in (name for name in self.internal if name not in books):
            if internal in groups.alone and not self.schema.impossible:
                facts |= self._facts_of_values(internal, keyed[internal], groups.alone[internal], keyed.rows)
            else:
                facts |= self._facts_of_column(internal, keyed[internal], keyed.rows)
        return keyed.aggregate(**facts)

    def _facts_of_values(self, internal: str, value: Any, key: Key, rows: Any) -> dict[str, Any]:
        """The same of a column of values as they are, none of which is missing or in no bin."""
        level = value if value.type().is_string() else key.level(value)
        facts = self._facts_of_column(internal, level, rows)
        facts = {name: fact for name, fact in facts.items() if not name.endswith(("_missing", "_unread"))}
        return facts | ({f"{internal}_levels": value.nunique()} if f"{internal}_levels" in facts else {})

    def _facts_of_column(self, internal: str, value: Any, rows: Any) -> dict[str, Any]:
        """What the checks need to know of one column, from its levels and the numbers of rows with each."""
        name, universe, facts = self.internal[internal], self.schema.universe_levels, {}
        if self.schema.refuses_gaps(name) or name in universe:
            facts[f"{internal}_missing"] = rows.sum(where=value == MISSING)
        if name in self.schema.bins:
            facts[f"{internal}_unread"] = rows.sum(where=value == levels.NOT_A_NUMBER)
        elif internal in self._whole_numbers():
            facts[f"{internal}_levels"] = value.nunique(where=value != MISSING)
        elif self._at_stake and internal.startswith("q"):
            facts[f"{internal}_first_character"] = value.ascii_str().max()
        if name in universe:
            undeclared = value.notin(universe[name])
            facts[f"{internal}_strange_values"] = value.nunique(where=undeclared)
            facts[f"{internal}_strange_rows"] = rows.sum(where=undeclared)
        return facts

    def refuse(self, facts: Mapping[str, int]) -> None:
        """Refuse what cannot be counted, with numbers of rows and without values."""
        place, rows = self.source.place, facts["rows"]
        if rows == 0:
            raise DataError(f"{place} has no records")
        kinds = ("missing", "not numbers", "negative", "fractional", "above 2**53")
        if bad := [f"{facts[f'bad{i}']} are {kind}" for i, kind in enumerate(kinds) if facts.get(f"bad{i}")]:
            raise DataError(
                f"counts in column {self.count!r} must be whole numbers >= 0; of {rows} rows {', '.join(bad)}"
            )
        if facts.get("most", 0) > levels.LARGEST_COUNT or facts["people"] > LARGEST_TOTAL:
            alike = facts.get("most", 0) > levels.LARGEST_COUNT
            raise DataError(
                f"the counts in column {self.count!r} add up to more than "
                + ("2**53 for people who are alike in all columns" if alike else "2**62"),
                remedy="larger numbers of people are not counted exactly: count in thousands, say",
            )
        refuse_absent_units(facts, self.schema.unit)
        for internal, name in self.internal.items():
            if self.schema.refuses_gaps(name) and (gaps := facts.get(f"{internal}_missing")):
                raise DataError(
                    f"column {name!r} is missing in {counted(gaps, 'row')}",
                    remedy="fill them, or use `missing=level` or `missing=drop`",
                )
            if unread := facts.get(f"{internal}_unread"):
                refuse_unread_bins(name, unread, rows)
            if strange := facts.get(f"{internal}_strange_rows"):
                raise DataError(
                    f"column {name!r} has {counted(facts[f'{internal}_strange_values'], 'value')} in "
                    f"{counted(strange, 'row')} that its universe does not declare"
                    f"{_missing_hint(facts.get(f'{internal}_missing', 0))}"
                )
        for i in range(len(self.schema.impossible)):
            if people := facts[f"impossible{i}"]:
                raise DataError(
                    f"structural zero {i + 1} has {counted(people, 'person')} in it; correct the data or the "
                    "declaration"
                )
        if facts["people"] == 0:
            raise DataError(f"all counts in {place} are zero; there is nobody to protect")

    def warn(self, facts: Mapping[str, int], groups: Groups) -> None:
        """Quasi-identifiers that look like measurements: every person would be a cell of their own.

        And those that are copies of what the attacker wants to learn: every cell is homogeneous, whatever the data.
        """
        if not self._at_stake:
            return
        for known, learnt in _known_twice(self.schema):
            warnings.warn(
                EpsilensWarning(
                    f"quasi-identifier {known!r} is a copy of the sensitive {learnt!r}, so every cell is homogeneous "
                    "whatever the data: risks are those of an attacker who knows already what is to be learnt",
                    remedy=f"leave {known!r} out of `quasi_identifiers` for the risk of people",
                ),
                stacklevel=4,
            )
        distinct = {key: facts[f"{key}_levels"] for key in self._whole_numbers()}
        many = {key: number > MANY_NUMBERS for key, number in distinct.items()}
        # Texts that start with a letter are not numbers. Only at the others a closer look, because for every column it
        # would cost as much as the scan.
        suspects = [key for key in self.internal if facts.get(f"{key}_first_character", math.inf) <= ord("9")]
        if suspects:
            with reading(self.source.place):
                closely = _close_look(groups, suspects)
            for key in suspects:
                distinct[key] = closely[f"{key}_levels"]
                limit = MANY_FRACTIONS if closely[f"{key}_fractions"] else MANY_NUMBERS
                many[key] = distinct[key] > limit and not closely[f"{key}_words"]
        for key, name in self.internal.items():
            if many.get(key):
                warnings.warn(
                    EpsilensWarning(
                        f"quasi-identifier {name!r} is numeric with {distinct[key]} distinct values and no bins, so "
                        "cells get very small",
                        remedy=f"consider `bins` for {name!r}",
                    ),
                    stacklevel=4,  # warn, read_people, read_table, the caller
                )

    def warn_of_counts(self, facts: Mapping[str, int], groups: Groups) -> None:
        """Rows that are all different beside a column that is called like counts: a table of counts, read as people.

        It looks at the data, so it is for whoever assesses them, and never for a release.
        """
        if self.count is not None or self.schema.unit is not None:
            return
        used, held = self.schema.columns, self.source.relation.columns
        names = [
            name
            for name, own in self.source.columns.items()
            if name in NAMES_OF_COUNTS and name not in used and own in held
        ]
        if not names:
            return
        with reading(self.source.place):
            if one_row(groups.keyed.aggregate(most=groups.keyed.rows.max()))["most"] > 1:
                return
            for name in names:
                column = self.source.column(name)
                counts, problems = levels.counts_of(levels.as_text(column), levels.as_number(column))
                bad = [problem.sum() for problem in problems.values()]
                look = {"most": counts.max(), **{f"bad{i}": number for i, number in enumerate(bad)}}
                found = one_row(self.source.relation.aggregate(**look))
                if found.pop("most") > 1 and not any(found.values()):
                    warnings.warn(
                        EpsilensWarning(
                            f"all {facts['rows']} rows differ in {' x '.join(used)}, and column {name!r} holds whole "
                            "numbers: this looks like a table of counts, read as if each row were a person",
                            remedy=f"if it is one, say `count={name}`",
                        ),
                        stacklevel=4,
                    )
                    return

    def _whole_numbers(self) -> list[str]:
        """The quasi-identifiers without bins that the source itself holds as whole numbers."""
        return [
            key
            for key, name in self.internal.items()
            if self._at_stake
            and key.startswith("q")
            and name not in self.schema.bins
            and self.source.column(name).type().is_integer()
        ]


def _known_twice(schema: Schema) -> list[tuple[str, str]]:
    """Quasi-identifiers that are the same column as a sensitive attribute, in the same bins."""
    origin, bins = dict(schema.copies), schema.bin_rules
    return [
        (known, learnt)
        for known in schema.qid_columns
        for learnt in schema.sensitive_columns
        if origin.get(known, known) == origin.get(learnt, learnt) and bins.get(known) == bins.get(learnt)
    ]


def refuse_nobody_selected(schema: Schema, place: str) -> None:
    """Conditions that no row passes; values of people are not told, so neither are those that are near."""
    gaps = schema.dropped_gaps
    every = ", ".join((*(condition.text for condition in schema.conditions), *(f"{name}!=" for name in gaps)))
    raise DataError(
        f"no row of {place} passes {every}",
        remedy="check the values in `where`; texts must be spelt as in the data, but for blanks around them"
        if schema.conditions
        else "every row has a missing value: use `missing=level`, or drop the rows of some columns only",
    )


def refuse_absent_units(facts: Mapping[str, int], unit: str | None) -> None:
    """Every row must be somebody's."""
    if facts.get("absent"):
        raise DataError(
            f"{facts['absent']} of {facts['rows']} rows have no value in the `unit` column {unit!r}; "
            "without it nobody can tell whose rows they are"
        )


def refuse_unread_bins(column: str, unread: int, rows: int) -> None:
    """A column with bins must hold numbers, all ``rows`` of them; ``unread`` are not."""
    raise DataError(
        f"column {column!r} has bins, but {unread} of {rows} values are not numbers in range",
        remedy="write decimals with a point (1.5 and not 1,5), drop its `bins`, or declare texts that mean missing in "
        "`missing_values`, and in `missing` what becomes of them",
    )


def one_row(expression: Any) -> dict[str, int]:
    """The single row of an aggregate; an empty sum is 0."""
    return as_numbers(first_row(expression))


def as_numbers(row: Mapping[str, Any]) -> dict[str, int]:
    """What is added up; an empty sum is 0."""
    return {name: int(value or 0) for name, value in row.items()}


def _close_look(groups: Groups, keys: Sequence[str]) -> dict[str, int]:
    """Per column: its levels, and how many of them are not written numbers, or not whole ones."""
    facts: dict[str, Any] = {}
    found: dict[str, int] = {}
    for key in keys:
        each = groups.levels_of(key)
        value = groups.totals[key] if each is None else each.level
        stated = value != MISSING
        own = {
            f"{key}_levels": value.nunique(where=stated),
            f"{key}_words": (stated & ~value.re_search(levels.WRITTEN_NUMBER)).sum(),
            f"{key}_fractions": (stated & ~value.re_search(levels.WRITTEN_WHOLE_NUMBER)).sum(),
        }
        if each is None:
            facts |= own
        else:
            found |= one_row(each.aggregate(**own))
    return found | one_row(groups.totals.aggregate(**facts)) if facts else found


def _missing_hint(missing: int) -> str:
    return (
        f"; {counted(missing, 'row')} {verb(missing)} missing: declare {MISSING!r} as well to keep them, or leave "
        "them out with `missing=drop`"
        if missing
        else ""
    )
