"""Which values of a sensitive attribute count as a harm, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.table.domain import MISSING

_MOST = 4


def harm_sentence(by_value: Sequence[Mapping[str, Any]]) -> str:
    """Which values are counted in every risk beside it, of entries with ``value`` and ``weight``."""
    harmful = [entry for entry in by_value if entry["weight"] > 0]
    harmless = [str(entry["value"]) for entry in by_value if entry["weight"] == 0]
    if all(entry["weight"] == 1 for entry in harmful) and all(MISSING in value for value in harmless):
        unless = f"; {MISSING} tells nothing about anybody" if harmless else ""
        return f"Counted as harmful: every value but missing ones, each alike, since none was declared{unless}."
    named = [f"{str(entry['value']).strip()}{_times(float(entry['weight']))}" for entry in harmful]
    rest = f" Being shown as {_listed(harmless, 'or')} is not counted." if harmless else ""
    return f"Counted as harmful: {_listed(named)}, as declared.{rest}"


def named_value(attribute: str, value: str) -> str:
    """``stroke=1``; what is missing as it is."""
    return value if value == MISSING else f"{attribute}={value}"


def _times(weight: float) -> str:
    return "" if weight == 1 else f" ({weight:g} times)"


def _listed(names: Sequence[str], link: str = "and") -> str:
    """``a``, ``a or b``, ``a, b, c, d or 3 more``."""
    texts = [name.strip() for name in names]
    if len(texts) > _MOST:
        texts = [*texts[:_MOST], f"{len(texts) - _MOST} more"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {link} {texts[-1]}"
