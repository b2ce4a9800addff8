"""Numbers as somebody types them: kept to the digit, or refused, so that a form counts as exactly as the ledger."""

from __future__ import annotations

import re
from decimal import Decimal, InvalidOperation
from typing import Any

from epsilens.accounting.amounts import decimal, digits
from epsilens.errors import ParameterError

_COMMA = re.compile(r"^(\d+),(\d+)$")


def typed_number(name: str, text: str | None) -> float | None:
    """The number that was typed, nothing where the field is empty.

    The ledger reads a number as it is written, digit by digit. One with more digits than a float keeps would be another
    number there, and is refused.
    """
    given = (text or "").strip()
    if not given:
        return None
    given = _COMMA.sub(r"\1.\2", given)
    try:
        exact = Decimal(given)
    except InvalidOperation:
        raise ParameterError("must be a number such as 0.5", parameter=name, got=given) from None
    if not exact.is_finite():
        raise ParameterError("must be a finite number", parameter=name, got=given)
    value = float(exact)
    if decimal(value) != exact:
        raise ParameterError("has more digits than are kept exactly", parameter=name, got=given, remedy="write fewer")
    return value


def typed_numbers(name: str, text: str | None) -> list[float] | None:
    """Several numbers, with blanks, semicolons or commas and blanks between them; nothing where the field is empty."""
    parts = [part for part in re.split(r"[;\s]+|,\s+", (text or "").strip()) if part]
    if len(parts) == 1 and "," in parts[0]:
        parts = parts[0].split(",")
    found = [typed_number(name, part) for part in parts]
    return [value for value in found if value is not None] or None


def as_typed(value: Any) -> str:
    """A number of the project as somebody would have typed it; nothing is an empty field."""
    if value is None:
        return ""
    return digits(decimal(float(value))) if isinstance(value, int | float) else str(value)
