"""Raw keys: what people are grouped by in the one scan of a source, and which level each key stands for.

A scan sees every row, so it must do little with each. It groups columns as they are, in their own types; numbers that
go into bins become the whole number of their bin, which is cheap arithmetic. Blanks, missing values, stand-ins and
texts are a matter of levels, and levels are made of *keys*, of which there are as many as groups or fewer. Several keys
may stand for one level (``" a"`` and ``"a"``, a null and a NaN), so whoever wants levels groups once more, or finds
that no two keys do (``codebooks.py``).

Every expression compiles for every engine, as those of ``levels.py`` do.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from epsilens.table.bins import BinRule
from epsilens.table.domain import MISSING
from epsilens.table.reading import levels

NO_VALUE, NO_NUMBER = 2**30, 2**30 + 1
"""The keys of values that are missing, or in no bin; bins lie within a billion from 0."""


@dataclass(frozen=True)
class Key:
    """How one column is grouped."""

    name: str
    """The column, as people call it."""
    rule: BinRule | None = None
    missing_values: tuple[str, ...] = ()
    stand_in: str | None = None
    """The public value in the place of missing ones."""
    drops_gaps: bool = False
    """Whether rows with a missing value are left out; then so are those that say they are missing in so many words."""

    def scanned(self, column: Any) -> Any:
        """What the rows of ``column`` are grouped by."""
        if self.rule is not None:
            return self._bin(column)
        levels.as_text(column)  # refuses what cannot be counted by value
        return column if _groups_as_it_is_written(column.type()) else levels.as_text(column, self.missing_values)

    def level(self, key: Any) -> Any:
        """The level of each key, a text that is never null."""
        import ibis

        if self.rule is None:
            text = levels.as_text(key, self.missing_values)
            return text.fill_null(MISSING if self.stand_in is None else self.stand_in)
        inside = (key < NO_VALUE).ifelse(key, ibis.null("int32"))
        return ibis.cases(
            (key == NO_VALUE, MISSING),
            (key == NO_NUMBER, levels.NOT_A_NUMBER),
            else_=levels.bin_label(inside, self.rule),
        )

    def is_gap(self, key: Any) -> Any:
        """Whether a key stands for missing values that nothing stands in for."""
        if self.rule is not None:
            return key == NO_VALUE
        return levels.as_text(key, self.missing_values).fill_null(MISSING) == MISSING

    def stands_alone(self, key: Any) -> Any:
        """Whether a key is surely the only one of its level: it is a value, and its level is that value as it is."""
        if self.rule is not None:
            return key < NO_VALUE
        dtype = key.type()
        if dtype.is_numeric() and not dtype.is_boolean():
            return ~self._gap(key)
        if dtype.is_string():  # looked at in every cell, so in a few words: whatever may be trimmed is in doubt
            return (~levels.ends_blank(key) & key.notin([MISSING, *self.missing_values])).fill_null(False)
        text = levels.as_text(key, self.missing_values)
        return (text.notnull() & (text != MISSING)).fill_null(False)

    def _bin(self, column: Any) -> Any:
        """The number of the bin. What is in none is looked at again, which few rows need."""
        import ibis

        assert self.rule is not None
        gap, number = self._gap(column), levels.as_number(column, self.missing_values)
        nowhere = ibis.literal(NO_NUMBER, "int32")
        if self.stand_in is None:
            nowhere = gap.ifelse(ibis.literal(NO_VALUE, "int32"), nowhere)
        else:  # among the column's numbers, because DuckDB takes a number by itself for a decimal
            number = gap.ifelse(float(self.stand_in), number)
        return levels.bin_index(number, self.rule, self._farthest(column)).fill_null(nowhere)

    def _farthest(self, column: Any) -> float | None:
        """How far from 0 a number is at most, where the column's type tells."""
        dtype = column.type()
        if not dtype.is_integer():
            return None
        return max(-float(dtype.bounds.lower), float(dtype.bounds.upper), abs(float(self.stand_in or 0)))

    def _gap(self, column: Any) -> Any:
        """Whether a value is missing, or says so in so many words where that leaves its row out."""
        if self.drops_gaps and (not column.type().is_numeric() or column.type().is_boolean()):
            return levels.as_text(column, self.missing_values).fill_null(MISSING) == MISSING
        return levels.is_missing(column, self.missing_values)


def keys_beside(groups: Any, keys: Mapping[str, Key]) -> dict[str, Any]:
    """By column of ``groups``: 1 where a key of it may share its level with another one, or stands for no value."""
    return {
        f"beside_{internal}": key.stands_alone(groups[internal]).ifelse(0, 1).max()
        for internal, key in keys.items()
        if internal in groups.columns
    }


def alone_of(beside: Mapping[str, int], keys: Mapping[str, Key]) -> dict[str, Key]:
    """The keys of columns that :func:`keys_beside` found none for."""
    return {internal: key for internal, key in keys.items() if beside.get(f"beside_{internal}") == 0}


def keys_of(
    internal: Mapping[str, str],
    rules: Mapping[str, BinRule],
    missing_values: Sequence[str],
    stand_ins: Mapping[str, str],
    dropped: Collection[str] = (),
) -> dict[str, Key]:
    """The keys of columns by their internal names; in those that are ``dropped`` a gap leaves its row out."""
    return {
        key: Key(name, rules.get(name), tuple(missing_values), stand_ins.get(name), name in dropped)
        for key, name in internal.items()
    }


def _groups_as_it_is_written(dtype: Any) -> bool:
    """Whether values that an engine holds for equal are written alike, but for blanks and zeros at the end.

    Not so a month and thirty days; and a JSON value is not comparable at all.
    """
    plain = dtype.is_string() or dtype.is_boolean() or dtype.is_numeric()
    return bool(plain or dtype.is_date() or dtype.is_timestamp() or dtype.is_uuid())
