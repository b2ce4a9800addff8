"""Which values of a sensitive attribute count as harm, the same sentences in every command."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from epsilens.report.words.common import joined
from epsilens.table.domain import MISSING

MOST_NAMED = 4
"""Values that a sentence names."""


def harm_sentence(by_value: Iterable[Mapping[str, Any]]) -> str:
    """:func:`harm_said` of entries with ``value`` and ``weight``, in one line."""
    return " ".join(harm_said((str(entry["value"]), float(entry["weight"])) for entry in by_value))


def harm_said(values: Iterable[tuple[str, float]], declared: bool | None = None) -> list[str]:
    """Which values are counted in every risk beside it, and that missing ones disclose nothing.

    ``values`` are texts and weights, named in this order. Where it is not known whether anything was ``declared``, the
    weights tell: what is declared to be as it is by default reads like the default.
    """
    harmful, harmless = list[tuple[str, float]](), list[str]()
    for value, weight in values:
        harmful += [(value.strip(), weight)] if weight > 0 else []
        harmless += [] if weight > 0 else [value.strip()]
    others = [value for value in harmless if MISSING not in value]
    missing = len(harmless) > len(others)
    unknown = [f"{MISSING} is a level that discloses nothing, unless you declare it harmful."] if missing else []
    if declared is None:
        declared = bool(others) or any(weight > 1 for _, weight in harmful)
    if not declared:
        return ["Counted as harmful: every value but missing ones; which ones harm can be declared.", *unknown]
    named = [f"{value}{_times(weight)}" for value, weight in harmful]
    not_counted = f" Being shown as {joined(others, 'or', MOST_NAMED)} is not counted." if others else ""
    return [f"Counted as harmful: {joined(named, most=MOST_NAMED)}, as declared.{not_counted}", *unknown]


def named_value(attribute: str, value: str) -> str:
    """``stroke=1``; what is missing as it is."""
    return value if value == MISSING else f"{attribute}={value}"


def _times(weight: float) -> str:
    return "" if weight == 1 else f" ({weight:g} times)"
