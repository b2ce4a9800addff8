"""Where data are and what their columns mean: all that reading them takes, and nothing of what is in them.

A question is asked of data like these before they are read, so that a question which makes no sense costs no reading.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, get_args

from epsilens.checks import one_of
from epsilens.errors import ParameterError
from epsilens.table.bins import BinSpec, parse_bins
from epsilens.table.conditions import Where
from epsilens.table.declared import read_universe
from epsilens.table.engine import Engine, using
from epsilens.table.gaps import Gaps, parse_missing
from epsilens.table.harm import Declared, check_harmful_columns
from epsilens.table.json_files import declared_json
from epsilens.table.schema import Schema

if TYPE_CHECKING:
    from epsilens.table.frequency import FrequencyTable
    from epsilens.table.hierarchy import Codes, Situations
    from epsilens.table.reading.people import People


@dataclass(frozen=True)
class TableToRead:
    """A table of people or of counts: a file, a pattern of files, a database URL or a data frame, and its schema."""

    source: Any
    schema: Schema
    table: str | None = None
    """The table to read, where ``source`` is a database."""
    count: str | None = None
    """The column of counts, where ``source`` is a table of counts."""
    harmful: Declared = ()
    """Values that harm whoever is shown to have them; none: all but missing ones."""
    weight: str | None = None
    """The column of survey weights, where the people are a sample of others."""
    engine: Engine | None = field(default=None, compare=False)
    """Who reads it, and with how much of the machine; None: whoever is in use."""

    def __post_init__(self) -> None:
        check_harmful_columns(self.harmful, self.schema.sensitive_columns)

    @staticmethod
    def of(
        source: Any,
        quasi_identifiers: str | Sequence[str],
        sensitive: str | Sequence[str],
        *,
        bins: str | Sequence[str] | Mapping[str, BinSpec] = (),
        universe: str | os.PathLike[str] | Mapping[str, Any] | None = None,
        structural_zeros: str | os.PathLike[str] | Sequence[Mapping[str, object]] | None = None,
        missing: str | Sequence[str] | Mapping[str, object] = "level",
        missing_values: str | Sequence[str] = (),
        where: Where = (),
        copies: str | Sequence[str] | Mapping[str, str] = (),
        unit: str | None = None,
        max_rows_per_unit: int = 1,
        table: str | None = None,
        count: str | None = None,
        harmful: Declared = (),
        weight: str | None = None,
        engine: Engine | str | None = None,
    ) -> TableToRead:
        """From plain values: ``bins``, ``missing`` and ``copies`` may be texts, declarations of values JSON files.

        Texts are those of the command line: ``age=5``, ``drop`` or ``income=50001``, ``decade=age``, ``stroke=1``.
        """
        for name, columns in (("quasi_identifiers", quasi_identifiers), ("sensitive", sensitive)):
            if not columns:
                raise ParameterError("is missing: name at least one column", parameter=name)
        _refuse_rows_of_nobody(max_rows_per_unit, unit)
        schema = Schema(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            bins=_bins(bins),
            universe=_universe(universe),
            structural_zeros=declared_zeros(structural_zeros),
            missing=_missing(missing),
            missing_values=missing_values,
            where=where,
            copies=parsed_copies(copies),
            unit=unit,
            max_rows_per_unit=max_rows_per_unit,
        )
        return TableToRead(source, schema, table, count, harmful, weight, Engine.of(engine))

    def read(self) -> FrequencyTable:
        """The table, counted; which rows of a person are kept is the same every time, so results can be repeated."""
        from epsilens.table.reading.tables import table_of

        with using(self.engine):
            people = self._people()
            found = self._weighed(table_of(people))
            people.close()
            found.sparse_signatures(ordered=True)  # the last that the engine is asked
        return found

    def _weighed(self, table: FrequencyTable) -> FrequencyTable:
        """The table that knows which of its values are harmful."""
        return table.with_harm(self.harmful) if self.harmful else table

    @staticmethod
    def read_alike(tables: Sequence[TableToRead]) -> list[FrequencyTable]:
        """Tables by the same sensitive attributes, each with the labels of all of them."""
        from epsilens.table.reading.tables import tables_with_common_labels

        groups = [table._people() for table in tables]
        found = [one._weighed(table) for one, table in zip(tables, tables_with_common_labels(groups), strict=True)]
        for people, table in zip(groups, found, strict=True):
            people.close()
            table.sparse_signatures(ordered=True)
        return found

    def _people(self) -> People:
        from epsilens.table.reading.levels import FIXED_ROW_SALT
        from epsilens.table.reading.people import read_people

        with using(self.engine):
            return read_people(
                self.source,
                self.schema,
                self.table,
                self.count,
                FIXED_ROW_SALT,
                assessed=True,
                weight=self.weight,
                by_cell=True,
            )


@dataclass(frozen=True)
class HierarchyToRead:
    """People in groups within groups: the columns of the groups, lowest first, and what makes people alike."""

    source: Any
    levels: tuple[str, ...]
    by: tuple[str, ...]
    table: str | None = None
    count: str | None = None
    codes: Codes = "unique"
    bins: str | Sequence[str] | Mapping[str, BinSpec] = ()
    """Of levels or of characteristics; texts such as ``age=5``, or rules by column."""
    unit: str | None = None
    max_rows_per_unit: int = 1
    missing: str | Sequence[str] | Mapping[str, object] = "level"
    missing_values: str | Sequence[str] = ()
    where: Where = ()
    copies: str | Sequence[str] | Mapping[str, str] = ()
    engine: Engine | None = field(default=None, compare=False)
    """Who reads it, and with how much of the machine; None: whoever is in use."""

    def __post_init__(self) -> None:
        from epsilens.table.hierarchy import Codes
        from epsilens.table.reading.hierarchies import groups_schema

        if not self.by:
            raise ParameterError("`levels` needs `by`: the characteristics that make people alike")
        one_of("codes", self.codes, get_args(Codes))
        _refuse_rows_of_nobody(self.max_rows_per_unit, self.unit)
        groups_schema(self.levels, self.by, self.count, **self._roles)

    @property
    def _roles(self) -> dict[str, Any]:
        """The rest of a schema."""
        return {
            "bins": _bins(self.bins),
            "unit": self.unit,
            "max_rows_per_unit": self.max_rows_per_unit,
            "missing": _missing(self.missing),
            "missing_values": self.missing_values,
            "where": self.where,
            "copies": parsed_copies(self.copies),
        }

    def read(self, rare: int = 1) -> Situations:
        """The situations of people in cells of at most ``rare``; the same rows of a person are kept every time."""
        from epsilens.table.hierarchy import HIGHEST, Hierarchy
        from epsilens.table.reading.levels import FIXED_ROW_SALT

        with using(self.engine):
            hierarchy = Hierarchy.read(
                self.source,
                self.levels,
                self.by,
                self.table,
                self.count,
                self.codes,
                **self._roles,
                row_salt=FIXED_ROW_SALT,
            )
            return hierarchy.situations(rare, max(HIGHEST, rare))


def _bins(given: str | Sequence[str] | Mapping[str, BinSpec]) -> Mapping[str, BinSpec]:
    """Bins by column; texts are parsed."""
    texts = (given,) if isinstance(given, str) else given
    return texts if isinstance(texts, Mapping) else parse_bins(*texts)


def _missing(given: str | Sequence[str] | Mapping[str, object]) -> Gaps:
    """What becomes of missing values; texts are parsed."""
    texts = (given,) if isinstance(given, str) else given
    return texts if isinstance(texts, Mapping) else parse_missing(*texts)


def parsed_copies(given: str | Sequence[str] | Mapping[str, str]) -> Mapping[str, str]:
    """Columns that are read twice, by their second name; texts such as ``decade=age`` are parsed."""
    if isinstance(given, Mapping):
        return given
    found: dict[str, str] = {}
    for text in (given,) if isinstance(given, str) else given:
        name, equals, column = (part.strip() for part in text.partition("="))
        if not equals or not name or not column:
            raise ParameterError("must read like decade=age, the new name first", parameter="copies", got=text)
        if name in found:
            raise ParameterError(f"names {name!r} twice", parameter="copies")
        found[name] = column
    return found


def _refuse_rows_of_nobody(max_rows_per_unit: int, unit: str | None) -> None:
    if max_rows_per_unit != 1 and unit is None:
        raise ParameterError(
            "bounds the rows of each person: name the column that tells them apart with `unit`",
            parameter="max_rows_per_unit",
        )


def _universe(given: str | os.PathLike[str] | Mapping[str, Any] | None) -> Mapping[str, Any] | None:
    """The declared values; in a file they are JSON, and so they are in a text that begins with {."""
    return read_universe(given).levels_of_all() if isinstance(given, str | os.PathLike) else given


def declared_zeros(
    given: str | os.PathLike[str] | Sequence[Mapping[str, object]] | None,
) -> Sequence[Mapping[str, object]] | None:
    """The declared impossible combinations; in a file they are JSON, and so they are in a text that begins with [."""
    if not isinstance(given, str | os.PathLike):
        return given
    found: Sequence[Mapping[str, object]] = declared_json(given, "structural zeros", list)
    return found
