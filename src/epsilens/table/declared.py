"""Levels that somebody declares: lists, public ranges, and files that say both.

``["x", "y"]`` lists the levels of a column. ``{"from": 15, "to": 95}`` is a range, whose levels follow from the bins of
the column: those of one width that cover it, those between edges that it touches, or without bins its whole numbers. A
file is a JSON object of either by column; a key that names several columns, ``"county,tract": [["c1", "t1"], ...]``,
lists the paths of columns that nest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal
from itertools import pairwise
from typing import Any, TypeAlias

from epsilens.errors import ParameterError, SourceError
from epsilens.table.bins import LARGEST_EXPONENT, BinRule, Edges, Width, number_text
from epsilens.table.domain import MAX_CELLS, level_text, levels_given, refuse_repeated
from epsilens.table.json_files import called, declared_json

LevelSpec: TypeAlias = Iterable[object] | Mapping[str, object]
"""The levels of a column: a list of values, or a range ``{"from": a, "to": b}``."""


@dataclass(frozen=True)
class UniverseFile:
    """What a file declares: levels by column, and the paths of columns that nest."""

    levels: dict[str, LevelSpec] = field(default_factory=dict)
    paths: dict[tuple[str, ...], list[list[object]]] = field(default_factory=dict)

    @property
    def columns(self) -> tuple[str, ...]:
        """Every column that it says something about."""
        return tuple(dict.fromkeys([*self.levels, *(name for group in self.paths for name in group)]))

    def levels_of_all(self) -> dict[str, LevelSpec]:
        """The levels of every column, those on paths included: what an assessment, which nests nothing, asks for."""
        nested = {
            name: tuple(dict.fromkeys(level_text(row[j]) for row in rows if j < len(row)))
            for columns, rows in self.paths.items()
            for j, name in enumerate(columns)
        }
        return {**nested, **self.levels}

    def concerning(self, columns: Sequence[str]) -> UniverseFile:
        """What it says about these columns: one file may declare a whole data set."""
        return UniverseFile(
            {name: found for name, found in self.levels.items() if name in columns},
            {group: rows for group, rows in self.paths.items() if set(group) <= set(columns)},
        )


def read_universe(path: str | os.PathLike[str]) -> UniverseFile:
    """The universe that a JSON file declares, or a text that begins with { and is JSON itself."""
    found = declared_json(path, "universe", dict, '{"column": ["value", ...]}')
    levels: dict[str, LevelSpec] = {}
    paths: dict[tuple[str, ...], list[list[object]]] = {}
    for name, values in found.items():
        if isinstance(values, list) and values and all(isinstance(row, list) for row in values):
            paths[tuple(part.strip() for part in name.split(","))] = values
        elif isinstance(values, list | dict):
            levels[name] = values
        else:
            raise SourceError(f"the universe{called(path)} must map columns to lists of values, or to ranges")
    return UniverseFile(levels, paths)


def declared_levels(column: str, declared: object, rule: BinRule | None = None) -> tuple[str, ...]:
    """The levels that ``declared`` lists, or that its range has with the column's bins; at least one, none twice."""
    levels = range_levels(column, declared, rule) if isinstance(declared, Mapping) else levels_given(declared)
    if not levels:
        raise ParameterError(f"the universe of {column!r} must list at least one value")
    refuse_repeated(column, levels)
    return levels


def range_levels(column: str, declared: Mapping[str, Any], rule: BinRule | None) -> tuple[str, ...]:
    """The levels of a range ``{"from": a, "to": b}``, both ends included."""
    if set(declared) != {"from", "to"} or not (rule is None or isinstance(rule, Width | Edges)):
        raise ParameterError(
            f'the universe of {column!r} must be a list, or {{"from": a, "to": b}} of whole numbers, of bins of one '
            "width or of bins between edges"
        )
    low, high = (_bound(column, declared[side]) for side in ("from", "to"))
    if isinstance(rule, Width):
        return width_levels(rule.step, low, high, rule.closed)
    if isinstance(rule, Edges):
        if not low < high:
            raise ParameterError(f"the range of {column!r} must ascend, got {low} to {high}")
        # A bin touches the range if it holds its start, its end or something between: what lies at a bound of the bin
        # is in it on the closed side only.
        right = rule.closed == "right"
        return tuple(
            label
            for label, start, end in zip(rule.labels(), (None, *rule.edges), (*rule.edges, None), strict=True)
            if (end is None or end > low or (right and end == low))
            and (start is None or start < high or (not right and start == high))
        )
    if low > high:
        raise ParameterError(f"the range of {column!r} must ascend, got {low} to {high}", remedy="swap its ends")
    if low != low.to_integral_value() or high != high.to_integral_value():
        raise ParameterError(
            f"the range of {column!r}, which has no bins, must go from a whole number to a whole number, got "
            f"{low} to {high}",
            remedy="give it `bins`, or list its values",
        )
    first, last = int(low), int(high)
    _refuse_long(last - first, "values")
    return tuple(str(number) for number in range(first, last + 1))


def width_levels(
    step: float | Decimal, low: float | Decimal, high: float | Decimal, closed: str = "left"
) -> tuple[str, ...]:
    """The bins of one width that cover the public range from ``low`` to ``high``: 5, 0, 15 gives [0, 5), [5, 10), ...

    ``high`` itself is covered too where it is not a bound, with bins ``closed`` on the right always, and then ``low``
    where it is not one; values outside the range are refused when read.
    """
    rule = Width(Decimal(number_text(Decimal(str(step)))), closed)
    bottom, top = Decimal(str(low)), Decimal(str(high))
    if rule.step <= 0 or not bottom < top:
        raise ParameterError(f"a range of bins must ascend in steps > 0, got {low} to {high} by {step}")
    first = int((bottom / rule.step).to_integral_value(ROUND_FLOOR))
    last = int((top / rule.step).to_integral_value(ROUND_CEILING))
    _refuse_long(last - first, "bins")
    bounds = [f"{index * rule.step:.{rule.decimals}f}" for index in range(first, last + 1)]
    before, behind = rule.brackets
    return tuple(f"{before}{lower}, {upper}{behind}" for lower, upper in pairwise(bounds))


def _refuse_long(length: int, what: str) -> None:
    if length > MAX_CELLS:
        raise ParameterError(f"a range of {length} {what} is too long; use wider bins or a shorter range")


def _bound(column: str, value: object) -> Decimal:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        raise ParameterError(f"the range of {column!r} must go from a number to a number")
    number = Decimal(str(value))
    if not number.is_finite() or abs(number.adjusted()) > LARGEST_EXPONENT:
        raise ParameterError(f"the range of {column!r} must go from a number to a number")
    return number
