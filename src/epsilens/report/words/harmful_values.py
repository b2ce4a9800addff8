"""Which values of a sensitive attribute count as a harm, in one line."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epsilens.table.domain import MISSING

_MOST = 4


def harm_sentence(by_value: Sequence[Mapping[str, Any]]) -> str:
    """What counts in every risk beside it, of entries with ``value`` and ``weight``."""
    harmful = [entry for entry in by_value if entry["weight"] > 0]
    harmless = [str(entry["value"]) for entry in by_value if entry["weight"] == 0]
    alike = all(entry["weight"] == 1 for entry in harmful)
    if not harmless and alike:
        return "What counts: being shown with any value, each alike, since none was declared harmful."
    if harmless == [MISSING] and alike:
        return f"What counts: being shown with any value but {MISSING}, which tells nothing about anybody."
    named = [f"{str(entry['value']).strip()}{_times(float(entry['weight']))}" for entry in harmful]
    rest = f"; {_listed(harmless)} {'harms' if len(harmless) == 1 else 'harm'} nobody" if harmless else ""
    return f"What counts: being shown with {_listed(named, 'or')}{rest}."


def _times(weight: float) -> str:
    return "" if weight == 1 else f" (which counts {weight:g} times)"


def _listed(names: Sequence[str], link: str = "and") -> str:
    """``a``, ``a or b``, ``a, b, c, d or one of 3 more``."""
    texts = [name.strip() for name in names]
    if len(texts) > _MOST:
        texts = [*texts[:_MOST], f"{len(texts) - _MOST} more"]
    return texts[0] if len(texts) == 1 else f"{', '.join(texts[:-1])} {link} {texts[-1]}"
