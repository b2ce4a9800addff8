"""What can go wrong, said so that the reader knows the rule, the value and the remedy.

Every message is one line and safe to log: it names columns, parameters and counts, never the data values of people.
The command line prints the message of an :class:`EpsilensError` and exits with 2; any other exception is our own bug.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Iterable


class EpsilensError(ValueError):
    """A request that cannot be served as it stands; the message says why and what to do."""


class ParameterError(EpsilensError):
    """A number or an option outside its range."""


class DataError(EpsilensError):
    """Data that do not fit their declared roles."""


class SourceError(EpsilensError):
    """A file or database that cannot be read."""


class EpsilensWarning(UserWarning):
    """Something that is allowed but probably not meant."""


def finite(name: str, value: float | str) -> float:
    """``value`` as a float, refused unless it is a finite number."""
    try:
        number = float(value)
    except (TypeError, ValueError):
        raise ParameterError(f"{name} must be a number, got {value!r}") from None
    if not math.isfinite(number):
        raise ParameterError(f"{name} must be finite, got {number}")
    return number


def positive(name: str, value: float) -> float:
    """``value`` as a float, refused unless it is finite and > 0."""
    number = finite(name, value)
    if number <= 0:
        raise ParameterError(f"{name} must be > 0, got {number:g}")
    return number


def probability(name: str, value: float) -> float:
    """``value`` as a float, refused unless 0 < value < 1."""
    number = finite(name, value)
    if not 0 < number < 1:
        raise ParameterError(f"{name} must lie strictly between 0 and 1, got {number:g}")
    return number


def one_of(name: str, value: str, choices: Iterable[str]) -> str:
    """``value``, refused with the nearest allowed name unless it is one of ``choices``."""
    allowed = list(choices)
    if value in allowed:
        return value
    raise ParameterError(
        f"{name} must be one of {', '.join(allowed)}; got {value!r}{did_you_mean(str(value), allowed)}"
    )


def did_you_mean(name: str, candidates: Iterable[str]) -> str:
    """A clause that suggests the nearest candidate, or nothing where none is near."""
    by_lower = {candidate.lower(): candidate for candidate in candidates}
    near = difflib.get_close_matches(name.lower(), list(by_lower), n=1, cutoff=0.5)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""
