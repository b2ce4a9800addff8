"""Rows that do not fit what was declared of them: refused, or dealt with by rule and counted.

Whoever assesses data wants to be told of such rows, and is refused (``problems.py``). A release must not refuse them:
that somebody's row does not fit is a fact about that person, and a refusal would publish it for nothing. So a release
reads with another policy. What becomes of a row is then a function of that row and of the declarations alone, so that
one person more or less in the data is at most one person more or less in what is counted, and everything that was
promised about neighbours holds for all data, fitting or not.

- ``refuse``: an error tells how many rows do not fit, and why.
- ``leave-out``: such rows are not counted, nor those with a missing value where it was declared to drop them. They do
  not take the place of others among a person's rows either.
- ``neutral`` (sums only): such rows stay records, so that the number of records does not depend on them. A number that
  is not there stands in the middle of its bounds, a level that was not declared is none of the declared ones.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from typing import Any, Literal, TypeAlias

from epsilens.table.domain import MISSING
from epsilens.table.reading import levels
from epsilens.table.schema import Schema

Misfits: TypeAlias = Literal["refuse", "leave-out", "neutral"]
"""What is done with rows that do not fit."""

MISSING_VALUE = "missing"
UNREAD = "not a number in range"
UNDECLARED = "not declared"
STRUCTURAL_ZERO = "in a structural zero"
NOBODYS = "of nobody: the column that names people is empty"
NO_COUNT = "not a whole number >= 0"
TOO_LARGE = "above 2**53, counted as 2**53"


@dataclass(frozen=True)
class Misfit:
    """Rows that break one rule, which may be about one column. A row can break several."""

    column: str | None
    why: str
    rows: int

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {"column": self.column, "why": self.why, "rows": self.rows}


@dataclass(frozen=True)
class LeftOut:
    """What a reading left out by rule. All of it is confidential."""

    read: int = 0
    """All rows of the source."""
    rows: int = 0
    """Rows that were not counted because they do not fit."""
    misfits: tuple[Misfit, ...] = field(default=())
    """Why, for every rule that some row breaks."""
    crowded_people: int = 0
    """People with more rows that fit than are counted of each."""
    not_selected: int = 0
    """Rows that do not pass the conditions on rows. Where misfits are refused, rows dropped for a missing value too."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values."""
        return {
            "rows_read": self.read,
            "rows_left_out": self.rows,
            "by_rule": [misfit.to_dict() for misfit in self.misfits],
            "people_with_too_many_rows": self.crowded_people,
            "rows_not_selected": self.not_selected,
        }


NOTHING_LEFT_OUT = LeftOut()


def broken_rules(relation: Any, schema: Schema, internal: Mapping[str, str]) -> dict[tuple[str | None, str], Any]:
    """Which rows of levels break which rule: Boolean expressions by column and reason, one reason for each column.

    ``internal`` are the names of the relation's columns, and the columns they stand for.
    """
    declared, binned = schema.universe_levels, schema.bin_rules
    broken: dict[tuple[str | None, str], Any] = {}
    for key, name in internal.items():
        value, known = relation[key], declared.get(name)
        other = None if known is None else value.notin(known)
        gap = value == MISSING
        leaves_gaps_out = schema.refuses_gaps(name) or name in schema.dropped_gaps
        if leaves_gaps_out or (known is not None and MISSING not in known):
            broken[name, MISSING_VALUE] = gap
        if name in binned:
            unread = value == levels.NOT_A_NUMBER
            broken[name, UNREAD] = unread
            other = None if other is None else other & ~unread
        if other is not None:
            broken[name, UNDECLARED] = other & ~gap
    for i, rule in enumerate(schema.impossible, start=1):
        broken[None, f"{STRUCTURAL_ZERO} (rule {i})"] = levels.matches(relation, internal, rule)
    return broken


def fitting(broken: Mapping[Any, Any]) -> Any:
    """Whether a row breaks none of the rules."""
    import ibis

    return ~reduce(lambda a, b: a | b, broken.values(), ibis.literal(False))


def told(broken: Sequence[tuple[str | None, str]], counts: Sequence[int]) -> tuple[Misfit, ...]:
    """The rules that some row breaks."""
    return tuple(Misfit(*rule, int(rows)) for rule, rows in zip(broken, counts, strict=True) if rows)
