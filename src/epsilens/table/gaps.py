"""What becomes of missing values: a level of their own, an error, rows left out, or a public value in their place.

One rule for all columns (``"drop"``), or rules by column, the others keeping ``"level"``:
``{"job": "drop", "income": 50001}``. A value in the place of missing ones is declared, never read from the data. What a
row becomes follows from that row and from the declaration alone, so that leaving rows out, and putting a value in, are
transformations of stability 1, like the conditions on rows (``conditions.py``).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from epsilens.checks import did_you_mean, finite, one_of
from epsilens.errors import ParameterError
from epsilens.table.bins import BinRule
from epsilens.table.domain import MISSING, level_text

LEVEL, REFUSE, DROP = "level", "refuse", "drop"
RULES = (LEVEL, REFUSE, DROP)

Gaps: TypeAlias = str | Mapping[str, object]
"""A rule for all columns, or rules and values by column."""


def parse_missing(*texts: str) -> Gaps:
    """Rules as the command line spells them: ``drop`` for all columns, or ``job=drop``, ``income=50001`` for some."""
    found: dict[str, object] = {}
    for text in texts:
        column, equals, rule = (part.strip() for part in text.partition("="))
        if not equals and len(texts) == 1:
            return text.strip()
        if not equals or not column or not rule:
            raise ParameterError(
                "must be one rule for all columns, or read like COL=drop or COL=VALUE", parameter="missing", got=text
            )
        if column in found:
            raise ParameterError(f"names column {column!r} twice", parameter="missing")
        found[column] = rule
    return found or LEVEL


def checked_gaps(
    given: Gaps, columns: Sequence[str], bins: Mapping[str, BinRule], universe: Mapping[str, Sequence[str]]
) -> str | dict[str, str]:
    """The rule of all ``columns``, or the rules by column with values as texts; refused where one cannot be kept."""
    if not isinstance(given, Mapping):
        return one_of("missing", given, RULES)
    found: dict[str, str] = {}
    for key, value in given.items():
        name = str(key).strip()
        if name not in columns:
            raise ParameterError(
                f"names column {name!r}, which has no role{did_you_mean(name, columns)}", parameter="missing"
            )
        text = level_text(value)
        if text in ("", MISSING):
            raise ParameterError(f"must give {name!r} a rule ({', '.join(RULES)}) or a value", parameter="missing")
        if text not in RULES:
            if name in bins:
                finite(f"the value in place of a missing {name!r}", text)
            elif name in universe and text not in universe[name]:
                raise ParameterError(f"the value in place of a missing {name!r} must be one that the universe declares")
        found[name] = text
    return found


def rule_of(gaps: Gaps, column: str) -> str:
    """What becomes of missing values of ``column``: one of :data:`RULES`, or the text in their place."""
    return str(gaps.get(column, LEVEL)) if isinstance(gaps, Mapping) else gaps
